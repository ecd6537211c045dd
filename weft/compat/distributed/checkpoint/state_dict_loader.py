"""torch.distributed.checkpoint.state_dict_loader: PyTorch's place for loading."""
from weft.distributed.saving.states import load as load
from weft.distributed.saving.states import load_state_dict as load_state_dict
