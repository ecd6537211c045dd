"""Losses with a margin, against loops written out; the reductions; errors."""
import math

import numpy as np
import pytest

import weft
from weft.nn import functional as F


def draw(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def signs(*shape):
    return np.where(draw(*shape, seed=9) > 0, 1.0, -1.0)


def hinge(x, y, margin=1.0):
    return np.where(y == 1, x, np.maximum(0, margin - x))


def cosine(a, b, y, margin=0.0):
    cos = (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))
    return np.where(y == 1, 1 - cos, np.maximum(0, cos - margin))


def triplet(a, p, n, margin=1.0, norm=2, swap=False):
    def far(u, v):
        return (np.abs(u - v + 1e-6) ** norm).sum(-1) ** (1 / norm)
    other = np.minimum(far(a, n), far(p, n)) if swap else far(a, n)
    return np.maximum(0, margin + far(a, p) - other)


def multi_margin(x, y, p=1, margin=1.0, weight=None):
    return np.array([sum(max(0, margin - row[c] + row[i]) ** p * (1 if weight is None else weight[c])
                         for i in range(len(row)) if i != c) / len(row)
                     for row, c in zip(x, y)])


def multilabel_margin(x, y):
    found = []
    for row, labels in zip(x, y):
        right = list(labels[:list(labels).index(-1)]) if -1 in labels else list(labels)
        found.append(sum(max(0, 1 - row[j] + row[i]) for j in right for i in range(len(row)) if i not in right)
                     / len(row))
    return np.array(found)


X, X2, X3 = draw(5, 4), draw(5, 4, seed=1), draw(5, 4, seed=2)
LABELS = np.array([[3, 0, -1, 1], [0, 1, 2, 3], [-1, 0, 0, 0], [2, 2, -1, -1], [1, -1, 3, 0]])
CASES = [
    ("hinge", lambda x, **k: F.hinge_embedding_loss(x, weft.from_numpy(signs(5, 4)), 1.5, **k),
     hinge(X, signs(5, 4), 1.5)),
    ("soft", lambda x, **k: F.soft_margin_loss(x, weft.from_numpy(signs(5, 4)), **k),
     np.log1p(np.exp(-X * signs(5, 4)))),
    ("ranking", lambda x, **k: F.margin_ranking_loss(x, weft.from_numpy(X2), weft.from_numpy(signs(5, 4)), 0.3, **k),
     np.maximum(0, -signs(5, 4) * (X - X2) + 0.3)),
    ("cosine", lambda x, **k: F.cosine_embedding_loss(x, weft.from_numpy(X2), weft.from_numpy(signs(5)), 0.2, **k),
     cosine(X, X2, signs(5), 0.2)),
    ("triplet", lambda x, **k: F.triplet_margin_loss(x, weft.from_numpy(X2), weft.from_numpy(X3), 1.3, **k),
     triplet(X, X2, X3, 1.3)),
    ("triplet swapped", lambda x, **k: F.triplet_margin_loss(x, weft.from_numpy(X2), weft.from_numpy(X3), 1.3, 1.0,
                                                             swap=True, **k), triplet(X, X2, X3, 1.3, 1, True)),
    ("triplet distance", lambda x, **k: F.triplet_margin_with_distance_loss(x, weft.from_numpy(X2),
                                                                            weft.from_numpy(X3), distance_function=lambda a, b: (a - b).abs().amax(-1), **k),
     np.maximum(0, 1 + np.abs(X - X2).max(-1) - np.abs(X - X3).max(-1))),
    ("multi margin", lambda x, **k: F.multi_margin_loss(x, weft.tensor([0, 3, 1, 2, 2]), **k),
     multi_margin(X, [0, 3, 1, 2, 2])),
    ("multi margin 2", lambda x, **k: F.multi_margin_loss(x, weft.tensor([0, 3, 1, 2, 2]), 2, 0.7,
                                                          weft.tensor([1.0, 2, 3, 4], dtype=weft.float64), **k),
     multi_margin(X, [0, 3, 1, 2, 2], 2, 0.7, [1, 2, 3, 4])),
    ("multilabel margin", lambda x, **k: F.multilabel_margin_loss(x, weft.from_numpy(LABELS), **k),
     multilabel_margin(X, LABELS)),
    ("multilabel soft", lambda x, **k: F.multilabel_soft_margin_loss(x, weft.from_numpy((signs(5, 4) + 1) / 2), **k),
     np.log1p(np.exp(-X * signs(5, 4))).mean(-1))]


