"""Tensor, its views, its printing and its way to and from other array libraries."""
from weft.tensor.tensor import OPS, Memory, Tensor, View, alias, wrap

__all__ = ["OPS", "Memory", "Tensor", "View", "alias", "wrap"]
