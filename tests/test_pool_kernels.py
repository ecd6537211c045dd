"""Pooling: the kernels against their NumPy references and against loops written out, gradients to second order, errors.
"""
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.kernels import fast
from weft.nn import functional as F
from weft.ops.nn import pool_window

KERNELS = ("max_pool", "max_pool_spread", "avg_pool", "avg_pool_spread", "plane_scatter", "plane_gather",
           "max_pool_from")
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def reference(monkeypatch):
    """A function that runs another one on the NumPy references."""
    def run(call):
        with monkeypatch.context() as patch:
            for name in KERNELS:
                patch.setattr(fast, name, lambda *_: None, raising=False)
            return call()
    return run


def values(shape, dtype="float32", kind="normal", seed=0):
    draw = np.random.default_rng(seed + math.prod(shape))
    made = draw.standard_normal(shape) if kind == "normal" else draw.integers(-2, 3, shape).astype(float)
    if kind == "nan":
        made[draw.random(shape) < 0.2] = NAN
    if kind == "inf":
        made[draw.random(shape) < 0.7] = -INF
    return made.astype(dtype)


def pooled(call, x):
    """The result (with its indices, if any) and the gradient of a weighted sum of it, as arrays."""
    t = weft.from_numpy(x.copy()).requires_grad_()
    found = call(t)
    out = found[0] if isinstance(found, tuple) else found
    weights = weft.from_numpy(np.cos(np.arange(out.numel())).reshape(out.shape).astype(x.dtype))
    grad, = weft.autograd.grad((out * weights).sum(), t)
    return [out.detach().numpy(), grad.numpy(), *([found[1].numpy()] if isinstance(found, tuple) else [])]


def same(ours, theirs, dtype, exact=False):
    tolerance = 0 if exact else 2e-6 if dtype == "float32" else 1e-13
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


MAX = [      # pooled dimensions, shape, arguments of max_pool{n}d
    (1, (2, 3, 9), (2,)), (1, (3, 33), (3, 2, 1)), (1, (2, 1000), (5, 3, 2)), (1, (1, 2, 31), (2, 1, 0, 3)),
       (1, (1, 4097), (2, 2, 0, 1, True)),
    (2, (1, 1, 1, 1), (1,)), (2, (2, 3, 26, 26), (2,)), (2, (2, 3, 7, 9), (2,)), (2, (2, 3, 8, 16), (2, 2)),
       (2, (1, 2, 8, 8), (2,)),
    (2, (1, 2, 33, 31), (3, 2, 1)), (2, (2, 2, 17, 18), (3, 1, 1)), (2, (3, 12, 19), (3, 2, 1, 1, True)),
       (2, (2, 9, 40), ((2, 4), (1, 2), (1, 2))),
    (2, (2, 20, 20), (5, 1, 2, 2)), (2, (1, 24, 24), (17,)), (2, (1, 3, 20, 300), (3, 7)), (2, (2, 2, 5, 64), (1, 2)),
       (3, (1, 2, 4, 5, 6), (2,)),
    (3, (2, 5, 9, 17), (3, 2, 1)), (3, (1, 6, 7, 33), ((1, 2, 3), 2, 0, 1, True)), (2, (0, 2, 6, 6), (2,)),
       (2, (2, 7, 2), (2,)),
    (2, (2, 65, 3), (2, 2, 1)), (3, (1, 2, 6, 9, 9), (2, 2))]
