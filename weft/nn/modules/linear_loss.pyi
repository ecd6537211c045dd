"""The cross entropy of a Linear's output, as one layer."""
# made by tools/stubs.py
from typing import Any
from weft._typing import DType, Device, Ints
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class LinearCrossEntropyOptions:
    acc_dtype: Any
    acc_policy: Any
    allow_retain_graph: Any
    batch_chunk_size: Any
    chunking_method: Any
    def __init__(self, allow_retain_graph: bool = False, batch_chunk_size: Any = None, chunking_method: str = 'auto', acc_policy: str = 'auto', acc_dtype: object | None = None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class LinearCrossEntropyLoss(Module):
    linear: Module
    ignore_index: int | None
    label_smoothing: float
    num_classes: int
    out_features: Ints
    options: dict[str, Any] | None
    def __init__(self, in_features: int, num_classes: int, *, out_features: Ints = (), bias: bool = False, device: Device | None = None, dtype: DType | None = None, reduction: str = 'mean', weight: Tensor | None = None, ignore_index: int | None = None, label_smoothing: float = 0.0, options: dict[str, Any] | None = None) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def extra_repr(self) -> str: ...

