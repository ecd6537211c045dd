"""PyTorch's place for these."""
from weft.nn.modules.lazy import LazyInstanceNorm1d as LazyInstanceNorm1d
from weft.nn.modules.lazy import LazyInstanceNorm2d as LazyInstanceNorm2d
from weft.nn.modules.lazy import LazyInstanceNorm3d as LazyInstanceNorm3d
from weft.nn.modules.norm import InstanceNorm1d as InstanceNorm1d
from weft.nn.modules.norm import InstanceNorm2d as InstanceNorm2d
from weft.nn.modules.norm import InstanceNorm3d as InstanceNorm3d
from weft.nn.modules.norm import _InstanceNorm as _InstanceNorm
from weft.nn.modules.norm import _NormBase as _NormBase
