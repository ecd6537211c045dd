"""torch.distributed._tensor: an older name of torch.distributed.tensor."""
from weft.distributed.tensor import *  # noqa: F403
