"""torch.futures: a value that comes later."""
from weft.core.futures import *  # noqa: F403
