"""A softmax over many classes that spends its work on the frequent ones."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft._typing import DType, Device
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class AdaptiveLogSoftmaxWithLoss(Module):
    tail: Module
    head: Module
    head_size: Any
    shortlist_size: Any
    n_clusters: int
    div_value: float
    head_bias: bool
    in_features: int
    n_classes: int
    cutoffs: list[Any]
    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False, device: Device | None = None, dtype: DType | None = None) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(self, input_: Tensor, target_: Tensor) -> Any: ...
    def log_prob(self, input: Tensor) -> Tensor: ...
    def predict(self, input: Tensor) -> Tensor: ...

