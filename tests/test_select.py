"""topk, kthvalue and mode: the right elements always, and PyTorch's choice among equal ones in the compiled core."""
import numpy as np
import pytest

import weft
from weft.kernels import fast as select

TYPES = ["float32", "float64", "int64", "int32", "int16", "int8", "uint8"]
NAN = float("nan")
compiled = pytest.mark.skipif(select.lib is None, reason="the NumPy reference takes the first of equal elements")


def rows(n, dtype, levels=5):
    return (np.arange(n) * 7 % levels).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape, dim", [((40,), 0), ((3, 17), 1), ((17, 3), 0), ((2, 9, 3), 1), ((2, 9, 3), -1),
                                        ((200, 2), 0)])
def test_the_right_elements(shape, dim, dtype):
    x = rows(int(np.prod(shape)), dtype, 23).reshape(shape)
    ranked = np.moveaxis(np.sort(x, dim), dim, -1)
    for view in (x, np.asfortranarray(x), np.repeat(x, 2, -1)[..., ::2]):
        for k in (1, 2, x.shape[dim]):
            for largest in (True, False):
                got = weft.from_numpy(view).topk(k, dim, largest)
                want = ranked[..., ::-1][..., :k] if largest else ranked[..., :k]
                np.testing.assert_array_equal(np.moveaxis(got.values.numpy(), dim, -1), want)
                np.testing.assert_array_equal(np.take_along_axis(x, got.indices.numpy(), dim), got.values.numpy())
                loose = weft.from_numpy(view).topk(k, dim, largest, sorted=False)
                np.testing.assert_array_equal(np.sort(loose.values.numpy(), dim), np.sort(got.values.numpy(), dim))
            got = weft.from_numpy(view).kthvalue(k, dim, keepdim=True)
            np.testing.assert_array_equal(np.moveaxis(got.values.numpy(), dim, -1), ranked[..., k - 1:k])
            np.testing.assert_array_equal(np.take_along_axis(x, got.indices.numpy(), dim), got.values.numpy())


@pytest.mark.parametrize("dtype", [*TYPES, "bool"])
def test_mode_is_the_least_of_the_most_frequent(dtype):
    x = np.array([[1, 0, 1, 0, 0, 1], [1, 1, 1, 0, 0, 1], [0, 0, 0, 1, 0, 1]]).astype(dtype)
    got = weft.from_numpy(x).mode()
    np.testing.assert_array_equal(got.values.numpy(), np.array([0, 1, 0]).astype(dtype))
    np.testing.assert_array_equal(np.take_along_axis(x, got.indices.numpy()[:, None], 1)[:, 0], got.values.numpy())
    assert weft.from_numpy(x).mode(0, True).values.shape == (1, 6)


@pytest.mark.parametrize("call, want", [
    (lambda x: x.topk(2), [NAN, 3]), (lambda x: x.topk(2, largest=False), [1, 2]),
    (lambda x: x.topk(4, largest=False), [1, 2, 3, NAN]), (lambda x: x.kthvalue(4), NAN), (lambda x: x.kthvalue(1), 1)])
def test_nan_is_the_greatest(call, want):
    np.testing.assert_array_equal(call(weft.tensor([2.0, NAN, 3.0, 1.0])).values.numpy(), np.array(want, np.float32))


# what PyTorch 2.13.0 chose
@compiled
@pytest.mark.parametrize("x, call, want", [
    (rows(40, "float32"), lambda x: x.topk(6), [22, 12, 27, 32, 7, 37]),
    (rows(40, "float32"), lambda x: x.topk(6, largest=False), [15, 35, 30, 10, 25, 20]),
    (rows(40, "float32"), lambda x: x.topk(6, sorted=False), [22, 12, 27, 32, 7, 37]),
    (rows(40, "float32"), lambda x: x.kthvalue(11), 23), (rows(40, "float32"), lambda x: x.mode(), 0),
    (rows(200, "int64"), lambda x: x.topk(3), [12, 7, 2]), (rows(200, "int64"), lambda x: x.topk(3, largest=False),
                                                            [10, 5, 0]),
    (rows(200, "int64"), lambda x: x.topk(5), [137, 167, 112, 32, 37]), (rows(200, "int64"), lambda x: x.kthvalue(90),
                                                                         106),
    (rows(200, "int64"), lambda x: x.mode(), 25), (np.ones(5, "float16"), lambda x: x.topk(2), [2, 4]),
    (np.array([NAN, 1, NAN, 1]), lambda x: x.mode(), 0), (np.array([2, NAN, 1]), lambda x: x.mode(), 2)])
def test_ties_are_pytorchs(x, call, want):
    assert call(weft.from_numpy(x)).indices.tolist() == want


@compiled
def test_rows_with_many_nans_do_not_lead_the_sort_astray():
    generator = np.random.default_rng(0)
    for n in (17, 100, 1000):
        x = generator.integers(0, 9, (50, n)).astype(np.float32)
        x[generator.random(x.shape) < 0.5] = NAN
        values, places = select.mode(x, 1, False)
        np.testing.assert_array_equal(np.take_along_axis(x, places[:, None], 1)[:, 0], values)


@compiled
@pytest.mark.parametrize("x, k, axis", [
    (np.ones(3, np.complex64), 1, 0), (np.ones((0, 3), np.float32), 1, 1), (np.ones(3, np.float16), 1, 0),
    (np.ones(3, np.float32), 0, 0), (np.ones((), np.float32), 1, 0)])
def test_what_is_not_taken(x, k, axis):
    assert select.topk(x, k, axis, True, True) is None


@pytest.mark.parametrize("call, error, words", [
    (lambda x: x.topk(4), RuntimeError, "k out of range"), (lambda x: x.topk(-1), RuntimeError, "k out of range"),
    (lambda x: x.bool().topk(1), RuntimeError, "bool"), (lambda x: (x * 1j).topk(1), RuntimeError, "complex"),
    (lambda x: x.kthvalue(0), RuntimeError, "k out of range"),
    (lambda x: x.kthvalue(4), RuntimeError, "k out of range"), (lambda x: x.bool().kthvalue(1), NotImplementedError,
                                                                "Bool")])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call(weft.tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("call, want", [
    (lambda x: x.topk(2).values, [[0, 1, 1], [1, 0, 1]]), (lambda x: x.kthvalue(1).values, [[1, 0, 0], [0, 1, 0]]),
    (lambda x: x.topk(1, 0).values, [[0, 1, 1], [1, 0, 0]]), (lambda x: x.mode(0).values, [[1, 0, 0], [0, 1, 1]])])
def test_gradients_go_where_the_elements_stood(call, want):
    x = weft.tensor([[1.0, 3.0, 9.0], [4.0, 2.0, 7.0]], requires_grad=True)
    call(x).sum().backward()
    assert x.grad.tolist() == want
