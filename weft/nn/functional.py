"""Functions of layers, from the op registry: `nn.functional.relu` and its like."""
from weft.core.namespace import fill, missing
from weft.nn import _reduction as _Reduction  # noqa: F401
from weft.ops.registry import FUNCTIONS

fill(globals(), FUNCTIONS, "nn.functional")


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu in place."""
    return FUNCTIONS["nn.functional.rrelu"](input, lower, upper, training, True)


def __getattr__(name):
    raise AttributeError(missing("weft.nn.functional", name, globals()))
