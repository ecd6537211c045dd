"""The CTC loss: the kernel against its reference and against all alignments counted one by one; gradients, lengths,
errors.
"""
import itertools
import math

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.nn import functional as F


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def probabilities(t, n, c, dtype="float64", seed=0):
    return log_softmax(np.random.default_rng(seed).standard_normal((t, n, c)) * 2).astype(dtype)


def counted(log_probs, target, blank):
    """The loss of one sample (T, C): the sum over every path that reads as the target."""
    total = 0.0
    for path in itertools.product(range(log_probs.shape[1]), repeat=len(log_probs)):
        read = [k for k, _ in itertools.groupby(path) if k != blank]
        if read == list(target):
            total += math.exp(sum(log_probs[t, k] for t, k in enumerate(path)))
    return -math.log(total) if total else math.inf


@pytest.mark.parametrize("target, blank", [((1, 2), 0), ((1, 1), 0), ((), 0), ((2,), 1), ((0, 0, 2), 1),
                                           ((1, 2, 1, 2), 0), ((1, 1, 1), 0)])
def test_all_alignments(target, blank):
    probs = probabilities(4, 1, 3)
    loss = F.ctc_loss(weft.from_numpy(probs), weft.tensor([target], dtype=weft.int64).reshape(1, -1), (4,),
                      (len(target),), blank, "none")
    np.testing.assert_allclose(loss.item(), counted(probs[:, 0], target, blank), rtol=1e-12)


def run(probs, targets, steps, lengths, blank=0, reduction="none", zero_infinity=False):
    x = weft.from_numpy(probs.copy()).requires_grad_()
    loss = F.ctc_loss(x, targets, steps, lengths, blank, reduction, zero_infinity)
    weights = weft.from_numpy(np.cos(np.arange(loss.numel())).reshape(loss.shape).astype(probs.dtype))
    with weft.no_grad():
        assert (weft.equal(loss, F.ctc_loss(x, targets, steps, lengths, blank, reduction, zero_infinity))
                or bool(loss.isnan().any()))
    return loss.detach().numpy(), weft.autograd.grad((loss * weights).sum(), x)[0].numpy()


