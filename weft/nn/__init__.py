"""torch.nn: layers, their functions, parameters."""
from weft.nn import functional as functional
from weft.nn import init as init
from weft.nn import modules as modules
from weft.nn import parameter as parameter
from weft.nn import utils as utils
from weft.nn.module import Module as Module
from weft.nn.modules import *  # noqa: F403
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter
from weft.nn.parameter import UninitializedBuffer as UninitializedBuffer
from weft.nn.parameter import UninitializedParameter as UninitializedParameter

_LAZY = ("_reduction", "attention", "common_types", "grad", "parallel")      # imported when first used


def __getattr__(name):
    import importlib
    if name in _LAZY:
        return importlib.import_module("weft.nn." + name)
    if name == "DataParallel":
        return importlib.import_module("weft.nn.parallel").DataParallel
    from weft.core.namespace import missing
    raise AttributeError(missing("weft.nn", name, globals()))


def __dir__():
    return sorted({*globals(), *_LAZY, "DataParallel"})
