"""The networks of the benchmarks: ten captured training steps give what ten steps give, losses, gradients, parameters and
buffers, to the bit; loops over a cell, whose sums are taken in another order, to 1e-5.
"""
import sys
from pathlib import Path

import pytest

import weft
from weft.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import networks
import rows_capture
import rows_models

WAYS = {"captured": (weft.jit.capture, {}), "compiled": (weft.compile, {}),
        "replayed": (weft.jit.capture, {"replay": True}), "within a budget": (weft.jit.capture, {"memory_budget": 0.5})}


def cnn():
    net, x, labels = networks.mnist_cnn(weft), weft.randn(4, 1, 28, 28), weft.randint(10, (4,))
    return net, lambda: F.nll_loss(net(x), labels), weft.optim.Adadelta(net.parameters(), lr=1.0)


def resnet():
    net, x, labels = networks.resnet18(weft), weft.randn(2, 3, 32, 32), weft.randint(10, (2,))
    return net, lambda: F.cross_entropy(net(x), labels), weft.optim.SGD(net.parameters(), 0.01, momentum=0.9,
                                                                       weight_decay=5e-4)


def gpt():
    net = networks.gpt(weft, 2, 32, 4, 16, dropout=0.1)
    ids, targets = weft.randint(65, (3, 16)), weft.randint(65, (48,))
    return net, lambda: F.cross_entropy(net(ids).view(-1, 65), targets), weft.optim.AdamW(net.parameters(), lr=1e-3)


def language_model():
    net, state = networks.lstm_lm(weft, 50, 16), (weft.zeros(2, 3, 16), weft.zeros(2, 3, 16))
    ids, targets = weft.randint(50, (7, 3)), weft.randint(50, (21,))
    return net, lambda: F.cross_entropy(net(ids, state)[0].view(-1, 50), targets), weft.optim.SGD(net.parameters(), 0.1)


def trained(make, how=None, options=None):
    """The losses of ten steps; gradients, parameters and buffers after them."""
    weft.manual_seed(0)
    net, loss_of, optimizer = make()

    def step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.detach()
    run = step if how is None else how(step, **options)
    losses = [run() for _ in range(10)]
    return [*losses, *[p.grad for p in net.parameters()], *net.state_dict().values()], run


@pytest.mark.parametrize("make", [cnn, resnet, gpt, language_model])
@pytest.mark.parametrize("way", WAYS)
def test_a_network_is_trained_to_the_very_same_bits(make, way):
    how, options = WAYS[way]
    plain, _ = trained(make)
    found, run = trained(make, how, options)
    assert len(plain) == len(found) and all(map(weft.equal, plain, found)), run.explain()
    assert run.plans() and not run.breaks, run.explain()


STEPS = {"mlp": (rows_models.mlp_step, True), "cell loop": (rows_capture.cell_loop, False),
         "tagger": (lambda T: rows_models.tagger(T, 2, 8, 50, 12, 6), False),
         "trees": (lambda T: rows_models.tree_lstm(T, 2, 5, 12, 12), True),
         "chain": (rows_capture.chain, True)}


@pytest.mark.parametrize("name", STEPS)
def test_a_small_step_of_the_benchmarks_gives_the_same(name):
    make, to_the_bit = STEPS[name]
    results = []
    for how in (lambda step: step, weft.jit.capture):
        weft.manual_seed(0)
        run = how(make(weft))
        cells = [cell.cell_contents for cell in (run.function if how is weft.jit.capture else run).__closure__ or ()]
        params = [p for held in cells if isinstance(held, list) for p in held
                  if isinstance(p, weft.Tensor) and p.requires_grad]
        made = [run() for _ in range(10)]
        made = [t for one in made for t in (one if isinstance(one, list) else [one]) if t is not None]
        results.append([*[t.detach().clone() for t in made], *[p.detach() for p in params], *[p.grad for p in params]])
    assert len(results[0]) == len(results[1]) > 0 and run.plans()
    for a, b in zip(*results, strict=True):
        assert weft.equal(a, b) if to_the_bit else weft.allclose(a, b, rtol=1e-5, atol=1e-6)
