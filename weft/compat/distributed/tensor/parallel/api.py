"""torch.distributed.tensor.parallel.api: PyTorch's place for some of its names."""
from weft.distributed.tensor_parallel import *  # noqa: F403
