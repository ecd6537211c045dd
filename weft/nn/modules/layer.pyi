"""Layers without parameters: a function of nn.functional and its settings, one line each."""
# made by tools/stubs.py
from typing import Any, Callable
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class FunctionLayer(Module):
    __constants__: list[str]
    def forward(self, *inputs: Any) -> Tensor: ...
    def extra_repr(self) -> str: ...

class PairLayer(FunctionLayer):
    def forward(self, x1: Tensor, x2: Tensor) -> Tensor: ...

SAME: str
def example(name: str, sample: Any, gives: Any = None) -> str: ...
def layer(name: str, function: Callable[..., Any], doc: str, samples: Any, training: bool | None = None, shown: Any = None, module: Module | None = None, shape: str = "any; the result has the input's.", gives: Any = None, **settings: Any) -> Any: ...
