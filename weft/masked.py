"""torch.masked's functions, from the op registry."""
from weft.core.namespace import fill as _fill
from weft.core.namespace import later_names as _later_names
from weft.core.namespace import refuse as _refuse
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "masked")
__getattr__ = _later_names(globals(), _refuse(globals()), dict.fromkeys(
    ("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"), "weft._masked_tensor"))
