"""NumPy's scalars, arrays and dtypes as they stand in a pickle: rebuilt if they are plain numbers or text, refused
otherwise.
"""
import math
import re

import numpy as np

from weft.io.errors import bad
from weft.io.rebuild import shape_of

TYPE = re.compile(r"[<>=|]?[biufcSU](\d{1,9})")
KINDS = "biufcSU"
ARRAY = 320     # bytes that an array or a type takes besides its numbers


def dtype(machine, code, align=False, copy=False):
    """A dtype of plain numbers or text, and an object of its own, since its state comes later."""
    found = TYPE.fullmatch(code) if type(code) is str else None
    if found is None or int(found.group(1)) > 2**31:
        raise bad("it has a NumPy type other than numbers and text", "save it as numbers, or as a list")
    made = np.dtype(code)
    machine.pay(16)
    machine.spend(ARRAY)
    return np.dtype(made.str, copy=True)


def build_dtype(machine, made, state):
    """Only the byte order is taken from the state: (version, order, None, None, None, size, alignment, flags)."""
    if (type(state) is not tuple or len(state) < 8 or type(state[1]) is not str or state[1] not in "<>|="
        or any(s is not None for s in state[2:5])):
        raise bad("it has a NumPy type other than numbers and text", "save it as numbers, or as a list")
    if made.kind in "biufc" and made.itemsize > 1 and not made.metadata:
        made.__setstate__((3, state[1], None, None, None, -1, -1, 0))


def _checked(kind):
    if not isinstance(kind, np.dtype) or kind.kind not in KINDS:
        raise bad("it has a NumPy type other than numbers and text", "save it as numbers, or as a list")
    return kind


def scalar(machine, kind, data=b""):
    """One NumPy number."""
    machine.spend(64)
    data = data.encode("latin1") if type(data) is str else data      # Python 2's strings
    if type(data) is not bytes or len(data) != _checked(kind).itemsize or not data:
        raise bad("it has a NumPy scalar whose bytes don't fit its type")
    machine.pay(len(data))
    return np.frombuffer(data, kind, 1)[0]


def reconstruct(machine, cls, shape, code):
    """The empty array whose state comes later."""
    machine.spend(ARRAY)
    if cls is not np.ndarray or type(shape) is not tuple:
        raise bad("it has a NumPy array of a class of its own", "save a plain array or a tensor")
    return np.empty(0, np.int8)


def build_array(machine, made, state):
    """Give an array its shape, type and bytes: (version, shape, dtype, is_fortran, bytes)."""
    if type(state) is not tuple or len(state) != 5 or type(state[1]) is not tuple:
        raise bad("it has a NumPy array without shape and type")
    _, shape, kind, fortran, data = state
    data = data.encode("latin1") if type(data) is str else data
    shape = shape_of(shape, max(_checked(kind).itemsize, 1))
    if type(data) is not bytes or len(data) != math.prod(shape) * kind.itemsize:
        raise bad("it has a NumPy array whose bytes don't fit its shape")
    machine.pay(len(data))
    made.__setstate__((1, shape, kind, bool(fortran), data))


def from_buffer(machine, data, kind, shape, order="C"):
    """An array as protocol 5 writes it."""
    machine.spend(2 * ARRAY)
    if type(data) not in (bytes, bytearray) or order not in ("C", "F") or type(shape) is not tuple:
        raise bad("it has a NumPy array without shape and type")
    shape = shape_of(shape, max(_checked(kind).itemsize, 1))
    if len(data) != math.prod(shape) * kind.itemsize:
        raise bad("it has a NumPy array whose bytes don't fit its shape")
    machine.pay(len(data))
    return np.frombuffer(bytearray(data), kind).reshape(shape, order=order)


# numpy.core became numpy._core
NAMES = {"numpy.dtype": np.dtype, "numpy.ndarray": np.ndarray}
for _core in ("numpy.core", "numpy._core"):
    NAMES |= {f"{_core}.multiarray.scalar": scalar, f"{_core}.multiarray._reconstruct": reconstruct,
              f"{_core}.numeric._frombuffer": from_buffer}
CALLS = {id(np.dtype): dtype, **{id(f): f for f in (scalar, reconstruct, from_buffer)}}
BUILDS = {np.ndarray: build_array, **{type(np.dtype(c)): build_dtype for c in "?bhilqBHILQefdFDSU"}}
