"""Sobol's sequence."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self
from weft._typing import DType
from weft.tensor.tensor import Tensor

class SobolEngine:
    MAXBIT: int
    MAXDIM: int
    num_generated: int
    quasi: Any
    shift: Any
    sobolstate: Any
    seed: int | None
    scramble: bool
    dimension: int
    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None: ...
    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Any: ...
    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Any: ...
    def reset(self) -> Self: ...
    def fast_forward(self, n: int) -> Self: ...

