"""fast.finite: whether all numbers of an array are finite, for every type, any strides, any size."""
import numpy as np
import pytest

from weft.kernels import fast

pytestmark = pytest.mark.skipif(fast.lib is None, reason="no native kernels here")
BAD = (np.nan, np.inf, -np.inf)
TYPES = (np.float32, np.float64, np.float16)


def bfloat16():
    return pytest.importorskip("ml_dtypes").bfloat16


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 7, 8, 31, 33, 1000, 2049, 5000, 300_001])
def test_every_place_is_seen(dtype, size):
    x = np.linspace(-1, 1, size).astype(dtype)
    assert fast.finite(x) is True
    for at in sorted({0, size // 2, size - 1, size - 2, size // 3} & set(range(size))):
        for bad in BAD:
            kept, x[at] = x[at], bad
            assert fast.finite(x) is False
            x[at] = kept
    assert fast.finite(x) is True


@pytest.mark.parametrize("dtype", TYPES)
def test_the_largest_and_smallest_are_finite(dtype):
    info = np.finfo(dtype)
    assert fast.finite(np.array([info.max, info.min, info.tiny, info.smallest_subnormal, -0.0, 0.0], dtype)) is True


def views(x):
    """The same numbers seen in many ways, x: (6, 8, 10)."""
    yield from (x, x.transpose(2, 0, 1), x[::2], x[:, ::-1], x[..., ::3], x[1:5, 2:7, 3:9], x[:, :, 0], x[0],
                x[:, 0, :], x[::-1, ::-1, ::-1], x[2:2])
    yield np.broadcast_to(x[:1, :, :], x.shape)
    yield np.broadcast_to(x[0, 0, 0], (3, 4))
    yield np.asfortranarray(x)
    yield x.reshape(-1)[1:].reshape(479)[::7]
    yield x.reshape(2, 3, 2, 4, 5, 2).transpose(5, 3, 1, 4, 2, 0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bad", BAD)
def test_any_strides(dtype, bad):
    rng = np.random.default_rng(0)
    for _ in range(12):
        x = rng.normal(size=(6, 8, 10)).astype(dtype)
        x.flat[rng.integers(x.size)] = bad
        for k, view in enumerate(views(x)):
            assert fast.finite(view) is bool(np.isfinite(view).all()), k


def test_rows_of_a_large_array():
    x = np.zeros((700, 1000), np.float32)[:, :900]
    assert fast.finite(x) is True
    for at in ((0, 0), (350, 899), (699, 899), (699, 0)):
        x[at] = np.nan
        assert fast.finite(x) is False
        x[at] = 0
    x.base[5, 950] = np.nan     # beside the view
    assert fast.finite(x) is True


def test_other_types():
    kind = bfloat16()
    assert fast.finite(np.ones(100, kind)) is True and fast.finite(np.array([1, np.nan], kind)) is False
    assert fast.finite(np.array([3.3e38, np.inf], kind)) is False and fast.finite(np.array([3.3e38], kind)) is True
    assert fast.finite(np.arange(5)) is True and fast.finite(np.ones(3, bool)) is True
    assert fast.finite(np.array([1j])) is None and fast.finite(3) is None and fast.finite() is None
