"""The graph and its differentiation."""
from weft.autograd.api import backward, grad
