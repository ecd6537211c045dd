"""PyTorch's module name for the grad modes."""
# made by tools/stubs.py
from typing import Any
from typing_extensions import Self

from weft.core.modes import enable_grad as enable_grad
from weft.core.modes import inference_mode as inference_mode
from weft.core.modes import no_grad as no_grad
from weft.core.modes import set_grad_enabled as set_grad_enabled
def is_multithreading_enabled() -> Any: ...
class set_multithreading_enabled:
    prev: Any
    mode: bool
    def __init__(self, mode: bool) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: Any) -> None: ...

