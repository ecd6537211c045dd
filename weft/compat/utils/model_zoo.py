"""torch.utils.model_zoo: an older name of torch.hub's."""
from weft.hub import load_state_dict_from_url as load_url  # noqa: F401
from weft.hub import tqdm as tqdm
