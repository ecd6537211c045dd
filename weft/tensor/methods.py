"""What tensors answer about themselves, and small functions on them that are no ops."""

import numpy as np

from weft.core import dtype as dtypes
from weft.core import settings
from weft.core.errors import fail
from weft.core.modes import WATCH
from weft.core.runtime import COMPILED, dict_of, mode_bits, set_dict_of
from weft.core.seam import tell_read
from weft.tensor.names import FUNCTIONS, method, public
from weft.tensor.pickling import attributes_of
from weft.tensor.storage import OLD_STORAGES, TypedStorage, UntypedStorage, in_shared_memory
from weft.tensor.tensor import OPS, Tensor, needs_grad


def need_tensor(value, who):
    if not isinstance(value, Tensor):
        raise TypeError(f"{who}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}")
    return value


# questions about the type: functions and methods

@public
@method
def is_floating_point(input):
    """Whether the elements are real floating-point numbers.

    >>> import weft
    >>> weft.is_floating_point(weft.ones(1))
    True
    """
    return need_tensor(input, "is_floating_point")._form.dtype.kind in "fV"


@public
@method
def is_complex(input):
    """Whether the elements are complex.

    >>> import weft
    >>> weft.is_complex(weft.ones(1))
    False
    """
    return need_tensor(input, "is_complex")._form.dtype.kind == "c"


@public
@method
def is_signed(input):
    """Whether the elements can be negative.

    >>> import weft
    >>> weft.is_signed(weft.ones(1))
    True
    """
    return need_tensor(input, "is_signed").dtype.is_signed


@public
@method
def is_nonzero(input):
    """Whether the one element is not zero.

    >>> import weft
    >>> weft.is_nonzero(weft.ones(1))
    True
    """
    return bool(need_tensor(input, "is_nonzero"))


@public
@method
def is_inference(input):
    """Whether the tensor was made in inference mode.

    >>> import weft
    >>> with weft.inference_mode():
    ...     x = weft.ones(2)
    >>> x.is_inference()
    True
    """
    return need_tensor(input, "is_inference")._inference


@public
@method
def is_distributed(input):
    """False: no tensor is spread over several machines.

    >>> import weft
    >>> weft.ones(1).is_distributed()
    False
    """
    return False


@public
@method
def numel(input):
    """The number of elements.

    >>> import weft
    >>> weft.numel(weft.ones(2, 3))
    6
    """
    return need_tensor(input, "numel")._form.size


method(numel, "nelement")


@public
@method
def is_same_size(input, other):
    """Whether two tensors have one shape.

    >>> import weft
    >>> weft.is_same_size(weft.ones(2), weft.zeros(2))
    True
    """
    return need_tensor(input, "is_same_size")._form.shape == need_tensor(other, "is_same_size")._form.shape


@public
@method
def get_device(input):
    """-1: the CPU has no number.

    >>> import weft
    >>> weft.ones(1).get_device()
    -1
    """
    need_tensor(input, "get_device")
    return -1


# functions alone

@public
def is_tensor(obj):
    """Whether an object is a tensor.

    >>> import weft
    >>> weft.is_tensor(weft.ones(1))
    True
    """
    return isinstance(obj, Tensor)


@public
def is_storage(obj):
    """Whether an object is a tensor's storage.

    >>> import weft
    >>> weft.is_storage(weft.ones(2).untyped_storage())
    True
    """
    return isinstance(obj, (UntypedStorage, TypedStorage))


