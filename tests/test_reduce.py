"""Reductions, running totals, softmax, norms and masked reductions, against NumPy and their own derivatives."""
import math

import numpy as np
import pytest

import weft

A = np.random.default_rng(0).standard_normal((3, 4)).astype("f4")
T = A.T      # not contiguous


def lse(a, axis):
    return np.log(np.exp(a).sum(axis))


# op, arguments, the NumPy reference
FORWARD = [
    ("sum", (), lambda a: a.sum()), ("sum", (0,), lambda a: a.sum(0)),
    ("sum", ((0, 1), True), lambda a: a.sum((0, 1), keepdims=True)), ("mean", (), lambda a: a.mean()),
    ("mean", (-1, True), lambda a: a.mean(-1, keepdims=True)), ("var", (0,), lambda a: a.var(0, ddof=1)),
    ("std", (False,), lambda a: a.std()), ("prod", (1,), lambda a: a.prod(1)), ("amax", ((0, 1),), lambda a: a.max()),
    ("amin", (1,), lambda a: a.min(1)), ("argmax", (0,), lambda a: a.argmax(0)), ("argmin", (), lambda a: a.argmin()),
    ("count_nonzero", (0,), lambda a: np.count_nonzero(a, 0)), ("any", (0,), lambda a: a.any(0)),
    ("cumsum", (0,), lambda a: a.cumsum(0)), ("cumprod", (-1,), lambda a: a.cumprod(-1)),
    ("logsumexp", (0,), lambda a: lse(a, 0)), ("softmax", (1,), lambda a: np.exp(a) / np.exp(a).sum(1, keepdims=True)),
    ("log_softmax", (0,), lambda a: a - lse(a, 0)), ("logcumsumexp", (0,), lambda a: np.log(np.exp(a).cumsum(0))),
    ("norm", (), lambda a: np.linalg.norm(a)), ("norm", (1, 0), lambda a: abs(a).sum(0)),
    ("norm", (math.inf, 1), lambda a: abs(a).max(1)), ("diff", (), lambda a: np.diff(a)),
    ("cov", (), lambda a: np.cov(a)), ("corrcoef", (), lambda a: np.corrcoef(a)), ("nansum", (0,), lambda a: a.sum(0)),
]


@pytest.mark.parametrize("name, args, reference", FORWARD, ids=[f"{n}{a}" for n, a, _ in FORWARD])
@pytest.mark.parametrize("array", [A, T], ids=["contiguous", "transposed"])
def test_forward(name, args, reference, array):
    x = weft.tensor(A) if array is A else weft.tensor(A).transpose(0, 1)
    found, expected = getattr(x, name)(*args), np.asarray(reference(array))
    assert found._array.shape == expected.shape
    assert found._array.dtype == (np.float32 if expected.dtype.kind == "f" else expected.dtype)
    np.testing.assert_allclose(found._array, expected, rtol=2e-5, atol=2e-6)


# the type of the result for bool, uint8, int32, int64
INTEGER_TYPES = [("sum", ("int64",) * 4), ("prod", ("int64",) * 4), ("cumsum", ("int64",) * 4),
                 ("amax", ("bool", "uint8", "int32", "int64")),
                 ("all", ("bool", "uint8", "bool", "bool")), ("logsumexp", ("float32",) * 4)]


@pytest.mark.parametrize("name, types", INTEGER_TYPES)
def test_types_of_integers(name, types):
    for given, expected in zip(("bool", "uint8", "int32", "int64"), types):
        x = weft.tensor(np.array([1, 0, 1]), dtype=getattr(weft, given))
        assert getattr(x, name)(0).dtype is getattr(weft, expected), given


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_half_types_are_summed_in_float32(half):
    x = weft.ones(5000, dtype=weft.float32).to(getattr(weft, half))
    # alone, float16 stops at 2048 and bfloat16 at 256
    assert float(x.sum().float()) == pytest.approx(5000, rel=4e-3)
    assert x.sum().dtype is getattr(weft, half)
    assert float(x.float().sum(dtype=getattr(weft, half)).float()) == pytest.approx(5000, rel=4e-3)


