"""PyTorch's old address of the loader and what belongs to it."""
from collections.abc import Callable
from typing import Any, TypeVar

from weft.utils.data.collate import default_collate as default_collate
from weft.utils.data.collate import default_convert as default_convert
from weft.utils.data.fetch import _DatasetKind as _DatasetKind
from weft.utils.data.info import get_worker_info as get_worker_info
from weft.utils.data.iterate import _BaseDataLoaderIter as _BaseDataLoaderIter
from weft.utils.data.iterate import _MultiProcessingDataLoaderIter as _MultiProcessingDataLoaderIter
from weft.utils.data.iterate import _SingleProcessDataLoaderIter as _SingleProcessDataLoaderIter
from weft.utils.data.loader import DataLoader as DataLoader
from weft.utils.data.loader import _InfiniteConstantSampler as _InfiniteConstantSampler

T = TypeVar("T")
_collate_fn_t = Callable[[list[T]], Any]
_worker_init_fn_t = Callable[[int], None]
__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]
