"""What changes how an op runs, per thread: grad mode, inference mode, hooks on saved tensors, watchers,"""
# made by tools/stubs.py
from typing import Any, Callable, TypeVar, overload
from typing_extensions import Self

F = TypeVar('F', bound=Callable[..., Any])

GRAD_OFF: int
INFERENCE: int
SAVED_HOOKS: int
ANOMALY: int
WATCH: int
NO_OVERRIDE: int
NUMERICS: int
GRADIENTS: int
TAKE: int
AUTOCAST: int
MATCH: int
FUNCTION: int
BATCHES: int
SLOW: int
class _Local:
    run: Any
    anomaly_check_nan: bool
    numerics: Any
    function_modes: Any
    taker: Any
    watchers: list[Any]
    saved_hooks: list[Any]
    def __init__(self) -> None: ...

local: _Local
class Mode:
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...
    def clone(self) -> Self: ...
    def __call__(self, function: F) -> F: ...

class no_grad(Mode):
    origin: Any
    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]
    def __enter__(self) -> Self: ...

class enable_grad(Mode):
    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]

class set_grad_enabled(Mode):
    mode: bool
    def __init__(self, mode: bool) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...
    def __call__(self, function: F) -> F: ...
    def clone(self) -> Self: ...

class inference_mode(Mode):
    mode: bool
    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]
    def __init__(self, mode: bool = True) -> None: ...
    def clone(self) -> Self: ...

def is_grad_enabled() -> bool: ...
def is_inference_mode_enabled() -> bool: ...
class no_override(Mode):
    ...

class no_function(no_override):
    ...

