"""DistributedDataParallel in a group of one process: the module itself, under the name `module`."""
# made by tools/stubs.py
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any
from weft._typing import Device
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class DistributedDataParallel(Module):
    find_unused_parameters: bool
    broadcast_buffers: bool
    require_backward_grad_sync: bool
    module: Module
    dim: int
    device_ids: Any
    output_device: Any
    def __init__(self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Device | None = None, dim: int = 0, broadcast_buffers: bool = True, init_sync: bool = True, process_group: Any = None, bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False, gradient_as_bucket_view: bool = False, static_graph: bool = False, **options: Any) -> None: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
    def no_sync(self) -> AbstractContextManager[Any]: ...

