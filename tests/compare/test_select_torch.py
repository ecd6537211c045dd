"""topk, kthvalue and mode choose the same among equal elements as PyTorch does."""
import numpy as np
import pytest

import weft
from weft._pure import PURE

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(PURE, reason="the plain-Python core takes the first of equal elements")


def cases(count):
    choose = np.random.default_rng(0)
    for _ in range(count):
        n = int(choose.choice([1, 2, 3, 8, 16, 17, 33, 64, 100, 200, 1000]))
        shape, dim = [((n,), 0), ((3, n), 1), ((n, 2), 0), ((2, n, 3), 1)][choose.integers(4)]
        kind = choose.choice(["float32", "float64", "int64", "int32", "int16", "int8", "uint8", "float16"])
        x = choose.integers(0, int(choose.choice([1, 2, 5, 50, 10000])), shape).astype(kind)
        if kind.startswith("f") and choose.random() < 0.4:
            x[choose.random(shape) < 0.2] = np.nan
        yield x, dim, int(choose.integers(1, n + 1)) if choose.random() < 0.6 else max(1, n // 64)


def calls(x, dim, k):
    """What is asked of a row: (name, arguments)."""
    yield "kthvalue", (k, dim)
    yield "mode", (dim,)
    for largest in (True, False):
        for order in (True, False):
            yield "topk", (k, dim, largest, order)


def test_ties():
    for x, dim, k in cases(150):
        for name, args in calls(x, dim, k):
            got, want = getattr(weft.from_numpy(x), name)(*args), getattr(torch.from_numpy(x), name)(*args)
            np.testing.assert_array_equal(got.indices.numpy(), want.indices.numpy(), err_msg=f"{name} {args}")
            np.testing.assert_array_equal(got.values.numpy(), want.values.numpy(), err_msg=f"{name} {args}")
