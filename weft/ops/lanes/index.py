"""Batch rules of indexing with tensors, gathering and scattering."""
import numpy as np

from weft.ops.lanes.rules import Unruled, batch, by_name
from weft.tensor.names import FUNCTIONS

movedim = FUNCTIONS["movedim"]


def places(call, rank):
    """The number of each example, to stand beside index tensors of `rank` dimensions."""
    return FUNCTIONS["arange"](call.size).reshape((call.size, *(1,) * rank))


def aligned(index, flag, rank):
    """An index tensor that broadcasts with others of `rank` dimensions in one example."""
    if index is None or not flag:
        return index
    shape = index._form.shape
    return index.reshape((shape[0], *(1,) * (rank + 1 - len(shape)), *shape[1:]))


# one index tensor

@batch("_index_dim", "_index_select")
def along(call):
    dim, index, op = call.dim, call.index, by_name("_index_dim")
    width = call.one("index")._form.ndim
    if not call.has_batch("index"):
        if not width:       # one place for all of them
            return [op.compute([call.x, dim + 1, index.reshape((1,))]).select(dim + 1, 0)]
        return [op.compute([call.x, dim + 1, index])]
    if not call.has_batch("x"):
        return [movedim(op.compute([call.x, dim, index]), dim, 0)]
    x = movedim(call.x, dim + 1, 1)                                 # (B, n, rest)
    found = by_name("_index").compute([x, [places(call, width), index]])       # (B, *index, rest)
    return [movedim(found, tuple(range(1, width + 1)), tuple(range(dim + 1, dim + width + 1)))]


@batch("_index_dim_backward")
def along_back(call):
    dim, index, shape = call.dim, call.index, tuple(call.one("shape"))
    width = call.one("index")._form.ndim
    g = call.spread("g")
    if not call.has_batch("index") and width:
        return call.changed(g=g, dim=dim + 1, index=index, shape=(call.size, *shape))
    index = call.spread("index")
    g = movedim(g, tuple(range(dim + 1, dim + width + 1)), tuple(range(1, width + 1)))       # (B, *index, rest)
    rest = (shape[dim], *shape[:dim], *shape[dim + 1:])
    made = by_name("_index_backward").compute([g, [places(call, width), index], (call.size, *rest)])
    return [movedim(made, 1, dim + 1)]


# several

class Layout:
    """Where the index tensors' dimensions stand in x[indices], and how many there are."""

    def __init__(self, call):
        one = call.one("indices")
        self.width = max(i._form.ndim for i in one if i is not None)
        at = [k for k, i in enumerate(one) if i is not None]
        adjacent = at == list(range(at[0], at[-1] + 1))
        self.start = at[0] if adjacent else 0
        self.adjacent = adjacent
        self.first = at[0]
        self.indices = [aligned(i, f, self.width) for i, f in zip(call.indices, call.has_batch("indices"))]
        self.differ = any(call.has_batch("indices"))

    def to_front(self, t):
        """The indices' dimensions right behind the examples'."""
        w, s = self.width, self.start
        return movedim(t, tuple(range(s + 1, s + w + 1)), tuple(range(1, w + 1))) if s else t

    def to_place(self, t):
        """And back where they belong."""
        w, s = self.width, self.start
        return movedim(t, tuple(range(1, w + 1)), tuple(range(s + 1, s + w + 1))) if s else t


@batch("_index")
def indexed(call):
    layout, op = Layout(call), call.op
    if not layout.differ:
        made = op.compute([call.x, [None, *layout.indices]])
        return [made if layout.adjacent else movedim(made, layout.width, 0)]
    if not call.has_batch("x"):
        return [movedim(op.compute([call.x, layout.indices]), layout.start, 0)]
    # the examples' numbers stand first: with the others behind them, or else all dimensions of indices come first
    return [layout.to_place(op.compute([call.x, [places(call, layout.width), *layout.indices]]))]


@batch("_index_backward")
def index_back(call):
    layout, op, g = Layout(call), call.op, call.spread("g")
    shape = (call.size, *call.one("shape"))
    if not layout.differ:
        g = g if layout.adjacent else movedim(g, 0, layout.width)
        return [op.compute([g, [None, *layout.indices], shape])]
    return [op.compute([layout.to_front(g), [places(call, layout.width), *layout.indices], shape])]


@batch("_index_put")
def put(call):
    layout, x = Layout(call), call.spread("x")
    values = call.values[call.names.index("values")]
    if call.has_batch("values") or not layout.adjacent or layout.start:
        rank = len(_taken(call, layout))
        values = call.spread("values")
        missing = rank + 1 - values._form.ndim
        values = values.reshape((call.size, *(1,) * missing, *values._form.shape[1:]))
        values = layout.to_front(values.expand((call.size, *_taken(call, layout))))
    return [call.op.compute([x, [places(call, layout.width), *layout.indices], values, call.accumulate])]


def _taken(call, layout):
    """The shape of x[indices] in one example."""
    shape, one = call.one("x")._form.shape, call.one("indices")
    wide = np.broadcast_shapes(*[i._form.shape for i in one if i is not None])
    rest = [n for k, n in enumerate(shape) if k >= len(one) or one[k] is None]
    return (*rest[:layout.start], *wide, *rest[layout.start:])


# along one dimension, element by element

@batch("_gather", "_scatter", "_scatter_value", "_scatter_add", "_scatter_reduce", "_pick", "_place", "_place_once")
def elementwise_along(call):
    if not call.rank() or not all(v._form.ndim == call.rank() for v in call.given if hasattr(v, "_form")):
        raise Unruled
    return call.changed(dim=call.dim % call.rank() + 1)


@batch("_gather_backward")
def gather_back(call):
    if not call.rank():
        raise Unruled
    return call.changed(dim=call.dim % call.rank() + 1, shape=(call.size, *call.one("shape")))


@batch("_index_add", "_index_copy", "_index_fill")
def rows_written(call):
    fills = call.op.name == "_index_fill"
    if call.has_batch("index") or not call.rank() or fills and call.has_batch("value"):
        raise Unruled
    same = dict(value=call.value) if fills else {}
    return call.changed(dim=call.dim % call.rank() + 1, index=call.index, **same)


@batch("_take", "_take_backward", "_put", "_masked_place", "_masked_scatter", "_index_mask_backward",
       "_nonzero_static", "_plane_scatter", "_plane_gather", "_grid_gather", "_grid_scatter",
       "_index_inside", "_reaching", "_recur")
def alone(call):
    raise Unruled


@batch("embedding")
def embedding(call):
    if call.scale_grad_by_freq:     # each example counts its own words
        raise Unruled
    if call.has_batch("weight"):
        rows = call.one("weight")._form.shape[0]
        if call.padding_idx >= 0:
            raise Unruled
        rank = call.one("indices")._form.ndim
        numbers = call.indices + places(call, rank) * rows
        return [FUNCTIONS["nn.functional.embedding"](numbers, call.weight.reshape((-1, call.weight.shape[-1])))]
    return call.run(call.values)
