"""torch.distributed.checkpoint.state_dict: states of models and optimizers by names."""
from weft.distributed.saving.models import *  # noqa: F403
from weft.distributed.saving.models import begin as _init_optim_state  # noqa: F401  PyTorch's own examples call it
