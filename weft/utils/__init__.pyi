"""torch.utils: helpers around tensors."""
# made by tools/stubs.py

from weft.utils import data as data
from weft.utils import tensorboard as tensorboard
from weft.utils import checkpoint as checkpoint
from weft.utils import hooks as hooks
from weft.utils import dlpack as dlpack
from weft.utils import deterministic as deterministic
