"""torch.fft's functions, from the op registry."""
from weft.core.namespace import fill, missing
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "fft")


def __getattr__(name):
    raise AttributeError(missing("weft.fft", name, globals()))
