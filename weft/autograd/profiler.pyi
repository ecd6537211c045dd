"""torch.autograd.profiler: `record_function` here, so that any part can mark what it does; the rest stands in"""
# made by tools/stubs.py
from typing import Any, Callable
from typing_extensions import Self
from weft.tensor.tensor import Tensor

WATCH: int
class record_function:
    name: str
    args: Tensor | None
    def __init__(self, name: str, args: Tensor | None = None) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __call__(self, function: Callable[..., Any]) -> Any: ...

