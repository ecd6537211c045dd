"""Storages and tensors made from what a file says about them, once that is seen to be true."""
import inspect
import types

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core.spec import Spec, stand_in, window_fault
from weft.io.errors import bad
from weft.nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter
from weft.tensor.pickling import retype
from weft.tensor.storage import OLD_STORAGES, TypedStorage, UntypedStorage
from weft.tensor.tensor import Memory, Tensor, without_values, wrap

MOST_DIMS, MOST_BYTES = 64, 2**62
TENSOR, META = 320, 1400        # bytes that a tensor takes besides its numbers
ATTRIBUTE = 8                   # what setting one costs, in elements copied


class StorageKind:
    """A storage class that a file names: what its elements are (None: bytes)."""

    def __init__(self, dtype):
        self.dtype = dtype


class FileStorage(UntypedStorage):
    """A storage that came from a file: one record of versions for all tensors in it, and on `meta` no memory."""

    def __init__(self, root, meta=False):
        super().__init__(root=root)
        self.record = Memory()
        self.record.root = root
        self.meta = meta
        self.later = None       # what is to be done when the memory is filled, if it isn't yet

    @property
    def device(self):
        return devices.META if self.meta else devices.CPU


STORAGE_KINDS = {f"torch.{name}": StorageKind(kind.of_dtype) for name, kind in OLD_STORAGES.items()}
STORAGE_KINDS |= {"torch.UntypedStorage": StorageKind(None), "torch.storage.UntypedStorage": StorageKind(None)}


def typed(storage, dtype):
    """What tensors are rebuilt from."""
    return TypedStorage(wrap_storage=storage, dtype=dtypes.uint8 if dtype is None else dtype)


def meta_storage(nbytes):
    """A storage of some size without memory."""
    return FileStorage(stand_in((nbytes,), np.dtype(np.uint8)), meta=True)


# checks

def whole(value, what):
    """A count that a file gives: an int, not negative."""
    if type(value) is not int or not 0 <= value <= 2**64:
        raise bad(f"{what} is {_said(value)}, not a count")
    return value


def _said(value):
    return str(value) if type(value) in (int, float, bool) and abs(value) < 1e18 else f"a {type(value).__name__}"


def shape_of(size, itemsize):
    """A shape that an array can have."""
    if not isinstance(size, (tuple, list)) or len(size) > MOST_DIMS:
        raise bad(f"a tensor's size is no tuple of at most {MOST_DIMS} numbers")
    shape, total = tuple([whole(n, "a tensor's dimension") for n in size]), itemsize
    for n in shape:
        total *= max(n, 1)
        if total > MOST_BYTES:
            raise bad(f"a tensor's size {_listed(shape)} is more than any memory holds")
    return shape


def _listed(shape):
    return str(list(shape[:8])) if len(shape) <= 8 else f"{list(shape[:8])[:-1]}..."


def check_reach(shape, strides, offset, count):
    """Refuse a tensor that would not lie within its storage of `count` elements."""
    wrong = window_fault(shape, strides, offset, count)
    if wrong:
        raise bad(f"a tensor of size {_listed(shape)}, strides {_listed(strides)} and offset {_said(offset)}: {wrong}")


# tensors

def tensor_in(m, storage, offset, size, stride, dtype):
    """A tensor that lies in a storage."""
    if not isinstance(storage, TypedStorage) or not isinstance(storage.untyped(), UntypedStorage):
        raise bad(f"a tensor's storage is a {type(storage).__name__}")
    item = dtype.itemsize
    shape, memory = shape_of(size, item), storage.untyped()
    whole(offset, "a tensor's offset")
    strides = strides_of(stride, shape)
    count = memory.nbytes() // item
    check_reach(shape, strides, offset, count)
    if getattr(memory, "meta", False):
        m.spend(META)
        return meta_tensor(shape, dtype, strides)
    m.spend(TENSOR)
    if 0 in shape:
        made = wrap(np.empty(shape, dtype.np))
    else:
        steps = tuple([s * item for s in strides])
        flat = memory._bytes[:count * item]
        made = wrap(np.ndarray(shape, dtype.np, flat, offset * item, steps))
        if isinstance(memory, FileStorage):
            made._memory_record = memory.record
            memory.record.extra = None if memory.later is None else {"later": memory.later}
    return made


