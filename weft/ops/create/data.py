"""Tensors from data: Python numbers and lists, NumPy arrays, buffers, other tensors."""
import itertools
import warnings

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import minds_made, tell_read
from weft.core.spec import Spec, like
from weft.kernels.listed import listed
from weft.kernels.native import number
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, op
from weft.ops.create.constants import CPU, CURRENT, DEFAULT, dtype_of, finish, np_of, public
from weft.tensor.interop import checked, finish_shared, share
from weft.tensor.names import method
from weft.tensor.override import overridable
from weft.tensor.storage import TypedStorage, UntypedStorage
from weft.tensor.tensor import OPS, Tensor, wrap


@op
class _data:
    """Values that come from outside: an array's own memory, or a copy of it."""
    tags, method, node_name = NOGRAD | KEEP_HALF, False, "DataBackward0"

    def forward(source, copied):
        return source.copy(order="K") if copied and source.ndim else source.copy() if copied else source

    def shape(source, copied):
        return like(Spec(source.shape, source.dtype, source.strides)) if copied else \
            Spec(source.shape, source.dtype, source.strides)
    why_no_samples = "it takes NumPy arrays, no tensors; test_record_writes.py has all ways to it"


def from_outside(array, copied):
    """A tensor of an array that nobody else holds (`copied`), or in the memory of one that somebody does."""
    made = _data.op.call((array, copied), {}) if mode_bits() & WATCH and minds_made() else wrap(array)
    if not copied:
        made._own_memory_record().outside = True
    return made


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf tensor with a copy of `data`.

    >>> import weft
    >>> weft.tensor([[1., 2.], [3., 4.]]).shape
    torch.Size([2, 2])
    """
    t = from_outside(array_of(data, None if dtype is None else np_of(dtype)), True)
    if requires_grad or device is not None or CURRENT[0] is not CPU or mode_bits() & INFERENCE:
        return finish(t, device, requires_grad)
    return t


public(tensor)


# from what Python has

def array_of(data, want):
    """A new array of anything that `tensor` takes; `want` is a NumPy type or None."""
    kind = type(data)
    if kind is list or kind is tuple:
        found = listed(data, DEFAULT.dtype.np, want)
        return from_sequence(data, want) if found is None else found
    if want is None and (kind is float or kind is int):
        found = number(data, DEFAULT.dtype.np if kind is float else INT64)
        if found is not None:
            return found
    if kind is float and want is None:
        with np.errstate(over="ignore"):
            return np.array(data, DEFAULT.dtype.np)
    if kind is np.ndarray:
        return from_array(data, want)
    if isinstance(data, Tensor):
        warnings.warn("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                      "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
                      stacklevel=3)
        if mode_bits() & WATCH:
            tell_read(data, "tensor")
        return data._array.copy(order="K") if want is None else cast(data._array, want)
    if isinstance(data, (np.ndarray, np.generic)):
        return from_array(np.asarray(data), want)
    if isinstance(data, (bool, int, float, complex)):
        return from_python(np.array(data), data, want)
    return from_other(data, want)


def from_array(array, want):
    checked(array)
    if want is None or want == array.dtype:
        return array.copy(order="K") if array.ndim else array.copy()
    return cast(array, want)


def from_sequence(data, want):
    """A nested list or tuple."""
    kinds = kinds_of(data)
    if kinds == _FLOATS and want is None:
        try:
            return np.array(data, DEFAULT.dtype.np)
        except ValueError:
            return from_mixed(data, want)       # ragged
    try:
        array = None if any([issubclass(kind, Tensor) for kind in kinds]) else np.array(data)
    except Exception:
        array = None        # ragged, or tensors that require grad
    # NumPy makes floats of ints that are too large
    rounded = (array is not None and want is not None and want.kind in "iu" and array.dtype.kind == "f"
               and float not in kinds)
    if array is None or array.dtype.kind not in "biufc" or array.dtype == np.uint64 or rounded:
        if len(data) == 0:
            return np.empty(0, want or DEFAULT.dtype.np)
        return from_mixed(data, want)
    return from_python(array, data, want)


INT64 = np.dtype(np.int64)
_FLOATS, _LISTS = {float}, {list, tuple}
MOST_DIMS, MOST_ELEMENTS, MOST_DEPTH = 64, 2**40, 1000


def kinds_of(data):
    """The types of what stands inside nested lists. A list that stands in several places is looked at once."""
    check_nesting(data)
    kinds, depth = set(map(type, data)), 1
    while kinds and kinds <= _LISTS:
        depth += 1
        if depth > MOST_DIMS:
            too_deep()
        kinds = set(map(type, itertools.chain.from_iterable(data)))
        if kinds and kinds <= _LISTS:
            data = {id(part): part for part in itertools.chain.from_iterable(data)}.values()
    return kinds


def check_nesting(data):
    """Refuse lists that are nested deeper than a tensor can be (one may stand in itself), or that stand in one another
    so often that no memory has room for all their elements.
    """
    depth, count = 0, 1
    while type(data) in _LISTS and data:
        depth += 1
        if depth > MOST_DIMS:
            too_deep()
        count *= len(data)
        data = data[0]
    if count > MOST_ELEMENTS:
        fail(RuntimeError, f"tensor: not enough memory for the {count} elements of these nested lists",
             "is a list in itself, or the same list in many places?")


def too_deep():
    fail(ValueError, "too many dimensions 'list'", f"a tensor has at most {MOST_DIMS} dimensions: is the list in "
         f"itself?")


def from_python(array, data, want):
    """Give numbers that came as Python objects their type."""
    code = array.dtype.char
    if want is None:
        if code == "d":
            return array.astype(DEFAULT.dtype.np) if array.ndim == 0 else array.astype(floating_type(data))
        if code == "D":
            return array.astype(DEFAULT.dtype.to_complex().np) if array.ndim == 0 else array.astype(complex_type(data))
        if array.dtype.kind in "Ou" and array.ndim == 0:
            raise ValueError("Overflow when unpacking long long")
        return array
    if code == "O" and want.kind in "fV":
        return cast(np.array(data, np.float64), want)
    if code == "O" or array.dtype == np.uint64 and want.kind == "i":
        raise ValueError("Overflow when unpacking long long")
    if want.kind in "iu" and array.size:
        _check_range(array, want)
    if array.dtype.kind == "c" and want.kind not in "cb":
        raise TypeError("must be real number, not complex")
    if want.itemsize == 2 and array.dtype.itemsize == 8 and want.kind in "fV":
        with np.errstate(all="ignore"):
            return array.astype(np.float32).astype(want)    # rounded twice, as PyTorch does
    return cast(array, want) if array.dtype != want else array


def _check_range(array, want):
    info = np.iinfo(want)
    least = -int(info.max) if want.kind == "u" else int(info.min)
    if array.dtype.kind == "f":
        inside = (array >= least) & (array
                                     <= float(info.max)) if want.itemsize < 8 else np.abs(array) <= float(info.max)
        if not inside.all():
            raise RuntimeError(f"value cannot be converted to type {want.name} without overflow")
    elif (array.dtype.kind in "iu" and array.dtype != want
          and (int(array.max()) > int(info.max) or int(array.min()) < least)):
        raise RuntimeError(f"value cannot be converted to type {want.name} without overflow")


def leaf_types(data):
    """The types of what stands inside nested lists."""
    kinds = set(map(type, data))
    while kinds and kinds <= {list, tuple}:
        data = list(itertools.chain.from_iterable(data))
        kinds = set(map(type, data))
    return kinds, data


_PLAIN = {float, int, bool}


def floating_type(data):
    """The type of a list that NumPy took as float64: the default one, unless NumPy's own float64 are in it."""
    kinds, leaves = leaf_types(data)
    if kinds <= _PLAIN:
        return DEFAULT.dtype.np
    return infer(leaves).np


