"""Functions of layers, from the op registry: `nn.functional.relu` and its like."""
from weft.core.namespace import fill, missing
from weft.ops.registry import FUNCTIONS

fill(globals(), FUNCTIONS, "nn.functional")


def __getattr__(name):
    raise AttributeError(missing("weft.nn.functional", name, globals()))
