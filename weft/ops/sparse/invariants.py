"""What indices and values must be to make a sparse tensor.

PyTorch looks only when `check_sparse_tensor_invariants` is on; weft always looks at sizes and at whether every index is
inside the tensor, so that no kernel reads beyond it. The rest (order, no place twice) is looked at when it is on.
"""
import threading

import numpy as np

from weft.core.errors import fail
from weft.ops.sparse.parts import BLOCKS, BY_ROWS

_STATE = threading.local()


def enabled():
    """Whether this thread asked for all checks."""
    return getattr(_STATE, "on", False)


def set_enabled(on):
    """Ask for all checks in this thread, or not; what it was."""
    before, _STATE.on = enabled(), bool(on)
    return before


def wanted(check):
    """Whether a constructor is to check everything: as it was told, else as the thread asked."""
    return enabled() if check is None else bool(check)


def _counts(size):
    if any(n < 0 for n in size):
        fail(RuntimeError, f"Trying to create tensor with negative dimension: {list(size)}")


def guessed_size(index, values):
    """The least size that the indices fit into."""
    array = index._array
    if array.ndim != 2:
        fail(RuntimeError, f"indices must be sparse_dim x nnz, but got: {list(array.shape)}")
    if array.size and array.min() < 0:
        dim = int(np.argwhere(array < 0)[0][0])
        fail(RuntimeError, f"found negative index {array[dim].min()} for dim {dim}")
    most = array.max(axis=1) + 1 if array.shape[1] else np.zeros(array.shape[0], np.int64)
    return (*[int(n) for n in most], *values._form.shape[1:])


def check_coo(index, values, size):
    """Refuse indices and values that don't fit together or into the size."""
    _counts(size)
    shape = index._form.shape
    if len(shape) != 2:
        fail(RuntimeError, f"indices must be sparse_dim x nnz, but got: {list(shape)}", "give an array of two "
             "dimensions: a row for each sparse dimension, a column for each value")
    dense = values._form.ndim - 1
    if len(size) != shape[0] + dense:
        fail(RuntimeError, f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
             f"sparse_dim = {shape[0]}, dense_dim = {dense}")
    if shape[1] != values._form.shape[0]:
        fail(RuntimeError, f"indices and values must have same nnz, but got nnz from indices: {shape[1]}, nnz from "
             f"values: {values._form.shape[0]}")
    if tuple(values._form.shape[1:]) != tuple(size[shape[0]:]):
        fail(RuntimeError, f"values has incorrect size, expected {[shape[1], *size[shape[0]:]]}, got "
             f"{list(values._form.shape)}")
    if shape[1] and not values._on_meta:
        _check_inside(index._array, size)


def _check_inside(array, size):
    low, high = array.min(axis=1), array.max(axis=1)
    for dim, n in enumerate(size[:len(low)]):
        if low[dim] < 0:
            fail(RuntimeError, f"found negative index {low[dim]} for dim {dim}")
        if high[dim] >= n:
            fail(RuntimeError, f"size is inconsistent with indices: for dim {dim}, size is {n} but found index "
                 f"{high[dim]}", "give a greater size, or leave it out")


def guessed_compressed_size(compressed, plain, values, layout):
    """The least size that the indices fit into, blocks counted out."""
    lead = compressed._form.ndim - 1
    height, width = 1, 1
    if layout in BLOCKS:
        height, width = values._form.shape[lead + 1:lead + 3]
    lines = compressed._form.shape[-1] - 1
    others = int(plain._array.max()) + 1 if plain._form.size else 0
    rows, columns = (lines, others) if layout in BY_ROWS else (others, lines)
    rest = values._form.shape[lead + 1 + (2 if layout in BLOCKS else 0):]
    return (*compressed._form.shape[:-1], rows * height, columns * width, *rest)


