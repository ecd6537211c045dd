"""`make_tensor`: random tensors of any type for tests."""
# made by tools/stubs.py
from typing import Any
from weft._typing import DType, Device, MemoryFormat
from weft.tensor.tensor import Tensor

def make_tensor(*shape: Any, dtype: DType, device: Device = 'cpu', low: float | None = None, high: float | None = None, requires_grad: bool = False, noncontiguous: bool = False, exclude_zero: bool = False, memory_format: MemoryFormat | None = None) -> Tensor: ...
