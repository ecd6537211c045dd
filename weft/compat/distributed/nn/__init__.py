"""torch.distributed.nn: the collectives with gradients."""
from weft.distributed.functional import *  # noqa: F403
