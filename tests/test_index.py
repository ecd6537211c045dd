"""Indexing without PyTorch: values against NumPy or by hand, gradients against finite differences, errors by their
words.
"""
import itertools

import numpy as np
import pytest

import weft
from weft._pure import PURE
from weft.kernels import native
from weft.ops.index.view import _view as reference_view


def arange(*shape, dtype="f4"):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def leaf(*shape, seed=0):
    return weft.tensor(np.random.default_rng(seed).standard_normal(shape), requires_grad=True)


def numbers(t):
    return np.asarray(t._array)


# reading

BASIC = [0, -1, slice(1, 3), slice(None, None, 2), None, Ellipsis, (0, 1), (slice(None), 1), (..., 0),
         (None, 0, ..., 1), (0, 1, 2), (slice(-9, 9), 0), (slice(2, 1),), (), (1, slice(0, 0))]


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_basic_indexing_is_a_view(index):
    array = arange(3, 4, 5)
    x = weft.tensor(array)
    y = x[index]
    assert np.array_equal(numbers(y), array[index])
    assert np.shares_memory(y._array, x._array) or y._array.size == 0
    assert isinstance(y._array, np.ndarray)


ADVANCED = [[0, 2], np.array([2, 0, 0]), np.array([[0, 1], [2, -1]]), (slice(None), np.array([3, 0])),
            (np.array([0, 1]), np.array([2, 3])), (np.array([0, 1]), slice(None), np.array([2, 3])),
            (..., np.array([4, 4])), np.array([True, False, True]),
            (slice(None), np.array([True, False, True, False])), (np.array([[0], [1]]), np.array([[0, 3]])),
            np.zeros(0, int), (np.array([0, 1]), None, np.array([1, 2])), True, False]


@pytest.mark.parametrize("index", ADVANCED, ids=str)
def test_advanced_indexing_copies(index):
    array = arange(3, 4, 5)
    x = weft.tensor(array)
    y = x[index]
    assert np.array_equal(numbers(y), array[index])
    assert not np.shares_memory(y._array, x._array)
    assert y._array.flags.c_contiguous
    as_tensors = tuple(weft.tensor(i) if isinstance(i, np.ndarray) else i for i in (index if isinstance(index, tuple)
                                                                                    else (index,)))
    assert np.array_equal(numbers(x[as_tensors]), array[index])


def test_an_int_beside_an_index_is_taken_first():
    """NumPy would put the indexed dimension first here; PyTorch doesn't."""
    x = weft.tensor(arange(3, 4, 5))
    assert x[0, :, [0, 1]].shape == (4, 2)
    assert x[[0, 1], :, [0, 1]].shape == (2, 4)


def test_full_mask_and_comparison():
    x = weft.tensor(arange(3, 4))
    assert x[x > 8].tolist() == [9, 10, 11]


def test_index_tensors_of_other_types():
    x = weft.tensor(arange(3, 4))
    assert x[weft.tensor(1)].shape == (4,)
    assert x[weft.tensor(np.array([1], "i4"))].shape == (1, 4)
    with pytest.warns(UserWarning, match="uint8"):
        assert x[weft.tensor(np.array([1, 0, 1], "u1"))].shape == (2, 4)
    assert x[:weft.tensor(2)].shape == (2, 4)
    assert x[np.int64(1), np.int32(2)].item() == 6