def strides_of(stride, shape):
    """The strides that a file says, one for each dimension."""
    if not isinstance(stride, (tuple, list)) or len(stride) != len(shape):
        raise bad("a tensor's strides are not as many as its dimensions")
    return [whole(s, "a tensor's stride") for s in stride]


def meta_tensor(shape, dtype, strides=None):
    """A tensor without memory; strides in elements, None for a contiguous one."""
    return without_values(Spec(shape, dtype.np, None if strides is None else [s * dtype.itemsize for s in strides]))


def with_grad(t, requires_grad):
    """Mark a leaf."""
    if type(requires_grad) is not bool:
        raise bad("a tensor's requires_grad is neither True nor False")
    if requires_grad and not (t.dtype.is_floating_point or t.dtype.is_complex):
        raise bad(f"a tensor of {t.dtype} says that it needs a gradient")
    t._wants_grad = requires_grad
    return t


def with_bits(m, t, metadata, storage):
    """Do the conjugation and negation that PyTorch puts off."""
    if metadata is None:
        return t
    if type(metadata) is not dict or len(metadata) > 16 or any(type(v) is not bool for v in metadata.values()):
        raise bad("a tensor's metadata is no dict of flags")
    conj = metadata.get("conj") and t.dtype.is_complex
    neg = metadata.get("neg") and t.dtype is not dtypes.bool_
    if not (conj or neg) or t._on_meta:
        return t
    if t._form.nbytes > storage.nbytes():
        raise bad("an expanded tensor is marked to be conjugated or negated",
                  "in PyTorch, save its resolve_conj().resolve_neg()")
    m.copy(t._form.nbytes)
    m.spend(TENSOR)
    made = wrap(np.empty_like(t._array))

    def finish(source=t._array, result=made._array):
        np.copyto(result, np.conj(source) if conj else source)
        if neg:
            np.negative(result, out=result)
    later = getattr(storage.untyped(), "later", None)
    finish() if later is None else later.append(finish)
    return made


def attributes(m, t, state):
    """What users hung on a tensor; names that a tensor has already, or that Python gives a meaning, are refused."""
    parts = state if type(state) is tuple and len(state) == 2 else (state,)     # (dict, slots)
    for part in parts:
        if part is None:
            continue
        if type(part) is not dict:
            raise bad(f"the attributes of a tensor are a {type(part).__name__}, not a dict")
        set_attributes(m, t, part)


def set_attributes(m, thing, state):
    """Set attributes that are data."""
    m.pay(ATTRIBUTE * len(state))
    m.spend(ATTRIBUTE * 16 * (len(state) + 1))
    for name, value in state.items():
        slot = _slot(thing, name)
        if slot is not None:
            slot.__set__(thing, value)
            continue
        check_attribute(thing, name)
        vars(thing)[name] = value


def _slot(thing, name):
    """Where a subclass that the user allowed keeps an attribute that it names in its __slots__, or None."""
    found = inspect.getattr_static(type(thing), name, None) if type(name) is str else None
    own = isinstance(found, types.MemberDescriptorType) and isinstance(thing, Tensor)
    return found if own and not hasattr(Tensor, name) and not name.startswith("__") else None


def check_attribute(thing, name):
    """Refuse an attribute that would change how an object behaves."""
    if type(name) is not str:
        raise bad(f"it has an attribute whose name is a {type(name).__name__}")
    if name.startswith("__") or hasattr(type(thing), name):
        raise bad(f"it sets the attribute {name[:80]!r} of a {type(thing).__name__}, which is not a place for data",
                  "don't trust this file")


# what files call

def _rebuild_tensor(m, storage, storage_offset, size, stride):
    return tensor_in(m, storage, storage_offset, size, stride, getattr(storage, "dtype", None) or dtypes.uint8)


