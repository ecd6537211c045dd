"""Layers without parameters: a function of nn.functional and its settings, one line each."""
# made by tools/stubs.py
from typing import Any, Callable
from weft.nn.module import Module as Module
from weft.tensor.tensor import Tensor

class FunctionLayer(Module):
    __constants__: list[str]
    def forward(self, *inputs: Any) -> Tensor: ...
    def extra_repr(self) -> str: ...

def layer(name: str, function: Callable[..., Any], doc: str, training: bool | None = None, shown: Any = None, module: Module | None = None, **settings: Any) -> Any: ...
