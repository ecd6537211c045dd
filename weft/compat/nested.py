"""torch.nested: tensors of several lengths in one. Here such a tensor is its parts: a function of it is the function of
each part, and what has no such meaning says so.
"""
import inspect

import weft
from weft._absent import absent_functions as _functions
from weft.core.errors import fail
from weft.core.layout import strided
from weft.tensor.tensor import Tensor

_ADVICE = "to_padded_tensor() makes a plain tensor of it, unbind() gives its parts"
_functions("masked_select narrow", globals(), _ADVICE)
# functions of each part, besides elementwise ones
MAPPED = frozenset("""
    linear dropout layer_norm rms_norm group_norm embedding matmul __matmul__ bmm clone detach contiguous to float
    double half bfloat16 long int bool type_as zeros_like ones_like empty_like full_like rand_like randn_like
    scaled_dot_product_attention alias requires_grad_ glu _abs_in_place""".split())
# functions with dimensions: {name: {parameter: its place}}
DIMMED = {"softmax": {"dim": 1}, "log_softmax": {"dim": 1}, "sum": {"dim": 1}, "mean": {"dim": 1}, "amax": {"dim": 1},
          "amin": {"dim": 1}, "logsumexp": {"dim": 1}, "transpose": {"dim0": 1, "dim1": 2}, "unsqueeze": {"dim": 1},
          "squeeze": {"dim": 1}, "chunk": {"dim": 2}, "split": {"dim": 2}, "cumsum": {"dim": 1}}


class NestedTensor(Tensor):
    """Parts with one number of dimensions; `unbind()` gives them, `to_padded_tensor()` a plain tensor."""

    @staticmethod
    def __new__(cls, parts, layout=strided):
        parts = list(parts)
        if len({part.dim() for part in parts}) > 1:
            fail(RuntimeError, f"nested_tensor: the parts must have one number of dimensions, they have "
                 f"{', '.join(str(part.dim()) for part in parts)}")
        dtype = parts[0].dtype if parts else weft.get_default_dtype()
        made = Tensor._make_wrapper_subclass(cls, (len(parts),), dtype=dtype)
        made._parts, made._layout = parts, layout
        return made

    def __init__(self, parts, layout=strided):
        pass

    is_nested = True
    layout = property(lambda self: self._layout)
    requires_grad = property(lambda self: any(part.requires_grad for part in self._parts))
    is_leaf = property(lambda self: all(part.is_leaf for part in self._parts))
    grad_fn = property(lambda self: next((p.grad_fn for p in self._parts if p.grad_fn is not None), None))
    ndim = property(lambda self: self.dim())

    @property
    def grad(self):
        """The gradients of the parts, or None."""
        grads = [part.grad for part in self._parts]
        return None if not grads or any(g is None for g in grads) else NestedTensor(grads, self._layout)

    @property
    def shape(self):
        """RuntimeError: there is no single one."""
        fail(RuntimeError, "a nested tensor has no single shape: its parts have several",
             "size(i) gives a size that all parts have; " + _ADVICE)

    def size(self, dim=None):
        """How many parts there are (0), or a size that all of them have."""
        if dim is None:
            return self.shape
        d = dim + self.dim() if dim < 0 else dim
        if not 0 <= d < self.dim():
            raise IndexError(f"Dimension out of range (expected to be in range of [{-self.dim()}, {self.dim() - 1}], "
                             f"but got {dim})")
        found = {len(self._parts)} if d == 0 else {part.shape[d - 1] for part in self._parts}
        if len(found) != 1:
            raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
        return found.pop()

    def dim(self):
        """One more than the parts have."""
        return 1 + (self._parts[0].dim() if self._parts else 0)

    def numel(self):
        """The elements of all parts."""
        return sum(part.numel() for part in self._parts)

    def unbind(self, dim=0):
        """The parts."""
        if dim != 0:
            fail(RuntimeError, f"unbind: a nested tensor can be taken apart along dimension 0 only, got {dim}")
        return tuple(self._parts)

    def is_contiguous(self, memory_format=weft.contiguous_format):
        """Whether every part is."""
        return all(part.is_contiguous(memory_format=memory_format) for part in self._parts)

    def values(self):
        """All parts in one tensor, one after the other along their first dimension."""
        return weft.cat(self._parts)

    def offsets(self):
        """Where each part begins in `values()`, and where the last one ends."""
        return weft.tensor([0, *[part.shape[0] for part in self._parts]]).cumsum(0)

    def lengths(self):
        """None: the parts lie without gaps."""

    def to_padded_tensor(self, padding, output_size=None):
        """A plain tensor with `padding` where the parts are shorter than the longest, or than `output_size` says."""
        sizes = [max(sizes) for sizes in zip(*[part.shape for part in self._parts], strict=True)]
        if output_size is not None:
            if len(output_size) != 1 + len(sizes) or output_size[0] < len(self._parts) or \
                    any(wanted < size for wanted, size in zip(output_size[1:], sizes)):
                fail(RuntimeError, f"to_padded_tensor: output_size {list(output_size)} is too small for "
                     f"{[len(self._parts), *sizes]}")
            sizes = list(output_size[1:])
        rows = [_padded(part, sizes, padding) for part in self._parts]
        more = 0 if output_size is None else output_size[0] - len(rows)
        return weft.stack(rows + [weft.full(sizes, padding, dtype=self.dtype)] * more)

    def tolist(self):
        """The parts' lists."""
        return [part.tolist() for part in self._parts]

    def __getitem__(self, index):
        if isinstance(index, tuple) and index and isinstance(index[0], int):
            return self._parts[index[0]][index[1:]]
        if not isinstance(index, int):
            fail(NotImplementedError, "a nested tensor takes the number of a part, and indices inside it", _ADVICE)
        return self._parts[index]

    def __len__(self):
        return len(self._parts)

    def __iter__(self):
        return iter(self._parts)

    def __bool__(self):
        fail(RuntimeError, "Boolean value of Tensor with more than one value is ambiguous")

    def __repr__(self, *, tensor_contents=None):
        lines = [repr(part).replace("\n", "\n  ") for part in self._parts]
        return "nested_tensor([\n  " + ",\n  ".join(lines) + "\n])"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        if name in ("cat", "concat", "stack") or name in DIMMED:
            return _along(func, name, args, kwargs)
        if name != "ctc_loss" and _is_loss(func):
            return _loss(func, args, kwargs)
        op = getattr(func, "op", None)
        if name not in MAPPED and not getattr(op, "pointwise", False):
            fail(NotImplementedError, f"{name}: weft has no form of it for nested tensors", _ADVICE)
        return _each(func, args, kwargs)


