"""torch._tensor: PyTorch's place for Tensor."""
from weft.tensor.tensor import Tensor as Tensor
