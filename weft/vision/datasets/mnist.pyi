"""MNIST: handwritten digits. A part of it comes with weft, the whole of it is read from the usual four files."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Path
from weft.utils.data.dataset import Dataset

PART: str
def four_files(mirrors: Any, *checksums: Any) -> list[Any]: ...
class MNIST(Dataset[tuple[Any, Any]]):
    sources: list[Any]
    classes: list[Any]
    targets: Any
    data: Any
    root: Path | None
    train: bool
    transform: Callable[[Any], Any] | None
    target_transform: Callable[[Any], Any] | None
    def __init__(self, root: Path | None = None, train: bool = True, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Any: ...

