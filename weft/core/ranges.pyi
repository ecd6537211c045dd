"""Named ranges of what runs, told to those who look on: `record_function`."""
# made by tools/stubs.py
from typing import Any, Callable
from typing_extensions import Self

WATCH: int
class record_function:
    name: str
    args: Any
    def __init__(self, name: str, args: Any = None) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __call__(self, function: Callable[..., Any]) -> Any: ...