@pytest.mark.parametrize("layout", ["rows", "transposed", "sliced"])
def test_many_float32_are_summed_exactly_enough(layout):
    x = weft.tensor(np.full((400000, 3), 0.1, "f4"))
    found = x.sum(0) if layout == "rows" else x.transpose(0, 1).sum(1) if layout == "transposed" else x[:, :2].sum(0)
    np.testing.assert_allclose(found._array, 40000, rtol=1e-5)


def test_empty_and_zero_dim():
    empty = weft.zeros(0, 3)
    assert float(empty.sum()) == 0 and float(empty.prod()) == 1 and math.isnan(float(empty.mean()))
    assert empty.sum(0)._array.tolist() == [0, 0, 0] and empty.sum(1)._array.shape == (0,)
    assert empty.max(1)[0]._array.shape == (0,) and bool(empty.all()) and not bool(empty.any())
    zero = weft.tensor(2.5)
    assert (float(zero.sum(0)) == 2.5 and float(zero.softmax(0)) == 1 and float(zero.max(0)[0]) == 2.5
            and int(zero.argmax()) == 0)
    assert zero.sum(-1, True)._array.shape == () and float(zero.cumsum(0)) == 2.5


def grad(function, array):
    x = weft.tensor(np.asarray(array, "f8")).requires_grad_(True)
    return weft.autograd.grad(function(x), x)[0]._array.tolist()


# ties and singular places
GRADIENTS = [
    ("amax splits among equals", lambda x: x.amax(), [1, 3, 3], [0, .5, .5]),
    ("max() splits among equals", lambda x: x.max(), [3, 3, 1], [.5, .5, 0]),
    ("max(dim) takes the first of equals", lambda x: x.max(0)[0], [1, 3, 3], [0, 1, 0]),
    ("min(dim) takes the first of equals", lambda x: x.min(0).values, [1, 1, 3], [1, 0, 0]),
    ("median() splits among equals", lambda x: x.median(), [2, 2, 1, 3], [.5, .5, 0, 0]),
    ("prod with one zero", lambda x: x.prod(), [2, 0, 3], [0, 6, 0]),
    ("prod with two zeros", lambda x: x.prod(), [0, 0, 3], [0, 0, 0]),
    ("cumprod with zeros", lambda x: x.cumprod(0).sum(), [2, 0, 3, 4], [1, 2 + 6 + 24, 0, 0]),
    ("norm at zero", lambda x: x.norm(), [0, 0], [0, 0]),
    ("1-norm at zero", lambda x: x.norm(1), [0, -2], [0, -1]),
    ("inf-norm splits", lambda x: x.norm(math.inf), [2, -2], [.5, -.5]),
    ("std at zero", lambda x: x.std(), [1, 1], [0, 0]),
    ("logsumexp", lambda x: x.logsumexp(0), [0, 0], [.5, .5]),
    ("cummax takes the latest of equals", lambda x: x.cummax(0)[0].sum(), [2, 2, 1], [1, 2, 0]),
    ("logcumsumexp of -inf", lambda x: x.logcumsumexp(0)[2], [-math.inf, 0, 0], [0, .5, .5]),
    ("cdist of equal points", lambda x: weft.cdist(x.reshape(1, 2), x.detach().reshape(1, 2)).sum(), [1, 2], [0, 0]),
]


@pytest.mark.parametrize("what, function, array, expected", GRADIENTS, ids=[g[0] for g in GRADIENTS])
def test_gradient_at_singular_places(what, function, array, expected):
    np.testing.assert_allclose(grad(function, array), expected, atol=1e-12)


