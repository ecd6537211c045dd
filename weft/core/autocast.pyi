"""What a thread knows of autocast: the types that its regions compute in, and the casts that they keep."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self
from weft._typing import DType, Device

AUTOCAST: int
class _State:
    kept: dict[Any, Any]
    depth: int
    keep: bool
    cuda: bool
    dtypes: dict[Any, Any]
    def __init__(self) -> None: ...

state: _State
def is_on(device_type: str) -> Any: ...
def switch(device_type: str, enabled: bool) -> None: ...
class Region:
    device: Device
    fast_dtype: DType
    def __init__(self, device: Device, enabled: bool, dtype: DType, keep: Any) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: Any) -> None: ...

def region_now() -> Any: ...
