"""PyTorch's own TorchScript files: weft reads them without running their code, and gives what PyTorch gives."""
# ruff: noqa: UP006, UP035, UP045, UP032  (what TorchScript's programs write)
import enum
import io
import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import weft


def loaded(script):
    file = io.BytesIO()
    torch.jit.save(script, file)
    file.seek(0)
    return weft.jit.load(file)


def ours(value):
    if isinstance(value, torch.Tensor):
        return weft.from_numpy(value.detach().numpy().copy())
    if isinstance(value, (list, tuple)):
        return type(value)([ours(v) for v in value])
    return {k: ours(v) for k, v in value.items()} if isinstance(value, dict) else value


def check(found, expected):
    if isinstance(expected, torch.Tensor):
        assert isinstance(found, weft.Tensor) and tuple(found.shape) == tuple(expected.shape)
        assert str(found.dtype) == str(expected.dtype)
        np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-4, atol=1e-5)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            check(a, b)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            check(found[key], expected[key])
    else:
        assert found == expected and type(found) is type(expected)


def compare(script, *calls):
    made = loaded(script)
    assert set(made.state_dict()) == set(script.state_dict())
    for args in calls:
        check(made(*ours(args)), script(*args))
    return made


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.avg_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return F.log_softmax(self.fc3(torch.sigmoid(self.fc2(F.relu(self.fc1(x), inplace=True)))), dim=1)


class Block(nn.Module):
    def __init__(self, c, d, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c, d, 3, stride, 1, bias=False)
        self.bn1, self.relu = nn.BatchNorm2d(d), nn.ReLU(inplace=True)
        self.conv2, self.bn2 = nn.Conv2d(d, d, 3, 1, 1, bias=False), nn.BatchNorm2d(d)
        self.down = nn.Sequential(nn.Conv2d(c, d, 1, stride, bias=False), nn.BatchNorm2d(d)) if stride > 1 else None

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        if self.down is not None:
            x = self.down(x)
        return self.relu(out + x)


def resnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), Block(8, 8), Block(8, 16, 2),
                         nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Dropout(0.2), nn.Linear(16, 5))


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.pos = nn.Embedding(20, 8, padding_idx=0), nn.Parameter(torch.randn(1, 6, 8))
        self.norm, self.heads = nn.LayerNorm(8), 2
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 20)

    def forward(self, x):
        b, t = x.shape
        h = self.norm(self.emb(x) + self.pos[:, :t])
        q, k, v = self.qkv(h).chunk(3, dim=-1)
        q, k, v = [y.view(b, t, self.heads, -1).transpose(1, 2) for y in (q, k, v)]
        mask = torch.ones(t, t, dtype=torch.bool).tril()
        w = ((q @ k.transpose(-2, -1)) / (4 ** 0.5)).masked_fill(~mask, float("-inf")).softmax(-1)
        return self.out(F.gelu((w @ v).transpose(1, 2).reshape(b, t, -1)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, 2, 1)
        self.up = nn.ConvTranspose2d(8, 4, 2, 2)
        self.c, self.g = nn.Conv2d(8, 1, 1), nn.GroupNorm(2, 8)

    def forward(self, x):
        a = F.leaky_relu(self.a(x), 0.1)
        b = F.hardswish(self.g(self.b(a)))
        y = self.c(torch.cat([a, self.up(b)], 1))
        return F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False), F.interpolate(
            b, size=(5, 7), mode="nearest"), F.pad(y, (1, 1, 0, 2), mode="reflect")


X = torch.manual_seed(0)
MODELS = {
    "lenet": (LeNet(), (torch.randn(2, 1, 28, 28),), (torch.randn(3, 1, 28, 28),)),
    "resnet": (resnet(), (torch.randn(2, 3, 8, 8),), (torch.randn(4, 3, 12, 12),)),
    "text": (Text(), (torch.randint(0, 20, (2, 6)),), (torch.randint(0, 20, (3, 4)),)),
    "unet": (UNet(), (torch.randn(1, 1, 8, 8),), (torch.randn(2, 1, 12, 16),)),
    "mlp": (nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 4), nn.SiLU(), nn.ELU(), nn.Softplus(), nn.PReLU(),
                          nn.Hardtanh(), nn.ReLU6(), nn.LeakyReLU(), nn.Softmax(-1), nn.LayerNorm(4)),
            (torch.randn(2, 3),), (torch.randn(5, 3),)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("training", [False, True])