def check_compressed(compressed, plain, values, size, layout, everything):
    """Refuse indices and values of a compressed layout that don't fit together or into the size."""
    name = ("crow_indices", "col_indices") if layout in BY_ROWS else ("ccol_indices", "row_indices")
    _counts(size)
    for who, t in zip(name, (compressed, plain)):
        if t._form.dtype.name not in ("int32", "int64"):
            fail(RuntimeError, f"{who} must be Int or Long type, but got {t.dtype}", "convert it with .long()")
        if t._form.ndim < 1:
            fail(RuntimeError, f"{who} must have dimensionality >= 1 but got {t._form.ndim}")
    if compressed.dtype is not plain.dtype:
        fail(RuntimeError, f"{name[0]} and {name[1]} must have the same dtype, got {compressed.dtype} and "
             f"{plain.dtype}")
    lead, block = compressed._form.ndim - 1, 2 if layout in BLOCKS else 0
    batch = tuple(compressed._form.shape[:-1])
    if plain._form.ndim != lead + 1 or values._form.ndim < lead + 1 + block \
            or len(size) != lead + 2 + values._form.ndim - lead - 1 - block:
        fail(RuntimeError, f"the dimensions don't fit: {name[0]} has {lead + 1}, {name[1]} {plain._form.ndim}, values "
             f"{values._form.ndim}, the size {len(size)}")
    if not batch == tuple(plain._form.shape[:-1]) == tuple(values._form.shape[:lead]) == tuple(size[:lead]):
        fail(RuntimeError, "all batch dimensions of indices, values and size must be equal")
    nnz = plain._form.shape[-1]
    if values._form.shape[lead] != nnz:
        fail(RuntimeError, f"number of elements in {name[1]} ({nnz}) must be equal to number of values "
             f"({values._form.shape[lead]})")
    height, width = values._form.shape[lead + 1:lead + 3] if block else (1, 1)
    if tuple(values._form.shape[lead + 1 + block:]) != tuple(size[lead + 2:]):
        fail(RuntimeError, f"values has dense dimensions {list(values._form.shape[lead + 1 + block:])}, the size says "
             f"{list(size[lead + 2:])}")
    if not height or not width or size[lead] % height or size[lead + 1] % width:
        fail(RuntimeError, f"tensor sparse size ({size[lead]}, {size[lead + 1]}) must be divisible by the blocks' "
             f"({height}, {width})")
    rows, columns = size[lead] // height, size[lead + 1] // width
    lines, others = (rows, columns) if layout in BY_ROWS else (columns, rows)
    if compressed._form.shape[-1] != lines + 1:
        fail(RuntimeError, f"{name[0]}.shape[-1] must be equal to the number of {name[0][1:4]}s + 1 ({lines + 1}), but "
             f"got {compressed._form.shape[-1]}")
    if not values._on_meta:
        _check_lines(compressed._array, plain._array, nnz, others, name, everything)


def _check_lines(compressed, plain, nnz, others, name, everything):
    if (compressed[..., 0] != 0).any():
        fail(RuntimeError, f"`{name[0]}[..., 0] == 0` is not satisfied.")
    if (compressed[..., -1] != nnz).any():
        fail(RuntimeError, f"`{name[0]}[..., -1] == nnz` is not satisfied.")
    if (np.diff(compressed, axis=-1) < 0).any():
        fail(RuntimeError, f"`{name[0]}` must not fall from one line to the next")
    if plain.size and (plain.min() < 0 or plain.max() >= others):
        fail(RuntimeError, f"`0 <= {name[1]} < {others}` is not satisfied.")
    if not everything:
        return
    for starts, inside in zip(compressed.reshape(-1, compressed.shape[-1]), plain.reshape(-1, plain.shape[-1])):
        rising = np.diff(inside) > 0
        begins = starts[1:-1]
        begins = begins[(begins > 0) & (begins < nnz)]
        rising[begins - 1] = True       # the step from one line to the next
        if not rising.all():
            fail(RuntimeError, f"`{name[1]}[..., {name[0]}[..., i - 1]:{name[0]}[..., i]] for all i = 1, ..., are "
                 f"sorted and distinct along the last dimension values` is not satisfied.")