POOLS = {2: (F.max_pool1d, F.avg_pool1d), 3: (F.max_pool2d, F.avg_pool2d), 4: (F.max_pool3d, F.avg_pool3d)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dims, shape, arguments", MAX)
def test_max_pool_is_the_reference(dims, shape, arguments, dtype, reference):
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[dims - 1]
    for kind in ("normal", "ties", "nan", "inf"):
        x = values(shape, dtype, kind)
        for call in (lambda t: pool(t, *arguments), lambda t: pool(t, *arguments, return_indices=True)):
            same(pooled(call, x), reference(lambda call=call, x=x: pooled(call, x)), dtype)
        with weft.no_grad():
            plain = pool(weft.from_numpy(x), *arguments).numpy()
        np.testing.assert_array_equal(plain, pooled(lambda t: pool(t, *arguments), x)[0])


def written_out(x, kernel, stride, padding):
    """max_pool2d of one plane in loops: (values, indices)."""
    height, width = ((n + 2 * padding - kernel) // stride + 1 for n in x.shape)
    found, places = np.empty((height, width), x.dtype), np.empty((height, width), np.int64)
    for i, j in itertools.product(range(height), range(width)):
        best, place = -INF, None
        for h, w in itertools.product(range(i * stride - padding, i * stride - padding + kernel),
                                      range(j * stride - padding, j * stride - padding + kernel)):
            if 0 <= h < x.shape[0] and 0 <= w < x.shape[1]:
                place = h * x.shape[1] + w if place is None or x[h, w] > best or np.isnan(x[h, w]) else place
                best = x[h, w] if x[h, w] > best or np.isnan(x[h, w]) else best
        found[i, j], places[i, j] = best, place
    return found, places


@pytest.mark.parametrize("kind", ["normal", "ties", "nan", "inf"])
@pytest.mark.parametrize("kernel, stride, padding", [(2, 2, 0), (3, 2, 1), (3, 1, 1), (4, 3, 2), (5, 1, 0)])
def test_first_of_equals_last_of_nan(kernel, stride, padding, kind):
    x = values((1, 13, 37), "float32", kind)
    got = F.max_pool2d(weft.from_numpy(x), kernel, stride, padding, return_indices=True)
    want = written_out(x[0], kernel, stride, padding)
    np.testing.assert_array_equal(got[0][0].numpy(), want[0])
    np.testing.assert_array_equal(got[1][0].numpy(), want[1])
    assert got[1].dtype == weft.int64


AVG = [      # the same for avg_pool{n}d
    (1, (2, 3, 9), (2,)), (1, (3, 33), (3, 2, 1)), (1, (2, 1000), (5, 3, 2)), (1, (1, 4097), (2, 2, 0, True)),
       (2, (1, 1, 1, 1), (1,)),
    (2, (2, 3, 26, 26), (2,)), (2, (2, 3, 7, 9), (2,)), (2, (1, 2, 8, 8), (8,)), (2, (1, 2, 33, 31), (3, 2, 1)),
       (2, (2, 2, 17, 18), (3, 1, 1)),
    (2, (3, 12, 19), (3, 2, 1, True)), (2, (3, 12, 19), (3, 2, 1, True, False)),
       (2, (3, 9, 40), ((2, 4), (1, 2), (1, 2), False, False)),
    (2, (3, 9, 40), (3, 2, 1, True, True, 5)), (2, (2, 2, 40, 50), (20, 15)), (2, (2, 2, 9, 70), (2, 3)),
       (3, (1, 2, 4, 5, 6), (2,)),
    (3, (2, 5, 9, 17), (3, 2, 1)), (3, (1, 6, 7, 33), ((1, 2, 3), 2, 0, True)), (2, (0, 2, 6, 6), (2,)),
    (3, (1, 2, 9, 9, 9), (2, 1, 1, False, False)), (2, (3, 1, 300), ((1, 200),))]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dims, shape, arguments", AVG)
def test_avg_pool_is_the_reference(dims, shape, arguments, dtype, reference):
    pool = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[dims - 1]
    x = values(shape, dtype)
    same(pooled(lambda t: pool(t, *arguments), x), reference(lambda: pooled(lambda t: pool(t, *arguments), x)), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape, size", [
    ((2, 3, 9), 4), ((3, 33), 7), ((2, 8), 1), ((2, 3, 7, 9), (3, 4)), ((2, 3, 8, 8), 1), ((2, 3, 8, 8), (4, 2)),
    ((2, 2, 5, 70), (7, 9)), ((1, 2, 3, 3), (5, 8)), ((2, 33, 17), (None, 3)), ((1, 2, 3, 5, 9), (2, 3, 4)),
    ((1, 2, 4, 4, 4), 1), ((0, 2, 5, 5), 2), ((1, 1, 40, 40), 1), ((2, 3, 5, 5), (0, 2))])
def test_adaptive_pools_are_the_references(shape, size, dtype, reference):
    dims = len(size) if isinstance(size, tuple) else max(1, len(shape) - 2)
    means, greatest = ((F.adaptive_avg_pool1d, F.adaptive_max_pool1d), (F.adaptive_avg_pool2d, F.adaptive_max_pool2d),
                       (F.adaptive_avg_pool3d, F.adaptive_max_pool3d))[dims - 1]
    x = values(shape, dtype)
    same(pooled(lambda t: means(t, size), x), reference(lambda: pooled(lambda t: means(t, size), x)), dtype)
    for kind in ("normal", "ties", "nan"):
        x = values(shape, dtype, kind)
        for indices in (False, True):
            same(pooled(lambda t, i=indices: greatest(t, size, i), x),
                 reference(lambda i=indices, x=x: pooled(lambda t: greatest(t, size, i), x)), dtype)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_windows(data):
    dims = data.draw(st.integers(1, 3))
    size = tuple(data.draw(st.integers(1, (60, 24, 9)[dims - 1])) for _ in range(dims))
    kernel = tuple(data.draw(st.integers(1, min(n, 6))) for n in size)
    stride = tuple(data.draw(st.integers(1, 4)) for _ in size)
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in kernel)
    ceil_mode, counted = data.draw(st.booleans()), data.draw(st.booleans())
    x = values((2, *size), "float64", "ties")
    where = np.ones((2, *size))
    greatest, means = POOLS[dims + 1]
    got, index = greatest(weft.from_numpy(x), kernel, stride, padding, 1, ceil_mode, True)
    flat = x.reshape(2, -1)
    np.testing.assert_array_equal(np.take_along_axis(flat, index.numpy().reshape(2, -1), 1).reshape(got.shape),
                                  got.numpy())
    assert np.all(got.numpy() <= x.max(axis=tuple(range(1, dims + 1)), keepdims=True))
    mean = means(weft.from_numpy(where), kernel, stride, padding, ceil_mode, counted).numpy()
    np.testing.assert_allclose(mean, np.minimum(mean, 1))
    if not counted:
        np.testing.assert_allclose(mean, 1)
    spread = pooled(lambda t: means(t, kernel, stride, padding, ceil_mode, counted), x)
    weights = np.cos(np.arange(spread[0].size)).reshape(spread[0].shape)
    # a linear map and its transpose
    np.testing.assert_allclose((spread[1] * x).sum(), (spread[0] * weights).sum(), atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_are_the_same_with_any_number_of_threads(dtype):
    x = values((5, 16, 60, 64), dtype)
    calls = [lambda t: F.max_pool2d(t, 2), lambda t: F.max_pool2d(t, 3, 2, 1),
             lambda t: F.max_pool2d(t, 3, 1, 1, return_indices=True), lambda t: F.avg_pool2d(t, 3, 2, 1),
             lambda t: F.avg_pool2d(t, 2), lambda t: F.adaptive_avg_pool2d(t, 7),
             lambda t: F.adaptive_avg_pool2d(t, 1), lambda t: F.adaptive_max_pool2d(t, 7)]
    had = weft.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 5):
            weft.set_num_threads(threads)
            found.append([pooled(call, x) for call in calls])
    finally:
        weft.set_num_threads(had)
    for other in found[1:]:
        for a, b in zip(found[0], other):
            same(a, b, dtype, exact=True)


