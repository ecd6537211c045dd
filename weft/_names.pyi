"""Names at the top of torch that only PyTorch's programs need."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Device, File
from weft.tensor.tensor import Tensor

class SymInt:
    place: str
    fix: str

class SymFloat:
    place: str
    fix: str

class SymBool:
    place: str
    fix: str

class Stream:
    place: str
    fix: str

class Event:
    place: str
    fix: str

class OutOfMemoryError(RuntimeError):
    ...

class AcceleratorError(RuntimeError):
    ...

def get_device_module(device: Device | None = None) -> Any: ...
def sym_int(a: Tensor) -> Any: ...
def sym_float(a: Tensor) -> Any: ...
def sym_max(a: Tensor, b: Tensor) -> Any: ...
def sym_min(a: Tensor, b: Tensor) -> Any: ...
def sym_not(a: Tensor) -> bool: ...
def sym_ite(b: Tensor, t: type | str, f: File) -> Any: ...
def sym_sum(args: Any) -> Any: ...
def compiled_with_cxx11_abi() -> bool: ...
