"""`memory()`: what is alive when, which lines made it, and what the peak is made of."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Ints, Path
from weft.autograd.graph import Node
from weft.core.seam import Watcher as Watcher
from weft.nn.module import Module
from weft.tensor.tensor import Tensor

OUTSIDE: str
class Block:
    born: Any
    bytes: Ints
    code: Any
    died: Any
    kind: Any
    made: Any
    module: Module
    offset: int
    op: Any
    place: Any
    shape: Ints
    def __init__(self, op: Any, kind: Any, module: Module, code: Any, offset: int, shape: Ints, size: Ints, born: Any, made: Any) -> None: ...

class memory(Watcher):
    allocator_peak: Any
    made_peak: int
    peak: int
    now: int
    timeline: list[Any]
    blocks: list[Any]
    def __init__(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def before(self, op: Any, values: Tensor) -> None: ...
    def after(self, op: Any, values: Tensor, outputs: Any) -> None: ...
    def backward_before(self, node: Node, grad: Tensor) -> None: ...
    def backward_after(self, node: Node, grad: Tensor, grads: Any) -> None: ...
    @property
    def at_peak(self) -> list[Any]: ...
    def by(self, what: str = 'line') -> Any: ...
    def report(self, by: Any = None, limit: int = 15) -> Any: ...
    def to_dict(self) -> Any: ...
    def export(self, path: Path) -> None: ...

