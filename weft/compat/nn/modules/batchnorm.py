"""PyTorch's place for these."""
from weft.nn.modules.lazy import LazyBatchNorm1d as LazyBatchNorm1d
from weft.nn.modules.lazy import LazyBatchNorm2d as LazyBatchNorm2d
from weft.nn.modules.lazy import LazyBatchNorm3d as LazyBatchNorm3d
from weft.nn.modules.norm import BatchNorm1d as BatchNorm1d
from weft.nn.modules.norm import BatchNorm2d as BatchNorm2d
from weft.nn.modules.norm import BatchNorm3d as BatchNorm3d
from weft.nn.modules.norm import SyncBatchNorm as SyncBatchNorm
from weft.nn.modules.norm import _BatchNorm as _BatchNorm
from weft.nn.modules.norm import _NormBase as _NormBase
