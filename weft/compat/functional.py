"""torch.functional: functions of torch, under the name of the module where PyTorch defines them."""
from weft.tensor.names import FUNCTIONS as _FUNCTIONS
from weft.core.size import broadcast_shapes  # noqa: F401

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
           "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank",
           "split", "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index"]
globals().update({name: _FUNCTIONS[name] for name in __all__ if name in _FUNCTIONS})
