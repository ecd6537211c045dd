"""Pooling, CTC and the margin losses against PyTorch: values, indices, gradients and the types of errors, for drawn
arguments.
"""
import random
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
warnings.filterwarnings("ignore", category=UserWarning)


def array(draw, shape, dtype, kind):
    if kind == "normal":
        made = draw.standard_normal(shape)
    elif kind == "inf":
        made = np.where(draw.random(shape) < 0.7, -np.inf, draw.standard_normal(shape))
    else:
        made = draw.integers(-2, 3, shape).astype(float)
        if kind == "nan":
            made = np.where(draw.random(shape) < 0.2, np.nan, made)
    return made.astype(dtype)


def window(rand, size):
    """Arguments of max_pool and avg_pool."""
    kernel = (tuple(rand.randint(1, min(20, n)) for n in size) if rand.random() < 0.2
              else tuple(rand.randint(1, 4) for _ in size))
    stride = rand.choice([None, 1, 2, 3, tuple(rand.randint(1, 3) for _ in size)])
    return kernel, stride, tuple(rand.randint(0, k // 2) for k in kernel)


def call_of(rand, dims, size):
    """One drawn call of a pooling function, as a function of the library and its input."""
    family = rand.choice(("max", "avg", "adaptive_max", "adaptive_avg", "lp"))
    name, indices = f"{family}_pool{dims}d", rand.random() < 0.4
    kernel, stride, padding = window(rand, size)
    ceil_mode, counted = rand.random() < 0.4, rand.random() < 0.5
    out = tuple(rand.randint(0 if rand.random() < 0.05 else 1, 9) for _ in size)
    divisor = {"divisor_override": rand.choice([None, 3])} if dims > 1 else {}
    return {
        "max": lambda t, x: getattr(t.nn.functional, name)(x, kernel, stride, padding, 1, ceil_mode,
                                                           return_indices=indices),
        "avg": lambda t, x: getattr(t.nn.functional, name)(x, kernel, stride, padding, ceil_mode, counted, **divisor),
        "adaptive_max": lambda t, x: getattr(t.nn.functional, name)(x, out, return_indices=indices),
        "adaptive_avg": lambda t, x: getattr(t.nn.functional, name)(x, out),
        "lp": lambda t, x: getattr(t.nn.functional, name)(x, 2, kernel if dims > 1 else kernel[0], stride,
                                                          ceil_mode)}[family], family


def outcome(t, call, x, weights):
    """What a call gives: (values, gradient, indices), or the type of its error."""
    try:
        found = call(t, x)
    except Exception as error:
        return type(error)
    value, *index = found if isinstance(found, tuple) else (found,)
    if not x.requires_grad:
        return [value.detach().numpy(), *[i.numpy() for i in index]]
    grad = t.from_numpy(np.resize(weights, tuple(value.shape)).astype(value.detach().numpy().dtype))
    try:
        return [value.detach().numpy(), t.autograd.grad(value, x, grad)[0].numpy(), *[i.numpy() for i in index]]
    except RuntimeError:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_pools(seed):
    rand, draw = random.Random(seed), np.random.default_rng(seed)
    weights = draw.standard_normal(997)
    for _ in range(10):
        dims, dtype, kind = rand.choice((1, 2, 2, 3)), rand.choice(("float32",
                                                                    "float64")), rand.choice(("normal", "normal",
                                                                                              "ties", "nan", "inf"))
        size = tuple(rand.randint(1, (0, 70, 40, 12)[dims]) for _ in range(dims))
        x = array(draw, rand.choice([(2,), (1, 3), (2, 3), (0, 2)]) + size, dtype, kind)
        (call, family), wanted = call_of(rand, dims, size), rand.random() < 0.8
        if family == "lp" and kind in ("inf", "nan"):
            continue
        results = [outcome(t, call, t.tensor(x.tolist(),
                                             dtype=getattr(t, dtype)).reshape(x.shape).requires_grad_(wanted), weights)
                   for t in (weft, torch)]
        if isinstance(results[1], type):
            assert results[0] is results[1], (x.shape, results)
            continue
        if results[1] is None:
            continue        # PyTorch has no gradient there
        tolerance = 2e-5 if dtype == "float32" else 1e-11
        for ours, theirs in zip(*results, strict=True):
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dims, shape, size", [(2, (2, 3, 11, 13), (4, 5)), (2, (3, 9, 9), (4, 3)),
                                               (3, (1, 2, 8, 9, 7), (3, 4, 2))])