@pytest.mark.parametrize("name, call, want", CASES, ids=[c[0] for c in CASES])
def test_losses(name, call, want):
    x = weft.from_numpy(X.copy())
    np.testing.assert_allclose(call(x, reduction="none").numpy(), want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(call(x).item(), want.mean(), rtol=1e-9)
    np.testing.assert_allclose(call(x, reduction="sum").item(), want.sum(), rtol=1e-9)
    assert weft.autograd.gradcheck(lambda t: call(t, reduction="none"), (x.requires_grad_(),))
    assert weft.autograd.gradgradcheck(lambda t: call(t, reduction="none"), (x,))
    with pytest.raises(ValueError, match="bad is not a valid value for reduction"):
        call(x, reduction="bad")


@pytest.mark.parametrize("options, want", [(dict(reduce=False), "none"), (dict(size_average=False), "sum"),
                                           (dict(size_average=True), "mean"), (dict(reduce=True), "mean")])
def test_arguments_of_old(options, want):
    x, y = weft.from_numpy(X.copy()), weft.from_numpy(signs(5, 4))
    with pytest.warns(UserWarning, match=f"reduction='{want}'"):
        got = F.hinge_embedding_loss(x, y, **options)
    assert weft.equal(got, F.hinge_embedding_loss(x, y, reduction=want))


def test_functions_of_the_main_module_count_their_reductions():
    x, y, z, s = (weft.from_numpy(a) for a in (X, X2, X3, signs(5)))
    assert weft.equal(weft.hinge_embedding_loss(x, y, 1.0, 2), F.hinge_embedding_loss(x, y, reduction="sum"))
    assert weft.equal(weft.margin_ranking_loss(x, y, z, 0.0, 0), F.margin_ranking_loss(x, y, z, reduction="none"))
    assert weft.equal(weft.cosine_embedding_loss(x, y, s, 0.1, 1), F.cosine_embedding_loss(x, y, s, 0.1))
    assert weft.equal(weft.triplet_margin_loss(x, y, z), F.triplet_margin_loss(x, y, z, reduction="none"))


def test_functions_of_the_main_module_reduce_nothing_unless_asked():
    """PyTorch's own do so, whatever the schema says."""
    x, y, s = (weft.from_numpy(a) for a in (X, X2, signs(5)))
    assert weft.margin_ranking_loss(x, y, x).shape == weft.hinge_embedding_loss(x, y).shape == X.shape
    assert weft.cosine_embedding_loss(x, y, s).shape == (5,)


def test_a_hinge_of_integers_has_their_type():
    x, y = weft.tensor([1, 2]), weft.tensor([1, -1])
    assert F.hinge_embedding_loss(x, y, reduction="none").dtype is weft.int64
    assert F.hinge_embedding_loss(x, y, 3.9, reduction="none").tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="mean"):
        F.hinge_embedding_loss(x, y)


@pytest.mark.parametrize("kind", ["int64", "bool", "float64"])
def test_a_binary_target_of_another_type_is_refused(kind):
    target = weft.ones(4).to(getattr(weft, kind))
    with pytest.raises(RuntimeError, match="but expected Float"):
        F.binary_cross_entropy(weft.full((4,), 0.5), target)
    if kind != "float64":
        with pytest.raises(RuntimeError, match="can't be cast"):
            F.binary_cross_entropy_with_logits(weft.ones(4), target)


