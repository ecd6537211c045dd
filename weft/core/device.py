"""Where a tensor lives: `cpu`, or `meta` (a shape without data)."""
import os

from weft.core.errors import fail


def stand_ins():
    """For how many GPUs the CPU stands in (`weft run --gpus N`, WEFT_GPUS): then cuda:0 and so on are names of it."""
    text = os.environ.get("WEFT_GPUS", "0")
    return int(text) if text.isascii() and text.isdigit() else 0


class device:
    """A device by name.

    >>> import weft
    >>> weft.device("cpu")
    device(type='cpu')
    """

    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int) and 0 <= type < stand_ins():
            type, index = "cuda", type
        if isinstance(type, int):
            raise RuntimeError(f"Cannot access accelerator device when none is available: the number {type} names one, "
                               f"and weft runs on the CPU")
        name, colon, number = str(type).partition(":")
        if index is not None and index < 0:
            raise RuntimeError(f"Device index must not be negative, got {index}")
        if colon:
            if not number.isdigit() or index is not None or number[0] == "0" and number != "0":
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        if name not in _KNOWN:
            raise RuntimeError(f"Expected one of {', '.join(_KNOWN)} device type at start of device string: {name}")
        self.type, self.index = name, index

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __repr__(self):
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return (device, (self.type, self.index))

    def __enter__(self):
        _stack.append(_current[0])
        _current[0] = of(self)
        return self

    def __exit__(self, *exc):
        _current[0] = _stack.pop()


_KNOWN = ("cpu", "cuda", "mps", "xpu", "meta", "mkldnn", "opengl", "opencl", "xla", "vulkan", "hip", "ipu", "mtia",
          "hpu")
CPU, META = device("cpu"), device("meta")
_current, _stack = [CPU], []


def of(value):
    """The device that an argument names; None is the default one."""
    if value is None:
        return _current[0]
    if value is CPU or value is META:
        return value
    found = device(value)
    if found.type == "cpu":
        return CPU
    if found.type == "meta":
        return META
    if found.type == "cuda" and (found.index or 0) < stand_ins():
        return CPU
    kind = AssertionError if found.type == "cuda" else RuntimeError     # as PyTorch's CPU build
    fail(kind, f"{found}: weft runs on the CPU, and has no {found.type} device",
         "use device 'cpu', or 'cuda' only where torch.cuda.is_available()")


def get_default_device():
    """The device of new tensors.

    >>> import weft
    >>> weft.get_default_device()
    device(type='cpu')
    """
    return _current[0]


def set_default_device(value):
    """Set the device of new tensors.

    >>> import weft
    >>> weft.set_default_device("meta")
    >>> weft.ones(2).is_meta
    True
    >>> weft.set_default_device("cpu")
    """
    _current[0] = CPU if value is None else of(value)