def test_models(name, training):
    module, first, second = MODELS[name]
    if training and name == "resnet":
        pytest.skip("dropout draws other numbers")
    module.train(training)
    compare(torch.jit.script(module), first, second)
    compare(torch.jit.trace(module, first), first, second)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers(kind):
    layer, x = kind(3, 4, num_layers=2, bidirectional=True, batch_first=True), torch.randn(2, 5, 3)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out = layer, nn.Linear(8, 2)

        def forward(self, x):
            y, _ = self.rnn(x)
            return self.out(y[:, -1])
    compare(torch.jit.trace(Net(), x), (x,), (torch.randn(3, 5, 3),))
    check(loaded(torch.jit.script(layer))(ours(x)), layer(x))
    compare(torch.jit.script(Net()), (x,), (torch.randn(1, 7, 3),))


def test_a_loop_over_a_cell():
    class Loop(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(3, 4)

        def forward(self, x, steps: int = 3):
            h = torch.zeros(x.size(1), 4)
            c = torch.zeros_like(h)
            out: List[torch.Tensor] = []
            for t in range(min(steps, x.size(0))):
                h, c = self.cell(x[t], (h, c))
                if h.abs().max() > 0.9:
                    break
                out.append(h)
            return torch.stack(out), (h, c)
    x = torch.randn(5, 2, 3)
    made = compare(torch.jit.script(Loop()), (x,), (x, 4), (x * 3, 5))
    assert made(ours(x), steps=2)[0].shape == (2, 2, 4)


def test_transformer_layers():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(2, 5, 8)
    with torch.no_grad():
        compare(torch.jit.trace(layer, x), (x,))
        compare(torch.jit.script(layer), (x,))
        compare(torch.jit.script(nn.MultiheadAttention(8, 2, batch_first=True).eval()), (x, x, x))


class Point(NamedTuple):
    x: torch.Tensor
    n: int


class Mode(enum.Enum):
    ONE = 1
    TWO = 2


@torch.jit.script
class Counter:
    def __init__(self, start: int):
        self.n = start
        self.seen: List[int] = []

    def up(self, by: int = 1) -> int:
        self.n += by
        self.seen.append(by)
        return self.n


def numbers(a: int, b: int, c: float) -> Tuple[int, int, float, float, float, bool, int, int, float]:
    return a // b, a % b, a / b, c ** 2, abs(c), a > b and c < 0, min(a, b), a << 1, float(round(c))


def texts(s: str, n: int) -> Tuple[str, List[str], str, bool, str, str]:
    return s.upper() + "!", s.split("a"), "{} and {}".format(n, s), s.startswith("b"), s[1:3], f"{n}:{s}"


def lists(v: List[int], x: torch.Tensor) -> Tuple[List[int], int, List[int], List[int], Dict[str, int], torch.Tensor]:
    w = [i * 2 for i in v]
    w.extend([7])
    w.insert(0, 5)
    last = w.pop()
    d: Dict[str, int] = {"a": len(v)}
    for i, value in enumerate(v):
        d[str(i)] = value
    if "b" not in d:
        d["b"] = last
    v2 = v[1:] + v[:1]
    v2.sort()
    parts = list(torch.unbind(x))
    return w, last, v2, sorted(v), d, torch.stack(parts[::-1])


def indices(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    y = x.clone()
    y[0] = 1.0
    y[:, 1] += 2
    y[y > 1.5] = 0
    i = torch.tensor([1, 0])
    return y, x[i], x[..., None, 0], x[1:, ::2], x[i, 1]


def branches(x: torch.Tensor, flag: Optional[bool] = None) -> torch.Tensor:
    if flag is None:
        flag = bool(x.sum() > 0)
    n = 0
    while n < 10 and flag:
        x = x * 2
        n += 1
        if x.sum() > 100:
            break
        elif n == 3:
            continue
        x = x - 1
    return x if n > 2 else -x


def types(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, int, bool, torch.Tensor]:
    y = x.to(torch.float64).long()
    z = torch.arange(3, dtype=torch.int32, device=x.device).to(x)
    return y, z, x.half().float(), x.dim(), x.dtype == torch.float32, torch.zeros([2], dtype=x.dtype).type_as(y)


def reductions(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    value, place = x.max(1)
    return value, place, x.mean([0, 1], keepdim=True), torch.norm(x, dim=1), torch.cumsum(x, 0)


def losses(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    t = torch.tensor([0, 1])
    return (F.cross_entropy(x, t, label_smoothing=0.1), F.mse_loss(x, torch.zeros_like(x), reduction="sum"),
            F.nll_loss(F.log_softmax(x, 1), t), F.binary_cross_entropy_with_logits(x, torch.ones_like(x)))


def objects(n: int) -> Tuple[int, List[int], int, str]:
    c = Counter(n)
    c.up()
    c.up(5)
    p = Point(torch.ones(1), n)
    m = Mode.TWO
    return c.n, c.seen, p.n, m.name if m == Mode.TWO else "none"


def point(x: torch.Tensor) -> Point:
    return Point(x + 1, 3)


def math_functions(c: float) -> Tuple[float, float, int, float]:
    return math.sqrt(c), math.exp(c), math.floor(c), math.pi


X34 = torch.randn(2, 4)


@pytest.mark.parametrize("function, calls", [
    (numbers, [(7, 2, -1.5), (-7, 2, 2.5)]), (texts, [("banana", 3)]), (lists, [([3, 1, 2], torch.randn(3, 2))]),
    (indices, [(torch.randn(2, 3),)]),
    (branches, [(torch.ones(2), None), (-torch.ones(2), None), (torch.ones(2), False)]),
    (types, [(torch.randn(3),)]), (reductions, [(X34,)]), (losses, [(torch.randn(2, 3),)]), (objects, [(3,)]),
    (point, [(torch.ones(2),)]), (math_functions, [(2.5,)])], ids=lambda v: getattr(v, "__name__", ""))
def test_functions(function, calls):
    script = torch.jit.script(function)
    file = io.BytesIO()
    torch.jit.save(script, file)
    file.seek(0)
    found = weft.jit.load(file)
    for args in calls:
        check(found(*ours(args)), script(*args))


def test_errors_come_as_both_kinds():
    def refuse(x: torch.Tensor) -> torch.Tensor:
        if x.dim() > 1:
            raise ValueError("too many: {}".format(x.dim()))
        assert x.sum() > 0, "not positive"
        return x
    found = loaded(torch.jit.script(refuse))
    with pytest.raises(weft.jit.Error, match="too many: 2"):
        found(weft.ones(1, 1))
    with pytest.raises(ValueError, match="too many: 2"):
        found(weft.ones(1, 1))
    with pytest.raises(AssertionError, match="not positive"):
        found(-weft.ones(1))


def test_attributes_state_and_exports():
    class Net(nn.Module):
        scale: float

        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(1))
            self.names, self.table, self.scale = ["a", "b"], {"x": 1}, 0.5
            self.tied = nn.Linear(2, 2)
            self.again = self.tied

        def forward(self, x):
            self.count += 1
            self.scale = self.scale * 2
            return self.again(self.tied(x)) * self.scale

        @torch.jit.export
        def named(self, i: int):
            return self.names[i], self.table["x"]
    script = torch.jit.script(Net())
    made = loaded(script)
    x = torch.randn(1, 2)
    check(made(ours(x)), script(x))
    check(made(ours(x)), script(x))
    assert made.count.item() == 2 and made.named(1) == ("b", 1) and made.scale == 2.0
    assert made.tied.weight is made.again.weight and isinstance(made, weft.jit.ScriptModule)
    made(ours(x)).sum().backward()
    script(x).sum().backward()
    check(made.tied.weight.grad, script.tied.weight.grad)


def test_frozen_and_optimized_modules():
    module = resnet().eval()
    x = torch.randn(2, 3, 8, 8)
    frozen = torch.jit.freeze(torch.jit.script(module))
    made = loaded(frozen)
    check(made(ours(x)), frozen(x))
    assert not list(made.parameters())


def test_a_file_of_pytorchs_is_saved_again():
    x = torch.randn(2, 3, 8, 8)
    for script in (torch.jit.script(resnet().eval()), torch.jit.trace(resnet().eval(), x),
                   torch.jit.freeze(torch.jit.script(resnet().eval()))):
        file = io.BytesIO()
        loaded(script).save(file)
        file.seek(0)
        check(weft.jit.load(file)(ours(x)), script(x))


def test_extra_files_and_places():
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(nn.Linear(2, 2)), file, _extra_files={"note": "hello"})
    file.seek(0)
    extra = {"note": ""}
    weft.jit.load(file, map_location="cpu", _extra_files=extra)
    assert extra["note"] == b"hello"


LAYERS = [
    (nn.Bilinear(6, 6, 3), 2), (nn.Conv1d(4, 2, 3, padding="same"), 3), (nn.Conv2d(4, 2, 3, padding="same"), 4),
    (nn.ConvTranspose1d(4, 2, 3, 2, 1, 1), 3), (nn.MaxPool1d(2), 3), (nn.AvgPool1d(2), 3), (nn.LPPool2d(2, 2), 4),
    (nn.AdaptiveMaxPool2d(3), 4), (nn.AdaptiveAvgPool1d(3), 3), (nn.ReflectionPad2d(1), 4), (nn.CircularPad2d(1), 4),
    (nn.CELU(), 2), (nn.GLU(), 2), (nn.LogSigmoid(), 2), (nn.Threshold(0.1, 2.0), 2),
    (nn.InstanceNorm2d(4, affine=True), 4),
    (nn.RMSNorm(6), 2), (nn.Unflatten(1, (2, 2)), 4), (nn.PixelShuffle(2), 4), (nn.Upsample(scale_factor=2), 4),
    (nn.Upsample(scale_factor=2.0, mode="bicubic", align_corners=True), 4), (nn.Unfold(2), 4), (nn.GRUCell(6, 3), 2),
    (nn.Fold((8, 8), (2, 2), stride=2), None), (nn.MultiLabelSoftMarginLoss(), 2), (nn.SmoothL1Loss(beta=0.5), 2),
    (nn.KLDivLoss(reduction="batchmean"), 2), (nn.PoissonNLLLoss(), 2), (nn.HuberLoss(reduction="none"), 2),
    (nn.BCEWithLogitsLoss(pos_weight=torch.full((6,), 2.0)), 2), (nn.TransformerDecoderLayer(8, 2, 16).eval(), 3)]
INPUTS = {2: torch.randn(2, 6), 3: torch.randn(2, 4, 8), 4: torch.randn(2, 4, 8, 8), None: torch.randn(1, 4, 16)}
PAIRS = (nn.Bilinear, nn.modules.loss._Loss, nn.TransformerDecoderLayer)


@pytest.mark.parametrize("layer, dims", LAYERS, ids=lambda v: type(v).__name__ if isinstance(v, nn.Module) else "")
def test_layers(layer, dims):
    x = INPUTS[dims]
    args = (x, (x > 0).float() if isinstance(layer, nn.modules.loss._Loss) else x) if isinstance(layer, PAIRS) else (x,)
    with torch.no_grad():
        for script in (torch.jit.script(layer), torch.jit.trace(layer, args, check_trace=False)):
            with weft.no_grad():
                check(loaded(script)(*ours(args)), layer(*args))


def test_ops_that_traces_name_otherwise():
    def f(x):
        i = x.nonzero(as_tuple=True)
        a, b = torch.unique(x.round(), return_inverse=True)
        y = (x > 0) & (x < 1)
        y |= x > 2
        return i[0], a, b, y, x.reshape(x.shape[0], -1, 2).mT, F.one_hot(b.flatten()[:2], 20), \
            torch.einsum("ij,kj->ik", x, x), x.new_full((2,), 3), torch.linspace(0, 1, 5).to(x), \
            x.expand(3, *x.shape), \
            torch.meshgrid(x[0], x[1], indexing="ij")[1], torch.where(x > 0, x, torch.zeros(())), x.topk(2)[1], \
            x.std(dim=1), x.clamp(min=0.1), x.sort(dim=1)[0], torch.split(x, [1, 3], 1)[1], x.type(torch.float64)
    x = torch.randn(2, 4)
    script = torch.jit.trace(f, x)
    check(loaded(script)(ours(x)), script(x))
