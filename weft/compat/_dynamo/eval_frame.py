"""What torch.compile makes of modules in PyTorch; here modules stay as they are."""
from weft.nn.module import Module


class OptimizedModule(Module):
    """The class of PyTorch's compiled modules: no module of weft's is one."""


def is_dynamo_supported():
    """Whether functions can be compiled: no."""
    return False
