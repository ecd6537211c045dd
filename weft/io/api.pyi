"""`save` and `load`: PyTorch's names, and whichever format the file is in."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Device, File

SHARED: int
SUFFIX: str
HEAD: int
def save(obj: Any, f: File, pickle_module: Any = None, pickle_protocol: int = 2, _use_new_zipfile_serialization: bool = True) -> None: ...
def load(f: File, map_location: Device | Callable[..., Any] | dict[str, str] | None = None, pickle_module: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any: ...
