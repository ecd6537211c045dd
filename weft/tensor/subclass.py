"""Tensor subclasses: results keep the class, and `__torch_function__` sees every op.

>>> import weft
>>> class Tagged(weft.Tensor):
...     pass
>>> type(weft.ones(2).as_subclass(Tagged) + 1).__name__
'Tagged'
"""
import sys

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.modes import INFERENCE, NO_OVERRIDE
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.spec import stand_in
from weft.tensor.names import FUNCTIONS, method
from weft.tensor.pickling import NEW, retype
from weft.tensor.tensor import OPS, Tensor, alias, mark_leaf, wrap

NOWRAP = set()      # functions whose results stay as they are


@method
def as_subclass(self, cls):
    """The same memory and history as an instance of a tensor subclass.

    >>> import weft
    >>> class Celsius(weft.Tensor):
    ...     pass
    >>> type(weft.ones(2).as_subclass(Celsius)).__name__
    'Celsius'
    """
    _check_class(cls, "as_subclass")
    return retype(OPS.alias.compute([self]), cls)


def _check_class(cls, who):
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"{who}: Creating a Tensor subclass from a class that does not inherit from Tensor is not "
                        f"possible: cls must be a subclass of Tensor, got {cls!r}")


def _make_subclass(cls, data, require_grad=False, **options):
    """An instance of `cls` in the memory of `data`, outside the graph: what a subclass's __new__ returns."""
    _check_class(cls, "_make_subclass")
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass: argument 'data' must be Tensor, not {type(data).__name__}")
    made = retype(alias(data), cls)
    made._inference = data._inference
    if require_grad:
        if data._inference and not mode_bits() & INFERENCE:
            fail(RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
                 "clone() it first")
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
    made._on_meta = True
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


def weft_is_torch():
    """Whether this process imports weft under the name torch (compat/_torch.py)."""
    return sys.modules.get("torch") is sys.modules["weft"]


def own_function(func):
    """The op of the same name for a function of an installed PyTorch, which asks a tensor of ours what to do."""
    if not (getattr(func, "__module__", None) or "").startswith("torch") or weft_is_torch():
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


method(staticmethod(__new__), "__new__")
method(classmethod(__torch_function__), "__torch_function__")
method(staticmethod(_make_subclass), "_make_subclass")
method(staticmethod(_make_wrapper_subclass), "_make_wrapper_subclass")
