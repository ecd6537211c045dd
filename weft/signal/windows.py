"""torch.signal.windows's functions, from the op registry."""
from weft.core.namespace import fill, missing
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "signal.windows")


def __getattr__(name):
    raise AttributeError(missing("weft.signal.windows", name, globals()))
