"""Rules of sums and softmax."""
import numpy as np

from weft.core.errors import fail
from weft.core.size import wrap_dim, wrap_dims
from weft.ops.sparse.bridge import made_of, values_of, with_values
from weft.ops.sparse.convert import coalesced, convert, in_graph, to_coo
from weft.ops.sparse.parts import COO, coo, places
from weft.ops.sparse.product import sum_rows
from weft.ops.sparse.rules import rule
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import wrap


@rule("sum")
def total(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of all elements, or along dimensions; what has a sparse dimension left is sparse."""
    layout = input._owed.layout
    if layout is COO:
        return sum_along(input, dim, keepdim, dtype)
    if dim is None or dim == () or dim == []:
        return sum_along(input, None, False, dtype)
    if not keepdim:
        fail(RuntimeError, "reduction operations on CSR tensors with keepdim=False is unsupported",
             "give keepdim=True, or convert it with to_sparse()")
    return convert(sum_along(to_coo(input), dim, True, dtype), layout, input._owed.block or None)


def sum_along(s, dim, keepdim=False, dtype=None):
    """The sum of a sparse tensor along some dimensions, None for all."""
    s = in_graph(s) if dim is None else coalesced(s)
    values = s._owed.flat_values(values_of(s))
    if dtype is None and values._form.dtype.kind in "bui":
        values = values.long()
    if dtype is not None:
        values = values.to(dtype)
    if dim is None or isinstance(dim, (tuple, list)) and not dim:
        return values.sum()
    parts = to_coo(s)._owed if s._owed.layout is not COO else s._owed
    dims, many = wrap_dims(dim, len(parts.shape)), parts.sparse_dim
    within = [d - many + 1 for d in dims if d >= many]
    if within:
        values = values.sum(within, keepdim=keepdim)
    shape = [1 if d in dims else n for d, n in enumerate(parts.shape) if keepdim or d not in dims]
    left = [d for d in range(many) if d not in dims]
    if len(left) == many:
        return made_of(coo(parts.coordinates(), values, shape, parts.coalesced), values)
    if not left and not keepdim:
        return values.sum(0)
    where = parts.coordinates()
    where = np.where(np.isin(np.arange(many), dims)[:, None], 0, where) if keepdim else where[left]
    return coalesced(made_of(coo(where, values, shape, False), values))


def softmax_of(s, dim, dtype, log):
    """softmax over the elements that are there, along one dimension; those that aren't count as minus infinity."""
    if s._owed.layout is not COO:
        fail(NotImplementedError, f"torch.sparse.softmax: only for layout torch.sparse_coo, not {s._owed.layout}",
             "convert it with to_sparse()")
    s = coalesced(s)
    parts, values = s._owed, values_of(s)
    values = values if dtype is None else values.to(dtype)
    if values._form.dtype.kind not in "fV":
        fail(NotImplementedError, f'"softmax" not implemented for {values.dtype}', "convert it with .float()")
    dim, many = wrap_dim(dim, len(parts.shape)), parts.sparse_dim
    if dim >= many:
        along = FUNCTIONS["log_softmax" if log else "softmax"](values, dim - many + 1)
        return with_values(parts, along)
    others = [d for d in range(many) if d != dim]
    keys = places(parts.coordinates()[others], [parts.shape[d] for d in others])
    lines, group = np.unique(keys, return_inverse=True)
    group = group.reshape(-1)
    most = np.full((lines.size, *values._form.shape[1:]), -np.inf, np.float64)
    np.maximum.at(most, group, values.detach().double()._array)
    most[~np.isfinite(most)] = 0
    at = wrap(group)
    shifted = values - wrap(most).to(values.dtype).index_select(0, at)
    powers = shifted.exp()
    sums = sum_rows(powers, group, lines.size).index_select(0, at)
    return with_values(parts, shifted - sums.log() if log else powers / sums)