@public
def typename(obj):
    """The name of an object's type; for a tensor that of its element type, such as torch.FloatTensor.

    >>> import weft
    >>> weft.typename(weft.ones(1))
    'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", None)
    prefix = "" if module in (None, "builtins", "__builtin__") else module + "."
    return prefix + (getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None) or type(obj).__qualname__)


@public
def can_cast(from_, to):
    """Whether values of one type may be written to another without a loss of kind (complex, float, integer, bool).

    >>> import weft
    >>> weft.can_cast(weft.float32, weft.int64)
    False
    """
    for name, value in (("from_", from_), ("to", to)):
        if not isinstance(value, dtypes.dtype):
            raise TypeError(f"can_cast(): argument '{name}' must be torch.dtype, not {type(value).__name__}")
    return dtypes.can_cast(from_, to)


@public
def detach_copy(input):
    """A copy of the values, outside the graph.

    >>> import weft
    >>> weft.detach_copy(weft.ones(1, requires_grad=True))
    tensor([1.])
    """
    return need_tensor(input, "detach_copy").detach().clone()


@public
def to_dlpack(input):
    """The tensor's memory as a DLPack capsule.

    >>> import weft
    >>> weft.from_dlpack(weft.to_dlpack(weft.ones(2)))
    tensor([1., 1.])
    """
    return input.__dlpack__()


for _function in settings.PUBLIC:
    public(_function)
FUNCTIONS.update(OLD_STORAGES, UntypedStorage=UntypedStorage, TypedStorage=TypedStorage,
                 Storage=OLD_STORAGES["FloatStorage"])


# what it is not, and where it is

def is_cpu(self):
    """Whether it lies in the CPU's memory.

    >>> import weft
    >>> weft.ones(1).is_cpu
    True
    """
    return not self._on_meta


def is_meta(self):
    """Whether it has a shape but no data.

    >>> import weft
    >>> weft.ones(2, 3, device="meta").is_meta
    True
    """
    return self._on_meta


def _no(self):
    """False: there is only dense memory of the CPU.

    >>> import weft
    >>> x = weft.ones(1)
    >>> x.is_cuda, x.is_sparse, x.is_quantized
    (False, False, False)
    """
    return False


def name(self):
    """None: dimensions have no names.

    >>> import weft
    >>> weft.ones(1).name is None
    True
    """
    return None


def backward_hooks(self):
    """The hooks of a leaf, by number, or None."""
    return None if self._seldom is None else self._seldom.get("hooks") or None


# questions that only sparse tensors answer otherwise

@method
def to_dense(self, dtype=None, *, masked_grad=None):
    """The tensor itself, which is dense.

    >>> import weft
    >>> x = weft.ones(2)
    >>> x.to_dense() is x
    True
    """
    return self if dtype is None else self.to(dtype)


@method
def sparse_dim(self):
    """0: no dimension is stored sparsely.

    >>> import weft
    >>> weft.ones(2, 3).sparse_dim()
    0
    """
    return 0


method(Tensor.dim, "dense_dim")
method(Tensor.data_ptr, "const_data_ptr")
method(property(is_cpu), "is_cpu")
method(property(is_meta), "is_meta")
method(property(_no), "is_cuda", "is_sparse", "is_sparse_csr", "is_quantized", "is_mkldnn", "is_nested", "is_mps",
       "is_xla", "is_xpu", "is_ipu", "is_hpu", "is_mtia", "is_maia", "is_vulkan")
method(property(name), "name")
method(property(backward_hooks), "_backward_hooks")


# Python's protocols

@method
def __dir__(self):
    return sorted({*dir(type(self)), *attributes_of(self)})


@method
def __reversed__(self):
    """The tensor with its first dimension turned round."""
    return self.flip(0) if self._form.ndim else self


if COMPILED:        # vars(x) and x.__dict__, which a built type lacks; made when asked for
    method(property(dict_of, set_dict_of), "__dict__")


# Python functions on each element

@method
def apply_(self, callable):
    """Replace each element by callable(element); slow, one call of Python for each.

    >>> import weft
    >>> weft.tensor([1, 2]).apply_(lambda v: v + 1)
    tensor([2, 3])
    """
    _refuse_grad(self, "apply_")
    if not self._on_meta:
        _store(self, [callable(v) for v in _numbers(self, "apply_")])
    return self


@method
def map_(self, tensor, callable):
    """Replace each element by callable(element, the other tensor's element).

    >>> import weft
    >>> weft.tensor([1, 2]).map_(weft.tensor([3, 4]), lambda a, b: a * b)
    tensor([3, 8])
    """
    return _map(self, "map_", (tensor,), callable)


@method
def map2_(self, x, y, callable):
    """Replace each element by callable of it and the elements of two other tensors.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> x.map2_(weft.ones(2), weft.full((2,), 10.0), lambda a, b, c: a + b * c)
    tensor([11., 12.])
    """
    return _map(self, "map2_", (x, y), callable)


def _map(t, who, others, callable):
    for other in others:
        if not isinstance(other, Tensor) or other.dtype is not t.dtype:
            got = other.type() if isinstance(other, Tensor) else type(other).__name__
            raise TypeError(f"{who}: expected {t.type()} for the other tensor (got {got})")
    for each in (t, *others):
        _refuse_grad(each, who)
    if not t._on_meta:
        _store(t, [callable(*values) for values in zip(_numbers(t, who), *(_numbers(o, who, t) for o in others))])
    return t


def _refuse_grad(t, who):
    if needs_grad(t):
        fail(RuntimeError, f"Can't call {who}() on Variable that requires grad.", f"Use var.detach().{who}() instead.")


def _numbers(t, who, like=None):
    """The elements one after the other, those of `t` expanded to another tensor's shape."""
    if mode_bits() & WATCH:
        tell_read(t, who)
    array = t._array.astype(np.float32) if t._form.dtype.kind == "V" else t._array
    return (array if like is None else np.broadcast_to(array, like._form.shape)).ravel().tolist()


def _store(t, values):
    kind = t.dtype.category
    convert = (bool, int, float, complex)[kind]
    for v in values:
        if not isinstance(v, (bool, int, float, complex, np.number, Tensor)):
            raise TypeError(f"must be real number, not {type(v).__name__}")
    with np.errstate(all="ignore"):
        made = np.array([convert(v) for v in values], (bool, object, np.float64, np.complex128)[kind])
        OPS.write_values(t, made.astype(t._form.dtype).reshape(t._form.shape))


# memory that several processes see

@method
def share_memory_(self):
    """Move the values to memory that child processes share, with all views of it and all tensors that lie there.

    >>> import weft
    >>> x = weft.ones(3)
    >>> view = x[1:]
    >>> x.share_memory_().is_shared(), view.is_shared()
    (True, True)
    """
    if self._on_meta or is_shared(self) or not self._form.nbytes:
        return self
    from weft.tensor.shared import move  # rarely needed
    if mode_bits() & WATCH:
        tell_read(self, "share_memory_")
    move(self)
    return self


@method
def is_shared(self):
    """Whether child processes see writes to this tensor.

    >>> import weft
    >>> weft.ones(1).is_shared(), weft.ones(1).share_memory_().is_shared()
    (False, True)
    """
    return not self._on_meta and in_shared_memory(self._array)


@method
def pin_memory(self, device=None):
    """The tensor itself: there is no other device to copy to.

    >>> import weft
    >>> x = weft.ones(1)
    >>> x.pin_memory() is x
    True
    """
    return self


@method
def is_pinned(self, device=None):
    """False: there is no other device to copy to.

    >>> import weft
    >>> weft.ones(1).is_pinned()
    False
    """
    return False