def complex_type(data):
    kinds, leaves = leaf_types(data)
    if kinds <= {float, int, bool, complex}:
        return DEFAULT.dtype.to_complex().np
    return infer(leaves).np


def infer(leaves):
    """The promoted type of list elements of any kind. A list that stands in several places is looked at once."""
    found, pending, seen = None, [iter(leaves)], {id(leaves): leaves}
    while pending:
        for v in pending[-1]:
            if isinstance(v, Tensor):
                d = v.dtype
            elif isinstance(v, (np.ndarray, np.generic)):
                d = dtypes.of_array(checked(np.asarray(v)).dtype)
            elif isinstance(v, (bool, int, float, complex)):
                d = dtypes.of_scalar(v)
            elif isinstance(v, str):
                raise TypeError(f"new(): invalid data type '{type(v).__name__}'")
            elif hasattr(v, "__len__") and hasattr(v, "__getitem__") and not isinstance(v, dict):
                if v is leaves:
                    fail(TypeError, "new(): self-referential lists are incompatible", "make a list that isn't in "
                         "itself")
                if len(pending) > MOST_DEPTH:
                    too_deep()
                if id(v) not in seen:
                    seen[id(v)] = v
                    pending.append(iter(v))
                    break
                continue
            else:
                raise RuntimeError(f"Could not infer dtype of {type(v).__name__}")
            found = d if found is None else dtypes.promote_types(found, d)
        else:
            pending.pop()
    return DEFAULT.dtype if found is None else found


