"""DataParallel on one device: the module itself, under the name `module`, as PyTorch has it without GPUs."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft._typing import Device
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class DataParallel(Module):
    module: Module
    device_ids: list[Any]
    output_device: Any
    dim: int
    def __init__(self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Device | None = None, dim: int = 0) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Tensor: ...

def data_parallel(module: Module, inputs: Any, device_ids: Sequence[Any] | None = None, output_device: Device | None = None, dim: int = 0, module_kwargs: dict[str, Any] | None = None) -> Any: ...
