"""Networks of random layers, captured: what a call gave is compared when all calls are done, so that nothing a plan does
with memory stays unseen."""
import random

import numpy as np
import pytest

import weft
from weft import nn

F = nn.functional
# (channels, other channels) -> a layer on (2, channels, 5, 5)
PICTURES = [lambda c, o: nn.Conv2d(c, o, 3, padding=1), lambda c, o: nn.Conv2d(c, o, 1),
            lambda c, o: nn.Conv2d(c, c, 3, padding=1, groups=c), lambda c, o: nn.ConvTranspose2d(c, o, 3, padding=1),
            lambda c, o: nn.BatchNorm2d(c), lambda c, o: nn.GroupNorm(1, c),
            lambda c, o: nn.InstanceNorm2d(c, affine=True), lambda c, o: nn.MaxPool2d(3, 1, 1),
            lambda c, o: nn.AvgPool2d(3, 1, 1), lambda c, o: nn.Dropout(0.2), lambda c, o: nn.ReLU(),
            lambda c, o: nn.ReLU(inplace=True), lambda c, o: nn.GELU(), lambda c, o: nn.SiLU(),
            lambda c, o: nn.Hardswish(), lambda c, o: nn.PReLU()]
# (features, other features) -> a layer on (2, 5, features)
ROWS = [lambda d, o: nn.Linear(d, o), lambda d, o: nn.Linear(d, d, bias=False), lambda d, o: nn.LayerNorm(d),
        lambda d, o: nn.ReLU(), lambda d, o: nn.Tanh(), lambda d, o: nn.Sigmoid(), lambda d, o: nn.Softplus(),
        lambda d, o: nn.Softmax(-1), lambda d, o: nn.GELU("tanh"), lambda d, o: nn.Dropout(0.1),
        lambda d, o: nn.LSTM(d, o, batch_first=True), lambda d, o: nn.GRU(d, o, batch_first=True),
        lambda d, o: nn.MultiheadAttention(d, 1, batch_first=True),
        lambda d, o: nn.TransformerEncoderLayer(d, 1, 8, 0.1, batch_first=True)]
OPTIMIZERS = [lambda p: weft.optim.SGD(p, 0.01), lambda p: weft.optim.SGD(p, 0.01, momentum=0.9),
              lambda p: weft.optim.Adam(p), lambda p: weft.optim.AdamW(p)]
LOSSES = [lambda y: y.square().mean(), lambda y: y.sum() / 7, lambda y: F.mse_loss(y, weft.zeros_like(y)),
          lambda y: y.log_softmax(-1)[..., 0].mean()]


class Network:
    """A few random layers, with residuals and views between them, some of whose outputs the program keeps."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        weft.manual_seed(seed)
        pictures, sizes = rng.random() < 0.5, [rng.choice([3, 4])]
        self.shape = (2, sizes[0], 5, 5) if pictures else (2, 5, sizes[0])
        self.layers = nn.ModuleList()
        for _ in range(rng.randrange(2, 7)):
            layer = rng.choice(PICTURES if pictures else ROWS)(sizes[-1], rng.choice([2, 3, 4, 8]))
            self.layers.append(layer)
            sizes.append(getattr(layer, "out_channels", getattr(layer, "out_features",
                                                                getattr(layer, "hidden_size", sizes[-1]))))
        self.ways = [(rng.random() < 0.5, rng.random() < 0.3, rng.randrange(6)) for _ in self.layers]
        self.layers.train(rng.random() < 0.7)
        self.params = list(self.layers.parameters())
        self.optimizer = rng.choice(OPTIMIZERS)(self.params) if self.params and rng.random() < 0.8 else None
        self.clips, self.loss = rng.random() < 0.3, rng.choice(LOSSES)

    def forward(self, x, kept):
        for layer, (keeps, adds, way) in zip(self.layers, self.ways):
            y = layer(x, x, x, need_weights=False) if isinstance(layer, nn.MultiheadAttention) else layer(x)
            y = y[0] if isinstance(y, tuple) else y
            if adds and y.shape == x.shape:
                y = y + x if way % 2 else y * 0.5 + x
            if way == 3:
                y = y.transpose(-1, -2).contiguous().transpose(-1, -2)
            elif way == 4:
                y = weft.cat([y[:1], y[1:] * 2])
            x = y
            if keeps:
                kept.append(x.detach() if way % 2 else x.detach().clone())
        return x

    def step(self, x):
        kept = []
        for p in self.params:
            p.grad = None
        y = self.forward(x, kept)
        loss = self.loss(y)
        if loss.requires_grad:
            loss.backward()
            if self.clips:
                kept.append(nn.utils.clip_grad_norm_(self.params, 1.0))
            kept += [p.grad for p in self.params if p.grad is not None][:3]
            if self.optimizer is not None:
                self.optimizer.step()
        return [loss.detach(), y.detach()[..., 0], *kept]


def ran(step, x):
    """What a call gives; no tensors if its backward fails, as that of a ReLU does before a ReLU in place."""
    try:
        return step(x)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        return []


def check(seed):
    options = [{}, {"memory_budget": 0.5}, {"replay": True}][seed % 3]
    plain, other = Network(seed), Network(seed)
    captured = weft.jit.capture(other.step, **options)
    inputs = [weft.randn(*plain.shape) for _ in range(8)]
    weft.manual_seed(1)
    expected = [ran(plain.step, x.clone()) for x in inputs]
    weft.manual_seed(1)
    given = [ran(captured, x.clone()) for x in inputs]
    for i, (one, two) in enumerate(zip(expected, given, strict=True)):
        for k, (a, b) in enumerate(zip(one, two, strict=True)):
            assert np.array_equal(a.numpy(), b.numpy(), equal_nan=True), f"seed {seed}, call {i}, result {k}"
    for a, b in zip(plain.layers.state_dict().values(), other.layers.state_dict().values(), strict=True):
        assert np.array_equal(a.numpy(), b.numpy(), equal_nan=True), f"seed {seed}: parameters"


@pytest.mark.parametrize("block", [*range(4), *[pytest.param(k, marks=pytest.mark.slow) for k in range(4, 60)]])
def test_networks_of_random_layers(block):
    for seed in range(20 * block, 20 * block + 20):
        check(seed)
