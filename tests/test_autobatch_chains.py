"""Chains of elementwise ops inside `autobatch` (batching/chain.py): as the loop, whatever they are made of."""
import numpy as np
import pytest
from test_autobatch_programs import check

import weft
from weft import autobatch, nn
from weft.batching import chain, kinds, links

native = pytest.mark.skipif(not kinds.CHAINS, reason="needs the kernels")


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Rows of any width may be in chains."""
    monkeypatch.setattr(links, "NARROWEST", 1)
    for known in (kinds.KINDS, kinds.LEADERS, chain.PLANS):
        known.clear()
    yield
    kinds.KINDS.clear()
    kinds.LEADERS.clear()


def new(*shape, seed=0, dtype=np.float64, grad=True):
    made = weft.tensor((np.random.default_rng(seed).standard_normal(shape) * 0.5).astype(dtype))
    return made.requires_grad_() if grad else made


def both(program, make, n=5):
    """What program(the shared tensors, an example's own row) gives, looped and batched: losses and gradients."""
    found = []
    for inside in (False, True):
        shared, own, w = make(), [new(1, 6, seed=10 + k, grad=False) for k in range(n)], new(6, 6, seed=5)
        region = autobatch(always=True)
        if inside:
            region.__enter__()
        made = [program(shared, x @ w) for x in own]
        weft.stack([t.sum() for t in made]).sum().backward()
        if inside:
            region.__exit__(None, None, None)
        found.append([t.detach().numpy() for t in made] + [t.grad for t in (*shared, w)])
    for mine, theirs in zip(*found, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(np.asarray(theirs), np.asarray(mine), rtol=1e-9, atol=1e-12)
    return region.report()


CELLS = {
    "loops": lambda p, x: ((x + p[0]).tanh() * x.sigmoid() - x).relu() * (x * x).exp(),
    "numbers": lambda p, x: (1 - (2 * x - 0.5) / 4).sigmoid() * (3 / (x * x + 1)) + (1 + -x),
    "quotients": lambda p, x: (x * 2).exp() / (p[0].exp() + 1) / (x.sigmoid() + x.tanh().square()),
    "activations": lambda p, x: nn.functional.gelu(x * 2) + nn.functional.logsigmoid(x + p[0]) * (x * 1).square(),
    "pieces": lambda p, x: gates(x + p[0], x),
    "pieces of what is given": lambda p, x: gates((x @ p[1]), x),
    "a piece left out": lambda p, x: (lambda a, b, c: a.sigmoid() * c)(*(x + p[0]).chunk(3, 1)),
    "what is cut is used whole, too": lambda p, x: weft.cat([(x + p[0]).tanh(), *(x + p[0]).tanh().chunk(2, 1)], 1),
    "another shape": lambda p, x: (x + p[2]).tanh() * p[2],
}


def gates(s, x):
    a, b, c = s.chunk(3, 1)
    return (a.sigmoid() * b.tanh() + c * a) @ weft.ones(2, 1, dtype=s.dtype) + x.sum()


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_cells(cell):
    both(cell, lambda: [new(1, 6), new(6, 6, seed=1), new(6, seed=2)])


@native
def test_a_chain_runs_in_one_pass():
    both(CELLS["loops"], lambda: [new(1, 6)])
    (plan,) = chain.PLANS.values()
    assert [link.name for link in plan.links] == "add tanh sigmoid mul sub relu mul exp mul".split()
    assert len(plan.far) == 1 and len(plan.forwards) == len(plan.backwards) == 1


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_random_programs(start):
    for seed in range(start, start + 20):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 500))
def test_many_random_programs(start):
    for seed in range(start, start + 500):
        check(seed)


def batch(p, n=4, keep=False):
    """(losses, middles) of n examples of one chain."""
    with autobatch(always=True):
        middles = [(new(1, 6, seed=k, grad=False) * p).tanh() for k in range(n)]
        losses = [(m.sigmoid() * p * 3).sum() for m in middles]
        weft.stack(losses).sum().backward(retain_graph=keep)
    return losses, middles


def test_what_the_program_holds_has_its_values():
    p = new(1, 6, seed=9)
    losses, middles = batch(p)
    for k, m in enumerate(middles):
        np.testing.assert_allclose(m.detach().numpy(), np.tanh(new(1, 6, seed=k).detach().numpy() * p.detach().numpy()))
        assert m.requires_grad and m.grad_fn is not None
    expected = p.grad.clone()
    p.grad = None
    sum([((new(1, 6, seed=k, grad=False) * p).tanh().sigmoid() * p * 3).sum() for k in range(4)]).backward()
    np.testing.assert_allclose(expected.numpy(), p.grad.numpy(), rtol=1e-12)


def test_a_second_backward():
    p = new(1, 6)
    with autobatch(always=True):
        loss = weft.stack([(new(1, 6, seed=k, grad=False) * p).tanh().sum() for k in range(4)]).sum()
        loss.backward(retain_graph=True)
        first = p.grad.clone()
        loss.backward()
    np.testing.assert_allclose(p.grad.numpy(), 2 * first.numpy())
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_losses_one_after_the_other():
    p, q = new(1, 6), new(1, 6)
    with autobatch(always=True):
        losses = [((new(1, 6, seed=k, grad=False) * p).tanh() * p).sum() for k in range(4)]
        both_of = [losses[0] + losses[1], losses[2] + losses[3]]
    for k, loss in enumerate(both_of):
        loss.backward(retain_graph=k == 0)
    for k in range(4):
        ((new(1, 6, seed=k, grad=False) * q).tanh() * q).sum().backward()
    np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-12)


def test_second_derivatives():
    found = []
    for inside in (False, True):
        p = new(1, 6)
        region = autobatch(always=True)
        if inside:
            region.__enter__()
        loss = weft.stack([((new(1, 6, seed=k, grad=False) * p).tanh() * p.sigmoid()).sum() for k in range(4)]).sum()
        (grad,) = weft.autograd.grad(loss, p, create_graph=True)
        grad.square().sum().backward()
        if inside:
            region.__exit__(None, None, None)
        found.append(p.grad.numpy())
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_what_all_share_is_overwritten_before_the_backward():
    """The batch has its own copy of what it needs."""
    p, w, x = new(100, 60, grad=False), new(60, 60, seed=1), [new(1, 60, seed=k, grad=False) for k in range(3)]
    before = p.clone()
    with autobatch(always=True):
        loss = weft.stack([((a @ w * p[:1]).tanh() * p[:1]).sum() for a in x]).sum()
        loss.item()
        p.zero_()
        loss.backward()
    (expected,) = weft.autograd.grad(sum([((a @ w * before[:1]).tanh() * before[:1]).sum() for a in x]), w)
    np.testing.assert_allclose(w.grad.numpy(), expected.numpy(), rtol=1e-9)


def test_without_a_graph_and_in_single_precision():
    x = [new(1, 40, seed=k, dtype=np.float32, grad=False) for k in range(3)]
    with autobatch(always=True), weft.no_grad():
        made = [((a + 1).tanh() * a - 0.5).relu() for a in x]
    for a, b in zip(x, made):
        np.testing.assert_array_equal(b.numpy(), ((a + 1).tanh() * a - 0.5).relu().numpy())
        assert not b.requires_grad


def test_chains_of_unequal_length():
    """Where no chain is like another one its ops are batched one by one."""
    lengths = []

    def program(shared, x):
        lengths.append(len(lengths) % 8)
        for _ in range(lengths[-1]):
            x = (x * shared[0]).tanh()
        return x
    assert both(program, lambda: [new(1, 6)], 8).batched_share > 0.7
