"""The kernels of reductions, softmax, running sums and losses against NumPy, over sizes, strides, types, NaN and
threads.
"""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.autograd.gradcheck import gradcheck, gradgradcheck
from weft.kernels import fast
from weft.nn import functional as F

kernels = pytest.mark.skipif(fast.lib is None, reason="the kernels are not built, or not chosen")
SHAPES = [(1,), (7,), (8,), (9,), (33,), (1000,), (4097,), (3, 5), (9, 31), (5000, 3), (3, 5000), (2, 3, 4, 5),
          (8, 12, 33, 17), (300, 700), (200001,)]


def rng(seed=0):
    return np.random.default_rng(seed)


def layouts(shape, kind):
    """An array of this shape, transposed, sliced and repeated."""
    a = rng().standard_normal(shape).astype(kind)
    yield a
    if a.ndim > 1:
        yield a.T
        yield np.broadcast_to(a[:, :1], shape)
    if a.size > 20:
        yield a[::2]
        yield a[..., ::3]


def dims(a):
    return [None, *range(a.ndim), *([(0, 2), (1, a.ndim - 1)] if a.ndim > 2 else [])]


@kernels
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["f4", "f8"])
def test_reductions_of_floats(shape, kind):
    near = {"rtol": 2e-6 if kind == "f4" else 1e-12, "atol": 1e-5 if kind == "f4" else 1e-11}
    for a in layouts(shape, kind):
        wide = a.astype("f8")
        for d in dims(a):
            for keep in (False, True):
                k = {"axis": d, "keepdims": keep}
                pairs = [
                    (fast.reduce_sum(a, d, keep), wide.sum(**k)), (fast.reduce_mean(a, d, keep), wide.mean(**k)),
                    (fast.reduce_extreme(a, d, keep, True), a.max(**k)), (fast.reduce_extreme(a, d, keep, False),
                                                                          a.min(**k)),
                    (fast.reduce_norm(a, d, keep, 2.0), np.sqrt((wide * wide).sum(**k))),
                    (fast.reduce_norm(a, d, keep, 1.0), abs(wide).sum(**k)),
                    (fast.reduce_var(a, d, keep, 0.0, False, False), wide.var(**k)),
                    (fast.reduce_var(a, d, keep, 0.0, True, True)[0], wide.std(**k)),
                    (fast.reduce_var(a, d, keep, 0.0, True, True)[1], wide.mean(**k)),
                    (fast.reduce_logsumexp(a, d, keep), np.log(np.exp(wide).sum(**k))),
                    (fast.count_nonzero(a, d, keep), np.count_nonzero(a, **k)),
                ]
                for found, wanted in pairs:
                    wanted = np.asarray(wanted)
                    assert found.shape == wanted.shape and found.dtype in (a.dtype, np.int64)
                    np.testing.assert_allclose(found, wanted.astype(found.dtype), **near)


@kernels
@pytest.mark.parametrize("kind", ["i8", "i4", "u1", "?"])
def test_reductions_of_whole_numbers(kind):
    for shape in SHAPES[:-1]:
        whole = rng().integers(0, 2 if kind == "?" else 9, shape).astype(kind)
        for a in (whole, whole.T, whole[::2]):
            for d in dims(a):
                assert np.array_equal(fast.reduce_sum(a, d, False), a.sum(axis=d, dtype="i8"))
                assert np.array_equal(fast.reduce_extreme(a, d, True, True), a.max(axis=d, keepdims=True))
                assert np.array_equal(fast.count_nonzero(a, d, False), np.count_nonzero(a, axis=d))
                assert np.array_equal(fast.reduce_any(a, d, False), a.any(axis=d))
                assert np.array_equal(fast.reduce_all(a, d, False), a.all(axis=d))
                if kind in ("i8", "i4"):
                    assert np.array_equal(fast.reduce_prod(a, d, False), a.prod(axis=d, dtype="i8"))