ERRORS = [
    (5, IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
    ((0, -5), IndexError, "index -5 is out of bounds for dimension 1 with size 4"),
    ((..., 9), IndexError, "index 9 is out of bounds for dimension 1 with size 4"),
    ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
    ((0, slice(None), slice(None)), IndexError, "too many indices"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    ((slice(None, None, -1), 0), ValueError, "step must be greater than zero"),
    (1.0, IndexError, "only integers, slices"),
    ("a", TypeError, "invalid data type"),
    (slice(0, 1.5), TypeError, "slice indices must be integers"),
    ([0, 5], IndexError, "index 5 is out of bounds for dimension 0"),
    (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together with shapes \\[2\\], \\[3\\]"),
    (np.array([True, False]), IndexError, "The shape of the mask \\[2\\] at index 0 does not match"),
]


@pytest.mark.parametrize("index, kind, text", ERRORS, ids=str)
def test_errors(index, kind, text):
    x = weft.tensor(arange(3, 4))
    with pytest.raises(kind, match=text) as caught:
        x[index]
    if kind is IndexError:
        assert "fix:" in str(caught.value)
    with pytest.raises(kind):
        x[index] = 1.0


def test_errors_of_zero_dim_tensors_and_float_indices():
    z = weft.tensor(3.0)
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        z[0]
    with pytest.raises(IndexError, match="cannot be applied to a 0-dim tensor"):
        z[:]
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        weft.tensor(arange(3))[weft.tensor([1.0])]
    assert z[...].shape == () and z[None].shape == (1,) and z[True].shape == (1,)


def test_iteration_and_contains():
    x = weft.tensor(arange(3, 2))
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert 3.0 in x and 7.0 not in x
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(weft.tensor(1.0))
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar"):
        "a" in x  # noqa: B015


# gradients

def check_gradient(function, *inputs, tolerance=1e-6):
    """First derivatives against differences; second ones by differences of the first."""
    out = function(*inputs)
    cotangent = weft.tensor(np.random.default_rng(9).standard_normal(out._array.shape))
    grads = weft.autograd.grad(out, inputs, cotangent, create_graph=True)
    step = 1e-6
    for x, grad in zip(inputs, grads):
        for place in np.ndindex(x._array.shape):
            kept = x._array[place]
            x._array[place] = kept + step
            up = (numbers(function(*inputs)) * cotangent._array).sum()
            x._array[place] = kept - step
            down = (numbers(function(*inputs)) * cotangent._array).sum()
            x._array[place] = kept
            assert abs((up - down) / (2 * step) - grad._array[place]) < tolerance, (place, grad._array)


I = weft.tensor(np.array([0, 2, 0]))
J = weft.tensor(np.array([1, 3, 1]))
MASK = weft.tensor(arange(3, 4) % 3 == 0)
GRADS = {
    "int": lambda x: x[1],
    "slice": lambda x: x[1:, ::2],
    "mixed": lambda x: x[None, 0, 1:3],
    "element": lambda x: x[1, 2],
    "rows": lambda x: x[I],
    "columns": lambda x: x[:, J],
    "pairs": lambda x: x[I, J],
    "mask": lambda x: x[MASK],
    "half advanced": lambda x: x[1:, J],
    "gather": lambda x: x.gather(1, weft.tensor(np.array([[0, 0], [1, 3]]))),
    "index_select": lambda x: weft.index_select(x, 1, J),
    "take": lambda x: x.take(weft.tensor(np.array([[0, 11], [0, -1]]))),
    "take_along_dim": lambda x: x.take_along_dim(weft.tensor(np.array([[0], [1], [-1]])), 1),
    "masked_select": lambda x: x.masked_select(MASK),
    "masked_fill": lambda x: x.masked_fill(MASK, 2.0),
    "where": lambda x: weft.where(MASK, x, 2 * x),
    "index_fill": lambda x: x.index_fill(0, I, 3.0),
    "scatter value": lambda x: x.scatter(0, weft.tensor(np.array([[0, 2]])), 3.0),
    "fill": lambda x: weft.fill(x, 2.0) + x,
    "zero": lambda x: (x * 1).zero_() + x,
}


@pytest.mark.parametrize("name", GRADS)
def test_gradients_of_reading(name):
    check_gradient(GRADS[name], leaf(3, 4))


def scatter_index():
    return weft.tensor(np.array([[0, 2, 1, 0], [0, 2, 2, 1]]))


def set_through(x, y):
    z = x * 2
    z[1:, 1] = y[:2, 0]
    z[0] = y[0] * z[0].clone()
    return z


def set_at_indices(x, y):
    z = x * 2
    z[weft.tensor(np.array([0, 2]))] = y[:2]
    z[MASK] = y[0, 0] * 3
    return z


TWO = {
    "index_put": lambda x, y: x.index_put((weft.tensor(np.array([2, 0])),), y[:2]),
    "index_put accumulate": lambda x, y: x.index_put((I, J), y[:, 0], accumulate=True),
    "index_put broadcast": lambda x, y: x.index_put((MASK,), y[0, 0]),
    "put": lambda x, y: x.put(weft.tensor(np.array([0, 5, 11])), y[:, 0]),
    "put accumulate": lambda x, y: x.put(weft.tensor(np.array([0, 5, 0])), y[:, 0], accumulate=True),
    "index_add": lambda x, y: x.index_add(0, I, y, alpha=2),
    "index_copy": lambda x, y: x.index_copy(0, weft.tensor(np.array([2, 0])), y[:2]),
    "index_fill": lambda x, y: x.index_fill(0, I, y[0, 0]),
    "scatter": lambda x, y: x.scatter(0, weft.tensor(np.array([[0, 2, 1, 0]])), y),
    "scatter_add": lambda x, y: x.scatter_add(0, scatter_index(), y),
    "scatter_add in place": lambda x, y: (x * 1).scatter_add_(0, scatter_index(), y * y),
    "index_add in place": lambda x, y: (x * 1).index_add_(0, I, y * y),
    "masked_scatter": lambda x, y: x.masked_scatter(MASK, y),
    "masked_scatter in place": lambda x, y: (x * 1).masked_scatter_(MASK, y * y),
    "masked_fill": lambda x, y: x.masked_fill(MASK, y[0, 0]),
    "masked_fill in place": lambda x, y: (x * 1).masked_fill_(MASK, y[0, 0]),
    "where": lambda x, y: weft.where(MASK, x * y, y),
    "fill": lambda x, y: (x * 1).fill_(y[0, 0]) * y,
    "setitem": set_through,
    "setitem at indices": set_at_indices,
    **{f"scatter_reduce {how} {own}": lambda x, y, how=how,
       own=own: x.scatter_reduce(0, scatter_index(), y, how, include_self=own)
       for how in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)},
    **{f"index_reduce {how}": lambda x, y, how=how: x.index_reduce(0, I, y, how)
       for how in ("prod", "mean", "amax", "amin")},
}


@pytest.mark.parametrize("name", TWO)
def test_gradients_of_writing(name):
    check_gradient(TWO[name], leaf(3, 4), leaf(3, 4, seed=1))


@pytest.mark.parametrize("name", [*GRADS, *TWO])
def test_second_derivatives(name):
    function = GRADS.get(name) or TWO[name]
    inputs = [leaf(3, 4), leaf(3, 4, seed=1)][:1 if name in GRADS and GRADS[name] is function else 2]

    def first(*xs):
        out = function(*xs)
        parts = weft.autograd.grad((out * out).sum(), xs, create_graph=True)
        total = parts[0].sum() * 0
        for k, part in enumerate(parts):
            total = total + (part * part).sum() * (k + 1)
        return total
    check_gradient(first, *inputs, tolerance=2e-4)


def test_ties_share_the_gradient_evenly():
    x = weft.tensor([1.0, 5.0], requires_grad=True)
    src = weft.tensor([5.0, 5.0, 0.0], requires_grad=True)
    x.scatter_reduce(0, weft.tensor([1, 1, 0]), src, "amax").sum().backward()
    assert x.grad.tolist() == pytest.approx([1, 1 / 3])
    assert src.grad.tolist() == pytest.approx([1 / 3, 1 / 3, 0])


@pytest.mark.parametrize("zeros", [1, 2])
def test_products_with_zeros(zeros):
    src = weft.tensor([0.0, 3.0, 0.0 if zeros == 2 else 4.0], requires_grad=True)
    weft.tensor([2.0]).scatter_reduce(0, weft.tensor([0, 0, 0]), src, "prod").sum().backward()
    assert src.grad.tolist() == ([24.0, 0, 0] if zeros == 1 else [0, 0, 0])


# writing

def test_setitem_writes_and_counts():
    x = weft.tensor(arange(3, 4))
    before = x._version
    x[0] = 7
    x[1, 1:3] = weft.tensor([8.0, 9.0])
    x[2] = weft.tensor(arange(1, 1, 4))      # leading dimensions of length 1 are dropped
    x[[0, 1], [0, 0]] = -1.0
    x[x > 8] = 0
    assert x.tolist() == [[-1, 7, 7, 7], [-1, 8, 0, 7], [0, 1, 2, 3]]
    assert x._version == before + 5


def test_setitem_converts_lists_and_types():
    x = weft.tensor(arange(3, dtype="i8"))
    x[0] = 1.7
    x[1:] = weft.tensor([2.9, 3.9])
    assert x.tolist() == [1, 2, 3]
    x[:2] = [5, 6]
    assert x.tolist() == [5, 6, 3]
    with pytest.raises(TypeError, match="can't assign a NoneType"):
        x[0] = None
    with pytest.raises(RuntimeError, match="dtypes match"):
        x[weft.tensor([0])] = weft.tensor([1.0])


@pytest.mark.parametrize("index, value, text", [
    (0, (2,), "must match the existing size"), (0, (2, 4), "number of sizes provided"),
    ([0, 1], (3, 4), "shape mismatch")])
def test_setitem_of_a_wrong_shape(index, value, text):
    x = weft.tensor(arange(3, 4))
    with pytest.raises(RuntimeError, match=text):
        x[index] = weft.tensor(arange(*value))
    assert x.tolist() == arange(3, 4).tolist()


def test_setitem_of_overlapping_parts():
    x = weft.tensor(arange(5))
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3]


def test_setitem_on_a_leaf_is_refused_except_under_no_grad():
    x = weft.tensor([1.0, 2.0], requires_grad=True)
    for index in (0, [0]):
        with pytest.raises(RuntimeError, match="leaf"):
            x[index] = 5.0
    with weft.no_grad():
        x[0] = 5.0
        x[[1]] = 6.0
    assert x.tolist() == [5, 6] and x.requires_grad


def test_setitem_takes_the_value_into_the_graph():
    x, y = weft.zeros(2, 3), weft.tensor([1.0, 2.0], requires_grad=True)
    x[:, 1] = y
    x[weft.tensor([0]), weft.tensor([2])] = y[1:] * 4
    (x * x).sum().backward()
    assert y.grad.tolist() == [2, 4 + 64]


def test_a_source_may_change_after_it_was_written():
    """index_put and its like keep the source's shape, not the source."""
    x, y = weft.zeros(3), weft.tensor([1.0], requires_grad=True) * 1
    x.index_add_(0, weft.tensor([1]), y)
    x.index_put_((weft.tensor([2]),), y)
    y.zero_()
    x.sum().backward()


def test_reading_does_not_keep_the_source():
    x = weft.tensor(arange(4), requires_grad=True) * 1
    y, z = x[weft.tensor([0, 1])], x[1:]
    x.add_(1)
    weft.autograd.backward([y, z], [weft.ones(2), weft.ones(3)])


def test_in_place_forms_write_into_views():
    x = weft.tensor(arange(4, 3))
    x.t().index_add_(1, weft.tensor([0, 0]), weft.ones(3, 2))
    assert x[0].tolist() == [2, 3, 4]
    x.t().scatter_(0, weft.tensor([[0, 1, 2, 0]]), 9.0)
    assert [x[0, 0].item(), x[1, 1].item(), x[2, 2].item(), x[3, 0].item()] == [9] * 4
    x[:, 1].masked_fill_(weft.tensor([True, False, False, False]), -1)
    assert x[0, 1].item() == -1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32", "uint8", "bool", "complex64"])
def test_types_are_kept(dtype):
    d = getattr(weft, dtype)
    x = weft.tensor(arange(3, 4)).to(d)
    i = weft.tensor(np.array([[0, 1, 2, 0]]))
    src = weft.tensor(np.ones((1, 4), "f4")).to(d)
    made = [x[0], x[I], x[x != 0], x.gather(0, i), x.index_select(0, I), x.take(i), x.masked_fill(MASK, 1),
            x.scatter(0, i, src), x.scatter_add(0, i, src), x.index_add(0, weft.tensor([0]), src),
            x.index_copy(0, weft.tensor([0]), src), x.index_fill(0, I, 1), weft.where(MASK, x, x),
            weft.where(MASK, x, True), x.masked_scatter(MASK, x), x.index_put((I, J), src[0, :3], accumulate=True),
            weft.fill(x, 1), x.clone().zero_(), x.clone().scatter_add_(0, i, src)]
    assert [m.dtype for m in made] == [d] * len(made)


def test_where_promotes():
    c = weft.tensor([True, False])
    assert weft.where(c, 1, 2).dtype == weft.int64
    assert weft.where(c, 1, 2.0).dtype == weft.float32
    assert weft.where(c, weft.tensor([1, 2]), 0.5).tolist() == [1, 0.5]
    assert [t.tolist() for t in weft.where(c)] == [[0]]
    assert weft.tensor([1.0, 2.0]).where(c, 0).tolist() == [1, 0]
    with pytest.raises(RuntimeError, match="boolean tensor"):
        weft.where(weft.tensor([1.0]), 1, 2)


def test_nonzero():
    x = weft.tensor([[0, 3], [4, 0]])
    assert x.nonzero().tolist() == [[0, 1], [1, 0]]
    assert [t.tolist() for t in x.nonzero(as_tuple=True)] == [[0, 1], [1, 0]]
    assert weft.argwhere(weft.tensor(1.0)).shape == (1, 0)
    assert weft.nonzero(weft.tensor(0.0)).shape == (0, 0)


WRONG = [
    (lambda x: x.gather(0, weft.tensor([[5]])), RuntimeError, "index 5 is out of bounds for dimension 0 with size 3"),
    (lambda x: x.gather(0, weft.tensor([[-1]])), RuntimeError, "index -1 is out of bounds"),
    (lambda x: x.gather(0, weft.tensor([[0.0]])), RuntimeError, "Expected dtype int32/int64 for index"),
    (lambda x: x.gather(0, weft.tensor([0])), RuntimeError, "same number of dimensions"),
    (lambda x: x.gather(2, weft.tensor([[0]])), IndexError, "Dimension out of range"),
    (lambda x: x.index_select(0, weft.tensor([5])), IndexError, "index out of range in self"),
    (lambda x: x.index_select(0, weft.tensor([[0]])), IndexError, "vector"),
    (lambda x: x.index_add(0, weft.tensor([0]), x), RuntimeError, "Number of indices"),
    (lambda x: x.index_add(0, weft.tensor([9]), x[:1]), RuntimeError, "out of bounds"),
    (lambda x: x.index_copy(0, weft.tensor([9]), x[:1]), IndexError, "out of bounds"),
    (lambda x: x.index_fill(0, weft.tensor([0]), weft.tensor([1.0])), RuntimeError, "0-dimensional value"),
    (lambda x: x.index_reduce(0, weft.tensor([0]), x[:1], "sum"), RuntimeError, "Expected reduce to be one of"),
    (lambda x: x.scatter(0, weft.tensor([[7]]), 1.0), RuntimeError, "out of bounds"),
    (lambda x: x.scatter(0, weft.tensor([[0]]), x.double()), RuntimeError,
     "Expected self.dtype to be equal to src.dtype"),
    (lambda x: x.scatter_reduce(0, weft.tensor([[0]]), x, "mode"), RuntimeError, "reduce argument must be either"),
    (lambda x: x.masked_fill(x, 1.0), RuntimeError, "only supports boolean masks"),
    (lambda x: x.masked_fill(MASK, 1j), RuntimeError, "without overflow"),
    (lambda x: x.masked_scatter(MASK, x[0, :1]), RuntimeError, "Number of elements of source < number of ones in mask"),
    (lambda x: x.take(weft.tensor([12])), IndexError, "out of range"),
    (lambda x: x.put(weft.tensor([0]), weft.tensor([1.0, 2.0])), IndexError, "same number of elements"),
    (lambda x: x.index_put((weft.tensor([0]),), weft.tensor([1])), RuntimeError, "dtypes match"),
    (lambda x: x.expand(3, 4).clone().expand(2, 3, 4).add_(1.0), RuntimeError, "single"),
]


@pytest.mark.parametrize("call, kind, text", WRONG, ids=[text for _, _, text in WRONG])
def test_wrong_arguments(call, kind, text):
    with pytest.raises(kind, match=text):
        call(weft.tensor(arange(3, 4)))


# faults of old

def test_a_mask_takes_one_number_of_any_type():
    mask = weft.tensor([True, False, True])
    for value in (weft.tensor(5), weft.tensor([5]), weft.tensor([[5]])):
        x = weft.zeros(3)
        x[mask] = value
        assert x.tolist() == [5, 0, 5]
    x = weft.zeros(2, 3)
    x[:, mask] = weft.tensor([5])
    assert x.tolist() == [[5, 0, 5]] * 2
    assert weft.zeros(3).index_put((mask,), weft.tensor([5])).tolist() == [5, 0, 5]
    with pytest.raises(RuntimeError, match="dtypes match"):
        weft.zeros(3).index_put_((mask,), weft.tensor([5, 6]))


def test_byte_masks_warn():
    mask = weft.tensor([1, 0], dtype=weft.uint8)
    with pytest.warns(UserWarning, match="uint8"):
        weft.zeros(2).index_put_((mask,), weft.tensor(1.))


def test_nonzero_lies_in_memory_by_dimension():
    assert weft.ones(2, 2).nonzero().stride() == (1, 4)


def test_nonzero_static():
    x = weft.tensor([[1, 0], [3, 4]])
    assert weft.nonzero_static(x, size=2).tolist() == [[0, 0], [1, 0]]
    assert x.nonzero_static(size=4, fill_value=9).tolist() == [[0, 0], [1, 0], [1, 1], [9, 9]]


def test_masked_fill_of_a_transposed_tensor_is_contiguous():
    x = weft.arange(6).view(2, 3).t()
    y = x.masked_fill(x > 3, 0)
    assert y.is_contiguous() and y.tolist() == [[0, 3], [1, 0], [2, 0]]


def test_items_cannot_be_deleted():
    x = weft.zeros(2)
    with pytest.raises(TypeError):
        del x[0]


def test_unravel_index_takes_no_tensor_as_shape():
    with pytest.raises(TypeError, match="shape"):
        weft.unravel_index(weft.tensor([1]), weft.tensor([1, 2]))


INDEX_ITEMS = [0, -1, 2, 9, -9, 2**70, True, None, ..., slice(None), slice(1, None), slice(None, None, 2),
               slice(-2, None),
               slice(5, 2), slice(0, 99, 3), slice(None, -9), np.int64(1), slice(np.int64(1), 3), slice(None, None, -1)]


def where_of(array):
    return array.__array_interface__["data"], array.shape, array.strides, array.flags.writeable


@pytest.mark.skipif(PURE, reason="the plain twin takes nothing")
def test_native_basic_indexing_is_the_references():
    """What the native view takes it gives as NumPy and PyTorch's strides of new axes do; never what they refuse."""
    whole = np.arange(120.0).reshape(4, 5, 6)
    arrays = [whole, whole.transpose(2, 0, 1), whole[:, ::2], np.broadcast_to(whole[:1], (4, 5, 6)), whole[0, 0],
              whole[0, 0, 0:0],
              np.array(3.0)]
    taken = 0
    for array in arrays:
        for n in range(4):
            for index in itertools.product(INDEX_ITEMS, repeat=n):
                made = native.basic(array, index)
                if made is None:
                    continue
                taken += 1
                wanted = reference_view(array, index if ... in index else (*index, ...))
                assert where_of(made) == where_of(wanted), index
    assert taken > 3000


def test_where_of_transposed_tensors_lay_otherwise_in_the_plain_core():
    """NumPy's `where` has an order of its own; the shape rule has PyTorch's."""
    x, c = weft.randn(33, 7).t(), weft.ones(7, 33) > 0
    for condition, a, b in ((c, x, x), (c.t().contiguous().t(), x, 1.0), (x > 0, x, weft.ones(7, 33)), (x > 0, weft.ones(33), x)):
        made = weft.where(condition, a, b)
        meta = weft.where(condition.to("meta"), a.to("meta"), b.to("meta") if isinstance(b, weft.Tensor) else b)
        assert made.stride() == meta.stride()
