"""torch.distributed.autograd: backwards through calls in other processes."""
from weft.distributed.rpc.gradients import *  # noqa: F403
