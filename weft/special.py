"""torch.special's functions, from the op registry."""
from weft.core.namespace import fill as _fill
from weft.core.namespace import refuse as _refuse
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "special")
__getattr__ = _refuse(globals())
