"""Chooses the plain-Python core when WEFT_PURE=1 is set, or when the compiled one is not there or not whole."""
import contextlib
import gc
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# compiled together: one plain module among them could not read the others' fields
CORE = ("core.runtime", "core.operation", "kernels.native", "kernels.rng", "tensor.tensor", "tensor.calls",
        "autograd.graph", "autograd.engine", "ops.core.apply")


class PlainFinder:
    """Finds weft's modules as .py files, past any compiled ones."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("weft."):
            return None
        place = os.path.join(_HERE, *name.split(".")[1:])
        if os.path.isdir(place) and os.path.exists(os.path.join(place, "__init__.py")):
            return None
        source = place + ".py"
        if path is not None and os.path.dirname(source) not in path or not os.path.exists(source):
            return None
        return importlib.util.spec_from_file_location(name, source)


def _built(module):
    place = os.path.join(_HERE, *module.split("."))
    return any(os.path.exists(place + suffix) for suffix in importlib.machinery.EXTENSION_SUFFIXES)


def choose():
    """Install the finder where the plain core is wanted; True when it is."""
    plain = os.environ.get("WEFT_PURE", "") not in ("", "0") or not all(map(_built, CORE))
    if plain:
        sys.meta_path.insert(0, PlainFinder)
    return plain


@contextlib.contextmanager
def made_to_stay():
    """A region whose objects live as long as the program: nothing looks for garbage among them, neither meanwhile (a
    sixth of the import's time) nor as soon as it is over.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:      # both together move them to the oldest generation
            gc.freeze()
            gc.unfreeze()
        gc.enable()


PURE = choose()
