"""Linear algebra against PyTorch: values, gradients and second gradients, real and complex."""
import os
import sys

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from linalg_cases import CASES, operands  # noqa: E402

REAL_ONLY = {"eig", "matrix_norm 1", "cond"}      # eig: the imaginary parts' order is LAPACK's own
FIRST_ONLY = {"det singular"}                     # PyTorch's own second derivative fails there


def flat(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def numpy_of(t):
    t = t.detach()
    return t.numpy(force=True) if isinstance(t, torch.Tensor) else t.numpy()


def run(T, function, arrays, second):
    """The values, gradients and second gradients as arrays."""
    rng = np.random.default_rng(1)

    def like(t):
        noise = rng.standard_normal(tuple(t.shape))
        if t.dtype.is_complex:
            noise = noise + 1j * rng.standard_normal(tuple(t.shape))
        return T.tensor(noise, dtype=t.dtype)

    leaves = [T.tensor(a).requires_grad_(True) for a in arrays]
    outs = [t for t in flat(function(T, *leaves)) if t.requires_grad]
    grads = T.autograd.grad(outs, leaves, [like(t) for t in outs], create_graph=second)
    found = [*outs, *grads]
    if second:
        total = [(g, like(g)) for g in grads]
        depends = [(g, w) for g, w in total if g.requires_grad]
        if depends:
            found += T.autograd.grad([g for g, _ in depends], leaves, [w for _, w in depends], allow_unused=True)
    return [None if t is None else np.asarray(numpy_of(t)) for t in found]


@pytest.mark.parametrize("complex_", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name, complex_):
    if complex_ and name in REAL_ONLY:
        pytest.skip("real only")
    function, spec = CASES[name]
    arrays = operands(spec, complex_)
    second = name not in FIRST_ONLY
    try:
        expected = run(torch, function, arrays, second)
    except RuntimeError as refused:
        pytest.skip(f"PyTorch refuses: {refused}")
    found = run(weft, function, arrays, second)
    assert len(found) == len(expected)
    for i, (got, want) in enumerate(zip(found, expected)):
        if want is None or got is None:
            assert got is want or not np.any(got if want is None else want), f"part {i}"
            continue
        assert got.dtype == want.dtype and got.shape == want.shape, f"part {i}"
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7 * max(1, np.abs(want).max(initial=0)),
                                   err_msg=f"part {i}")


MATRICES = {"tall": [[1.0, 2], [3, 4], [5, 7]], "unit": [[1.0, 0], [0, 1], [0, 0]], "wide": [[2.0, 0, 0], [0, 1, 0]],
            "deficient": [[1.0, 1], [1, 1], [1, 1]], "square": [[4.0, 1, 0], [1, 3, 1], [0, 1, 1e-3]],
            "batch": [[[1.0, 2], [3, 4]], [[1, 1], [2, 2]]], "zero": [[0.0, 0], [0, 0]]}


def solved(a, b, rcond):
    """(solution, rank) that LAPACK's gelsy gives, each matrix by itself."""
    if a.ndim > 2:
        return tuple(map(np.stack, zip(*[solved(*pair, rcond) for pair in zip(a, b, strict=True)], strict=True)))
    lapack = pytest.importorskip("scipy.linalg")
    rcond = np.finfo(a.dtype).eps * max(a.shape) if rcond is None else rcond
    solution, _, rank, _ = lapack.lstsq(a, b, cond=rcond, lapack_driver="gelsy")
    return solution, np.int64(rank)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("driver", ["gelsy", "gelsd", "gelss"])
def test_each_lstsq_driver_cuts_off_as_lapack_does(driver, name):
    """rcond=1 gave zeros: gelsd takes 1 and more for the precision, gelsy keeps a column, and cuts columns of a QR."""
    a = MATRICES[name]
    b = np.random.default_rng(0).standard_normal((*np.shape(a)[:-1], 2)).tolist()
    for kind in ("float64", "float32", "complex128"):
        for rcond in (None, 0.1, 0.9999, 1.0, 1.5, 1e-6, -1.0):
            if rcond == -1 and driver == "gelsy":
                continue        # divides by a zero where there is one
            t, w = (lib.linalg.lstsq(lib.tensor(a, dtype=getattr(lib, kind)), lib.tensor(b, dtype=getattr(lib, kind)),
                                     rcond=rcond, driver=driver) for lib in (torch, weft))
            close = {"rtol": 1e-4, "atol": 1e-4} if kind == "float32" else {"rtol": 1e-8, "atol": 1e-9}
            for field in w._fields:
                want, made = getattr(t, field), getattr(w, field)
                if driver == "gelsy" and field in ("solution", "rank"):
                    # PyTorch hands LAPACK an uninitialised order of the columns there
                    solution, rank = solved(np.array(a, kind), np.array(b, kind), rcond)
                    want = torch.tensor(solution) if field == "solution" else torch.tensor(rank)
                assert tuple(want.shape) == tuple(made.shape) and str(want.dtype) == str(made.dtype), (rcond, field)
                np.testing.assert_allclose(numpy_of(made), numpy_of(want), err_msg=f"{kind} {rcond} {field}", **close)
