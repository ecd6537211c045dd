# compiled
"""Copies and conversions: clone, copy_, to and its short names, and the ways out to Python."""
import warnings

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.cuts import note_taken
from weft.core.errors import fail
from weft.core.modes import INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read
from weft.core.spec import Spec, formatted, like, stand_in
from weft.kernels import fast
from weft.ops.core.inplace import bump, check_writable
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, op
from weft.ops.core.samples import ints, size
from weft.ops.create.constants import dtype_of, empty_with, overridable, uninitialised
from weft.ops.index.arrays import copied
from weft.tensor.names import method
from weft.tensor.tensor import OPS, Tensor, describe, lay_out, needs_grad, without_values, wrap

CPU, META = devices.CPU, devices.META
copy_into = fast.copy_into


def write_into(target, source):
    """target[...] = source, for arrays."""
    if not copy_into(target, source):
        np.copyto(target, source)


# copies

@op
class clone:
    """A copy in its own memory, still in the graph."""
    kind = "shape"
    tags = KEEP_HALF

    def forward(x, *, memory_format=None):
        if memory_format is None and x.flags.c_contiguous:
            return copied(x)
        made = layouts.empty_format(x, x.dtype, memory_format, uninitialised)
        write_into(made, x)
        return made

    def shape(x, memory_format=None):
        return formatted(x, x.dtype, memory_format)

    def grad_x(g):
        return g
    samples = [((2, 3),), ((),), ((2, 3, 2, 2), {"memory_format": layouts.channels_last})]


@op
class _cast:
    """The same values in another type."""
    kind = "shape"
    tags, node_name, method = KEEP_HALF, "ToCopyBackward0", False
    chain = "number_of x *"

    def forward(x, dtype, memory_format=None):
        if memory_format is None and x.flags.c_contiguous:
            return cast(x, dtype.np)
        made = layouts.empty_format(x, dtype.np, memory_format)
        if fast.cast_to(made, x) is None:
            made[...] = cast(x, dtype.np)
        return made

    def shape(x, dtype, memory_format=None):
        return formatted(x, dtype.np, memory_format)

    def grad_x(g):      # brought back to the input's type by its spec
        return g
    samples = [((2, 3), dtypes.complex128), ((2, 3), dtypes.int32), (ints(2, 3, 2, 2, below=5), dtypes.float64)]


@op
class _to_meta:
    """The shape and type alone."""
    kind = "shape"
    tags, node_name, method = KEEP_HALF, "ToCopyBackward0", False

    def forward(x, dtype):
        return stand_in(x.shape, dtype.np)

    def shape(x, dtype):
        return like(x, dtype.np)

    def grad_x(g, x):
        if not x._on_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return g
    why_no_samples = "what it gives has no values; `x.to('meta')` is in test_meta.py"


@op
class _strided_copy:
    """A copy with the given strides (in bytes)."""
    kind = "shape"
    tags, node_name, method = KEEP_HALF, "CloneBackward0", False

    def forward(x, shape, strides):
        made = empty_with(shape, strides, x.dtype)
        write_into(made, x)
        return made

    def shape(x, shape, strides):
        return Spec(shape, x.dtype, strides)

    def grad_x(g):
        return g
    samples = [((2, 3), size(2, 3), size(8, 16)), ((2, 3), size(2, 3), size(48, 16))]


def copy_strided(t, shape, strides):
    """A copy laid out as given, in the graph where grad mode is on."""
    if any([stride == 0 and n > 1 for n, stride in zip(shape, strides)]):     # of a stand-in, which says nothing
        return t.contiguous() if not t.is_contiguous() else t.clone()
    if t._form.shape == shape and t._form.strides == strides and t._form.flags.c_contiguous and not t._on_meta:
        return t.clone()
    return _strided_copy.op.call((t, shape, strides), {})


def copy_like(t, array):
    """A copy of a tensor's values with an array's strides."""
    if t._on_meta:
        return without_values(Spec(t._form.shape, t._form.dtype))
    if t._form.shape == array.shape and array.flags.c_contiguous:
        return wrap(copied(t._array))
    made = empty_with(array.shape, array.strides, t._form.dtype) if t._form.dtype == array.dtype else \
        layouts.empty_as(array, t._form.dtype)
    write_into(made, t._array)
    return wrap(made)


@op
class copy:
    """Fill a tensor with another one's values, converted and broadcast."""
    kind = "shape"
    tags, node_name, method = KEEP_HALF, "CopyBackwards", False

    def forward(x, src, non_blocking=False):
        made = layouts.empty_as(x)
        fill_from(made, src)
        return made

    def write(x, src, non_blocking=False):
        fill_from(x, src)

    def shape(x, src, non_blocking=False):
        return like(x)

    def grad_x(g):
        return g.zeros_like()

    def grad_src(g, src_shape):
        return g.sum_to_size(src_shape)
    samples = [((2, 3), (2, 3)), ((2, 3), (3,))]


