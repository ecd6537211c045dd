"""Looking at a network in training: gradients and activations layer by layer, what is wrong with them, and what to try."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Path
from weft.nn.module import Module
from weft.optim.optimizer import Optimizer

TINY: float
HUGE: float
SMALLEST: float
LARGEST: float
SLOW: float
FAST: float
DEAD: float
class Report:
    title: str
    columns: Any
    rows: Any
    findings: dict[Any, Any]
    def __init__(self, title: str, columns: Any, rows: Any, findings: Any) -> None: ...
    @property
    def healthy(self) -> bool: ...
    @property
    def advice(self) -> list[Any]: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...
    def __getitem__(self, layer: Any) -> Any: ...
    def to_dict(self) -> dict[Any, Any]: ...

def gradients(model: Module, optimizer: Optimizer | None = None) -> Any: ...
def activations(model: Module, *inputs: Any, **kwargs: Any) -> Any: ...
class _Seen:
    active: Any
    examples: int
    low: Any
    high: Any
    sum: float
    squares: float
    calls: int
    size: int
    finite: int
    zeros: int
    flat: int
    path: Path
    seen: Any
    def __init__(self, path: Path, seen: Any) -> None: ...
    def __call__(self, module: Module, args: Any, output: Any) -> None: ...
    def row(self) -> Any: ...

