"""The kernels of layer, RMS, batch, group and instance norm against float64 formulas: sizes, strides, types, threads,
NaN, errors.
"""
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
import weft.nn.functional as F
from weft.core.seam import Watcher
from weft.kernels import fast

KINDS = [(np.float32, 2e-5), (np.float64, 1e-12)]
SIZES = (1, 3, 7, 8, 9, 31, 33, 1000, 4097)
NATIVE = fast.lib is not None


def numbers(rng, shape, dtype, offset=0.0):
    return (rng.standard_normal(shape) + offset).astype(dtype)


def leaf(a):
    return None if a is None else weft.tensor(a, requires_grad=True)


def formula(x, weight, bias, axes, eps, centred=True):
    """Normalised over `axes` in float64; weight and bias broadcast."""
    x = x.astype(np.float64)
    away = x - x.mean(axes, keepdims=True) if centred else x
    made = away / np.sqrt((away ** 2).mean(axes, keepdims=True) + eps)
    made = made if weight is None else made * weight
    return made if bias is None else made + bias


def grads_of(run, inputs, g, recorded):
    """The gradients by the fused kernels, or (recorded) by the plain composition."""
    wanted = [t for t in inputs if t is not None]
    found = weft.autograd.grad(run(*inputs), wanted, weft.tensor(g), create_graph=recorded)
    return [t.detach().numpy() for t in found]


def check_grads(run, arrays, g, limit):
    """Fused gradients against the plain composition in float64, on the same numbers."""
    wide = [None if a is None else a.astype(np.float64) for a in arrays]
    expected = grads_of(run, [leaf(a) for a in wide], g.astype(np.float64), True)
    for got, right in zip(grads_of(run, [leaf(a) for a in arrays], g, False), expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=limit, atol=limit * max(1.0, np.abs(right).max(initial=0)))


def with_threads(n, run):
    before = weft.get_num_threads()
    weft.set_num_threads(n)
    try:
        return run()
    finally:
        weft.set_num_threads(before)


# layer norm and rms norm

@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("affine", ["none", "weight", "both"])
def test_layer_norm(n, affine, dtype, limit):
    rng = np.random.default_rng(n)
    x, g = numbers(rng, (5, n), dtype, 2.0), numbers(rng, (5, n), dtype)
    weight = numbers(rng, n, dtype) if affine != "none" else None
    bias = numbers(rng, n, dtype) if affine == "both" else None
    got = F.layer_norm(weft.tensor(x), (n,), *(None if p is None else weft.tensor(p) for p in (weight, bias)))
    np.testing.assert_allclose(got.numpy(), formula(x, weight, bias, 1, 1e-5), rtol=limit, atol=limit)
    assert got.numpy().dtype == dtype
    if n > 1:
        check_grads(lambda x, w, b: F.layer_norm(x, (n,), w, b), [x, weight, bias], g, 20 * limit)


@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("n", SIZES)
def test_rms_norm(n, dtype, limit):
    rng = np.random.default_rng(n)
    x, g, weight = numbers(rng, (6, n), dtype), numbers(rng, (6, n), dtype), numbers(rng, n, dtype)
    got = F.rms_norm(weft.tensor(x), (n,), weft.tensor(weight), 1e-6).numpy()
    np.testing.assert_allclose(got, formula(x, weight, None, 1, 1e-6, False), rtol=limit, atol=limit)
    check_grads(lambda x, w: F.rms_norm(x, (n,), w, 1e-6), [x, weight], g, 20 * limit)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(1, 4), st.booleans())
def test_layer_norm_of_any_shape(shape, count, strided):
    count = min(count, len(shape))
    rng = np.random.default_rng(len(shape))
    x = numbers(rng, (*shape[:-1], 2 * shape[-1]), np.float32)[..., ::2] if strided else numbers(rng, shape, np.float32)
    got = F.layer_norm(weft.tensor(x), tuple(shape[-count:]))
    axes = tuple(range(len(shape) - count, len(shape)))
    np.testing.assert_allclose(got.numpy(), formula(x, None, None, axes, 1e-5), rtol=1e-4, atol=1e-4)