def from_mixed(data, want):
    """A list that NumPy can't take by itself: of tensors, of objects, or ragged."""
    if isinstance(data[0], str):
        raise ValueError("too many dimensions 'str'")
    shape, at = [], data
    while _is_sequence(at):
        shape.append(len(at))
        if len(shape) > MOST_DIMS:
            too_deep()
        if not len(at):
            break
        at = at[0]
    kind = infer(data) if want is None else dtypes.of_array(want)
    leaves = data
    for d in range(1, len(shape)):
        flat = []
        for row in leaves:
            if not _is_sequence(row):
                raise TypeError("not a sequence")
            if len(row) != shape[d]:
                fail(ValueError, f"expected sequence of length {shape[d]} at dim {d} (got {len(row)})",
                     "make the rows equally long; for sequences of tensors: nn.utils.rnn.pad_sequence")
            flat.extend(row)
        leaves = flat
    values = [_number(v, kind) for v in leaves]
    if kind.category == 1:
        array = np.array(values, object)
        if array.size and (max(values) > np.iinfo(kind.np).max or min(values) < np.iinfo(kind.np).min):
            if kind is dtypes.int64:
                raise ValueError("Overflow when unpacking long long")
            raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
        return np.array(values, kind.np).reshape(shape)
    if kind.category == 0:
        return np.array([bool(v) for v in values], bool).reshape(shape)
    with np.errstate(all="ignore"):
        return np.array(values, np.complex128 if kind.is_complex else np.float64).astype(kind.np).reshape(shape)


def _is_sequence(v):
    return not isinstance(v, (str, bytes, dict, Tensor, np.generic)) and not (isinstance(v, np.ndarray)
                                                                              and v.ndim == 0) and \
        hasattr(v, "__len__") and hasattr(v, "__getitem__")


def _number(v, kind):
    if isinstance(v, Tensor):
        if v._form.size != 1:
            fail(TypeError if kind.category == 1 else ValueError, "only one element tensors can be converted to Python "
                 "scalars, and only integer tensors of a single element can be converted to an index",
                 "use torch.stack() for a list of tensors")
        v = v.item()
    elif isinstance(v, (np.generic, np.ndarray)):
        v = v.item()
    if isinstance(v, (list, tuple)):
        raise TypeError(f"'{type(v).__name__}' object cannot be interpreted as an integer")
    if not isinstance(v, (bool, int, float, complex)):
        raise TypeError(f"must be real number, not {type(v).__name__}")
    if kind.category < 3 and isinstance(v, complex):
        raise TypeError("must be real number, not complex")
    return int(v) if kind.category == 1 else v


