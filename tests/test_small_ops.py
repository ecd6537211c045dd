"""What small ops do without NumPy: each against NumPy or the plain form, on any strides, empty, zero-dim, with NaN."""
import math

import numpy as np
import pytest

import weft
from weft.kernels import fast
from weft.kernels.native import number

kernels = pytest.mark.skipif(fast.lib is None, reason="the kernels are not in use")
F = weft.nn.functional
SPECIAL = [0.0, -0.0, 1.5, -1.5, 2.0**31, -(2.0**31) - 1, 1e10, -1e10, 1e30, -1e30, 2.0**63, math.inf, -math.inf,
           math.nan, 0.99999994, -0.5]


def some(*shape, seed=0, kind=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(kind)


@kernels
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("to", [np.int64, np.int32, np.bool_])
def test_fractions_become_integers_as_in_numpy(kind, to):
    x = np.array(SPECIAL * 5, kind)
    for a in (x, x[::3], x.reshape(5, -1).T, x[:0], x[2:3].reshape(())):
        with np.errstate(all="ignore"):
            expected = a.astype(to)
        found = fast.cast(a, np.dtype(to).num)
        assert found.dtype == to and np.array_equal(found, expected)


@kernels
@pytest.mark.parametrize("kind", ["f4", "f8", "i8", "i4", "u1"])
def test_numbers_become_arrays_of_a_type(kind):
    kind = np.dtype(kind)
    for value in (0, 1, -3, 200, 2**31 + 5, -(2**40), 1.5, -0.0, math.inf, math.nan, 1e300, True, 2**70):
        found = number(value, kind)
        if found is None:
            assert not (type(value) is int and abs(value) < 100)
            continue
        assert found.shape == () and found.dtype == kind
        whole = kind.kind in "iu"
        expected = np.array(value & (1 << 64) - 1, np.uint64).astype(kind) if whole else np.array(value, kind)
        assert found.tobytes() == expected.tobytes(), value
    assert number(1.5, np.dtype("i8")) is None and number(1, np.dtype(">f4")) is None


def test_masks_are_filled_in_place():
    for shape, at in (((6, 8), slice(None)), ((6, 8), (slice(None), slice(None, None, 2))), ((), ...), ((0, 3), ...)):
        for kind in (np.float32, np.float64, np.int64, np.uint8, np.bool_, np.float16, np.complex64):
            whole = (some(*shape) * 3).astype(kind) if shape else np.array(2, kind)
            mask = np.asarray(some(*shape, seed=1) > 0) if shape else np.array(True)
            x = weft.tensor(whole)
            expected = whole.copy()
            expected[at][...] = np.where(mask[at], kind(1), expected[at])
            x[at].masked_fill_(weft.tensor(mask[at]), 1)
            assert np.array_equal(x.numpy(), expected)
    x = weft.zeros(3, 4)
    x.masked_fill_(weft.tensor([True, False, False, True]), 2.0)
    assert x.tolist() == [[2, 0, 0, 2]] * 3
    x.t().masked_fill_(weft.tensor([[True], [False], [False], [False]]), 5.0)
    assert x[:, 0].tolist() == [5, 5, 5]
    mask = weft.tensor([True, False, True])
    mask.masked_fill_(mask, False)                      # it reads what it writes
    assert mask.tolist() == [False, False, False]


def test_writes_count_whether_or_not_a_graph_cares():
    for write in (lambda t: t.zero_(), lambda t: t.fill_(2), lambda t: t.masked_fill_(t > 0, 1),
                  lambda t: t.clamp_(0, 1), lambda t: t.scatter_(0, weft.tensor([0]), 1.0), lambda t: t.uniform_()):
        x = weft.ones(3)
        before = x._version
        write(x)
        assert x._version == before + 1
        with weft.no_grad():
            write(x)
        write(x[:2])
        assert x._version == before + 3
        leaf = weft.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError, match="leaf"):
            write(leaf)
        made = leaf * 2
        kept = made * made
        write(made[:2])
        with pytest.raises(RuntimeError, match="modified"):
            kept.sum().backward()


def test_a_write_of_what_needs_a_gradient_is_history():
    value = weft.tensor(3.0, requires_grad=True)
    x = weft.zeros(2, 3)
    view = x[0]
    x.fill_(value)
    assert x.requires_grad and view.requires_grad
    (x.sum() + view.sum()).backward()
    assert value.grad.item() == 9
    y = weft.zeros(3)
    y.masked_fill_(weft.tensor([True, False, True]), value)
    assert y.requires_grad
    low = weft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = weft.zeros(3)
    z.clamp_(min=low)
    z.sum().backward()
    assert low.grad.tolist() == [1, 1, 1]


