"""torch.distributed._tensor.placement_types: an older place of names of torch.distributed.tensor."""
from weft.distributed.tensor.placement_types import *  # noqa: F403