def fill_from(x, src):
    """Write values, converted and broadcast, into an array."""
    if src.dtype != x.dtype:
        src = cast(src, x.dtype)
    try:
        if src.ndim > x.ndim:
            raise ValueError
        write_into(x, src)
    except ValueError:
        fail(RuntimeError, f"copy_: output with shape {list(x.shape)} doesn't match the broadcast shape: the source of "
             f"shape {list(src.shape)} cannot be broadcast to it: "
             f"their sizes must match the size of the tensor, or be 1",
             "check the shapes, or index the part that is meant")


def _outside_graph(t):
    return t._made_by is None and not t._wants_grad and t._view_of is None and not t._on_meta


def copy_(self, src, non_blocking=False):
    """Overwrite this tensor with the values of `src`.

    >>> import weft
    >>> weft.zeros(2).copy_(weft.ones(2))
    tensor([1., 1.])
    """
    if isinstance(src, (bool, int, float, complex, np.generic)):
        src = OPS.from_outside(np.array(src), True)
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    if src._on_meta and not self._on_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if type(self) is Tensor and type(src) is Tensor and _outside_graph(self) and _outside_graph(src) \
            and mode_bits() & (WATCH | INFERENCE) == 0:
        check_writable(self, "copy_")
        fill_from(self._array, src._array)
        bump(self)
        return self
    return OPS.run_inplace(copy.op, self, (src,), {})


copy_ = overridable(copy_)
method(copy_, "copy_")
FUNCTIONS["copy_"] = copy_
del FUNCTIONS["copy"]       # PyTorch has the method copy_ only


# to

@op
class to:
    """Convert to another type, device or memory format; the tensor itself where nothing changes.

    to(dtype), to(device, dtype), to(other)
    """
    kind = "shape"

    def compose(x, *args, device=None, dtype=None, other=None, tensor=None, non_blocking=False, copy=False,
                memory_format=None):
        if len(args) == 1 and isinstance(args[0], dtypes.dtype) and dtype is None and device is None:
            return convert(x, args[0], None, copy, memory_format)
        if len(args) == 1 and _names_cpu(args[0]) and dtype is None and not (x._on_meta or copy) \
                and memory_format is None and device is other is tensor is None:
            return x
        args, other = list(args), other if other is not None else tensor
        if args and (isinstance(args[0], dtypes.dtype) or isinstance(args[0], type)):
            dtype = args.pop(0)
        elif args and isinstance(args[0], Tensor):
            other = args.pop(0)
        elif args and not isinstance(args[0], bool):
            device = args.pop(0)
            if args and not isinstance(args[0], bool):
                dtype = args.pop(0)
        if len(args) > 2 or not all(isinstance(a, bool) for a in args):
            raise TypeError("to() received an invalid combination of arguments\n"
                            "  fix: call it as to(dtype), to(device, dtype) or to(other), with non_blocking=, copy=, "
                            "memory_format=")
        copy = args[1] if len(args) == 2 else copy
        if other is not None:
            dtype, device = other.dtype, other.device
        return convert(x, dtype, device, copy, memory_format)
    samples = [((2, 3), dtypes.float64)]


def _names_cpu(thing):
    if type(thing) is devices.device:
        return thing.type == "cpu" and thing.index is None
    return type(thing) is str and thing == "cpu"


def convert(x, dtype, device=None, copy=False, memory_format=None):
    """The body of `to`."""
    if dtype is None:
        dtype = x.dtype
    elif not isinstance(dtype, dtypes.dtype):
        dtype = dtype_of(dtype)
    if device is not None:
        device = devices.of(device)
        if device is META and not x._on_meta:
            made = _to_meta.op.call((x, dtype), {})
            made._on_meta = True
            lay_out(made, like(describe(x), dtype.np))
            return made
        if device is CPU and x._on_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!\n  fix: make the tensor on the CPU, or "
                                      "use to_empty() for a module")
    if x._form.dtype != dtype.np:
        return _cast.op.call((x, dtype, memory_format), {})
    wanted = layouts.preserve_format if memory_format is None else memory_format
    if copy or wanted is not layouts.preserve_format and not x.is_contiguous(memory_format=wanted):
        return clone.op.call((x,), {"memory_format": memory_format})
    return x


def _short(name, dtype):
    def function(self, memory_format=None):
        return convert(self, dtype, None, False, memory_format)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The same values as {dtype}.\n\n>>> import weft\n>>> weft.ones(1).{name}().dtype\n{dtype}\n"
    method(overridable(function), name)


