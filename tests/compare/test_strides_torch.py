"""Memory order: for every op's samples, in several orders of the inputs, the result lies in memory as PyTorch's does."""
import functools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import test_derived as derived  # noqa: E402

import weft  # noqa: E402


def torch_function(name):
    try:
        return functools.reduce(getattr, name.split("."), torch)
    except AttributeError:
        return None


def in_torch(a):
    if isinstance(a, (list, tuple)):
        return type(a)(in_torch(e) for e in a)
    if isinstance(a, weft.Tensor):
        return torch.from_numpy(np.ascontiguousarray(a.detach().numpy()))
    if isinstance(a, weft.dtype):
        return getattr(torch, str(a).removeprefix("torch."))
    return a


def strides_of(result):
    found = derived.first(result) if not isinstance(result, torch.Tensor) else [result]
    if isinstance(result, (tuple, list)):
        found = [r for r in result if isinstance(r, (weft.Tensor, torch.Tensor))]
    return [tuple(s for s, n in zip(r.stride(), r.shape) if n > 1) if 0 not in r.shape else () for r in found]


def differing():
    """{name: (order, ours, theirs)} of the first difference of each op."""
    found = {}
    for name, i in derived.CASES:
        theirs = torch_function(name)
        if theirs is None or name.startswith("_") or name in found:
            continue
        for order in (derived.as_it_is, derived.turned, derived.channels_last):
            args, keywords = derived.arguments(name, i)
            try:
                expected = theirs(*[derived_laid(order, in_torch(a)) for a in args],
                                  **{k: in_torch(v) for k, v in keywords.items()})
                ours = derived.call(name, [derived.laid_out(order, a) for a in args], keywords)
            except (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError):
                continue
            if strides_of(ours) != strides_of(expected):
                found[name] = order.__name__, strides_of(ours), strides_of(expected)
                break
    return found


def derived_laid(order, a):
    if isinstance(a, (list, tuple)):
        return type(a)(derived_laid(order, e) for e in a)
    return order(a) if isinstance(a, torch.Tensor) else a


# where the memory order differs from PyTorch's (values are equal), and why it does
KNOWN = {
    "LAPACK writes columns; ours are rows":
        """cholesky cholesky_inverse cholesky_solve geqrf inverse linalg.cholesky linalg.cholesky_ex linalg.eig
        linalg.eigh linalg.householder_product linalg.inv linalg.inv_ex linalg.ldl_factor
        linalg.ldl_factor_ex linalg.ldl_solve linalg.lstsq linalg.lu_factor linalg.lu_factor_ex
        linalg.lu_solve linalg.matrix_power linalg.qr linalg.solve linalg.solve_ex
        linalg.solve_triangular linalg.svd linalg.tensorinv lu lu_solve ormqr pca_lowrank qr svd
        svd_lowrank triangular_solve""",
    "MKL lays out transforms by the transformed dimension":
        """fft.fft fft.fft2 fft.fftn fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.ihfft2 fft.ihfftn
        fft.irfft fft.rfft""",
    "PyTorch runs one dimension as an image of height 1, and keeps its channels innermost":
        """adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d conv1d conv_transpose1d convolution
        max_pool1d_with_indices nn.functional.adaptive_max_pool1d
        nn.functional.adaptive_max_pool1d_with_indices nn.functional.lp_pool1d""",
    "PyTorch's kernels for volumes give contiguous results":
        """conv3d conv_transpose3d nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d
        nn.functional.adaptive_max_pool3d_with_indices nn.functional.avg_pool3d         nn.functional.lp_pool3d""",
    "a composition of other steps than PyTorch's":
        """addr angle gru_cell lstm mvlgamma native_group_norm         nn.functional.instance_norm
        nn.functional.logsigmoid nn.functional.rrelu renorm rrelu
        unravel_index""",
}


def test_results_lie_in_memory_as_pytorchs():
    known = {name for names in KNOWN.values() for name in names.split()}
    found = differing()
    assert not found.keys() - known, {name: found[name] for name in found.keys() - known}
    assert not known - found.keys(), f"no longer different: {sorted(known - found.keys())}"
