"""torch.distributed for a script that runs alone: a group of one process."""
from weft.distributed.alone import *  # noqa: F403