CHECKED = [
    "x.sum((0, 1))", "x.mean(0)", "x.var(1)", "x.std(0, False)", "x.prod(0)", "x.amax(1)", "x.max(0)[0]",
    "x.cumsum(1)", "x.cumprod(0)", "x.cummin(1)[0]", "x.logcumsumexp(0)", "x.softmax(1)", "x.log_softmax(0)",
    "x.logsumexp((0, 1))", "x.norm()", "x.norm(3, 0)", "x.norm(1.5)", "x.renorm(2, 0, 1.0)",
    "weft.cdist(x, x * 2 + 1)", "weft.cdist(x, x * 2 + 1, 3.0)", "weft.cov(x)", "weft.corrcoef(x)",
    "weft.gradient(x, edge_order=2)[0]", "weft.trapezoid(x, x * x)", "x.sum_to_size(3, 1)",
    "weft.masked.var(x, 0, mask=x > -1)", "weft.masked.log_softmax(x, 0, mask=x > -9)",
]


@pytest.mark.parametrize("text", CHECKED)
def test_both_derivatives_against_differences(text):
    array = np.random.default_rng(5).standard_normal((3, 3)) + np.arange(9).reshape(3, 3) % 4 * 0.37
    x = weft.tensor(array).requires_grad_(True)
    function = eval("lambda x: " + text, {"weft": weft})
    assert weft.autograd.gradcheck(function, (x,))
    assert weft.autograd.gradgradcheck(function, (x,))


def test_second_derivative_of_prod_at_zeros():
    x = weft.tensor(np.array([2., 0., 0., 5.])).requires_grad_(True)
    first, = weft.autograd.grad(x.prod(), x, create_graph=True)
    second, = weft.autograd.grad(first[1], x)
    assert second._array.tolist() == [0, 0, 10, 0]       # the product of all others than the two


def test_long_recurrence_in_cumprod_gradient():
    array = np.random.default_rng(2).uniform(0.9, 1.1, 700)
    array[300] = 0
    found = grad(lambda x: x.cumprod(0).sum(), array)
    step = 1e-6
    for at in (10, 300, 600):
        up, down = array.copy(), array.copy()
        up[at] += step
        down[at] -= step
        assert found[at] == pytest.approx((up.cumprod().sum() - down.cumprod().sum()) / (2 * step), rel=1e-5, abs=1e-6)


def test_softmax_of_infinite_values():
    x = weft.tensor([[1000., 0., -math.inf], [-math.inf] * 3])
    found = x.softmax(1)._array
    assert found[0].tolist() == [1, 0, 0] and np.isnan(found[1]).all()
    assert x.logsumexp(1)._array.tolist() == [1000, -math.inf]


