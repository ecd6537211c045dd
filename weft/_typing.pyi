"""Names for types in weft's stubs; there is no such module at run time."""
# made by tools/stubs.py
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from typing_extensions import TypeAlias

from weft.core.device import device
from weft.core.dtype import dtype
from weft.core.layout import layout, memory_format
from weft.tensor.tensor import Tensor

Number: TypeAlias = int | float | complex
TensorLike: TypeAlias = Tensor | Number
Ints: TypeAlias = int | Sequence[int]
Floats: TypeAlias = float | Sequence[float]
Dim: TypeAlias = int | Sequence[int] | None
DType: TypeAlias = dtype
Device: TypeAlias = device | str | int
Layout: TypeAlias = layout
MemoryFormat: TypeAlias = memory_format
Tensors: TypeAlias = tuple[Tensor, ...] | list[Tensor]
Nested: TypeAlias = Sequence[Any]
Index: TypeAlias = int | slice | Tensor | np.ndarray[Any, Any] | list[Any] | range | EllipsisType | bool | None | tuple[Any, ...]
Array: TypeAlias = np.ndarray[Any, Any]
Path: TypeAlias = str | os.PathLike[str]
File: TypeAlias = str | os.PathLike[str] | IO[bytes]
Params: TypeAlias = Iterable[Tensor | dict[str, Any] | tuple[str, Tensor]]
Closure: TypeAlias = Callable[[], Any]
Hook: TypeAlias = Callable[..., Any]
StateDict: TypeAlias = Mapping[str, Any]
Reduction: TypeAlias = Literal['none', 'mean', 'sum']
Grads: TypeAlias = Tensor | Sequence[Tensor | None]

class AminmaxResult(NamedTuple):
    min: Tensor
    max: Tensor

class AttentionResult(NamedTuple):
    result: Tensor
    logs: Tensor

class AttentionGradResult(NamedTuple):
    dq: Tensor
    dk: Tensor
    dv: Tensor

class BatchNormResult(NamedTuple):
    result: Tensor
    mean: Tensor
    rstd: Tensor

class CrossEntropyResult(NamedTuple):
    loss: Tensor
    stats: Tensor
    total: Tensor

class CtcLossResult(NamedTuple):
    losses: Tensor
    alpha: Tensor

class CummaxResult(NamedTuple):
    values: Tensor
    indices: Tensor

class CumminResult(NamedTuple):
    values: Tensor
    indices: Tensor

class FractionalMaxPoolResult(NamedTuple):
    values: Tensor
    indices: Tensor

class FrexpResult(NamedTuple):
    mantissa: Tensor
    exponent: Tensor

class GeqrfResult(NamedTuple):
    a: Tensor
    tau: Tensor

class GroupNormResult(NamedTuple):
    result: Tensor
    mean: Tensor
    rstd: Tensor

class HistogramResult(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class HistogramddResult(NamedTuple):
    hist: Tensor
    bin_edges: Tensor

class KthvalueResult(NamedTuple):
    values: Tensor
    indices: Tensor

class LinalgCholeskyExResult(NamedTuple):
    L: Tensor
    info: Tensor

class LinalgEigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class LinalgEighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class LinalgInvExResult(NamedTuple):
    inverse: Tensor
    info: Tensor

class LinalgLdlFactorResult(NamedTuple):
    LD: Tensor
    pivots: Tensor

class LinalgLdlFactorExResult(NamedTuple):
    LD: Tensor
    pivots: Tensor
    info: Tensor

class LinalgLstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor

class LinalgLuResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class LinalgLuFactorResult(NamedTuple):
    LU: Tensor
    pivots: Tensor

class LinalgLuFactorExResult(NamedTuple):
    LU: Tensor
    pivots: Tensor
    info: Tensor

class LinalgQrResult(NamedTuple):
    Q: Tensor
    R: Tensor

class LinalgSlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class LinalgSolveExResult(NamedTuple):
    result: Tensor
    info: Tensor

class LinalgSvdResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

class LuUnpackResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor

class MaxResult(NamedTuple):
    values: Tensor
    indices: Tensor

class MaxPoolIndexedResult(NamedTuple):
    values: Tensor
    indices: Tensor

class MaxPoolPickedResult(NamedTuple):
    values: Tensor
    picks: Tensor

class MedianResult(NamedTuple):
    values: Tensor
    indices: Tensor

class MinResult(NamedTuple):
    values: Tensor
    indices: Tensor

class ModeResult(NamedTuple):
    values: Tensor
    indices: Tensor

class NanmedianResult(NamedTuple):
    values: Tensor
    indices: Tensor

class NativeLayerNormResult(NamedTuple):
    result: Tensor
    mean: Tensor
    rstd: Tensor

class NllLossResult(NamedTuple):
    loss: Tensor
    total: Tensor

class NormFactorsResult(NamedTuple):
    mean: Tensor
    scale: Tensor
    shift: Tensor

class PcaLowrankResult(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class PivotedInverseResult(NamedTuple):
    inverse: Tensor
    rank: Tensor

class QrResult(NamedTuple):
    Q: Tensor
    R: Tensor

class RecurrentResult(NamedTuple):
    output: Tensor
    h: Tensor
    c: Tensor
    gates: Tensor
    cells: Tensor

class RecurrentCellResult(NamedTuple):
    h_now: Tensor
    c_now: Tensor
    gates: Tensor

class RmsNormResult(NamedTuple):
    result: Tensor
    rstd: Tensor

class SolveResult(NamedTuple):
    result: Tensor
    info: Tensor

class SortResult(NamedTuple):
    values: Tensor
    indices: Tensor

class SvdResult(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class SvdLowrankResult(NamedTuple):
    U: Tensor
    S: Tensor
    V: Tensor

class TopkResult(NamedTuple):
    values: Tensor
    indices: Tensor

class TriangularSolveResult(NamedTuple):
    solution: Tensor
    cloned_coefficient: Tensor
