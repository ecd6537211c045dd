"""torch.signal.windows's functions, from the op registry."""
from weft.core.namespace import fill as _fill
from weft.core.namespace import missing as _missing
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "signal.windows")


def __getattr__(name):
    raise AttributeError(_missing("weft.signal.windows", name, globals()))