def _padded(part, sizes, padding):
    """One part, with the padding after it in every dimension."""
    if list(part.shape) == list(sizes):
        return part
    pads = [n for size, wanted in reversed(list(zip(part.shape, sizes, strict=True))) for n in (0, wanted - size)]
    return weft.nn.functional.pad(part, pads, value=padding)


def _nested_in(values):
    return [v for v in values if isinstance(v, NestedTensor)]


def _each(func, args, kwargs):
    """func of the parts, one after the other."""
    nested = _nested_in((*args, *kwargs.values()))
    counts = {len(one) for one in nested}
    if len(counts) != 1:
        fail(RuntimeError, f"{func.__name__}: nested tensors of {' and '.join(map(str, sorted(counts)))} parts")
    found = []
    for i in range(counts.pop()):
        pick = [v._parts[i] if isinstance(v, NestedTensor) else v for v in args]
        found.append(func(*pick, **{k: v._parts[i] if isinstance(v, NestedTensor) else v for k, v in kwargs.items()}))
    if found and all(result is part for result, part in zip(found, nested[0]._parts)):
        return nested[0]            # written in place
    if found and isinstance(found[0], (tuple, list)):
        return tuple(NestedTensor(results, nested[0]._layout) for results in zip(*found, strict=True))
    return NestedTensor(found, nested[0]._layout)


