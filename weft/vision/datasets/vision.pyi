"""The base of datasets of pictures."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Path
from weft.tensor.tensor import Tensor
from weft.utils.data.dataset import Dataset as Dataset

class StandardTransform:
    transform: Callable[[Any], Any] | None
    target_transform: Callable[[Any], Any] | None
    def __init__(self, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None) -> None: ...
    def __call__(self, input: Any, target: Tensor) -> Any: ...

class VisionDataset(Dataset):
    transforms: Any
    transform: Callable[[Any], Any] | None
    target_transform: Callable[[Any], Any] | None
    root: Any
    def __init__(self, root: Path | None = None, transforms: Any = None, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def extra_repr(self) -> str: ...

def not_found(dataset: Dataset[Any], root: Path, what: Any, download: bool) -> Any: ...
