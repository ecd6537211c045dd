"""torch.types: names for annotations."""
import builtins
import os
from collections.abc import Sequence
from typing import Any

from weft.core.device import device
from weft.core.dtype import dtype as _dtype
from weft.core.layout import layout as _layout
from weft.core.size import Size
from weft.tensor.storage import UntypedStorage as Storage
from weft.tensor.tensor import Tensor

_int, _float, _bool, _complex, _device = builtins.int, builtins.float, builtins.bool, builtins.complex, device
_size = Size | list[builtins.int] | tuple[builtins.int, ...]
_symsize = _dispatchkey = Any
Number = builtins.int | builtins.float | builtins.bool
Device = device | str | builtins.int | None
FileLike = str | os.PathLike | Any
PySymType = builtins.int | builtins.float | builtins.bool
IntLikeType, FloatLikeType, BoolLikeType = builtins.int, builtins.float, builtins.bool
TensorOrTensors = Tensor | Sequence[Tensor]
__all__ = ["Device", "FileLike", "Number", "Size", "Storage", "Tensor", "TensorOrTensors", "_dtype", "_layout"]