MESSAGES = [
    (lambda: weft.tensor([1, 2]).mean(), RuntimeError, "could not infer output dtype"),
    (lambda: weft.zeros(2).sum(3), IndexError, "Dimension out of range"),
    (lambda: weft.zeros(2, 2).sum((0, 0)), RuntimeError, "appears multiple times"),
    (lambda: weft.zeros(0).max(), RuntimeError, "Expected reduction dim to be specified"),
    (lambda: weft.zeros(0, 2).max(0), IndexError, "non-zero size"),
    (lambda: weft.zeros(0, 2).amax(0), IndexError, "non-zero size"),
    (lambda: weft.tensor([1, 2]).var(), RuntimeError, "only support floating point"),
    (lambda: weft.zeros(3).var(0, True, correction=1), TypeError, "give correction= alone"),
    (lambda: weft.zeros(3).sum_to_size(2), RuntimeError, "is not expandable"),
    (lambda: weft.tensor([1, 2]).softmax(0), NotImplementedError, "dtype=torch.float32"),
    (lambda: weft.tensor([True]).argmax(), RuntimeError, "does not support bool"),
    (lambda: weft.tensor([1, 2]).norm(), RuntimeError, "floating point or complex"),
    (lambda: weft.cdist(weft.zeros(2, 3), weft.zeros(2, 4)), RuntimeError, "same number of columns"),
    (lambda: weft.zeros(3).renorm(2, 0, 1.0), RuntimeError, "at least 2 dimensions"),
    (lambda: weft.zeros(3).prod((0,)), TypeError, "must be int"),
    (lambda: weft.masked.mean(weft.tensor([1, 2])), ValueError, "Could not infer output dtype"),
    (lambda: weft.masked.mean(weft.ones(2), dtype=weft.int64), ValueError, "Optional dtype must be"),
    (lambda: weft.ones(2).mean(dtype=weft.int64), RuntimeError,
     "Optional dtype must be either a floating point or complex dtype. Got: L"),
    (lambda: weft.nanmean(weft.ones(2), dtype=weft.int64), RuntimeError, "Optional dtype"),
    (lambda: weft.nansum(weft.ones(2), dtype=weft.complex64), NotImplementedError, "nansum_cpu"),
    (lambda: weft.max(2, weft.ones(2)), TypeError, "invalid combination of arguments"),
    (lambda: weft.aminmax(weft.zeros(0)), RuntimeError, "has no identity"),
    (lambda: weft.norm(weft.ones(2), 2, 0, dtype=weft.float16), RuntimeError, "without narrowing"),
    (lambda: weft.norm(weft.ones(2), 2, 0, dtype=weft.complex64), RuntimeError, "should be real for real inputs"),
    (lambda: weft.norm(weft.ones(2, 2), "nuc", 0), RuntimeError, "two dimensions of the matrices"),
    (lambda: weft.histogram(weft.ones(3), weft.ones(2, 2)), RuntimeError, "should have one dimension"),
    (lambda: weft.histogram(weft.ones(3), 3, range=(1.0, math.nan)), RuntimeError, "not finite"),
    (lambda: weft.isin(1, 2), TypeError, "at least one tensor"),
    (lambda: weft.isin(weft.tensor([True]), weft.tensor([True])), RuntimeError, "Unsupported input type"),
    (lambda: weft.searchsorted(weft.arange(3), 1, sorter=weft.tensor([0, 1, 3])), RuntimeError,
     "sorter index out of range"),
    (lambda: weft.searchsorted(weft.arange(3), 1, sorter=weft.ones(3)), RuntimeError,
     "sorter must be a tensor of long dtype"),
    (lambda: weft.cov(weft.ones(2, 3), fweights=weft.ones(3)), RuntimeError, "fweights to have integral dtype"),
    (lambda: weft.gradient(weft.ones(3, 3), dim=(1, 1)), RuntimeError, "dim 1 appears multiple times"),
]


@pytest.mark.parametrize("call, kind, text", MESSAGES, ids=[m[2] for m in MESSAGES])
def test_messages(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


MASKED = [("sum", 4., 0.), ("prod", 3., 1.), ("amax", 3., -math.inf), ("amin", 1., math.inf), ("mean", 2., math.nan),
          ("var", 2., math.nan)]


@pytest.mark.parametrize("name, kept, none", MASKED)
def test_masked(name, kept, none):
    """A row with two elements kept, and one with none."""
    x = weft.tensor([[1., 2., 3.], [4., 5., 6.]])
    mask = weft.tensor([[True, False, True], [False, False, False]])
    np.testing.assert_array_equal(getattr(weft.masked, name)(x, 1, mask=mask)._array, np.array([kept, none], "f4"))


def test_out_and_named_results():
    x = weft.tensor(A)
    out = weft.zeros(3)
    assert weft.sum(x, 1, out=out) is out
    np.testing.assert_allclose(out._array, A.sum(1), rtol=1e-6)
    values, indices = weft.zeros(3), weft.zeros(3, dtype=weft.int64)
    found = weft.max(x, 1, out=(values, indices))
    assert found.values is values and found.indices is indices and indices._array.tolist() == A.argmax(1).tolist()
    assert type(x.max(1)).__name__ == "max" and x.aminmax()._fields == ("min", "max")


# old faults

def test_masked_reductions_keep_the_type_asked_for():
    x, mask = weft.tensor([1, 2, 3]), weft.tensor([True, False, True])
    assert weft.masked.sum(x, dtype=weft.int32, mask=mask).dtype is weft.int32
    z = weft.tensor([1 + 1j, 2, 3])
    assert weft.masked.var(z).dtype is weft.complex64 and weft.masked.std(z, mask=mask).dtype is weft.complex64
    assert weft.masked.prod(weft.ones(2, 3), []).shape == (2, 3)


def test_masked_extremes_of_bool_need_no_identity_without_a_mask():
    assert weft.masked.amax(weft.tensor([True, False])).item() is True
    with pytest.raises(NotImplementedError):
        weft.masked.amax(weft.tensor([True, False]), mask=weft.tensor([True, True]))


def test_masked_logsumexp_takes_complex():
    z = np.array([1 + 1j, 2 - 1j, 3], "c8")
    found = weft.masked.logsumexp(weft.tensor(z), 0, mask=weft.tensor([True, False, True]))
    np.testing.assert_allclose(found._array, np.log(np.exp(z[0]) + np.exp(z[2])), rtol=1e-5)


def test_whole_sum_to_size_of_integers_is_int64():
    assert weft.tensor(3, dtype=weft.int32).sum_to_size(()).dtype is weft.int64
    assert weft.ones(1, dtype=weft.int32).sum_to_size(()).dtype is weft.int64
    assert weft.ones(3, dtype=weft.int32).sum_to_size(3).dtype is weft.int32


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "logsumexp"])
def test_zero_dim_reduced_along_its_one_dimension_has_a_gradient(name):
    x = weft.tensor(2.0, requires_grad=True)
    getattr(x, name)(-1).backward()
    assert x.grad._array.shape == () and x.grad.item() == 1


