"""Events of a profile, one by one (`FunctionEvent`) and summed up by name (`FunctionEventAvg`), under PyTorch's names."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any
from typing_extensions import Self
from weft._typing import Path
from weft.tensor.tensor import Tensor

class DeviceType(Enum):
    CPU = 0
    CUDA = 1

class Interval:
    end: int
    start: int
    def __init__(self, start: int, end: int) -> None: ...
    def elapsed_us(self) -> float: ...

def format_time(us: Any) -> str: ...
def format_share(part: Any, whole: Any) -> str: ...
class Times:
    device_time_total: int
    self_device_time_total: int
    device_memory_usage: int
    self_device_memory_usage: int
    device_time: int
    cuda_time_total: int
    self_cuda_time_total: int
    cuda_time: int
    cuda_memory_usage: int
    self_cuda_memory_usage: int
    use_device: Any
    overload_name: str
    device_type: DeviceType
    node_id: int
    is_async: bool
    is_remote: bool
    is_legacy: bool
    @property
    def cpu_time(self) -> float: ...
    @property
    def cpu_time_str(self) -> str: ...
    @property
    def cpu_time_total_str(self) -> str: ...
    @property
    def self_cpu_time_total_str(self) -> str: ...
    @property
    def device_time_str(self) -> str: ...
    @property
    def device_time_total_str(self) -> str: ...
    @property
    def self_device_time_total_str(self) -> str: ...

class FunctionEvent(Times):
    fwd_thread: Any
    module: str
    place: Any
    in_backward: bool
    depth: int
    args: Any
    self_cpu_time_total: float
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    input_shapes: list[Any]
    output_shapes: list[Any]
    stack: list[Any]
    cpu_children: list[Any]
    cpu_parent: Any
    kernels: list[Any]
    count: int
    flops: int
    is_user_annotation: bool
    is_python_function: bool
    sequence_nr: int
    scope: int
    time_range: Any
    id: Any
    name: str
    trace_name: str
    thread: Any
    def __init__(self, id: Any, name: str, thread: Any, start_us: Any, end_us: Any, sequence_nr: int = -1, scope: int = 0, is_user_annotation: bool = False, is_python_function: bool = False) -> None: ...
    @property
    def order(self) -> Any: ...
    @property
    def key(self) -> str: ...
    @property
    def cpu_time_total(self) -> float: ...
    @property
    def source(self) -> Any: ...

class FunctionEventAvg(Times):
    module: str
    is_user_annotation: bool
    input_shapes: Any
    stack: Any
    scope: Any
    cpu_children: Any
    cpu_parent: Any
    cpu_time_total: float
    self_cpu_time_total: float
    count: int
    flops: int
    cpu_memory_usage: int
    self_cpu_memory_usage: int
    key: str
    def __init__(self) -> None: ...
    def add(self, other: Tensor) -> Self: ...
    def __iadd__(self, other: Tensor) -> Any: ...

class EventList(list[Any]):
    module_ranges: list[Any]
    def __init__(self, *args: Any, use_device: Any = None, profile_memory: bool = False, with_flops: bool = False) -> None: ...
    @property
    def self_cpu_time_total(self) -> float: ...
    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList: ...
    def total_average(self) -> FunctionEventAvg: ...
    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55, max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False, time_unit: str | None = None) -> str: ...
    def export_chrome_trace(self, path: Path) -> None: ...
    def supported_export_stacks_metrics(self) -> list[Any]: ...
    def export_stacks(self, path: Path, metric: str = 'self_cpu_time_total') -> None: ...

