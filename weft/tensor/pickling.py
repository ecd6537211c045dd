"""Tensors copied and pickled: values, strides, attributes, and which tensors share memory."""
import copy
import copyreg
import warnings

import numpy as np

from weft.core.errors import fail
from weft.core.modes import NO_OVERRIDE, WATCH
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import tell_read
from weft.core.spec import Spec, reach_of
from weft.kernels.native import address
from weft.tensor.layout import has_company, root_of
from weft.tensor.names import method
from weft.tensor.tensor import Tensor, describe, without_values, wrap

# a tensor's own fields; what else an instance has was put there by users
FIELDS = ("_form", "_owed", "_made_by", "_made_nr", "_wants_grad", "_on_meta", "_inference", "_grad", "_memory_record",
          "_view_of", "_seldom")
NEW = Tensor.__new__    # the empty tensor of a class


# what users put on a tensor

def attributes_of(t):
    """The attributes that users gave a tensor, by name; a new dict."""
    found = {k: v for k, v in vars(t).items() if k not in FIELDS}
    for name in copyreg._slotnames(type(t)):
        if name not in FIELDS and hasattr(t, name):
            found[name] = getattr(t, name)
    return found


def set_attributes(t, attributes):
    for name, value in attributes.items():
        setattr(t, name, value)


def retype(t, cls):
    """A tensor of another class in place of `t`, which nobody else may hold."""
    if type(t) is cls:
        return t
    made = NEW(cls)
    for name in FIELDS:
        setattr(made, name, getattr(t, name))
    return made


# memory

class Window:
    """Memory that is pickled as what one tensor shows of it, since it is part of something larger that isn't a
    tensor's.
    """

    def __init__(self, array):
        self.array = array

    def __reduce__(self):
        return (Window, (np.asarray(self.array.copy(order="K")),))


def memory_of(t):
    """The array to keep for a tensor: one object for all that share memory, so that copies share it too."""
    root = root_of(t)
    base = t if t._view_of is None else t._view_of.base()
    whole = root.flags.c_contiguous or root.flags.f_contiguous
    if whole and (base._form.nbytes == root.nbytes or has_company(t)) and inside(t._array, root):
        return root
    return Window(t._array)


def inside(array, root):
    if not array.size:
        return False
    start = address(array) - address(root)
    span = reach_of(array.shape, array.strides) + array.itemsize
    return 0 <= start and start + span <= root.nbytes


def place_of(t, memory):
    """Where in the memory a tensor lies: byte offset, shape and strides in bytes."""
    if isinstance(memory, Window):
        return None
    return address(t._array) - address(memory), t._form.shape, t._form.strides


def array_at(memory, place, np_dtype):
    """The array of a tensor that lies at `place` in memory."""
    if place is None:
        return memory.array
    offset, shape, strides = place
    flat = memory.reshape(-1, order="C" if memory.flags.c_contiguous else "F")
    return np.ndarray(shape, np_dtype, flat.view(np.uint8), offset, strides)


# pickle and copy.copy

@method
def __reduce_ex__(self, protocol):
    """How pickle and copy.copy see a tensor. Its gradient and its history are not kept: a copy is a leaf."""
    if self._seldom is not None and (self._seldom.get("hooks") or self._seldom.get("post_accumulate")):
        warnings.warn("a pickled or copied tensor loses the hooks that were registered on it", stacklevel=3)
    cls = type(self)
    grad = bool(self.requires_grad)
    getstate = getattr(cls, "__getstate__", None)
    own = getstate is not None and getstate is not _PLAIN_GETSTATE
    state = self.__getstate__() if own else attributes_of(self) or None
    if self._on_meta:
        return (rebuild_meta, (cls, self._form.shape, self.dtype, grad, state, describe(self).strides))
    if mode_bits() & WATCH:
        tell_read(self, "pickle")
    memory = memory_of(self)
    return (rebuild, (cls, memory, place_of(self, memory), self.dtype, grad, state))


def rebuild(cls, memory, place, dtype, requires_grad, state):
    """A tensor from what __reduce_ex__ kept."""
    return finish(wrap(array_at(memory, place, dtype.np)), cls, requires_grad, state)


def rebuild_meta(cls, shape, dtype, requires_grad, state, strides=None):
    """A tensor without values from what __reduce_ex__ kept."""
    return finish(without_values(Spec(shape, dtype.np, strides)), cls, requires_grad, state)


def finish(t, cls, requires_grad, state):
    """A new tensor, made one of a class, with a state or attributes (None for none)."""
    t._wants_grad = requires_grad
    t = retype(t, cls)
    if state is None:
        return t
    setstate = getattr(cls, "__setstate__", None)
    if setstate is not None and setstate is not _PLAIN_SETSTATE:
        t.__setstate__(state)
    else:
        set_attributes(t, state)
    return t


# copy.deepcopy

@method
def __deepcopy__(self, memo):
    """A leaf's own copy, its gradient and attributes included; tensors that share memory still do afterwards."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        fail(RuntimeError, "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
             "at the moment.",
             "copy a computed tensor with detach().clone(), or leave it out of what is copied (in a module, a "
             "parametrized weight)",
             at="")      # the line would be copy.py's
    bits = set_mode_bits(mode_bits() | NO_OVERRIDE)
    try:
        made = retype(_copied(self, memo), type(self))
        made._wants_grad = self._wants_grad
        memo[id(self)] = made
        if self._grad is not None:
            made._grad = copy.deepcopy(self._grad, memo)
        set_attributes(made, copy.deepcopy(attributes_of(self), memo))
    finally:
        set_mode_bits(bits)
    return made


def _copied(t, memo):
    if t._on_meta:
        return without_values(describe(t))
    if mode_bits() & WATCH:
        tell_read(t, "deepcopy")
    memory = memory_of(t)
    if isinstance(memory, Window):
        return wrap(np.asarray(t._array.copy(order="K")))
    return wrap(array_at(copy.deepcopy(memory, memo), place_of(t, memory), t._form.dtype))


_PLAIN_GETSTATE = getattr(Tensor, "__getstate__", None)
_PLAIN_SETSTATE = getattr(Tensor, "__setstate__", None)
