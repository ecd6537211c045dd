"""PyTorch's old address of the collation functions."""
from weft.utils.data.collate import *  # noqa: F403
from weft.utils.data.collate import collate_tensor_fn as collate_tensor_fn
