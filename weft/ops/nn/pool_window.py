# compiled
"""Windows that slide over the last one to three dimensions: their geometry, worked out once per shape, and PyTorch's
checks of it.
"""
import operator

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.tensor.tensor import Tensor

_known = {}             # (kind, shape, numbers) -> Window
_MOST_KNOWN = 2048      # a program of ever new shapes must not fill the memory


class Window:
    """What is pooled to what: `size` and `out` are the pooled dimensions before and after; the other tuples have one
    number for each.

    An adaptive window takes from floor(o * size / out) to ceil((o + 1) * size / out).
    """

    __slots__ = ("dims", "size", "out", "kernel", "stride", "padding", "dilation", "adaptive", "with_padding",
                 "divisor", "places")

    def __init__(self, size, out, kernel, stride, padding, dilation, adaptive=False, with_padding=True, divisor=0):
        self.dims, self.size, self.out, self.kernel = len(size), size, out, kernel
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.adaptive, self.with_padding, self.divisor = adaptive, with_padding, divisor
        self.places = int(np.prod(kernel))

    def __eq__(self, other):
        return type(other) is Window and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None

    def __repr__(self):
        return f"Window({', '.join([f'{name}={getattr(self, name)}' for name in self.__slots__])})"

    def bounds(self, axis):
        """(start, first, last) of each window along an axis: it takes start + k * dilation for first <= k < last."""
        size, out = self.size[axis], self.out[axis]
        o = np.arange(out)
        if self.adaptive:
            start = o * size // out if out else o
            return start, np.zeros_like(o), -(-(o + 1) * size // out) - start if out else o
        step = self.dilation[axis]
        start = o * self.stride[axis] - self.padding[axis]
        return start, np.maximum(-(start // step), 0), np.minimum(self.kernel[axis], -(-(size - start) // step))

    def counts(self, axis):
        """How many elements each window is averaged over along an axis."""
        start, first, last = self.bounds(axis)
        if self.adaptive or not self.with_padding:
            return last - first
        return np.minimum(start + self.kernel[axis], self.size[axis] + self.padding[axis]) - start


# arguments

_WORDS = {1: "a single int, or a tuple of one int", 2: "a single int, or a tuple of two ints",
          3: "a single int, or a tuple of three ints"}


def ints(value, dims, who, name):
    """A tuple of `dims` ints of what may be one int or a sequence."""
    if type(value) is int:
        return (value,) * dims
    if isinstance(value, (tuple, list)):
        made = tuple([one(v, who, name) for v in value])
        if len(made) == 1:
            return made * dims
        if len(made) != dims:
            fail(RuntimeError, f"{who}(): {name} must either be {_WORDS[dims]}, got {value}",
                 f"give {name}={made[0] if made else 2}")
        return made
    return (one(value, who, name),) * dims


def one(value, who, name):
    """An int; neither a bool nor a float is one."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    fail(TypeError, f"{who}(): argument '{name}' must be tuple of ints, not {type(value).__name__}",
         f"give whole numbers for {name}")


def need_tensor(x, who):
    if not isinstance(x, Tensor):
        fail(TypeError, f"{who}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}",
             "make it one with torch.tensor(...)")


def need_kind(x, who, integers):
    """Refuse types that PyTorch has no kernel for; `integers` are the kinds of whole numbers taken."""
    kind = x._form.dtype
    if kind.char in "fd" or kind.name in integers:
        return
    if not dtypes.of_array(kind).is_floating_point:
        fail(NotImplementedError, f"\"{who}\" not implemented for '{dtypes.of_array(kind)}'",
             "convert it to a floating-point type")


WHOLE = frozenset(("int64", "int32", "int16", "int8", "uint8"))
LONG = frozenset(("int64",))
NONE = frozenset()


# windows that slide

def sliding(x, dims, kernel_size, stride, padding, dilation, ceil_mode, who, with_padding=True, divisor=0):
    """The window of a max_pool or avg_pool over a tensor's last dimensions."""
    shape = x._form.shape
    kernel = ints(kernel_size, dims, who, "kernel_size")
    steps = kernel if stride is None or stride == () or stride == [] else ints(stride, dims, who, "stride")
    pad = ints(padding, dims, who, "padding")
    gaps = (1,) * dims if dilation == 1 else ints(dilation, dims, who, "dilation")
    key = (dims, shape, kernel, steps, pad, gaps, bool(ceil_mode), with_padding, divisor)
    found = _known.get(key)
    if found is not None:
        return found
    _check_batch(shape, dims, who, 1)
    _check_numbers(kernel, steps, pad, gaps, who)
    size = shape[len(shape) - dims:]
    out = tuple([_out_size(*numbers, ceil_mode) for numbers in zip(size, kernel, steps, pad, gaps)])
    if min(out) < 1:
        given = "x".join(map(str, shape[-dims - 1:]))
        fail(RuntimeError, f"{who}(): Given input size: ({given}). Calculated output size: "
             f"({'x'.join(map(str, (shape[-dims - 1], *out)))}). Output size is too small",
             "make the kernel smaller, or the input larger")
    return _remember(key, Window(size, out, kernel, steps, pad, gaps, False, with_padding, divisor))


def _remember(key, window):
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[key] = window
    return window


def _out_size(size, kernel, stride, pad, gap, ceil_mode):
    """How many windows fit; with ceil_mode the last one may reach beyond, but must start inside or in the padding
    before.
    """
    made = (size + 2 * pad - gap * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    return made - 1 if ceil_mode and (made - 1) * stride >= size + pad else made


def _check_numbers(kernel, stride, padding, dilation, who):
    for name, values in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if min(values) < 1:
            fail(RuntimeError, f"{who}(): {name} should be greater than zero, but got "
                 f"{values[0] if len(set(values)) == 1 else values}",
                 f"give a positive {name}")
    if min(padding) < 0:
        fail(RuntimeError, f"{who}(): pad must be non-negative, but got pad: {min(padding)}", "crop the input instead")
    for k, p, d in zip(kernel, padding, dilation):
        if p > (d * (k - 1) + 1) // 2:
            fail(RuntimeError, f"{who}(): pad should be at most half of effective kernel size, but got pad={p}, "
                 f"kernel_size={k} and dilation={d}", "pad the input with nn.functional.pad() first")


def _check_batch(shape, dims, who, first):
    """(N, C, pooled...) or (C, pooled...), of which from dimension `first` (of the batched form) on none may be empty.
    """
    n = len(shape)
    if n not in (dims + 1, dims + 2):
        fail(RuntimeError, f"{who}(): Expected {dims + 1}D or {dims + 2}D (batch mode) tensor, but got {list(shape)}",
             f"give (N, C, {', '.join('DHW'[3 - dims:])}) or (C, {', '.join('DHW'[3 - dims:])})")
    for d in range(n):
        if shape[d] == 0 and d + dims + 2 - n >= first:
            fail(RuntimeError, f"{who}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                 f"sizes {list(shape)} with dimension {d} being empty", "only the batch may be empty")


# windows that adapt

def adaptive(x, dims, output_size, who, first=1):
    """The window that gives this many results along each dimension; None leaves a dimension as it is."""
    shape = x._form.shape
    if dims > 1 and isinstance(output_size, (tuple, list)) and len(shape) <= len(output_size):
        fail(ValueError, f"{who}(): Input dimension should be at least {len(output_size) + 1}, but got {list(shape)}",
             "give an input with channels")
    size = shape[len(shape) - dims:]
    out = _wanted(output_size, dims, size, who)
    key = ("adaptive", shape, out, first)
    found = _known.get(key)
    if found is not None:
        return found
    _check_batch(shape, dims, who, first)
    if min(out) < 0:
        fail(RuntimeError, f"{who}(): elements of output_size must be greater than or equal to 0 but received "
             f"{list(out)}")
    if min(out) and not [1 for n, o in zip(size, out) if n % o]:      # equal windows side by side
        kernel = tuple([n // o for n, o in zip(size, out)])
        return _remember(key, Window(size, out, kernel, kernel, (0,) * dims, (1,) * dims))
    widest = tuple([n // o + 2 if o else 1 for n, o in zip(size, out)])
    return _remember(key, Window(size, out, widest, (1,) * dims, (0,) * dims, (1,) * dims, True))


def _wanted(output_size, dims, size, who):
    if type(output_size) is int:
        return (output_size,) * dims
    if isinstance(output_size, (tuple, list)):
        if len(output_size) != dims:
            fail(RuntimeError, f"{who}(): output_size must be {dims} ints, got {output_size}")
        return tuple([size[i] if v is None and dims > 1 else one(v, who, "output_size")
                      for i, v in enumerate(output_size)])
    return (one(output_size, who, "output_size"),) * dims
