"""torch.utils: helpers around tensors."""
from weft.utils import dlpack as dlpack