def _rebuild_tensor_v2(m, storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    made = with_bits(m, _rebuild_tensor(m, storage, storage_offset, size, stride), metadata, storage)
    return with_grad(made, requires_grad)


def _rebuild_tensor_v3(m, storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    if not isinstance(dtype, dtypes.dtype):
        raise bad("a tensor's dtype is no dtype")
    return with_grad(with_bits(m, tensor_in(m, storage, storage_offset, size, stride, dtype), metadata, storage),
                     requires_grad)


def _rebuild_parameter(m, data, requires_grad=True, backward_hooks=None):
    if not isinstance(data, Tensor):
        raise bad(f"a parameter's data is a {type(data).__name__}")
    m.spend(TENSOR)
    if data.layout.name != "strided":
        with_grad(data, requires_grad)
        return Parameter(data, requires_grad)
    made = retype(_again(data), Parameter)
    return with_grad(made, requires_grad)


def _again(t):
    """The same tensor as an object of its own."""
    made = wrap(t._array)
    made._memory_record, made._on_meta = t._memory_record, t._on_meta
    return made


def _rebuild_parameter_with_state(m, data, requires_grad, backward_hooks, state):
    made = _rebuild_parameter(m, data, requires_grad)
    attributes(m, made, state)
    return made


def _rebuild_meta_tensor_no_storage(m, dtype, size, stride, requires_grad):
    if not isinstance(dtype, dtypes.dtype):
        raise bad("a tensor's dtype is no dtype")
    shape = shape_of(size, dtype.itemsize)
    m.spend(META)
    return with_grad(meta_tensor(shape, dtype, strides_of(stride, shape)), requires_grad)


def _rebuild_device_tensor_from_cpu_tensor(m, data, dtype, device, requires_grad):
    if not isinstance(data, Tensor) or data.dtype is not dtype:
        raise bad("a tensor moved from another device is no tensor of its dtype")
    m.spend(TENSOR)
    return with_grad(_again(data), requires_grad)


def _rebuild_device_tensor_from_numpy(m, data, dtype, device, requires_grad):
    if type(data) is not np.ndarray or not isinstance(dtype, dtypes.dtype):
        raise bad("a tensor moved from another device is no array of its dtype")
    if data.dtype.kind not in "biufc":
        raise bad("a tensor moved from another device is an array of text")
    m.spend(TENSOR)
    m.copy(data.size * dtype.itemsize)
    return with_grad(wrap(np.array(data, dtype.np)), requires_grad)


def _rebuild_sparse_tensor(m, layout, data):
    """A sparse tensor: (indices, values, size, coalesced), or (compressed indices, plain indices, values, size)."""
    kinds = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
    name = layout.name if isinstance(layout, layouts.layout) else None
    if name not in kinds or type(data) is not tuple or len(data) not in ((3, 4) if name == kinds[0] else (4,)):
        raise bad("a sparse tensor has no layout, or not the parts of one")
    many = 1 if name == kinds[0] else 2
    index, values, size = data[:many], data[many], data[many + 1]
    if any(type(t) is not Tensor for t in (*index, values)):
        raise bad("the parts of a sparse tensor are no dense tensors")
    if any(t._on_meta for t in (*index, values)):
        raise bad("it holds a sparse tensor, of which nothing is left on the meta device", "load it to the cpu")
    if many == 1 and index[0].dtype is not dtypes.int64:
        raise bad(f"the indices of a sparse tensor are of {index[0].dtype}, not int64")
    shape = shape_of(size, values.dtype.itemsize)
    m.spend(4 * TENSOR)
    m.copy(sum(t._form.nbytes for t in index))      # they are looked at
    from weft.ops.sparse.create import of_file  # only for files that hold such
    later = [t._memory_record.extra["later"] for t in index if t._memory_record is not None and t._memory_record.extra]
    made, check = of_file(layout, index, values, shape, many == 1 and len(data) == 4 and data[3] is True, bad)
    check() if not later else later[0].append(check)
    return made


def _uninitialized(cls):
    def make(m, requires_grad=False, device=None, dtype=None):
        if type(requires_grad) is not bool or dtype is not None and not isinstance(dtype, dtypes.dtype):
            raise bad("a parameter without size has odd arguments")
        m.spend(2 * TENSOR)
        return cls(requires_grad, None, dtype)
    return make


FUNCTIONS = {f"torch._utils.{f.__name__}": f for f in (
    _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_parameter, _rebuild_parameter_with_state,
    _rebuild_meta_tensor_no_storage, _rebuild_sparse_tensor, _rebuild_device_tensor_from_cpu_tensor,
    _rebuild_device_tensor_from_numpy)}
UNINITIALIZED = {cls: _uninitialized(cls) for cls in (UninitializedParameter, UninitializedBuffer)}
# what weft has no tensor for, and what to do about it
WITHOUT = {"torch._utils._rebuild_qtensor": ("a quantized tensor", "save its dequantize()"),
           "torch._utils._rebuild_nested_tensor": ("a nested tensor", "save it as a list, with unbind()"),
           "torch._utils._rebuild_wrapper_subclass": ("a wrapper subclass", "save a plain tensor")}
