"""A batch: a tensor for each field."""
# made by tools/stubs.py
from collections.abc import Iterator
from typing import Any
from weft._typing import Device
from weft.utils.data.dataset import Dataset

class Batch:
    target_fields: list[Any]
    input_fields: list[Any]
    fields: Any
    batch_size: int
    dataset: Dataset[Any] | None
    def __init__(self, data: Any = None, dataset: Dataset[Any] | None = None, device: Device | None = None) -> None: ...
    @classmethod
    def fromvars(cls, dataset: Dataset[Any], batch_size: Any, train: bool | None = None, **kwargs: Any) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...

