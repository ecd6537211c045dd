"""Anomaly mode: a NaN in a backward names the node and the forward line that made it."""
import warnings

from weft.core.modes import ANOMALY, local
from weft.core.runtime import mode_bits, set_mode_bits


def is_anomaly_enabled():
    """Whether backward looks for NaN.

    >>> import weft
    >>> with weft.autograd.detect_anomaly():
    ...     weft.is_anomaly_enabled()
    True
    """
    return bool(mode_bits() & ANOMALY)


def is_anomaly_check_nan_enabled():
    """Whether anomaly mode also looks for nan in gradients.

    >>> import weft
    >>> with weft.autograd.detect_anomaly(check_nan=False):
    ...     weft.is_anomaly_check_nan_enabled()
    False
    """
    return local.anomaly_check_nan


class set_detect_anomaly:
    """Turn anomaly mode on or off: at once as a function, scoped as a context manager.

    >>> import weft
    >>> with weft.autograd.set_detect_anomaly(True):
    ...     weft.is_anomaly_enabled()
    True
    """

    def __init__(self, mode, check_nan=True):
        self.outer = is_anomaly_enabled(), local.anomaly_check_nan
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        set_anomaly_enabled(*self.outer)


class detect_anomaly:
    """Inside, a backward that makes a NaN raises, naming the forward line.

    >>> import weft
    >>> with weft.autograd.set_detect_anomaly(True):
    ...     x = weft.tensor(0., requires_grad=True)
    ...     y = x * 2
    """

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
                      "enabled for debugging.", stacklevel=2)

    def __enter__(self):
        self.outer = is_anomaly_enabled(), local.anomaly_check_nan
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc):
        set_anomaly_enabled(*self.outer)


def set_anomaly_enabled(mode, check_nan=True):
    """Turn anomaly mode on or off for this thread.

    >>> import weft
    >>> weft.set_anomaly_enabled(True)
    >>> weft.is_anomaly_enabled()
    True
    >>> weft.set_anomaly_enabled(False)
    """
    bits = mode_bits()
    set_mode_bits(bits | ANOMALY if mode else bits & ~ANOMALY)
    local.anomaly_check_nan = bool(check_nan)