@pytest.mark.parametrize("view", [lambda x: x.transpose(-1, -2), lambda x: x[..., ::2], lambda x: x[:, :, ::3, 1:],
                                  lambda x: x[:1].expand(3, -1, -1, -1), lambda x: x.permute(1, 0, 3, 2)])
def test_strided_inputs(view):
    x = view(weft.from_numpy(values((2, 3, 20, 22))))
    for call in (lambda t: F.max_pool2d(t, 3, 2, 1), lambda t: F.avg_pool2d(t, 3, 2, 1),
                 lambda t: F.adaptive_avg_pool2d(t, 3), lambda t: F.adaptive_max_pool2d(t, 3)):
        assert weft.equal(call(x), call(x.contiguous()))
        strided, dense = x.detach().requires_grad_(), x.contiguous().detach().requires_grad_()
        out = call(strided)
        grad = weft.ones(out.shape[-1], out.shape[-2], *out.shape[:2]).permute(2, 3, 1, 0)
        one, other = weft.autograd.grad(out, strided, grad), weft.autograd.grad(call(dense), dense, grad.contiguous())
        assert weft.equal(one[0], other[0])


def test_whole_numbers():
    x = weft.tensor([[[3, -5, 2, 7], [1, 1, -8, 0]]])
    assert F.max_pool2d(x, 2).tolist() == [[[3, 7]]]
    assert F.max_pool2d(x, 2, return_indices=True)[1].tolist() == [[[0, 3]]]
    assert F.avg_pool2d(weft.tensor([[[-5, 2, 3, 4]]]), (1, 2)).tolist() == [[[-1, 3]]]           # towards zero
    assert F.avg_pool2d(weft.tensor([[[-5, 2, 3, 4]]]), (1, 2), divisor_override=-2).tolist() == [[[1, -3]]]
    for dtype in (weft.int32, weft.int16, weft.int8, weft.uint8):
        assert F.max_pool2d(weft.ones(1, 4, 4, dtype=dtype), 2).dtype == dtype


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types(dtype):
    x = weft.from_numpy(values((2, 3, 8, 8))).to(getattr(weft, dtype)).requires_grad_()
    for call in (lambda t: F.max_pool2d(t, 2), lambda t: F.avg_pool2d(t, 2), lambda t: F.adaptive_avg_pool2d(t, 3),
                 lambda t: F.max_pool2d(t, 2, return_indices=True)[0]):
        out = call(x)
        assert out.dtype == x.dtype
        np.testing.assert_allclose(out.detach().float().numpy(), call(x.detach().float()).numpy(), rtol=1e-2, atol=1e-2)
        grad, = weft.autograd.grad(out.sum(), x)
        assert grad.dtype == x.dtype


