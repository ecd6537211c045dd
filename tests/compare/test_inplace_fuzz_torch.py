"""Random programs of views, in-place writes and detaching: where PyTorch gives gradients, weft gives the same ones."""
import random

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")


def view_of(r, shape):
    """A random view, as a function that works for both libraries; None when the shape allows none."""
    kind = r.choice(["slice", "select", "transpose", "unsqueeze", "flatten", "diagonal", "expand", "chunk", "step",
                     "squeeze", "permute"])
    d = r.randrange(len(shape)) if shape else 0
    if kind == "unsqueeze":
        return lambda t, x: x.unsqueeze(d)
    if kind == "squeeze":
        return lambda t, x: x.squeeze()
    if not shape:
        return None
    n = shape[d]
    if kind == "slice":
        a = r.randrange(n)
        b = r.randrange(a + 1, n + 1)
        return lambda t, x: x.narrow(d, a, b - a)
    if kind == "step":
        return lambda t, x: x[::2]
    if kind == "select":
        i = r.randrange(n)
        return lambda t, x: x.select(d, i)
    if kind == "transpose":
        e = r.randrange(len(shape))
        return lambda t, x: x.transpose(d, e)
    if kind == "permute":
        order = r.sample(range(len(shape)), len(shape))
        return lambda t, x: x.permute(order)
    if kind == "flatten":
        return lambda t, x: x.view(-1)
    if kind == "diagonal" and len(shape) > 1:
        return lambda t, x: x.diagonal(0, 0, 1)
    if kind == "expand":
        return lambda t, x: x.expand(2, *shape)
    if kind == "chunk" and n > 1:
        return lambda t, x: x.chunk(2, d)[1]
    return None


def write_to(r, shape, n):
    """A random in-place write."""
    kind = r.choice(["scale", "add", "mul", "copy", "item", "zero", "exp", "relu", "nograd", "addcmul", "fill", "set"])
    k = r.randrange(n)
    c = r.choice([0.5, 2.0, -1.0])
    if kind == "scale":
        return lambda t, xs, x: x.mul_(c)
    if kind == "add":
        return lambda t, xs, x: x.add_(xs[k], alpha=c)
    if kind == "mul":
        return lambda t, xs, x: x.mul_(xs[k])
    if kind == "copy":
        return lambda t, xs, x: x.copy_(xs[k])
    if kind == "zero":
        return lambda t, xs, x: x.zero_()
    if kind == "fill":
        return lambda t, xs, x: x.fill_(c)
    if kind == "exp":
        return lambda t, xs, x: x.mul_(0.1).exp_()
    if kind == "relu":
        return lambda t, xs, x: x.relu_()
    if kind == "addcmul":
        return lambda t, xs, x: x.addcmul_(xs[k].clone(), xs[k].clone(), value=c)
    if kind == "item" and shape:
        i = r.randrange(shape[0])
        return lambda t, xs, x: x.__setitem__(i, xs[k].sum())
    if kind == "set" and shape:
        return lambda t, xs, x: x.__setitem__(slice(0, 1), c)
    if kind == "nograd":
        return _without_grad
    return lambda t, xs, x: x.sub_(c)


def _without_grad(t, xs, x):
    with t.no_grad():
        x.add_(1)


def step(r, shapes):
    """One random step (function, whether it makes a new tensor)."""
    k = r.randrange(len(shapes))
    kind = r.choice(["view", "view", "view", "write", "write", "write", "op", "detach", "nograd view"])
    if kind in ("view", "nograd view"):
        f = view_of(r, shapes[k])
        if f is None:
            return None
        if kind == "nograd view" and r.random() < 0.3:
            return lambda t, xs: _made_without_grad(t, f, xs[k])
        return lambda t, xs: f(t, xs[k])
    if kind == "write":
        f = write_to(r, shapes[k], len(shapes))
        return lambda t, xs: _written(f, t, xs, xs[k])
    if kind == "detach" and r.random() < 0.3:
        return lambda t, xs: xs[k].detach()
    j, c = r.randrange(len(shapes)), r.choice([0.5, 2.0])
    return r.choice([lambda t, xs: xs[k] * c, lambda t, xs: xs[k] + xs[j], lambda t, xs: xs[k] * xs[j], lambda t,
                     xs: xs[k].sum(), lambda t, xs: xs[k].clone()])


def _written(f, t, xs, x):
    if any(n > 1 and step == 0 for n, step in zip(x.shape, x.stride())):
        raise ValueError("expanded: PyTorch lets some writes through, weft none")
    f(t, xs, x)


def _made_without_grad(t, f, x):
    with t.no_grad():
        return f(t, x)


def starts(t):
    a = t.tensor((np.arange(12) / 8 - 1).reshape(3, 4).tolist(), dtype=t.float64, requires_grad=True)
    b = t.tensor([0.5, 1.25, 2.0], dtype=t.float64, requires_grad=True)
    c = t.tensor([1.0, 1.25, 1.5, 2.0], dtype=t.float64)
    return [a, b, c, a * 2, t.zeros(2, 3, dtype=t.float64), b.clone()]


def finish(t, xs):
    """First and second derivatives of a sum of everything."""
    a, b = xs[:2]
    total = t.zeros((), dtype=t.float64)
    for i, x in enumerate(xs):
        total = total + (x * x * (i + 1)).sum()
    first = t.autograd.grad(total, [a, b], allow_unused=True, create_graph=True)
    norm = t.zeros((), dtype=t.float64)
    for g in first:
        norm = norm if g is None else norm + (g * g).sum()
    second = t.autograd.grad(norm, [a, b], allow_unused=True) if norm.requires_grad else ()
    return [*first, *second]


def run_both(seed, n_steps=14):
    """Build the program on PyTorch, leaving out steps that it refuses, and follow it on weft."""
    r = random.Random(seed)
    theirs, ours = starts(torch), starts(weft)
    for _ in range(n_steps):
        f = step(r, [tuple(x.shape) for x in theirs])
        if f is None:
            continue
        try:
            made = f(torch, theirs)
        except (RuntimeError, IndexError, ValueError):
            continue
        mine = f(weft, ours)
        if made is not None and made.numel() and made.dim() <= 4:
            theirs.append(made)
            ours.append(mine)
    for x, y in zip(theirs, ours, strict=True):
        assert np.allclose(x.detach().numpy(), y._array, equal_nan=True), "values differ"
    try:
        wanted = finish(torch, theirs)
    except RuntimeError:
        return False
    found = finish(weft, ours)
    for w, g in zip(wanted, found):
        assert (w is None) == (g is None) or w is None or not w.abs().sum(), (w, g)
        if w is not None and g is not None:
            assert np.allclose(w.detach().numpy(), g._array, rtol=1e-6, atol=1e-9, equal_nan=True), (w, g._array)
    return True


@pytest.mark.parametrize("block", range(8))
def test_random_programs(block):
    done = 0
    for seed in range(block * 30, block * 30 + 30):
        try:
            done += run_both(seed)
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
    assert done > 5
