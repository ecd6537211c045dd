"""Kernels of small steps: margins, triangles, losses of log-probabilities; and einsum's known equations."""
import itertools

import numpy as np
import pytest

import weft
from weft.kernels import fast

TYPES = [np.float32, np.float64, np.int64, np.uint8, np.complex64, np.bool_, np.float16]


def arrays():
    """Some arrays of each type, not all in one piece."""
    rng = np.random.default_rng(0)
    for kind in TYPES:
        a = (rng.standard_normal((3, 4, 5)) * 3).astype(kind)
        yield from (a, a.transpose(2, 0, 1), a[::2, 1:, ::-1], a[:, :, 0], a[0:0], a[0],
                    np.broadcast_to(a[:1], (2, 4, 5)))


def test_triangles_are_numpys():
    for a in arrays():
        for k in (-9, -1, 0, 2, 2**62, -2**62):
            for lower in (True, False):
                made = fast.triangle(a, k, lower)
                if made is not None:
                    near = max(-20, min(20, k))
                    np.testing.assert_array_equal(made, (np.tril if lower else np.triu)(a, near))
    assert weft.tril(weft.ones(2, 2)).tolist() == [[1, 0], [1, 1]]


def test_margins_are_numpys():
    for a in arrays():
        for pads in itertools.product(((0, 0), (1, 2), (-1, 1), (0, -1)), repeat=a.ndim):
            if any(n + min(b, 0) + min(c, 0) < 0 for n, (b, c) in zip(a.shape, pads)):
                assert fast.padded(a, [b for b, _ in pads], [c for _, c in pads], 0) is None
                continue
            kept = a[tuple([slice(max(-b, 0), n - max(-c, 0)) for n, (b, c) in zip(a.shape, pads)])]
            wide = [(max(b, 0), max(c, 0)) for b, c in pads]
            for value in (0, 2):
                made = fast.padded(a, [b for b, _ in pads], [c for _, c in pads], value)
                if made is not None:
                    np.testing.assert_array_equal(made, np.pad(kept, wide, constant_values=value))
    if fast.lib is not None:
        a = np.ones((2, 3), np.float32)
        assert fast.padded(a, [2**40, 0], [0, 0], 0) is None and fast.padded(a, [0], [0], 0) is None
        assert fast.padded(a, [-2**62, 0], [2**62, 0], 0) is None
        assert np.isnan(fast.padded(a, [1, 0], [0, 0], float("nan"))[0]).all()
        assert fast.padded(a.astype(np.int64), [1, 0], [0, 0], 1.5) is None


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5,), (6, 4), (3, 4, 5), (2, 3, 4, 2), (40, 1)])
def test_losses_of_log_probabilities(shape, kind):
    rng = np.random.default_rng(1)
    classes = shape[0] if len(shape) == 1 else shape[1]
    x = rng.standard_normal(shape).astype(kind)
    target = rng.integers(0, classes, () if len(shape) == 1 else (shape[0], *shape[2:]))
    for weighted, ignore, reduction in itertools.product((False, True), (-100, 0), ("none", "mean", "sum")):
        weight = rng.random(classes).astype(kind) + kind(0.1) if weighted else None
        a = weft.tensor(x, requires_grad=True)
        loss = weft.nn.functional.nll_loss(a, weft.tensor(target), None if weight is None else weft.tensor(weight),
                                           ignore_index=ignore, reduction=reduction)
        chosen = -np.take_along_axis(x.astype(np.float64), np.expand_dims(target, 1 if len(shape) > 1 else 0),
                                     1 if len(shape) > 1 else 0).reshape(target.shape)
        each = np.where(target == ignore, 0, 1.0 if weight is None else weight.astype(np.float64)[target])
        with np.errstate(invalid="ignore"):         # a mean over nothing is NaN
            expected = chosen * each if reduction == "none" else (chosen * each).sum() / (
                each.sum() if reduction == "mean" else 1)
        np.testing.assert_allclose(loss.detach().numpy(), expected, rtol=1e-5 if kind is np.float32 else 1e-12)
        if each.sum() > 0:
            loss.sum().backward()
            np.testing.assert_allclose(a.grad.numpy().sum(), -(each.sum() if reduction != "mean" else 1),
                                       rtol=1e-5 if kind is np.float32 else 1e-12)
            assert np.count_nonzero(a.grad.numpy()) == np.count_nonzero(each)


def test_a_class_that_is_not_there_is_named_by_the_loss():
    with pytest.raises(IndexError, match="Target 4 is out of bounds"):
        weft.nn.functional.nll_loss(weft.randn(3, 4), weft.tensor([0, 4, 1]))


def test_known_equations_are_those_of_their_shapes():
    rng = np.random.default_rng(2)
    for _ in range(3):
        for equation, shapes in (("bij,bkj->bik", ((2, 3, 4), (2, 5, 4))), ("bij,bkj->bik", ((2, 3, 4), (1, 5, 4))),
                                 ("ii->i", ((3, 3),)), ("...i,i", ((2, 3), (3,))),
                                 ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 5))),
                                 ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)), ("i,j->ij", ((2,), (3,)))):
            given = [rng.standard_normal(shape) for shape in shapes]
            np.testing.assert_allclose(weft.einsum(equation, *map(weft.tensor, given)).numpy(),
                                       np.einsum(equation, *given), rtol=1e-12)
    with pytest.raises(RuntimeError, match="does not broadcast"):
        weft.einsum("bij,bkj->bik", weft.ones(2, 3, 4), weft.ones(2, 5, 6))
