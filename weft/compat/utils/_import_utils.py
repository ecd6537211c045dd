"""torch.utils._import_utils, and set_module of torch.utils."""
import functools
import importlib.util


def _check_module_exists(name):
    """Whether a top-level module could be imported; it isn't."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


@functools.cache
def dill_available():
    """Whether dill can be imported."""
    return _check_module_exists("dill")


def import_dill():
    """The module dill, or None."""
    return importlib.import_module("dill") if dill_available() else None


def set_module(obj, mod):
    """Let an object say that it comes from the module `mod`.

    >>> import weft
    >>> def f(): pass
    >>> weft.utils.set_module(f, "my.package")
    >>> f.__module__
    'my.package'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