def test_layer_norm_strides_and_shapes():
    rng = np.random.default_rng(0)
    x = numbers(rng, (6, 5, 4), np.float32)
    for view in (x.T, x[::2], x[:, ::2], np.broadcast_to(x[:1], (3, 5, 4)), x[:0]):
        got, expected = F.layer_norm(weft.from_numpy(x).T if view is x.T else weft.tensor(view), view.shape[-1:]), None
        if view.size:
            expected = formula(view, None, None, 2, 1e-5)
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-4)
        assert got.shape == view.shape
    out, mean, rstd = weft.native_layer_norm(weft.tensor(x), (5, 4), None, None, 1e-5)
    assert out.shape == (6, 5, 4) and mean.shape == rstd.shape == (6, 1, 1)
    np.testing.assert_allclose(mean.numpy().ravel(), x.reshape(6, -1).mean(1), rtol=1e-5, atol=1e-6)


def test_great_offsets_and_outliers_cost_no_accuracy():
    rng = np.random.default_rng(1)
    x = numbers(rng, (4, 3000), np.float32, 1000.0)
    x[1, 0] = -1e6          # the kernel's first guess at the mean is far off
    x[2] = 5.0
    got = F.layer_norm(weft.tensor(x), (3000,)).numpy()
    np.testing.assert_allclose(got, formula(x, None, None, 1, 1e-5), rtol=2e-3, atol=2e-3)
    planes = np.ascontiguousarray(x.reshape(4, 3, 1000).transpose(1, 0, 2))
    got = F.batch_norm(weft.tensor(planes), None, None, training=True).numpy()
    np.testing.assert_allclose(got, formula(planes, None, None, (0, 2), 1e-5), rtol=2e-3, atol=2e-3)
    columns = np.ascontiguousarray(x.T)
    got = F.batch_norm(weft.tensor(columns), None, None, training=True).numpy()
    np.testing.assert_allclose(got, formula(columns, None, None, 0, 1e-5), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_nan_and_inf_stay_in_their_row(bad):
    x = np.ones((3, 40), np.float32) * np.arange(40)
    x[1, 17] = bad
    for run in (lambda t: F.layer_norm(t, (40,)), lambda t: F.rms_norm(t, (40,)), lambda t: F.group_norm(t, 1)):
        got = run(weft.tensor(x)).numpy()
        assert np.isfinite(got[[0, 2]]).all() and np.isnan(got[1, 17])
    got = F.batch_norm(weft.tensor(x.T.copy()), None, None, training=True).numpy()
    assert np.isnan(got[17, 1]) and np.isfinite(got[:, [0, 2]]).all()


# batch norm

SHAPES = [(4, 3), (33, 33), (300, 65), (2, 3, 1), (4, 3, 7), (3, 2, 7, 7), (2, 3, 32, 32), (2, 2, 2, 3, 5),
          (3, 2, 1500), (1, 3, 4)]


def columns(p, x):
    return None if p is None else p.reshape(1, -1, *(1,) * (x.ndim - 2))


@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("affine", [False, True])
def test_batch_norm_training(shape, affine, dtype, limit):
    rng = np.random.default_rng(sum(shape))
    x, g = numbers(rng, shape, dtype, 1.0), numbers(rng, shape, dtype)
    weight, bias = (numbers(rng, shape[1], dtype), numbers(rng, shape[1], dtype)) if affine else (None, None)
    axes, count = (0, *range(2, x.ndim)), x.size // shape[1]
    mean, var = weft.tensor(np.full(shape[1], 0.5, dtype)), weft.tensor(np.full(shape[1], 2.0, dtype))
    before = mean._version, var._version
    got = F.batch_norm(weft.tensor(x), mean, var, *(None if p is None else weft.tensor(p) for p in (weight, bias)),
                       True, 0.3, 1e-3)
    np.testing.assert_allclose(got.numpy(), formula(x, columns(weight, x), columns(bias, x), axes, 1e-3), rtol=limit,
                               atol=limit)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean.numpy(), 0.7 * 0.5 + 0.3 * wide.mean(axes), rtol=limit, atol=limit)
    np.testing.assert_allclose(var.numpy(), 0.7 * 2 + 0.3 * wide.var(axes) * count / (count - 1), rtol=10 * limit,
                               atol=limit)
    assert mean._version > before[0] and var._version > before[1]
    check_grads(lambda x, w, b: F.batch_norm(x, None, None, w, b, True, 0.1, 1e-3), [x, weight, bias], g, 50 * limit)


