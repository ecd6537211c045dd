"""Lists of arrays at once: the C++ kernel where it takes them, else the NumPy reference."""
import numpy as np

from weft.kernels import fast


def sums_of_squares(arrays):
    """A float64 array: for each of the real arrays the sum of its squares, accumulated in double."""
    found = fast.sums_of_squares(arrays)
    if found is not None:
        return found
    wide = [a.astype(np.float64) for a in arrays]
    return np.array([np.sum(a * a) for a in wide], np.float64)


def unscale(arrays, factor):
    """Multiply all in place; whether one of them held an inf or a NaN."""
    found = fast.unscale(arrays, factor)
    if found is not None:
        return found
    odd = False
    with np.errstate(all="ignore"):
        for a in arrays:
            odd = odd or not np.isfinite(a).all()
            a *= a.dtype.type(factor)
    return bool(odd)