def from_other(data, want):
    """Objects that offer an array, or that are sequences."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, (UntypedStorage, TypedStorage)):
        return from_storage(data, want)
    if hasattr(data, "__array__") or hasattr(data, "__array_interface__"):
        return from_array(np.asarray(data), want)
    if hasattr(data, "__dlpack__"):
        return from_array(FUNCTIONS["from_dlpack"](data)._array, want)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not hasattr(data, "keys"):
        try:
            items = [data[i] for i in range(len(data))]
        except (TypeError, IndexError, KeyError) as error:
            raise ValueError(f"could not determine the shape of object type '{type(data).__name__}'") from error
        return from_sequence(items, want)
    if isinstance(data, (list, tuple)):
        return from_sequence(list(data), want)
    raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def from_storage(data, want):
    """The elements of a storage: its bytes, read as the type that is wanted."""
    if isinstance(data, TypedStorage):
        if want is not None and want != data.dtype.np:
            raise RuntimeError(f"Expected a Storage of type {want} or an UntypedStorage, but got {data.dtype}")
        return data._elements.copy()
    want = np.dtype(np.int64 if want is None else want)
    return data._bytes[:data.nbytes() // want.itemsize * want.itemsize].view(want).copy()


# sharing memory

def from_numpy(ndarray):
    """A tensor in the memory of a NumPy array.

    >>> import weft
    >>> import numpy as np
    >>> weft.from_numpy(np.arange(3))
    tensor([0, 1, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return finish_shared(share(ndarray))


def as_tensor(data, dtype=None, device=None):
    """The data as a tensor, without a copy where none is needed.

    >>> import weft
    >>> weft.as_tensor([1.0, 2.0])
    tensor([1., 2.])
    """
    if isinstance(data, Tensor):
        if dtype is None and device is None:
            return data
        return data.to(device=data.device if device is None else device, dtype=data.dtype if dtype is None else dtype)
    if isinstance(data, np.ndarray):
        t = finish_shared(share(data))
    elif not isinstance(data, (list, tuple, np.generic)) and hasattr(data, "__array__"):
        t = finish_shared(share(np.asarray(data)))
    else:
        return tensor(data, dtype=dtype, device=device)
    if dtype is None and device is None and CURRENT[0] is CPU:
        return t
    return t.to(device=devices.of(device), dtype=t.dtype if dtype is None else dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """Anything array-like as a tensor; `copy` forces (True) or forbids (False) a copy.

    >>> import weft
    >>> weft.asarray([1, 2])
    tensor([1, 2])
    """
    want = None if dtype is None else dtype_of(dtype)
    shared = None
    if isinstance(obj, Tensor):
        shared = obj
    elif isinstance(obj, np.ndarray) or isinstance(obj, np.generic):
        if isinstance(obj, np.generic):
            if copy is False:
                raise RuntimeError("asarray: can't alias NumPy scalars. Either remove copy=False or transform it in a "
                                   "ndarray.")
            shared, copy = from_outside(checked(np.array(obj)), True), False
        else:
            shared = finish_shared(share(obj))
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        shared = frombuffer(obj, dtype=want or DEFAULT.dtype)
    elif type(obj).__name__ == "PyCapsule" or hasattr(obj, "__dlpack__"):
        shared = FUNCTIONS["from_dlpack"](obj)
    elif hasattr(obj, "__array__") and not isinstance(obj, (list, tuple)):
        shared = finish_shared(share(np.asarray(obj)))
    if shared is None:
        if copy is False:
            raise ValueError("asarray: can't alias Python numbers and sequences")
        return tensor(obj, dtype=dtype, device=device, requires_grad=bool(requires_grad))
    target = shared.device if device is None else devices.of(device)
    needs = (want is not None and shared.dtype is not want) or shared.device != target
    if copy is False and needs:
        raise ValueError("asarray: can't alias when a conversion of dtype or device is needed")
    if needs:
        shared = shared.to(device=target, dtype=want or shared.dtype)
    elif copy:
        shared = shared.clone()
    if requires_grad and not shared.requires_grad:
        shared = shared.detach() if shared is obj else shared
        return finish(shared, target, True)
    if requires_grad is False and shared.requires_grad:
        return shared.detach()
    return shared


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A one-dim tensor in the memory of a buffer.

    >>> import weft
    >>> weft.frombuffer(bytearray(b'abc'), dtype=weft.uint8)
    tensor([97, 98, 99], dtype=torch.uint8)
    """
    d = dtype_of(dtype)
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise ValueError(f"object does not implement Python buffer protocol: a {type(buffer).__name__}") from None
    if size == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} "
                         f"bytes) minus 1")
    if count < 0 and (size - offset) % d.itemsize:
        raise ValueError(f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of "
                         f"element size ({d.itemsize})")
    if count > 0 and offset + count * d.itemsize > size:
        raise ValueError(f"requested buffer length ({count} * {d.itemsize} bytes) after offset ({offset} bytes) must "
                         f"not be greater than actual buffer length ({size} bytes)")
    array = np.frombuffer(buffer, d.np, -1 if count < 0 else count, offset)
    if not array.flags.writeable:
        warnings.warn("The given buffer is not writable, and the tensor shares its memory: writing to it will fail.",
                      stacklevel=2)
    if d.np.kind == "b" and array.view("u1").max() > 1:
        array = array.view("u1") != 0       # bytes that are neither 0 nor 1 are no bools
    return finish(from_outside(array, False), CPU, requires_grad)


def from_file(filename, shared=None, size=0, *, dtype=None, layout=None, device=None, requires_grad=False,
              pin_memory=False):
    """A one-dim tensor whose memory is a file's; with `shared`, writes go to the file, which grows to `size` elements.

    >>> import weft
    >>> weft.arange(3.0).numpy().tofile("numbers.bin")
    >>> weft.from_file("numbers.bin", size=3)
    tensor([0., 1., 2.])
    """
    np_dtype = DEFAULT.dtype.np if dtype is None else np_of(dtype)
    if shared:
        with open(filename, "ab") as file:
            file.truncate(max(file.tell(), size * np_dtype.itemsize))
    array = np.memmap(filename, np_dtype, "r+" if shared else "c", shape=(size,)) if size else np.empty(0, np_dtype)
    return finish(from_outside(array.view(np.ndarray), False), device, requires_grad)


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A new leaf tensor of this one's type with a copy of `data`.

    >>> import weft
    >>> weft.ones(1).new_tensor([1, 2])
    tensor([1., 2.])
    """
    if isinstance(data, Tensor):
        if mode_bits() & WATCH:
            tell_read(data, "new_tensor")
        data = data._array
    return tensor(data, dtype=self.dtype if dtype is None else dtype, device=self.device if device is None else device,
                  requires_grad=requires_grad)


for _function in (from_numpy, as_tensor, asarray, frombuffer, from_file):
    public(_function)
method(overridable(new_tensor))
OPS.from_outside = from_outside
