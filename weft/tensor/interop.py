"""Tensors to and from others: NumPy's protocols, DLPack, and the text that Python prints."""
import warnings

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import FUNCTION, GRAD_OFF, INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read
from weft.tensor import printing
from weft.tensor.names import method, public
from weft.tensor.pickling import attributes_of
from weft.tensor.tensor import OPS, Tensor, hand_out, is_plain, needs_grad

BFLOAT16_CODE, UINT_CODE = 4, 1     # DLPack's type codes


# text

def tensor_repr(t, contents=None):
    """What repr(t) gives: the values (or `contents` in their place) and what PyTorch prints of the rest."""
    if mode_bits() & WATCH and not t._on_meta:
        tell_read(t, "print")
    array, default = t._array if contents is None else t._form, dtypes.default.dtype
    if array.dtype.kind == "V":     # bfloat16
        array = array.astype(np.float32)
    plain = is_plain(t)
    text = printing.format_tensor(
        array, dtype_name=t.dtype.name, default_dtypes=(default.name, default.to_complex().name),
        requires_grad=t._wants_grad, grad_fn_name=_grad_fn_name(t), device="meta" if t._on_meta else None,
        prefix="tensor(" if plain else type(t).__name__ + "(", tensor_contents=contents)
    if not plain and (getattr(type(t), "_weft_plain", False) or attributes_of(t).get("_is_param")):
        return f"Parameter({text})"
    return text


def _grad_fn_name(t):
    try:
        node = t.grad_fn
    except RuntimeError:        # a view whose history can't be brought up to date
        return "Invalid"
    return None if node is None else node.name()


@method
def __format__(self, format_spec):
    """Zero-dim tensors format as their number: f"{loss:.3f}"."""
    if self._form.ndim == 0 and not self._on_meta and type(self) is Tensor:
        return format(self.item(), format_spec)
    if format_spec:
        raise TypeError(f"unsupported format string passed to {type(self).__name__}.__format__: {format_spec!r}, and "
                        f"the tensor's shape is {list(self._form.shape)}\n  fix: format its number, x.item()")
    return repr(self)


@method
def __repr__(self, *, tensor_contents=None):
    """The tensor as text; a subclass may give what stands in the place of the values.

    >>> import weft
    >>> weft.zeros(2).__repr__(tensor_contents="two zeros")
    'tensor(two zeros)'
    """
    if mode_bits() & FUNCTION:
        return OPS.ask_mode(Tensor.__repr__, (self,), {} if tensor_contents is None
                            else {"tensor_contents": tensor_contents})
    return tensor_repr(self, tensor_contents)


OPS.tensor_repr = tensor_repr
for _function in (printing.set_printoptions, printing.get_printoptions, printing.printoptions):
    public(_function)


# NumPy

_SUPPORTED = ("float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
              "uint8, and bool")


def checked(array):
    """Refuse arrays whose type no tensor has."""
    if array.dtype not in dtypes.BY_NUMPY:
        if array.dtype.name == "bfloat16":
            dtypes.of_array(array.dtype)
        elif array.dtype.kind in "biufc" and array.dtype.newbyteorder("=") in dtypes.BY_NUMPY:
            raise ValueError("given numpy array has byte order different from the native byte order. Conversion "
                             "between byte orders is currently not supported.\n  fix: use "
                             "array.astype(array.dtype.newbyteorder('='))")
        else:
            raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported "
                            f"types are: {_SUPPORTED}.")
    return array


def share(array):
    """The array as a tensor may hold it."""
    checked(array)
    for s in array.strides:
        if s < 0:
            raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative "
                             "strides are not currently supported. (You can probably work around this by making a copy "
                             "of your array with array.copy().)")
        if s % array.itemsize:
            raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array "
                             "to reallocate the memory.")
    if not array.flags.writeable:
        warnings.warn("The given NumPy array is not writable, and the tensor shares its memory: writing to it will "
                      "fail. Copy the array first if you mean to write.", stacklevel=4)
    return array.view(np.ndarray)


def finish_shared(array):
    """A tensor of an array that it shares."""
    t = OPS.from_outside(array, False)
    if mode_bits() & INFERENCE:
        t._inference = True
    return t


