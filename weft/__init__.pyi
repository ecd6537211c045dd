"""weft: a dynamic-graph deep-learning framework with PyTorch's API."""
# made by tools/stubs.py
import builtins
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Literal, overload
from weft._typing import AminmaxResult as AminmaxResult, Array, CummaxResult as CummaxResult, CumminResult as CumminResult, DType, Device, Dim, Floats, FrexpResult as FrexpResult, GeqrfResult as GeqrfResult, HistogramResult as HistogramResult, HistogramddResult as HistogramddResult, Ints, KthvalueResult as KthvalueResult, Layout, LinalgSlogdetResult as LinalgSlogdetResult, LuUnpackResult as LuUnpackResult, MaxResult as MaxResult, MedianResult as MedianResult, MemoryFormat, MinResult as MinResult, ModeResult as ModeResult, NanmedianResult as NanmedianResult, NativeLayerNormResult as NativeLayerNormResult, Number, Path, PcaLowrankResult as PcaLowrankResult, QrResult as QrResult, SortResult as SortResult, SvdLowrankResult as SvdLowrankResult, SvdResult as SvdResult, TensorLike, Tensors, TopkResult as TopkResult, TriangularSolveResult as TriangularSolveResult
from weft.ops.random.generators import DefaultGenerator as DefaultGenerator
from weft.tensor.tensor import Tensor as Tensor

