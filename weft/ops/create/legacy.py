"""The old constructors: Tensor(2, 3), FloatTensor([1, 2]), LongTensor(5), x.new(3)."""
import math
import warnings

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_assigned
from weft.core.size import Size
from weft.core.spec import stand_in
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS
from weft.ops.create.constants import DEFAULT, META, allocate, devices, shape_of
from weft.ops.create.convert import DTYPE_OF_TYPE
from weft.ops.create.data import array_of, from_outside
from weft.tensor.names import method
from weft.tensor.override import overridable
from weft.tensor.storage import TypedStorage, UntypedStorage
from weft.tensor.tensor import OPS, Tensor, wrap


def construct(self, args, kwargs):
    """Fill a tensor made by `Tensor(...)`."""
    source = args[0] if len(args) == 1 and not kwargs else None
    if isinstance(source, Tensor):          # the same memory, any type
        self._array, self._on_meta = source._array, source._on_meta
        self._memory_record = source._own_memory_record()
        if mode_bits() & WATCH:
            tell_assigned(self, "set_", source)
        return
    fill(self, DEFAULT.dtype, args, kwargs)


def fill(t, dtype, args, kwargs):
    """Give a new tensor its array: of a size, or of data."""
    device = kwargs.pop("device", None)
    if device is not None and devices.device(device).type != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: "
                           f"{devices.device(device).type} was passed\n  fix: use weft.empty(size, device=...)")
    device = devices.of(device)
    data = kwargs.pop("data", None)
    size = kwargs.pop("size", None)
    if kwargs:
        raise TypeError(f"new() received an invalid combination of arguments: unexpected {', '.join(kwargs)}\n"
                        f"  fix: use weft.tensor(data, dtype=...) instead")
    if data is not None:
        args = (data,)
    if size is not None:
        args = (Size(size),)
    source = args[0] if len(args) == 1 else None
    if not args:
        t._array = np.empty(0, dtype.np)
    elif isinstance(source, Size) or all(_is_count(a) for a in args):
        t._array = allocate(np.empty, shape_of(tuple(source) if isinstance(source, Size) else args, "new"), dtype.np,
                           "Tensor")
    elif isinstance(source, (TypedStorage, UntypedStorage)):        # the same memory
        t._array = (source if isinstance(source, TypedStorage) else TypedStorage(wrap_storage=source,
                                                                                dtype=dtype))._elements
    elif len(args) > 1:
        raise TypeError(f"new() received an invalid combination of arguments - got "
                        f"({', '.join(type(a).__name__ for a in args)})")
    elif isinstance(source, Tensor):
        if source.dtype is not dtype:
            raise TypeError(f"expected a tensor of {dtype} (got {source.dtype})\n  fix: convert it with .to({dtype})")
        t._array, t._memory_record = source._array, source._own_memory_record()
    else:
        t._array = _from_data(source, dtype)
    if device is META:
        t._array, t._on_meta = stand_in(t._form.shape, t._form.dtype), True
    elif mode_bits() & WATCH:
        shared = isinstance(source, (Tensor, TypedStorage, UntypedStorage))
        made = source if isinstance(source, Tensor) else from_outside(t._array, not shared)
        t._array = made._array
        tell_assigned(t, "set_", made)


def _is_count(value):
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _from_data(data, dtype):
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, np.generic) or not hasattr(data, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    if dtype.category == 1 and not isinstance(data, np.ndarray):
        return cast(array_of(data, None), dtype.np)
    return array_of(data, dtype.np)


class TypedTensor(type):
    """The type of FloatTensor and its like: `isinstance` asks for the element type."""

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype is cls.tensor_dtype and not value._on_meta

    def __call__(cls, *args, **kwargs):
        t = wrap(None)
        fill(t, cls.tensor_dtype, args, kwargs)
        return t

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"

    @property
    def dtype(cls):
        return cls.tensor_dtype


def _make(name, dtype):
    said = f"The old constructor of {dtype} tensors.\n\n>>> import weft\n>>> weft.{name}([0, 1]).dtype\n{dtype}"
    made = TypedTensor(name, (), {"tensor_dtype": dtype, "__module__": "weft", "__doc__": said})
    FUNCTIONS[name] = made


for _name, _dtype in DTYPE_OF_TYPE.items():
    if not _name.startswith(("torch.Complex", "torch.UInt")):
        _make(_name.removeprefix("torch."), _dtype)


def set_default_tensor_type(t):
    """Set the default type by the name of an old constructor.

    >>> import weft
    >>> weft.set_default_tensor_type("torch.DoubleTensor")
    >>> weft.ones(1).dtype
    torch.float64
    >>> weft.set_default_tensor_type(weft.FloatTensor)
    """
    dtype = DTYPE_OF_TYPE.get(t) if isinstance(t, str) else getattr(t, "tensor_dtype", None)
    if dtype is None:
        raise TypeError(f"invalid type object: {t}")
    dtypes.set_default_dtype(dtype)


FUNCTIONS["set_default_tensor_type"] = set_default_tensor_type


def resize(self, *sizes):
    """The same elements in another shape; `reshape` is the name of today.

    >>> import warnings, weft
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     weft.arange(6).resize(2, 3).shape
    torch.Size([2, 3])
    """
    return _resized(self, shape_of(sizes, "resize"), "resize")


def resize_as(self, tensor):
    """The same elements in another tensor's shape; `reshape_as` is the name of today.

    >>> import warnings, weft
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     weft.arange(6).resize_as(weft.ones(3, 2)).shape
    torch.Size([3, 2])
    """
    return _resized(self, tuple(tensor.shape), "resize_as")


def _resized(x, shape, who):
    warnings.warn(f"non-inplace {who} is deprecated", stacklevel=3)
    if math.prod(shape) != x.numel():
        fail(RuntimeError, f"{who}: requested resize to {list(shape)} ({math.prod(shape)} elements in total), but the "
             f"given tensor has a size of {list(x.shape)} ({x.numel()} elements)", "resize_() changes the number of "
             "elements, in place")
    return x.reshape(shape)


method(resize)
method(resize_as)


def new(self, *args, **kwargs):
    """The old constructor, in this tensor's type.

    >>> import weft
    >>> weft.ones(1, dtype=weft.int64).new([1, 2])
    tensor([1, 2])
    """
    t = wrap(None)
    if len(args) == 1 and isinstance(args[0], Tensor) and not kwargs and args[0].dtype is not self.dtype:
        raise TypeError(f"expected a tensor of {self.dtype} (got {args[0].dtype})")
    fill(t, self.dtype, args, dict(kwargs))
    return t


method(overridable(new))
OPS.construct = construct
