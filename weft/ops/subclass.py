"""Tensor subclasses: results keep the class, and `__torch_function__` sees every op.

>>> import weft
>>> class Tagged(weft.Tensor):
...     pass
>>> type(weft.ones(2).as_subclass(Tagged) + 1).__name__
'Tagged'
"""
import functools

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import NO_OVERRIDE
from weft.core.runtime import attach, mode_bits, set_mode_bits
from weft.core.spec import stand_in
from weft.ops.core.registry import FUNCTIONS, VIEW, op
from weft.ops.create.constants import mark_leaf
from weft.ops.pickling import NEW, retype
from weft.tensor.override import override
from weft.tensor.tensor import OPS, Tensor, alias, is_plain, wrap

NOWRAP = set()      # functions whose results stay as they are


@op
class _alias:
    """The same tensor as a new view."""
    tags, node_name, method = VIEW, "AliasBackward0", False

    def forward(x):
        return x

    def grad_x(g):
        return g


def as_subclass(self, cls):
    """The same memory and history as an instance of a tensor subclass."""
    _check_class(cls, "as_subclass")
    return retype(_alias.op.compute([self]), cls)


def _check_class(cls, who):
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"{who}: cls must be a subclass of Tensor, got {cls!r}")


def _make_subclass(cls, data, require_grad=False, **options):
    """An instance of `cls` in the memory of `data`, outside the graph: what a subclass's __new__ returns."""
    _check_class(cls, "_make_subclass")
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass: argument 'data' must be Tensor, not {type(data).__name__}")
    made = retype(alias(data), cls)
    made._inference = data._inference
    if require_grad:
        mark_leaf(made)
    return made


def _make_wrapper_subclass(cls, size, strides=None, storage_offset=None, memory_format=None, dtype=None, layout=None,
                           device=None, pin_memory=False, requires_grad=False, **options):
    """An instance of `cls` that has a shape and a type but no data; its __torch_function__ is to know what it stands
    for.
    """
    _check_class(cls, "_make_wrapper_subclass")
    if device is not None:
        devices.device(device)      # a name that makes no sense is an error
    made = wrap(stand_in(size, (dtypes.default.dtype if dtype is None else dtypes.of_type(dtype)).np))
    made._meta = True
    made = retype(made, cls)
    if requires_grad:
        mark_leaf(made)
    return made


def convert(result, cls):
    """Tensors in a result, also in tuples and lists, as instances of a subclass."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        made = [convert(r, cls) for r in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


def call_plain(func, args, kwargs):
    """Call a function while no __torch_function__ is asked."""
    bits = set_mode_bits(mode_bits() | NO_OVERRIDE)
    try:
        return func(*args, **(kwargs or {}))
    finally:
        set_mode_bits(bits)


def own_function(func):
    """The op of the same name for a function of an installed PyTorch, which asks a tensor of ours what to do."""
    if not (getattr(func, "__module__", None) or "").startswith("torch"):
        return func
    name = getattr(func, "__name__", "")
    found = FUNCTIONS.get(name) or FUNCTIONS.get("nn.functional." + name)
    if found is None:
        fail(TypeError, f"{name}(): PyTorch's own function was given a tensor of weft, which has none of this name",
             "convert it: torch.from_numpy(x.numpy())")
    return found


def __torch_function__(cls, func, types, args=(), kwargs=None):
    """Run the op on plain tensors, then give its results this class. Subclasses override it to see every op."""
    for other in types:
        if not issubclass(cls, other) and not is_disabled(other):
            return NotImplemented
    func = own_function(func)
    result = call_plain(func, args, kwargs)
    return result if func in NOWRAP else convert(result, cls)


def disabled(cls, func, types, args=(), kwargs=None):
    """The __torch_function__ of a class that has no say: others are asked, else results are plain tensors."""
    for other in types:
        if not is_disabled(other):
            return NotImplemented
    return call_plain(func, args, kwargs)


def is_disabled(cls):
    return getattr(getattr(cls, "__torch_function__", None), "__func__", None) is disabled


# a subclass's own __new__ may say super().__new__(cls, data)

def __new__(cls, *args, **kwargs):
    made = NEW(cls)
    if args or kwargs:
        OPS.construct(made, args, kwargs)
    return made


attach(Tensor, "__new__", staticmethod(__new__))


# methods that are no ops, and whose results keep the class too

def _keeps_class(name):
    plain = getattr(Tensor, name)

    @functools.wraps(plain)
    def method(self, *args, **kwargs):
        if is_plain(self) or mode_bits() & NO_OVERRIDE or is_disabled(type(self)):
            return plain(self, *args, **kwargs)
        return override(method, (self, *args), kwargs)
    attach(Tensor, name, method)


def detach(self):
    """The same memory and versions, outside the graph.

    >>> import weft
    >>> weft.ones(1, requires_grad=True).detach().requires_grad
    False
    """
    if is_plain(self) or is_disabled(type(self)):
        return _detach(self)
    if not mode_bits() & NO_OVERRIDE:
        return override(detach, (self,), {})
    return retype(_detach(_alias.op.compute([self])), type(self))


_detach = Tensor.detach
for _name in ("new_zeros", "new_ones", "new_empty", "new_full", "new_tensor", "new_empty_strided", "new"):
    _keeps_class(_name)
attach(Tensor, "detach", detach)
attach(Tensor, "__torch_function__", classmethod(__torch_function__))
attach(Tensor, "as_subclass", as_subclass)
attach(Tensor, "_make_subclass", staticmethod(_make_subclass))
attach(Tensor, "_make_wrapper_subclass", staticmethod(_make_wrapper_subclass))
