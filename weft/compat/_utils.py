"""torch._utils: small helpers that packages borrow, and the functions that pickles of tensors call."""
from weft.core.device import device as _device
from weft.core.spec import Spec as _Spec
from weft.nn.parameter import Parameter as _Parameter
from weft.tensor.pickling import set_attributes as _set_attributes
from weft.tensor.storage import TypedStorage as _TypedStorage
from weft.tensor.tensor import without_values as _without_values


def __getattr__(name):
    if name != "torch":         # pickles of memory formats say torch._utils.torch.channels_last
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    import weft  # this module is part of it
    return weft


# what a pickle of a tensor calls

def _rebuild_tensor(storage, storage_offset, size, stride):
    """A tensor in a storage that says its type."""
    return _rebuild_tensor_v3(storage.untyped(), storage_offset, size, stride, False, None, storage.dtype)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """The same, as a leaf that wants a gradient or doesn't."""
    return _rebuild_tensor_v3(storage.untyped(), storage_offset, size, stride, requires_grad, backward_hooks,
                              storage.dtype, metadata)


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """A tensor of a type in a storage of bytes."""
    import weft  # this module is part of it
    if metadata:
        raise NotImplementedError(f"a pickled tensor has {', '.join(map(str, metadata))}, which weft's tensors don't")
    made = weft.empty(0, dtype=dtype)
    made.set_(storage.untyped() if isinstance(storage, _TypedStorage) else storage, storage_offset, size, stride)
    return made.requires_grad_(requires_grad) if requires_grad else made


def _rebuild_parameter(data, requires_grad, backward_hooks):
    """A parameter of a tensor's values."""
    return _Parameter(data, requires_grad)


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    """A parameter with attributes."""
    made = _Parameter(data, requires_grad)
    _set_attributes(made, state[0] if isinstance(state, tuple) else state)
    return made


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    """A tensor without values."""
    made = _without_values(_Spec(tuple(size), dtype.np, tuple([s * dtype.itemsize for s in stride])))
    return made.requires_grad_(requires_grad) if requires_grad else made


_REBUILD = {f.__name__: f for f in (_rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_parameter,
                                    _rebuild_parameter_with_state, _rebuild_meta_tensor_no_storage)}


# helpers


def _element_size(dtype):
    """Bytes of an element."""
    return dtype.itemsize


def _get_device_index(device, optional=False, allow_cpu=False):
    """A GPU's number: there is none, so only the CPU's -1, where that is allowed."""
    if isinstance(device, int):
        return device
    found = _device(device) if device is not None else None
    if found is not None and found.type == "cpu" and allow_cpu:
        return -1
    raise ValueError(f"Expected a GPU device, but got: {device}\n  fix: weft runs on the CPU")


def _get_available_device_type():
    """None: there is no device but the CPU."""
    return None


def _get_device_module(device_type):
    """torch.cpu, torch.cuda, ..."""
    import importlib  # of a name that is given
    return importlib.import_module(f"weft.{device_type}")


def _flatten_dense_tensors(tensors):
    """One vector of all elements."""
    import weft  # this module is part of it
    return weft.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Views of a vector in the shapes of tensors."""
    found, at = [], 0
    for t in tensors:
        found.append(flat.narrow(0, at, t.numel()).view(t.shape))
        at += t.numel()
    return tuple(found)


def _take_tensors(tensors, size_limit):
    """Lists of tensors of one type that follow each other, of at most so many bytes where that is possible."""
    waiting = {}        # type of tensor: (the list, its bytes)
    for t in tensors:
        found, size = waiting.get(t.type(), ([], 0))
        if found and size + t.numel() * t.element_size() > size_limit:
            yield found
            found, size = [], 0
        waiting[t.type()] = [*found, t], size + t.numel() * t.element_size()
    for found, _ in waiting.values():
        if found:
            yield found


def _reorder_tensors_as(tensors, ordered_tensors):
    """Tensors in the order that others have, type by type."""
    by_type = {}
    for t in tensors:
        by_type.setdefault(t.type(), []).append(t)
    streams = {kind: iter(found) for kind, found in by_type.items()}
    return tuple(next(streams[t.type()]) for t in ordered_tensors)


def _is_privateuse1_backend_available():
    """False: there is no device but the CPU."""
    return False


def render_call(fn, args, kwargs):
    """A call as text."""
    from weft.overrides import resolve_name  # only for this
    given = [repr(a) for a in args] + [f"{name}={value!r}" for name, value in kwargs.items()]
    return f"{resolve_name(fn) or fn}({', '.join(given)})"


class KeyErrorMessage(str):
    """The text of a KeyError, printed as it is."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An error of another thread or process, to be raised here."""

    def __init__(self, exc_info=None, where="in background"):
        import sys  # only for what is being handled
        import traceback  # only for errors
        exc_info = exc_info or sys.exc_info()
        self.exc_type, self.where = exc_info[0], where
        self.exc_msg = "".join(traceback.format_exception(*exc_info))

    def reraise(self):
        """Raise it, with where it came from."""
        text = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = KeyErrorMessage(text)        # a KeyError prints its repr
        try:
            error = self.exc_type(text)
        except Exception:
            raise RuntimeError(text) from None
        raise error


def classproperty(function):
    """A property of a class."""
    return _ClassProperty(function)


class _ClassProperty:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self.function(owner)
