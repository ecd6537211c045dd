"""torch.utils: helpers around tensors."""
from weft.utils import deterministic as deterministic
from weft.utils import dlpack as dlpack
