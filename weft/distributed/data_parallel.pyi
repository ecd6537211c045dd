"""DistributedDataParallel: the same model in every process, each with its own part of the batch."""
# made by tools/stubs.py
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Callable
from typing_extensions import Self
from weft.core.device import device
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class DistributedDataParallel(Module):
    reducer: Any
    process_group: Any
    gradient_as_bucket_view: bool
    static_graph: bool
    find_unused_parameters: bool
    broadcast_buffers: bool
    require_backward_grad_sync: bool
    require_forward_param_sync: bool
    module: Module
    dim: int
    device_ids: Any
    output_device: Any
    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0, broadcast_buffers: bool = True, init_sync: bool = True, process_group: Any = None, bucket_cap_mb: float | None = None, find_unused_parameters: bool = False, check_reduction: bool = False, gradient_as_bucket_view: bool = False, static_graph: bool = False, delay_all_reduce_named_params: Any = None, param_to_hook_all_reduce: Any = None, mixed_precision: Any = None, device_mesh: Any = None, skip_all_reduce_unused_params: bool = False) -> None: ...
    @property
    def device(self) -> Any: ...
    def forward(self, *inputs: Any, **kwargs: Any) -> Tensor: ...
    def no_sync(self) -> AbstractContextManager[Any]: ...
    def register_comm_hook(self, state: Any, hook: Callable[[Any, Any], Any]) -> None: ...
    def join(self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False) -> Any: ...

def spread(tensors: Sequence[Tensor], group: Any, root: Any, who: str = "DistributedDataParallel's parameters") -> None: ...
class Company:
    DONE: int
    QUIET: int
    ACTIVE: int
    model: Module
    divide_by_all: Any
    throw: Any
    def __init__(self, model: Module, divide_by_all: Any, throw: Any) -> None: ...
    def __enter__(self) -> Self: ...
    def tell(self, state: Any) -> Any: ...
    def announce(self, sync: Any) -> Any: ...
    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None: ...