def test_what_is_kept_for_the_gradient_is_small():
    """A byte for each window, and nothing of the input."""
    x = weft.from_numpy(values((2, 3, 8, 8))).requires_grad_()
    sizes = []
    with weft.autograd.graph.saved_tensors_hooks(lambda t: (sizes.append(t.numel() * t.element_size()), t)[1],
                                                 lambda t: t):
        F.max_pool2d(x, 2)
        F.avg_pool2d(x, 2)
        F.adaptive_avg_pool2d(x, 1)
    assert sum(sizes) == 2 * 3 * 4 * 4


def leaf(shape, seed=0):
    draw = np.random.default_rng(seed)
    made = draw.permutation(math.prod(shape)).reshape(shape) / 7.0       # far from ties
    return weft.from_numpy(made).requires_grad_()


@pytest.mark.parametrize("call, shape", [
    (lambda t: F.max_pool2d(t, 2), (1, 2, 4, 6)), (lambda t: F.max_pool2d(t, 3, 2, 1), (2, 5, 5)),
    (lambda t: F.max_pool2d(t, 2, return_indices=True)[0], (1, 4, 4)), (lambda t: F.max_pool1d(t, 3, 1, 1), (2, 7)),
    (lambda t: F.max_pool3d(t, 2), (1, 2, 4, 4)), (lambda t: F.max_pool2d(t, (4, 70)), (1, 4, 70)),
    (lambda t: F.adaptive_max_pool2d(t, (2, 3)), (1, 5, 4)), (lambda t: F.avg_pool2d(t, 3, 2, 1), (1, 5, 5)),
    (lambda t: F.avg_pool1d(t, 2), (2, 6)), (lambda t: F.avg_pool3d(t, 2, 1), (1, 3, 3, 3)),
    (lambda t: F.adaptive_avg_pool2d(t, (2, 3)), (1, 5, 4)), (lambda t: F.adaptive_avg_pool3d(t, 1), (1, 2, 2, 3)),
    (lambda t: F.lp_pool2d(t + 0.5, 2, 2), (1, 4, 4)), (lambda t: F.lp_pool1d(t + 0.5, 3, 2, 1), (1, 6)),
    (lambda t: F.fractional_max_pool2d(t, 2, 3, _random_samples=weft.full((1, 2, 2), 0.4, dtype=weft.float64)),
     (1, 2, 6, 6)), (lambda t: F.max_unpool2d(t, weft.tensor([[[0, 3], [9, 14]]]), 2), (1, 2, 2))])
def test_gradients_to_second_order(call, shape):
    x = leaf(shape)
    assert weft.autograd.gradcheck(call, (x,))
    assert weft.autograd.gradgradcheck(lambda t: call(t) * call(t), (x,))


# unpooling and fractional pooling

@pytest.mark.parametrize("dims, shape", [(1, (2, 3, 8)), (2, (3, 9, 8)), (2, (2, 2, 8, 7)), (3, (1, 4, 4, 6))])
def test_unpooling_undoes_pooling(dims, shape, reference):
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[dims - 1]
    unpool = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[dims - 1]
    x = np.abs(values(shape)) + 1

    def both():
        found, index = pool(weft.from_numpy(x), 2, return_indices=True)
        return unpool(found, index, 2, output_size=shape[-dims:]).numpy()
    back = both()
    assert (back.shape == shape and np.all((back == 0) | (back == x))
            and (back > 0).sum() == math.prod(pool(weft.from_numpy(x), 2).shape))
    np.testing.assert_array_equal(back, reference(both))


