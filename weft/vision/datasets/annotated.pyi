"""Pictures with annotations: Pascal VOC and COCO."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Path
from weft.autograd.graph import Node
from weft.vision.datasets.vision import VisionDataset as VisionDataset

class _VOC(VisionDataset):
    targets: list[Any]
    images: list[Any]
    year: str
    image_set: str
    def __init__(self, root: Path, year: str = '2012', image_set: str = 'train', download: bool = False, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, transforms: Any = None) -> None: ...
    def __len__(self) -> int: ...

class VOCSegmentation(_VOC):
    @property
    def masks(self) -> Any: ...
    def __getitem__(self, index: int) -> Any: ...

class VOCDetection(_VOC):
    @property
    def annotations(self) -> Any: ...
    def __getitem__(self, index: int) -> Any: ...
    @staticmethod
    def parse_voc_xml(node: Node) -> dict[Any, Any]: ...

class CocoDetection(VisionDataset):
    ids: list[Any]
    categories: dict[Any, Any]
    images: dict[Any, Any]
    def __init__(self, root: Path, annFile: Any, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, transforms: Any = None) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...

class CocoCaptions(CocoDetection):
    ...

