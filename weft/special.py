"""torch.special's functions, from the op registry."""
from weft.core.namespace import fill, refuse
from weft.tensor.names import FUNCTIONS

fill(globals(), FUNCTIONS, "special")
__getattr__ = refuse(globals())