@kernels
@pytest.mark.parametrize("kind", ["f4", "f8", "i8", "i4"])
def test_places_are_the_first_of_equals_and_nan_wins(kind):
    for shape in SHAPES:
        whole = rng().integers(-3, 3, shape).astype(kind)
        if kind[0] == "f" and whole.size > 8:
            whole.reshape(-1)[[whole.size // 2, -1]] = np.nan
        for a in (whole, whole.T, whole[::2]):
            for d in range(a.ndim):
                values, places = fast.extreme_place(a, d, False, True, True)
                assert (np.array_equal(places, a.argmax(axis=d)) and np.array_equal(values, a.max(axis=d),
                                                                                    equal_nan=True))
                assert np.array_equal(fast.extreme_place(a, d, True, False, False), a.argmin(axis=d, keepdims=True))
            if a.flags.c_contiguous:
                assert fast.extreme_place(a, None, False, True, False) == a.argmax()


@kernels
@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
@settings(max_examples=60, deadline=None)
def test_any_dims_of_any_shape(shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    some = tuple(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    a = rng().standard_normal(shape).astype("f4").transpose(order)
    np.testing.assert_allclose(fast.reduce_sum(a, some, False), a.astype("f8").sum(axis=some), rtol=1e-5, atol=1e-5)
    assert np.array_equal(fast.reduce_extreme(a, some, True, True), a.max(axis=some, keepdims=True))
    np.testing.assert_allclose(fast.reduce_var(a, some, False, 0.0, False, False), a.astype("f8").var(axis=some),
                               rtol=1e-4, atol=1e-5)


@kernels
@pytest.mark.parametrize("values", [[np.inf, 1, 2], [-np.inf, -np.inf], [-np.inf, 1], [np.nan, 1], [np.inf, np.nan],
                                    [-np.inf, -800, -200], [1e4, 1e4]])
def test_logsumexp_and_softmax_at_the_edges(values):
    a = np.array(values, "f4")
    with np.errstate(all="ignore"):
        top = a.max() if np.isfinite(a.max()) else np.float32(0)
        wanted = np.log(np.exp(a.astype("f8") - top).sum()) + top
        e = np.exp(a.astype("f8") - a.max())
        soft = e / e.sum()
    for columns in (1, 9, 300):
        x = np.repeat(a[:, None], columns, 1)
        np.testing.assert_allclose(fast.reduce_logsumexp(x, 0, False), np.full(columns, wanted), rtol=1e-6)
        np.testing.assert_allclose(fast.softmax(x, 0, False), np.repeat(soft[:, None], columns, 1), rtol=1e-6,
                                   atol=1e-37)
    np.testing.assert_allclose(fast.softmax(a, 0, False), soft, rtol=1e-6, atol=1e-37)


@kernels
@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(1,), (7,), (33,), (4, 1000), (9, 31), (64, 1000), (3, 5, 7), (2, 300, 65),
                                   (5000, 40), (2, 3, 1030)])
def test_softmax_and_its_gradient(shape, kind):
    a, g = (rng(s).standard_normal(shape).astype(kind) for s in (0, 1))
    near = {"rtol": 3e-6, "atol": 1e-6} if kind == "f4" else {"rtol": 1e-12, "atol": 1e-13}
    for d in range(a.ndim):
        wide = a.astype("f8") * 5
        logs = wide - wide.max(d, keepdims=True)
        logs -= np.log(np.exp(logs).sum(d, keepdims=True))
        soft, x = np.exp(logs), (a * 5).astype(kind)
        found = fast.softmax(x, d, False), fast.softmax(x, d, True)
        np.testing.assert_allclose(found[0], soft, **near)
        np.testing.assert_allclose(found[1], logs, rtol=1e-5, atol=near["atol"] * 5)
        np.testing.assert_allclose(fast.softmax_grad(g, found[0], d, False),
                                   soft * (g - (g * soft).sum(d, keepdims=True)), **near)
        np.testing.assert_allclose(fast.softmax_grad(g, found[1], d, True),
                                   g - soft * g.astype("f8").sum(d, keepdims=True), rtol=1e-4, atol=near["atol"] * 20)


@kernels
@pytest.mark.parametrize("shape", [(1,), (7,), (9, 33), (3, 5, 7), (200001,), (4, 1000), (1000, 300)])
def test_running(shape):
    for kind in ("f4", "f8"):
        a = rng().standard_normal(shape).astype(kind)
        near = {"rtol": 1e-5, "atol": 1e-4} if kind == "f4" else {"rtol": 1e-10, "atol": 1e-10}
        for d in range(a.ndim):
            wide = a.astype("f8")
            np.testing.assert_allclose(fast.cumsum(a, d), wide.cumsum(d), **near)
            np.testing.assert_allclose(fast.cumprod(1 + a / 1000, d), (1 + a / 1000).astype("f8").cumprod(d), rtol=1e-5)
            np.testing.assert_allclose(fast.logcumsumexp(a, d), np.logaddexp.accumulate(wide, axis=d), **near)
            values, places = fast.cum_extreme(a, d, True)
            assert np.array_equal(values, np.maximum.accumulate(a, axis=d))
            assert np.array_equal(np.take_along_axis(a, places, d), values)
    whole = rng().integers(-9, 9, shape)
    assert np.array_equal(fast.cumsum(whole, 0), whole.cumsum(0))


@kernels
def test_results_do_not_depend_on_threads():
    a = rng().standard_normal((700, 1024)).astype("f4")
    target = rng().integers(0, 1024, 700)
    had = weft.get_num_threads()
    found = []
    try:
        for n in (1, 2):
            weft.set_num_threads(n)
            found.append([fast.reduce_sum(a, d, False) for d in (None, 0, 1)]
                         + [fast.reduce_var(a, d, False, 1.0, False, False) for d in (None, 0, 1)]
                         + [fast.reduce_logsumexp(a, d, False) for d in (None, 0, 1)]
                         + [fast.softmax(a, d, log) for d in (0, 1) for log in (False, True)]
                         + [fast.cumsum(a.reshape(-1), 0), fast.cumsum(a, 0),
                            fast.cross_entropy(a, target, None, -100, 0.1, 1)[0]]
                         + [fast.pair_loss(k, a, a[::-1].copy(), 1, 0.5, None) for k in range(5)]
                         + [fast.extreme_place(a, d, False, True, False) for d in (None, 0, 1)])
    finally:
        weft.set_num_threads(had)
    for one, two in zip(*found):
        assert np.array_equal(one, two)


@kernels
def test_sums_are_accurate():
    a = rng().random((2048, 1000), dtype="f4")
    for d in (None, 0, 1):
        exact = a.astype("f8").sum(axis=d)
        assert np.max(np.abs(fast.reduce_sum(a, d, False) - exact) / exact) < 2e-7
    big = np.full(1000, 1e30, "f4")
    np.testing.assert_allclose(fast.reduce_norm(big, None, False, 2.0), 1e30 * np.sqrt(1000), rtol=1e-6)
    np.testing.assert_allclose(fast.reduce_norm(big * np.float32(1e-60), None, False, 2.0), 0, atol=1e-28)
    offset = (rng().standard_normal(100000) + 1e4).astype("f4")
    np.testing.assert_allclose(fast.reduce_var(offset, None, False, 0.0, False, False), offset.astype("f8").var(),
                               rtol=1e-6)


@kernels
def test_what_kernels_do_not_take():
    a = np.zeros((2, 3), "f4")
    assert (fast.reduce_sum(a, 5, False) is None and fast.reduce_sum(a, (0, 0), False) is None
            and fast.reduce_sum(a[:0], 0, False) is None)
    assert fast.reduce_sum(a.astype("c8"), 0, False) is None and fast.softmax(a.T, 0,
                                                                              False) is None and fast.softmax(a, 2,
                                                                                                              False) is None
    assert fast.cross_entropy(a, np.array([0, 3]), None, -100, 0.0, 1) is None       # no such class
    assert fast.cross_entropy(a, np.array([0, 1, 2]), None, -100, 0.0, 1) is None
    assert fast.pair_loss(0, a, a[:1], 1, 0.0, None) is None and fast.pair_loss(9, a, a, 1, 0.0, None) is None


# the ops, also in the plain core

CLASSES = [((5,), ()), ((4, 3), (4,)), ((7, 33), (7,)), ((2, 3, 5), (2, 5)), ((2, 4, 3, 9), (2, 3, 9))]


@pytest.mark.parametrize("shape,aims", CLASSES)
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy_is_its_composition(shape, aims, smoothing, weighted):
    axis = 0 if len(shape) == 1 else 1
    n = shape[axis]
    target = rng().integers(0, n, aims)
    if target.size > 2:
        target.reshape(-1)[1] = -100
    weight = rng(2).random(n) + 0.5 if weighted else None
    x = weft.tensor(rng().standard_normal(shape), requires_grad=True)
    aim, w = weft.tensor(target), None if weight is None else weft.tensor(weight)
    logs = x.detach().log_softmax(axis).numpy()
    kept = target != -100
    safe = np.where(kept, target, 0)
    own = np.ones(n) if weight is None else weight
    chosen = np.take_along_axis(logs, np.expand_dims(safe, axis), axis).reshape(aims)
    each = -(1 - smoothing) * chosen * own[safe] - smoothing / n * (logs
                                                                    * own.reshape([-1] + [1] * (len(shape) - 1
                                                                                                - axis))).sum(axis)
    each = np.where(kept, each, 0)
    wanted = {"none": each, "sum": each.sum(), "mean": each.sum() / np.where(kept, own[safe], 0).sum()}
    for reduction, value in wanted.items():
        def loss(x, reduction=reduction):
            return F.cross_entropy(x, aim, w, reduction=reduction, label_smoothing=smoothing)
        np.testing.assert_allclose(loss(x).detach().numpy(), value, rtol=1e-10)
        assert gradcheck(loss, (x,))
        assert gradgradcheck(loss, (x,))
        if not smoothing:
            np.testing.assert_allclose(F.nll_loss(x.log_softmax(axis), aim, w, reduction=reduction).detach().numpy(),
                                       value, rtol=1e-10)
            assert gradcheck(lambda x, reduction=reduction: F.nll_loss(x, aim, w, reduction=reduction), (x,))


@pytest.mark.parametrize("name", ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
                                  "binary_cross_entropy_with_logits"])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_losses_of_pairs_have_their_gradients(name, reduction):
    x, y = (weft.tensor(rng(s).standard_normal((3, 11)) * 2, requires_grad=True) for s in (0, 1))

    def loss(x, y):
        return getattr(F, name)(x, y, reduction=reduction)
    assert gradcheck(loss, (x, y)) and gradgradcheck(loss, (x, y))
    small = x.detach().float(), y.detach().float()
    np.testing.assert_allclose(loss(*small).numpy(), loss(x, y).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_logits_far_out_are_exact():
    x = weft.tensor([-90.0, -20.0, 20.0, 90.0])
    found = F.binary_cross_entropy_with_logits(x, weft.tensor([0.0, 0.0, 1.0, 1.0]), reduction="none").numpy()
    np.testing.assert_allclose(found[1:3], np.log1p(np.exp(-20.0)), rtol=1e-6)
    assert (found[[0, 3]] < 1e-37).all()


def test_wrong_targets_are_refused():
    x = weft.randn(4, 3)
    with pytest.raises(IndexError, match="out of bounds"):
        F.cross_entropy(x, weft.tensor([0, 1, 2, 3]))
    with pytest.raises(ValueError, match="batch_size"):
        F.cross_entropy(x, weft.tensor([0, 1]))
    with pytest.raises(RuntimeError, match="weight tensor"):
        F.nll_loss(x, weft.tensor([0, 1, 2, 0]), weft.ones(2))
    with pytest.raises(RuntimeError, match="Long"):
        F.nll_loss(x, weft.zeros(4))
    with pytest.raises(ValueError, match="reduction"):
        F.mse_loss(x, x, reduction="median")
    with pytest.raises(ValueError, match="same as input size"):
        F.binary_cross_entropy_with_logits(x, weft.ones(4))


def test_gumbel_softmax_is_one_hot_with_a_gradient():
    x = weft.randn(5, 4, requires_grad=True)
    hard = F.gumbel_softmax(x, hard=True)
    assert np.allclose(hard.detach().numpy().max(1), 1) and np.allclose(hard.detach().numpy().sum(1), 1)
    hard[:, 0].sum().backward()
    assert x.grad is not None
