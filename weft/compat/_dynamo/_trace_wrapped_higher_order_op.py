"""A mode that PyTorch needs for indexing with the tensors of a vmap; weft's indexing takes them as they are."""
from weft.overrides import TorchFunctionMode


class TransformGetItemToIndex(TorchFunctionMode):
    """Changes nothing."""
