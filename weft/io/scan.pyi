"""Which globals a checkpoint names, without building anything."""
# made by tools/stubs.py
from typing import Any
from weft._typing import File
from weft.tensor.tensor import Tensor

LONGEST_NAME: int
STOP: int
def get_unsafe_globals_in_checkpoint(f: File) -> list[str]: ...
def unsafe_names(source: Tensor) -> list[Any]: ...