@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm_evaluation(shape, dtype, limit):
    rng = np.random.default_rng(sum(shape))
    x, g, weight, bias, mean = (numbers(rng, s, dtype) for s in (shape, shape, shape[1], shape[1], shape[1]))
    var = numbers(rng, shape[1], dtype) ** 2 + dtype(0.5)
    running = weft.tensor(mean), weft.tensor(var)
    got = F.batch_norm(weft.tensor(x), *running, weft.tensor(weight), weft.tensor(bias)).numpy()
    expected = (x - columns(mean, x)) / np.sqrt(columns(var, x).astype(np.float64)
                                                + 1e-5) * columns(weight, x) + columns(bias, x)
    np.testing.assert_allclose(got, expected, rtol=limit, atol=limit)
    assert np.array_equal(running[0].numpy(), mean)

    def run(x, w, b):
        kind = weft.float64 if x.dtype == weft.float64 else weft.float32
        return F.batch_norm(x, running[0].to(kind), running[1].to(kind), w, b)
    check_grads(run, [x, weight, bias], g, 50 * limit)


def test_batch_norm_other_forms():
    x = weft.randn(4, 3, 5)
    one = F.batch_norm(x, None, None, training=True)
    two = weft.batch_norm(x, None, None, None, None, True, 0.1, 1e-5, True)
    three, mean, rstd = weft.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)
    assert weft.equal(one, two) and weft.equal(one, three) and mean.shape == rstd.shape == (3,)
    half = x.bfloat16()
    kept = weft.zeros(3), weft.ones(3)
    assert F.batch_norm(half, *kept, training=True).dtype == weft.bfloat16
    np.testing.assert_allclose(kept[0].numpy(), 0.1 * x.numpy().mean((0, 2)), atol=2e-3)
    kept = weft.zeros(3, dtype=weft.bfloat16), weft.ones(3, dtype=weft.bfloat16)
    F.batch_norm(half, *kept, training=True)
    np.testing.assert_allclose(kept[0].float().numpy(), 0.1 * x.numpy().mean((0, 2)), atol=3e-3)


# group and instance norm

@pytest.mark.parametrize("dtype,limit", KINDS)
@pytest.mark.parametrize("shape,groups", [((2, 4), 2), ((3, 6, 5), 3), ((2, 4, 7, 7), 1), ((2, 4, 33), 4),
                                          ((2, 6, 40, 41), 2), ((1, 2, 3000), 1)])
def test_group_norm(shape, groups, dtype, limit):
    rng = np.random.default_rng(groups)
    x, g, weight, bias = (numbers(rng, s, dtype) for s in (shape, shape, shape[1], shape[1]))
    got = F.group_norm(weft.tensor(x), groups, weft.tensor(weight), weft.tensor(bias)).numpy()
    expected = formula(x.reshape(shape[0], groups, -1), None, None, 2,
                       1e-5).reshape(shape) * columns(weight, x) + columns(bias, x)
    np.testing.assert_allclose(got, expected, rtol=limit, atol=limit)
    check_grads(lambda x, w, b: F.group_norm(x, groups, w, b), [x, weight, bias], g, 50 * limit)
    check_grads(lambda x: F.group_norm(x, groups), [x], g, 50 * limit)