def _along(func, name, args, kwargs):
    """A function with dimensions: those of the parts come after the first."""
    if name in ("cat", "concat", "stack"):
        tensors, dim = list(args[0]), kwargs.get("dim", args[1] if len(args) > 1 else 0)
        if dim == 0 and name != "stack":
            return NestedTensor([part for one in tensors for part in one.unbind()])
        inner = _inner(dim, tensors[0], func)
        return NestedTensor([func(parts, dim=inner) for parts in zip(*[one.unbind() for one in tensors], strict=True)])
    x, args = args[0], list(args)
    if name in ("sum", "mean") and len(args) == 1 and kwargs.get("dim") is None:
        whole = sum(func(part) * (1 if name == "sum" else part.numel()) for part in x._parts)
        return whole if name == "sum" else whole / x.numel()
    for parameter, place in DIMMED[name].items():
        if parameter in kwargs:
            kwargs = {**kwargs, parameter: _inner(kwargs[parameter], x, func)}
        elif place < len(args):
            args[place] = _inner(args[place], x, func)
        else:
            kwargs = {**kwargs, parameter: _inner(0, x, func)}
    return _each(func, args, kwargs)


def _is_loss(func):
    """Whether a function says how it reduces the losses of its elements: here those of all parts, without padding."""
    try:
        return "reduction" in inspect.signature(func).parameters
    except (TypeError, ValueError):
        return False


def _loss(func, args, kwargs):
    """A loss of all parts, one below the other; without a reduction it is nested again."""
    nested = _nested_in((*args, *kwargs.values()))
    lengths = [part.shape[0] for part in nested[0]._parts]
    for other in nested[1:]:
        if [part.shape[0] for part in other._parts] != lengths:
            fail(RuntimeError, f"{func.__name__}: the parts have the lengths {lengths} and "
                 f"{[part.shape[0] for part in other._parts]}", "give a target of each input's length")
    whole = func(*[v.values() if isinstance(v, NestedTensor) else v for v in args],
                 **{k: v.values() if isinstance(v, NestedTensor) else v for k, v in kwargs.items()})
    return whole if whole.dim() == 0 else NestedTensor(whole.split(lengths), nested[0]._layout)


def _inner(dim, x, func):
    if isinstance(dim, (tuple, list)):
        return tuple(_inner(d, x, func) for d in dim)
    d = dim + x.dim() + (func.__name__ == "unsqueeze") if dim < 0 else dim
    if d <= 0:
        fail(NotImplementedError, f"{func.__name__}: weft has no form of it along dimension 0 of a nested tensor",
             _ADVICE)
    return d - 1


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A nested tensor of copies of tensors, arrays or lists: a leaf of the graph."""
    parts = [weft.as_tensor(part, dtype=dtype).detach().clone().requires_grad_(requires_grad) for part in tensor_list]
    return NestedTensor(parts, strided if layout is None else layout)


def as_nested_tensor(ts, dtype=None, device=None, layout=None):
    """A nested tensor of tensors, with their history; a tensor's rows are its parts."""
    if isinstance(ts, NestedTensor) and dtype is None:
        return ts
    parts = [weft.as_tensor(part) for part in (ts.unbind() if isinstance(ts, Tensor) else ts)]
    return NestedTensor([part if dtype is None else part.to(dtype) for part in parts],
                        strided if layout is None else layout)


def to_padded_tensor(input, padding, output_size=None, out=None):
    """The nested tensor as a plain one, with `padding` where its parts are shorter."""
    if not isinstance(input, NestedTensor):
        raise TypeError(f"to_padded_tensor: expected a nested tensor, got {type(input).__name__}")
    return input.to_padded_tensor(padding, output_size)


def nested_tensor_from_jagged(values, offsets=None, lengths=None, jagged_dim=None, min_seqlen=None, max_seqlen=None):
    """The parts of `values`, cut along its first dimension at `offsets` or into `lengths`; views with their history."""
    if jagged_dim not in (None, 1):
        fail(NotImplementedError, f"nested_tensor_from_jagged: jagged_dim {jagged_dim}; weft cuts along 1 only")
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    if offsets is None:
        starts = [0, *weft.as_tensor(lengths).cumsum(0).tolist()]
    else:
        starts = weft.as_tensor(offsets).tolist()
    sizes = [b - a for a, b in zip(starts, starts[1:])] if lengths is None else weft.as_tensor(lengths).tolist()
    return NestedTensor([values[start:start + size] for start, size in zip(starts, sizes)])


__all__ = ["as_nested_tensor", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor"]
