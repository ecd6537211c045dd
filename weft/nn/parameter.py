"""Parameters: the tensors that a module trains, and buffers: those that it only keeps."""
import numpy as np

from weft.core.errors import fail
from weft.core.pytree import leaves
from weft.ops.create.constants import empty
from weft.tensor.subclass import _make_subclass, call_plain, disabled
from weft.tensor.tensor import Tensor, register_plain, wrap

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin"]


class _ParameterMeta(type):
    """A tensor of another class that was made a parameter counts as one too."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and _is_flagged(instance, "_is_param")


def _is_flagged(value, name):
    if not isinstance(value, Tensor):
        return False
    return bool(getattr(value, name, False))


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf tensor that a module lists among its parameters. Ops on it give plain tensors.

    >>> import weft
    >>> weft.nn.Parameter(weft.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    _weft_plain = True      # what is made of it is a plain tensor

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = wrap(np.empty(0, np.float32))
        if not isinstance(data, Tensor):
            raise TypeError(f"{cls.__name__}(): the data must be a tensor, not {type(data).__name__}\n"
                            f"  fix: give it weft.tensor(data)")
        if type(data) is Tensor or isinstance(data, cls) and getattr(type(data), "_weft_plain", False):
            return _make_subclass(cls, data, requires_grad)
        made = data.detach().requires_grad_(requires_grad)     # a tensor subclass stays one
        if type(made) is not type(data):
            raise RuntimeError(f"Creating a Parameter from an instance of type {type(data).__name__} requires that "
                               f"detach() returns an instance of the same type, but it returned {type(made).__name__}\n"
                               f"  fix: let its __torch_function__ do so")
        made._is_param = True
        return made

    def __deepcopy__(self, memo):
        """A parameter of the same values; as in PyTorch, without the gradient."""
        if id(self) in memo:
            return memo[id(self)]
        memo[id(self)] = made = type(self)(self.data.clone(), self.requires_grad)
        return made

    def __repr__(self):
        return "Parameter containing:\n" + Tensor.__repr__(self)

    __torch_function__ = classmethod(disabled)


register_plain(Parameter)


class _BufferMeta(type):
    """Buffers are plain tensors with a mark."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and _is_flagged(instance, "_is_buffer")


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module keeps with its state but doesn't train; `persistent` ones are saved with it.

    >>> import weft
    >>> weft.nn.Buffer(weft.zeros(2))
    tensor([0., 0.])
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = wrap(np.empty(0, np.float32))
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    __torch_function__ = classmethod(disabled)


# parameters whose size is not known yet

def is_lazy(value):
    """Whether a parameter or buffer has no size yet."""
    return bool(getattr(value, "_is_lazy", False)) if isinstance(value, Tensor) else False


def make_lazy(value, kind):
    """Undo materialize: a value of this class, without a size."""
    value.__class__ = kind      # the optimizer and the module hold this very tensor, as in materialize
    value.data, value._is_lazy = value.data.new_empty(0), True


def _materialize(self, shape, device=None, dtype=None):
    """Give it a size, and memory of unknown content.

    >>> import weft
    >>> b = weft.nn.UninitializedBuffer()
    >>> b.materialize((2,))
    >>> b.shape
    torch.Size([2])
    """
    self.data = self.data.new_empty(shape if isinstance(shape, int) else tuple(shape), dtype=dtype, device=device)
    self._is_lazy = False


def _unsized(device, dtype):
    return empty(0, device=device, dtype=dtype)


def lazy_like(value, made):
    """What a conversion of a parameter or buffer without a size gives: one without a size, in `made`'s type and place.
    """
    if isinstance(value, Parameter):
        return type(value)(value.requires_grad, made.device, made.dtype)
    return type(value)(value.requires_grad, made.device, made.dtype, value.persistent)


def _shape(value):
    """Its size, once it has one."""
    if is_lazy(value):
        fail(RuntimeError, "Can't access the shape of an uninitialized parameter or buffer",
             "call the module once with an example, so that its lazy layers learn their sizes")
    return Tensor.shape.__get__(value)


