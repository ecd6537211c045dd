"""How tensors go to another process: their memory becomes shared, and the other side maps it, too."""
from multiprocessing.reduction import ForkingPickler

import numpy as np

from weft.nn.parameter import Parameter
from weft.tensor.layout import root_of
from weft.tensor.pickling import array_at, attributes_of, place_of, retype, set_attributes
from weft.tensor.shared import Shared, shared_array
from weft.tensor.storage import TypedStorage, UntypedStorage
from weft.tensor.tensor import Tensor, wrap

_strategy = ["file_descriptor"]


def get_all_sharing_strategies():
    """The ways in which memory can be shared."""
    return {"file_descriptor", "file_system"}


def get_sharing_strategy():
    """The one that is in use."""
    return _strategy[0]


def set_sharing_strategy(new_strategy):
    """Choose one: both share memory by unnamed files here, since those never stay behind."""
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError(f"there is no sharing strategy {new_strategy!r}")
    _strategy[0] = new_strategy


def init_reductions():
    """Tell Python's multiprocessing."""
    for kind in (Tensor, Parameter):
        ForkingPickler.register(kind, reduce_tensor)
    for kind in (UntypedStorage, TypedStorage):
        ForkingPickler.register(kind, reduce_storage)


def _mapping(t):
    """The shared mapping that a tensor lies in, or None."""
    base = root_of(t).base
    base = base.obj if isinstance(base, memoryview) else base
    return base if isinstance(base, Shared) else None


def reduce_tensor(t):
    """The file and where in it the tensor lies. Its memory moves to shared memory first, with all that lies there, so
    that both sides see what either writes.
    """
    if t.requires_grad and not t.is_leaf:
        raise RuntimeError("a tensor that was computed from parameters can't go to another process: its graph would "
                           "stay behind\n  fix: detach() it first")
    if t.is_meta or not t.numel():
        return t.__reduce_ex__(2)
    try:
        t.share_memory_()
    except RuntimeError:        # others have its memory and can't be found (a worker's frozen objects): a copy goes
        pass
    held = t if _mapping(t) is not None else wrap(_copied(t._array))        # of a mapped file, too
    return rebuild_tensor, (type(t), Sent(_mapping(held)), place_of(held, root_of(held)), t.dtype, t.requires_grad,
                            attributes_of(t) or None)


def reduce_storage(storage):
    """The same of a storage, as the bytes that it is."""
    untyped = storage if isinstance(storage, UntypedStorage) else storage._untyped_storage
    if not untyped.nbytes():
        return type(storage), (0,)
    untyped.share_memory_()
    return rebuild_storage, (None if untyped is storage else storage.dtype,
                             reduce_tensor(wrap(untyped._bytes))[1])


def rebuild_storage(dtype, sent):
    """The storage on the other side."""
    made = rebuild_tensor(*sent).untyped_storage()
    return made if dtype is None else TypedStorage(wrap_storage=made, dtype=dtype, _internal=True)


def _copied(array):
    made = shared_array(array.shape, array.dtype)
    made[...] = array
    return made


class Sent:
    """A mapping on its way."""

    def __init__(self, mapping):
        self.mapping = mapping

    def __reduce__(self):
        from multiprocessing.context import get_spawning_popen  # only there while a process is started or ...
        from multiprocessing.reduction import DupFd  # ... a queue is written
        starting = get_spawning_popen()
        if starting is not None:        # the new process gets the file by its number, which must stay open until then
            starting.__dict__.setdefault("weft_mappings", []).append(self.mapping)
        return received, (DupFd(self.mapping.file), len(self.mapping))


def received(file, size):
    """The same memory on the other side."""
    return Shared(file.detach(), size)


def rebuild_tensor(cls, mapping, place, dtype, requires_grad, attributes):
    """The tensor on the other side."""
    made = wrap(array_at(np.frombuffer(mapping, np.uint8), place, dtype.np))
    made = retype(made, cls)
    made.requires_grad_(requires_grad)
    set_attributes(made, attributes or {})
    return made
