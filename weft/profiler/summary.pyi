"""`summary(model, *inputs)`: the layers of a model, with what they give out, hold and compute."""
# made by tools/stubs.py
from typing import Any
from weft._typing import Path
from weft.core.seam import Watcher as Watcher
from weft.nn.module import Module
from weft.tensor.tensor import Tensor

class Row:
    leaf: bool
    parameters: Any
    shape: Any
    calls: int
    flops: int
    bytes: int
    own: list[Any]
    path: Path
    kind: Any
    depth: Any
    def __init__(self, path: Path, module: Module, depth: Any) -> None: ...

class _Counter(Watcher):
    rows: Any
    total: int
    def __init__(self, rows: Any) -> None: ...
    def after(self, op: Any, values: Tensor, outputs: Any) -> None: ...

class Summary:
    output_bytes: Any
    input_bytes: Any
    buffer_bytes: Any
    parameter_bytes: Any
    trainable: Any
    parameters: Any
    rows: Any
    flops: Any
    def __init__(self, rows: Any, model: Module, inputs: Any, operations: Any) -> None: ...

def summary(model: Module, *inputs: Any, **kwargs: Any) -> Summary: ...
def shapes_of(value: Any) -> Any: ...
def short(n: int) -> str: ...