def _share(value):
    if is_lazy(value):
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize "
                           "the parameters before calling `module.share_memory()`.")
    return Tensor.share_memory_(value)


# what may be asked of a tensor without a size: where and what it is, and the conversions of a module
_WITHOUT_A_SIZE = frozenset("""to type cpu cuda half float double bfloat16 char short int long byte is_complex
    is_floating_point get_device requires_grad_ detach new_empty copy_ __hash__ __get__ __set__""".split())


def _only_with_a_size(cls, func, types, args=(), kwargs=None):
    """`__torch_function__` of what may have no size yet: an op on it would work on nothing."""
    name = getattr(func, "__name__", str(func))
    if name not in _WITHOUT_A_SIZE and any(map(is_lazy, leaves((args, kwargs or {})))):
        fail(ValueError, f"{name}: an uninitialized parameter or buffer has no size and no values yet",
             "call the module once with an example, so that its lazy layers learn their sizes, or materialize(shape)")
    return call_plain(func, args, kwargs)


class _LazyMeta(type):
    """What has no size yet counts as an instance."""

    def __instancecheck__(cls, instance):
        return is_lazy(instance)


class UninitializedTensorMixin(metaclass=_LazyMeta):
    """Of parameters and buffers without a size.

    >>> import weft
    >>> layer = weft.nn.LazyLinear(3)
    >>> isinstance(layer.weight, weft.nn.parameter.UninitializedTensorMixin)
    True
    """


class UninitializedParameter(Parameter):
    """A parameter without a size, until `materialize` gives it one.

    >>> import weft
    >>> p = weft.nn.UninitializedParameter()
    >>> p
    <UninitializedParameter>
    >>> p.materialize((2, 3))
    >>> p.shape
    torch.Size([2, 3])
    """

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        made = _make_subclass(cls, _unsized(device, dtype), requires_grad)
        made._is_lazy = True
        return made

    def materialize(self, shape, device=None, dtype=None):
        """Give it a size, and memory of unknown content; from then on it is an ordinary parameter.

        >>> import weft
        >>> p = weft.nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> type(p).__name__, p.shape
        ('Parameter', torch.Size([2, 3]))
        """
        _materialize(self, shape, device, dtype)
        self.__class__ = Parameter      # as in PyTorch: an optimizer may hold this very tensor already

    def share_memory_(self):
        """Move it to shared memory, once it has a size.

        >>> import weft
        >>> p = weft.nn.UninitializedParameter()
        >>> p.materialize((2, 3))
        >>> p.share_memory_().is_shared()
        True
        """
        return _share(self)

    def __deepcopy__(self, memo):
        """Another one without a size."""
        return memo.setdefault(id(self), lazy_like(self, self)) if self._is_lazy else super().__deepcopy__(memo)

    shape = property(_shape)
    __torch_function__ = classmethod(_only_with_a_size)

    def __repr__(self):
        return "<UninitializedParameter>" if self._is_lazy else super().__repr__()


class UninitializedBuffer(Tensor):
    """A buffer without a size, until `materialize` gives it one; then it counts as a plain tensor.

    >>> import weft
    >>> b = weft.nn.UninitializedBuffer()
    >>> b.materialize((2,))
    >>> b.shape
    torch.Size([2])
    """

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = _make_subclass(cls, _unsized(device, dtype), requires_grad)
        made._is_lazy = made._is_buffer = True
        made.persistent = persistent
        return made

    materialize = _materialize

    def share_memory_(self):
        """Move it to shared memory, once it has a size.

        >>> import weft
        >>> b = weft.nn.UninitializedBuffer()
        >>> b.materialize((2,))
        >>> b.share_memory_().is_shared()
        True
        """
        return _share(self)

    def __repr__(self):
        return "<UninitializedBuffer>" if self._is_lazy else Tensor.__repr__(self.data)

    shape = property(_shape)
    __torch_function__ = classmethod(_only_with_a_size)
