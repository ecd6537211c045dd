"""torch.functional: PyTorch's place for functions of `torch` that it writes in Python."""
import weft

_NAMES = ("atleast_1d atleast_2d atleast_3d align_tensors broadcast_shapes broadcast_tensors cartesian_prod block_diag "
          "cdist chain_matmul einsum istft lu norm meshgrid split stft tensordot unique unique_consecutive "
          "unravel_index")
globals().update({name: getattr(weft, name) for name in _NAMES.split() if hasattr(weft, name)})
