"""torch.distributed.checkpoint.state_dict: states of models and optimizers by names."""
from weft.distributed.saving.models import *  # noqa: F403
