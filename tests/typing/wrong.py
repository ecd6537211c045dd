"""Programs that are wrong: a checker that doesn't complain at a line finds its `ignore` unused, which is an error.

mypy: warn_unused_ignores; pyright: reportUnnecessaryTypeIgnoreComment. Nothing here is run.
"""
import weft
import weft.nn.functional as F
from weft import Tensor, nn, optim
from weft.optim.lr_scheduler import StepLR
from weft.utils.data import DataLoader, TensorDataset


def tensors(x: Tensor) -> None:
    x.add_(1, out=x)  # type: ignore
    x.ad(1)  # type: ignore
    x.sum(dim="0")  # type: ignore
    x.sum(keepdim="yes")  # type: ignore
    x.view("a")  # type: ignore
    x.transpose(0)  # type: ignore
    x.shape = (1, 2)  # type: ignore
    x.backward("now")  # type: ignore
    x + "1"  # type: ignore
    x["a"]  # type: ignore
    weft.cat(x, x)  # type: ignore
    weft.zeros("2")  # type: ignore
    weft.ones(2, dtyp=weft.float32)  # type: ignore
    weft.ones(2, dtype="float32")  # type: ignore
    weft.add(x)  # type: ignore
    weft.exp("x")  # type: ignore
    weft.softmaxx(x)  # type: ignore
    weft.arange(3, requires_grad="yes")  # type: ignore
    weft.linalg.inverse(x)  # type: ignore
    number: int = weft.sort(x)  # type: ignore
    flag: int = x.sum()  # type: ignore
    print(number, flag)


def layers(x: Tensor) -> None:
    nn.Linear(3)  # type: ignore
    nn.Linear("3", 4)  # type: ignore
    nn.Linear(3, 4, bias="no")  # type: ignore
    nn.Conv2d(3, 4)  # type: ignore
    nn.Dropout(p="half")  # type: ignore
    nn.LayerNorm(4, epsilon=1e-5)  # type: ignore
    nn.Sequential(3)  # type: ignore
    nn.ReLU(inplace="yes")  # type: ignore
    nn.LSTM(3)  # type: ignore
    nn.Linear(3, 4).forward("x")  # type: ignore
    nn.Linear(3, 4).train("on")  # type: ignore
    nn.Parameter([1.0])  # type: ignore
    nn.Linear(3, 4).register_buffer(1, x)  # type: ignore
    F.relu(x, inplac=True)  # type: ignore
    F.dropout(x, p="0.5")  # type: ignore
    F.cross_entropy(x)  # type: ignore
    nn.init.normal_(3)  # type: ignore


def training(net: nn.Module) -> None:
    optim.Adam(3)  # type: ignore
    optim.Adam(net.parameters(), learning_rate=0.1)  # type: ignore
    optim.SGD(net.parameters(), lr="0.1")  # type: ignore
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    optimizer.step(3)  # type: ignore
    StepLR(optimizer)  # type: ignore
    StepLR(net, 3)  # type: ignore
    DataLoader(TensorDataset(weft.ones(2)), batch_size="2")  # type: ignore
    DataLoader(3)  # type: ignore
    TensorDataset([1, 2])  # type: ignore
    weft.load(3)  # type: ignore
    net.load_state_dict(3)  # type: ignore
    weft.autograd.grad(3, 4)  # type: ignore
