"""Tensor, its views, its methods that are no ops, its printing and its way to and from other array libraries."""
# each gives Tensor its methods
from weft.tensor import layout, methods, interop, pickling, subclass  # noqa: F401, I001
from weft.tensor.tensor import OPS, Memory, Tensor, View, alias, wrap

__all__ = ["OPS", "Memory", "Tensor", "View", "alias", "wrap"]
