"""`import torch` is weft: `torch` and `torch.x.y` are the very modules `weft` and `weft.x.y`, and say so of themselves.

`take_over()` does it for this process; `weft run` calls it, and so does the package `torch` in compat/site-packages,
which stands on the path of a program's child processes (`weft run`) or in an environment (`weft as-torch on`). One
finder answers for both names: `torch.x` is what `weft.x` is, and a module of weft that is loaded from then on is known
under both names before anybody sees it. No file is ever run twice.
"""
import functools
import importlib
import importlib.metadata
import importlib.util
import os
import sys

import weft
from weft._places import PLACES
from weft._reexports import reexport
from weft.core.namespace import HOME, later
from weft.core.runtime import name_type
from weft.tensor.names import method
from weft.tensor.storage import TypedStorage, UntypedStorage
from weft.torch_version import TORCH, TorchVersion

SITE = os.path.join(HOME, "compat", "site-packages")
# packages beside torch that weft has parts for
BESIDE = {"torchvision": "weft.vision", "torchtext": "weft.text", "functorch": "weft.functorch"}


class RealTorch(ImportError):
    """PyTorch itself is already in this process."""


def take_over():
    """From now on `torch` is weft in this process; once more does nothing."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    there = sys.modules.get("torch")
    if there is not None and not hasattr(there, "stands_for_weft"):
        raise RealTorch(f"PyTorch is already imported here, from {there.__file__}, and can't be exchanged while it is "
                        f"in use\n  fix: start the program with `weft run`, or import weft's torch first", name="torch")
    weft.__version__ = weft.version.__version__ = TorchVersion(TORCH)
    for module in [m for name, m in list(sys.modules.items()) if name == "weft" or name.startswith("weft.")]:
        introduce(module)
    sys.meta_path.insert(0, Finder())
    sys.meta_path.append(Missing())
    method(later("weft._pickles", "reduce_tensor"), "__reduce_ex__")
    TypedStorage.__reduce__ = UntypedStorage.__reduce__ = later("weft._pickles", "reduce_storage")


def is_on():
    """Whether `torch` is weft in this process."""
    return sys.modules.get("torch") is weft


# names

def torch_name(name):
    """'torch.nn' for 'weft.nn', 'torchvision.ops' for 'weft.vision.ops' where torchvision itself is not installed."""
    for package, own in BESIDE.items():
        if (name == own or name.startswith(own + ".")) and stands_for(package):
            return package + name[len(own):]
    return "torch" + name[4:] if name == "weft" or name.startswith("weft.") else name


def introduce(module):
    """Make a module of weft known under torch's name, and let what it holds say that name, too."""
    own = module.__spec__.name if module.__spec__ is not None else module.__name__
    sys.modules[torch_name(own)] = module
    module.__name__ = torch_name(own)
    reexport(module, torch_name(own))
    for value in list(vars(module).values()):
        rename(value)


def rename(thing):
    """Write torch's name on a class or function of weft, and on a class's own."""
    where = getattr(thing, "__module__", None)
    if not isinstance(where, str) or torch_name(where) == where:
        return
    if isinstance(thing, type):
        public = vars(weft).get(thing.__name__) is thing
        own = "torch" if public else torch_name(where)
        name_type(thing, PLACES.get((own, thing.__name__), own))
        for value in list(vars(thing).values()):
            rename(getattr(value, "__func__", value))
    elif callable(thing) and hasattr(thing, "__qualname__"):    # no instance, which has its class's __module__
        try:
            thing.__module__ = torch_name(where)
        except AttributeError:      # a method of a built type says nothing of its module
            pass


@functools.cache
def stands_for(package):
    """Whether `torchvision` is weft.vision (`torchtext` weft.text): only where the real one is neither installed nor
    imported.
    """
    if package == "functorch":      # it comes with PyTorch and works with nothing else
        return True
    there = sys.modules.get(package)
    if there is not None:
        return there is sys.modules.get(BESIDE[package])
    finders = (finder for finder in sys.meta_path if not isinstance(finder, Finder) and hasattr(finder, "find_spec"))
    return all(finder.find_spec(package, None) is None for finder in finders)


# modules

class Finder:
    """Python's import asks it first: for `torch.x`, `torchvision.x` and `torchtext.x`, and for what weft loads
    later."""

    def find_spec(self, name, path=None, target=None):
        if name == "torch" or name.startswith("torch."):
            return self.as_torch(name, "weft" + name[5:])
        package = name.partition(".")[0]
        if package in BESIDE and stands_for(package):
            return self.as_torch(name, BESIDE[package] + name[len(package):])
        return self.own(name, path, target) if name.startswith("weft.") else None

    def as_torch(self, name, own):
        try:
            found = importlib.util.find_spec(own)
        except ModuleNotFoundError:     # a parent that is no package
            return None
        if found is None:
            return None
        made = importlib.util.spec_from_loader(name, Alias(found), origin=found.origin)
        made.submodule_search_locations = found.submodule_search_locations
        made.has_location = found.has_location
        return made

    def own(self, name, path, target):
        for finder in sys.meta_path:
            found = finder.find_spec(name, path, target) if finder is not self else None
            if found is not None:
                found.loader = Introducing(found.loader)
                return found
        return None


class Alias:
    """Loads `torch.x` by loading `weft.x`."""

    def __init__(self, own):
        self.own = own          # the spec of weft's module

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        sys.modules[module.__name__] = importlib.import_module(self.own.name)

    def get_code(self, name):
        """For `python -m torch.x`."""
        return self.own.loader.get_code(self.own.name)

    def get_source(self, name):
        return self.own.loader.get_source(self.own.name)

    def is_package(self, name):
        return self.own.submodule_search_locations is not None


class Introducing:
    """A loader of one of weft's modules that introduces it when it is loaded."""

    def __init__(self, loader):
        self.loader = loader

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        introduce(sys.modules.get(module.__spec__.name, module))    # it may have put another in its place

    def __getattr__(self, name):
        return getattr(self.loader, name)


class Missing:
    """The last to be asked: says that weft lacks a module of PyTorch's. Whoever only asks whether it is there
    (importlib.util.find_spec) gets no error.
    """

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("torch.") or not _imports(sys._getframe(1)):
            return None
        raise ModuleNotFoundError(f"No module named '{name}': `torch` is weft here, which doesn't have it\n  fix: "
                                  f"`weft run --check` lists what a program needs and weft lacks", name=name)


def _imports(frame):
    while frame is not None and frame.f_code.co_name == "_find_spec":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_name == "_find_and_load_unlocked"