__version__: builtins.str
def tensor(data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A new leaf tensor with a copy of `data`.

    >>> import weft
    >>> weft.tensor([[1., 2.], [3., 4.]]).shape
    torch.Size([2, 2])
    """
from weft import autograd as autograd
from weft.core.device import device as device
from weft.core.device import get_default_device as get_default_device
from weft.core.device import set_default_device as set_default_device
from weft.core.dtype import dtype as dtype
from weft.core.dtype import finfo as finfo
from weft.core.dtype import get_default_dtype as get_default_dtype
from weft.core.dtype import iinfo as iinfo
from weft.core.dtype import promote_types as promote_types
from weft.core.dtype import set_default_dtype as set_default_dtype
from weft.core.modes import enable_grad as enable_grad
from weft.core.modes import inference_mode as inference_mode
from weft.core.modes import is_grad_enabled as is_grad_enabled
from weft.core.modes import is_inference_mode_enabled as is_inference_mode_enabled
from weft.core.modes import no_grad as no_grad
from weft.core.modes import set_grad_enabled as set_grad_enabled
from weft.core.size import Size as Size
from weft.core.size import broadcast_shapes as broadcast_shapes
bool: dtype
uint8: dtype
int8: dtype
int16: dtype
int32: dtype
int64: dtype
uint16: dtype
uint32: dtype
uint64: dtype
float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
complex64: dtype
complex128: dtype
float8_e4m3fn: dtype
float8_e5m2: dtype
float8_e4m3fnuz: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
complex32: dtype
uint1: dtype
uint2: dtype
uint3: dtype
uint4: dtype
uint5: dtype
uint6: dtype
uint7: dtype
short: dtype
int: dtype
long: dtype
half: dtype
float: dtype
double: dtype
cfloat: dtype
cdouble: dtype
chalf: dtype
def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the elements are real floating-point numbers.

    >>> import weft
    >>> weft.is_floating_point(weft.ones(1))
    True
    """
def is_complex(input: Tensor) -> Tensor:
    """Whether the elements are complex.

    >>> import weft
    >>> weft.is_complex(weft.ones(1))
    False
    """
def is_signed(input: Tensor) -> Tensor:
    """Whether the elements can be negative.

    >>> import weft
    >>> weft.is_signed(weft.ones(1))
    True
    """
def is_nonzero(input: Tensor) -> builtins.bool:
    """Whether the one element is not zero.

    >>> import weft
    >>> weft.is_nonzero(weft.ones(1))
    True
    """
def is_inference(input: Tensor) -> builtins.bool:
    """Whether the tensor was made in inference mode.

    >>> import weft
    >>> with weft.inference_mode():
    ...     x = weft.ones(2)
    >>> x.is_inference()
    True
    """
def is_distributed(input: Tensor) -> builtins.bool:
    """False: no tensor is spread over several machines.

    >>> import weft
    >>> weft.ones(1).is_distributed()
    False
    """
def numel(input: Tensor) -> builtins.int:
    """The number of elements.

    >>> import weft
    >>> weft.numel(weft.ones(2, 3))
    6
    """
def is_same_size(input: Tensor, other: Tensor) -> Tensor:
    """Whether two tensors have one shape.

    >>> import weft
    >>> weft.is_same_size(weft.ones(2), weft.zeros(2))
    True
    """
def get_device(input: Tensor) -> Tensor:
    """-1: the CPU has no number.

    >>> import weft
    >>> weft.ones(1).get_device()
    -1
    """
def is_tensor(obj: Any) -> builtins.bool:
    """Whether an object is a tensor.

    >>> import weft
    >>> weft.is_tensor(weft.ones(1))
    True
    """
def is_storage(obj: Any) -> builtins.bool:
    """Whether an object is a tensor's storage.

    >>> import weft
    >>> weft.is_storage(weft.ones(2).untyped_storage())
    True
    """
def typename(obj: Any) -> str:
    """The name of an object's type; for a tensor that of its element type, such as torch.FloatTensor.

    >>> import weft
    >>> weft.typename(weft.ones(1))
    'torch.FloatTensor'
    """
def can_cast(from_: DType, to: DType) -> builtins.bool:
    """Whether values of one type may be written to another without a loss of kind (complex, float, integer, bool).

    >>> import weft
    >>> weft.can_cast(weft.float32, weft.int64)
    False
    """
def detach_copy(input: Tensor) -> Tensor:
    """A copy of the values, outside the graph.

    >>> import weft
    >>> weft.detach_copy(weft.ones(1, requires_grad=True))
    tensor([1.])
    """
def to_dlpack(input: Tensor) -> Any:
    """The tensor's memory as a DLPack capsule.

    >>> import weft
    >>> weft.from_dlpack(weft.to_dlpack(weft.ones(2)))
    tensor([1., 1.])
    """
def get_traceback() -> Tensor:
    """Whether tracebacks are "short", without weft's own frames, or "full".

    >>> import weft
    >>> weft.get_traceback() in ("short", "full")
    True
    """
def set_traceback(kind: Any) -> None:
    """Choose tracebacks that are "short", without weft's own frames, or "full"; WEFT_TRACEBACK=full does it from
    outside. Errors of a plain-Python core (WEFT_PURE=1) have full ones always.

    >>> import weft
    >>> before = weft.get_traceback()
    >>> weft.set_traceback("full")
    >>> weft.get_traceback()
    'full'
    >>> weft.set_traceback(before)
    """
def set_warn_always(b: builtins.bool) -> None:
    """Taken note of; Python's own filters decide how often a warning is shown here.

    >>> import weft
    >>> weft.set_warn_always(True)
    >>> weft.is_warn_always_enabled()
    True
    >>> weft.set_warn_always(False)
    """
def is_warn_always_enabled() -> Tensor:
    """Whether warnings that come once come every time.

    >>> import weft
    >>> weft.is_warn_always_enabled()
    False
    """
def set_flush_denormal(mode: builtins.bool) -> builtins.bool:
    """False: the processor's mode can't be set from here, and denormal numbers stay as they are.

    >>> import weft
    >>> weft.set_flush_denormal(True)
    False
    """
def get_num_threads() -> builtins.int:
    """How many threads one op may use.

    >>> import weft
    >>> weft.get_num_threads() > 0
    True
    """
def set_num_threads(n: builtins.int) -> None:
    """Set how many threads one op may use.

    >>> import weft
    >>> before = weft.get_num_threads()
    >>> weft.set_num_threads(1)
    >>> weft.get_num_threads()
    1
    >>> weft.set_num_threads(before)
    """
def get_num_interop_threads() -> Tensor:
    """How many ops may run side by side.

    >>> import weft
    >>> weft.get_num_interop_threads() > 0
    True
    """
def set_num_interop_threads(n: builtins.int) -> None:
    """Set how many ops may run side by side.

    >>> import weft
    >>> before = weft.get_num_interop_threads()
    >>> weft.set_num_interop_threads(2)
    >>> weft.get_num_interop_threads()
    2
    >>> weft.set_num_interop_threads(before)
    """
def use_deterministic_algorithms(mode: builtins.bool, *, warn_only: builtins.bool = False) -> None:
    """Ask for results that don't depend on the order in which threads finish: the kernels' never do, so it is only
    taken note of.

    >>> import weft
    >>> weft.use_deterministic_algorithms(True)
    >>> weft.are_deterministic_algorithms_enabled()
    True
    >>> weft.use_deterministic_algorithms(False)
    """
def are_deterministic_algorithms_enabled() -> Tensor:
    """Whether only deterministic algorithms are allowed.

    >>> import weft
    >>> weft.are_deterministic_algorithms_enabled()
    False
    """
def is_deterministic_algorithms_warn_only_enabled() -> Tensor:
    """Whether an algorithm that isn't deterministic only warns.

    >>> import weft
    >>> weft.is_deterministic_algorithms_warn_only_enabled()
    False
    """
def set_deterministic_debug_mode(debug_mode: builtins.int | str) -> None:
    """The same switch with three positions: "default" (0), "warn" (1), "error" (2).

    >>> import weft
    >>> weft.set_deterministic_debug_mode("warn")
    >>> weft.get_deterministic_debug_mode()
    1
    >>> weft.set_deterministic_debug_mode("default")
    """
def get_deterministic_debug_mode() -> Tensor:
    """0, 1 (warn) or 2 (refuse): what an algorithm that isn't deterministic does.

    >>> import weft
    >>> weft.get_deterministic_debug_mode()
    0
    """
def get_float32_matmul_precision() -> Tensor:
    """The precision that was set for products of float32 matrices.

    >>> import weft
    >>> weft.get_float32_matmul_precision()
    'highest'
    """
def set_float32_matmul_precision(precision: str) -> None:
    """Taken note of; products are always computed in full float32 here.

    >>> import weft
    >>> weft.set_float32_matmul_precision("high")
    >>> weft.get_float32_matmul_precision()
    'high'
    >>> weft.set_float32_matmul_precision("highest")
    """
class DoubleStorage:
    of_dtype: dtype
    dtype: dtype

class FloatStorage:
    of_dtype: dtype
    dtype: dtype

class HalfStorage:
    of_dtype: dtype
    dtype: dtype

class BFloat16Storage:
    of_dtype: dtype
    dtype: dtype

class LongStorage:
    of_dtype: dtype
    dtype: dtype

class IntStorage:
    of_dtype: dtype
    dtype: dtype

class ShortStorage:
    of_dtype: dtype
    dtype: dtype

class CharStorage:
    of_dtype: dtype
    dtype: dtype

class ByteStorage:
    of_dtype: dtype
    dtype: dtype

class BoolStorage:
    of_dtype: dtype
    dtype: dtype

class ComplexDoubleStorage:
    of_dtype: dtype
    dtype: dtype

class ComplexFloatStorage:
    of_dtype: dtype
    dtype: dtype

from weft.tensor.storage import UntypedStorage as UntypedStorage
from weft.tensor.storage import TypedStorage as TypedStorage
Storage = FloatStorage
def set_printoptions(precision: builtins.int | None = None, threshold: builtins.int | None = None, edgeitems: builtins.int | None = None, linewidth: builtins.int | None = None, profile: str | None = None, sci_mode: builtins.bool | None = None) -> None:
    """Set how tensors are printed, from here on or until the enclosing `printoptions` block ends.

    `profile` ("default", "short" or "full") is applied first, the other values over it. What is None stays
    as it is, except `sci_mode`: as in PyTorch, every call sets it, and None means that the values decide.

    >>> import weft
    >>> with weft.printoptions():
    ...     weft.set_printoptions(precision=2)
    ...     print(weft.tensor([0.5, 2 / 3]))
    tensor([0.50, 0.67])
    """
def get_printoptions() -> dict[str, Any]:
    """The options in force, by name.

    >>> import weft
    >>> weft.get_printoptions()["edgeitems"]
    3
    """
def printoptions(**options: Any) -> Iterator[None]:
    """Print with these options inside the block, and as before after it.

    >>> import weft
    >>> with weft.printoptions(precision=1):
    ...     print(weft.tensor([0.25, 1.5]))
    tensor([0.2, 1.5])
    >>> print(weft.tensor([0.25, 1.5]))
    tensor([0.2500, 1.5000])
    """
def from_dlpack(ext_tensor: Any, *, device: Device | None = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor in the memory of another library's array, or of a DLPack capsule.

    >>> import weft
    >>> import numpy
    >>> array = numpy.zeros(2)
    >>> x = weft.from_dlpack(array)
    >>> array[0] = 5
    >>> x
    tensor([5., 0.], dtype=torch.float64)
    """
def detach(self: Any) -> Tensor:
    """The same memory and versions, outside the graph.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> (x * 2).detach().requires_grad
    False
    """
def detach_(self: Any) -> Tensor:
    """Take this tensor itself out of the graph that made it.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> y.detach_().grad_fn is None
    True
    """
def result_type(tensor1: TensorLike, tensor2: TensorLike) -> dtype:
    """The type that an op on both gives; each may be a tensor or a number.

    >>> import weft
    >>> weft.result_type(weft.ones(2), 1j)
    torch.complex64
    """
def add(input: TensorLike, other: TensorLike, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input + alpha * other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.add(x, y)
    tensor([[1.0800, 1.1200],
            [1.1500, 1.1900],
            [1.2200, 1.2600]])
    """
def add_(input: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """self + alpha * other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.add_(y)
    tensor([[1.0800, 1.1200],
            [1.1500, 1.1900],
            [1.2200, 1.2600]])
    """
def sub(input: TensorLike, other: TensorLike, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input - alpha * other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.sub(x, y)
    tensor([[-0.4800, -0.2800],
            [-0.0700,  0.1300],
            [ 0.3400,  0.5400]])
    """
def subtract(input: TensorLike, other: TensorLike, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """input - alpha * other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.sub(x, y)
    tensor([[-0.4800, -0.2800],
            [-0.0700,  0.1300],
            [ 0.3400,  0.5400]])
    """
def sub_(input: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """self - alpha * other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.sub_(y)
    tensor([[-0.4800, -0.2800],
            [-0.0700,  0.1300],
            [ 0.3400,  0.5400]])
    """
def subtract_(input: TensorLike, other: TensorLike, *, alpha: Number = 1) -> Tensor:
    """self - alpha * other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.sub_(y)
    tensor([[-0.4800, -0.2800],
            [-0.0700,  0.1300],
            [ 0.3400,  0.5400]])
    """
def rsub(input: TensorLike, other: TensorLike, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """alpha-scaled reverse subtraction: other - alpha * input.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.rsub(x, y)
    tensor([[ 0.4800,  0.2800],
            [ 0.0700, -0.1300],
            [-0.3400, -0.5400]])
    """
def mul(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input * other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.mul(x, y)
    tensor([[0.2340, 0.2940],
            [0.3294, 0.3498],
            [0.3432, 0.3240]])
    """
def multiply(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input * other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.mul(x, y)
    tensor([[0.2340, 0.2940],
            [0.3294, 0.3498],
            [0.3432, 0.3240]])
    """
def mul_(input: TensorLike, other: TensorLike) -> Tensor:
    """self * other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.mul_(y)
    tensor([[0.2340, 0.2940],
            [0.3294, 0.3498],
            [0.3432, 0.3240]])
    """
def multiply_(input: TensorLike, other: TensorLike) -> Tensor:
    """self * other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.mul_(y)
    tensor([[0.2340, 0.2940],
            [0.3294, 0.3498],
            [0.3432, 0.3240]])
    """
def div(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
    integers.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> weft.div(x, 2)
    tensor([-3.5000,  3.5000])
    """
def divide(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    """input / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
    integers.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> weft.div(x, 2)
    tensor([-3.5000,  3.5000])
    """
def div_(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """self / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
    integers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> x.div_(2)
    tensor([-3.5000,  3.5000])
    """
def divide_(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """self / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
    integers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> x.div_(2)
    tensor([-3.5000,  3.5000])
    """
def true_divide(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / other; the same as div without a rounding mode.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> weft.true_divide(x, 2)
    tensor([-3.5000,  3.5000])
    """
def true_divide_(input: Tensor, other: Tensor) -> Tensor:
    """self / other; the same as div without a rounding mode.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> x.true_divide_(2)
    tensor([-3.5000,  3.5000])
    """
def floor_divide(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The quotient rounded down; it has no gradient.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([7.0, -7.0])
    >>> weft.floor_divide(x, 2)
    tensor([ 3., -4.])
    """
def floor_divide_(input: TensorLike, other: TensorLike) -> Tensor:
    """The quotient rounded down; it has no gradient.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([7.0, -7.0])
    >>> x.floor_divide_(2)
    tensor([ 3., -4.])
    """
def remainder(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """What floor division leaves: it has the sign of other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> weft.remainder(x, 2)
    tensor([1., 1.])
    """
def remainder_(input: TensorLike, other: TensorLike) -> Tensor:
    """What floor division leaves: it has the sign of other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> x.remainder_(2)
    tensor([1., 1.])
    """
def fmod(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """What truncating division leaves: it has the sign of input.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> weft.fmod(x, 2)
    tensor([-1.,  1.])
    """
def fmod_(input: TensorLike, other: TensorLike) -> Tensor:
    """What truncating division leaves: it has the sign of self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-7.0, 7.0])
    >>> x.fmod_(2)
    tensor([-1.,  1.])
    """
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.neg(x)
    tensor([ 1.5000, -0.0000, -2.5000])
    """
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.neg(x)
    tensor([ 1.5000, -0.0000, -2.5000])
    """
def neg_(input: Tensor) -> Tensor:
    """-self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.neg_()
    tensor([ 1.5000, -0.0000, -2.5000])
    """
def negative_(input: Tensor) -> Tensor:
    """-self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.neg_()
    tensor([ 1.5000, -0.0000, -2.5000])
    """
def positive(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input itself.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.positive(x)
    tensor([-1.5000,  0.0000,  2.5000])
    """
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The size of each element; that of a complex one is real.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.abs(x)
    tensor([1.5000, 0.0000, 2.5000])
    """
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The size of each element; that of a complex one is real.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.abs(x)
    tensor([1.5000, 0.0000, 2.5000])
    """
def abs_(self: Any) -> Tensor:
    """abs, written into the tensor; the size of a complex number is real, so that needs a new tensor.

    >>> import weft
    >>> weft.tensor([-1.0, 2.0]).abs_()
    tensor([1., 2.])
    """
def absolute_(self: Any) -> Tensor:
    """abs, written into the tensor; the size of a complex number is real, so that needs a new tensor.

    >>> import weft
    >>> weft.tensor([-1.0, 2.0]).abs_()
    tensor([1., 2.])
    """
def addcmul(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 * tensor2.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.addcmul(x, y, z)
    tensor([[0.5340, 0.7140],
            [0.8694, 1.0098],
            [1.1232, 1.2240]])
    """
def addcmul_(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """self + value * tensor1 * tensor2.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.addcmul_(y, z)
    tensor([[0.5340, 0.7140],
            [0.8694, 1.0098],
            [1.1232, 1.2240]])
    """
def addcdiv(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1, out: Tensor | None = None) -> Tensor:
    """input + value * tensor1 / tensor2.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.addcdiv(x, y, z)
    tensor([[2.9000, 2.0867],
            [1.6696, 1.4630],
            [1.3441, 1.3000]])
    """
def addcdiv_(input: TensorLike, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
    """self + value * tensor1 / tensor2.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.addcdiv_(y, z)
    tensor([[2.9000, 2.0867],
            [1.6696, 1.4630],
            [1.3441, 1.3000]])
    """
def pow(input: TensorLike, exponent: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input to the power of the exponent.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.pow(x, 2)
    tensor([[0.0900, 0.1764],
            [0.2916, 0.4356],
            [0.6084, 0.8100]])
    """
def pow_(input: TensorLike, exponent: TensorLike) -> Tensor:
    """self to the power of the exponent.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.pow_(2)
    tensor([[0.0900, 0.1764],
            [0.2916, 0.4356],
            [0.6084, 0.8100]])
    """
def float_power(input: TensorLike, exponent: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input to the power of the exponent, computed in double precision.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.float_power(x, 2)
    tensor([[0.0900, 0.1764],
            [0.2916, 0.4356],
            [0.6084, 0.8100]], dtype=torch.float64)
    """
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.square(x)
    tensor([2.2500, 0.0000, 6.2500])
    """
def square_(input: Tensor) -> Tensor:
    """self * self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.square_()
    tensor([2.2500, 0.0000, 6.2500])
    """
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.reciprocal(x)
    tensor([[3.3333, 2.3810],
            [1.8519, 1.5152],
            [1.2821, 1.1111]])
    """
def reciprocal_(input: Tensor) -> Tensor:
    """1 / self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.reciprocal_()
    tensor([[3.3333, 2.3810],
            [1.8519, 1.5152],
            [1.2821, 1.1111]])
    """
def conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The conjugate; a real tensor is its own.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.conj(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The conjugate, in memory of its own where the numbers are complex.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.conj_physical(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def conj_physical_(input: Tensor) -> Tensor:
    """The conjugate, in memory of its own where the numbers are complex.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.conj_physical_()
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def resolve_conj(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input itself: conjugates are never put off here.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.resolve_conj(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def resolve_neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input itself: negations are never put off here.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.resolve_neg(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def real(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The real part, a view; a real tensor is its own.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.real(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def imag(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The imaginary part of a complex tensor, a view.

    Shape: (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([1 + 2j, 3 - 4j])
    >>> weft.imag(x)
    tensor([ 2., -4.])
    """
def is_conj(input: Tensor) -> builtins.bool:
    """Whether a conjugation is put off until later: never.

    >>> import weft
    >>> weft.ones(1, dtype=weft.complex64).conj().is_conj()
    False
    """
def is_neg(input: Tensor) -> builtins.bool:
    """Whether a negation is put off until later: never.

    >>> import weft
    >>> weft.ones(1).neg().is_neg()
    False
    """
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle in the complex plane, from -pi to pi; 0 or pi of a real number.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.angle(x)
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """real + imag * 1j.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.complex(x, y)
    tensor([[0.3000+0.7800j, 0.4200+0.7000j],
            [0.5400+0.6100j, 0.6600+0.5300j],
            [0.7800+0.4400j, 0.9000+0.3600j]])
    """
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """abs * e**(1j * angle).

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.polar(x, y)
    tensor([[0.2133+0.2110j, 0.3212+0.2706j],
            [0.4426+0.3093j, 0.5695+0.3337j],
            [0.7057+0.3322j, 0.8423+0.3170j]])
    """
def view_as_real(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The view of a complex tensor as a real one with a last dimension of 2: (...) -> (..., 2).

    Shape: (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1 + 2j, 3 - 4j])
    >>> weft.view_as_real(x)
    tensor([[ 1.,  2.],
            [ 3., -4.]])
    """
def view_as_complex(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The view of a real tensor with a last dimension of 2 as a complex one: (..., 2) -> (...).

    Shape: (3, 2) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.view_as_complex(x)
    tensor([0.3000+0.4200j, 0.5400+0.6600j, 0.7800+0.9000j])
    """
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.exp(x)
    tensor([[1.3499, 1.5220],
            [1.7160, 1.9348],
            [2.1815, 2.4596]])
    """
def exp_(input: Tensor) -> Tensor:
    """e**self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.exp_()
    tensor([[1.3499, 1.5220],
            [1.7160, 1.9348],
            [2.1815, 2.4596]])
    """
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2**input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.exp2(x)
    tensor([[1.2311, 1.3379],
            [1.4540, 1.5801],
            [1.7171, 1.8661]])
    """
def exp2_(input: Tensor) -> Tensor:
    """2**self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.exp2_()
    tensor([[1.2311, 1.3379],
            [1.4540, 1.5801],
            [1.7171, 1.8661]])
    """
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**input - 1, exact near 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.expm1(x)
    tensor([[0.3499, 0.5220],
            [0.7160, 0.9348],
            [1.1815, 1.4596]])
    """
def expm1_(input: Tensor) -> Tensor:
    """e**self - 1, exact near 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.expm1_()
    tensor([[0.3499, 0.5220],
            [0.7160, 0.9348],
            [1.1815, 1.4596]])
    """
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.log(x)
    tensor([[-1.2040, -0.8675],
            [-0.6162, -0.4155],
            [-0.2485, -0.1054]])
    """
def log_(input: Tensor) -> Tensor:
    """The natural logarithm.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.log_()
    tensor([[-1.2040, -0.8675],
            [-0.6162, -0.4155],
            [-0.2485, -0.1054]])
    """
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 2.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.log2(x)
    tensor([[-1.7370, -1.2515],
            [-0.8890, -0.5995],
            [-0.3585, -0.1520]])
    """
def log2_(input: Tensor) -> Tensor:
    """The logarithm to base 2.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.log2_()
    tensor([[-1.7370, -1.2515],
            [-0.8890, -0.5995],
            [-0.3585, -0.1520]])
    """
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to base 10.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.log10(x)
    tensor([[-0.5229, -0.3768],
            [-0.2676, -0.1805],
            [-0.1079, -0.0458]])
    """
def log10_(input: Tensor) -> Tensor:
    """The logarithm to base 10.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.log10_()
    tensor([[-0.5229, -0.3768],
            [-0.2676, -0.1805],
            [-0.1079, -0.0458]])
    """
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + input), exact near 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.log1p(x)
    tensor([[0.2624, 0.3507],
            [0.4318, 0.5068],
            [0.5766, 0.6419]])
    """
def log1p_(input: Tensor) -> Tensor:
    """log(1 + self), exact near 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.log1p_()
    tensor([[0.2624, 0.3507],
            [0.4318, 0.5068],
            [0.5766, 0.6419]])
    """
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sqrt(x)
    tensor([[0.5477, 0.6481],
            [0.7348, 0.8124],
            [0.8832, 0.9487]])
    """
def sqrt_(input: Tensor) -> Tensor:
    """The square root.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.sqrt_()
    tensor([[0.5477, 0.6481],
            [0.7348, 0.8124],
            [0.8832, 0.9487]])
    """
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(input).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.rsqrt(x)
    tensor([[1.8257, 1.5430],
            [1.3608, 1.2309],
            [1.1323, 1.0541]])
    """
def rsqrt_(input: Tensor) -> Tensor:
    """1 / sqrt(self).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.rsqrt_()
    tensor([[1.8257, 1.5430],
            [1.3608, 1.2309],
            [1.1323, 1.0541]])
    """
def logaddexp(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """log(e**input + e**other), without overflow.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.logaddexp(x, y)
    tensor([[1.2617, 1.2629],
            [1.2688, 1.2903],
            [1.3175, 1.3592]])
    """
def logaddexp2(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """log2(2**input + 2**other), without overflow.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.logaddexp2(x, y)
    tensor([[1.5599, 1.5668],
            [1.5754, 1.5965],
            [1.6200, 1.6551]])
    """
def hypot(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """sqrt(input * input + other * other), without overflow.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.hypot(x, y)
    tensor([[0.8357, 0.8163],
            [0.8147, 0.8465],
            [0.8955, 0.9693]])
    """
def hypot_(input: TensorLike, other: TensorLike) -> Tensor:
    """sqrt(self * self + other * other), without overflow.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.hypot_(y)
    tensor([[0.8357, 0.8163],
            [0.8147, 0.8465],
            [0.8955, 0.9693]])
    """
def lerp(input: Tensor, end: Tensor, weight: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input + weight * (end - input).

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.lerp(x, y, 0.25)
    tensor([[0.4200, 0.4900],
            [0.5575, 0.6275],
            [0.6950, 0.7650]])
    """
def lerp_(input: Tensor, end: Tensor, weight: TensorLike) -> Tensor:
    """self + weight * (end - self).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.lerp_(y, 0.25)
    tensor([[0.4200, 0.4900],
            [0.5575, 0.6275],
            [0.6950, 0.7650]])
    """
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * 2**other.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.ldexp(x, y)
    tensor([[0.5151, 0.6823],
            [0.8242, 0.9530],
            [1.0582, 1.1551]])
    """
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """self * 2**other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.ldexp_(y)
    tensor([[0.5151, 0.6823],
            [0.8242, 0.9530],
            [1.0582, 1.1551]])
    """
def frexp(input: Tensor, *, out: Tensors | None = None) -> FrexpResult:
    """The mantissa, from 0.5 to 1, and the exponent of 2, such that input = mantissa * 2**exponent.

    Shape: (1,) -> (1,), (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([4.0])
    >>> weft.frexp(x)
    torch.return_types.frexp(
    mantissa=tensor([0.5000]),
    exponent=tensor([3], dtype=torch.int32))
    """
def maximum(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The larger of input and other; NaN where either is.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 5.0])
    >>> y = weft.tensor([3.0, 2.0])
    >>> weft.maximum(x, y)
    tensor([3., 5.])
    """
def minimum(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The smaller of input and other; NaN where either is.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 5.0])
    >>> y = weft.tensor([3.0, 2.0])
    >>> weft.minimum(x, y)
    tensor([1., 2.])
    """
def fmax(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The larger of input and other; a NaN loses to a number.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 5.0])
    >>> y = weft.tensor([3.0, 2.0])
    >>> weft.fmax(x, y)
    tensor([3., 5.])
    """
def fmin(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The smaller of input and other; a NaN loses to a number.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 5.0])
    >>> y = weft.tensor([3.0, 2.0])
    >>> weft.fmin(x, y)
    tensor([1., 2.])
    """
def clamp(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None, *, out: Tensor | None = None) -> Tensor:
    """input, but at least min and at most max; where these cross, max.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.clamp(x, min=-1, max=1)
    tensor([-1.,  0.,  1.])
    """
def clip(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None, *, out: Tensor | None = None) -> Tensor:
    """input, but at least min and at most max; where these cross, max.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.clamp(x, min=-1, max=1)
    tensor([-1.,  0.,  1.])
    """
def clamp_(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """self, but at least min and at most max; where these cross, max.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.clamp_(min=-1, max=1)
    tensor([-1.,  0.,  1.])
    """
def clip_(input: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """self, but at least min and at most max; where these cross, max.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.clamp_(min=-1, max=1)
    tensor([-1.,  0.,  1.])
    """
def clamp_min(input: Tensor, min: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input, but at least min.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.clamp_min(x, 0)
    tensor([0.0000, 0.0000, 2.5000])
    """
def clamp_min_(input: Tensor, min: TensorLike) -> Tensor:
    """self, but at least min.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.clamp_min_(0)
    tensor([0.0000, 0.0000, 2.5000])
    """
def clamp_max(input: Tensor, max: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input, but at most max.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.clamp_max(x, 1)
    tensor([-1.5000,  0.0000,  1.0000])
    """
def clamp_max_(input: Tensor, max: TensorLike) -> Tensor:
    """self, but at most max.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.clamp_max_(1)
    tensor([-1.5000,  0.0000,  1.0000])
    """
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Every bit turned; for bool, the opposite.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> weft.bitwise_not(x)
    tensor([-6, -7])
    """
def bitwise_not_(input: Tensor) -> Tensor:
    """Every bit turned; for bool, the opposite.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> x.bitwise_not_()
    tensor([-6, -7])
    """
def bitwise_and(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in both.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> weft.bitwise_and(x, y)
    tensor([1, 2])
    """
def bitwise_and_(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that are set in both.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> x.bitwise_and_(y)
    tensor([1, 2])
    """
def bitwise_or(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in either.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> weft.bitwise_or(x, y)
    tensor([7, 7])
    """
def bitwise_or_(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that are set in either.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> x.bitwise_or_(y)
    tensor([7, 7])
    """
def bitwise_xor(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The bits that are set in one of the two.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> weft.bitwise_xor(x, y)
    tensor([6, 5])
    """
def bitwise_xor_(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits that are set in one of the two.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> x.bitwise_xor_(y)
    tensor([6, 5])
    """
def bitwise_left_shift(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The bits moved up by other places; by more than there are, or by fewer than none, gives 0.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([1, 1])
    >>> weft.bitwise_left_shift(x, y)
    tensor([10, 12])
    """
def bitwise_left_shift_(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits moved up by other places; by more than there are, or by fewer than none, gives 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([1, 1])
    >>> x.bitwise_left_shift_(y)
    tensor([10, 12])
    """
def bitwise_right_shift(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The bits moved down by other places, the sign filling up; outside the type's width only the sign is left.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([1, 1])
    >>> weft.bitwise_right_shift(x, y)
    tensor([2, 3])
    """
def bitwise_right_shift_(input: TensorLike, other: TensorLike) -> Tensor:
    """The bits moved down by other places, the sign filling up; outside the type's width only the sign is left.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([1, 1])
    >>> x.bitwise_right_shift_(y)
    tensor([2, 3])
    """
def gcd(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> weft.gcd(x, y)
    tensor([1, 3])
    """
def gcd_(input: TensorLike, other: TensorLike) -> Tensor:
    """The greatest common divisor.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> x.gcd_(y)
    tensor([1, 3])
    """
def lcm(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> weft.lcm(x, y)
    tensor([15,  6])
    """
def lcm_(input: TensorLike, other: TensorLike) -> Tensor:
    """The least common multiple.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([5, 6])
    >>> y = weft.tensor([3, 3])
    >>> x.lcm_(y)
    tensor([15,  6])
    """
def eq(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input and other are equal.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.eq(x, y)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def eq_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self and other are equal.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.eq_(y)
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
def ne(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input and other differ.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.ne(x, y)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def not_equal(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input and other differ.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.ne(x, y)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def ne_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self and other differ.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.ne_(y)
    tensor([[1., 1.],
            [1., 1.],
            [1., 1.]])
    """
def not_equal_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self and other differ.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.ne_(y)
    tensor([[1., 1.],
            [1., 1.],
            [1., 1.]])
    """
def lt(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is less than other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.lt(x, y)
    tensor([[ True,  True],
            [ True, False],
            [False, False]])
    """
def less(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is less than other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.lt(x, y)
    tensor([[ True,  True],
            [ True, False],
            [False, False]])
    """
def lt_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is less than other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.lt_(y)
    tensor([[1., 1.],
            [1., 0.],
            [0., 0.]])
    """
def less_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is less than other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.lt_(y)
    tensor([[1., 1.],
            [1., 0.],
            [0., 0.]])
    """
def le(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is at most other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.le(x, y)
    tensor([[ True,  True],
            [ True, False],
            [False, False]])
    """
def less_equal(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is at most other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.le(x, y)
    tensor([[ True,  True],
            [ True, False],
            [False, False]])
    """
def le_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is at most other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.le_(y)
    tensor([[1., 1.],
            [1., 0.],
            [0., 0.]])
    """
def less_equal_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is at most other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.le_(y)
    tensor([[1., 1.],
            [1., 0.],
            [0., 0.]])
    """
def gt(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is greater than other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.gt(x, y)
    tensor([[False, False],
            [False,  True],
            [ True,  True]])
    """
def greater(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is greater than other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.gt(x, y)
    tensor([[False, False],
            [False,  True],
            [ True,  True]])
    """
def gt_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is greater than other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.gt_(y)
    tensor([[0., 0.],
            [0., 1.],
            [1., 1.]])
    """
def greater_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is greater than other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.gt_(y)
    tensor([[0., 0.],
            [0., 1.],
            [1., 1.]])
    """
def ge(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is at least other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.ge(x, y)
    tensor([[False, False],
            [False,  True],
            [ True,  True]])
    """
def greater_equal(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where input is at least other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.ge(x, y)
    tensor([[False, False],
            [False,  True],
            [ True,  True]])
    """
def ge_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is at least other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.ge_(y)
    tensor([[0., 0.],
            [0., 1.],
            [1., 1.]])
    """
def greater_equal_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where self is at least other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.ge_(y)
    tensor([[0., 0.],
            [0., 1.],
            [1., 1.]])
    """
def logical_and(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where both are true.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.logical_and(x, y)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def logical_and_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where both are true.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.logical_and_(y)
    tensor([[1., 1.],
            [1., 1.],
            [1., 1.]])
    """
def logical_or(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where one or both are true.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.logical_or(x, y)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def logical_or_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where one or both are true.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.logical_or_(y)
    tensor([[1., 1.],
            [1., 1.],
            [1., 1.]])
    """
def logical_xor(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """Where one of the two is true.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.logical_xor(x, y)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def logical_xor_(input: TensorLike, other: TensorLike) -> Tensor:
    """Where one of the two is true.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.logical_xor_(y)
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input is false.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.logical_not(x)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def logical_not_(input: Tensor) -> Tensor:
    """Where self is false.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.logical_not_()
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input is not a number.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isnan(x)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input is neither infinite nor NaN.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isfinite(x)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input (or one of its parts) is infinite.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isinf(x)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input is positive infinity.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isposinf(x)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where input is negative infinity.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isneginf(x)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the imaginary part is 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.isreal(x)
    tensor([[True, True],
            [True, True],
            [True, True]])
    """
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the sign bit is set: below 0, and at -0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.signbit(x)
    tensor([ True, False, False])
    """
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where |input - other| is at most atol + rtol * |other|.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.isclose(x, y)
    tensor([[False, False],
            [False, False],
            [False, False]])
    """
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False, *, out: Tensors | None = None) -> builtins.bool:
    """Whether all elements of two tensors are close; a Python bool.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.allclose(x, y)
    False
    """
def equal(input: Tensor, other: Tensor, *, out: Tensors | None = None) -> builtins.bool:
    """Whether two tensors have the same shape and the same elements; a Python bool.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.equal(x, y)
    False
    """
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest integer that is at most input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.floor(x)
    tensor([-2.,  0.,  2.])
    """
def floor_(input: Tensor) -> Tensor:
    """The greatest integer that is at most self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.floor_()
    tensor([-2.,  0.,  2.])
    """
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least integer that is at least input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.ceil(x)
    tensor([-1.,  0.,  3.])
    """
def ceil_(input: Tensor) -> Tensor:
    """The least integer that is at least self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.ceil_()
    tensor([-1.,  0.,  3.])
    """
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input without its decimals.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.trunc(x)
    tensor([-1.,  0.,  2.])
    """
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input without its decimals.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.trunc(x)
    tensor([-1.,  0.,  2.])
    """
def trunc_(input: Tensor) -> Tensor:
    """self without its decimals.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.trunc_()
    tensor([-1.,  0.,  2.])
    """
def fix_(input: Tensor) -> Tensor:
    """self without its decimals.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.trunc_()
    tensor([-1.,  0.,  2.])
    """
def round(input: Tensor, *, decimals: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest integer, the even one of two; or the nearest number with so many decimals.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.round(x)
    tensor([-2.,  0.,  2.])
    """
def round_(input: Tensor, *, decimals: builtins.int = 0) -> Tensor:
    """The nearest integer, the even one of two; or the nearest number with so many decimals.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.round_()
    tensor([-2.,  0.,  2.])
    """
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The decimals of input, with its sign.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.frac(x)
    tensor([-0.5000,  0.0000,  0.5000])
    """
def frac_(input: Tensor) -> Tensor:
    """The decimals of self, with its sign.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.frac_()
    tensor([-0.5000,  0.0000,  0.5000])
    """
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1, as input is negative, zero or positive.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.sign(x)
    tensor([-1.,  0.,  1.])
    """
def sign_(input: Tensor) -> Tensor:
    """-1, 0 or 1, as self is negative, zero or positive.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.sign_()
    tensor([-1.,  0.,  1.])
    """
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / |input|, and 0 at 0: the sign, also of complex numbers.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.sgn(x)
    tensor([-1.,  0.,  1.])
    """
def sgn_(input: Tensor) -> Tensor:
    """self / |self|, and 0 at 0: the sign, also of complex numbers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.sgn_()
    tensor([-1.,  0.,  1.])
    """
def copysign(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input with the sign of other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.copysign(x, y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def copysign_(input: TensorLike, other: TensorLike) -> Tensor:
    """self with the sign of other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.copysign_(y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def nextafter(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The next number that the type has, from input towards other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.nextafter(x, y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def nextafter_(input: TensorLike, other: TensorLike) -> Tensor:
    """The next number that the type has, from self towards other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.nextafter_(y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.0, 0.0, 2.0])
    >>> y = weft.tensor(0.5)
    >>> weft.heaviside(x, y)
    tensor([0.0000, 0.5000, 1.0000])
    """
def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above it, and `values` at 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.0, 0.0, 2.0])
    >>> y = weft.tensor(0.5)
    >>> x.heaviside_(y)
    tensor([0.0000, 0.5000, 1.0000])
    """
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """NaN and the infinities replaced by numbers.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.nan_to_num(x)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def nan_to_num_(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
    """NaN and the infinities replaced by numbers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.nan_to_num_()
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + e**-input).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sigmoid(x)
    tensor([[0.5744, 0.6035],
            [0.6318, 0.6593],
            [0.6857, 0.7109]])
    """
def sigmoid_(input: Tensor) -> Tensor:
    """1 / (1 + e**-self).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.sigmoid_()
    tensor([[0.5744, 0.6035],
            [0.6318, 0.6593],
            [0.6857, 0.7109]])
    """
def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(input / (1 - input)), input clamped to [eps, 1 - eps] first where eps is given.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.logit(x, 0.1)
    tensor([[-0.8473, -0.3228],
            [ 0.1603,  0.6633],
            [ 1.2657,  2.1972]])
    """
def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """log(self / (1 - self)), self clamped to [eps, 1 - eps] first where eps is given.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.logit_(0.1)
    tensor([[-0.8473, -0.3228],
            [ 0.1603,  0.6633],
            [ 1.2657,  2.1972]])
    """
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erf(x)
    tensor([[0.3286, 0.4475],
            [0.5549, 0.6494],
            [0.7300, 0.7969]])
    """
def erf_(input: Tensor) -> Tensor:
    """The error function.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.erf_()
    tensor([[0.3286, 0.4475],
            [0.5549, 0.6494],
            [0.7300, 0.7969]])
    """
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 - erf(input), exact where it is small.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erfc(x)
    tensor([[0.6714, 0.5525],
            [0.4451, 0.3506],
            [0.2700, 0.2031]])
    """
def erfc_(input: Tensor) -> Tensor:
    """1 - erf(self), exact where it is small.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.erfc_()
    tensor([[0.6714, 0.5525],
            [0.4451, 0.3506],
            [0.2700, 0.2031]])
    """
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of erf.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.erfinv(x)
    tensor([[0.2725, 0.3913],
            [0.5224, 0.6747],
            [0.8673, 1.1631]])
    """
def erfinv_(input: Tensor) -> Tensor:
    """The inverse of erf.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.erfinv_()
    tensor([[0.2725, 0.3913],
            [0.5224, 0.6747],
            [0.8673, 1.1631]])
    """
def xlogy(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """input * log(other), 0 where input is 0.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.xlogy(x, y)
    tensor([[-0.0745, -0.1498],
            [-0.2669, -0.4190],
            [-0.6404, -0.9195]])
    """
def xlogy_(input: TensorLike, other: TensorLike) -> Tensor:
    """self * log(other), 0 where self is 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.xlogy_(y)
    tensor([[-0.0745, -0.1498],
            [-0.2669, -0.4190],
            [-0.6404, -0.9195]])
    """
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log |gamma(input)|.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.lgamma(x)
    tensor([[1.0958, 0.7469],
            [0.4976, 0.3120],
            [0.1718, 0.0664]])
    """
def lgamma_(input: Tensor) -> Tensor:
    """log |gamma(self)|.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.lgamma_()
    tensor([[1.0958, 0.7469],
            [0.4976, 0.3120],
            [0.1718, 0.0664]])
    """
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of lgamma.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.digamma(x)
    tensor([[-3.5025, -2.4220],
            [-1.7786, -1.3388],
            [-1.0119, -0.7549]])
    """
def digamma_(input: Tensor) -> Tensor:
    """The derivative of lgamma.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.digamma_()
    tensor([[-3.5025, -2.4220],
            [-1.7786, -1.3388],
            [-1.0119, -0.7549]])
    """
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma at input.

    Shape: (1,) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0])
    >>> weft.polygamma(1, x)
    tensor([1.6449])
    """
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function of p-by-p matrices.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.mvlgamma(x, 2)
    tensor([[3.4297, 3.8966],
            [4.2670, 2.6442],
            [1.9126, 1.4354]])
    """
def mvlgamma_(input: Tensor, p: builtins.int) -> Tensor:
    """The logarithm of the gamma function of p-by-p matrices.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.mvlgamma_(2)
    tensor([[3.4297, 3.8966],
            [4.2670, 2.6442],
            [1.9126, 1.4354]])
    """
def igamma(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The lower regularized incomplete gamma function of order input at other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> weft.igamma(x, y)
    tensor([0.3935, 0.0902])
    """
def igamma_(input: TensorLike, other: TensorLike) -> Tensor:
    """The lower regularized incomplete gamma function of order self at other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> x.igamma_(y)
    tensor([0.3935, 0.0902])
    """
def igammac(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The upper regularized incomplete gamma function of order input at other.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> weft.igammac(x, y)
    tensor([0.6065, 0.9098])
    """
def igammac_(input: TensorLike, other: TensorLike) -> Tensor:
    """The upper regularized incomplete gamma function of order self at other.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> y = weft.tensor([0.5, 0.5])
    >>> x.igammac_(y)
    tensor([0.6065, 0.9098])
    """
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.i0(x)
    tensor([[1.0226, 1.0446],
            [1.0742, 1.1119],
            [1.1580, 1.2130]])
    """
def i0_(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.i0_()
    tensor([[1.0226, 1.0446],
            [1.0742, 1.1119],
            [1.1580, 1.2130]])
    """
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of an angle in radians.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sin(x)
    tensor([[0.2955, 0.4078],
            [0.5141, 0.6131],
            [0.7033, 0.7833]])
    """
def sin_(input: Tensor) -> Tensor:
    """The sine of an angle in radians.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.sin_()
    tensor([[0.2955, 0.4078],
            [0.5141, 0.6131],
            [0.7033, 0.7833]])
    """
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of an angle in radians.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.cos(x)
    tensor([[0.9553, 0.9131],
            [0.8577, 0.7900],
            [0.7109, 0.6216]])
    """
def cos_(input: Tensor) -> Tensor:
    """The cosine of an angle in radians.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.cos_()
    tensor([[0.9553, 0.9131],
            [0.8577, 0.7900],
            [0.7109, 0.6216]])
    """
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of an angle in radians.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.tan(x)
    tensor([[0.3093, 0.4466],
            [0.5994, 0.7761],
            [0.9893, 1.2602]])
    """
def tan_(input: Tensor) -> Tensor:
    """The tangent of an angle in radians.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.tan_()
    tensor([[0.3093, 0.4466],
            [0.5994, 0.7761],
            [0.9893, 1.2602]])
    """
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.asin(x)
    tensor([[0.3047, 0.4334],
            [0.5704, 0.7208],
            [0.8947, 1.1198]])
    """
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose sine is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.asin(x)
    tensor([[0.3047, 0.4334],
            [0.5704, 0.7208],
            [0.8947, 1.1198]])
    """
def asin_(input: Tensor) -> Tensor:
    """The angle whose sine is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.asin_()
    tensor([[0.3047, 0.4334],
            [0.5704, 0.7208],
            [0.8947, 1.1198]])
    """
def arcsin_(input: Tensor) -> Tensor:
    """The angle whose sine is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.asin_()
    tensor([[0.3047, 0.4334],
            [0.5704, 0.7208],
            [0.8947, 1.1198]])
    """
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.acos(x)
    tensor([[1.2661, 1.1374],
            [1.0004, 0.8500],
            [0.6761, 0.4510]])
    """
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose cosine is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.acos(x)
    tensor([[1.2661, 1.1374],
            [1.0004, 0.8500],
            [0.6761, 0.4510]])
    """
def acos_(input: Tensor) -> Tensor:
    """The angle whose cosine is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.acos_()
    tensor([[1.2661, 1.1374],
            [1.0004, 0.8500],
            [0.6761, 0.4510]])
    """
def arccos_(input: Tensor) -> Tensor:
    """The angle whose cosine is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.acos_()
    tensor([[1.2661, 1.1374],
            [1.0004, 0.8500],
            [0.6761, 0.4510]])
    """
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.atan(x)
    tensor([[0.2915, 0.3976],
            [0.4951, 0.5834],
            [0.6624, 0.7328]])
    """
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle whose tangent is input.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.atan(x)
    tensor([[0.2915, 0.3976],
            [0.4951, 0.5834],
            [0.6624, 0.7328]])
    """
def atan_(input: Tensor) -> Tensor:
    """The angle whose tangent is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.atan_()
    tensor([[0.2915, 0.3976],
            [0.4951, 0.5834],
            [0.6624, 0.7328]])
    """
def arctan_(input: Tensor) -> Tensor:
    """The angle whose tangent is self.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.atan_()
    tensor([[0.2915, 0.3976],
            [0.4951, 0.5834],
            [0.6624, 0.7328]])
    """
def atan2(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input) in the plane: the first argument is its height.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.atan2(x, y)
    tensor([[0.3672, 0.5404],
            [0.7246, 0.8942],
            [1.0572, 1.1903]])
    """
def arctan2(input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input) in the plane: the first argument is its height.

    Shape: the inputs broadcast; the result has their common shape.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.atan2(x, y)
    tensor([[0.3672, 0.5404],
            [0.7246, 0.8942],
            [1.0572, 1.1903]])
    """
def atan2_(input: TensorLike, other: TensorLike) -> Tensor:
    """The angle of the point (other, self) in the plane: the first argument is its height.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.atan2_(y)
    tensor([[0.3672, 0.5404],
            [0.7246, 0.8942],
            [1.0572, 1.1903]])
    """
def arctan2_(input: TensorLike, other: TensorLike) -> Tensor:
    """The angle of the point (other, self) in the plane: the first argument is its height.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> x.atan2_(y)
    tensor([[0.3672, 0.5404],
            [0.7246, 0.8942],
            [1.0572, 1.1903]])
    """
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sinh(x)
    tensor([[0.3045, 0.4325],
            [0.5666, 0.7090],
            [0.8615, 1.0265]])
    """
def sinh_(input: Tensor) -> Tensor:
    """The hyperbolic sine.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.sinh_()
    tensor([[0.3045, 0.4325],
            [0.5666, 0.7090],
            [0.8615, 1.0265]])
    """
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.cosh(x)
    tensor([[1.0453, 1.0895],
            [1.1494, 1.2258],
            [1.3199, 1.4331]])
    """
def cosh_(input: Tensor) -> Tensor:
    """The hyperbolic cosine.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.cosh_()
    tensor([[1.0453, 1.0895],
            [1.1494, 1.2258],
            [1.3199, 1.4331]])
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.tanh(x)
    tensor([[0.2913, 0.3969],
            [0.4930, 0.5784],
            [0.6527, 0.7163]])
    """
def tanh_(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.tanh_()
    tensor([[0.2913, 0.3969],
            [0.4930, 0.5784],
            [0.6527, 0.7163]])
    """
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of sinh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.asinh(x)
    tensor([[0.2957, 0.4085],
            [0.5167, 0.6196],
            [0.7170, 0.8089]])
    """
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of sinh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.asinh(x)
    tensor([[0.2957, 0.4085],
            [0.5167, 0.6196],
            [0.7170, 0.8089]])
    """
def asinh_(input: Tensor) -> Tensor:
    """The inverse of sinh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.asinh_()
    tensor([[0.2957, 0.4085],
            [0.5167, 0.6196],
            [0.7170, 0.8089]])
    """
def arcsinh_(input: Tensor) -> Tensor:
    """The inverse of sinh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.asinh_()
    tensor([[0.2957, 0.4085],
            [0.5167, 0.6196],
            [0.7170, 0.8089]])
    """
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of cosh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> weft.acosh(x)
    tensor([0.0000, 1.3170])
    """
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of cosh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> weft.acosh(x)
    tensor([0.0000, 1.3170])
    """
def acosh_(input: Tensor) -> Tensor:
    """The inverse of cosh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> x.acosh_()
    tensor([0.0000, 1.3170])
    """
def arccosh_(input: Tensor) -> Tensor:
    """The inverse of cosh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> x.acosh_()
    tensor([0.0000, 1.3170])
    """
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of tanh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.atanh(x)
    tensor([[0.3095, 0.4477],
            [0.6042, 0.7928],
            [1.0454, 1.4722]])
    """
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of tanh.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.atanh(x)
    tensor([[0.3095, 0.4477],
            [0.6042, 0.7928],
            [1.0454, 1.4722]])
    """
def atanh_(input: Tensor) -> Tensor:
    """The inverse of tanh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.atanh_()
    tensor([[0.3095, 0.4477],
            [0.6042, 0.7928],
            [1.0454, 1.4722]])
    """
def arctanh_(input: Tensor) -> Tensor:
    """The inverse of tanh.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.atanh_()
    tensor([[0.3095, 0.4477],
            [0.6042, 0.7928],
            [1.0454, 1.4722]])
    """
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees in radians.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.deg2rad(x)
    tensor([[0.0052, 0.0073],
            [0.0094, 0.0115],
            [0.0136, 0.0157]])
    """
def deg2rad_(input: Tensor) -> Tensor:
    """Degrees in radians.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.deg2rad_()
    tensor([[0.0052, 0.0073],
            [0.0094, 0.0115],
            [0.0136, 0.0157]])
    """
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians in degrees.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.rad2deg(x)
    tensor([[17.1887, 24.0642],
            [30.9397, 37.8152],
            [44.6907, 51.5662]])
    """
def rad2deg_(input: Tensor) -> Tensor:
    """Radians in degrees.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.rad2deg_()
    tensor([[17.1887, 24.0642],
            [30.9397, 37.8152],
            [44.6907, 51.5662]])
    """
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi input) / (pi input), 1 at 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sinc(x)
    tensor([[0.8584, 0.7341],
            [0.5848, 0.4226],
            [0.2601, 0.1093]])
    """
def sinc_(input: Tensor) -> Tensor:
    """sin(pi self) / (pi self), 1 at 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.sinc_()
    tensor([[0.8584, 0.7341],
            [0.5848, 0.4226],
            [0.2601, 0.1093]])
    """
def cumsum(input: Tensor, dim: builtins.int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements up to each one.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.cumsum(x, 1)
    tensor([[1., 4.],
            [4., 6.]])
    """
def cumsum_(input: Tensor, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
    """The sum of all elements up to each one.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> x.cumsum_(1)
    tensor([[1., 4.],
            [4., 6.]])
    """
def cumprod(input: Tensor, dim: builtins.int, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements up to each one; its gradient divides by nothing, so zeros are exact.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.cumprod(x, 1)
    tensor([[1., 3.],
            [4., 8.]])
    """
def cumprod_(input: Tensor, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
    """The product of all elements up to each one; its gradient divides by nothing, so zeros are exact.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> x.cumprod_(1)
    tensor([[1., 3.],
            [4., 8.]])
    """
def cummax(input: Tensor, dim: builtins.int, *, out: Tensors | None = None) -> CummaxResult:
    """The greatest element up to each one, and where it stands.

    Shape: (2, 2) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.cummax(x, 1)
    torch.return_types.cummax(
    values=tensor([[1., 3.],
            [4., 4.]]),
    indices=tensor([[0, 1],
            [0, 0]]))
    """
def cummin(input: Tensor, dim: builtins.int, *, out: Tensors | None = None) -> CumminResult:
    """The least element up to each one, and where it stands.

    Shape: (2, 2) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.cummin(x, 1)
    torch.return_types.cummin(
    values=tensor([[1., 1.],
            [4., 2.]]),
    indices=tensor([[0, 0],
            [0, 1]]))
    """
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """log of the running sum of e**input, without overflow.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.logcumsumexp(x, 1)
    tensor([[1.0000, 3.1269],
            [4.0000, 4.1269]])
    """
def histc(input: Tensor, bins: builtins.int | Tensor | Sequence[builtins.int] = 100, min: builtins.float = 0, max: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many values fall into each of `bins` equal bins from `min` to `max` (both 0: the values' own range).

    Shape: (5,) -> (4,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> weft.histc(x, 4)
    tensor([2., 0., 1., 2.])
    """
def histogram(input: Tensor, bins: builtins.int | Tensor | Sequence[builtins.int], *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, out: Tensors | None = None) -> HistogramResult:
    """The histogram of all values, and the edges of its bins.

    Shape: (5,) -> (4,), (5,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> [t.shape for t in weft.histogram(x, 4)]
    [torch.Size([4]), torch.Size([5])]
    """
def histogramdd(input: Tensor, bins: builtins.int | Tensor | Sequence[builtins.int], range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False, *, out: Tensors | None = None) -> HistogramddResult:
    """The histogram of points (the last dimension), and the edges of the bins of each coordinate.

    Shape: (4, 2) -> (2, 2), (3,), (3,) in the example.

    >>> import weft
    >>> x = weft.ones(4, 2)
    >>> weft.histogramdd(x, bins=2)
    torch.return_types.histogramdd(
    hist=tensor([[0., 0.],
            [0., 4.]]),
    bin_edges=(tensor([0.5000, 1.0000, 1.5000]), tensor([0.5000, 1.0000, 1.5000])))
    """
def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """How often each of 0, 1, 2, ... occurs, or the sum of its weights.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 2, 2])
    >>> weft.bincount(x)
    tensor([1, 0, 2])
    """
def searchsorted(sorted_sequence: Tensor, input: TensorLike, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: str | None = None, sorter: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """Where values would be put into sorted ones to keep them sorted; left of equals, or right.

    Shape: (2,), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([2, 4])
    >>> y = weft.tensor([1, 5])
    >>> weft.searchsorted(x, y)
    tensor([0, 2])
    """
def bucketize(input: TensorLike, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The bin of each value among sorted boundaries.

    Shape: (2,), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 5])
    >>> y = weft.tensor([2, 4])
    >>> weft.bucketize(x, y)
    tensor([0, 2])
    """
def isin(elements: TensorLike, test_elements: TensorLike, *, assume_unique: builtins.bool = False, invert: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Whether each element is among the test elements.

    Shape: (3,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2, 3])
    >>> y = weft.tensor([2, 3])
    >>> weft.isin(x, y)
    tensor([False,  True,  True])
    """
def var(input: Tensor, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """The variance, with `correction` (1: unbiased) taken off the count.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.var(x, 1)
    tensor([2., 2.])
    """
def std(input: Tensor, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None, out: Tensor | None = None) -> Tensor:
    """The standard deviation, with `correction` (1: unbiased) taken off the count.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.std(x, 1)
    tensor([1.4142, 1.4142])
    """
def var_mean(input: Tensor, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The variance and the mean.

    Shape: (3, 4) -> (), () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.var_mean(x)
    (tensor(0.0387), tensor(0.6000))
    """
def std_mean(input: Tensor, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The standard deviation and the mean.

    Shape: (3, 4) -> (), () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.std_mean(x)
    (tensor(0.1967), tensor(0.6000))
    """
def prod(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along `dim`; its gradient is exact at zeros too.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.prod(x, 1)
    tensor([3., 8.])
    """
def amax(input: Tensor, dim: Dim = (), keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element along any dimensions; ties share the gradient.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.amax(x, 1)
    tensor([3., 4.])
    """
def amin(input: Tensor, dim: Dim = (), keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The least element along any dimensions; ties share the gradient.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.amin(x, 1)
    tensor([1., 2.])
    """
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest of all; along `dim`, with its index; or, of two tensors, elementwise.

    Shape: (2, 2) -> (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.max(x, 1)
    torch.return_types.max(
    values=tensor([3., 4.]),
    indices=tensor([1, 0]))
    """
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> MaxResult: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least of all; along `dim`, with its index; or, of two tensors, elementwise.

    Shape: (2, 2) -> (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.min(x, 1)
    torch.return_types.min(
    values=tensor([1., 2.]),
    indices=tensor([0, 1]))
    """
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> MinResult: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the greatest element stands; the first of equals.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.argmax(x, 1)
    tensor([1, 0])
    """
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the least element stands; the first of equals.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.argmin(x, 1)
    tensor([0, 1])
    """
def aminmax(input: Tensor, *, dim: Dim = None, keepdim: builtins.bool = False, out: Tensors | None = None) -> AminmaxResult:
    """The least and the greatest at once, whole or along one dimension.

    Shape: (3,) -> (), () in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.aminmax(x)
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(3.))
    """
def all(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether all elements are true, whole or along `dim`.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[True, False], [True, True]])
    >>> weft.all(x, 1)
    tensor([False,  True])
    """
def any(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element is true, whole or along `dim`.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[True, False], [True, True]])
    >>> weft.any(x, 1)
    tensor([True, True])
    """
def count_nonzero(input: Tensor, dim: Dim = None, *, out: Tensor | None = None) -> Tensor:
    """How many elements are not zero, whole or along `dim`.

    Shape: (3, 2) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.count_nonzero(x)
    tensor(6)
    """
def norm(input: Tensor, p: builtins.float | str = 'fro', dim: Dim = None, keepdim: builtins.bool = False, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
    """The norm of a tensor taken as a vector (p a number), or of matrices ('fro', 'nuc').

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.norm(x)
    tensor(2.1784)
    """
def renorm(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = None) -> Tensor:
    """Each slice along `dim` scaled down to a p-norm of at most `maxnorm`.

    Shape: (3, 4) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.renorm(x, 2, 0, 0.5).shape
    torch.Size([3, 4])
    """
def renorm_(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
    """Each slice along `dim` scaled down to a p-norm of at most `maxnorm`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> x.renorm_(2, 0, 0.5).shape
    torch.Size([3, 4])
    """
def dist(input: Tensor, other: Tensor, p: builtins.float = 2, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of input - other.

    Shape: (3, 4), (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.dist(x, y)
    tensor(1.3045)
    """
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: str = 'use_mm_for_euclid_dist_if_necessary', *, out: Tensor | None = None) -> Tensor:
    """The p-norm distance between each row of x1 and each row of x2, batched.

    Shape: (1, 2), (1, 2) -> (1, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.0, 0.0]])
    >>> y = weft.tensor([[3.0, 4.0]])
    >>> weft.cdist(x, y)
    tensor([[5.]])
    """
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The n-th differences of neighbours along `dim`.

    Shape: (5,) -> (4,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> weft.diff(x)
    tensor([0.1500, 0.1500, 0.1500, 0.1500])
    """
def gradient(input: Tensor, *, spacing: Floats | Tensors | None = None, dim: Dim = None, edge_order: builtins.int = 1, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The derivative along each dimension, estimated by differences of second order inside.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 4.0])
    >>> weft.gradient(x)
    (tensor([1.0000, 1.5000, 2.0000]),)
    """
def trapezoid(other: Tensor, input: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1, out: Tensor | None = None) -> Tensor:
    """The integral of sampled values along `dim`, by the trapezoid rule.

    Shape: (5,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> weft.trapezoid(x)
    tensor(2.4000)
    """
def trapz(other: Tensor, input: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1, out: Tensor | None = None) -> Tensor:
    """The integral of sampled values along `dim`, by the trapezoid rule.

    Shape: (5,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> weft.trapezoid(x)
    tensor(2.4000)
    """
def cumulative_trapezoid(other: Tensor, input: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1, out: Tensor | None = None) -> Tensor:
    """The integral up to each sample, by the trapezoid rule.

    Shape: (5,) -> (4,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
    >>> weft.cumulative_trapezoid(x)
    tensor([0.3750, 0.9000, 1.5750, 2.4000])
    """
def cov(input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The covariance matrix of variables in rows, observed in columns.

    Shape: (2, 3) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> weft.cov(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
def corrcoef(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The correlation of variables in rows, observed in columns.

    Shape: (2, 3) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    >>> weft.corrcoef(x)
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
def quantile(input: Tensor, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantiles along `dim`; NaN in a row gives NaN.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.quantile(x, 0.3)
    tensor(0.4800)
    """
def nanquantile(input: Tensor, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', out: Tensor | None = None) -> Tensor:
    """The q-th quantiles of the elements that are not NaN, along `dim`.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.nanquantile(x, 0.3)
    tensor(0.4800)
    """
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, out: Tensors | None = None) -> SortResult:
    """The elements in order along `dim`, and where they stood; NaN is the greatest.

    Shape: (3,) -> (3,), (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.sort(x)
    torch.return_types.sort(
    values=tensor([1., 2., 3.]),
    indices=tensor([1, 2, 0]))
    """
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The indices that sort along `dim`.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.argsort(x)
    tensor([1, 2, 0])
    """
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements in order along the first dimension.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.msort(x)
    tensor([1., 2., 3.])
    """
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, out: Tensors | None = None) -> TopkResult:
    """The k greatest (or least) along `dim`, and where they stand.

    Shape: (3,) -> (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.topk(x, 2)
    torch.return_types.topk(
    values=tensor([3., 2.]),
    indices=tensor([0, 2]))
    """
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> KthvalueResult:
    """The k-th least element along `dim` (k counts from 1), and where it stands.

    Shape: (3,) -> (), () in the example.

    >>> import weft
    >>> x = weft.tensor([3.0, 1.0, 2.0])
    >>> weft.kthvalue(x, 2)
    torch.return_types.kthvalue(
    values=tensor(2.),
    indices=tensor(2))
    """
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower median: of all elements, or along `dim` with its index.

    Shape: (2, 2) -> (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.median(x, 1)
    torch.return_types.median(
    values=tensor([1., 2.]),
    indices=tensor([0, 1]))
    """
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> MedianResult: ...
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The lower median of the elements that are not NaN.

    Shape: (3, 3) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> weft.nanmedian(x)
    tensor(0.6000)
    """
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> NanmedianResult: ...
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Tensors | None = None) -> ModeResult:
    """The most frequent element along `dim` (the least of those equally frequent), and where it stands.

    Shape: (3,) -> (), () in the example.

    >>> import weft
    >>> x = weft.tensor([1, 3, 3])
    >>> weft.mode(x)
    torch.return_types.mode(
    values=tensor(3),
    indices=tensor(2))
    """
def sum(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or along `dim`.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.sum(x, 1)
    tensor([4., 6.])
    """
def mean(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or along `dim`.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.mean(x, 1)
    tensor([2., 3.])
    """
def nansum(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The sum with NaN counted as zero.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, float('nan')], [4.0, 2.0]])
    >>> weft.nansum(x, 1)
    tensor([1., 6.])
    """
def nanmean(input: Tensor, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that are not NaN.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, float('nan')], [4.0, 2.0]])
    >>> weft.nanmean(x, 1)
    tensor([1., 3.])
    """
@overload
def sum_to_size(input: Tensor, size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The sum over the dimensions that broadcasting from `size` would have added or stretched.

    Shape: (3, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sum_to_size(x, (2,))
    tensor([1.6200, 1.9800])
    """
@overload
def sum_to_size(input: Tensor, *size: builtins.int, out: Tensor | None = None) -> Tensor: ...
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None, *, out: Tensors | None = None) -> Any:
    """The distinct elements, or slices along `dim`, in order.

    Shape: (3,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([3, 1, 3])
    >>> weft.unique(x)
    tensor([1, 3])
    """
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None, *, out: Tensors | None = None) -> Any:
    """The elements, or slices along `dim`, without immediate repetitions.

    Shape: (3,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([3, 3, 1])
    >>> weft.unique_consecutive(x)
    tensor([3, 1])
    """
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view with two dimensions exchanged.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> weft.transpose(x, 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
def swapaxes(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view with two dimensions exchanged.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> weft.transpose(x, 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view with two dimensions exchanged.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> weft.transpose(x, 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
@overload
def permute(input: Tensor, dims: Ints, *, out: Tensor | None = None) -> Tensor:
    """The view with its dimensions in another order.

    Shape: (2, 3, 4) -> (4, 2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.permute(x, [2, 0, 1]).shape
    torch.Size([4, 2, 3])
    """
@overload
def permute(input: Tensor, *dims: builtins.int, out: Tensor | None = None) -> Tensor: ...
def t(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The transposed matrix; vectors and numbers stay as they are.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.t(x)
    tensor([[0.3000, 0.6600],
            [0.4200, 0.7800],
            [0.5400, 0.9000]])
    """
def adjoint(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The last two dimensions exchanged and, for complex numbers, conjugated.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.adjoint(x)
    tensor([[0.3000, 0.6600],
            [0.4200, 0.7800],
            [0.5400, 0.9000]])
    """
def movedim(input: Tensor, source: Ints, destination: Ints, *, out: Tensor | None = None) -> Tensor:
    """The view with some dimensions moved to other places, the others in their order.

    Shape: (2, 3, 4) -> (3, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.movedim(x, 0, 2).shape
    torch.Size([3, 4, 2])
    """
def moveaxis(input: Tensor, source: Ints, destination: Ints, *, out: Tensor | None = None) -> Tensor:
    """The view with some dimensions moved to other places, the others in their order.

    Shape: (2, 3, 4) -> (3, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.movedim(x, 0, 2).shape
    torch.Size([3, 4, 2])
    """
@overload
def view(input: Tensor, size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The same memory with another shape (one -1 is worked out), or its bytes as another type.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.view(x, 3, 2)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
@overload
def view(input: Tensor, *size: builtins.int, out: Tensor | None = None) -> Tensor: ...
def view_as(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The view with the shape of another tensor.

    Shape: (2, 3), (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.view_as(x, y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
@overload
def reshape(input: Tensor, shape: Ints, *, out: Tensor | None = None) -> Tensor:
    """Another shape (one -1 is worked out): a view where the memory allows it, else a copy.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.reshape(x, 3, 2)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
@overload
def reshape(input: Tensor, *shape: builtins.int, out: Tensor | None = None) -> Tensor: ...
def reshape_as(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Reshaped to the shape of another tensor.

    Shape: (2, 3), (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.reshape_as(x, y)
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def ravel(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All elements in one dimension.

    Shape: (2, 3) -> (6,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.ravel(x)
    tensor([0.3000, 0.4200, 0.5400, 0.6600, 0.7800, 0.9000])
    """
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1, *, out: Tensor | None = None) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made one.

    Shape: (2, 2) -> (4,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> weft.flatten(x)
    tensor([1, 2, 3, 4])
    """
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """One dimension split into several.

    Shape: (4,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.arange(4)
    >>> weft.unflatten(x, 0, (2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
def unsqueeze(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view with a dimension of length 1 put in at `dim`.

    Shape: (2,) -> (1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> weft.unsqueeze(x, 0)
    tensor([[1, 2]])
    """
def squeeze(input: Tensor, dim: Ints | None = None, *, out: Tensor | None = None) -> Tensor:
    """The view without dimensions of length 1: all of them, or those of `dim` that have it.

    Shape: (2, 1, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 6).reshape(2, 1, 3)
    >>> weft.squeeze(x)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]])
    """
@overload
def expand(input: Tensor, size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The view with dimensions of length 1 repeated to `size`, without copying; -1 keeps a length.

    Shape: (2, 1) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1], [2]])
    >>> weft.expand(x, (2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
@overload
def expand(input: Tensor, *size: builtins.int, out: Tensor | None = None) -> Tensor: ...
def expand_as(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Expanded to the shape of another tensor.

    Shape: (3, 1), (3, 4) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3], [0.6], [0.9]])
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.expand_as(x, y).shape
    torch.Size([3, 4])
    """
def broadcast_to(input: Tensor, size: Ints, *, out: Tensor | None = None) -> Tensor:
    """Expanded to a shape.

    Shape: (2, 1) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1], [2]])
    >>> weft.broadcast_to(x, (2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
def broadcast_tensors(*tensors: Tensor, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The tensors expanded to the one shape that they broadcast to.

    Shape: (2, 1), (2,) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(2, 1)
    >>> weft.broadcast_tensors(x, weft.ones(2))
    (tensor([[1., 1.],
            [1., 1.]]), tensor([[1., 1.],
            [1., 1.]]))
    """
def narrow(input: Tensor, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view of `length` elements from `start` in dimension `dim`.

    Shape: (4, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.narrow(x, 0, 1, 2)
    tensor([[0.4636, 0.5182, 0.5727],
            [0.6273, 0.6818, 0.7364]])
    """
def select(input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view at one index of a dimension, without that dimension.

    Shape: (4, 3) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.select(x, 0, 1)
    tensor([0.4636, 0.5182, 0.5727])
    """
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """The view of a diagonal of two dimensions, put last.

    Shape: (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.diagonal(x)
    tensor([0.3000, 0.5727, 0.8455])
    """
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1, *, out: Tensor | None = None) -> Tensor:
    """Matrices with the last dimension of input on a diagonal, zeros elsewhere.

    Shape: (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> weft.diag_embed(x)
    tensor([[1., 0.],
            [0., 2.]])
    """
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A vector as a diagonal matrix, or the diagonal of a matrix as a new vector.

    Shape: (3,) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.diag(x)
    tensor([[1., 0., 0.],
            [0., 2., 0.],
            [0., 0., 3.]])
    """
def diagflat(input: Tensor, offset: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """All elements on the diagonal of a matrix.

    Shape: (3,) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.diagflat(x)
    tensor([[1., 0., 0.],
            [0., 2., 0.],
            [0., 0., 3.]])
    """
def as_strided(input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The view of input's storage with this shape, these strides and this offset from its start.

    Shape: (6,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.42, 0.54, 0.66, 0.78, 0.9])
    >>> weft.as_strided(x, [2, 2], [2, 1])
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600]])
    """
def unfold(input: Tensor, dimension: builtins.int, size: Ints, step: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The view of all windows of `size` elements, `step` apart, of a dimension; the window is the last dimension.

    Shape: (4,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.arange(4)
    >>> weft.unfold(x, 0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
def contiguous(input: Tensor, memory_format: MemoryFormat = ..., *, out: Tensor | None = None) -> Tensor:
    """The tensor itself where it lies in memory in this order already, else a copy that does.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.contiguous(x)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]])
    """
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.alias_copy(x)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]])
    """
def as_strided_copy(input: Tensor, size: Ints, stride: Ints, storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy of a window on the storage.

    Shape: (6,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.42, 0.54, 0.66, 0.78, 0.9])
    >>> weft.as_strided_copy(x, [2, 2], [2, 1])
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600]])
    """
def diagonal_copy(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of a diagonal.

    Shape: (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.diagonal_copy(x, 1)
    tensor([0.3545, 0.6273, 0.9000])
    """
def expand_copy(input: Tensor, size: Ints, *, implicit: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """An expanded copy.

    Shape: (2, 1) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1], [2]])
    >>> weft.expand_copy(x, (2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
def narrow_copy(input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of a range of a dimension.

    Shape: (4, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.narrow_copy(x, 0, 1, 2)
    tensor([[0.4636, 0.5182, 0.5727],
            [0.6273, 0.6818, 0.7364]])
    """
def permute_copy(input: Tensor, dims: Ints, *, out: Tensor | None = None) -> Tensor:
    """A copy with the dimensions in another order.

    Shape: (2, 3, 4) -> (4, 2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.permute_copy(x, [2, 0, 1]).shape
    torch.Size([4, 2, 3])
    """
def select_copy(input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of what lies at one index of a dimension.

    Shape: (4, 3) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.select_copy(x, 0, 1)
    tensor([0.4636, 0.5182, 0.5727])
    """
def slice_copy(input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of a range of a dimension.

    Shape: (4, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.slice_copy(x, 0, 1, 3)
    tensor([[0.4636, 0.5182, 0.5727],
            [0.6273, 0.6818, 0.7364]])
    """
def split_copy(input: Tensor, split_size: Ints, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Copies of pieces of one length.

    Shape: (5,) -> (2,), (2,), (1,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.split_copy(x, 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Copies of pieces of given lengths.

    Shape: (5, 2) -> (1, 2), (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 10).reshape(5, 2)
    >>> [t.shape for t in weft.split_with_sizes_copy(x, [1, 4])]
    [torch.Size([1, 2]), torch.Size([4, 2])]
    """
def squeeze_copy(input: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy without dimensions of length 1.

    Shape: (2, 1, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 6).reshape(2, 1, 3)
    >>> weft.squeeze_copy(x, 1)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]])
    """
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A transposed copy.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.t_copy(x)
    tensor([[0.3000, 0.6600],
            [0.4200, 0.7800],
            [0.5400, 0.9000]])
    """
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with two dimensions exchanged.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> weft.transpose_copy(x, 0, 1)
    tensor([[1, 3],
            [2, 4]])
    """
def unbind_copy(input: Tensor, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Copies of what lies at each index of a dimension.

    Shape: (3, 2) -> (2,), (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.unbind_copy(x)
    (tensor([0.3000, 0.4200]), tensor([0.5400, 0.6600]), tensor([0.7800, 0.9000]))
    """
def unfold_copy(input: Tensor, dimension: builtins.int, size: Ints, step: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of all windows of a dimension.

    Shape: (4,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.arange(4)
    >>> weft.unfold_copy(x, 0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with a dimension of length 1 put in.

    Shape: (2,) -> (1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> weft.unsqueeze_copy(x, 0)
    tensor([[1, 2]])
    """
def view_copy(input: Tensor, size: Ints | None = None, *, dtype: DType | None = None, out: Tensor | None = None) -> Tensor:
    """A copy with another shape, or with its bytes read as another type.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.view_copy(x, [3, 2])
    tensor([[0.3000, 0.4200],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of complex numbers as pairs.

    Shape: (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1 + 2j, 3 - 4j])
    >>> weft.view_as_real_copy(x)
    tensor([[ 1.,  2.],
            [ 3., -4.]])
    """
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of pairs as complex numbers.

    Shape: (3, 2) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.view_as_complex_copy(x)
    tensor([0.3000+0.4200j, 0.5400+0.6600j, 0.7800+0.9000j])
    """
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with `src` at one index of a dimension.

    Shape: (4, 3), (3,) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> weft.select_scatter(x, y, 0, 1).shape
    torch.Size([4, 3])
    """
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy with `src` in a range of a dimension.

    Shape: (4, 3), (2, 3) -> (4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> y = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
    >>> weft.slice_scatter(x, y, 0, 1, 3).shape
    torch.Size([4, 3])
    """
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy with `src` on a diagonal.

    Shape: (3, 4), (3,) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> weft.diagonal_scatter(x, y).shape
    torch.Size([3, 4])
    """
def as_strided_scatter(input: Tensor, src: Tensor, size: Ints, stride: Ints, storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy with `src` in a window on its memory.

    Shape: (6,), (2, 2) -> (6,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.42, 0.54, 0.66, 0.78, 0.9])
    >>> y = weft.tensor([[0.78, 0.64], [0.5, 0.36]])
    >>> weft.as_strided_scatter(x, y, [2, 2], [2, 1])
    tensor([0.7800, 0.6400, 0.5000, 0.3600, 0.7800, 0.9000])
    """
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2) as a sparse tensor, which has the elements of `input` and then the rows of
    the product for which mat1 stores something, not coalesced; input and mat1 are sparse (COO), mat2 is dense.

    >>> import weft
    >>> s = weft.sspaddmm(weft.eye(2).to_sparse(), weft.eye(2).to_sparse(), weft.ones(2, 2))
    >>> s._nnz(), s.to_dense()
    (6, tensor([[2., 1.],
            [1., 2.]]))
    """
contiguous_format: memory_format
preserve_format: memory_format
channels_last: memory_format
channels_last_3d: memory_format
sparse_coo: layout
sparse_csr: layout
sparse_csc: layout
sparse_bsr: layout
sparse_bsc: layout
jagged: layout
strided: layout
from weft.core.layout import layout as layout
from weft.core.layout import memory_format as memory_format
nan: builtins.float
inf: builtins.float
pi: builtins.float
e: builtins.float
newaxis: Any
@overload
def zeros(size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor:
    """A tensor of zeros.

    >>> import weft
    >>> weft.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
@overload
def zeros(*size: builtins.int, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor: ...
@overload
def ones(size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor:
    """A tensor of ones.

    >>> import weft
    >>> weft.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
@overload
def ones(*size: builtins.int, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor: ...
@overload
def empty(size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, names: Sequence[str] | None = None) -> Tensor:
    """A tensor whose values are whatever the memory holds.

    >>> import weft
    >>> weft.empty(2, 3).shape
    torch.Size([2, 3])
    """
@overload
def empty(*size: builtins.int, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, names: Sequence[str] | None = None) -> Tensor: ...
def full(size: Ints, fill_value: Number, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor:
    """A tensor with the same number everywhere; its type is the number's.

    >>> import weft
    >>> weft.full((2, 2), 0.5)
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
def empty_strided(size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """An uninitialized tensor with the given strides (counted in elements).

    >>> import weft
    >>> weft.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
def empty_permuted(size: Ints, physical_layout: Sequence[builtins.int], *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """An uninitialized dense tensor whose dimensions lie in memory in the given order.

    >>> import weft
    >>> weft.empty_permuted((2, 3, 4), (2, 0, 1)).stride()
    (3, 1, 6)
    """
def scalar_tensor(s: Number, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """A zero-dim tensor of the default type.

    >>> import weft
    >>> weft.scalar_tensor(3.0)
    tensor(3.)
    """
def eye(n: builtins.int, m: builtins.int | None = None, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """The identity matrix, or its first `m` columns.

    >>> import weft
    >>> weft.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
def zeros_like(input: Tensor, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Zeros with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.zeros_like(weft.ones(2))
    tensor([0., 0.])
    """
def ones_like(input: Tensor, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Ones with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.ones_like(weft.zeros(2))
    tensor([1., 1.])
    """
def empty_like(input: Tensor, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Uninitialized, with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.empty_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
def full_like(input: Tensor, fill_value: Number, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """One number everywhere, with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.full_like(weft.zeros(2), 3)
    tensor([3., 3.])
    """
def cat(tensors: Tensors, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`; the other lengths must agree.

    Shape: (2, 3), (2, 1) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]]), weft.tensor([[0.78], [0.36]])]
    >>> weft.cat(x, -1)
    tensor([[0.3000, 0.4200, 0.5400, 0.7800],
            [0.6600, 0.7800, 0.9000, 0.3600]])
    """
def concat(tensors: Tensors, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`; the other lengths must agree.

    Shape: (2, 3), (2, 1) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]]), weft.tensor([[0.78], [0.36]])]
    >>> weft.cat(x, -1)
    tensor([[0.3000, 0.4200, 0.5400, 0.7800],
            [0.6600, 0.7800, 0.9000, 0.3600]])
    """
def concatenate(tensors: Tensors, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along `dim`; the other lengths must agree.

    Shape: (2, 3), (2, 1) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]]), weft.tensor([[0.78], [0.36]])]
    >>> weft.cat(x, -1)
    tensor([[0.3000, 0.4200, 0.5400, 0.7800],
            [0.6600, 0.7800, 0.9000, 0.3600]])
    """
def stack(tensors: Tensors, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape along a new dimension.

    Shape: (2,), (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = [weft.tensor([0.3, 0.9]), weft.tensor([0.78, 0.36])]
    >>> weft.stack(x, -1)
    tensor([[0.3000, 0.7800],
            [0.9000, 0.3600]])
    """
def atleast_1d(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    """Numbers become vectors.

    Shape: () -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor(0.6)
    >>> weft.atleast_1d(x)
    tensor([0.6000])
    """
def atleast_2d(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    """Vectors become one-row matrices.

    Shape: () -> (1, 1) in the example.

    >>> import weft
    >>> x = weft.tensor(0.6)
    >>> weft.atleast_2d(x)
    tensor([[0.6000]])
    """
def atleast_3d(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    """Vectors become (1, n, 1), matrices (m, n, 1).

    Shape: () -> (1, 1, 1) in the example.

    >>> import weft
    >>> x = weft.tensor(0.6)
    >>> weft.atleast_3d(x)
    tensor([[[0.6000]]])
    """
def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side: along the columns, vectors one after the other.

    Shape: (2, 3), (2, 1) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]]), weft.tensor([[0.78], [0.36]])]
    >>> weft.hstack(x)
    tensor([[0.3000, 0.4200, 0.5400, 0.7800],
            [0.6600, 0.7800, 0.9000, 0.3600]])
    """
def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors on top of each other: along the rows, vectors as rows.

    Shape: (2,), (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = [weft.tensor([1, 2]), weft.tensor([3, 4])]
    >>> weft.vstack(x)
    tensor([[1, 2],
            [3, 4]])
    """
def row_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors on top of each other: along the rows, vectors as rows.

    Shape: (2,), (2,) -> (2, 2) in the example.

    >>> import weft
    >>> x = [weft.tensor([1, 2]), weft.tensor([3, 4])]
    >>> weft.vstack(x)
    tensor([[1, 2],
            [3, 4]])
    """
def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Tensors behind each other: along the third dimension.

    Shape: (2,), (2,) -> (1, 2, 2) in the example.

    >>> import weft
    >>> x = [weft.ones(2), weft.zeros(2)]
    >>> weft.dstack(x)
    tensor([[[1., 0.],
             [1., 0.]]])
    """
def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Vectors and matrices side by side as columns.

    Shape: (2,), (2, 3) -> (2, 4) in the example.

    >>> import weft
    >>> x = [weft.tensor([0.3, 0.9]), weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])]
    >>> weft.column_stack(x)
    tensor([[0.3000, 0.7800, 0.7000, 0.6100],
            [0.9000, 0.5300, 0.4400, 0.3600]])
    """
def block_diag(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    """Matrices along the diagonal of a larger one, zeros elsewhere.

    Shape: (1, 1), (2, 2) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1)
    >>> y = weft.ones(2, 2)
    >>> weft.block_diag(x, y)
    tensor([[1., 0., 0.],
            [0., 1., 1.],
            [0., 1., 1.]])
    """
def split(tensor: Tensor, split_size_or_sections: Ints | None = None, dim: builtins.int = 0, *, split_size: Ints | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Pieces of one length (the last may be shorter), or of given lengths.

    Shape: (5,) -> (2,), (2,), (1,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.split(x, 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Pieces of the given lengths.

    Shape: (5, 2) -> (1, 2), (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 10).reshape(5, 2)
    >>> [t.shape for t in weft.split_with_sizes(x, [1, 4])]
    [torch.Size([1, 2]), torch.Size([4, 2])]
    """
def unsafe_split(tensor: Tensor, split_size: Ints, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """split, whose pieces may be written to freely.

    Shape: (5,) -> (2,), (2,), (1,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.unsafe_split(x, 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """split_with_sizes, whose pieces may be written to freely.

    Shape: (5, 2) -> (1, 2), (4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 10).reshape(5, 2)
    >>> [t.shape for t in weft.unsafe_split_with_sizes(x, [1, 4])]
    [torch.Size([1, 2]), torch.Size([4, 2])]
    """
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """At most `chunks` pieces, equal but for the last.

    Shape: (5,) -> (3,), (2,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """chunk, whose pieces may be written to freely.

    Shape: (5,) -> (3,), (2,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.unsafe_chunk(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
def unbind(input: Tensor, dim: builtins.int = 0, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The views at each index of a dimension.

    Shape: (3, 2) -> (2,), (2,), (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.unbind(x)
    (tensor([0.3000, 0.4200]), tensor([0.5400, 0.6600]), tensor([0.7800, 0.9000]))
    """
def tensor_split(input: Tensor, indices_or_sections: Ints | Tensor | None = None, dim: builtins.int = 0, *, indices: Tensor | None = None, sections: builtins.int | None = None, tensor_indices_or_sections: Ints | Tensor | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """`sections` pieces that differ by at most one in length, or pieces that end at the given indices.

    Shape: (5,) -> (3,), (2,) in the example.

    >>> import weft
    >>> x = weft.arange(5)
    >>> weft.tensor_split(x, 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
def hsplit(input: Tensor, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Pieces along the columns (of a vector: along itself).

    Shape: (2, 4) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 8).reshape(2, 4)
    >>> weft.hsplit(x, 2)
    (tensor([[0.3000, 0.3857],
            [0.6429, 0.7286]]), tensor([[0.4714, 0.5571],
            [0.8143, 0.9000]]))
    """
def vsplit(input: Tensor, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Pieces along the rows.

    Shape: (4, 2) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 8).reshape(4, 2)
    >>> weft.vsplit(x, 2)
    (tensor([[0.3000, 0.3857],
            [0.4714, 0.5571]]), tensor([[0.6429, 0.7286],
            [0.8143, 0.9000]]))
    """
def dsplit(input: Tensor, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Pieces along the third dimension.

    Shape: (2, 2, 4) -> (2, 2, 2), (2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
    >>> [t.shape for t in weft.dsplit(x, 2)]
    [torch.Size([2, 2, 2]), torch.Size([2, 2, 2])]
    """
@overload
def flip(input: Tensor, dims: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """The elements in reverse order along `dims`.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.flip(x, [0])
    tensor([[0.6600, 0.7800, 0.9000],
            [0.3000, 0.4200, 0.5400]])
    """
@overload
def flip(input: Tensor, *dims: builtins.int, out: Tensor | None = None) -> Tensor: ...
def fliplr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The columns in reverse order.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.fliplr(x)
    tensor([[0.5400, 0.4200, 0.3000],
            [0.9000, 0.7800, 0.6600]])
    """
def flipud(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The rows in reverse order.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.flipud(x)
    tensor([[0.6600, 0.7800, 0.9000],
            [0.3000, 0.4200, 0.5400]])
    """
def roll(input: Tensor, shifts: Ints, dims: Dim = (), *, out: Tensor | None = None) -> Tensor:
    """The elements moved by `shifts` along `dims` (all as one sequence without it), around the ends.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.roll(x, 1)
    tensor([[0.9000, 0.3000, 0.4200],
            [0.5400, 0.6600, 0.7800]])
    """
def rot90(input: Tensor, k: builtins.int = 1, dims: Ints = (0, 1), *, out: Tensor | None = None) -> Tensor:
    """Turned by `k` right angles in the plane of two dimensions, from the first towards the second.

    Shape: (2, 3) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.rot90(x)
    tensor([[0.5400, 0.9000],
            [0.4200, 0.7800],
            [0.3000, 0.6600]])
    """
@overload
def repeat(input: Tensor, repeats: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """Copies of the tensor next to each other, `repeats` times along each dimension.

    Shape: (2,) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> weft.repeat(x, (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
@overload
def repeat(input: Tensor, *repeats: builtins.int, out: Tensor | None = None) -> Tensor: ...
@overload
def tile(input: Tensor, dims: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """repeat, where `dims` may be shorter than the shape.

    Shape: (2,) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> weft.tile(x, (2, 2))
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
@overload
def tile(input: Tensor, *dims: builtins.int, out: Tensor | None = None) -> Tensor: ...
def repeat_interleave(input: Tensor | None = None, repeats: Tensor | builtins.int | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """Each element repeated in place: the same number of times, or each its own.

    Shape: (2,) -> (4,) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> weft.repeat_interleave(x, 2)
    tensor([1, 1, 2, 2])
    """
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: Number = 0, *, out: Tensor | None = None) -> Tensor:
    """A margin of `value` around the last dimensions: pad = (last before, last after, second to last before, ...).

    Shape: (2, 3) -> (2, 6) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.constant_pad_nd(x, [1, 2]).shape
    torch.Size([2, 6])
    """
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle, zeros above the diagonal.

    Shape: (3, 3) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.ones(3, 3)
    >>> weft.tril(x)
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    """
def tril_(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """The lower triangle, zeros above the diagonal.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.ones(3, 3)
    >>> x.tril_()
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    """
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle, zeros below the diagonal.

    Shape: (3, 3) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.ones(3, 3)
    >>> weft.triu(x)
    tensor([[1., 1., 1.],
            [0., 1., 1.],
            [0., 0., 1.]])
    """
def triu_(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """The upper triangle, zeros below the diagonal.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.ones(3, 3)
    >>> x.triu_()
    tensor([[1., 1., 1.],
            [0., 1., 1.],
            [0., 0., 1.]])
    """
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The rows and columns of the lower triangle of a `row` by `col` matrix, as a (2, n) tensor.

    >>> import weft
    >>> weft.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """The rows and columns of the upper triangle of a `row` by `col` matrix, as a (2, n) tensor.

    >>> import weft
    >>> weft.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
def meshgrid(*tensors: Tensor, indexing: str | None = None, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: each vector spread over all combinations.

    Shape: (2,), (2,) -> (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> y = weft.tensor([3, 4])
    >>> weft.meshgrid(x, y)
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
def cartesian_prod(*tensors: Tensor, out: Tensor | None = None) -> Tensor:
    """All combinations of an element of each vector, one in each row.

    Shape: (2,), (2,) -> (4, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2])
    >>> y = weft.tensor([3, 4])
    >>> weft.cartesian_prod(x, y)
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """All choices of `r` elements of a vector, one in each row.

    Shape: (3,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2, 3])
    >>> weft.combinations(x)
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product: every element of input times all of other.

    Shape: (2, 2), (1, 2) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.ones(1, 2)
    >>> weft.kron(weft.eye(2), x)
    tensor([[1., 1., 0., 0.],
            [0., 0., 1., 1.]])
    """
def unravel_index(indices: Tensor, shape: Ints, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """Places in the flattened tensor as one index for each dimension of `shape`.

    Shape: (1,) -> (1,), (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([3])
    >>> weft.unravel_index(x, (2, 2))
    (tensor([1]), tensor([1]))
    """
def fill_diagonal_(self: Any, fill_value: Number, wrap: builtins.bool = False) -> Tensor:
    """Fill the main diagonal in place; with `wrap` it starts again below a tall matrix's last one.

    >>> import weft
    >>> weft.zeros(2, 3).fill_diagonal_(5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
def as_strided_(self: Any, size: Ints, stride: Ints, storage_offset: builtins.int | None = None) -> Tensor:
    """Become another window on the same storage.

    >>> import weft
    >>> x = weft.arange(4)
    >>> x.as_strided_((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
def resize_as_(self: Any, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Another tensor's size, in place.

    >>> import weft
    >>> weft.arange(6).resize_as_(weft.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product of 3-vectors along `dim`, or the first dimension of length 3.

    Shape: (3, 2), (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> weft.cross(x, y)
    tensor([[-0.2382, -0.2394],
            [ 0.4764,  0.4788],
            [-0.2382, -0.2394]])
    """
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sums of products over the last dimensions.

    Shape: (2, 3), (4, 3) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(4, 3)
    >>> weft.inner(x, y)
    tensor([[1.0522, 0.8460, 0.6398, 0.4336],
            [1.9653, 1.5824, 1.1995, 0.8165]])
    """
def vander(input: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The powers of a vector's elements as columns, falling unless `increasing`.

    Shape: (3,) -> (3, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2, 3])
    >>> weft.vander(x)
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
def trace(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sum of a matrix's diagonal.

    Shape: (3, 3) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> weft.trace(x)
    tensor(1.8000)
    """
def tensordot(a: Tensor, b: Tensor, dims: builtins.int | Sequence[Sequence[builtins.int]] = 2, *, out: Tensor | None = None) -> Tensor:
    """The sum of products over chosen dimensions of both tensors.

    Shape: (2, 3), (3, 4) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.tensordot(x, y, 1)
    tensor([[0.8067, 0.7380, 0.6693, 0.6005],
            [1.5431, 1.4155, 1.2878, 1.1602]])
    """
def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A matrix times itself n times; the inverse for n = -1.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 1.0], [0.0, 1.0]])
    >>> weft.linalg.matrix_power(x, 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of matrices in the order that needs the fewest multiplications.

    Shape: (2, 3), (3, 4) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.chain_matmul(x, y)
    tensor([[0.8067, 0.7380, 0.6693, 0.6005],
            [1.5431, 1.4155, 1.2878, 1.1602]])
    """
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e**A of a square matrix.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.zeros(2, 2)
    >>> weft.linalg.matrix_exp(x)
    tensor([[1., 0.],
            [0., 1.]])
    """
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices.

    Shape: (2, 2) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.det(x)
    tensor(8.)
    """
def slogdet(input: Tensor, *, out: Tensors | None = None) -> LinalgSlogdetResult:
    """The sign and the logarithm of the absolute value of the determinant.

    Shape: (2, 2) -> (), () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.linalg.slogdet(x)
    torch.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.0794))
    """
def logdet(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the determinant; nan where that is negative.

    Shape: (2, 2) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.logdet(x)
    tensor(2.0794)
    """
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Tensors | None = None) -> SvdResult:
    """U, S, V of A = U diag(S) V^H.

    Shape: (3, 2) -> (3, 2), (2,), (2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(3, 2)
    >>> [t.shape for t in weft.svd(x)]
    [torch.Size([3, 2]), torch.Size([2]), torch.Size([2, 2])]
    """
@overload
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """The sum of products that an equation such as 'bij,bjk->bik' describes.

    Shape: (2, 3), (3, 4) -> (2, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
    >>> y = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.einsum('ij,jk->ik', x, y)
    tensor([[1.0459, 1.1599, 1.2739, 1.3879],
            [0.6521, 0.7246, 0.7972, 0.8697]])
    """
@overload
def einsum(equation: str, operands: Sequence[Tensor]) -> Tensor: ...
@overload
def einsum(*operands: Any) -> Tensor: ...
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> weft.inverse(x)
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, out: Tensors | None = None) -> TriangularSolveResult:
    """X of A X = b for a triangular A, and a copy of A.

    Shape: (3, 2), (3, 3) -> (3, 2), (3, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 9).reshape(3, 3)
    >>> [t.shape for t in weft.triangular_solve(x, y)]
    [torch.Size([3, 2]), torch.Size([3, 3])]
    """
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """L of A = L L^H for a hermitian positive-definite A, or the upper factor.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[4.0, 2.0], [2.0, 3.0]])
    >>> weft.cholesky(x)
    tensor([[2.0000, 0.0000],
            [1.0000, 1.4142]])
    """
def cholesky_solve(input: Tensor, input2: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """X of A X = B, given the Cholesky factor of A.

    Shape: (2, 1), (2, 2) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.ones(2, 1)
    >>> y = weft.eye(2) * 2
    >>> weft.cholesky_solve(x, y)
    tensor([[0.2500],
            [0.2500]])
    """
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A, given its Cholesky factor.

    Shape: (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.eye(2) * 2
    >>> weft.cholesky_inverse(x)
    tensor([[0.2500, 0.0000],
            [0.0000, 0.2500]])
    """
def lu(A: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """L and U of A = P L U in one matrix, the row exchanges, and with get_infos the numbers of zero pivots.

    Shape: (3, 3) -> (3, 3), (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.lu(x)]
    [torch.Size([3, 3]), torch.Size([3])]
    """
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True, *, out: Tensors | None = None) -> LuUnpackResult:
    """P, L and U from lu_factor's result.

    Shape: (3, 3), (3,) -> (3, 3), (3, 3), (3, 3) in the example.

    >>> import weft
    >>> x = weft.eye(3) + 0.5
    >>> y = weft.tensor([3, 2, 3], dtype=weft.int32)
    >>> [t.shape for t in weft.lu_unpack(x, y)]
    [torch.Size([3, 3]), torch.Size([3, 3]), torch.Size([3, 3])]
    """
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """X of A X = b from A's LU factors.

    Shape: (3, 2), (3, 3), (3,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.eye(3) + 0.5
    >>> z = weft.tensor([3, 2, 3], dtype=weft.int32)
    >>> weft.lu_solve(x, y, z)
    tensor([[ 0.5111,  0.5733],
            [ 0.1367,  0.1700],
            [-0.1100, -0.0900]])
    """
def svd_lowrank(A: Tensor, q: Tensor | builtins.float = 6, niter: builtins.int = 2, M: Tensor | None = None, *, out: Tensors | None = None) -> SvdLowrankResult:
    """U, S, V of a rank-q approximation U diag(S) V^H of A (or A - M).

    Shape: (4, 3) -> (4, 2), (2,), (3, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> [t.shape for t in weft.svd_lowrank(x, 2)]
    [torch.Size([4, 2]), torch.Size([2]), torch.Size([3, 2])]
    """
def pca_lowrank(A: Tensor, q: Tensor | builtins.float | None = None, center: builtins.bool = True, niter: builtins.int = 2, *, out: Tensors | None = None) -> PcaLowrankResult:
    """U, S, V of a rank-q approximation of A, its columns centred unless `center` is False.

    Shape: (4, 3) -> (4, 2), (2,), (3, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> [t.shape for t in weft.pca_lowrank(x, 2)]
    [torch.Size([4, 2]), torch.Size([2]), torch.Size([3, 2])]
    """
def lobpcg(A: Tensor, k: builtins.int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: builtins.int | None = None, iK: Tensor | None = None, niter: builtins.int | None = None, tol: Tensor | builtins.float | None = None, largest: builtins.bool | None = None, method: str | None = None, tracker: Callable[..., Any] | None = None, ortho_iparams: dict[str, Any] | None = None, ortho_fparams: dict[str, Any] | None = None, ortho_bparams: dict[str, Any] | None = None, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The k largest (or smallest) eigenvalues and vectors of a symmetric A, or of A x = lambda B x.

    Shape: (3, 3) -> (2,), (3, 2) in the example.

    >>> import weft
    >>> x = weft.eye(3) + 0.5
    >>> [t.shape for t in weft.lobpcg(x, 2)]
    [torch.Size([2]), torch.Size([3, 2])]
    """
def pinverse(input: Tensor, rcond: Tensor | builtins.float = 1e-15, *, out: Tensor | None = None) -> Tensor:
    """The pseudo-inverse (Moore and Penrose).

    Shape: (3, 2) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.pinverse(x)
    tensor([[-14.2361,  -2.7778,   8.6806],
            [ 12.1528,   2.7778,  -6.5972]])
    """
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> y = weft.tensor([[1.0], [10.0]])
    >>> weft.mm(x, y)
    tensor([[21.],
            [43.]])
    """
def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> y = weft.tensor([[1.0], [10.0]])
    >>> weft.mm(x, y)
    tensor([[21.],
            [43.]])
    """
def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> y = weft.tensor([[1.0], [10.0]])
    >>> weft.mm(x, y)
    tensor([[21.],
            [43.]])
    """
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two stacks of matrices: (b, n, m) and (b, m, p) give (b, n, p).

    Shape: (2, 3, 2), (2, 2, 4) -> (2, 3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(2, 3, 2)
    >>> y = weft.linspace(0.9, 0.3, 16).reshape(2, 2, 4)
    >>> weft.bmm(x, y).shape
    torch.Size([2, 3, 4])
    """
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A matrix times a vector.

    Shape: (3, 2), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.36])
    >>> weft.mv(x, y)
    tensor([0.3852, 0.6588, 0.9324])
    """
def dot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors.

    Shape: (3,), (3,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> weft.dot(x, y)
    tensor(0.9000)
    """
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors, the first conjugated.

    Shape: (3,), (3,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> weft.vdot(x, y)
    tensor(0.9000)
    """
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of vectors, matrices or stacks of matrices; leading dimensions broadcast.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> y = weft.tensor([[1.0], [10.0]])
    >>> weft.matmul(x, y)
    tensor([[21.],
            [43.]])
    """
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Shape: (2, 1), (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.ones(2, 1)
    >>> y = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> z = weft.tensor([[1.0], [10.0]])
    >>> weft.addmm(x, y, z)
    tensor([[22.],
            [44.]])
    """
def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * self + alpha * (mat1 @ mat2).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.ones(2, 1)
    >>> y = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> z = weft.tensor([[1.0], [10.0]])
    >>> x.addmm_(y, z)
    tensor([[22.],
            [44.]])
    """
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2), of stacks of matrices.

    Shape: (2, 3, 4), (2, 3, 2), (2, 2, 4) -> (2, 3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
    >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
    >>> weft.baddbmm(x, y, z).shape
    torch.Size([2, 3, 4])
    """
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * self + alpha * (batch1 @ batch2), of stacks of matrices.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
    >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
    >>> x.baddbmm_(y, z).shape
    torch.Size([2, 3, 4])
    """
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (the sum of the products of two stacks of matrices).

    Shape: (3, 4), (2, 3, 2), (2, 2, 4) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
    >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
    >>> weft.addbmm(x, y, z).shape
    torch.Size([3, 4])
    """
def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * self + alpha * (the sum of the products of two stacks of matrices).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
    >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
    >>> x.addbmm_(y, z).shape
    torch.Size([3, 4])
    """
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * (mat @ vec).

    Shape: (3,), (3, 2), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.addmv(x, y, z)
    tensor([1.1640, 1.2600, 1.3560])
    """
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * self + alpha * (mat @ vec).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
    >>> z = weft.tensor([0.3, 0.9])
    >>> x.addmv_(y, z)
    tensor([1.1640, 1.2600, 1.3560])
    """
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """beta * input + alpha * outer(vec1, vec2).

    Shape: (3, 2), (3,), (2,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.addr(x, y, z)
    tensor([[0.5340, 1.1220],
            [0.7110, 1.1730],
            [0.8880, 1.2240]])
    """
def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta * self + alpha * outer(vec1, vec2).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> z = weft.tensor([0.3, 0.9])
    >>> x.addr_(y, z)
    tensor([[0.5340, 1.1220],
            [0.7110, 1.1730],
            [0.8880, 1.2240]])
    """
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of all pairs of two vectors' elements.

    Shape: (3,), (2,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([0.78, 0.36])
    >>> weft.outer(x, y)
    tensor([[0.2340, 0.1080],
            [0.4680, 0.2160],
            [0.7020, 0.3240]])
    """
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of all pairs of two vectors' elements.

    Shape: (3,), (2,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([0.3, 0.6, 0.9])
    >>> y = weft.tensor([0.78, 0.36])
    >>> weft.outer(x, y)
    tensor([[0.2340, 0.1080],
            [0.4680, 0.2160],
            [0.7020, 0.3240]])
    """
def frobenius_norm(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The square root of the sum of squares along `dim`.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.frobenius_norm(x, [0, 1])
    tensor(2.1784)
    """
def nuclear_norm(input: Tensor, dim: Ints = (-2, -1), keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The sum of a matrix's singular values.

    Shape: (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.nuclear_norm(x)
    tensor(2.2375)
    """
def norm_except_dim(v: Tensor, pow: builtins.int = 2, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """The norm over all dimensions but one, which is kept.

    Shape: (3, 4) -> (3, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.norm_except_dim(x, 2, 0)
    tensor([[0.7733],
            [1.2062],
            [1.6409]])
    """
def qr(input: Tensor, some: builtins.bool = True, *, out: Tensors | None = None) -> QrResult:
    """Q and R of A = Q R; with some=False Q is square.

    Shape: (3, 3) -> (3, 3), (3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
    >>> [t.shape for t in weft.qr(x)]
    [torch.Size([3, 3]), torch.Size([3, 3])]
    """
def geqrf(input: Tensor, *, out: Tensors | None = None) -> GeqrfResult:
    """R on and above the diagonal, the reflectors below it, and their factors tau.

    Shape: (3, 2) -> (3, 2), (2,) in the example.

    >>> import weft
    >>> x = weft.ones(3, 2)
    >>> [t.shape for t in weft.geqrf(x)]
    [torch.Size([3, 2]), torch.Size([2])]
    """
def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of Q, a product of reflectors.

    Shape: (3, 2), (2,) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.36])
    >>> weft.linalg.householder_product(x, y).shape
    torch.Size([3, 2])
    """
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """A matrix times Q (or Q^H), given by its reflectors.

    Shape: (3, 2), (2,), (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> y = weft.tensor([0.78, 0.36])
    >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.ormqr(x, y, z).shape
    torch.Size([3, 2])
    """
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None, out: Tensor | None = None) -> Tensor:
    """A copy in its own memory, still in the graph.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.clone(x)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]])
    """
def copy_(self: Any, src: Tensor, non_blocking: builtins.bool = False) -> Tensor:
    """Overwrite this tensor with the values of `src`.

    >>> import weft
    >>> weft.zeros(2).copy_(weft.ones(2))
    tensor([1., 1.])
    """
def to(input: Tensor, *args: Any, device: Device | None = None, dtype: DType | None = None, other: Tensor | None = None, tensor: Tensor | None = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: MemoryFormat | None = None, out: Tensor | None = None) -> Tensor:
    """Convert to another type, device or memory format; the tensor itself where nothing changes.

    to(dtype), to(device, dtype), to(other)

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> weft.to(x, weft.float64)
    tensor([[0.3000, 0.4200, 0.5400],
            [0.6600, 0.7800, 0.9000]], dtype=torch.float64)
    """
def from_numpy(ndarray: Array) -> Tensor:
    """A tensor in the memory of a NumPy array.

    >>> import weft
    >>> import numpy as np
    >>> weft.from_numpy(np.arange(3))
    tensor([0, 1, 2])
    """
def as_tensor(data: Any, dtype: DType | None = None, device: Device | None = None) -> Tensor:
    """The data as a tensor, without a copy where none is needed.

    >>> import weft
    >>> weft.as_tensor([1.0, 2.0])
    tensor([1., 2.])
    """
def asarray(obj: Any, *, dtype: DType | None = None, device: Device | None = None, copy: builtins.bool | None = None, requires_grad: builtins.bool | None = None) -> Tensor:
    """Anything array-like as a tensor; `copy` forces (True) or forbids (False) a copy.

    >>> import weft
    >>> weft.asarray([1, 2])
    tensor([1, 2])
    """
def frombuffer(buffer: Any, *, dtype: DType, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False) -> Tensor:
    """A one-dim tensor in the memory of a buffer.

    >>> import weft
    >>> weft.frombuffer(bytearray(b'abc'), dtype=weft.uint8)
    tensor([97, 98, 99], dtype=torch.uint8)
    """
def from_file(filename: Path, shared: builtins.bool | None = None, size: builtins.int = 0, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A one-dim tensor whose memory is a file's; with `shared`, writes go to the file, which grows to `size` elements.

    >>> import weft
    >>> weft.arange(3.0).numpy().tofile("numbers.bin")
    >>> weft.from_file("numbers.bin", size=3)
    tensor([0., 1., 2.])
    """
class FloatTensor:
    tensor_dtype: dtype

class DoubleTensor:
    tensor_dtype: dtype

class HalfTensor:
    tensor_dtype: dtype

class BFloat16Tensor:
    tensor_dtype: dtype

class ByteTensor:
    tensor_dtype: dtype

class CharTensor:
    tensor_dtype: dtype

class ShortTensor:
    tensor_dtype: dtype

class IntTensor:
    tensor_dtype: dtype

class LongTensor:
    tensor_dtype: dtype

class BoolTensor:
    tensor_dtype: dtype

def set_default_tensor_type(t: type | str) -> None:
    """Set the default type by the name of an old constructor.

    >>> import weft
    >>> weft.set_default_tensor_type("torch.DoubleTensor")
    >>> weft.ones(1).dtype
    torch.float64
    >>> weft.set_default_tensor_type(weft.FloatTensor)
    """
@overload
def arange(start: Number, end: Number, step: Number = 1, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The numbers from `start` (0) up to but without `end`, `step` (1) apart.

    arange(end), arange(start, end), arange(start, end, step)

    >>> import weft
    >>> weft.arange(1, 4)
    tensor([1, 2, 3])
    """
@overload
def arange(end: Number, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor: ...
def linspace(start: TensorLike, end: TensorLike, steps: builtins.int, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, evenly spaced.

    >>> import weft
    >>> weft.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
def logspace(start: TensorLike, end: TensorLike, steps: builtins.int, base: builtins.float = 10.0, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """`base` to the power of `steps` numbers from `start` to `end`.

    >>> import weft
    >>> weft.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
def range(start: Number, end: Number | None = None, step: Number = 1, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Like arange with `end` included; PyTorch has deprecated it.

    >>> import weft
    >>> weft.range(0, 2)
    tensor([0., 1., 2.])
    """
def gather(input: Tensor, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on: one element of `dim` for each place of `index`.

    Shape: (2, 2), (2, 2) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> y = weft.tensor([[0, 0], [1, 0]])
    >>> weft.gather(x, 1, y)
    tensor([[1, 1],
            [4, 3]])
    """
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """gather, with input and indices broadcast against each other apart from dim; without dim, on one row.

    Shape: (2, 2), (2, 1) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[3, 1], [2, 4]])
    >>> y = weft.tensor([[1], [0]])
    >>> weft.take_along_dim(x, y, dim=1)
    tensor([[1],
            [2]])
    """
def index_select(input: Tensor, dim: builtins.int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The slices of `dim` that a vector of indices names, copied.

    Shape: (2, 2), (1,) -> (1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> y = weft.tensor([1])
    >>> weft.index_select(x, 0, y)
    tensor([[3, 4]])
    """
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements at `index`, which counts the tensor's elements as one row.

    Shape: (2, 2), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1, 2], [3, 4]])
    >>> y = weft.tensor([0, 3])
    >>> weft.take(x, y)
    tensor([1, 4])
    """
def masked_fill(input: Tensor, mask: Tensor, value: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The tensor with `value` where `mask` is true.

    Shape: (3,), (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([True, False, True])
    >>> weft.masked_fill(x, y, 5)
    tensor([5., 0., 5.])
    """
def masked_fill_(input: Tensor, mask: Tensor, value: TensorLike) -> Tensor:
    """The tensor with `value` where `mask` is true.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([True, False, True])
    >>> x.masked_fill_(y, 5)
    tensor([5., 0., 5.])
    """
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements where `mask` is true, in one row.

    Shape: (3,), (3,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([1, 2, 3])
    >>> y = weft.tensor([True, False, True])
    >>> weft.masked_select(x, y)
    tensor([1, 3])
    """
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tensor with the elements of `source`, in order, where `mask` is true.

    Shape: (3,), (3,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([True, False, True])
    >>> z = weft.tensor([1.0, 2.0])
    >>> weft.masked_scatter(x, y, z)
    tensor([1., 0., 2.])
    """
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The tensor with the elements of `source`, in order, where `mask` is true.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([True, False, True])
    >>> z = weft.tensor([1.0, 2.0])
    >>> x.masked_scatter_(y, z)
    tensor([1., 0., 2.])
    """
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The tensor with `values` at `indices` (a tuple of integer or bool tensors), or added there with accumulate.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = (weft.tensor([0, 2]),)
    >>> z = weft.tensor([1.0, 2.0])
    >>> weft.index_put(x, y, z)
    tensor([1., 0., 2.])
    """
def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """The tensor with `values` at `indices` (a tuple of integer or bool tensors), or added there with accumulate.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = (weft.tensor([0, 2]),)
    >>> z = weft.tensor([1.0, 2.0])
    >>> x.index_put_(y, z)
    tensor([1., 0., 2.])
    """
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The tensor with the values of `source` at `index`, which counts its elements as one row.

    Shape: (3,), (1,), (1,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2])
    >>> z = weft.tensor([5.0])
    >>> weft.put(x, y, z)
    tensor([0., 0., 5.])
    """
def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """The tensor with the values of `source` at `index`, which counts its elements as one row.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2])
    >>> z = weft.tensor([5.0])
    >>> x.put_(y, z)
    tensor([0., 0., 5.])
    """
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor | None = None, reduce: str | None = None, *, value: Number | None = None, out: Tensor | None = None) -> Tensor:
    """The tensor with `src` (a tensor or number) written at `index` along `dim`: the reverse of gather.

    Shape: (3,), (1,), (1,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2])
    >>> z = weft.tensor([5.0])
    >>> weft.scatter(x, 0, y, z)
    tensor([0., 0., 5.])
    """
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tensor with `src` added at `index` along `dim`.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2, 2])
    >>> z = weft.tensor([5.0, 1.0])
    >>> weft.scatter_add(x, 0, y, z)
    tensor([0., 0., 6.])
    """
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """The tensor with `src` reduced into it at `index` along `dim` by sum, prod, mean, amax or amin.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([2, 2])
    >>> y = weft.tensor([5.0, 3.0])
    >>> weft.scatter_reduce(weft.ones(3), 0, x, y, 'amax')
    tensor([1., 1., 5.])
    """
def scatter_add_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """The tensor with `src` added at `index` along `dim`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2, 2])
    >>> z = weft.tensor([5.0, 1.0])
    >>> x.scatter_add_(0, y, z)
    tensor([0., 0., 6.])
    """
def scatter_reduce_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
    """The tensor with `src` reduced into it at `index` along `dim` by sum, prod, mean, amax or amin.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.ones(3)
    >>> y = weft.tensor([2, 2])
    >>> z = weft.tensor([5.0, 3.0])
    >>> x.scatter_reduce_(0, y, z, 'amax')
    tensor([1., 1., 5.])
    """
def scatter_(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor | None = None, reduce: str | None = None, *, value: Number | None = None) -> Tensor:
    """The tensor with `src` (a tensor or number) written at `index` along `dim`: the reverse of gather.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([2])
    >>> z = weft.tensor([5.0])
    >>> x.scatter_(0, y, z)
    tensor([0., 0., 5.])
    """
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """The tensor with alpha * `source` added to the slices of `dim` that `index` names.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> z = weft.tensor([1.0, 2.0])
    >>> weft.index_add(x, 0, y, z)
    tensor([1., 0., 2.])
    """
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tensor with the slices of `dim` that `index` names replaced by those of `source`.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> z = weft.tensor([1.0, 2.0])
    >>> weft.index_copy(x, 0, y, z)
    tensor([1., 0., 2.])
    """
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The tensor with the slices of `dim` that `index` names filled with `value`, a number or zero-dim tensor.

    Shape: (3,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> weft.index_fill(x, 0, y, 5)
    tensor([5., 0., 5.])
    """
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """The tensor with `source` reduced into the slices of `dim` that `index` names, by prod, mean, amax or amin.

    Shape: (3,), (2,), (2,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 2])
    >>> y = weft.tensor([3.0, 2.0])
    >>> weft.index_reduce(weft.ones(3), 0, x, y, 'prod')
    tensor([3., 1., 2.])
    """
def index_add_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
    """The tensor with alpha * `source` added to the slices of `dim` that `index` names.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> z = weft.tensor([1.0, 2.0])
    >>> x.index_add_(0, y, z)
    tensor([1., 0., 2.])
    """
def index_copy_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
    """The tensor with the slices of `dim` that `index` names replaced by those of `source`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> z = weft.tensor([1.0, 2.0])
    >>> x.index_copy_(0, y, z)
    tensor([1., 0., 2.])
    """
def index_fill_(input: Tensor, dim: builtins.int, index: Tensor, value: TensorLike) -> Tensor:
    """The tensor with the slices of `dim` that `index` names filled with `value`, a number or zero-dim tensor.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> y = weft.tensor([0, 2])
    >>> x.index_fill_(0, y, 5)
    tensor([5., 0., 5.])
    """
def index_reduce_(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
    """The tensor with `source` reduced into the slices of `dim` that `index` names, by prod, mean, amax or amin.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.ones(3)
    >>> y = weft.tensor([0, 2])
    >>> z = weft.tensor([3.0, 2.0])
    >>> x.index_reduce_(0, y, z, 'prod')
    tensor([3., 1., 2.])
    """
@overload
def where(condition: Tensor) -> tuple[Tensor, ...]:
    """`input` where `condition` is true, else `other`; with the condition alone, the indices of what is true.

    Shape: (2,), (2,), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([True, False])
    >>> y = weft.zeros(2)
    >>> weft.where(x, weft.ones(2), y)
    tensor([1., 0.])
    """
@overload
def where(condition: Tensor, input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor:
    """The indices of what is not zero: one row for each, or with as_tuple one tensor for each dimension.

    Shape: (3,) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 5, 7])
    >>> weft.nonzero(x)
    tensor([[1],
            [2]])
    """
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
def nonzero_static(input: Tensor, *, size: Ints, fill_value: Number = -1, out: Tensor | None = None) -> Tensor:
    """The indices of the first `size` elements that are not zero; rows that are missing hold `fill_value`.

    Shape: (3,) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 3, 4])
    >>> weft.nonzero_static(x, size=2)
    tensor([[1],
            [2]])
    """
def argwhere(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The indices of what is not zero, one row for each.

    Shape: (3,) -> (2, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 5, 7])
    >>> weft.argwhere(x)
    tensor([[1],
            [2]])
    """
def fill(input: Tensor, value: TensorLike, *, out: Tensor | None = None) -> Tensor:
    """The tensor with every element replaced by `value`, a number or zero-dim tensor.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.fill(x, 1.5)
    tensor([[1.5000, 1.5000],
            [1.5000, 1.5000],
            [1.5000, 1.5000]])
    """
def fill_(input: Tensor, value: TensorLike) -> Tensor:
    """The tensor with every element replaced by `value`, a number or zero-dim tensor.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.fill_(1.5)
    tensor([[1.5000, 1.5000],
            [1.5000, 1.5000],
            [1.5000, 1.5000]])
    """
def zero(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tensor with every element replaced by 0.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.zero(x)
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
def zero_(input: Tensor) -> Tensor:
    """The tensor with every element replaced by 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> x.zero_()
    tensor([[0., 0.],
            [0., 0.],
            [0., 0.]])
    """
from weft.ops.random.generators import Generator as Generator
default_generator: DefaultGenerator
def manual_seed(seed: builtins.int) -> Generator:
    """Restart the global generator from a seed; the generator comes back.

    >>> import weft
    >>> _ = weft.manual_seed(0)
    >>> weft.initial_seed()
    0
    """
def seed() -> builtins.int:
    """Restart the global generator from a seed of the operating system's, which comes back.

    >>> import weft
    >>> weft.seed() == weft.initial_seed()
    True
    """
def initial_seed() -> builtins.int:
    """The seed that the global generator was started from.

    >>> import weft
    >>> _ = weft.manual_seed(3)
    >>> weft.initial_seed()
    3
    """
def get_rng_state() -> Tensor:
    """The global generator's state, a tensor of bytes.

    >>> import weft
    >>> state = weft.get_rng_state()
    >>> x = weft.rand(2)
    >>> weft.set_rng_state(state)
    >>> weft.equal(x, weft.rand(2))
    True
    """
def set_rng_state(new_state: Tensor) -> None:
    """Continue from a state that get_rng_state gave.

    >>> import weft
    >>> _ = weft.manual_seed(3)
    >>> state = weft.get_rng_state()
    >>> _ = weft.manual_seed(4)
    >>> weft.set_rng_state(state)
    >>> weft.initial_seed()
    3
    """
@overload
def rand(size: Sequence[builtins.int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor:
    """Uniform numbers in [0, 1).

    >>> import weft
    >>> weft.rand(2, 3).shape
    torch.Size([2, 3])
    """
@overload
def rand(*size: builtins.int, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor: ...
@overload
def randn(size: Sequence[builtins.int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor:
    """Normal numbers of mean 0 and standard deviation 1.

    >>> import weft
    >>> weft.randn(2, 3).shape
    torch.Size([2, 3])
    """
@overload
def randn(*size: builtins.int, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, names: Sequence[str] | None = None) -> Tensor: ...
@overload
def randint(low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Integers in [low, high).

    randint(high, size), randint(low, high, size)

    >>> import weft
    >>> weft.randint(0, 2, (2, 3)).shape
    torch.Size([2, 3])
    """
@overload
def randint(high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor: ...
def randperm(n: builtins.int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The numbers 0 .. n - 1 in random order.

    >>> import weft
    >>> sorted(weft.randperm(3).tolist())
    [0, 1, 2]
    """
def rand_like(input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Uniform numbers in [0, 1), with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.rand_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
def randn_like(input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Normal numbers with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.randn_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
def randint_like(input: Tensor, *args: Any, low: builtins.int | Tensor | None = None, high: builtins.int | None = None, generator: Generator | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
    """Integers in [low, high), with a tensor's shape, type and memory order.

    randint_like(input, high), randint_like(input, low, high)

    >>> import weft
    >>> weft.randint_like(weft.zeros(2, 3), 5).shape
    torch.Size([2, 3])
    """
def uniform_(input: Tensor, low: builtins.float = 0.0, high: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with uniform numbers in [from, to).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.uniform_(0, 1).shape
    torch.Size([2, 3])
    """
def cauchy_(input: Tensor, median: builtins.float = 0.0, sigma: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with Cauchy numbers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.cauchy_().shape
    torch.Size([2, 3])
    """
def exponential_(input: Tensor, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponential numbers of the rate `lambd`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.exponential_(2).shape
    torch.Size([2, 3])
    """
def geometric_(input: Tensor, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
    """Fill with the number of tries until the first success of probability `p`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.geometric_(0.5).shape
    torch.Size([2, 3])
    """
def log_normal_(input: Tensor, mean: builtins.float = 1.0, std: builtins.float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers whose logarithm is normal.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.log_normal_().shape
    torch.Size([2, 3])
    """
def bernoulli(input: Tensor, p: Tensor | builtins.float | None = None, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """1 with the probability that stands in `input`, or `p` everywhere; else 0.

    Shape: (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.0, 1.0])
    >>> weft.bernoulli(x).shape
    torch.Size([2])
    """
def bernoulli_(input: Tensor, p: Tensor | builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that stands in `self`, or `p` everywhere; else 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([0.0, 1.0])
    >>> x.bernoulli_().shape
    torch.Size([2])
    """
def normal_(input: Tensor, mean: Tensor | builtins.float = 0.0, std: Tensor | builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> x.normal_(0, 1).shape
    torch.Size([2, 3])
    """
def random_(self: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Fill with integers: random_(), random_(to), random_(from, to).

    >>> import weft
    >>> weft.zeros(2, 3).random_(5).shape
    torch.Size([2, 3])
    """
def normal(mean: Tensor | builtins.float = 0.0, std: Tensor | builtins.float = 1.0, size: Ints | None = None, *, generator: Generator | None = None, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """Normal numbers with the given means and standard deviations; of a size where both are numbers.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> weft.normal(x, 1.0).shape
    torch.Size([2, 3])
    """
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn by the weights in each row.

    Shape: (2,) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([0.5, 0.5])
    >>> weft.multinomial(x, 1).shape
    torch.Size([1])
    """
def poisson(input: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """Poisson numbers of the given rates.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> weft.poisson(x).shape
    torch.Size([2, 3])
    """
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """How many of `count` tries of probability `prob` succeed.

    Shape: (1,), (1,) -> (1,) in the example.

    >>> import weft
    >>> x = weft.tensor([4.0])
    >>> y = weft.tensor([0.5])
    >>> weft.binomial(x, y).shape
    torch.Size([1])
    """
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> weft.relu(x)
    tensor([0.0000, 0.0000, 2.5000])
    """
def relu_(input: Tensor) -> Tensor:
    """self where it is positive, else 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-1.5, 0.0, 2.5])
    >>> x.relu_()
    tensor([0.0000, 0.0000, 2.5000])
    """
def threshold(input: Tensor, threshold: builtins.float, value: Number, *, out: Tensor | None = None) -> Tensor:
    """input where it is above the threshold, else `value`.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> weft.threshold(x, 0.0, 9.0)
    tensor([9., 3.])
    """
def threshold_(input: Tensor, threshold: builtins.float, value: Number) -> Tensor:
    """self where it is above the threshold, else `value`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> x.threshold_(0.0, 9.0)
    tensor([9., 3.])
    """
def hardshrink(input: Tensor, lambd: builtins.float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """input where it is beyond -lambd or lambd, else 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.hardshrink(x)
    tensor([[0.0000, 0.0000],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def prelu(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else weight * input, one weight or one for each channel (dimension 1).

    Shape: (2,), () -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> y = weft.tensor(0.25)
    >>> weft.prelu(x, y)
    tensor([-0.5000,  3.0000])
    """
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = ..., training: builtins.bool = False, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else a random multiple of it while training, the mean of these otherwise.

    Shape: (3, 4) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.rrelu(x).shape
    torch.Size([3, 4])
    """
def selu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The scaled elu that keeps mean 0 and variance 1.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> weft.selu(x)
    tensor([-1.5202,  3.1521])
    """
def selu_(input: Tensor) -> Tensor:
    """The scaled elu that keeps mean 0 and variance 1.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> x.selu_()
    tensor([-1.5202,  3.1521])
    """
def celu(input: Tensor, alpha: Number = 1.0, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else alpha * (e**(input / alpha) - 1).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> weft.celu(x)
    tensor([-0.8647,  3.0000])
    """
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """self where it is positive, else alpha * (e**(self / alpha) - 1).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> x.celu_()
    tensor([-0.8647,  3.0000])
    """
def dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout with probability p where `train` is true.

    >>> import weft
    >>> weft.dropout(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.dropout(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """dropout with probability p where `train` is true, written into the input.

    >>> import weft
    >>> weft.dropout_(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.dropout_(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """feature_dropout with probability p where `train` is true.

    >>> import weft
    >>> weft.feature_dropout(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.feature_dropout(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """feature_dropout with probability p where `train` is true, written into the input.

    >>> import weft
    >>> weft.feature_dropout_(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.feature_dropout_(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """alpha_dropout with probability p where `train` is true.

    >>> import weft
    >>> weft.alpha_dropout(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.alpha_dropout(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """alpha_dropout with probability p where `train` is true, written into the input.

    >>> import weft
    >>> weft.alpha_dropout_(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.alpha_dropout_(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """feature_alpha_dropout with probability p where `train` is true.

    >>> import weft
    >>> weft.feature_alpha_dropout(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.feature_alpha_dropout(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """feature_alpha_dropout with probability p where `train` is true, written into the input.

    >>> import weft
    >>> weft.feature_alpha_dropout_(weft.ones(2, 3), 0.5, False)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    >>> weft.feature_alpha_dropout_(weft.ones(2, 3), 0.5, True).shape
    torch.Size([2, 3])
    """
def native_dropout(input: Tensor, p: builtins.float, train: builtins.bool, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The result of a dropout, and the mask of what was kept.

    Shape: (3, 2) -> (3, 2), (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> [t.shape for t in weft.native_dropout(x, 0.5, False)]
    [torch.Size([3, 2]), torch.Size([3, 2])]
    """
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """(..., c * r * r, h, w) to (..., c, h * r, w * r).

    Shape: (1, 4, 2, 3) -> (1, 1, 4, 6) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 4, 2, 3)
    >>> weft.pixel_shuffle(x, 2).shape
    torch.Size([1, 1, 4, 6])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """(..., c, h * r, w * r) to (..., c * r * r, h, w).

    Shape: (1, 1, 4, 6) -> (1, 4, 2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 1, 4, 6)
    >>> weft.pixel_unshuffle(x, 2).shape
    torch.Size([1, 4, 2, 3])
    """
def channel_shuffle(input: Tensor, groups: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The channels of `groups` groups taken in turn.

    Shape: (1, 4, 2) -> (1, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 8).reshape(1, 4, 2)
    >>> weft.channel_shuffle(x, 2)
    tensor([[[0.3000, 0.3857],
             [0.6429, 0.7286],
             [0.4714, 0.5571],
             [0.8143, 0.9000]]])
    """
def native_channel_shuffle(input: Tensor, groups: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The channels of `groups` groups taken in turn.

    Shape: (1, 4, 2) -> (1, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 8).reshape(1, 4, 2)
    >>> weft.channel_shuffle(x, 2)
    tensor([[[0.3000, 0.3857],
             [0.6429, 0.7286],
             [0.4714, 0.5571],
             [0.8143, 0.9000]]])
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, L) or (C, L) with weight (O, C / groups, k).

    Shape: (1, 1, 3), (1, 1, 2) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 2.0, 3.0]]])
    >>> y = weft.tensor([[[1.0, 10.0]]])
    >>> weft.conv1d(x, y)
    tensor([[[21., 32.]]])
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, H, W) or (C, H, W) with weight (O, C / groups, kh, kw).

    Shape: (1, 1, 3, 3), (1, 1, 2, 2) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 3, 3)
    >>> y = weft.ones(1, 1, 2, 2)
    >>> weft.conv2d(x, y)
    tensor([[[[4., 4.],
              [4., 4.]]]])
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, kd, kh, kw).

    Shape: (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), (2,) -> (1, 2, 4, 5, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 72).reshape(1, 2, 3, 4, 3)
    >>> y = weft.linspace(0.9, 0.3, 32).reshape(2, 2, 2, 2, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv3d(x, y, z, 1, 1).shape
    torch.Size([1, 2, 4, 5, 4])
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: builtins.int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, L) or (C, L) with weight (C, O / groups, k).

    Shape: (2, 3, 4), (3, 2, 3), (2,) -> (2, 2, 8) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 18).reshape(3, 2, 3)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose1d(x, y, z, 2, 1, 1).shape
    torch.Size([2, 2, 8])
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: builtins.int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, H, W) or (C, H, W) with weight (C, O / groups, kh, kw).

    Shape: (2, 3, 3, 4), (3, 2, 3, 2), (2,) -> (2, 2, 6, 7) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 72).reshape(2, 3, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 36).reshape(3, 2, 3, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose2d(x, y, z, 2, 1, 1).shape
    torch.Size([2, 2, 6, 7])
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: builtins.int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, D, H, W) or (C, D, H, W) with weight (C, O / groups, kd, kh, kw).

    Shape: (1, 2, 2, 2, 3), (2, 2, 2, 2, 2), (2,) -> (1, 2, 4, 4, 6) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 2, 2, 2, 3)
    >>> y = weft.linspace(0.9, 0.3, 32).reshape(2, 2, 2, 2, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose3d(x, y, z, 2).shape
    torch.Size([1, 2, 4, 4, 6])
    """
def convolution(input: Tensor, weight: Tensor, bias: Tensor, stride: Ints, padding: Ints | str, dilation: Ints, transposed: builtins.bool, output_padding: Ints, groups: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Any of the convolutions, by the weight's number of dimensions.

    Shape: (1, 2, 4, 4), (3, 2, 3, 3), (3,) -> (1, 3, 4, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 32).reshape(1, 2, 4, 4)
    >>> y = weft.linspace(0.9, 0.3, 54).reshape(3, 2, 3, 3)
    >>> z = weft.tensor([0.3, 0.6, 0.9])
    >>> weft.convolution(x, y, z, [1, 1], [1, 1], [1, 1], False, [0, 0], 1).shape
    torch.Size([1, 3, 4, 4])
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1.0, reduction: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """input where the target is 1, max(0, margin - input) where it is -1.

    Shape: (2,), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, -1.0])
    >>> weft.hinge_embedding_loss(weft.ones(2), x)
    tensor([1., 0.])
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """max(0, margin - y (x1 - x2)) for targets y of 1 and -1.

    Shape: (2,), (2,), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.margin_ranking_loss(weft.ones(2), x, weft.ones(2))
    tensor([0., 0.])
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """1 - cos(x1, x2) where the target is 1, max(0, cos - margin) where it is -1.

    Shape: (2, 3), (2, 3), (2,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> y = weft.ones(2, 3)
    >>> weft.cosine_embedding_loss(x, y, weft.ones(2))
    tensor([0., 0.])
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2.0, eps: builtins.float = 1e-06, swap: builtins.bool = False, reduction: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """max(0, margin + distance to the positive - distance to the negative).

    Shape: (3, 4), (3, 4), (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> z = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.triplet_margin_loss(x, y, z, 2.0)
    tensor([2.9062, 2.2439, 2.9062])
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[builtins.int], target_lengths: Tensor | Sequence[builtins.int], blank: builtins.int = 0, reduction: builtins.int = 0, zero_infinity: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """nn.functional.ctc_loss, whose reduction is a number (0: none, 1: mean, 2: sum).

    Shape: (4, 1, 3), (1, 2), (1,), (1,) -> (1,) in the example.

    >>> import weft
    >>> x = weft.zeros(4, 1, 3)
    >>> y = weft.tensor([[1, 2]])
    >>> z = weft.tensor([4])
    >>> u = weft.tensor([2])
    >>> weft.ctc_loss(x, y, z, u)
    tensor([-2.7081])
    """
def embedding(weight: Tensor, indices: Tensor, padding_idx: builtins.int = -1, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The rows of `weight` that `indices` number. With sparse=True the gradient is a sparse tensor of those rows.

    Shape: (3, 3), (2,) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([2, 0])
    >>> weft.embedding(weft.eye(3), x)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float, *, out: Tensor | None = None) -> Tensor:
    """Scale the rows that `indices` number down to `max_norm`, in place.

    Shape: (2, 2), (1,) -> (2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[3.0, 4.0], [6.0, 8.0]])
    >>> y = weft.tensor([0])
    >>> weft.embedding_renorm_(x, y, 1.0, 2.0)
    tensor([[0.6000, 0.8000],
            [6.0000, 8.0000]])
    """
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: builtins.bool = False, mode: builtins.int = 0, sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False, padding_idx: builtins.int | None = None, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """(sums, means or maxima of bags of rows, the bag of each index, the bags' sizes, the rows of the maxima).

    Shape: (5, 3), (4,), (3,) -> (3, 3), (4,), (3,), (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 15).reshape(5, 3)
    >>> y = weft.tensor([0, 1, 2, 3])
    >>> z = weft.tensor([0, 1, 1])
    >>> [t.shape for t in weft.embedding_bag(x, y, z)]
    [torch.Size([3, 3]), torch.Size([4]), torch.Size([3]), torch.Size([3])]
    """
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: str, align_corners: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """An image (N, C, H, W) sampled at the places (N, h, w, 2) of a grid, whose corners are -1 and 1: (N, C, h, w).

    Shape: (1, 2, 4, 3), (1, 2, 2, 2) -> (1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 2, 4, 3)
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(1, 2, 2, 2)
    >>> weft.grid_sampler_2d(x, y, 0, 0, False).shape
    torch.Size([1, 2, 2, 2])
    """
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: str, align_corners: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """A volume (N, C, D, H, W) sampled at the places (N, d, h, w, 3) of a grid: (N, C, d, h, w).

    Shape: (1, 2, 2, 4, 3), (1, 1, 2, 2, 3) -> (1, 2, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 48).reshape(1, 2, 2, 4, 3)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(1, 1, 2, 2, 3)
    >>> weft.grid_sampler_3d(x, y, 0, 0, False).shape
    torch.Size([1, 2, 1, 2, 2])
    """
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: str, align_corners: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """grid_sampler_2d or grid_sampler_3d, by the number of the input's dimensions.

    Shape: (1, 2, 4, 3), (1, 2, 2, 2) -> (1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 2, 4, 3)
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(1, 2, 2, 2)
    >>> weft.grid_sampler(x, y, 0, 0, False).shape
    torch.Size([1, 2, 2, 2])
    """
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """x1 @ weight[o] @ x2 for each o, plus bias: x1 (..., in1), x2 (..., in2), weight (out, in1, in2), bias (out).

    Shape: (2, 3), (2, 4), (5, 3, 4), (5,) -> (2, 5) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(2, 4)
    >>> z = weft.linspace(0.3, 0.9, 60).reshape(5, 3, 4)
    >>> u = weft.tensor([0.78, 0.68, 0.57, 0.46, 0.36])
    >>> weft.bilinear(x, y, z, u).shape
    torch.Size([2, 5])
    """
def softmax(input: Tensor, dim: builtins.int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """e**input over its sum along `dim`.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.softmax(x, 0)
    tensor([0.0900, 0.2447, 0.6652])
    """
def log_softmax(input: Tensor, dim: builtins.int, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax, computed without it.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.log_softmax(x, 0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
def logsumexp(input: Tensor, dim: Ints, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of e**input along `dim`, without overflow.

    Shape: (2, 2) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> weft.logsumexp(x, 1)
    tensor([3.1269, 4.1269])
    """
def batch_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, training: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool = True, *, out: Tensor | None = None) -> Tensor:
    """input normalised channel by channel: by the batch's statistics in training, else by the running ones.

    Shape: (4, 3, 2), (3,), (3,) -> (4, 3, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(4, 3, 2)
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> z = weft.tensor([0.3, 0.6, 0.9])
    >>> weft.batch_norm(x, y, z, None, None, True, 0.1, 1e-05, True).shape
    torch.Size([4, 3, 2])
    """
def native_batch_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, training: builtins.bool, momentum: builtins.float, eps: builtins.float, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """batch_norm, and the means and 1 / standard deviations that it used (none in evaluation).

    Shape: (4, 3, 2), (3,), (3,) -> (4, 3, 2), (3,), (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(4, 3, 2)
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> z = weft.tensor([0.3, 0.6, 0.9])
    >>> [t.shape for t in weft.native_batch_norm(x, y, z, None, None, True, 0.1, 1e-05)]
    [torch.Size([4, 3, 2]), torch.Size([3]), torch.Size([3])]
    """
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enabled: builtins.bool = True, *, out: Tensor | None = None) -> Tensor:
    """input normalised over each of `num_groups` groups of channels in each sample, times weight plus bias.

    Shape: (2, 4, 3) -> (2, 4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 4, 3)
    >>> weft.group_norm(x, 2).shape
    torch.Size([2, 4, 3])
    """
def native_group_norm(input: Tensor, weight: Tensor, bias: Tensor, N: builtins.int, C: builtins.int, HxW: builtins.int, group: builtins.int, eps: builtins.float, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """group_norm, its means and 1 / standard deviations.

    Shape: (2, 4, 2, 3), (4,), (4,) -> (2, 4, 2, 3), (2, 2), (2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 48).reshape(2, 4, 2, 3)
    >>> y = weft.tensor([0.78, 0.64, 0.5, 0.36])
    >>> z = weft.tensor([0.3, 0.5, 0.7, 0.9])
    >>> [t.shape for t in weft.native_group_norm(x, y, z, 2, 4, 6, 2, 1e-05)]
    [torch.Size([2, 4, 2, 3]), torch.Size([2, 2]), torch.Size([2, 2])]
    """
def instance_norm(input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor, running_var: Tensor, use_input_stats: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool = True, *, out: Tensor | None = None) -> Tensor:
    """Each channel of each sample normalised by its own statistics (or by the running ones), times weight plus bias.

    Shape: (1, 2, 4) -> (1, 2, 4) in the example.

    >>> import weft
    >>> x = weft.ones(1, 2, 4)
    >>> weft.instance_norm(x, None, None, None, None, True, 0.1, 1e-05)
    tensor([[[0., 0., 0., 0.],
             [0., 0., 0., 0.]]])
    """
def native_layer_norm(input: Tensor, normalized_shape: Ints, weight: Tensor, bias: Tensor, eps: builtins.float, *, out: Tensors | None = None) -> NativeLayerNormResult:
    """(input normalised over its last dimensions, times weight plus bias; the means; 1 / the standard deviations).

    Shape: (2, 3, 4), (4,), (4,) -> (2, 3, 4), (2, 3, 1), (2, 3, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> y = weft.tensor([0.3, 0.5, 0.7, 0.9])
    >>> z = weft.tensor([0.78, 0.64, 0.5, 0.36])
    >>> [t.shape for t in weft.native_layer_norm(x, [4], y, z, 1e-05)]
    [torch.Size([2, 3, 4]), torch.Size([2, 3, 1]), torch.Size([2, 3, 1])]
    """
def layer_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enable: builtins.bool = True, *, out: Tensor | None = None) -> Tensor:
    """input normalised over its last dimensions `normalized_shape`, times weight plus bias.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.layer_norm(x, (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
def rms_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """input over the root of the mean of its squares along the last dimensions `normalized_shape`, times weight.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.rms_norm(x, (3,))
    tensor([[0.4629, 0.9258, 1.3887]])
    """
def max_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of a signal (N, C, L) or (C, L).

    Shape: (1, 1, 4) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.max_pool1d(x, 2)
    tensor([[[3., 4.]]])
    """
def max_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of images (N, C, H, W) or (C, H, W).

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.arange(16.0).reshape(1, 1, 4, 4)
    >>> weft.max_pool2d(x, 2)
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """
def max_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    Shape: (1, 2, 4, 4, 3) -> (1, 2, 2, 2, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 2, 4, 4, 3)
    >>> weft.max_pool3d(x, 2).shape
    torch.Size([1, 2, 2, 2, 1])
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """max_pool1d and the index of each result in its row.

    Shape: (1, 1, 4) -> (1, 1, 2), (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.max_pool1d_with_indices(x, 2)
    (tensor([[[3., 4.]]]), tensor([[[1, 3]]]))
    """
def adaptive_max_pool1d(input: Tensor, output_size: Ints, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """The greatest elements of `output_size` windows over (N, C, L) or (C, L), and their indices.

    Shape: (2, 3, 7) -> (2, 3, 3), (2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 42).reshape(2, 3, 7)
    >>> [t.shape for t in weft.adaptive_max_pool1d(x, 3)]
    [torch.Size([2, 3, 3]), torch.Size([2, 3, 3])]
    """
def avg_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, *, out: Tensor | None = None) -> Tensor:
    """The mean of each window of a signal (N, C, L) or (C, L).

    Shape: (1, 1, 4) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.avg_pool1d(x, 2)
    tensor([[[2., 3.]]])
    """
def adaptive_avg_pool1d(input: Tensor, output_size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The means of `output_size` windows over (N, C, L) or (C, L).

    Shape: (2, 3, 7) -> (2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 42).reshape(2, 3, 7)
    >>> weft.adaptive_avg_pool1d(x, 3).shape
    torch.Size([2, 3, 3])
    """
def lstm(input: Tensor, hx: Tensors, params: Tensors, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor, Tensor]:
    """A stack of LSTM layers: (output, h, c); hx is (h, c), params the weights and biases layer by layer. Packed:
    lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional).

    >>> import weft
    >>> x = weft.ones(3, 1, 2)
    >>> y = (weft.zeros(1, 1, 4), weft.zeros(1, 1, 4))
    >>> z = [weft.ones(16, 2), weft.ones(16, 4)]
    >>> [t.shape for t in weft.lstm(x, y, z, False, 1, 0.0, False, False, False)]
    [torch.Size([3, 1, 4]), torch.Size([1, 1, 4]), torch.Size([1, 1, 4])]
    """
def gru(input: Tensor, hx: Tensor, params: Tensors, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """A stack of GRU layers: (output, h); the arguments are lstm's, with one state.

    Shape: (3, 1, 2), (1, 1, 4), (12, 2), (12, 4) -> (3, 1, 4), (1, 1, 4) in the example.

    >>> import weft
    >>> x = weft.ones(3, 1, 2)
    >>> y = weft.zeros(1, 1, 4)
    >>> z = [weft.ones(12, 2), weft.ones(12, 4)]
    >>> [t.shape for t in weft.gru(x, y, z, False, 1, 0.0, False, False, False)]
    [torch.Size([3, 1, 4]), torch.Size([1, 1, 4])]
    """
def rnn_tanh(input: Tensor, hx: Tensor, params: Tensors, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """A stack of recurrent layers with tanh: (output, h); the arguments are lstm's, with one state.

    Shape: (3, 1, 2), (1, 1, 4), (4, 2), (4, 4) -> (3, 1, 4), (1, 1, 4) in the example.

    >>> import weft
    >>> x = weft.ones(3, 1, 2)
    >>> y = weft.zeros(1, 1, 4)
    >>> z = [weft.ones(4, 2), weft.ones(4, 4)]
    >>> [t.shape for t in weft.rnn_tanh(x, y, z, False, 1, 0.0, False, False, False)]
    [torch.Size([3, 1, 4]), torch.Size([1, 1, 4])]
    """
def rnn_relu(input: Tensor, hx: Tensor, params: Tensors, has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """A stack of recurrent layers with relu: (output, h); the arguments are lstm's, with one state.

    Shape: (3, 1, 2), (1, 1, 4), (4, 2), (4, 4) -> (3, 1, 4), (1, 1, 4) in the example.

    >>> import weft
    >>> x = weft.ones(3, 1, 2)
    >>> y = weft.zeros(1, 1, 4)
    >>> z = [weft.ones(4, 2), weft.ones(4, 4)]
    >>> [t.shape for t in weft.rnn_relu(x, y, z, False, 1, 0.0, False, False, False)]
    [torch.Size([3, 1, 4]), torch.Size([1, 1, 4])]
    """
def lstm_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """One step of an LSTM: (h, c).

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = [weft.tensor([[0.3, 0.5], [0.7, 0.9]]), weft.tensor([[0.78, 0.64], [0.5, 0.36]])]
    >>> z = weft.linspace(0.3, 0.9, 24).reshape(8, 3)
    >>> u = weft.linspace(0.9, 0.3, 16).reshape(8, 2)
    >>> v = weft.linspace(0.3, 0.9, 8)
    >>> w = weft.linspace(0.9, 0.3, 8)
    >>> weft.lstm_cell(x, y, z, u, v, w)
    (tensor([[0.8549, 0.8382],
            [0.8743, 0.8463]]), tensor([[1.6113, 1.4884],
            [1.4505, 1.3171]]))
    """
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """One step of a GRU: h.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(2, 4)
    >>> z = weft.linspace(0.3, 0.9, 36).reshape(12, 3)
    >>> u = weft.linspace(0.9, 0.3, 48).reshape(12, 4)
    >>> v = weft.linspace(0.3, 0.9, 12)
    >>> w = weft.linspace(0.9, 0.3, 12)
    >>> weft.gru_cell(x, y, z, u, v, w)
    tensor([[0.9018, 0.8181, 0.7346, 0.6516],
            [0.5690, 0.4851, 0.4011, 0.3170]])
    """
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """One step of a plain recurrent layer: tanh of the sums.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(2, 4)
    >>> z = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> u = weft.linspace(0.9, 0.3, 16).reshape(4, 4)
    >>> v = weft.tensor([0.3, 0.5, 0.7, 0.9])
    >>> w = weft.tensor([0.78, 0.64, 0.5, 0.36])
    >>> weft.rnn_tanh_cell(x, y, z, u, v, w)
    tensor([[0.9995, 0.9992, 0.9988, 0.9981],
            [0.9977, 0.9983, 0.9988, 0.9992]])
    """
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """One step of a plain recurrent layer: relu of the sums.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(2, 4)
    >>> z = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> u = weft.linspace(0.9, 0.3, 16).reshape(4, 4)
    >>> v = weft.tensor([0.3, 0.5, 0.7, 0.9])
    >>> w = weft.tensor([0.78, 0.64, 0.5, 0.36])
    >>> weft.rnn_relu_cell(x, y, z, u, v, w)
    tensor([[4.1490, 3.9214, 3.6939, 3.4664],
            [3.3799, 3.5485, 3.7171, 3.8857]])
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08, *, out: Tensor | None = None) -> Tensor:
    """The cosine of the angle between x1 and x2 along `dim`; lengths below eps count as eps.

    Shape: (3, 4), (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.cosine_similarity(x, y)
    tensor([0.9730, 0.9796, 0.9730])
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension.

    Shape: (3, 4), (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.pairwise_distance(x, y)
    tensor([0.9062, 0.2439, 0.9062])
    """
def pdist(input: Tensor, p: builtins.float = 2.0, *, out: Tensor | None = None) -> Tensor:
    """The p-norm distances between the rows of a matrix, each pair once: (0, 1), (0, 2), ..., (1, 2), ...

    Shape: (4, 3) -> (6,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.pdist(x)
    tensor([0.2834, 0.5669, 0.8503, 0.2834, 0.5669, 0.2834])
    """
def affine_grid_generator(theta: Tensor, size: Ints, align_corners: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """The places of a grid for grid_sample: theta (N, 2, 3) or (N, 3, 4) applied to the regular grid of an image of
    `size`.

    Shape: (1, 2, 3) -> (1, 3, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 6).reshape(1, 2, 3)
    >>> weft.affine_grid_generator(x, [1, 1, 3, 4], False).shape
    torch.Size([1, 3, 4, 2])
    """
def stft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None, *, out: Tensor | None = None) -> Tensor:
    """The Fourier transforms of overlapping, weighted pieces of a signal: (..., samples) to (..., frequency, frame).

    Shape: (16,) -> (5, 9) in the example.

    >>> import weft
    >>> x = weft.ones(16)
    >>> weft.stft(x, 8, window=weft.ones(8), return_complex=True).shape
    torch.Size([5, 9])
    """
def istft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The signal whose stft is nearest to `input`: (..., frequency, frame) to (..., samples).

    Shape: (3, 5) -> (4,) in the example.

    >>> import weft
    >>> x = weft.ones(3, 5, dtype=weft.complex64)
    >>> weft.istft(x, 4, window=weft.ones(4)).shape
    torch.Size([4])
    """
def hann_window(window_length: builtins.int, periodic: builtins.bool = True, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """The raised cosine of von Hann.

    >>> import weft
    >>> weft.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
def hamming_window(window_length: builtins.int, periodic: builtins.bool = True, alpha: builtins.float = 0.54, beta: builtins.float = 0.46, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """alpha - beta cos t.

    >>> import weft
    >>> weft.hamming_window(4).shape
    torch.Size([4])
    """
def blackman_window(window_length: builtins.int, periodic: builtins.bool = True, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """Three cosines.

    >>> import weft
    >>> weft.blackman_window(4).shape
    torch.Size([4])
    """
def bartlett_window(window_length: builtins.int, periodic: builtins.bool = True, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """A triangle that starts at zero.

    >>> import weft
    >>> weft.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
def kaiser_window(window_length: builtins.int, periodic: builtins.bool = True, beta: builtins.float = 12.0, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False) -> Tensor:
    """The window of Kaiser, of Bessel functions.

    >>> import weft
    >>> weft.kaiser_window(4).shape
    torch.Size([4])
    """
from weft import nn as nn
from weft import distributed as distributed
from weft import optim as optim
from weft import utils as utils
from weft import profiler as profiler
from weft import random as random
from weft import func as func
from weft import linalg as linalg
from weft import fft as fft
from weft import special as special
from weft import masked as masked
from weft import sparse as sparse
from weft import signal as signal
from weft import distributions as distributions
from weft import quasirandom as quasirandom
from weft import testing as testing
from weft import viz as viz
from weft import io as io
from weft import serialization as serialization
from weft import amp as amp
from weft import memory as memory
from weft import inspect as inspect
from weft import overrides as overrides
from weft import types as types
from weft import version as version
from weft import cuda as cuda
from weft import backends as backends
from weft import cpu as cpu
from weft import accelerator as accelerator
from weft import jit as jit
from weft import vision as vision
from weft import text as text
from weft import storage as storage
from weft.viz.build import graph as graph
from weft.autograd.numerics import check_numerics as check_numerics
from weft.autograd.anomaly import set_anomaly_enabled as set_anomaly_enabled
from weft.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from weft.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from weft.io.api import save as save
from weft.io.api import load as load
from weft.amp.autocast_mode import autocast as autocast
from weft.amp.autocast_mode import autocast_decrement_nesting as autocast_decrement_nesting
from weft.amp.autocast_mode import autocast_increment_nesting as autocast_increment_nesting
from weft.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from weft.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from weft.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from weft.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from weft.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from weft.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from weft.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from weft.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from weft.amp.autocast_mode import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from weft.amp.autocast_mode import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from weft.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from weft.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from weft.amp.autocast_mode import set_autocast_gpu_dtype as set_autocast_gpu_dtype
from weft.batching.region import autobatch as autobatch
from weft.compiler import compile as compile
from weft.func import vmap as vmap
def sparse_coo_tensor(indices: Any = None, values: Tensor | None = None, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None, is_coalesced: Any = None) -> Any: ...
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Tensor, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None) -> Any: ...
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Tensor, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None) -> Any: ...
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None) -> Any: ...
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Tensor, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None) -> Any: ...
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Tensor, size: Ints | None = None, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: Any = None) -> Any: ...
