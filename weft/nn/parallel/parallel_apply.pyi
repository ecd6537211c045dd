"""torch.nn.parallel.parallel_apply: several modules at once, each in a thread of its own."""
# made by tools/stubs.py
from collections.abc import Iterable
from typing import Any
from weft.nn.module import Module

def parallel_apply(modules: Iterable[Module], inputs: Any, kwargs_tup: Any = None, devices: Iterable[Any] | None = None) -> list[Any]: ...
class Worker:
    context: Any
    call: Any
    bits: int
    made: Any
    error: Any
    def __init__(self, call: Any, bits: int) -> None: ...
    def run(self) -> None: ...
    def result(self) -> Any: ...

