"""torch.distributed._tensor.api: an older place of names of torch.distributed.tensor."""
from weft.distributed.dtensor.make import *  # noqa: F403