def test_single_samples():
    x = weft.from_numpy(X[0].copy())
    np.testing.assert_allclose(F.multi_margin_loss(x, weft.tensor(2)).item(), multi_margin(X[:1], [2])[0])
    np.testing.assert_allclose(F.multi_margin_loss(x, weft.tensor([2])).item(), multi_margin(X[:1], [2])[0])
    np.testing.assert_allclose(F.multilabel_margin_loss(x, weft.from_numpy(LABELS[0])).item(),
                               multilabel_margin(X[:1], LABELS[:1])[0])
    np.testing.assert_allclose(F.cosine_embedding_loss(x, weft.from_numpy(X2[0]), weft.tensor(1)).item(),
                               cosine(X[0], X2[0], 1))
    assert F.multi_margin_loss(x, weft.tensor(2), reduction="none").shape == ()
    assert F.multi_margin_loss(weft.zeros(0, 4), weft.zeros(0).long(), reduction="none").shape == (0,)


def test_pairwise_distance():
    a, b = weft.from_numpy(X), weft.from_numpy(X2)
    np.testing.assert_allclose(F.pairwise_distance(a, b).numpy(), np.sqrt(((X - X2 + 1e-6) ** 2).sum(-1)))
    assert F.pairwise_distance(a, b[0], 1.0, keepdim=True).shape == (5, 1)
    assert F.pairwise_distance(a, b, math.inf).shape == (5,)


V, M = weft.zeros(4), weft.zeros(3, 4)
ERRORS = [
    (ValueError, "only p == 1 and p == 2", lambda: F.multi_margin_loss(M, weft.tensor([0, 1, 2]), p=3)),
    (ValueError, "one-dimensional", lambda: F.multi_margin_loss(M, weft.tensor([0, 1, 2]), weight=M)),
    (RuntimeError, "inconsistent weight size", lambda: F.multi_margin_loss(M, weft.tensor([0, 1, 2]),
                                                                           weight=weft.ones(3))),
    (RuntimeError, "target out of range", lambda: F.multi_margin_loss(M, weft.tensor([0, 1, 4]))),
    (RuntimeError, "target tensor should be 1-D", lambda: F.multi_margin_loss(M, weft.tensor([0, 1]))),
    (RuntimeError, "expected scalar type Long", lambda: F.multi_margin_loss(M, weft.tensor([0, 1, 2]).int())),
    (RuntimeError, "non-empty vector or matrix", lambda: F.multi_margin_loss(M[None], weft.tensor([0, 1, 2]))),
    (NotImplementedError, "not implemented for", lambda: F.multi_margin_loss(M.long(), weft.tensor([0, 1, 2]))),
    (RuntimeError, "target is out of range", lambda: F.multilabel_margin_loss(V, weft.tensor([4, 0, -1, 1]))),
    (RuntimeError, "target is out of range", lambda: F.multilabel_margin_loss(V, weft.tensor([-2, 0, -1, 1]))),
    (RuntimeError, "inconsistent target size", lambda: F.multilabel_margin_loss(M, weft.tensor([3, 0, -1, 1]))),
    (RuntimeError, "same dimension", lambda: F.margin_ranking_loss(V, V, M)),
    (RuntimeError, "multi-target not supported", lambda: F.cosine_embedding_loss(M, M, M)),
    (RuntimeError, "1D target tensor expects 2D input tensors", lambda: F.cosine_embedding_loss(V, V, weft.ones(1))),
    (RuntimeError, "0D target tensor expects 1D input tensors", lambda: F.cosine_embedding_loss(M, M, weft.tensor(1))),
    (RuntimeError, "same number of dimensions", lambda: F.triplet_margin_loss(V, M, M)),
    (ValueError, "margin must be greater than 0", lambda: F.triplet_margin_loss(M, M, M, margin=-1)),
    (ValueError, "margin must be greater than 0", lambda: F.triplet_margin_with_distance_loss(M, M, M, margin=0)),
    (RuntimeError, "doesn't match the broadcast shape", lambda: F.soft_margin_loss(weft.zeros(3, 1), weft.zeros(3))),
    (TypeError, "must be Tensor, not float", lambda: F.hinge_embedding_loss(1.0, V))]


@pytest.mark.parametrize("kind, text, call", ERRORS)
def test_errors(kind, text, call):
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_weights_of_another_type_leave_the_loss_its_own(kind):
    x, y, weight = weft.full((4,), 0.3), weft.ones(4), weft.ones(4).to(getattr(weft, kind))
    for loss in (F.binary_cross_entropy, F.binary_cross_entropy_with_logits):
        assert loss(x, y, weight).dtype is weft.float32
