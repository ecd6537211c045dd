"""How values of several processes become one: PyTorch's names, and MPI's operations for each kind of elements."""
# made by tools/stubs.py
from enum import IntEnum as IntEnum
from typing import Any
from weft._typing import DType, Ints
from weft.tensor.tensor import Tensor

class ReduceOp(IntEnum):
    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

class Premultiplied:
    factor: Any
    name: str
    def __init__(self, factor: Any) -> None: ...

class Reduction:
    type: Any
    operation: Any
    half: bool
    after: Ints
    kind: Any
    before: Any
    def __init__(self, op: Any, dtype: DType, size: Ints) -> None: ...
    def prepare(self, array: Any) -> None: ...
    def settle(self, array: Any) -> None: ...
    def join(self, rows: Any, out: Tensor) -> None: ...
    def fold(self, parts: Any) -> Any: ...

def named(op: Any) -> Any: ...
