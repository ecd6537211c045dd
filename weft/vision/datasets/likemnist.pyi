"""FashionMNIST, KMNIST, EMNIST: MNIST's format with other pictures."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Path
from weft.vision.datasets.vision import VisionDataset as VisionDataset

class _LikeMNIST(VisionDataset):
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    @property
    def class_to_idx(self) -> dict[Any, Any]: ...
    def extra_repr(self) -> str: ...

class FashionMNIST(_LikeMNIST):
    sources: list[Any]
    classes: list[Any]
    train: bool
    def __init__(self, root: Path, train: bool = True, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...

class KMNIST(FashionMNIST):
    sources: list[Any]
    classes: list[Any]

class EMNIST(_LikeMNIST):
    splits: Any
    sources: list[Any]
    classes: Any
    split: Any
    train: bool
    def __init__(self, root: Path, split: Any, train: bool = True, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...

