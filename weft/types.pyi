"""torch.types: names for annotations."""
# made by tools/stubs.py
from typing import Any
from weft.tensor.storage import UntypedStorage

from weft.core.size import Size as Size
from weft.tensor.storage import UntypedStorage as Storage
from weft.tensor.tensor import Tensor as Tensor
Number: Any
Device: Any
FileLike: Any
TensorOrTensors: Any