def test_instance_norm_and_its_running_statistics():
    rng = np.random.default_rng(0)
    x = numbers(rng, (3, 2, 5, 4), np.float32, 1.0)
    mean, var = weft.zeros(2), weft.ones(2)
    got = F.instance_norm(weft.tensor(x), mean, var).numpy()
    np.testing.assert_allclose(got, formula(x, None, None, (2, 3), 1e-5), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(mean.numpy(), 0.1 * x.mean((0, 2, 3)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(var.numpy(), 0.9 + 0.1 * x.var((2, 3), ddof=1).mean(0), rtol=1e-4)
    fixed = F.instance_norm(weft.tensor(x), mean, var, use_input_stats=False)
    assert weft.equal(fixed, F.batch_norm(weft.tensor(x), mean, var))
    with pytest.raises(RuntimeError, match="running_mean and running_var"):
        F.instance_norm(weft.tensor(x), use_input_stats=False)
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        F.instance_norm(weft.ones(2, 3, 1))


# all of them

RUNS = [
    ("layer", (700, 200), lambda x, w, b: F.layer_norm(x, (200,), w, b), 200),
    ("layer_short", (9000, 8), lambda x, w, b: F.layer_norm(x, (8,), w, b), 8),
    ("batch", (8, 6, 40, 40), lambda x, w, b: F.batch_norm(x, None, None, w, b, True), 6),
    ("batch_columns", (900, 130), lambda x, w, b: F.batch_norm(x, None, None, w, b, True), 130),
    ("group", (8, 6, 40, 40), lambda x, w, b: F.group_norm(x, 2, w, b), 6),
]


@pytest.mark.parametrize("name,shape,run,size", RUNS, ids=[r[0] for r in RUNS])
def test_results_do_not_depend_on_threads(name, shape, run, size):
    rng = np.random.default_rng(0)
    arrays = [numbers(rng, shape, np.float32), numbers(rng, size, np.float32), numbers(rng, size, np.float32)]
    g = numbers(rng, shape, np.float32)

    def all_of():
        inputs = [leaf(a) for a in arrays]
        return [run(*inputs).detach().numpy(), *grads_of(run, inputs, g, False)]
    for one, two in zip(with_threads(1, all_of), with_threads(2, all_of), strict=True):
        assert np.array_equal(one, two)


def test_large_results_that_go_past_the_caches():
    rng = np.random.default_rng(0)
    x, g = numbers(rng, (2100, 1024), np.float32), numbers(rng, (2100, 1024), np.float32)
    got = F.layer_norm(weft.tensor(x), (1024,)).numpy()
    np.testing.assert_allclose(got, formula(x, None, None, 1, 1e-5), rtol=1e-4, atol=1e-4)
    planes, slopes = x.reshape(7, 3, 320, 320), g.reshape(7, 3, 320, 320)
    got = F.batch_norm(weft.tensor(planes), None, None, training=True).numpy()
    np.testing.assert_allclose(got, formula(planes, None, None, (0, 2, 3), 1e-5), rtol=1e-4, atol=1e-4)
    check_grads(lambda x: F.group_norm(x, 3), [planes], slopes, 1e-3)
    check_grads(lambda x: F.layer_norm(x, (1024,)), [x], g, 1e-3)


@pytest.mark.parametrize("run,sizes", [
    (lambda x, w, b: F.layer_norm(x, (3, 4), w.view(3, 4), b.view(3, 4)), 12),
    (lambda x, w, b: F.rms_norm(x, (4,), w[:4]), 12), (lambda x, w, b: F.batch_norm(x, None, None, w[:3], b[:3], True),
                                                       3), (lambda x, w, b: F.group_norm(x, 3, w[:3], b[:3]), 3),
    (lambda x, w, b: F.batch_norm(x, weft.zeros(3, dtype=weft.float64), weft.full((3,), 2.0, dtype=weft.float64),
                                  w[:3], b[:3]), 3),
])
def test_first_and_second_derivatives(run, sizes):
    rng = np.random.default_rng(0)
    inputs = [leaf(numbers(rng, (2, 3, 4), np.float64)), leaf(numbers(rng, 12, np.float64)),
              leaf(numbers(rng, 12, np.float64))]
    assert weft.autograd.gradcheck(run, inputs)
    assert weft.autograd.gradgradcheck(run, inputs)


@pytest.mark.skipif(not NATIVE, reason="the reference works on other shapes")
@pytest.mark.parametrize("run", [lambda x: F.batch_norm(x, None, None, training=True), lambda x: F.group_norm(x, 2),
                                 lambda x: F.layer_norm(x, (5, 6)), lambda x: F.instance_norm(x)])
def test_the_gradient_is_kept_as_it_comes(run):
    """It once was a view of the kernel's result, so that the leaf took a copy of it: batch norm's step was 1.6 times as
    long."""
    class Seen(Watcher):
        names = []

        def after(self, op, values, outputs):
            self.names.append(op.name)

    x = leaf(numbers(np.random.default_rng(0), (3, 4, 5, 6), np.float32))
    y = run(x)
    grad = weft.randn(y.shape)
    with Seen() as seen:
        y.backward(grad)
    assert "clone" not in seen.names and any(name.endswith("_norm_grad") for name in seen.names)


def test_only_what_is_needed_has_a_gradient():
    x, w, b = weft.randn(4, 6), weft.ones(6, requires_grad=True), weft.zeros(6)
    F.layer_norm(x, (6,), w, b).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), F.layer_norm(x, (6,)).sum(0).numpy(), rtol=1e-4, atol=1e-5)
    b = weft.zeros(6, requires_grad=True)
    F.batch_norm(x, None, None, None, b, True).sum().backward()
    assert b.grad.tolist() == [4.0] * 6


ERRORS = [
    (lambda x: F.layer_norm(x, (4,)), RuntimeError, r"normalized_shape=\[4\], expected input with shape \[\*, 4\]"),
    (lambda x: F.layer_norm(x, (3,), weft.ones(4)), RuntimeError,
     "Expected weight to be of same shape as normalized_shape"),
    (lambda x: F.layer_norm(x, (3,), None, weft.ones(4)), RuntimeError, "Expected bias to be of same shape"),
    (lambda x: F.layer_norm(x, ()), RuntimeError, "at least 1-dimensional"),
    (lambda x: F.layer_norm(x, 3), TypeError, "must be tuple of ints"),
    (lambda x: F.layer_norm(x.long(), (3,)), NotImplementedError, "not implemented for 'Long'"),
    (lambda x: F.layer_norm(x, (3,), weft.ones(3).double()), RuntimeError, "mixed dtype"),
    (lambda x: F.rms_norm(x, (4,)), RuntimeError, "normalized_shape"),
    (lambda x: F.batch_norm(x, None, None), RuntimeError, "running_mean must be defined in evaluation mode"),
    (lambda x: F.batch_norm(x, weft.zeros(4), weft.ones(3)), RuntimeError,
     "running_mean should contain 3 elements not 4"),
    (lambda x: F.batch_norm(x, None, None, weft.ones(4), None, True), RuntimeError,
     "weight should contain 3 elements not 4"),
    (lambda x: F.batch_norm(x[:1], None, None, training=True), ValueError, "Expected more than 1 value per channel"),
    (lambda x: F.batch_norm(x[0], None, None, training=True), IndexError, "no dimension 1"),
    (lambda x: F.batch_norm(x, weft.zeros(3), weft.ones(3), training=True, momentum=None), TypeError, "momentum"),
    (lambda x: F.group_norm(x, 2), RuntimeError, "divisible by num_groups"),
    (lambda x: F.group_norm(x, 3, weft.ones(2)), RuntimeError,
     "weight to be a vector of size equal to the number of channels"),
    (lambda x: F.group_norm(x[:1, :1], 1), ValueError, "more than 1 value per channel"),
]


@pytest.mark.parametrize("run,kind,text", ERRORS)
def test_errors(run, kind, text):
    with pytest.raises(kind, match=text):
        run(weft.ones(4, 3))


@pytest.mark.skipif(not NATIVE, reason="no native kernels here")
def test_kernels_refuse_what_does_not_fit():
    x, w = np.ones((4, 6), np.float32), np.ones(6, np.float32)
    assert fast.layer_norm(x, 1, np.ones(5, np.float32), None, 1e-5) is None
    assert (fast.layer_norm(x, 3, None, None, 1e-5) is None and fast.layer_norm(x.astype(np.int64), 1, None, None,
                                                                                1e-5) is None)
    assert (fast.layer_norm(x[:, ::2], 1, None, None, 1e-5) is None
            and fast.layer_norm(x[:0], 1, None, None, 1e-5) is None)
    assert fast.layer_norm_backward(x[:3], x, 1, w[:4], w[:4], w, True, True, True) is None
    assert fast.layer_norm_backward(x, x, 1, w[:4], w[:3], w, True, True, True) is None
    assert fast.batch_norm(x, w, w, None, None, 0.1, 1e-5, False) is None
    assert fast.batch_norm_backward(x, x, w, w[:5], w, True, True, True, True) is None
    assert fast.group_norm(x, 4, None, None, 1e-5) is None and fast.group_norm(x, 0, None, None, 1e-5) is None
    assert fast.group_norm_backward(x, x, 2, np.ones((4, 2), np.float32), np.ones((4, 3), np.float32), None, True,
                                    True, True) is None


def test_cross_map_lrn_takes_images_only():
    with pytest.raises(ValueError, match="Expected input to be 4D, got 3D"):
        weft.nn.CrossMapLRN2d(3)(weft.ones(4, 2, 2))


@pytest.mark.skipif(not NATIVE, reason="there is no kernel")
def test_the_kernel_is_taken_after_running_statistics_wanted_gradients():
    """The joint rule, given flags for them, passed them on, and the kernel was not taken any more in that process."""
    x, mean = weft.randn(3, 4, 5, requires_grad=True), weft.zeros(4, requires_grad=True)
    F.batch_norm(x, mean, weft.ones(4)).sum().backward()
    assert weft.allclose(x.grad, weft.full_like(x, (1 + 1e-5) ** -0.5))
    test_the_gradient_is_kept_as_it_comes(lambda x: F.batch_norm(x, None, None, training=True))
