"""torch.special's functions, from the op registry."""
from weft.core.namespace import fill, missing
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "special")


def __getattr__(name):
    raise AttributeError(missing("weft.special", name, globals()))