@method
def numpy(self, *, force=False):
    """The values as a NumPy array in the same memory; `force` takes them out of the graph first.

    >>> import weft
    >>> weft.tensor([1, 2]).numpy()
    array([1, 2])
    """
    if self._on_meta:
        if force:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        raise TypeError("can't convert meta device type tensor to numpy: it has no data")
    if not force and needs_grad(self) and not mode_bits() & GRAD_OFF:
        fail(RuntimeError, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._form.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16\n  fix: use .float().numpy()")
    if mode_bits() & WATCH:
        tell_read(self, "numpy")
    hand_out(self)
    return self._array.view()


@method
def __array__(self, dtype=None, copy=None):
    """What np.asarray(tensor) calls."""
    array = numpy(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"Unable to avoid copy: the tensor is {self.dtype}, the array is to be {np.dtype(dtype)}")
        return array.astype(dtype)
    return array.copy() if copy else array


@method
def __array_wrap__(self, array, context=None, return_scalar=False):
    """What NumPy makes of its result on a tensor: np.sin(x) is a tensor."""
    array = np.asarray(array)
    # PyTorch's masks here are bytes still
    return finish_shared(share(array.view(np.uint8) if array.dtype == np.bool_ else array))


# DLPack

@method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The memory as a capsule that other libraries read without copying."""
    if stream is not None:
        if not isinstance(stream, int):
            raise TypeError(f"stream must be ``int`` or ``none``, not {type(stream).__name__}")
        if stream != -1:
            raise AssertionError("stream should be None on cpu.")
    if needs_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self._on_meta:
        raise BufferError("Cannot pack tensors on meta: they have no data")
    if mode_bits() & WATCH:
        tell_read(self, "dlpack")
    hand_out(self)
    array = self._array
    half = array.dtype.kind == "V"
    if half:
        array = array.view(np.uint16)
    capsule = array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
    if half:
        _set_type_code(capsule, BFLOAT16_CODE)
    return capsule


@method
def __dlpack_device__(self):
    """(1, 0): DLPack's number for the CPU."""
    if self._on_meta:
        raise ValueError("Unknown device type meta for Dlpack")
    return (1, 0)


class _Capsule:
    """A bare capsule in the form that np.from_dlpack takes."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


@public
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """A tensor in the memory of another library's array, or of a DLPack capsule.

    >>> import weft
    >>> import numpy
    >>> array = numpy.zeros(2)
    >>> x = weft.from_dlpack(array)
    >>> array[0] = 5
    >>> x
    tensor([5., 0.], dtype=torch.float64)
    """
    if device is not None and devices.of(device) is not devices.CPU:
        raise BufferError(f"from_dlpack: can't take the memory to device {device}\n  fix: leave device out")
    if hasattr(ext_tensor, "__dlpack__"):
        source = ext_tensor
    elif type(ext_tensor).__name__ == "PyCapsule":
        source = _Capsule(ext_tensor)
    else:
        fail(RuntimeError, f"from_dlpack received an invalid capsule: a {type(ext_tensor).__name__}",
             "give it an array that has __dlpack__, or a capsule from to_dlpack() that was not used yet")
    kind, number = (int(n) for n in source.__dlpack_device__())
    if kind not in (1, 3, 11):      # the CPU, and memory of other devices that the CPU reads
        raise BufferError(f"from_dlpack: the memory is on another device (DLPack's type {kind}, number {number})\n"
                          f"  fix: bring it to the CPU first")
    try:
        array = np.from_dlpack(source, copy=copy)
    except (BufferError, RuntimeError):
        array = _from_bfloat16(source)
        if array is None:
            raise
        array = array.copy() if copy else array
    if not array.flags.writeable and not _is_readonly(ext_tensor):
        array = _writable(array)
    return finish_shared(share(array))


def _is_readonly(source):
    """Whether the producer itself holds the memory read-only; DLPack before 1.0 could not say."""
    return (isinstance(source, np.ndarray) and not source.flags.writeable or isinstance(source, Tensor)
            and not source._form.flags.writeable)


class _Writable:
    """The memory of an array, through NumPy's array interface; keeps the array."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.__array_interface__["data"][0], False)}


def _writable(array):
    return np.asarray(_Writable(array)).view(array.dtype)      # the interface has no name for bfloat16


# bfloat16, which NumPy doesn't exchange: the same bits go as uint16, and the type code in the capsule is put right

def _from_bfloat16(source):
    capsule = source.capsule if isinstance(source, _Capsule) else _newest(source)
    try:
        field = _type_code(capsule)
    except ValueError:
        return None
    if field[0] != BFLOAT16_CODE or field[1] != 16:
        return None
    field[0] = UINT_CODE
    return np.from_dlpack(_Capsule(capsule)).view(dtypes.bfloat16.np)


def _newest(source):
    try:
        return source.__dlpack__(max_version=(1, 0))
    except TypeError:
        return source.__dlpack__()


def _type_code(capsule):
    """The code and the bits in a capsule's DLDataType, as a ctypes array."""
    import ctypes  # heavy, only for bfloat16
    valid, pointer = ctypes.pythonapi.PyCapsule_IsValid, ctypes.pythonapi.PyCapsule_GetPointer
    valid.argtypes, valid.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_int
    pointer.argtypes, pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    # DLTensor: data (8 bytes), device (8), ndim (4), then the type; a versioned one has 32 bytes before it
    for name, start in ((b"dltensor", 0), (b"dltensor_versioned", 32)):
        if valid(capsule, name):
            return (ctypes.c_uint8 * 2).from_address(pointer(capsule, name) + start + 20)
    raise ValueError("not a DLPack capsule, or one that was used already")


def _set_type_code(capsule, code):
    _type_code(capsule)[0] = code
