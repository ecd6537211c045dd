"""Batch rules of views and copies."""
from weft.core import dtype as dtypes
from weft.ops.lanes.rules import Unruled, batch, by_name, direct, lifted, moved
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor

FULL = slice(None)

batch("positive", "conj", "resolve_conj", "resolve_neg", "real", "imag", "view_as_real", "view_as_complex", "_alias",
      "frexp", "zero", "tril", "triu", "_powers", "_one_hot", "_unravelled", "_counted_round", "histc")(direct)


@batch("histc", "_histogram", "_search", "isin", "_block_diag", "_restride", "_unstride")
def alone(call):
    raise Unruled


def size_of(call):
    return (call.size, *call.outputs[0]._form.shape)


@batch("view", "reshape", "flatten")
def reshaped(call):
    x, size = call.spread("x"), size_of(call)
    try:
        return [x.view(size)]
    except RuntimeError:
        return [x.reshape(size)]


@batch("squeeze")
def squeezed(call):
    x, shape = call.spread("x"), call.given[0]._form.shape
    given = call.dim
    wanted = range(len(shape)) if given is None else given if isinstance(given, (tuple, list)) else (given,)
    gone = sorted({d % len(shape) for d in wanted}) if shape else []
    for d in reversed([d for d in gone if shape[d] == 1]):
        x = x.select(d + 1, 0)
    return [x]


@batch("expand")
def expanded(call):
    return [lifted(call.x, len(call.outputs[0]._form.shape)).expand(size_of(call))]


@batch("sum_to_size")
def summed(call):
    x, size = call.x, tuple(call.outputs[0]._form.shape)
    lead = x._form.ndim - 1 - len(size)
    return [x.sum_to_size((call.size, *(1,) * lead, *size)).reshape((call.size, *size))]


@batch("_spread")
def spread(call):
    shape, dims = tuple(call.one("shape")), call.dims
    if not call.rank() and not call.keepdim:
        return [call.x.reshape((call.size, *(1,) * len(shape))).expand((call.size, *shape))]
    rank = len(shape)
    dims = tuple(range(1, rank + 1)) if dims is None else tuple(d % rank + 1 for d in dims) \
        if isinstance(dims, (tuple, list)) else dims % rank + 1
    return call.changed(shape=(call.size, *shape), dims=dims)


@batch("permute")
def permuted(call):
    rank = call.rank()
    return call.changed(dims=(0, *[moved(d, rank) for d in call.dims]))


@batch("t")
def turned(call):
    return [call.x.transpose(1, 2) if call.rank() == 2 else call.x]


@batch("unsqueeze")
def unsqueezed(call):
    return [call.x.unsqueeze(call.dim % (call.rank() + 1) + 1)]


@batch("stack")
def stacked(call):
    rank = call.given[0][0]._form.ndim
    return [FUNCTIONS["stack"](call.spread("tensors"), call.dim % (rank + 1) + 1)]


@batch("cat")
def joined(call):
    tensors, one = call.spread("tensors"), call.one("tensors")
    rank = max(t._form.ndim for t in one)
    kept = [whole for whole, t in zip(tensors, one) if t._form.ndim == rank or t._form.shape != (0,)]
    return [FUNCTIONS["cat"](kept, call.dim % rank + 1)]


@batch("_pad_select")
def select_back(call):
    return call.changed(dim=call.dim + 1)


@batch("diagonal", "_pad_diagonal")
def diagonals(call):
    rank = call.rank() + (call.op.name != "diagonal")
    values = dict(dim1=moved(call.dim1, rank), dim2=moved(call.dim2, rank))
    if "own" in call.names:
        values["own"] = (call.size, *call.own)
    return call.changed(**values)


@batch("_roll")
def rolled(call):
    if not call.dims:
        flat = FUNCTIONS["roll"](call.x.reshape((call.size, -1)), call.shifts, 1)
        return [flat.reshape(call.x._form.shape)]
    return call.changed(dims=tuple(moved(d, call.rank()) for d in call.dims))


@batch("_repeat")
def repeated(call):
    own = tuple(call.own)
    x = lifted(call.x, len(own))
    return call.changed(x=x, repeats=(1, *call.repeats), own=(call.size, *own))


@batch("_constant_pad")
def padded(call):
    return call.changed(pads=((0, 0), *call.pads))


@batch("_as_strided")
def strided(call):
    raise Unruled


@batch("contiguous", "clone", "_cast")
def copied(call):
    values = list(call.values)
    at = call.names.index("memory_format")
    if values[at] is not None and "channels" in str(values[at]):
        raise Unruled
    return call.run(values)


@batch("_strided_copy")
def copied_strided(call):
    return [call.x.reshape((call.size, *call.one("shape"))).clone()]


@batch("copy", "fill", "_masked_fill")
def written(call):
    """x with others broadcast into it."""
    values = [call.spread_value(0)]
    for i in range(1, len(call.values)):
        v = call.values[i]
        values.append(call.aligned(i, call.rank()) if isinstance(v, Tensor) else v)
    if call.op.name != "copy" and isinstance(values[-1], Tensor):     # a value for each example
        mask = values[1] if call.op.name == "_masked_fill" else FUNCTIONS["ones_like"](values[0], dtype=dtypes.bool_)
        filling = values[-1].to(values[0].dtype)
        return [FUNCTIONS["where"](mask, filling, values[0])]
    return call.run(values)


# basic indices

@batch("_get_item", "_get_range", "_get_new_axis", "_get_whole")
def viewed(call):
    return call.changed(index=(FULL, *call.index))


@batch("_get_backward")
def view_back(call):
    return call.changed(index=(FULL, *call.index), shape=(call.size, *call.one("shape")))


# whole reductions and scans whose dimension is the only one

@batch("_max_all", "_min_all")
def extreme(call):
    return [by_name("amax" if call.op.name == "_max_all" else "amin").compute([call.x.reshape((call.size, -1)), 1,
                                                                              False])]


@batch("_median_all")
def median(call):
    return by_name("_median_dim").compute([call.x.reshape((call.size, -1)), 1, False, call.skip_nan])[:1]


@batch("count_nonzero")
def counted(call):
    dim, rank = call.dim, call.rank()
    if dim is None or not rank:
        return call.changed(x=call.x.reshape((call.size, -1)), dim=1)
    return call.changed(dim=tuple(d % rank + 1 for d in dim) if isinstance(dim, (tuple, list)) else dim % rank + 1)
