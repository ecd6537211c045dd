"""Sorting, selecting, counting and searching."""
import math

import numpy as np
import pytest

import weft

NAN = math.nan


def lists(result):
    return [t._array.tolist() for t in result]


def test_sort_is_stable_both_ways():
    x = weft.tensor([2, 1, 2, 1])
    assert lists(x.sort()) == [[1, 1, 2, 2], [1, 3, 0, 2]]
    assert lists(x.sort(descending=True)) == [[2, 2, 1, 1], [0, 2, 1, 3]]
    assert x.argsort(descending=True)._array.tolist() == [0, 2, 1, 3]


def test_nan_is_the_greatest():
    x = weft.tensor([1., NAN, 0.])
    assert x.sort()[1]._array.tolist() == [2, 0, 1] and x.sort(descending=True)[1]._array.tolist() == [1, 0, 2]
    assert x.topk(1)[1]._array.tolist() == [1] and int(x.argmax()) == 1 and int(x.argmin()) == 1
    assert int(x.median(0)[1]) == 1 and math.isnan(float(x.median())) and float(x.nanmedian()) == 0
    assert math.isnan(float(x.quantile(0.5))) and float(x.nanquantile(0.5)) == 0.5


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("n", [50, 5000])
def test_topk_short_and_long(n, largest):
    a = np.random.default_rng(n).permutation(n).astype("f4").reshape(2, -1)
    values, indices = weft.tensor(a).topk(5, largest=largest)
    expected = np.sort(a, 1)[:, ::-1][:, :5] if largest else np.sort(a, 1)[:, :5]
    assert values._array.tolist() == expected.tolist()
    assert np.take_along_axis(a, indices._array, 1).tolist() == expected.tolist()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_selections_agree_with_sort(dim):
    a = np.random.default_rng(1).standard_normal((5, 7)).astype("f4")
    x, ranked = weft.tensor(a), np.sort(a, dim)
    n = a.shape[dim]
    np.testing.assert_array_equal(x.kthvalue(3, dim)[0]._array, ranked.take(2, dim))
    np.testing.assert_array_equal(x.median(dim, True)[0]._array, ranked.take([(n - 1) // 2], dim))
    np.testing.assert_array_equal(x.msort()._array, np.sort(a, 0))
    np.testing.assert_allclose(x.quantile(0.3, dim)._array, np.quantile(a, 0.3, dim), rtol=1e-5)


@pytest.mark.parametrize("kind", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantile_interpolations(kind):
    a = np.array([4., 1., 3., 2., 9.])
    q = weft.tensor(np.array([0.1, 0.4, 0.9]))
    np.testing.assert_allclose(weft.tensor(a).quantile(q, interpolation=kind)._array,
                               np.quantile(a, q._array, method=kind))


def test_mode():
    assert lists(weft.tensor([3, 1, 1, 3, 2]).mode()) == [1, 2]      # the least of the most frequent, at its last place
    assert lists(weft.tensor([[1, 2, 2], [3, 3, 1]]).mode(1, True)) == [[[2], [3]], [[2], [1]]]


SELECTING = ["x.sort(0, True)[0]", "x.topk(2)[0]", "x.kthvalue(2, 0)[0]", "x.median(1)[0]", "x.mode()[0]",
             "x.quantile(0.3, 1)", "x.nanquantile(0.6)", "weft.msort(x)"]


@pytest.mark.parametrize("text", SELECTING)
def test_gradients_go_to_the_chosen(text):
    x = weft.tensor(np.random.default_rng(4).permutation(12).reshape(3, 4) / 3.0).requires_grad_(True)
    assert weft.autograd.gradcheck(eval("lambda x: " + text, {"weft": weft}), (x,))


def test_unique():
    x = weft.tensor([3, 1, 3, 2, 1])
    assert x.unique()._array.tolist() == [1, 2, 3]
    assert lists(x.unique(return_inverse=True, return_counts=True)) == [[1, 2, 3], [2, 0, 2, 1, 0], [2, 1, 2]]
    rows = weft.tensor([[1, 2], [0, 5], [1, 2]])
    assert lists(rows.unique(dim=0, return_inverse=True)) == [[[0, 5], [1, 2]], [1, 0, 1]]
    runs = weft.tensor([1, 1, 2, 2, 1])
    assert lists(runs.unique_consecutive(True, True)) == [[1, 2, 1], [0, 0, 1, 1, 2], [2, 2, 1]]
    assert weft.tensor([NAN, NAN]).unique()._array.shape == (2,)


def test_counting():
    x = weft.tensor([0., 1., 1., 4., 9.])
    assert x.histc(4, 0, 4)._array.tolist() == [1, 2, 0, 1]
    hist, edges = weft.histogram(x, weft.tensor([0., 1., 5.]))
    assert hist._array.tolist() == [1, 3] and edges._array.tolist() == [0, 1, 5]
    assert weft.histogram(x, 2, range=(0., 4.), density=True).hist._array.tolist() == [0.375, 0.125]
    points = weft.tensor([[0., 0.], [1., 1.], [1., 0.]])
    assert weft.histogramdd(points, [2, 2]).hist._array.tolist() == [[1, 0], [1, 1]]
    assert weft.bincount(weft.tensor([0, 2, 2]), minlength=4)._array.tolist() == [1, 0, 2, 0]
    assert weft.bincount(weft.tensor([0, 2]), weft.tensor([.5, 1.5]))._array.tolist() == [.5, 0, 1.5]


def test_searching():
    borders = weft.tensor([1, 3, 5])
    assert weft.bucketize(weft.tensor([0, 1, 4, 9]), borders)._array.tolist() == [0, 0, 2, 3]
    assert weft.bucketize(weft.tensor([1, 5]), borders, right=True)._array.tolist() == [1, 3]
    rows = weft.tensor([[1, 3], [2, 4]])
    assert weft.searchsorted(rows, weft.tensor([[3], [3]]), side="right")._array.tolist() == [[2], [1]]
    assert weft.searchsorted(borders, 3, out_int32=True).dtype is weft.int32
    unsorted = weft.tensor([5, 1, 3])
    assert int(weft.searchsorted(unsorted, 4, sorter=unsorted.argsort())) == 2
    assert weft.isin(weft.tensor([1, 2, 3]), weft.tensor([3, 1]), invert=True)._array.tolist() == [False, True, False]


MESSAGES = [
    (lambda: weft.zeros(3).topk(5), RuntimeError, "selected index k out of range"),
    (lambda: weft.zeros(3).kthvalue(0), RuntimeError, "k out of range"),
    (lambda: weft.zeros(0, 2).median(0), IndexError, "non-zero size"),
    (lambda: weft.zeros(3).quantile(1.5), RuntimeError, "range [0, 1]"),
    (lambda: weft.tensor([1]).quantile(0.5), RuntimeError, "float or double"),
    (lambda: weft.zeros(3).sort(2), IndexError, "Dimension out of range"),
    (lambda: weft.bincount(weft.tensor([-1])), RuntimeError, "non-negative"),
    (lambda: weft.searchsorted(weft.zeros(2), weft.zeros(2), side="left", right=True), RuntimeError, "opposites"),
    (lambda: weft.bucketize(weft.zeros(2), weft.zeros(2, 2)), RuntimeError, "must be 1 dimension"),
]


@pytest.mark.parametrize("call, kind, text", MESSAGES, ids=[m[2] for m in MESSAGES])
def test_messages(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)
