"""Functions of nn.functional under the names of PyTorch's compiled core."""
import weft.nn.functional as _functional
from weft.core.device import device
from weft.core.dtype import dtype
from weft.tensor.tensor import Tensor


def _parse_to(*args, **kwargs):
    """(device, dtype, non_blocking, memory_format) of the arguments of `to`."""
    place, kind = kwargs.get("device"), kwargs.get("dtype")
    flags = [a for a in args if isinstance(a, bool)]
    for value in args:
        if isinstance(value, Tensor):
            place, kind = value.device, value.dtype
        elif isinstance(value, dtype):
            kind = value
        elif isinstance(value, (str, device, int)) and not isinstance(value, bool):
            place = value
    place = None if place is None else place if isinstance(place, device) else device(place)
    return place, kind, kwargs.get("non_blocking", flags[0] if flags else False), kwargs.get("memory_format")


def __getattr__(name):
    return getattr(_functional, name)