CASES = [(1, 1, 1, 0), (1, 1, 2, 1), (3, 2, 5, 1), (7, 1, 3, 2), (8, 9, 8, 3), (9, 3, 33, 4), (31, 2, 4, 7),
         (33, 5, 9, 8), (100, 4, 31, 33), (50, 20, 7, 20)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("t, n, c, s", CASES)
def test_kernel_is_the_reference(t, n, c, s, dtype, monkeypatch):
    draw = np.random.default_rng(t * 100 + s)
    probs = probabilities(t, n, c, dtype, seed=s)
    blank = int(draw.integers(0, c))
    targets = weft.from_numpy(draw.integers(0, c, (n, s)))
    steps, lengths = weft.from_numpy(draw.integers(0, t + 1, n)), weft.from_numpy(draw.integers(0, s + 1, n))
    for zero_infinity in (False, True):
        got = run(probs, targets, steps, lengths, blank, "none", zero_infinity)
        with monkeypatch.context() as patch:
            for name in ("ctc", "ctc_grad"):
                patch.setattr(fast, name, lambda *_: None, raising=False)
            want = run(probs, targets, steps, lengths, blank, "none", zero_infinity)
        tolerance = 5e-4 if dtype == "float32" else 1e-11       # logarithms of some hundreds lose digits
        for a, b in zip(got, want):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_threads_give_the_same():
    probs = probabilities(60, 40, 20, "float32")
    targets = weft.from_numpy(np.random.default_rng(0).integers(1, 20, (40, 15)))
    had, found = weft.get_num_threads(), []
    try:
        for threads in (1, 2, 4):
            weft.set_num_threads(threads)
            found.append(run(probs, targets, (60,) * 40, (15,) * 40))
    finally:
        weft.set_num_threads(had)
    for other in found[1:]:
        for a, b in zip(found[0], other):
            np.testing.assert_array_equal(a, b)


def test_gradient_through_log_softmax():
    x = weft.from_numpy(np.random.default_rng(0).standard_normal((6, 2, 4))).requires_grad_()
    targets = weft.tensor([[1, 2, 2], [3, 1, 0]])
    for reduction in ("none", "mean", "sum"):
        assert weft.autograd.gradcheck(lambda x, r=reduction: F.ctc_loss(x.log_softmax(-1), targets, (6, 5), (3, 2), 0,
                                                                         r), (x,))


def test_forms_of_targets():
    probs = weft.from_numpy(probabilities(8, 3, 5))
    padded = weft.tensor([[1, 2, 3], [4, 4, 0], [2, 0, 0]])
    want = F.ctc_loss(probs, padded, (8, 7, 6), (3, 2, 1), reduction="none")
    assert weft.equal(want, F.ctc_loss(probs, weft.tensor([1, 2, 3, 4, 4, 2]), (8, 7, 6), (3, 2, 1), reduction="none"))
    assert weft.equal(want, F.ctc_loss(probs, padded.int(), weft.tensor([8, 7, 6]), weft.tensor([3, 2, 1]),
                                       reduction="none"))
    assert weft.equal(want, weft.ctc_loss(probs, padded, (8, 7, 6), (3, 2, 1), 0, 0))
    assert weft.equal(want.sum(), weft.ctc_loss(probs, padded, (8, 7, 6), (3, 2, 1), 0, 2))
    assert weft.allclose((want / weft.tensor([3.0, 2.0, 1.0])).mean(),
                         weft.ctc_loss(probs, padded, (8, 7, 6), (3, 2, 1), 0, 1))
    wild = weft.tensor([[1, 2, 3], [4, 4, 99], [2, -7, 99]])       # beyond the lengths anything may stand
    assert weft.equal(want, F.ctc_loss(probs, wild, (8, 7, 6), (3, 2, 1), reduction="none"))
    alone = F.ctc_loss(probs[:, 0], weft.tensor([1, 2, 3]), weft.tensor(8), weft.tensor(3), reduction="none")
    assert alone.shape == () and weft.equal(alone, want[0])


def test_what_cannot_be_aligned():
    probs = weft.from_numpy(probabilities(2, 2, 4)).requires_grad_()
    targets, steps, lengths = weft.tensor([[1, 1], [1, 2]]), (2, 2), (2, 2)      # 1 1 needs a blank between
    assert F.ctc_loss(probs, targets, steps, lengths, reduction="none")[0].item() == math.inf
    F.ctc_loss(probs, targets, steps, lengths, reduction="sum").backward()
    assert np.isnan(probs.grad.numpy()[:, 0]).all() and np.isfinite(probs.grad.numpy()[:, 1]).all()
    probs.grad = None
    loss = F.ctc_loss(probs, targets, steps, lengths, reduction="none", zero_infinity=True)
    assert loss[0].item() == 0
    loss.sum().backward()
    assert (probs.grad.numpy()[:, 0] == 0).all() and np.isfinite(probs.grad.numpy()[:, 1]).all()


def test_no_second_derivative():
    x = weft.from_numpy(probabilities(4, 1, 3)).requires_grad_()
    grad, = weft.autograd.grad(F.ctc_loss(x, weft.tensor([[1]]), (4,), (1,)), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative"):
        weft.autograd.grad(grad.sum(), x)


P, TWO = (5, 2, 4), [[1, 2], [1, 1]]
ERRORS = [
    (RuntimeError, "sum of target_lengths", lambda p: F.ctc_loss(p, weft.tensor([1, 2]), (5, 5), (2, 1))),
    (RuntimeError, "at most 5", lambda p: F.ctc_loss(p, weft.tensor(TWO), (6, 5), (2, 2))),
    (RuntimeError, "size at least 3", lambda p: F.ctc_loss(p, weft.tensor(TWO), (5, 5), (3, 2))),
    (RuntimeError, "at least 0", lambda p: F.ctc_loss(p, weft.tensor(TWO), (5, 5), (-1, 2))),
    (RuntimeError, "at least 0", lambda p: F.ctc_loss(p, weft.tensor(TWO), (-1, 5), (1, 2))),
    (RuntimeError, "batch_size", lambda p: F.ctc_loss(p, weft.tensor(TWO), (5, 5, 5), (1, 2))),
    (RuntimeError, "blank must be in label range", lambda p: F.ctc_loss(p, weft.tensor(TWO), (5, 5), (2, 2), blank=4)),
    (RuntimeError, "size 2 at dimension 0", lambda p: F.ctc_loss(p, weft.tensor([[1, 2]]), (5, 5), (1, 2))),
    (RuntimeError, "labels from 0 to 3", lambda p: F.ctc_loss(p, weft.tensor([[1, 9], [1, 1]]), (5, 5), (2, 2))),
    (RuntimeError, "must be integral", lambda p: F.ctc_loss(p, weft.tensor(TWO), weft.tensor([5.0, 5.0]),
                                                            weft.tensor([2, 2]))),
    (RuntimeError, "must not be empty", lambda p: F.ctc_loss(p[:, :0], weft.zeros(0, 2).long(), (), ())),
    (RuntimeError, "3-dimensional", lambda p: F.ctc_loss(p[None], weft.tensor(TWO), (5, 5), (2, 2))),
    (TypeError, "tuple of ints", lambda p: F.ctc_loss(p[:, 0], weft.tensor([1, 2]), 5, 2)),
    (ValueError, "x is not a valid value for reduction", lambda p: F.ctc_loss(p, weft.tensor(TWO), (5, 5), (2, 2),
                                                                              reduction="x")),
    (NotImplementedError, "not implemented for", lambda p: F.ctc_loss(p.half(), weft.tensor(TWO), (5, 5), (2, 2)))]


@pytest.mark.parametrize("kind, text, call", ERRORS)
def test_errors(kind, text, call):
    with pytest.raises(kind, match=text):
        call(weft.from_numpy(probabilities(*P)))


def test_kernel_refuses_wild_labels():
    if fast.lib is None:
        pytest.skip("there are no kernels here")
    probs, steps, lengths = probabilities(5, 2, 4), np.array([5, 5]), np.array([2, 2])
    assert fast.ctc(probs, np.array([[1, 2], [3, 4]]), steps, lengths, 0, True) is None
    assert fast.ctc(probs, np.array([[1, 2], [3, 3]]), steps + 1, lengths, 0, True) is None
    assert fast.ctc(probs, np.array([[1, 2], [3, 3]]), steps, lengths + 1, 0, True) is None
    assert fast.ctc(probs, np.array([[1, 2], [3, 3]]), steps, lengths, 4, True) is None
    loss, alpha = fast.ctc(probs, np.array([[1, 2], [3, 3]]), steps, lengths, 0, True)
    assert fast.ctc_grad(loss, probs, np.array([[1, 2], [3, 3]]), steps, lengths, loss, alpha[:1].copy(), 0,
                         False) is None
