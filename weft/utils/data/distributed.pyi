"""What gives each of several processes its own part of a dataset or stream."""
# made by tools/stubs.py
from collections.abc import Iterator
from typing import Any
from weft._typing import StateDict
from weft.utils.data.dataset import Dataset, IterableDataset as IterableDataset
from weft.utils.data.sampler import Sampler

class DistributedSampler(Sampler[Any]):
    seed: int
    shuffle: bool
    total_size: Any
    num_samples: int
    drop_last: bool
    epoch: int
    rank: int | None
    num_replicas: int | None
    dataset: Dataset[Any]
    def __init__(self, dataset: Dataset[Any], num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True, seed: int = 0, drop_last: bool = False) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def set_epoch(self, epoch: int) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

class ShardedIterableDataset(IterableDataset):
    rank: Any
    num_replicas: Any
    dataset: Dataset[Any]
    drop_last: bool
    def __init__(self, dataset: Dataset[Any], num_replicas: int | None = None, rank: int | None = None, drop_last: bool = False) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

