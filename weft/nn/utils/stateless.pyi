"""A module called with other parameters and buffers than its own."""
# made by tools/stubs.py
from typing import Any
from weft.nn.module import Module
from weft.tensor.tensor import Tensor

def functional_call(module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: Any = None, *, tie_weights: bool = True, strict: bool = False) -> Any: ...
