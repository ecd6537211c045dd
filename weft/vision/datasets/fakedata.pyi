"""Noise with labels."""
# made by tools/stubs.py
from typing import Any, Callable
from weft._typing import Ints
from weft.vision.datasets.vision import VisionDataset as VisionDataset

class FakeData(VisionDataset):
    size: Any
    num_classes: int
    image_size: Ints
    random_offset: int
    def __init__(self, size: Any = 1000, image_size: Ints = (3, 224, 224), num_classes: int = 10, transform: Callable[[Any], Any] | None = None, target_transform: Callable[[Any], Any] | None = None, random_offset: int = 0) -> None: ...
    def __getitem__(self, index: int) -> Any: ...
    def __len__(self) -> int: ...

