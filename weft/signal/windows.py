"""torch.signal.windows's functions, from the op registry."""
from weft.core.namespace import fill, refuse
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "signal.windows")
__getattr__ = refuse(globals())
