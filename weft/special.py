"""torch.special's functions, from the op registry."""
from weft.core.namespace import fill as _fill
from weft.core.namespace import missing as _missing
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "special")


def __getattr__(name):
    raise AttributeError(_missing("weft.special", name, globals()))
