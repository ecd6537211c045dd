"""torch.masked's functions, from the op registry."""
from weft.core.namespace import fill, missing
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "masked")


def __getattr__(name):
    raise AttributeError(missing("weft.masked", name, globals()))
