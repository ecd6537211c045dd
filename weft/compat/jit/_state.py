"""torch.jit._state: whether `script` and `trace` do anything; PYTORCH_JIT=0 turns them off, too."""
import os


class EnabledProxy:
    """The switch."""

    def __init__(self):
        self.enabled = os.environ.get("PYTORCH_JIT", "1") not in ("0", "OFF", "off", "false", "False")

    def __bool__(self):
        return self.enabled


_enabled = EnabledProxy()


def disable():
    """From now on `script` gives back what it is given.

    >>> import weft
    >>> weft.jit._state.disable()
    >>> weft.jit.script(len) is len
    True
    >>> weft.jit._state.enable()
    """
    _enabled.enabled = False


def enable():
    """`script` makes scripts again.

    >>> import weft
    >>> weft.jit._state.enable()
    """
    _enabled.enabled = True
