"""torch._functorch: switches of PyTorch's compiler for gradients."""
from weft._functorch import config as config
