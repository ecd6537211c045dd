"""CIFAR-10 and CIFAR-100, SVHN, STL-10: small pictures in a few files."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Path
from weft.utils.data.dataset import Dataset
from weft.vision.datasets.vision import VisionDataset as VisionDataset

def unpack(dataset: Dataset[Any], download: bool) -> None: ...
class CIFAR10(VisionDataset):
    base_folder: str
    filename: str
    train_list: list[Any]
    test_list: list[Any]
    meta: dict[str, Any]
    sources: list[Any]
    class_to_idx: dict[Any, Any]
    classes: Any
    data: Any
    targets: list[Any]
    train: bool
    def __init__(self, root: Path, train: bool = True, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def extra_repr(self) -> str: ...

class CIFAR100(CIFAR10):
    base_folder: str
    filename: str
    sources: list[Any]
    train_list: list[Any]
    test_list: list[Any]
    meta: dict[str, Any]

class SVHN(VisionDataset):
    split_list: dict[str, Any]
    mirror: str
    checksums: dict[str, Any]
    labels: Any
    data: Any
    split: str
    filename: Any
    def __init__(self, root: Path, split: str = 'train', transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def extra_repr(self) -> str: ...

class STL10(VisionDataset):
    base_folder: str
    filename: str
    sources: list[Any]
    splits: Any
    classes: Any
    labels: Any
    data: Any
    split: str
    folds: Any
    download: bool
    def __init__(self, root: Path, split: str = 'train', folds: Any = None, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, download: bool = False) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...
    def extra_repr(self) -> str: ...

