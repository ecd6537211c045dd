"""Rows of one matrix beside those of another, in NumPy."""
import numpy as np


def count(a):
    """How many elements an array has."""
    return a.size


def width(a):
    """The length of an array's last dimension, 1 for one without dimensions."""
    return a.shape[-1] if a.ndim else 1


def copied_row(a):
    """A copy (1, n) of an array of one row, (n,) or (.., 1, n), of a floating type; None for others."""
    return a.reshape(1, -1).copy() if a.dtype.char in "fd" and a.ndim and 0 < a.size == a.shape[-1] else None


def joined(a, b, least):
    """The elements of two rows, (.., 1, m) and (.., 1, n), of one floating type in an array of its own (m + n,); None
    for others, and where m * n is below `least`.
    """
    rows = all(x.ndim and 0 < x.size == x.shape[-1] for x in (a, b))
    if a.dtype.char not in "fd" or a.dtype != b.dtype or not rows or a.size * b.size < least:
        return None
    return np.concatenate([a.reshape(-1), b.reshape(-1)])
