"""How tensors and storages are pickled where torch is weft: as PyTorch does it, so that each reads the other's."""
import io
import warnings
import weakref
from collections import OrderedDict

from weft._tensor import _rebuild_from_type_v2
from weft._utils import _REBUILD
from weft.io.api import save
from weft.io.pickler import Named, plain_call
from weft.kernels.native import address
from weft.nn.parameter import Parameter, is_lazy
from weft.storage import _load_from_bytes
from weft.tensor.pickling import attributes_of
from weft.tensor.storage import OLD_STORAGES, TypedStorage, UntypedStorage
from weft.tensor.tensor import Tensor

TYPED = frozenset(kind.of_dtype for kind in OLD_STORAGES.values())
_PLAIN_GETSTATE = getattr(Tensor, "__getstate__", None)


class Objects:
    """The storages of tensors, as objects: one for all tensors in the same memory, as long as somebody holds it (a
    pickle does until it is written).
    """

    def __init__(self):
        self.known = weakref.WeakValueDictionary()

    def typed(self, array, dtype):
        """The storage of an array, and whether it says the type; PyTorch's new types have none that does."""
        place = address(array), array.nbytes, dtype.name
        found = self.known.get(place) if array.nbytes else None
        if found is None:
            found = UntypedStorage(root=array)
            if dtype in TYPED:
                found = TypedStorage(wrap_storage=found, dtype=dtype, _internal=True)
            self.known[place] = found
        return found, dtype in TYPED


STORAGES = Objects()


def reduce_tensor(self, protocol):
    """Tensor.__reduce_ex__: PyTorch's functions, found by their names there and here."""
    if self._seldom is not None and (self._seldom.get("hooks") or self._seldom.get("post_accumulate")):
        warnings.warn("a pickled or copied tensor loses the hooks that were registered on it", stacklevel=3)
    grad = bool(self.requires_grad)
    if is_lazy(self):
        return type(self), (grad,)
    getstate = getattr(type(self), "__getstate__", None)
    own = getstate is not None and getstate is not _PLAIN_GETSTATE
    state = self.__getstate__() if own else attributes_of(self)
    if type(self) is Parameter and not own:
        if state:
            return _REBUILD["_rebuild_parameter_with_state"], (self.detach(), grad, OrderedDict(), state)
        return _REBUILD["_rebuild_parameter"], (self.detach(), grad, OrderedDict())
    call = plain_call(STORAGES, self, grad)
    function, args = _REBUILD[call.function.name], tuple([_value(arg) for arg in call.args])
    if type(self) is Tensor and not state:
        return function, args
    return _rebuild_from_type_v2, (function, type(self), args, state)


def _value(arg):
    """What an argument of a call in a file stands for: a type by its name, or the hooks, of which there are none."""
    import weft  # this module is part of it
    if isinstance(arg, Named):
        return getattr(weft, arg.name)
    return OrderedDict() if type(arg).__name__ == "Call" else arg


def reduce_storage(self):
    """Storage.__reduce__: the bytes of a small file of its own."""
    file = io.BytesIO()
    save(self, file, _use_new_zipfile_serialization=isinstance(self, UntypedStorage))
    return _load_from_bytes, (file.getvalue(),)
