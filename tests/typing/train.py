"""A training program as users write it. mypy and pyright check that its types are known; it also runs."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

from typing_extensions import assert_type

import weft
import weft.nn.functional as F
from weft import Size, Tensor, nn, optim
from weft.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
from weft.optim.lr_scheduler import CosineAnnealingLR, ReduceLROnPlateau, StepLR
from weft.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


class Squares(Dataset[tuple[Tensor, Tensor]]):
    def __init__(self, n: int) -> None:
        self.x = weft.linspace(-1, 1, n).unsqueeze(1)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self.x[index], self.x[index] ** 2


class Net(nn.Module):
    def __init__(self, width: int = 8, p: float = 0.0) -> None:
        super().__init__()
        self.first = nn.Linear(1, width)
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(p)
        self.last = nn.Linear(width, 1, bias=True)
        self.scale = nn.Parameter(weft.ones(1))
        self.register_buffer("calls", weft.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.gelu(self.norm(self.first(x)))
        return self.last.forward(self.drop.forward(hidden)) * self.scale


class Double(weft.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * 2


def layers() -> None:
    net = Net()
    assert_type(net.first, nn.Linear)
    assert_type(net.first.weight, nn.Parameter)
    assert_type(net.first.in_features, int)
    assert_type(net.first.forward(weft.ones(2, 1)), Tensor)
    assert_type(net.scale, nn.Parameter)
    assert_type(net.training, bool)
    assert_type(net.train(), Net)
    assert_type(net.eval(), Net)
    assert_type(net.to("cpu"), Net)
    assert_type(net.parameters(), Iterator[nn.Parameter])
    assert_type(net.named_parameters(), Iterator[tuple[str, nn.Parameter]])
    assert_type(net.named_modules(), Iterator[tuple[str, nn.Module]])
    assert_type(net.state_dict(), dict[str, Any])
    assert_type([p.numel() for p in net.parameters()], list[int])
    stack = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert_type(stack[0], nn.Module)
    assert_type(stack[:2], nn.Sequential)
    for part in stack:
        assert_type(part, nn.Module)
    assert_type(nn.Conv2d(1, 4, 3, padding=1).kernel_size, tuple[int, ...])
    assert_type(nn.Dropout(0.1).p, float)
    assert_type(nn.LSTM(3, 4).forward(weft.zeros(5, 2, 3)), tuple[Tensor, tuple[Tensor, Tensor]])
    assert_type(nn.GRU(3, 4).forward(weft.zeros(5, 2, 3)), tuple[Tensor, Tensor])
    assert_type(nn.CrossEntropyLoss().forward(weft.zeros(2, 3), weft.tensor([0, 1])), Tensor)
    assert_type(nn.utils.clip_grad_norm_(net.parameters(), 1.0), Tensor)
    packed = pack_padded_sequence(weft.zeros(5, 2, 3), [5, 3])
    assert_type(packed, PackedSequence)
    assert_type(pad_packed_sequence(packed), tuple[Tensor, Tensor])
    nn.init.xavier_uniform_(net.first.weight, gain=2.0)


def tensors() -> None:
    x = weft.arange(6, dtype=weft.float32).reshape(2, 3)
    assert_type(x, Tensor)
    assert_type(x + 1, Tensor)
    assert_type(2 - x, Tensor)
    assert_type(x @ x.T, Tensor)
    assert_type(x[0], Tensor)
    assert_type(x[:, 1:], Tensor)
    assert_type(x[x > 1], Tensor)
    assert_type(x > 1, Tensor)
    assert_type(x == x, Tensor)
    assert_type(-x, Tensor)
    assert_type(x.shape, Size)
    assert_type(x.shape[0], int)
    assert_type(x.size(0), int)
    assert_type(x.size(), Size)
    assert_type(x.dim(), int)
    assert_type(x.dtype, weft.dtype)
    assert_type(x.device, weft.device)
    assert_type(x.requires_grad, bool)
    assert_type(x.grad, Tensor | None)
    assert_type(x.add_(1), Tensor)
    assert_type(x.view(-1), Tensor)
    assert_type(x.permute(1, 0), Tensor)
    assert_type(x.expand(2, 2, 3), Tensor)
    assert_type(x.sum(dim=(0, 1), keepdim=True), Tensor)
    assert_type(x.max(), Tensor)
    assert_type(x.max(dim=1).indices, Tensor)
    assert_type(weft.sort(x).values, Tensor)
    assert_type(weft.topk(x, 2)[0], Tensor)
    assert_type(weft.linalg.svd(x).S, Tensor)
    assert_type(x.split(1), tuple[Tensor, ...])
    assert_type(weft.cat([x, x], dim=0), Tensor)
    assert_type(weft.stack((x, x)), Tensor)
    assert_type(weft.where(x > 0, x, 0.0), Tensor)
    assert_type(weft.einsum("ij,kj->ik", x, x), Tensor)
    assert_type(weft.equal(x, x), bool)
    assert_type(weft.zeros(2, 3), Tensor)
    assert_type(weft.zeros((2, 3), dtype=weft.int64), Tensor)
    assert_type(weft.randn(2, 3, generator=weft.Generator()), Tensor)
    assert_type(weft.fft.rfft(x), Tensor)
    assert_type(weft.special.erf(x), Tensor)
    assert_type(x.is_floating_point(), bool)
    assert_type(x.numel(), int)
    assert_type(x.long(), Tensor)
    assert_type(float(x.sum()), float)
    assert_type(F.softmax(x, dim=-1), Tensor)
    assert_type(F.cross_entropy(x, weft.tensor([0, 1]), reduction="sum"), Tensor)
    assert_type(F.conv2d(weft.zeros(1, 1, 4, 4), weft.zeros(2, 1, 3, 3), padding="same"), Tensor)
    assert_type(F.pad(x, (1, 1), value=0.5), Tensor)
    for row in x:
        assert_type(row, Tensor)
    y = weft.ones(2, requires_grad=True)
    assert_type(weft.autograd.grad(Double.apply(y).sum(), y), tuple[Tensor, ...])
    with weft.no_grad():
        y.mul_(2)
    assert_type(weft.distributions.Normal(0.0, 1.0).sample((2,)), Tensor)
    assert_type(weft.distributions.Normal(0.0, 1.0).batch_shape, Size)


@weft.no_grad()
def evaluate(net: nn.Module, loader: DataLoader[tuple[Tensor, Tensor]]) -> float:
    net.eval()
    losses = [F.mse_loss(net(x), y).item() for x, y in loader]
    return float(sum(losses) / len(losses))


def train(epochs: int = 2) -> float:
    train_set, test_set = random_split(Squares(32), [24, 8])
    assert_type(train_set, Subset[tuple[Tensor, Tensor]])
    loader = DataLoader(train_set, batch_size=8, shuffle=True)
    assert_type(loader, DataLoader[tuple[Tensor, Tensor]])
    assert_type(len(loader), int)
    net = Net()
    optimizer = optim.AdamW(net.parameters(), lr=1e-2, betas=(0.9, 0.99), weight_decay=0.01)
    assert_type(optimizer.param_groups, list[dict[str, Any]])
    schedule = CosineAnnealingLR(optimizer, T_max=epochs)
    plateau = ReduceLROnPlateau(optimizer, patience=1)
    for _ in range(epochs):
        net.train()
        for x, y in loader:
            loss = F.mse_loss(net(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        schedule.step()
        plateau.step(evaluate(net, DataLoader(test_set)))
    assert_type(schedule.get_last_lr(), list[float])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.pt")
        weft.save(net.state_dict(), path)
        net.load_state_dict(weft.load(path, weights_only=True))
    return evaluate(net, DataLoader(test_set, batch_size=4))


def others() -> None:
    rows = TensorDataset(weft.zeros(4, 2), weft.zeros(4))
    assert_type(rows[0], tuple[Tensor, ...])
    net = Net()
    sgd = optim.SGD([{"params": net.first.parameters(), "lr": 0.1}, {"params": [net.scale]}], lr=0.01, momentum=0.9)
    assert_type(StepLR(sgd, step_size=3, gamma=0.5).get_last_lr(), list[float])
    assert_type(weft.func.grad(lambda x: (x * x).sum())(weft.ones(2)), Any)
    assert_type(weft.manual_seed(0), weft.Generator)
    assert_type(weft.get_default_dtype(), weft.dtype)
    weft.testing.assert_close(weft.ones(2), weft.ones(2), rtol=0, atol=0)


def main() -> None:
    layers()
    tensors()
    others()
    train()


if __name__ == "__main__":
    main()