def test_fractional_windows(reference):
    x = values((2, 3, 11, 13), kind="ties")
    samples = weft.from_numpy(np.random.default_rng(0).random((2, 3, 2)).astype("float32"))

    def call():
        found = F.fractional_max_pool2d(weft.from_numpy(x), 3, (4, 5), _random_samples=samples, return_indices=True)
        return [f.numpy() for f in found]
    got = call()
    for a, b in zip(got, reference(call)):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.take_along_axis(x.reshape(6, -1), got[1].reshape(6, -1), 1).reshape(got[0].shape),
                                  got[0])
    assert F.fractional_max_pool3d(weft.from_numpy(values((1, 2, 6, 6, 6))), 2,
                                   output_ratio=0.5).shape == (1, 2, 3, 3, 3)
    weft.manual_seed(3)
    first = F.fractional_max_pool2d(weft.from_numpy(x), 2, output_ratio=(0.5, 0.5))
    weft.manual_seed(3)
    assert weft.equal(first, F.fractional_max_pool2d(weft.from_numpy(x), 2, output_ratio=(0.5, 0.5)))


# errors

X = (2, 3, 8, 8)
ERRORS = [
    (RuntimeError, "kernel_size should be greater than zero", lambda x: F.max_pool2d(x, 0)),
    (RuntimeError, "stride should be greater than zero", lambda x: F.max_pool2d(x, 2, 0)),
    (RuntimeError, "dilation should be greater than zero", lambda x: F.max_pool2d(x, 2, dilation=0)),
    (RuntimeError, "pad should be at most half of effective kernel size", lambda x: F.max_pool2d(x, 2, 2, 2)),
    (RuntimeError, "pad must be non-negative", lambda x: F.max_pool2d(x, 2, 2, -1)),
    (RuntimeError, "Output size is too small", lambda x: F.max_pool2d(x, 9)),
    (RuntimeError, r"Expected 3D or 4D \(batch mode\) tensor", lambda x: F.max_pool2d(x[0, 0], 2)),
    (RuntimeError, "non-zero size for non-batch dimensions", lambda x: F.max_pool2d(x[:, :0], 2)),
    (RuntimeError, "must either be a single int, or a tuple of two ints", lambda x: F.max_pool2d(x, (2, 2, 2))),
    (TypeError, "must be tuple of ints, not float", lambda x: F.max_pool2d(x, 2.5)),
    (TypeError, "must be tuple of ints, not bool", lambda x: F.avg_pool2d(x, True)),
    (TypeError, "must be Tensor, not list", lambda x: F.max_pool2d([1.0], 2)),
    (NotImplementedError, "not implemented for", lambda x: F.max_pool2d(x > 0, 2)),
    (NotImplementedError, "not implemented for", lambda x: F.max_pool1d(x[0].long(), 2)),
    (NotImplementedError, "not implemented for", lambda x: F.avg_pool2d(x.int(), 2)),
    (RuntimeError, "divisor must be not zero", lambda x: F.avg_pool2d(x, 2, divisor_override=0)),
    (RuntimeError, "smaller than kernel size", lambda x: F.avg_pool3d(x, (4, 9, 9), padding=(2, 4, 4))),
    (RuntimeError, "greater than or equal to 0", lambda x: F.adaptive_avg_pool2d(x, -1)),
    (RuntimeError, "output_size must be 2 ints", lambda x: F.adaptive_avg_pool2d(x, (2, 2, 2))),
    (RuntimeError, "dimension 2 being empty", lambda x: F.adaptive_avg_pool2d(x[:, :, :0], 2)),
    (TypeError, "NoneType", lambda x: F.adaptive_avg_pool1d(x[0], None)),
    (NotImplementedError, "not implemented for", lambda x: F.adaptive_max_pool2d(x.long(), 2)),
    (ValueError, "either an output_size or an output_ratio", lambda x: F.fractional_max_pool2d(x, 2)),
    (RuntimeError, "too large relative to input", lambda x: F.fractional_max_pool2d(x, 2, 8)),
    (RuntimeError, "too large relative to input", lambda x: F.fractional_max_pool3d(x, 2, (2, 2, 2))),   # fill the 3
    (RuntimeError, "same dtype as input", lambda x: F.fractional_max_pool2d(x, 2, 3,
                                                                            _random_samples=weft.rand(2, 3,
                                                                                                      2).double())),
    (RuntimeError, "to have the shape", lambda x: F.fractional_max_pool2d(x, 2, 3, _random_samples=weft.rand(2, 3, 3))),
    (RuntimeError, "invalid max index: 99", lambda x: F.max_unpool2d(x[:, :, :2, :2], weft.full((2, 3, 2, 2), 99), 2)),
    (RuntimeError, "invalid max index: -1", lambda x: F.max_unpool2d(x[:, :, :2, :2], weft.full((2, 3, 2, 2), -1), 2)),
    (RuntimeError, "should be type int64", lambda x: F.max_unpool2d(x, x.int(), 2)),
    (RuntimeError, "Expected shape of indices", lambda x: F.max_unpool2d(x, x[0].long(), 2)),
    (ValueError, "invalid output_size", lambda x: F.max_unpool2d(x, x.long(), 2, output_size=(40, 40))),
    (ValueError, "should be a sequence containing 2 or 4 elements",
     lambda x: F.max_unpool2d(x, x.long(), 2, output_size=(16, 16, 16)))]