for _name, _dtype in dict(float="float32", double="float64", half="float16", bfloat16="bfloat16", int="int32",
                          long="int64", short="int16", char="int8", byte="uint8", bool="bool", cfloat="complex64",
                          cdouble="complex128").items():
    _short(_name, dtypes.BY_NAME[_dtype])


def type_as(self, other):
    """The same values in the type of `other`.

    >>> import weft
    >>> weft.ones(1).type_as(weft.arange(2)).dtype
    torch.int64
    """
    return convert(self, other.dtype, other.device)


def cpu(self, memory_format=None):
    """The tensor itself: it is on the CPU.

    >>> import weft
    >>> x = weft.ones(2)
    >>> x.cpu() is x
    True
    """
    return convert(self, None, CPU, False, memory_format)


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Refused: there is no CUDA device.

    >>> import weft
    >>> weft.ones(2).cuda()
    Traceback (most recent call last):
        ...
    AssertionError: ...
    """
    return convert(self, None, "cuda" if device is None else device)


_TYPE_NAMES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor",
               "bfloat16": "BFloat16Tensor", "uint8": "ByteTensor", "int8": "CharTensor", "int16": "ShortTensor",
               "int32": "IntTensor", "int64": "LongTensor", "bool": "BoolTensor", "complex64": "ComplexFloatTensor",
               "complex128": "ComplexDoubleTensor", "uint16": "UInt16Tensor", "uint32": "UInt32Tensor",
               "uint64": "UInt64Tensor"}
DTYPE_OF_TYPE = {"torch." + v: dtypes.BY_NAME[k] for k, v in _TYPE_NAMES.items()}


def type_(self, dtype=None, non_blocking=False):
    """The name of the tensor's type, or the tensor converted to one.

    >>> import weft
    >>> x = weft.ones(2)
    >>> x.type()
    'torch.FloatTensor'
    >>> x.type(weft.int64)
    tensor([1, 1])
    """
    if dtype is None:
        return ("torch.meta." if self._on_meta else "torch.") + _TYPE_NAMES[self.dtype.name]
    if isinstance(dtype, str):
        if dtype not in DTYPE_OF_TYPE:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = DTYPE_OF_TYPE[dtype]
    return convert(self, getattr(dtype, "tensor_dtype", dtype))


type_.__name__ = type_.__qualname__ = "type"
for _name, _function in (("type", type_), ("type_as", type_as), ("cpu", cpu), ("cuda", cuda)):
    method(overridable(_function), _name)


# out of the library

def item(x, what):
    """The one element as a Python number."""
    if x._on_meta:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors: they have no data")
    if x._form.size != 1:
        if what == "bool":
            if x._form.size == 0:
                fail(RuntimeError, "Boolean value of Tensor with no values is ambiguous",
                     "ask for its size: .numel() > 0")
            fail(RuntimeError, f"Boolean value of Tensor with more than one value is ambiguous: its shape is "
                 f"{list(x._form.shape)}", "use .any() or .all(), or compare single elements")
        if what == "index":
            fail(TypeError, f"only integer tensors of a single element can be converted to an index, and this one has "
                 f"the shape {list(x._form.shape)}", "use .tolist() for its values, or choose one element")
        if what in ("float", "int", "complex"):
            fail(ValueError, f"only one element tensors can be converted to Python scalars, and this one has the shape "
                 f"{list(x._form.shape)}", "use .tolist() for its values, or choose or sum up to one element")
        fail(RuntimeError, f"a Tensor with {x._form.size} elements cannot be converted to Scalar: its shape is "
             f"{list(x._form.shape)}", "use .tolist() for all values, or .mean(), .sum() or an index for one")
    if what == "index" and x._form.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if mode_bits() & WATCH:
        tell_read(x, what)
    array = x._array
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    if what != "item" and needs_grad(x):
        note_taken()
    if what in ("float", "complex") and needs_grad(x):
        warnings.warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                      "behavior.\nConsider using tensor.detach() first.", UserWarning, stacklevel=2)
    value = array.item()
    if isinstance(value, complex) and what in ("float", "int"):
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {'double' if what == 'float' else 'int64_t'} "
                               f"without overflow")
        value = value.real
    return int(value) if what == "index" else value


def tolist(self):
    """The values as nested Python lists; a number for a zero-dim tensor.

    >>> import weft
    >>> weft.tensor([1, 2]).tolist()
    [1, 2]
    """
    if self._on_meta:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if needs_grad(self):
        note_taken()
    if mode_bits() & WATCH:
        tell_read(self, "tolist")
    array = self._array
    return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()


method(tolist, "tolist")
OPS.item, OPS.copy_like, OPS.copy_strided = item, copy_like, copy_strided
