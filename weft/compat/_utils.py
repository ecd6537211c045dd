"""torch._utils: small helpers that packages borrow."""
from weft.core.device import device as _device


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
