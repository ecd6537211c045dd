"""torch.utils.serialization: the settings of save and load."""
from weft.utils.serialization import config as config
