"""The C++ kernels of the best instruction set that this processor has, as functions of this module.

    from weft.kernels import fast
    found = fast.softmax(x, axis, log)      # arrays in, an array out; None for a case that the kernel doesn't take

`WEFT_KERNELS=reference|v2|v3|v4` forces a choice; with `reference` (or in the plain-Python core) every function gives
None, so that the NumPy references run. `weft info` says which one is in use.
"""
import atexit
import glob
import importlib
import os
import sys
import warnings

import numpy

from weft import _pure
from weft.core.dtype import on_bfloat16
from weft.core.settings import settings

SETS = ("reference", "v2", "v3", "v4", "arm64")     # what WEFT_KERNELS may say


def _nothing(*_):
    """A kernel that takes no case."""
    return None


def _choose(base):
    """The name of the instruction set to use."""
    best, wanted = base.instruction_set(), os.environ.get("WEFT_KERNELS", "")
    if not wanted:
        return best
    if wanted not in SETS:
        raise ImportError(f"WEFT_KERNELS={wanted}: there is no such set of kernels\n  fix: set it to one of "
                          f"{', '.join(SETS)}, or unset it")
    order = ("reference", best) if best == "arm64" else SETS[:SETS.index(best) + 1]
    if wanted not in order:
        raise ImportError(f"WEFT_KERNELS={wanted}: this processor can't run these kernels\n  fix: set it to one of "
                          f"{', '.join(order)}, or unset it")
    return wanted


def _blas_library():
    """The OpenBLAS that NumPy ships, or the scipy-openblas package's; None when there is neither."""
    home = os.path.dirname(os.path.dirname(numpy.__file__))
    for pattern in ("numpy.libs/libscipy_openblas64*", "numpy/.dylibs/libscipy_openblas64*",
                    "scipy_openblas64/lib/libscipy_openblas64*"):
        for found in sorted(glob.glob(os.path.join(home, pattern))):
            return found
    return None


def _bfloat16_number():
    """NumPy's number for the type; ml_dtypes is loaded when it is first needed, so -1 until then."""
    types = sys.modules.get("ml_dtypes")
    return types.bfloat16.dtype.num if types is not None else -1


def watch(who):
    """Tell `who(kernel, args, result)` of every kernel that this thread calls from now on; None: no longer."""
    if lib is not None:
        for part in (lib, importlib.import_module("weft.kernels._any")):
            part.watch(who)


def _load():
    """(the base module, the kernels' module, the set's name, the BLAS library), with None for what isn't there."""
    if _pure.PURE:
        return None, None, "reference", None
    try:
        from weft.kernels import _base as base  # which may not be built
    except ImportError:
        return None, None, "reference", None
    name = _choose(base)
    base.set_threads(settings.threads)
    settings.on_threads.append(base.set_threads)
    blas = _blas_library()
    if blas is not None and base.load_blas(blas):
        settings.on_threads.append(base.set_blas_threads)
        # OpenBLAS takes its threads down when the process ends, and waits forever if a daemon thread is using them
        atexit.register(base.set_blas_threads, 1)
    if name == "reference":
        return base, None, name, blas
    found = _built(name, forced=bool(os.environ.get("WEFT_KERNELS")))
    if found is None:
        return base, None, "reference", blas
    moves, lib, name = found
    for part in (moves, lib):
        _publish(part, base.host)
    return base, lib, name, blas


def _built(wanted, forced):
    """(what only moves data, the kernels, their set's name) of the set that is wanted, or of the best one below it that
    was built; None, and a warning, where there is none: an installation that was moved here from another processor.
    """
    below = (wanted,) if forced or wanted == "arm64" else SETS[SETS.index(wanted):0:-1]
    for name in below:
        try:
            return (importlib.import_module("weft.kernels._any"),       # which needs no instruction set
                    importlib.import_module("weft.kernels._" + name), name)
        except ImportError:
            continue
    warnings.warn(f"weft's kernels for this processor ({wanted}) were not built: NumPy works in their place, many "
                  f"times slower\n  fix: install weft on this machine again, or with WEFT_SETS={wanted} where it "
                  f"was built", RuntimeWarning, stacklevel=2)
    return None


def _publish(part, host):
    """Start an extension and let its kernels be functions of this module."""
    part.start(host, _bfloat16_number())
    on_bfloat16.append(lambda number: part.start(host, number))
    globals().update({k: v for k, v in vars(part).items() if not k.startswith("_") and k not in ("start", "watch")})


base, lib, name, blas = _load()


def __getattr__(missing):
    if missing.startswith("_") or lib is not None:
        raise AttributeError(f"there is no kernel {missing}")
    return _nothing