def test_norm_of_nothing_has_finite_second_derivatives():
    x, g = weft.zeros(0, requires_grad=True), weft.ones((), requires_grad=True)
    first, = weft.autograd.grad(weft.linalg.vector_norm(x), x, g, create_graph=True)
    found = weft.autograd.grad(first, (x, g), weft.ones(0), allow_unused=True)
    assert all(t is None or np.isfinite(t._array).all() for t in found)


def test_variance_without_freedom_warns():
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert math.isnan(weft.ones(1).var().item())


def test_searchsorted_of_nothing_and_of_mixed_types():
    assert weft.searchsorted(weft.zeros(0, 0), weft.zeros(0, 0)).shape == (0, 0)
    assert weft.searchsorted(weft.zeros(2, 3), weft.zeros(2, 0)).shape == (2, 0)
    assert weft.searchsorted(weft.zeros(2, 0), weft.zeros(2, 3))._array.tolist() == [[0, 0, 0]] * 2
    assert weft.searchsorted(weft.tensor([1, 3, 5]), weft.tensor([2.5, 3.0]))._array.tolist() == [1, 1]


def test_histc_of_half_types_rounds_after_each_step():
    x = weft.tensor([-10, -9.9, 0, 0.1, 0.2, 5, 10])
    assert weft.histc(x.half(), 100, -10, 10).nonzero()._array.ravel().tolist() == [0, 50, 51, 75, 99]
    assert weft.histc(x.bfloat16(), 100, -10, 10).dtype is weft.bfloat16


@pytest.mark.parametrize("call", [
    lambda x: x.sum(2), lambda x: x.mean(dim=-3), lambda x: x.softmax(2), lambda x: weft.cat([x, x], 2),
    lambda x: x.transpose(0, 2), lambda x: x.argmax(5), lambda x: x.sort(2), lambda x: x.cumsum(2),
    lambda x: x.split(1, 2), lambda x: x.std(2), lambda x: x.norm(dim=2), lambda x: x.unbind(2), lambda x: x.flip(2),
    lambda x: x.logsumexp(2),
    lambda x: x.gather(2, weft.zeros(2, 3, dtype=weft.int64)), lambda x: x.to("meta").sum(2)])
def test_a_wrong_dimension_is_told_with_line_and_shape(call):
    with pytest.raises(IndexError) as error:
        call(weft.ones(2, 3))
    text = str(error.value)
    assert text.startswith("Dimension out of range (expected to be in range of [-2, 1], but got ")
    assert "for a tensor of shape [2, 3]" in text and "\n  in  test_reduce.py:" in text and "\n  fix: " in text
