"""torch.masked's functions, from the op registry."""
from weft.core.namespace import fill, refuse
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "masked")
__getattr__ = refuse(globals())
