"""How a tensor lies in memory: the names that PyTorch has for it, and arrays of a wanted layout."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints
from weft.tensor.tensor import Tensor

class layout:
    name: str
    def __init__(self, name: str) -> None: ...

class memory_format:
    name: str
    def __init__(self, name: str) -> None: ...

strided: layout
contiguous_format: memory_format
preserve_format: memory_format
channels_last: memory_format
channels_last_3d: memory_format
def order_of(shape: Ints, strides: Any) -> Any: ...
def empty_ordered(shape: Ints, np_dtype: Any, order: Any, make: Any = ...) -> Any: ...
def empty_as(x: Tensor, np_dtype: Any = None, make: Any = ...) -> Any: ...
def empty_format(x: Tensor, np_dtype: Any, format: Any, make: Any = ...) -> Any: ...
def is_channels_last(x: Tensor, ndim: Any) -> bool: ...