def test_one_hot_at_its_ends():
    assert F.one_hot(weft.tensor([[0, 2], [1, 1]]), 3).tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]]
    assert F.one_hot(weft.tensor(2)).tolist() == [0, 0, 1]
    assert F.one_hot(weft.zeros(0, dtype=weft.int64), 4).shape == (0, 4)
    assert F.one_hot(weft.tensor([[0, 1], [2, 3]]).t(), 4).argmax(-1).tolist() == [[0, 2], [1, 3]]
    for bad, text in (([-1], "non-negative"), ([3], "smaller than num_classes")):
        with pytest.raises(RuntimeError, match=text):
            F.one_hot(weft.tensor(bad), 3)


def test_equal_of_any_type_and_strides():
    for kind in (np.float32, np.float64, np.float16, np.int64, np.uint8, np.bool_, np.complex64):
        x = (some(9, 500) * 3).astype(kind)
        a, b = weft.tensor(x), weft.tensor(x.copy())
        assert weft.equal(a, b) and weft.equal(a.t(), b.t()) and weft.equal(a[:0], b[:0])
        b[8, 499] = 0 if x[8, 499] else 1
        assert not weft.equal(a, b) and not weft.equal(a, b[:8])
    nan = weft.tensor([math.nan])
    assert not weft.equal(nan, nan) and weft.equal(weft.tensor([0.0]), weft.tensor([-0.0]))
    assert weft.equal(weft.tensor([1, 2]), weft.tensor([1.0, 2.0]))


@pytest.mark.parametrize("kind", [weft.float32, weft.float64, weft.bfloat16, weft.float16, weft.int64])
def test_products_of_two_vectors(kind):
    for n in (0, 1, 7, 64, 1000):
        x, y = (weft.tensor(np.rint(some(2 * n, seed=s) * 3), dtype=kind) for s in (0, 1))
        for a, b in ((x[:n], y[:n]), (x[::2], y[1::2])):
            expected = float((a.double().numpy() * b.double().numpy()).sum())
            for found in (a @ b, weft.dot(a, b)):
                assert found.shape == () and found.dtype == kind
                assert found.item() == pytest.approx(expected, rel=1e-2 if kind.itemsize == 2 else 1e-6)


def test_whole_ranges_with_steps():
    for args in ((8,), (0, 8, 2), (1, 8, 3), (5, 5), (0, 7, 10), (-4, 4, 2), (10, 0, -3), (2**62 - 4, 2**62, 2)):
        expected = np.arange(*args)
        found = weft.arange(*args)
        assert found.dtype == weft.int64 and found.tolist() == expected.tolist()
    top = 2**63 - 1
    assert weft.arange(top - 3, top, 2).tolist() == [top - 3, top - 1]


def test_xlogy_where_x_is_zero():
    x = weft.tensor([0.0, 0.0, 0.0, 2.0, math.nan, 0.0, 2.0])
    y = weft.tensor([0.0, math.inf, math.nan, 3.0, 1.0, -1.0, 0.0])
    found = weft.xlogy(x, y).tolist()
    assert found[0] == found[1] == found[5] == 0 and math.isnan(found[2]) and math.isnan(found[4])
    assert found[3] == pytest.approx(2 * math.log(3)) and found[6] == -math.inf


@pytest.mark.parametrize("kind", [weft.float32, weft.float64, weft.float16, weft.bfloat16])
def test_binary_cross_entropy_of_odd_probabilities(kind):
    x = weft.tensor([[0.0, 1.0, 0.5], [0.25, 1e-4, 0.75]], dtype=kind)
    y = weft.tensor([[0.0, 0.0, 1.0], [0.5, 1.0, 0.0]], dtype=kind)
    for a, b in ((x, y), (x.t(), y.t()), (x[:, ::2], y[:, ::2]), (x[:0], y[:0])):
        p, q = a.double().numpy(), b.double().numpy()
        with np.errstate(all="ignore"):
            expected = -(q * np.maximum(np.log(p), -100) + (1 - q) * np.maximum(np.log1p(-p), -100))
        found = F.binary_cross_entropy(a, b, reduction="none")
        assert found.dtype == kind
        near = 1e-2 if kind.itemsize == 2 else 1e-5
        np.testing.assert_allclose(found.double().numpy(), expected, rtol=near, atol=1e-7)
    for bad in (-0.1, 1.1, math.nan):
        with pytest.raises(RuntimeError, match="between 0 and 1"):
            F.binary_cross_entropy(weft.tensor([0.5, bad], dtype=kind), weft.tensor([0.5, 0.5], dtype=kind))


