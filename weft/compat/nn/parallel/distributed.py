"""torch.nn.parallel.distributed: PyTorch's place for DistributedDataParallel."""
from weft.distributed.data_parallel import *  # noqa: F403