def test_fractional_pools(dims, shape, size):
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    found = []
    for t in (weft, torch):
        t.manual_seed(5)
        found.append([f.numpy() for f in getattr(t.nn.functional,
                                                 f"fractional_max_pool{dims}d")(t.from_numpy(x), 2, size,
                                                                                return_indices=True)])
    for ours, theirs in zip(*found):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("seed", range(20))
def test_ctc(seed):
    draw = np.random.default_rng(seed)
    t, n, c, s = (int(draw.integers(1, most)) for most in (40, 6, 30, 9))
    dtype, blank, zero_infinity = ("float32", "float64")[seed % 2], int(draw.integers(0, c)), seed % 5 == 0
    x = (draw.standard_normal((t, n, c)) * 3).astype(dtype)
    labels = [k for k in range(c) if k != blank] or [0]      # the blank is no label
    targets, steps, lengths = draw.choice(labels, (n, s)), draw.integers(seed % 3 > 0, t + 1,
                                                                         n), draw.integers(0, s + 1, n)
    weights = draw.standard_normal(n)
    found = []
    for lib in (weft, torch):
        leaf = lib.from_numpy(x.copy()).requires_grad_()
        loss = lib.nn.functional.ctc_loss(leaf.log_softmax(-1), lib.from_numpy(targets), lib.from_numpy(steps),
                                          lib.from_numpy(lengths), blank, "none", zero_infinity)
        grad, = lib.autograd.grad(loss, leaf, lib.from_numpy(weights.astype(dtype)))
        found.append((loss.detach().numpy(), grad.numpy()))
    tolerance = 2e-4 if dtype == "float32" else 1e-10
    for ours, theirs in zip(*found):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


LOSSES = [
    lambda t, a, b, c: t.nn.functional.hinge_embedding_loss(a, b.sign(), reduction="none"), lambda t, a, b,
    c: t.nn.functional.soft_margin_loss(a, b.detach().sign()), lambda t, a, b,
    c: t.nn.functional.margin_ranking_loss(a, b, c.sign(), 0.5), lambda t, a, b,
    c: t.nn.functional.cosine_embedding_loss(a, b, c[:, 0].sign(), 0.1), lambda t, a, b,
    c: t.nn.functional.triplet_margin_loss(a, b, c, swap=True, reduction="sum"), lambda t, a, b,
    c: t.nn.functional.triplet_margin_loss(a, b, c, p=1.5), lambda t, a, b,
    c: t.nn.functional.triplet_margin_with_distance_loss(a, b, c, reduction="none"), lambda t, a, b,
    c: t.nn.functional.multi_margin_loss(a, t.tensor([0, 3, 1, 2, 2]), p=2, weight=c[0].detach(), reduction="none"),
    lambda t, a, b, c: t.nn.functional.multilabel_margin_loss(a, t.tensor([[3, 0, -1, 1], [0, 1, 2, 3], [-1, 0, 0, 0],
                                                                           [2, 2, -1, -1], [1, -1, 3, 0]])), lambda t,
    a, b, c: t.nn.functional.multilabel_soft_margin_loss(a, (b.sign() + 1) / 2, c[0].detach())]


@pytest.mark.parametrize("loss", LOSSES)
def test_margin_losses(loss):
    arrays = [np.random.default_rng(seed).standard_normal((5, 4)) for seed in range(3)]
    found = []
    for t in (weft, torch):
        inputs = [t.from_numpy(a.copy()).requires_grad_() for a in arrays]
        value = loss(t, *inputs)
        found.append([value.detach().numpy(),
                      *[np.zeros(1) if g is None else g.numpy()
                        for g in t.autograd.grad(value.sum(), inputs, allow_unused=True)]])
    for ours, theirs in zip(*found, strict=True):
        if theirs.shape == (1,) or ours.shape == (1,):
            assert not theirs.any() and not ours.any()
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