def test_nan_to_num_of_any_strides():
    x = weft.tensor([[math.nan, math.inf, -math.inf], [1.0, -0.0, 3.0]])
    top = weft.finfo(weft.float32).max
    assert x.nan_to_num().tolist() == [[0, top, -top], [1, 0, 3]]
    assert x.t().nan_to_num(1.0, 2.0, 3.0).tolist() == [[1, 1], [2, 0], [3, 3]]
    assert x.t().nan_to_num().stride() == x.t().stride() and x.half().nan_to_num(posinf=7.0).tolist()[0][1] == 7
    assert math.isnan(x.nan_to_num(nan=math.nan).tolist()[0][0]) and x[:0].nan_to_num().shape == (0, 3)


def test_indices_that_are_all_tensors():
    x = weft.arange(24).reshape(2, 3, 4)
    i, j = weft.tensor([0, 1]), weft.tensor([[2], [0]])
    plain, a, b = x.numpy(), i.numpy(), j.numpy()
    assert x[i, j].tolist() == plain[a, b].tolist() and x[i, i, i].tolist() == plain[a, a, a].tolist()
    x[i, j] = weft.tensor(-1)
    plain = plain.copy()
    plain[a, b] = -1
    assert x.tolist() == plain.tolist()
    with pytest.raises(IndexError):
        x[i, i, i, i]
    with pytest.raises(IndexError):
        x[i, weft.tensor([3, 0])]


def test_writes_at_ints_and_slices():
    x = weft.zeros(4, 5)
    before = x._version
    x[1, 2] = 3.0
    x[:, 1] = weft.tensor([1, 2, 3, 4])                 # of another type
    x[..., -1] = 7
    x[2:, None, :1] = weft.ones(2, 1, 1)
    assert x._version == before + 4
    assert x.tolist() == [[0, 1, 0, 0, 7], [0, 2, 3, 0, 7], [1, 3, 0, 0, 7], [1, 4, 0, 0, 7]]
    x[1:, :2] = x[:-1, :2].clone()
    x[0, :3] = x[0, 2:]                                 # it reads what it writes
    assert x[0].tolist() == [0, 0, 7, 0, 7]
    for index, value, kind in (((4, 0), 1.0, IndexError), ((0, 0, 0), 1.0, IndexError),
                               ((slice(None), 1), weft.ones(3), RuntimeError)):
        with pytest.raises(kind):
            x[index] = value
    with pytest.raises(RuntimeError, match="single memory location"):
        weft.zeros(1).expand(3, 4)[0, :] = 1.0
    with pytest.raises(RuntimeError, match="overflow"):
        weft.zeros(2, dtype=weft.uint8)[0, ...] = 300
    mask = weft.tensor([True, False])
    y = weft.zeros(2, 2)
    y[mask] = 1.0
    assert y.tolist() == [[1, 1], [0, 0]]
    one = weft.zeros(1)
    one.expand(2)[mask] = 1.0                           # one value: elements that share a place agree on it
    assert one.item() == 1


@pytest.mark.parametrize("kind", [weft.float16, weft.bfloat16])
@pytest.mark.parametrize("low, high", [(0.0, 1.0), (-0.3, 0.7), (-1.0, 0.0), (-2.0, -1.0), (0.0, 0.333), (5.0, 5.0)])
def test_half_uniform_numbers_are_rounded_floats_below_the_end(kind, low, high):
    for n in (1, 17, 70_001):
        weft.manual_seed(3)
        floats = weft.empty(n).uniform_(low, high)
        weft.manual_seed(3)
        halves = weft.empty(n, dtype=kind).uniform_(low, high)
        expected = floats.to(kind)
        expected[expected == weft.tensor(high, dtype=kind)] = low
        assert halves.view(weft.int16).tolist() == expected.view(weft.int16).tolist()


@pytest.mark.parametrize("call", [lambda x, y: 2.5 // y, lambda x, y: x.detach() // y, lambda x, y: x // 2.5,
                                  lambda x, y: x // y.detach(), lambda x, y: x // y])
def test_floor_division_says_that_it_has_no_derivative(call):
    """Whichever operand it is asked for; the first time it was asked for the second one there was none, silently."""
    x, y = (weft.tensor([1.5, 2.5], requires_grad=True) for _ in range(2))
    made = call(x, y)
    assert made.requires_grad
    with pytest.raises(NotImplementedError, match="the derivative for '[xy]' of floor_divide is not implemented"):
        made.sum().backward()
