"""The rules of ops that only change a tensor's shape, take parts of it or join several."""
import math

from weft.distributed.dtensor.layout import Layout
from weft.distributed.dtensor.plan import Pattern, everywhere, operands_of, run
from weft.distributed.dtensor.rules import dims_of, given, rule
from weft.distributed.dtensor.tensor import enter, leave, redistributed
from weft.distributed.placements import Replicate, Shard
from weft.tensor.names import FUNCTIONS


def through(function, t, args, kwargs, name, out):
    """An op that moves letters: out has the letters of the result, None for a new dimension."""
    return run(function, Pattern([list(range(t.dim()))], [out], 0), (t, *args), kwargs, name)


@rule("transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "permute")
def _moved(function, name, args, kwargs):
    t = args[0]
    order = FUNCTIONS["empty"]([2 + d for d in range(t.dim())], device="meta")      # sizes that tell dimensions apart
    out = [n - 2 for n in function(order, *args[1:], **kwargs).shape]
    return through(function, t, args[1:], kwargs, name, out)


@rule("t", "T", "mT", "adjoint", "H", "mH")
def _turned(function, name, args, kwargs):
    t = args[0]
    if t.dim() < 2:
        return t
    made = FUNCTIONS["transpose"](t, -2, -1)
    return made.conj() if name in ("adjoint", "H", "mH") and t.is_complex() else made


@rule("unsqueeze")
def _unsqueeze(function, name, args, kwargs):
    t, dim = args[0], kwargs.get("dim", args[1] if len(args) > 1 else 0)
    out = list(range(t.dim()))
    out.insert(dim % (t.dim() + 1), None)
    return through(function, t, (dim,), {}, name, out)


@rule("squeeze")
def _squeeze(function, name, args, kwargs):
    t, dim = args[0], kwargs.get("dim", args[1:] or None)
    dim = dim[0] if isinstance(dim, tuple) and len(dim) == 1 else dim
    gone = [d for d in dims_of(t, dim) if t.shape[d] == 1]
    letters = [None if n == 1 else d for d, n in enumerate(t.shape)]
    if not gone:
        return t
    return run(lambda x: FUNCTIONS["squeeze"](x, tuple(gone)),
               Pattern([letters], [[d for i, d in enumerate(letters) if i not in gone]], 0), (t,), {}, name)


@rule("view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "ravel")
def _reshape(function, name, args, kwargs):
    t = args[0]
    if name in ("view_as", "reshape_as"):
        shape = args[1].shape
    else:       # what the op would make of the whole
        shape = function(FUNCTIONS["empty"](t.shape, dtype=t.dtype, device="meta"), *args[1:], **kwargs).shape
        if args[1:] and isinstance(args[1], type(t.dtype)):
            return everywhere(function, args, kwargs, name)
    return reshaped(t, tuple(shape))


def reshaped(t, shape):
    """A cut of the first of the dimensions that are merged or divided stays, where parts are equal."""
    layout = t._owed.layout
    starts = meeting(layout.shape, shape)
    wanted, placed = [], []
    for m, p in enumerate(layout.placements):
        n = layout.mesh.size(m)
        keeps = p.is_shard() and p.dim in starts and not layout.shape[p.dim] % n and not shape[starts[p.dim]] % n \
            and sum([q.is_shard(p.dim) for q in layout.placements]) == 1
        wanted.append(p if keeps or not p.is_shard() else Replicate())
        placed.append(Shard(starts[p.dim]) if keeps else wanted[-1])
    target = Layout(layout.mesh, placed, shape)
    grads = [Replicate() if p.is_partial() else p for p in wanted]
    local = enter(redistributed(t, wanted), tuple(grads))
    return leave(FUNCTIONS["reshape"](local, target.own_part()[0]), target)


def meeting(before, after):
    """{dimension: the new dimension that begins at the same element}, for those where that is so."""
    if not math.prod(before):
        return {}
    found, size, d, start = {}, 1, 0, {}
    for i, n in enumerate(after):
        start.setdefault(size, i) if n != 1 else None
        size *= n
    size = 1
    for d, n in enumerate(before):
        if size in start and n != 1:
            found[d] = start[size]
        size *= n
    return found


@rule("expand", "expand_as", "broadcast_to")
def _expand(function, name, args, kwargs):
    t = args[0]
    shape = args[1].shape if name == "expand_as" else kwargs.get("size", args[1] if len(args) == 2 else args[1:])
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    new = len(shape) - t.dim()
    shape = tuple([t.shape[d - new] if n == -1 and d >= new else n for d, n in enumerate(shape)])
    letters = [d if n == shape[new + d] else None for d, n in enumerate(t.shape)]

    def stretch(x):
        return x.expand([n if d < new or letters[d - new] is None else -1 for d, n in enumerate(shape)])
    return run(stretch, Pattern([letters], [[*[None] * new, *letters]], 0), (t,), {}, name)


@rule("select", "narrow", "unbind", "chunk", "split")
def _taken(function, name, args, kwargs):
    t, options = args[0], given(function, args, kwargs)
    if options is None or not isinstance(options.get("dim"), int):
        return everywhere(function, args, kwargs, name)
    dim = options["dim"] % max(t.dim(), 1)
    letters = [None if d == dim else d for d in range(t.dim())]
    out = [d for i, d in enumerate(letters) if i != dim] if name in ("select", "unbind") else letters
    return run(function, Pattern([letters], [out], 0), args, kwargs, name)


@rule("__getitem__")
def _indexed(function, name, args, kwargs):
    """Whole dimensions (`:`) stay cut; any other index wants its dimension whole."""
    t, index = args
    index = index if isinstance(index, tuple) else (index,)
    if any([not isinstance(i, (int, slice, type(None), type(...))) or isinstance(i, bool) for i in index]):
        return everywhere(function, args, kwargs, name)
    if ... in index:
        at = index.index(...)
        named = sum([i is not None for i in index]) - 1
        index = (*index[:at], *[slice(None)] * (t.dim() - named), *index[at + 1:])
    letters, out, d = [], [], 0
    for i in index:
        if i is None:
            out.append(None)
            continue
        letters.append(d if i == slice(None) and isinstance(i, slice) else None)
        out.extend([letters[-1]] if isinstance(i, slice) else [])
        d += 1
    rest = list(range(d, t.dim()))
    return run(lambda x: x[index], Pattern([letters + rest], [out + rest], 0), (t,), {}, name)


@rule("cat", "concat", "concatenate", "stack")
def _joined(function, name, args, kwargs):
    tensors = args[0]
    operands = operands_of([args, kwargs])
    dim = kwargs.get("dim", args[1] if len(args) > 1 else 0)
    ndim = operands[0].dim()
    if len(operands) != len(tensors) or any([t.dim() != ndim for t in operands]) or not isinstance(dim, int):
        return everywhere(function, args, kwargs, name)
    if name == "stack":
        letters = list(range(ndim))
        out = list(letters)
        out.insert(dim % (ndim + 1), None)
    else:
        letters = out = [None if d == dim % ndim else d for d in range(ndim)]
    return run(function, Pattern([letters] * len(operands), [out], "all"), args, kwargs, name)
