"""The DataLoader: a dataset, an order, batches, and workers that make them ahead of time."""
# made by tools/stubs.py
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Generic, Literal, TypeVar
from weft._typing import StateDict
from weft.ops.random.generators import Generator
from weft.utils.data.dataset import Dataset

T_co = TypeVar('T_co', covariant=True)

class DataLoader(Generic[T_co]):
    dataset: Dataset[T_co]
    batch_size: int | None
    sampler: Iterable[Any]
    batch_sampler: Iterable[Any] | None
    generator: Generator | None
    drop_last: bool
    collate_fn: Callable[[list[Any]], Any]
    persistent_workers: bool
    in_order: bool
    workers: Literal['processes', 'threads']
    worker_init_fn: Callable[[int], None] | None
    timeout: float
    pin_memory_device: str
    pin_memory: bool
    prefetch_factor: int | None
    num_workers: int
    def __init__(self, dataset: Dataset[T_co] | Sequence[T_co], batch_size: int | None = 1, shuffle: bool | None = None, sampler: Iterable[Any] | None = None, batch_sampler: Iterable[Sequence[Any]] | None = None, num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None, multiprocessing_context: Any = None, generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = '', in_order: bool = True, workers: Literal['processes', 'threads'] = 'processes') -> None: ...
    @property
    def multiprocessing_context(self) -> Any: ...
    @multiprocessing_context.setter
    def multiprocessing_context(self, value: Any) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def check_worker_number_rationality(self) -> None: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: StateDict) -> None: ...

