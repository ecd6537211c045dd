"""torch.distributed.checkpoint.optimizer: sharded states of optimizers."""
from weft._absent import absent_functions as _functions

_functions("load_sharded_optimizer_state_dict", globals(),
           "load into get_optimizer_state_dict(model, optimizer), then set_optimizer_state_dict")