@pytest.mark.parametrize("kind, text, call", ERRORS)
def test_errors(kind, text, call):
    with pytest.raises(kind, match=text):
        call(weft.ones(*X))


def test_kernels_take_nothing_that_they_cannot():
    """Called directly with numbers that make no sense, a kernel says None."""
    if fast.lib is None:
        pytest.skip("there are no kernels here")
    x = np.ones((2, 6, 6), np.float32)
    two, one, zero = (2, 2), (1, 1), (0, 0)
    assert fast.max_pool(x, 2, (3, 3), two, two, zero, one, False, 0).shape == (2, 3, 3)
    for arguments in ((x, 2, (4, 4), two, two, zero, one, False, 0), (x, 2, (3, 3), zero, two, zero, one, False, 0),
                      (x, 4, (3,) * 4, two, two, zero, one, False, 0), (x, 2, (3,), two, two, zero, one, False, 0),
                      (x, 2, (3, 3), two, two, zero, one, False, 5), (x.astype("f2"), 2, (3, 3), two, two, zero, one,
                                                                      False, 0), (x[:, ::2], 2, (1, 3), two, two, zero,
                                                                                  one, False, 0), (x, 2, (3, 3),
                                                                                                   (1 << 50, 2), two, zero, one, False, 0), (x, 2)):
        assert fast.max_pool(*arguments) is None
    picks = np.zeros((2, 3, 3), np.uint8)
    # nothing is written outside
    assert fast.max_pool_spread(np.ones((2, 3, 3), np.float32), picks + 255, (2, 6, 6), 2, two, two, zero,
                                one).shape == (2, 6, 6)
    assert fast.max_pool_spread(np.ones((2, 3, 3), np.float32), picks[:1], (2, 6, 6), 2, two, two, zero, one) is None
    assert fast.avg_pool_spread(np.ones((2, 3, 3), np.float32), (3, 6, 6), 2, two, two, zero, False, True, 0) is None
    assert fast.plane_scatter(x, np.full((2, 6, 6), 36), 2, (6, 6), True) is None
    assert fast.plane_gather(x, np.full((2, 6, 6), -1), 2) is None
    assert fast.max_pool_from(np.ones((1, 1, 4, 4), np.float32), *[np.full((1, 1), k) for k in (0, 3, 0)],
                              (1, 2, 2)) is None


def test_ten_thousand_shapes_are_not_remembered():
    for n in range(2, 3000):
        pool_window.sliding(weft.empty(1, n), 1, 2, None, 0, 1, False, "max_pool1d")
    assert len(pool_window._known) <= pool_window._MOST_KNOWN


def test_meta_tensors():
    x = weft.empty(2, 3, 9, 9, device="meta")
    assert F.max_pool2d(x, 2).shape == (2, 3, 4, 4) and F.max_pool2d(x, 2).is_meta
    assert F.avg_pool2d(x, 3, 2, 1).shape == (2, 3, 5, 5)
    assert F.adaptive_avg_pool2d(x, 1).shape == (2, 3, 1, 1)
