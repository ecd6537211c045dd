"""The tensor: a NumPy array, the node that made it, and what it shares with its views."""
# made by tools/stubs.py
import builtins
from collections.abc import Iterator, Sequence
from typing import Any, Callable, Literal, TypeVar, overload
from typing_extensions import Self
from weft._typing import AminmaxResult as AminmaxResult, Array, CummaxResult as CummaxResult, CumminResult as CumminResult, DType, Device, Dim, FrexpResult as FrexpResult, GeqrfResult as GeqrfResult, HistogramResult as HistogramResult, Index, Ints, KthvalueResult as KthvalueResult, Layout, LinalgSlogdetResult as LinalgSlogdetResult, MaxResult as MaxResult, MedianResult as MedianResult, MemoryFormat, MinResult as MinResult, ModeResult as ModeResult, NanmedianResult as NanmedianResult, Number, QrResult as QrResult, SortResult as SortResult, SvdResult as SvdResult, TensorLike, TopkResult as TopkResult, TriangularSolveResult as TriangularSolveResult
from weft.autograd.graph import Node, RemovableHandle
from weft.core.device import device, device as device_
from weft.core.dtype import dtype
from weft.core.layout import layout
from weft.core.size import Size
from weft.ops.random.generators import Generator
from weft.tensor.storage import TypedStorage, UntypedStorage

T = TypeVar('T')

FUNCTION: int
MATCH: int
TAKE: int
WATCH: int
COMPILED: bool
class Memory:
    version: int
    root: Any
    written: Any
    outside: bool
    extra: Any
    def mark(self) -> None: ...
    def mark_at(self, place: Any) -> None: ...

class View:
    def base(self) -> Any: ...
    def chain(self) -> Any: ...

def replay(chain: Any, base: float) -> Tensor: ...
PLAIN_VIEW: int
NO_GRAD_VIEW: int
MULTI_VIEW: int
class Operators:
    ...

OPS: Operators
class Tensor:
    grad: Tensor | None
    data: Tensor
    requires_grad: builtins.bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __len__(self) -> builtins.int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __reversed__(self) -> Tensor: ...
    def __contains__(self, value: object) -> builtins.bool: ...
    def __getitem__(self, index: Index) -> Tensor: ...
    def __setitem__(self, index: Index, value: TensorLike | Array | Sequence[Any]) -> None: ...
    def __bool__(self) -> builtins.bool: ...
    def __float__(self) -> builtins.float: ...
    def __complex__(self) -> complex: ...
    def __int__(self) -> builtins.int: ...
    def __index__(self) -> builtins.int: ...
    def __hash__(self) -> builtins.int: ...
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Array: ...
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]: ...
    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Self: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...
    def __add__(self, other: TensorLike) -> Tensor: ...
    def __radd__(self, other: TensorLike) -> Tensor: ...
    def __iadd__(self, other: TensorLike) -> Tensor: ...
    def __sub__(self, other: TensorLike) -> Tensor: ...
    def __rsub__(self, other: TensorLike) -> Tensor: ...
    def __isub__(self, other: TensorLike) -> Tensor: ...
    def __mul__(self, other: TensorLike) -> Tensor: ...
    def __rmul__(self, other: TensorLike) -> Tensor: ...
    def __imul__(self, other: TensorLike) -> Tensor: ...
    def __truediv__(self, other: TensorLike) -> Tensor: ...
    def __rtruediv__(self, other: TensorLike) -> Tensor: ...
    def __itruediv__(self, other: TensorLike) -> Tensor: ...
    def __floordiv__(self, other: TensorLike) -> Tensor: ...
    def __rfloordiv__(self, other: TensorLike) -> Tensor: ...
    def __ifloordiv__(self, other: TensorLike) -> Tensor: ...
    def __mod__(self, other: TensorLike) -> Tensor: ...
    def __rmod__(self, other: TensorLike) -> Tensor: ...
    def __imod__(self, other: TensorLike) -> Tensor: ...
    def __pow__(self, other: TensorLike) -> Tensor: ...
    def __rpow__(self, other: TensorLike) -> Tensor: ...
    def __ipow__(self, other: TensorLike) -> Tensor: ...
    def __and__(self, other: TensorLike) -> Tensor: ...
    def __rand__(self, other: TensorLike) -> Tensor: ...
    def __iand__(self, other: TensorLike) -> Tensor: ...
    def __or__(self, other: TensorLike) -> Tensor: ...
    def __ror__(self, other: TensorLike) -> Tensor: ...
    def __ior__(self, other: TensorLike) -> Tensor: ...
    def __xor__(self, other: TensorLike) -> Tensor: ...
    def __rxor__(self, other: TensorLike) -> Tensor: ...
    def __ixor__(self, other: TensorLike) -> Tensor: ...
    def __lshift__(self, other: TensorLike) -> Tensor: ...
    def __rlshift__(self, other: TensorLike) -> Tensor: ...
    def __ilshift__(self, other: TensorLike) -> Tensor: ...
    def __rshift__(self, other: TensorLike) -> Tensor: ...
    def __rrshift__(self, other: TensorLike) -> Tensor: ...
    def __irshift__(self, other: TensorLike) -> Tensor: ...
    def __lt__(self, other: TensorLike) -> Tensor: ...
    def __le__(self, other: TensorLike) -> Tensor: ...
    def __gt__(self, other: TensorLike) -> Tensor: ...
    def __ge__(self, other: TensorLike) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __rmatmul__(self, other: Tensor) -> Tensor: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    def abs(self) -> Tensor:
        """The size of each element; that of a complex one is real.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.abs(x)
        tensor([1.5000, 0.0000, 2.5000])
        """
    def abs_(self) -> Tensor:
        """abs, written into the tensor; the size of a complex number is real, so that needs a new tensor.

        >>> import weft
        >>> weft.tensor([-1.0, 2.0]).abs_()
        tensor([1., 2.])
        """
    def absolute(self) -> Tensor:
        """The size of each element; that of a complex one is real.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.abs(x)
        tensor([1.5000, 0.0000, 2.5000])
        """
    def absolute_(self) -> Tensor:
        """abs, written into the tensor; the size of a complex number is real, so that needs a new tensor.

        >>> import weft
        >>> weft.tensor([-1.0, 2.0]).abs_()
        tensor([1., 2.])
        """
    def acos(self) -> Tensor:
        """The angle whose cosine is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.acos(x)
        tensor([[1.2661, 1.1374],
                [1.0004, 0.8500],
                [0.6761, 0.4510]])
        """
    def acos_(self) -> Tensor:
        """The angle whose cosine is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.acos_()
        tensor([[1.2661, 1.1374],
                [1.0004, 0.8500],
                [0.6761, 0.4510]])
        """
    def acosh(self) -> Tensor:
        """The inverse of cosh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> weft.acosh(x)
        tensor([0.0000, 1.3170])
        """
    def acosh_(self) -> Tensor:
        """The inverse of cosh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> x.acosh_()
        tensor([0.0000, 1.3170])
        """
    def add(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def add_(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (the sum of the products of two stacks of matrices).

        Shape: (3, 4), (2, 3, 2), (2, 2, 4) -> (3, 4) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
        >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
        >>> weft.addbmm(x, y, z).shape
        torch.Size([3, 4])
        """
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (the sum of the products of two stacks of matrices).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
        >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
        >>> x.addbmm_(y, z).shape
        torch.Size([3, 4])
        """
    def addcdiv(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
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
    def addcdiv_(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
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
    def addcmul(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
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
    def addcmul_(self, tensor1: TensorLike, tensor2: TensorLike, *, value: Number = 1) -> Tensor:
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
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
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
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
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
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (mat @ vec).

        Shape: (3,), (3, 2), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.6, 0.9])
        >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
        >>> z = weft.tensor([0.3, 0.9])
        >>> weft.addmv(x, y, z)
        tensor([1.1640, 1.2600, 1.3560])
        """
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (mat @ vec).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.6, 0.9])
        >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
        >>> z = weft.tensor([0.3, 0.9])
        >>> x.addmv_(y, z)
        tensor([1.1640, 1.2600, 1.3560])
        """
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
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
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
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
    def adjoint(self) -> Tensor:
        """The last two dimensions exchanged and, for complex numbers, conjugated.

        Shape: (2, 3) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.adjoint(x)
        tensor([[0.3000, 0.6600],
                [0.4200, 0.7800],
                [0.5400, 0.9000]])
        """
    def all(self, dim: Dim = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all elements are true, whole or along `dim`.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[True, False], [True, True]])
        >>> weft.all(x, 1)
        tensor([False,  True])
        """
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements of two tensors are close; a Python bool.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
        >>> weft.allclose(x, y)
        False
        """
    def amax(self, dim: Dim = (), keepdim: builtins.bool = False) -> Tensor:
        """The greatest element along any dimensions; ties share the gradient.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.amax(x, 1)
        tensor([3., 4.])
        """
    def amin(self, dim: Dim = (), keepdim: builtins.bool = False) -> Tensor:
        """The least element along any dimensions; ties share the gradient.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.amin(x, 1)
        tensor([1., 2.])
        """
    def aminmax(self, *, dim: Dim = None, keepdim: builtins.bool = False) -> AminmaxResult:
        """The least and the greatest at once, whole or along one dimension.

        Shape: (3,) -> (), () in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.aminmax(x)
        torch.return_types.aminmax(
        min=tensor(1.),
        max=tensor(3.))
        """
    def angle(self) -> Tensor:
        """The angle in the complex plane, from -pi to pi; 0 or pi of a real number.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.angle(x)
        tensor([[0., 0.],
                [0., 0.],
                [0., 0.]])
        """
    def any(self, dim: Dim = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element is true, whole or along `dim`.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[True, False], [True, True]])
        >>> weft.any(x, 1)
        tensor([True, True])
        """
    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace each element by callable(element); slow, one call of Python for each.

        >>> import weft
        >>> weft.tensor([1, 2]).apply_(lambda v: v + 1)
        tensor([2, 3])
        """
    def arccos(self) -> Tensor:
        """The angle whose cosine is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.acos(x)
        tensor([[1.2661, 1.1374],
                [1.0004, 0.8500],
                [0.6761, 0.4510]])
        """
    def arccos_(self) -> Tensor:
        """The angle whose cosine is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.acos_()
        tensor([[1.2661, 1.1374],
                [1.0004, 0.8500],
                [0.6761, 0.4510]])
        """
    def arccosh(self) -> Tensor:
        """The inverse of cosh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> weft.acosh(x)
        tensor([0.0000, 1.3170])
        """
    def arccosh_(self) -> Tensor:
        """The inverse of cosh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> x.acosh_()
        tensor([0.0000, 1.3170])
        """
    def arcsin(self) -> Tensor:
        """The angle whose sine is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.asin(x)
        tensor([[0.3047, 0.4334],
                [0.5704, 0.7208],
                [0.8947, 1.1198]])
        """
    def arcsin_(self) -> Tensor:
        """The angle whose sine is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.asin_()
        tensor([[0.3047, 0.4334],
                [0.5704, 0.7208],
                [0.8947, 1.1198]])
        """
    def arcsinh(self) -> Tensor:
        """The inverse of sinh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.asinh(x)
        tensor([[0.2957, 0.4085],
                [0.5167, 0.6196],
                [0.7170, 0.8089]])
        """
    def arcsinh_(self) -> Tensor:
        """The inverse of sinh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.asinh_()
        tensor([[0.2957, 0.4085],
                [0.5167, 0.6196],
                [0.7170, 0.8089]])
        """
    def arctan(self) -> Tensor:
        """The angle whose tangent is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.atan(x)
        tensor([[0.2915, 0.3976],
                [0.4951, 0.5834],
                [0.6624, 0.7328]])
        """
    def arctan2(self, other: TensorLike) -> Tensor:
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
    def arctan2_(self, other: TensorLike) -> Tensor:
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
    def arctan_(self) -> Tensor:
        """The angle whose tangent is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.atan_()
        tensor([[0.2915, 0.3976],
                [0.4951, 0.5834],
                [0.6624, 0.7328]])
        """
    def arctanh(self) -> Tensor:
        """The inverse of tanh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.atanh(x)
        tensor([[0.3095, 0.4477],
                [0.6042, 0.7928],
                [1.0454, 1.4722]])
        """
    def arctanh_(self) -> Tensor:
        """The inverse of tanh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.atanh_()
        tensor([[0.3095, 0.4477],
                [0.6042, 0.7928],
                [1.0454, 1.4722]])
        """
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the greatest element stands; the first of equals.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.argmax(x, 1)
        tensor([1, 0])
        """
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the least element stands; the first of equals.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.argmin(x, 1)
        tensor([0, 1])
        """
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
        """The indices that sort along `dim`.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.argsort(x)
        tensor([1, 2, 0])
        """
    def argwhere(self) -> Tensor:
        """The indices of what is not zero, one row for each.

        Shape: (3,) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([0, 5, 7])
        >>> weft.argwhere(x)
        tensor([[1],
                [2]])
        """
    def as_strided(self, size: Sequence[builtins.int], stride: Sequence[builtins.int], storage_offset: builtins.int | None = None) -> Tensor:
        """The view of input's storage with this shape, these strides and this offset from its start.

        Shape: (6,) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.42, 0.54, 0.66, 0.78, 0.9])
        >>> weft.as_strided(x, [2, 2], [2, 1])
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600]])
        """
    def as_strided_(self, size: Ints, stride: Ints, storage_offset: builtins.int | None = None) -> Tensor:
        """Become another window on the same storage.

        >>> import weft
        >>> x = weft.arange(4)
        >>> x.as_strided_((2, 2), (1, 2))
        tensor([[0, 2],
                [1, 3]])
        """
    def as_strided_scatter(self, src: Tensor, size: Ints, stride: Ints, storage_offset: builtins.int | None = None) -> Tensor:
        """A copy with `src` in a window on its memory.

        Shape: (6,), (2, 2) -> (6,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.42, 0.54, 0.66, 0.78, 0.9])
        >>> y = weft.tensor([[0.78, 0.64], [0.5, 0.36]])
        >>> weft.as_strided_scatter(x, y, [2, 2], [2, 1])
        tensor([0.7800, 0.6400, 0.5000, 0.3600, 0.7800, 0.9000])
        """
    def as_subclass(self, cls: Any) -> Any:
        """The same memory and history as an instance of a tensor subclass.

        >>> import weft
        >>> class Celsius(weft.Tensor):
        ...     pass
        >>> type(weft.ones(2).as_subclass(Celsius)).__name__
        'Celsius'
        """
    def asin(self) -> Tensor:
        """The angle whose sine is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.asin(x)
        tensor([[0.3047, 0.4334],
                [0.5704, 0.7208],
                [0.8947, 1.1198]])
        """
    def asin_(self) -> Tensor:
        """The angle whose sine is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.asin_()
        tensor([[0.3047, 0.4334],
                [0.5704, 0.7208],
                [0.8947, 1.1198]])
        """
    def asinh(self) -> Tensor:
        """The inverse of sinh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.asinh(x)
        tensor([[0.2957, 0.4085],
                [0.5167, 0.6196],
                [0.7170, 0.8089]])
        """
    def asinh_(self) -> Tensor:
        """The inverse of sinh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.asinh_()
        tensor([[0.2957, 0.4085],
                [0.5167, 0.6196],
                [0.7170, 0.8089]])
        """
    def atan(self) -> Tensor:
        """The angle whose tangent is input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.atan(x)
        tensor([[0.2915, 0.3976],
                [0.4951, 0.5834],
                [0.6624, 0.7328]])
        """
    def atan2(self, other: TensorLike) -> Tensor:
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
    def atan2_(self, other: TensorLike) -> Tensor:
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
    def atan_(self) -> Tensor:
        """The angle whose tangent is self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.atan_()
        tensor([[0.2915, 0.3976],
                [0.4951, 0.5834],
                [0.6624, 0.7328]])
        """
    def atanh(self) -> Tensor:
        """The inverse of tanh.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.atanh(x)
        tensor([[0.3095, 0.4477],
                [0.6042, 0.7928],
                [1.0454, 1.4722]])
        """
    def atanh_(self) -> Tensor:
        """The inverse of tanh.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.atanh_()
        tensor([[0.3095, 0.4477],
                [0.6042, 0.7928],
                [1.0454, 1.4722]])
        """
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, inputs: Sequence[Tensor] | Tensor | None = None) -> None:
        """Add the gradients of this tensor to the `.grad` of the leaves that it was computed from.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
        """
    def backward_steps(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, inputs: Sequence[Tensor] | Tensor | None = None) -> Iterator[Any]:
        """The same as backward(), one node at a time: each is given before it runs, with the gradients that came in
        (`grad_out`).

        The leaves get their gradients when the loop ends; leaving it early gives them none.

        >>> import weft
        >>> x = weft.tensor([1., 2.], requires_grad=True)
        >>> for step in (x * x).sum().backward_steps():
        ...     print(step.name(), step.grad_out[0].tolist())
        SumBackward0 1.0
        MulBackward0 [1.0, 1.0]
        >>> x.grad
        tensor([2., 4.])
        """
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * input + alpha * (batch1 @ batch2), of stacks of matrices.

        Shape: (2, 3, 4), (2, 3, 2), (2, 2, 4) -> (2, 3, 4) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
        >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
        >>> weft.baddbmm(x, y, z).shape
        torch.Size([2, 3, 4])
        """
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
        """beta * self + alpha * (batch1 @ batch2), of stacks of matrices.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(2, 3, 2)
        >>> z = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
        >>> x.baddbmm_(y, z).shape
        torch.Size([2, 3, 4])
        """
    def bernoulli(self, p: Tensor | builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 with the probability that stands in `input`, or `p` everywhere; else 0.

        Shape: (2,) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.0, 1.0])
        >>> weft.bernoulli(x).shape
        torch.Size([2])
        """
    def bernoulli_(self, p: Tensor | builtins.float | None = None, *, generator: Generator | None = None) -> Tensor:
        """1 with the probability that stands in `self`, or `p` everywhere; else 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([0.0, 1.0])
        >>> x.bernoulli_().shape
        torch.Size([2])
        """
    def bfloat16(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.bfloat16.

        >>> import weft
        >>> weft.ones(1).bfloat16().dtype
        torch.bfloat16
        """
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """How often each of 0, 1, 2, ... occurs, or the sum of its weights.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([0, 2, 2])
        >>> weft.bincount(x)
        tensor([1, 0, 2])
        """
    def bitwise_and(self, other: TensorLike) -> Tensor:
        """The bits that are set in both.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> weft.bitwise_and(x, y)
        tensor([1, 2])
        """
    def bitwise_and_(self, other: TensorLike) -> Tensor:
        """The bits that are set in both.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> x.bitwise_and_(y)
        tensor([1, 2])
        """
    def bitwise_left_shift(self, other: TensorLike) -> Tensor:
        """The bits moved up by other places; by more than there are, or by fewer than none, gives 0.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([1, 1])
        >>> weft.bitwise_left_shift(x, y)
        tensor([10, 12])
        """
    def bitwise_left_shift_(self, other: TensorLike) -> Tensor:
        """The bits moved up by other places; by more than there are, or by fewer than none, gives 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([1, 1])
        >>> x.bitwise_left_shift_(y)
        tensor([10, 12])
        """
    def bitwise_not(self) -> Tensor:
        """Every bit turned; for bool, the opposite.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> weft.bitwise_not(x)
        tensor([-6, -7])
        """
    def bitwise_not_(self) -> Tensor:
        """Every bit turned; for bool, the opposite.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> x.bitwise_not_()
        tensor([-6, -7])
        """
    def bitwise_or(self, other: TensorLike) -> Tensor:
        """The bits that are set in either.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> weft.bitwise_or(x, y)
        tensor([7, 7])
        """
    def bitwise_or_(self, other: TensorLike) -> Tensor:
        """The bits that are set in either.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> x.bitwise_or_(y)
        tensor([7, 7])
        """
    def bitwise_right_shift(self, other: TensorLike) -> Tensor:
        """The bits moved down by other places, the sign filling up; outside the type's width only the sign is left.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([1, 1])
        >>> weft.bitwise_right_shift(x, y)
        tensor([2, 3])
        """
    def bitwise_right_shift_(self, other: TensorLike) -> Tensor:
        """The bits moved down by other places, the sign filling up; outside the type's width only the sign is left.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([1, 1])
        >>> x.bitwise_right_shift_(y)
        tensor([2, 3])
        """
    def bitwise_xor(self, other: TensorLike) -> Tensor:
        """The bits that are set in one of the two.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> weft.bitwise_xor(x, y)
        tensor([6, 5])
        """
    def bitwise_xor_(self, other: TensorLike) -> Tensor:
        """The bits that are set in one of the two.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> x.bitwise_xor_(y)
        tensor([6, 5])
        """
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two stacks of matrices: (b, n, m) and (b, m, p) give (b, n, p).

        Shape: (2, 3, 2), (2, 2, 4) -> (2, 3, 4) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(2, 3, 2)
        >>> y = weft.linspace(0.9, 0.3, 16).reshape(2, 2, 4)
        >>> weft.bmm(x, y).shape
        torch.Size([2, 3, 4])
        """
    def bool(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.bool.

        >>> import weft
        >>> weft.ones(1).bool().dtype
        torch.bool
        """
    def broadcast_to(self, size: Ints) -> Tensor:
        """Expanded to a shape.

        Shape: (2, 1) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[1], [2]])
        >>> weft.broadcast_to(x, (2, 3))
        tensor([[1, 1, 1],
                [2, 2, 2]])
        """
    def byte(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.uint8.

        >>> import weft
        >>> weft.ones(1).byte().dtype
        torch.uint8
        """
    def cauchy_(self, median: builtins.float = 0.0, sigma: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with Cauchy numbers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.cauchy_().shape
        torch.Size([2, 3])
        """
    def ccol_indices(self) -> None:
        """Where each column begins: (columns + 1); only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse_csc().ccol_indices()
        tensor([0, 1, 2])
        """
    def cdouble(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.complex128.

        >>> import weft
        >>> weft.ones(1).cdouble().dtype
        torch.complex128
        """
    def ceil(self) -> Tensor:
        """The least integer that is at least input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.ceil(x)
        tensor([-1.,  0.,  3.])
        """
    def ceil_(self) -> Tensor:
        """The least integer that is at least self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.ceil_()
        tensor([-1.,  0.,  3.])
        """
    def celu_(self, alpha: Number = 1.0) -> Tensor:
        """self where it is positive, else alpha * (e**(self / alpha) - 1).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-2.0, 3.0])
        >>> x.celu_()
        tensor([-0.8647,  3.0000])
        """
    def cfloat(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.complex64.

        >>> import weft
        >>> weft.ones(1).cfloat().dtype
        torch.complex64
        """
    def char(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.int8.

        >>> import weft
        >>> weft.ones(1).char().dtype
        torch.int8
        """
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """L of A = L L^H for a hermitian positive-definite A, or the upper factor.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[4.0, 2.0], [2.0, 3.0]])
        >>> weft.cholesky(x)
        tensor([[2.0000, 0.0000],
                [1.0000, 1.4142]])
        """
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of A, given its Cholesky factor.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.eye(2) * 2
        >>> weft.cholesky_inverse(x)
        tensor([[0.2500, 0.0000],
                [0.0000, 0.2500]])
        """
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """X of A X = B, given the Cholesky factor of A.

        Shape: (2, 1), (2, 2) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.ones(2, 1)
        >>> y = weft.eye(2) * 2
        >>> weft.cholesky_solve(x, y)
        tensor([[0.2500],
                [0.2500]])
        """
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """At most `chunks` pieces, equal but for the last.

        Shape: (5,) -> (3,), (2,) in the example.

        >>> import weft
        >>> x = weft.arange(5)
        >>> weft.chunk(x, 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
    def clamp(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """input, but at least min and at most max; where these cross, max.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.clamp(x, min=-1, max=1)
        tensor([-1.,  0.,  1.])
        """
    def clamp_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """self, but at least min and at most max; where these cross, max.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.clamp_(min=-1, max=1)
        tensor([-1.,  0.,  1.])
        """
    def clamp_max(self, max: TensorLike) -> Tensor:
        """input, but at most max.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.clamp_max(x, 1)
        tensor([-1.5000,  0.0000,  1.0000])
        """
    def clamp_max_(self, max: TensorLike) -> Tensor:
        """self, but at most max.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.clamp_max_(1)
        tensor([-1.5000,  0.0000,  1.0000])
        """
    def clamp_min(self, min: TensorLike) -> Tensor:
        """input, but at least min.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.clamp_min(x, 0)
        tensor([0.0000, 0.0000, 2.5000])
        """
    def clamp_min_(self, min: TensorLike) -> Tensor:
        """self, but at least min.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.clamp_min_(0)
        tensor([0.0000, 0.0000, 2.5000])
        """
    def clip(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """input, but at least min and at most max; where these cross, max.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.clamp(x, min=-1, max=1)
        tensor([-1.,  0.,  1.])
        """
    def clip_(self, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
        """self, but at least min and at most max; where these cross, max.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.clamp_(min=-1, max=1)
        tensor([-1.,  0.,  1.])
        """
    def clone(self, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """A copy in its own memory, still in the graph.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.clone(x)
        tensor([[0.3000, 0.4200, 0.5400],
                [0.6600, 0.7800, 0.9000]])
        """
    def coalesce(self) -> None:
        """The same tensor with its elements in order, those of one place summed up; only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse().coalesce().is_coalesced()
        True
        """
    def col_indices(self) -> None:
        """The column of each element; only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse_csr().col_indices()
        tensor([0, 1])
        """
    def conj(self) -> Tensor:
        """The conjugate; a real tensor is its own.

        Shape: (3, 2) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.conj(x)
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def conj_physical(self) -> Tensor:
        """The conjugate, in memory of its own where the numbers are complex.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.conj_physical(x)
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def conj_physical_(self) -> Tensor:
        """The conjugate, in memory of its own where the numbers are complex.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.conj_physical_()
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def const_data_ptr(self) -> builtins.int:
        """The address of the first element; 0 for none.

        >>> import weft
        >>> x = weft.ones(2)
        >>> x.data_ptr() == x.view(2, 1).data_ptr()
        True
        """
    def contiguous(self, memory_format: MemoryFormat = ...) -> Tensor:
        """The tensor itself where it lies in memory in this order already, else a copy that does.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.contiguous(x)
        tensor([[0.3000, 0.4200, 0.5400],
                [0.6600, 0.7800, 0.9000]])
        """
    def copy_(self, src: Tensor, non_blocking: builtins.bool = False) -> Tensor:
        """Overwrite this tensor with the values of `src`.

        >>> import weft
        >>> weft.zeros(2).copy_(weft.ones(2))
        tensor([1., 1.])
        """
    def copysign(self, other: TensorLike) -> Tensor:
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
    def copysign_(self, other: TensorLike) -> Tensor:
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
    def corrcoef(self) -> Tensor:
        """The correlation of variables in rows, observed in columns.

        Shape: (2, 3) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
        >>> weft.corrcoef(x)
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
    def cos(self) -> Tensor:
        """The cosine of an angle in radians.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.cos(x)
        tensor([[0.9553, 0.9131],
                [0.8577, 0.7900],
                [0.7109, 0.6216]])
        """
    def cos_(self) -> Tensor:
        """The cosine of an angle in radians.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.cos_()
        tensor([[0.9553, 0.9131],
                [0.8577, 0.7900],
                [0.7109, 0.6216]])
        """
    def cosh(self) -> Tensor:
        """The hyperbolic cosine.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.cosh(x)
        tensor([[1.0453, 1.0895],
                [1.1494, 1.2258],
                [1.3199, 1.4331]])
        """
    def cosh_(self) -> Tensor:
        """The hyperbolic cosine.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.cosh_()
        tensor([[1.0453, 1.0895],
                [1.1494, 1.2258],
                [1.3199, 1.4331]])
        """
    def count_nonzero(self, dim: Dim = None) -> Tensor:
        """How many elements are not zero, whole or along `dim`.

        Shape: (3, 2) -> () in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.count_nonzero(x)
        tensor(6)
        """
    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariance matrix of variables in rows, observed in columns.

        Shape: (2, 3) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
        >>> weft.cov(x)
        tensor([[ 1., -1.],
                [-1.,  1.]])
        """
    def cpu(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The tensor itself: it is on the CPU.

        >>> import weft
        >>> x = weft.ones(2)
        >>> x.cpu() is x
        True
        """
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
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
    def crow_indices(self) -> None:
        """Where each row begins: (rows + 1); only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse_csr().crow_indices()
        tensor([0, 1, 2])
        """
    def cuda(self, device: Device | None = None, non_blocking: builtins.bool = False, memory_format: MemoryFormat | None = None) -> Tensor:
        """Refused: there is no CUDA device.

        >>> import weft
        >>> weft.ones(2).cuda()
        Traceback (most recent call last):
            ...
        AssertionError: ...
        """
    def cummax(self, dim: builtins.int) -> CummaxResult:
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
    def cummin(self, dim: builtins.int) -> CumminResult:
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
    def cumprod(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The product of all elements up to each one; its gradient divides by nothing, so zeros are exact.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.cumprod(x, 1)
        tensor([[1., 3.],
                [4., 8.]])
        """
    def cumprod_(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The product of all elements up to each one; its gradient divides by nothing, so zeros are exact.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> x.cumprod_(1)
        tensor([[1., 3.],
                [4., 8.]])
        """
    def cumsum(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The sum of all elements up to each one.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.cumsum(x, 1)
        tensor([[1., 4.],
                [4., 6.]])
        """
    def cumsum_(self, dim: builtins.int, *, dtype: DType | None = None) -> Tensor:
        """The sum of all elements up to each one.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> x.cumsum_(1)
        tensor([[1., 4.],
                [4., 6.]])
        """
    def data_ptr(self) -> builtins.int:
        """The address of the first element; 0 for none.

        >>> import weft
        >>> x = weft.ones(2)
        >>> x.data_ptr() == x.view(2, 1).data_ptr()
        True
        """
    def deg2rad(self) -> Tensor:
        """Degrees in radians.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.deg2rad(x)
        tensor([[0.0052, 0.0073],
                [0.0094, 0.0115],
                [0.0136, 0.0157]])
        """
    def deg2rad_(self) -> Tensor:
        """Degrees in radians.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.deg2rad_()
        tensor([[0.0052, 0.0073],
                [0.0094, 0.0115],
                [0.0136, 0.0157]])
        """
    def dense_dim(self) -> builtins.int:
        """The number of dimensions.

        >>> import weft
        >>> weft.ones(2, 3).dim()
        2
        """
    def det(self) -> Tensor:
        """The determinant of square matrices.

        Shape: (2, 2) -> () in the example.

        >>> import weft
        >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
        >>> weft.linalg.det(x)
        tensor(8.)
        """
    def detach(self) -> Tensor:
        """The same memory and versions, outside the graph.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> (x * 2).detach().requires_grad
        False
        """
    def detach_(self) -> Tensor:
        """Take this tensor itself out of the graph that made it.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> y.detach_().grad_fn is None
        True
        """
    @property
    def device(self) -> device_: ...
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """A vector as a diagonal matrix, or the diagonal of a matrix as a new vector.

        Shape: (3,) -> (3, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0, 3.0])
        >>> weft.diag(x)
        tensor([[1., 0., 0.],
                [0., 2., 0.],
                [0., 0., 3.]])
        """
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Matrices with the last dimension of input on a diagonal, zeros elsewhere.

        Shape: (2,) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> weft.diag_embed(x)
        tensor([[1., 0.],
                [0., 2.]])
        """
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """All elements on the diagonal of a matrix.

        Shape: (3,) -> (3, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0, 3.0])
        >>> weft.diagflat(x)
        tensor([[1., 0., 0.],
                [0., 2., 0.],
                [0., 0., 3.]])
        """
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """The view of a diagonal of two dimensions, put last.

        Shape: (3, 4) -> (3,) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> weft.diagonal(x)
        tensor([0.3000, 0.5727, 0.8455])
        """
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A copy with `src` on a diagonal.

        Shape: (3, 4), (3,) -> (3, 4) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> y = weft.tensor([0.78, 0.57, 0.36])
        >>> weft.diagonal_scatter(x, y).shape
        torch.Size([3, 4])
        """
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """The n-th differences of neighbours along `dim`.

        Shape: (5,) -> (4,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
        >>> weft.diff(x)
        tensor([0.1500, 0.1500, 0.1500, 0.1500])
        """
    def digamma(self) -> Tensor:
        """The derivative of lgamma.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.digamma(x)
        tensor([[-3.5025, -2.4220],
                [-1.7786, -1.3388],
                [-1.0119, -0.7549]])
        """
    def digamma_(self) -> Tensor:
        """The derivative of lgamma.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.digamma_()
        tensor([[-3.5025, -2.4220],
                [-1.7786, -1.3388],
                [-1.0119, -0.7549]])
        """
    def dim(self) -> builtins.int:
        """The number of dimensions.

        >>> import weft
        >>> weft.ones(2, 3).dim()
        2
        """
    def dim_order(self, ambiguity_check: Any = False) -> tuple[builtins.int, ...]:
        """The dimensions from the outermost in memory to the innermost.

        >>> import weft
        >>> x = weft.ones(1, 3, 2, 2)
        >>> x.dim_order()
        (0, 1, 2, 3)
        >>> x.to(memory_format=weft.channels_last).dim_order()
        (0, 2, 3, 1)
        """
    def dist(self, other: Tensor, p: builtins.float = 2) -> Tensor:
        """The p-norm of input - other.

        Shape: (3, 4), (3, 4) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
        >>> weft.dist(x, y)
        tensor(1.3045)
        """
    def div(self, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
        """input / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
        integers.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> weft.div(x, 2)
        tensor([-3.5000,  3.5000])
        """
    def div_(self, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
        """self / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
        integers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> x.div_(2)
        tensor([-3.5000,  3.5000])
        """
    def divide(self, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
        """input / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
        integers.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> weft.div(x, 2)
        tensor([-3.5000,  3.5000])
        """
    def divide_(self, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
        """self / other; with rounding_mode "floor" or "trunc" the quotient rounded down or towards zero, integers staying
        integers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> x.div_(2)
        tensor([-3.5000,  3.5000])
        """
    def dot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors.

        Shape: (3,), (3,) -> () in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.6, 0.9])
        >>> y = weft.tensor([0.78, 0.57, 0.36])
        >>> weft.dot(x, y)
        tensor(0.9000)
        """
    def double(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.float64.

        >>> import weft
        >>> weft.ones(1).double().dtype
        torch.float64
        """
    def dsplit(self, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Pieces along the third dimension.

        Shape: (2, 2, 4) -> (2, 2, 2), (2, 2, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 16).reshape(2, 2, 4)
        >>> [t.shape for t in weft.dsplit(x, 2)]
        [torch.Size([2, 2, 2]), torch.Size([2, 2, 2])]
        """
    @property
    def dtype(self) -> DType: ...
    def element_size(self) -> builtins.int:
        """The bytes of one element.

        >>> import weft
        >>> weft.ones(1).element_size()
        4
        """
    def empty_like(self, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Uninitialized, with a tensor's shape, type and memory order.

        >>> import weft
        >>> weft.empty_like(weft.zeros(2, 3)).shape
        torch.Size([2, 3])
        """
    def eq(self, other: TensorLike) -> Tensor:
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
    def eq_(self, other: TensorLike) -> Tensor:
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
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same shape and the same elements; a Python bool.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.tensor([[0.78, 0.7], [0.61, 0.53], [0.44, 0.36]])
        >>> weft.equal(x, y)
        False
        """
    def erf(self) -> Tensor:
        """The error function.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.erf(x)
        tensor([[0.3286, 0.4475],
                [0.5549, 0.6494],
                [0.7300, 0.7969]])
        """
    def erf_(self) -> Tensor:
        """The error function.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.erf_()
        tensor([[0.3286, 0.4475],
                [0.5549, 0.6494],
                [0.7300, 0.7969]])
        """
    def erfc(self) -> Tensor:
        """1 - erf(input), exact where it is small.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.erfc(x)
        tensor([[0.6714, 0.5525],
                [0.4451, 0.3506],
                [0.2700, 0.2031]])
        """
    def erfc_(self) -> Tensor:
        """1 - erf(self), exact where it is small.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.erfc_()
        tensor([[0.6714, 0.5525],
                [0.4451, 0.3506],
                [0.2700, 0.2031]])
        """
    def erfinv(self) -> Tensor:
        """The inverse of erf.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.erfinv(x)
        tensor([[0.2725, 0.3913],
                [0.5224, 0.6747],
                [0.8673, 1.1631]])
        """
    def erfinv_(self) -> Tensor:
        """The inverse of erf.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.erfinv_()
        tensor([[0.2725, 0.3913],
                [0.5224, 0.6747],
                [0.8673, 1.1631]])
        """
    def exp(self) -> Tensor:
        """e**input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.exp(x)
        tensor([[1.3499, 1.5220],
                [1.7160, 1.9348],
                [2.1815, 2.4596]])
        """
    def exp2(self) -> Tensor:
        """2**input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.exp2(x)
        tensor([[1.2311, 1.3379],
                [1.4540, 1.5801],
                [1.7171, 1.8661]])
        """
    def exp2_(self) -> Tensor:
        """2**self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.exp2_()
        tensor([[1.2311, 1.3379],
                [1.4540, 1.5801],
                [1.7171, 1.8661]])
        """
    def exp_(self) -> Tensor:
        """e**self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.exp_()
        tensor([[1.3499, 1.5220],
                [1.7160, 1.9348],
                [2.1815, 2.4596]])
        """
    @overload
    def expand(self, size: Ints) -> Tensor:
        """The view with dimensions of length 1 repeated to `size`, without copying; -1 keeps a length.

        Shape: (2, 1) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[1], [2]])
        >>> weft.expand(x, (2, 3))
        tensor([[1, 1, 1],
                [2, 2, 2]])
        """
    @overload
    def expand(self, *size: builtins.int) -> Tensor: ...
    def expand_as(self, other: Tensor) -> Tensor:
        """Expanded to the shape of another tensor.

        Shape: (3, 1), (3, 4) -> (3, 4) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3], [0.6], [0.9]])
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
        >>> weft.expand_as(x, y).shape
        torch.Size([3, 4])
        """
    def expm1(self) -> Tensor:
        """e**input - 1, exact near 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.expm1(x)
        tensor([[0.3499, 0.5220],
                [0.7160, 0.9348],
                [1.1815, 1.4596]])
        """
    def expm1_(self) -> Tensor:
        """e**self - 1, exact near 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.expm1_()
        tensor([[0.3499, 0.5220],
                [0.7160, 0.9348],
                [1.1815, 1.4596]])
        """
    def exponential_(self, lambd: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponential numbers of the rate `lambd`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.exponential_(2).shape
        torch.Size([2, 3])
        """
    def fill_(self, value: TensorLike) -> Tensor:
        """The tensor with every element replaced by `value`, a number or zero-dim tensor.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.fill_(1.5)
        tensor([[1.5000, 1.5000],
                [1.5000, 1.5000],
                [1.5000, 1.5000]])
        """
    def fill_diagonal_(self, fill_value: Number, wrap: builtins.bool = False) -> Self:
        """Fill the main diagonal in place; with `wrap` it starts again below a tall matrix's last one.

        >>> import weft
        >>> weft.zeros(2, 3).fill_diagonal_(5)
        tensor([[5., 0., 0.],
                [0., 5., 0.]])
        """
    def fix(self) -> Tensor:
        """input without its decimals.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.trunc(x)
        tensor([-1.,  0.,  2.])
        """
    def fix_(self) -> Tensor:
        """self without its decimals.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.trunc_()
        tensor([-1.,  0.,  2.])
        """
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """The dimensions from `start_dim` to `end_dim` made one.

        Shape: (2, 2) -> (4,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> weft.flatten(x)
        tensor([1, 2, 3, 4])
        """
    @overload
    def flip(self, dims: Sequence[builtins.int]) -> Tensor:
        """The elements in reverse order along `dims`.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.flip(x, [0])
        tensor([[0.6600, 0.7800, 0.9000],
                [0.3000, 0.4200, 0.5400]])
        """
    @overload
    def flip(self, *dims: builtins.int) -> Tensor: ...
    def fliplr(self) -> Tensor:
        """The columns in reverse order.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.fliplr(x)
        tensor([[0.5400, 0.4200, 0.3000],
                [0.9000, 0.7800, 0.6600]])
        """
    def flipud(self) -> Tensor:
        """The rows in reverse order.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.flipud(x)
        tensor([[0.6600, 0.7800, 0.9000],
                [0.3000, 0.4200, 0.5400]])
        """
    def float(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.float32.

        >>> import weft
        >>> weft.ones(1).float().dtype
        torch.float32
        """
    def float_power(self, exponent: TensorLike) -> Tensor:
        """input to the power of the exponent, computed in double precision.

        Shape: (3, 2) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.float_power(x, 2)
        tensor([[0.0900, 0.1764],
                [0.2916, 0.4356],
                [0.6084, 0.8100]], dtype=torch.float64)
        """
    def float_power_(self, exponent: TensorLike) -> Tensor:
        """float_power, written into a tensor of double precision.

        >>> import weft
        >>> weft.tensor([2.0, 3.0], dtype=weft.float64).float_power_(2)
        tensor([4., 9.], dtype=torch.float64)
        """
    def floor(self) -> Tensor:
        """The greatest integer that is at most input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.floor(x)
        tensor([-2.,  0.,  2.])
        """
    def floor_(self) -> Tensor:
        """The greatest integer that is at most self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.floor_()
        tensor([-2.,  0.,  2.])
        """
    def floor_divide(self, other: TensorLike) -> Tensor:
        """The quotient rounded down; it has no gradient.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([7.0, -7.0])
        >>> weft.floor_divide(x, 2)
        tensor([ 3., -4.])
        """
    def floor_divide_(self, other: TensorLike) -> Tensor:
        """The quotient rounded down; it has no gradient.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([7.0, -7.0])
        >>> x.floor_divide_(2)
        tensor([ 3., -4.])
        """
    def fmax(self, other: TensorLike) -> Tensor:
        """The larger of input and other; a NaN loses to a number.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 5.0])
        >>> y = weft.tensor([3.0, 2.0])
        >>> weft.fmax(x, y)
        tensor([3., 5.])
        """
    def fmin(self, other: TensorLike) -> Tensor:
        """The smaller of input and other; a NaN loses to a number.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 5.0])
        >>> y = weft.tensor([3.0, 2.0])
        >>> weft.fmin(x, y)
        tensor([1., 2.])
        """
    def fmod(self, other: TensorLike) -> Tensor:
        """What truncating division leaves: it has the sign of input.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> weft.fmod(x, 2)
        tensor([-1.,  1.])
        """
    def fmod_(self, other: TensorLike) -> Tensor:
        """What truncating division leaves: it has the sign of self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> x.fmod_(2)
        tensor([-1.,  1.])
        """
    def frac(self) -> Tensor:
        """The decimals of input, with its sign.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.frac(x)
        tensor([-0.5000,  0.0000,  0.5000])
        """
    def frac_(self) -> Tensor:
        """The decimals of self, with its sign.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.frac_()
        tensor([-0.5000,  0.0000,  0.5000])
        """
    def frexp(self) -> FrexpResult:
        """The mantissa, from 0.5 to 1, and the exponent of 2, such that input = mantissa * 2**exponent.

        Shape: (1,) -> (1,), (1,) in the example.

        >>> import weft
        >>> x = weft.tensor([4.0])
        >>> weft.frexp(x)
        torch.return_types.frexp(
        mantissa=tensor([0.5000]),
        exponent=tensor([3], dtype=torch.int32))
        """
    def full_like(self, fill_value: Number, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """One number everywhere, with a tensor's shape, type and memory order.

        >>> import weft
        >>> weft.full_like(weft.zeros(2), 3)
        tensor([3., 3.])
        """
    def gather(self, dim: builtins.int, index: Tensor, *, sparse_grad: builtins.bool = False) -> Tensor:
        """out[i][j] = input[index[i][j]][j] for dim 0, and so on: one element of `dim` for each place of `index`.

        Shape: (2, 2), (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> y = weft.tensor([[0, 0], [1, 0]])
        >>> weft.gather(x, 1, y)
        tensor([[1, 1],
                [4, 3]])
        """
    def gcd(self, other: TensorLike) -> Tensor:
        """The greatest common divisor.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> weft.gcd(x, y)
        tensor([1, 3])
        """
    def gcd_(self, other: TensorLike) -> Tensor:
        """The greatest common divisor.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> x.gcd_(y)
        tensor([1, 3])
        """
    def ge(self, other: TensorLike) -> Tensor:
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
    def ge_(self, other: TensorLike) -> Tensor:
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
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with the number of tries until the first success of probability `p`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.geometric_(0.5).shape
        torch.Size([2, 3])
        """
    def geqrf(self) -> GeqrfResult:
        """R on and above the diagonal, the reflectors below it, and their factors tau.

        Shape: (3, 2) -> (3, 2), (2,) in the example.

        >>> import weft
        >>> x = weft.ones(3, 2)
        >>> [t.shape for t in weft.geqrf(x)]
        [torch.Size([3, 2]), torch.Size([2])]
        """
    def ger(self, vec2: Tensor) -> Tensor:
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
    def get_device(self) -> Tensor:
        """-1: the CPU has no number.

        >>> import weft
        >>> weft.ones(1).get_device()
        -1
        """
    @property
    def grad_fn(self) -> Node | None: ...
    def greater(self, other: TensorLike) -> Tensor:
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
    def greater_(self, other: TensorLike) -> Tensor:
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
    def greater_equal(self, other: TensorLike) -> Tensor:
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
    def greater_equal_(self, other: TensorLike) -> Tensor:
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
    def gt(self, other: TensorLike) -> Tensor:
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
    def gt_(self, other: TensorLike) -> Tensor:
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
    def half(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.float16.

        >>> import weft
        >>> weft.ones(1).half().dtype
        torch.float16
        """
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """input where it is beyond -lambd or lambd, else 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.hardshrink(x)
        tensor([[0.0000, 0.0000],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def heaviside(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above it, and `values` at 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.0, 0.0, 2.0])
        >>> y = weft.tensor(0.5)
        >>> weft.heaviside(x, y)
        tensor([0.0000, 0.5000, 1.0000])
        """
    def heaviside_(self, values: Tensor) -> Tensor:
        """0 below 0, 1 above it, and `values` at 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.0, 0.0, 2.0])
        >>> y = weft.tensor(0.5)
        >>> x.heaviside_(y)
        tensor([0.0000, 0.5000, 1.0000])
        """
    def histc(self, bins: builtins.int | Tensor | Sequence[builtins.int] = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """How many values fall into each of `bins` equal bins from `min` to `max` (both 0: the values' own range).

        Shape: (5,) -> (4,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
        >>> weft.histc(x, 4)
        tensor([2., 0., 1., 2.])
        """
    def histogram(self, bins: builtins.int | Tensor | Sequence[builtins.int], *, range: Sequence[builtins.float] | None = None, weight: Tensor | None = None, density: builtins.bool = False) -> HistogramResult:
        """The histogram of all values, and the edges of its bins.

        Shape: (5,) -> (4,), (5,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.45, 0.6, 0.75, 0.9])
        >>> [t.shape for t in weft.histogram(x, 4)]
        [torch.Size([4]), torch.Size([5])]
        """
    def hsplit(self, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Pieces along the columns (of a vector: along itself).

        Shape: (2, 4) -> (2, 2), (2, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 8).reshape(2, 4)
        >>> weft.hsplit(x, 2)
        (tensor([[0.3000, 0.3857],
                [0.6429, 0.7286]]), tensor([[0.4714, 0.5571],
                [0.8143, 0.9000]]))
        """
    def hypot(self, other: TensorLike) -> Tensor:
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
    def hypot_(self, other: TensorLike) -> Tensor:
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
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind, of order 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.i0(x)
        tensor([[1.0226, 1.0446],
                [1.0742, 1.1119],
                [1.1580, 1.2130]])
        """
    def i0_(self) -> Tensor:
        """The modified Bessel function of the first kind, of order 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.i0_()
        tensor([[1.0226, 1.0446],
                [1.0742, 1.1119],
                [1.1580, 1.2130]])
        """
    def igamma(self, other: TensorLike) -> Tensor:
        """The lower regularized incomplete gamma function of order input at other.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> y = weft.tensor([0.5, 0.5])
        >>> weft.igamma(x, y)
        tensor([0.3935, 0.0902])
        """
    def igamma_(self, other: TensorLike) -> Tensor:
        """The lower regularized incomplete gamma function of order self at other.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> y = weft.tensor([0.5, 0.5])
        >>> x.igamma_(y)
        tensor([0.3935, 0.0902])
        """
    def igammac(self, other: TensorLike) -> Tensor:
        """The upper regularized incomplete gamma function of order input at other.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> y = weft.tensor([0.5, 0.5])
        >>> weft.igammac(x, y)
        tensor([0.6065, 0.9098])
        """
    def igammac_(self, other: TensorLike) -> Tensor:
        """The upper regularized incomplete gamma function of order self at other.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> y = weft.tensor([0.5, 0.5])
        >>> x.igammac_(y)
        tensor([0.6065, 0.9098])
        """
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """The tensor with alpha * `source` added to the slices of `dim` that `index` names.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> z = weft.tensor([1.0, 2.0])
        >>> weft.index_add(x, 0, y, z)
        tensor([1., 0., 2.])
        """
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: Number = 1) -> Tensor:
        """The tensor with alpha * `source` added to the slices of `dim` that `index` names.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> z = weft.tensor([1.0, 2.0])
        >>> x.index_add_(0, y, z)
        tensor([1., 0., 2.])
        """
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """The tensor with the slices of `dim` that `index` names replaced by those of `source`.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> z = weft.tensor([1.0, 2.0])
        >>> weft.index_copy(x, 0, y, z)
        tensor([1., 0., 2.])
        """
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """The tensor with the slices of `dim` that `index` names replaced by those of `source`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> z = weft.tensor([1.0, 2.0])
        >>> x.index_copy_(0, y, z)
        tensor([1., 0., 2.])
        """
    def index_fill(self, dim: builtins.int, index: Tensor, value: TensorLike) -> Tensor:
        """The tensor with the slices of `dim` that `index` names filled with `value`, a number or zero-dim tensor.

        Shape: (3,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> weft.index_fill(x, 0, y, 5)
        tensor([5., 0., 5.])
        """
    def index_fill_(self, dim: builtins.int, index: Tensor, value: TensorLike) -> Tensor:
        """The tensor with the slices of `dim` that `index` names filled with `value`, a number or zero-dim tensor.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([0, 2])
        >>> x.index_fill_(0, y, 5)
        tensor([5., 0., 5.])
        """
    def index_put(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The tensor with `values` at `indices` (a tuple of integer or bool tensors), or added there with accumulate.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = (weft.tensor([0, 2]),)
        >>> z = weft.tensor([1.0, 2.0])
        >>> weft.index_put(x, y, z)
        tensor([1., 0., 2.])
        """
    def index_put_(self, indices: Sequence[Tensor | None], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The tensor with `values` at `indices` (a tuple of integer or bool tensors), or added there with accumulate.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = (weft.tensor([0, 2]),)
        >>> z = weft.tensor([1.0, 2.0])
        >>> x.index_put_(y, z)
        tensor([1., 0., 2.])
        """
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """The tensor with `source` reduced into the slices of `dim` that `index` names, by prod, mean, amax or amin.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([0, 2])
        >>> y = weft.tensor([3.0, 2.0])
        >>> weft.index_reduce(weft.ones(3), 0, x, y, 'prod')
        tensor([3., 1., 2.])
        """
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """The tensor with `source` reduced into the slices of `dim` that `index` names, by prod, mean, amax or amin.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.ones(3)
        >>> y = weft.tensor([0, 2])
        >>> z = weft.tensor([3.0, 2.0])
        >>> x.index_reduce_(0, y, z, 'prod')
        tensor([3., 1., 2.])
        """
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The slices of `dim` that a vector of indices names, copied.

        Shape: (2, 2), (1,) -> (1, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> y = weft.tensor([1])
        >>> weft.index_select(x, 0, y)
        tensor([[3, 4]])
        """
    def indices(self) -> None:
        """Where the elements stand: (sparse_dim, nnz); only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse().indices().shape
        torch.Size([2, 2])
        """
    def inner(self, other: Tensor) -> Tensor:
        """The sums of products over the last dimensions.

        Shape: (2, 3), (4, 3) -> (2, 4) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> y = weft.linspace(0.9, 0.3, 12).reshape(4, 3)
        >>> weft.inner(x, y)
        tensor([[1.0522, 0.8460, 0.6398, 0.4336],
                [1.9653, 1.5824, 1.1995, 0.8165]])
        """
    def int(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.int32.

        >>> import weft
        >>> weft.ones(1).int().dtype
        torch.int32
        """
    def inverse(self) -> Tensor:
        """The inverse of square matrices.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
        >>> weft.inverse(x)
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
        """
    def is_coalesced(self) -> None:
        """Whether elements are in order, and no place has two; only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse().is_coalesced()
        True
        """
    def is_complex(self) -> Tensor:
        """Whether the elements are complex.

        >>> import weft
        >>> weft.is_complex(weft.ones(1))
        False
        """
    def is_conj(self) -> builtins.bool:
        """Whether a conjugation is put off until later: never.

        >>> import weft
        >>> weft.ones(1, dtype=weft.complex64).conj().is_conj()
        False
        """
    def is_contiguous(self, memory_format: MemoryFormat | None = None) -> builtins.bool:
        """Whether the elements lie in memory in the order of this format, without gaps.

        >>> import weft
        >>> weft.ones(2, 3).T.is_contiguous()
        False
        """
    @property
    def is_cpu(self) -> builtins.bool: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    def is_distributed(self) -> builtins.bool:
        """False: no tensor is spread over several machines.

        >>> import weft
        >>> weft.ones(1).is_distributed()
        False
        """
    def is_floating_point(self) -> builtins.bool:
        """Whether the elements are real floating-point numbers.

        >>> import weft
        >>> weft.is_floating_point(weft.ones(1))
        True
        """
    @property
    def is_hpu(self) -> builtins.bool: ...
    def is_inference(self) -> builtins.bool:
        """Whether the tensor was made in inference mode.

        >>> import weft
        >>> with weft.inference_mode():
        ...     x = weft.ones(2)
        >>> x.is_inference()
        True
        """
    @property
    def is_ipu(self) -> builtins.bool: ...
    @property
    def is_leaf(self) -> builtins.bool: ...
    @property
    def is_maia(self) -> builtins.bool: ...
    @property
    def is_meta(self) -> builtins.bool: ...
    @property
    def is_mkldnn(self) -> builtins.bool: ...
    @property
    def is_mps(self) -> builtins.bool: ...
    @property
    def is_mtia(self) -> builtins.bool: ...
    def is_neg(self) -> builtins.bool:
        """Whether a negation is put off until later: never.

        >>> import weft
        >>> weft.ones(1).neg().is_neg()
        False
        """
    @property
    def is_nested(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool:
        """Whether the one element is not zero.

        >>> import weft
        >>> weft.is_nonzero(weft.ones(1))
        True
        """
    def is_pinned(self, device: Device | None = None) -> builtins.bool:
        """False: there is no other device to copy to.

        >>> import weft
        >>> weft.ones(1).is_pinned()
        False
        """
    @property
    def is_quantized(self) -> builtins.bool: ...
    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have one shape.

        >>> import weft
        >>> weft.is_same_size(weft.ones(2), weft.zeros(2))
        True
        """
    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Whether both are the same window on the same memory.

        >>> import weft
        >>> x = weft.ones(4)
        >>> x.is_set_to(x.view(4)), x.is_set_to(x.clone())
        (True, False)
        """
    def is_shared(self) -> builtins.bool:
        """Whether child processes see writes to this tensor.

        >>> import weft
        >>> weft.ones(1).is_shared(), weft.ones(1).share_memory_().is_shared()
        (False, True)
        """
    def is_signed(self) -> Tensor:
        """Whether the elements can be negative.

        >>> import weft
        >>> weft.is_signed(weft.ones(1))
        True
        """
    @property
    def is_sparse(self) -> builtins.bool: ...
    @property
    def is_sparse_csr(self) -> builtins.bool: ...
    @property
    def is_vulkan(self) -> builtins.bool: ...
    @property
    def is_xla(self) -> builtins.bool: ...
    @property
    def is_xpu(self) -> builtins.bool: ...
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
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
    def isfinite(self) -> Tensor:
        """Where input is neither infinite nor NaN.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isfinite(x)
        tensor([[True, True],
                [True, True],
                [True, True]])
        """
    def isinf(self) -> Tensor:
        """Where input (or one of its parts) is infinite.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isinf(x)
        tensor([[False, False],
                [False, False],
                [False, False]])
        """
    def isnan(self) -> Tensor:
        """Where input is not a number.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isnan(x)
        tensor([[False, False],
                [False, False],
                [False, False]])
        """
    def isneginf(self) -> Tensor:
        """Where input is negative infinity.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isneginf(x)
        tensor([[False, False],
                [False, False],
                [False, False]])
        """
    def isposinf(self) -> Tensor:
        """Where input is positive infinity.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isposinf(x)
        tensor([[False, False],
                [False, False],
                [False, False]])
        """
    def isreal(self) -> Tensor:
        """Where the imaginary part is 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.isreal(x)
        tensor([[True, True],
                [True, True],
                [True, True]])
        """
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """The signal whose stft is nearest to `input`: (..., frequency, frame) to (..., samples).

        Shape: (3, 5) -> (4,) in the example.

        >>> import weft
        >>> x = weft.ones(3, 5, dtype=weft.complex64)
        >>> weft.istft(x, 4, window=weft.ones(4)).shape
        torch.Size([4])
        """
    def item(self) -> Any:
        """The one element as a Python number.

        >>> import weft
        >>> weft.tensor(3).item()
        3
        """
    @property
    def itemsize(self) -> builtins.int: ...
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product: every element of input times all of other.

        Shape: (2, 2), (1, 2) -> (2, 4) in the example.

        >>> import weft
        >>> x = weft.ones(1, 2)
        >>> weft.kron(weft.eye(2), x)
        tensor([[1., 1., 0., 0.],
                [0., 0., 1., 1.]])
        """
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> KthvalueResult:
        """The k-th least element along `dim` (k counts from 1), and where it stands.

        Shape: (3,) -> (), () in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.kthvalue(x, 2)
        torch.return_types.kthvalue(
        values=tensor(2.),
        indices=tensor(2))
        """
    @property
    def layout(self) -> Layout: ...
    def lcm(self, other: TensorLike) -> Tensor:
        """The least common multiple.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> weft.lcm(x, y)
        tensor([15,  6])
        """
    def lcm_(self, other: TensorLike) -> Tensor:
        """The least common multiple.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([5, 6])
        >>> y = weft.tensor([3, 3])
        >>> x.lcm_(y)
        tensor([15,  6])
        """
    def ldexp(self, other: Tensor) -> Tensor:
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
    def ldexp_(self, other: Tensor) -> Tensor:
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
    def le(self, other: TensorLike) -> Tensor:
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
    def le_(self, other: TensorLike) -> Tensor:
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
    def lerp(self, end: Tensor, weight: TensorLike) -> Tensor:
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
    def lerp_(self, end: Tensor, weight: TensorLike) -> Tensor:
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
    def less(self, other: TensorLike) -> Tensor:
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
    def less_(self, other: TensorLike) -> Tensor:
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
    def less_equal(self, other: TensorLike) -> Tensor:
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
    def less_equal_(self, other: TensorLike) -> Tensor:
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
    def lgamma(self) -> Tensor:
        """log |gamma(input)|.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.lgamma(x)
        tensor([[1.0958, 0.7469],
                [0.4976, 0.3120],
                [0.1718, 0.0664]])
        """
    def lgamma_(self) -> Tensor:
        """log |gamma(self)|.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.lgamma_()
        tensor([[1.0958, 0.7469],
                [0.4976, 0.3120],
                [0.1718, 0.0664]])
        """
    def log(self) -> Tensor:
        """The natural logarithm.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.log(x)
        tensor([[-1.2040, -0.8675],
                [-0.6162, -0.4155],
                [-0.2485, -0.1054]])
        """
    def log10(self) -> Tensor:
        """The logarithm to base 10.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.log10(x)
        tensor([[-0.5229, -0.3768],
                [-0.2676, -0.1805],
                [-0.1079, -0.0458]])
        """
    def log10_(self) -> Tensor:
        """The logarithm to base 10.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.log10_()
        tensor([[-0.5229, -0.3768],
                [-0.2676, -0.1805],
                [-0.1079, -0.0458]])
        """
    def log1p(self) -> Tensor:
        """log(1 + input), exact near 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.log1p(x)
        tensor([[0.2624, 0.3507],
                [0.4318, 0.5068],
                [0.5766, 0.6419]])
        """
    def log1p_(self) -> Tensor:
        """log(1 + self), exact near 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.log1p_()
        tensor([[0.2624, 0.3507],
                [0.4318, 0.5068],
                [0.5766, 0.6419]])
        """
    def log2(self) -> Tensor:
        """The logarithm to base 2.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.log2(x)
        tensor([[-1.7370, -1.2515],
                [-0.8890, -0.5995],
                [-0.3585, -0.1520]])
        """
    def log2_(self) -> Tensor:
        """The logarithm to base 2.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.log2_()
        tensor([[-1.7370, -1.2515],
                [-0.8890, -0.5995],
                [-0.3585, -0.1520]])
        """
    def log_(self) -> Tensor:
        """The natural logarithm.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.log_()
        tensor([[-1.2040, -0.8675],
                [-0.6162, -0.4155],
                [-0.2485, -0.1054]])
        """
    def log_normal_(self, mean: builtins.float = 1.0, std: builtins.float = 2.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with numbers whose logarithm is normal.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.log_normal_().shape
        torch.Size([2, 3])
        """
    def log_softmax(self, dim: builtins.int, dtype: DType | None = None) -> Tensor:
        """The logarithm of softmax, computed without it.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0, 3.0])
        >>> weft.log_softmax(x, 0)
        tensor([-2.4076, -1.4076, -0.4076])
        """
    def logaddexp(self, other: TensorLike) -> Tensor:
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
    def logaddexp2(self, other: TensorLike) -> Tensor:
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
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """log of the running sum of e**input, without overflow.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.logcumsumexp(x, 1)
        tensor([[1.0000, 3.1269],
                [4.0000, 4.1269]])
        """
    def logdet(self) -> Tensor:
        """The logarithm of the determinant; nan where that is negative.

        Shape: (2, 2) -> () in the example.

        >>> import weft
        >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
        >>> weft.logdet(x)
        tensor(2.0794)
        """
    def logical_and(self, other: TensorLike) -> Tensor:
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
    def logical_and_(self, other: TensorLike) -> Tensor:
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
    def logical_not(self) -> Tensor:
        """Where input is false.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.logical_not(x)
        tensor([[False, False],
                [False, False],
                [False, False]])
        """
    def logical_not_(self) -> Tensor:
        """Where self is false.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.logical_not_()
        tensor([[0., 0.],
                [0., 0.],
                [0., 0.]])
        """
    def logical_or(self, other: TensorLike) -> Tensor:
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
    def logical_or_(self, other: TensorLike) -> Tensor:
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
    def logical_xor(self, other: TensorLike) -> Tensor:
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
    def logical_xor_(self, other: TensorLike) -> Tensor:
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
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """log(input / (1 - input)), input clamped to [eps, 1 - eps] first where eps is given.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.logit(x, 0.1)
        tensor([[-0.8473, -0.3228],
                [ 0.1603,  0.6633],
                [ 1.2657,  2.1972]])
        """
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """log(self / (1 - self)), self clamped to [eps, 1 - eps] first where eps is given.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.logit_(0.1)
        tensor([[-0.8473, -0.3228],
                [ 0.1603,  0.6633],
                [ 1.2657,  2.1972]])
        """
    def logsumexp(self, dim: Ints, keepdim: builtins.bool = False) -> Tensor:
        """The logarithm of the sum of e**input along `dim`, without overflow.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.logsumexp(x, 1)
        tensor([3.1269, 4.1269])
        """
    def long(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.int64.

        >>> import weft
        >>> weft.ones(1).long().dtype
        torch.int64
        """
    def lt(self, other: TensorLike) -> Tensor:
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
    def lt_(self, other: TensorLike) -> Tensor:
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
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> tuple[Tensor, ...]:
        """L and U of A = P L U in one matrix, the row exchanges, and with get_infos the numbers of zero pivots.

        Shape: (3, 3) -> (3, 3), (3,) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
        >>> [t.shape for t in weft.lu(x)]
        [torch.Size([3, 3]), torch.Size([3])]
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
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
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Tensor:
        """Replace each element by callable of it and the elements of two other tensors.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0])
        >>> x.map2_(weft.ones(2), weft.full((2,), 10.0), lambda a, b, c: a + b * c)
        tensor([11., 12.])
        """
    def map_(self, tensor: Tensor, callable: Callable[..., Any]) -> Tensor:
        """Replace each element by callable(element, the other tensor's element).

        >>> import weft
        >>> weft.tensor([1, 2]).map_(weft.tensor([3, 4]), lambda a, b: a * b)
        tensor([3, 8])
        """
    def masked_fill(self, mask: Tensor, value: TensorLike) -> Tensor:
        """The tensor with `value` where `mask` is true.

        Shape: (3,), (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([True, False, True])
        >>> weft.masked_fill(x, y, 5)
        tensor([5., 0., 5.])
        """
    def masked_fill_(self, mask: Tensor, value: TensorLike) -> Tensor:
        """The tensor with `value` where `mask` is true.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([True, False, True])
        >>> x.masked_fill_(y, 5)
        tensor([5., 0., 5.])
        """
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The tensor with the elements of `source`, in order, where `mask` is true.

        Shape: (3,), (3,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([True, False, True])
        >>> z = weft.tensor([1.0, 2.0])
        >>> weft.masked_scatter(x, y, z)
        tensor([1., 0., 2.])
        """
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """The tensor with the elements of `source`, in order, where `mask` is true.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([True, False, True])
        >>> z = weft.tensor([1.0, 2.0])
        >>> x.masked_scatter_(y, z)
        tensor([1., 0., 2.])
        """
    def masked_select(self, mask: Tensor) -> Tensor:
        """The elements where `mask` is true, in one row.

        Shape: (3,), (3,) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([1, 2, 3])
        >>> y = weft.tensor([True, False, True])
        >>> weft.masked_select(x, y)
        tensor([1, 3])
        """
    def matmul(self, other: Tensor) -> Tensor:
        """The product of vectors, matrices or stacks of matrices; leading dimensions broadcast.

        Shape: (2, 2), (2, 1) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> y = weft.tensor([[1.0], [10.0]])
        >>> weft.matmul(x, y)
        tensor([[21.],
                [43.]])
        """
    def matrix_exp(self) -> Tensor:
        """e**A of a square matrix.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.zeros(2, 2)
        >>> weft.linalg.matrix_exp(x)
        tensor([[1., 0.],
                [0., 1.]])
        """
    def matrix_power(self, n: builtins.int) -> Tensor:
        """A matrix times itself n times; the inverse for n = -1.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 1.0], [0.0, 1.0]])
        >>> weft.linalg.matrix_power(x, 3)
        tensor([[1., 3.],
                [0., 1.]])
        """
    @overload
    def max(self) -> Tensor:
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
    def max(self, dim: builtins.int, keepdim: builtins.bool = False) -> MaxResult: ...
    @overload
    def max(self, other: Tensor) -> Tensor: ...
    def maximum(self, other: TensorLike) -> Tensor:
        """The larger of input and other; NaN where either is.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 5.0])
        >>> y = weft.tensor([3.0, 2.0])
        >>> weft.maximum(x, y)
        tensor([3., 5.])
        """
    def mean(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The mean of all elements, or along `dim`.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.mean(x, 1)
        tensor([2., 3.])
        """
    @overload
    def median(self) -> Tensor:
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
    def median(self, dim: builtins.int, keepdim: builtins.bool = False) -> MedianResult: ...
    @overload
    def min(self) -> Tensor:
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
    def min(self, dim: builtins.int, keepdim: builtins.bool = False) -> MinResult: ...
    @overload
    def min(self, other: Tensor) -> Tensor: ...
    def minimum(self, other: TensorLike) -> Tensor:
        """The smaller of input and other; NaN where either is.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([1.0, 5.0])
        >>> y = weft.tensor([3.0, 2.0])
        >>> weft.minimum(x, y)
        tensor([1., 2.])
        """
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices.

        Shape: (2, 2), (2, 1) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> y = weft.tensor([[1.0], [10.0]])
        >>> weft.mm(x, y)
        tensor([[21.],
                [43.]])
        """
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> ModeResult:
        """The most frequent element along `dim` (the least of those equally frequent), and where it stands.

        Shape: (3,) -> (), () in the example.

        >>> import weft
        >>> x = weft.tensor([1, 3, 3])
        >>> weft.mode(x)
        torch.return_types.mode(
        values=tensor(3),
        indices=tensor(2))
        """
    def module_load(self, other: Tensor, assign: builtins.bool = False) -> Any:
        """What load_state_dict puts in the place of this parameter or buffer for `other`, where
        torch.__future__.set_swap_module_params_on_conversion(True) says so. A subclass may say otherwise.

        >>> import weft
        >>> weft.zeros(2).module_load(weft.ones(2))
        tensor([1., 1.])
        """
    def moveaxis(self, source: Ints, destination: Ints) -> Tensor:
        """The view with some dimensions moved to other places, the others in their order.

        Shape: (2, 3, 4) -> (3, 4, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
        >>> weft.movedim(x, 0, 2).shape
        torch.Size([3, 4, 2])
        """
    def movedim(self, source: Ints, destination: Ints) -> Tensor:
        """The view with some dimensions moved to other places, the others in their order.

        Shape: (2, 3, 4) -> (3, 4, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
        >>> weft.movedim(x, 0, 2).shape
        torch.Size([3, 4, 2])
        """
    def msort(self) -> Tensor:
        """The elements in order along the first dimension.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.msort(x)
        tensor([1., 2., 3.])
        """
    def mul(self, other: TensorLike) -> Tensor:
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
    def mul_(self, other: TensorLike) -> Tensor:
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
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices drawn by the weights in each row.

        Shape: (2,) -> (1,) in the example.

        >>> import weft
        >>> x = weft.tensor([0.5, 0.5])
        >>> weft.multinomial(x, 1).shape
        torch.Size([1])
        """
    def multiply(self, other: TensorLike) -> Tensor:
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
    def multiply_(self, other: TensorLike) -> Tensor:
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
    def mv(self, vec: Tensor) -> Tensor:
        """A matrix times a vector.

        Shape: (3, 2), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.tensor([0.78, 0.36])
        >>> weft.mv(x, y)
        tensor([0.3852, 0.6588, 0.9324])
        """
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the gamma function of p-by-p matrices.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.mvlgamma(x, 2)
        tensor([[3.4297, 3.8966],
                [4.2670, 2.6442],
                [1.9126, 1.4354]])
        """
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """The logarithm of the gamma function of p-by-p matrices.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.mvlgamma_(2)
        tensor([[3.4297, 3.8966],
                [4.2670, 2.6442],
                [1.9126, 1.4354]])
        """
    @property
    def name(self) -> None: ...
    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """NaN and the infinities replaced by numbers.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.nan_to_num(x)
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def nan_to_num_(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """NaN and the infinities replaced by numbers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.nan_to_num_()
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def nanmean(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The mean of the elements that are not NaN.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, float('nan')], [4.0, 2.0]])
        >>> weft.nanmean(x, 1)
        tensor([1., 3.])
        """
    @overload
    def nanmedian(self) -> Tensor:
        """The lower median of the elements that are not NaN.

        Shape: (3, 3) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
        >>> weft.nanmedian(x)
        tensor(0.6000)
        """
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False) -> NanmedianResult: ...
    def nanquantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear') -> Tensor:
        """The q-th quantiles of the elements that are not NaN, along `dim`.

        Shape: (3, 4) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> weft.nanquantile(x, 0.3)
        tensor(0.4800)
        """
    def nansum(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum with NaN counted as zero.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, float('nan')], [4.0, 2.0]])
        >>> weft.nansum(x, 1)
        tensor([1., 6.])
        """
    def narrow(self, dim: builtins.int, start: builtins.int | Tensor, length: builtins.int) -> Tensor:
        """The view of `length` elements from `start` in dimension `dim`.

        Shape: (4, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
        >>> weft.narrow(x, 0, 1, 2)
        tensor([[0.4636, 0.5182, 0.5727],
                [0.6273, 0.6818, 0.7364]])
        """
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """A copy of a range of a dimension.

        Shape: (4, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
        >>> weft.narrow_copy(x, 0, 1, 2)
        tensor([[0.4636, 0.5182, 0.5727],
                [0.6273, 0.6818, 0.7364]])
        """
    @property
    def nbytes(self) -> builtins.int: ...
    @property
    def ndim(self) -> builtins.int: ...
    def ndimension(self) -> builtins.int:
        """The number of dimensions.

        >>> import weft
        >>> weft.ones(2, 3).dim()
        2
        """
    def ne(self, other: TensorLike) -> Tensor:
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
    def ne_(self, other: TensorLike) -> Tensor:
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
    def neg(self) -> Tensor:
        """-input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.neg(x)
        tensor([ 1.5000, -0.0000, -2.5000])
        """
    def neg_(self) -> Tensor:
        """-self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.neg_()
        tensor([ 1.5000, -0.0000, -2.5000])
        """
    def negative(self) -> Tensor:
        """-input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.neg(x)
        tensor([ 1.5000, -0.0000, -2.5000])
        """
    def negative_(self) -> Tensor:
        """-self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.neg_()
        tensor([ 1.5000, -0.0000, -2.5000])
        """
    def nelement(self) -> builtins.int:
        """The number of elements.

        >>> import weft
        >>> weft.numel(weft.ones(2, 3))
        6
        """
    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """The old constructor, in this tensor's type.

        >>> import weft
        >>> weft.ones(1, dtype=weft.int64).new([1, 2])
        tensor([1, 2])
        """
    @overload
    def new_empty(self, size: Sequence[builtins.int], *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Uninitialized, of this tensor's type.

        >>> import weft
        >>> weft.zeros(1).new_empty(2, 3).shape
        torch.Size([2, 3])
        """
    @overload
    def new_empty(self, *size: builtins.int, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor: ...
    def new_empty_strided(self, size: Ints, stride: Ints, *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Uninitialized, of this tensor's type, with the given strides.

        >>> import weft
        >>> weft.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
        """
    def new_full(self, size: Ints, fill_value: Number, *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """One number everywhere, of this tensor's type.

        >>> import weft
        >>> weft.zeros(1).new_full((2,), 3)
        tensor([3., 3.])
        """
    @overload
    def new_ones(self, size: Sequence[builtins.int], *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Ones of this tensor's type.

        >>> import weft
        >>> weft.zeros(1).new_ones(2)
        tensor([1., 1.])
        """
    @overload
    def new_ones(self, *size: builtins.int, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor: ...
    def new_tensor(self, data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """A new leaf tensor of this one's type with a copy of `data`.

        >>> import weft
        >>> weft.ones(1).new_tensor([1, 2])
        tensor([1., 2.])
        """
    @overload
    def new_zeros(self, size: Sequence[builtins.int], *, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Zeros of this tensor's type.

        >>> import weft
        >>> weft.ones(1).new_zeros(2)
        tensor([0., 0.])
        """
    @overload
    def new_zeros(self, *size: builtins.int, dtype: DType | None = None, device: Device | None = None, requires_grad: builtins.bool = False, layout: Layout | None = None, pin_memory: builtins.bool = False) -> Tensor: ...
    def nextafter(self, other: TensorLike) -> Tensor:
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
    def nextafter_(self, other: TensorLike) -> Tensor:
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
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Tensor:
        """The indices of what is not zero: one row for each, or with as_tuple one tensor for each dimension.

        Shape: (3,) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([0, 5, 7])
        >>> weft.nonzero(x)
        tensor([[1],
                [2]])
        """
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    def nonzero_static(self, *, size: Ints, fill_value: Number = -1) -> Tensor:
        """The indices of the first `size` elements that are not zero; rows that are missing hold `fill_value`.

        Shape: (3,) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([0, 3, 4])
        >>> weft.nonzero_static(x, size=2)
        tensor([[1],
                [2]])
        """
    def norm(self, p: builtins.float | str = 'fro', dim: Dim = None, keepdim: builtins.bool = False, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """The norm of a tensor taken as a vector (p a number), or of matrices ('fro', 'nuc').

        Shape: (3, 4) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> weft.norm(x)
        tensor(2.1784)
        """
    def normal_(self, mean: Tensor | builtins.float = 0.0, std: Tensor | builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal numbers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.normal_(0, 1).shape
        torch.Size([2, 3])
        """
    def not_equal(self, other: TensorLike) -> Tensor:
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
    def not_equal_(self, other: TensorLike) -> Tensor:
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
    def numel(self) -> builtins.int:
        """The number of elements.

        >>> import weft
        >>> weft.numel(weft.ones(2, 3))
        6
        """
    def numpy(self, *, force: builtins.bool = False) -> Array:
        """The values as a NumPy array in the same memory; `force` takes them out of the graph first.

        >>> import weft
        >>> weft.tensor([1, 2]).numpy()
        array([1, 2])
        """
    def ones_like(self, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Ones with a tensor's shape, type and memory order.

        >>> import weft
        >>> weft.ones_like(weft.zeros(2))
        tensor([1., 1.])
        """
    def orgqr(self, tau: Tensor) -> Tensor:
        """The first columns of Q, a product of reflectors.

        Shape: (3, 2), (2,) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.tensor([0.78, 0.36])
        >>> weft.linalg.householder_product(x, y).shape
        torch.Size([3, 2])
        """
    def ormqr(self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
        """A matrix times Q (or Q^H), given by its reflectors.

        Shape: (3, 2), (2,), (3, 2) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.tensor([0.78, 0.36])
        >>> z = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.ormqr(x, y, z).shape
        torch.Size([3, 2])
        """
    def outer(self, vec2: Tensor) -> Tensor:
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
    @property
    def output_nr(self) -> builtins.int: ...
    @overload
    def permute(self, dims: Ints) -> Tensor:
        """The view with its dimensions in another order.

        Shape: (2, 3, 4) -> (4, 2, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
        >>> weft.permute(x, [2, 0, 1]).shape
        torch.Size([4, 2, 3])
        """
    @overload
    def permute(self, *dims: builtins.int) -> Tensor: ...
    def pin_memory(self, device: Device | None = None) -> Self:
        """The tensor itself: there is no other device to copy to.

        >>> import weft
        >>> x = weft.ones(1)
        >>> x.pin_memory() is x
        True
        """
    def pinverse(self, rcond: Tensor | builtins.float = 1e-15) -> Tensor:
        """The pseudo-inverse (Moore and Penrose).

        Shape: (3, 2) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.pinverse(x)
        tensor([[-14.2361,  -2.7778,   8.6806],
                [ 12.1528,   2.7778,  -6.5972]])
        """
    def polygamma(self, n: builtins.int) -> Tensor:
        """The n-th derivative of digamma at this tensor's elements.

        >>> import weft
        >>> weft.ones(2).polygamma(1)
        tensor([1.6449, 1.6449])
        """
    def polygamma_(self, n: builtins.int) -> Tensor:
        """polygamma, written into this tensor.

        >>> import weft
        >>> weft.ones(2).polygamma_(1)
        tensor([1.6449, 1.6449])
        """
    def positive(self) -> Tensor:
        """input itself.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.positive(x)
        tensor([-1.5000,  0.0000,  2.5000])
        """
    def pow(self, exponent: TensorLike) -> Tensor:
        """input to the power of the exponent.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.pow(x, 2)
        tensor([[0.0900, 0.1764],
                [0.2916, 0.4356],
                [0.6084, 0.8100]])
        """
    def pow_(self, exponent: TensorLike) -> Tensor:
        """self to the power of the exponent.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.pow_(2)
        tensor([[0.0900, 0.1764],
                [0.2916, 0.4356],
                [0.6084, 0.8100]])
        """
    def prelu(self, weight: Tensor) -> Tensor:
        """input where it is positive, else weight * input, one weight or one for each channel (dimension 1).

        Shape: (2,), () -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([-2.0, 3.0])
        >>> y = weft.tensor(0.25)
        >>> weft.prelu(x, y)
        tensor([-0.5000,  3.0000])
        """
    def prod(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The product of all elements, or along `dim`; its gradient is exact at zeros too.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.prod(x, 1)
        tensor([3., 8.])
        """
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The tensor with the values of `source` at `index`, which counts its elements as one row.

        Shape: (3,), (1,), (1,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2])
        >>> z = weft.tensor([5.0])
        >>> weft.put(x, y, z)
        tensor([0., 0., 5.])
        """
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The tensor with the values of `source` at `index`, which counts its elements as one row.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2])
        >>> z = weft.tensor([5.0])
        >>> x.put_(y, z)
        tensor([0., 0., 5.])
        """
    def qr(self, some: builtins.bool = True) -> QrResult:
        """Q and R of A = Q R; with some=False Q is square.

        Shape: (3, 3) -> (3, 3), (3, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
        >>> [t.shape for t in weft.qr(x)]
        [torch.Size([3, 3]), torch.Size([3, 3])]
        """
    def quantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear') -> Tensor:
        """The q-th quantiles along `dim`; NaN in a row gives NaN.

        Shape: (3, 4) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> weft.quantile(x, 0.3)
        tensor(0.4800)
        """
    def rad2deg(self) -> Tensor:
        """Radians in degrees.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.rad2deg(x)
        tensor([[17.1887, 24.0642],
                [30.9397, 37.8152],
                [44.6907, 51.5662]])
        """
    def rad2deg_(self) -> Tensor:
        """Radians in degrees.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.rad2deg_()
        tensor([[17.1887, 24.0642],
                [30.9397, 37.8152],
                [44.6907, 51.5662]])
        """
    def random_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Fill with integers: random_(), random_(to), random_(from, to).

        >>> import weft
        >>> weft.zeros(2, 3).random_(5).shape
        torch.Size([2, 3])
        """
    def ravel(self) -> Tensor:
        """All elements in one dimension.

        Shape: (2, 3) -> (6,) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.ravel(x)
        tensor([0.3000, 0.4200, 0.5400, 0.6600, 0.7800, 0.9000])
        """
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """1 / input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.reciprocal(x)
        tensor([[3.3333, 2.3810],
                [1.8519, 1.5152],
                [1.2821, 1.1111]])
        """
    def reciprocal_(self) -> Tensor:
        """1 / self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.reciprocal_()
        tensor([[3.3333, 2.3810],
                [1.8519, 1.5152],
                [1.2821, 1.1111]])
        """
    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when the gradient of this tensor is known; what it returns replaces the gradient.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 2)
        >>> x.sum().backward()
        >>> x.grad
        tensor([2., 2.])
        """
    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(leaf)` after the leaf's `.grad` has been added to.

        >>> import weft
        >>> x = weft.ones(1, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> x.sum().backward()
        tensor([1.])
        """
    def relu(self) -> Tensor:
        """input where it is positive, else 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.relu(x)
        tensor([0.0000, 0.0000, 2.5000])
        """
    def relu_(self) -> Tensor:
        """self where it is positive, else 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.relu_()
        tensor([0.0000, 0.0000, 2.5000])
        """
    def remainder(self, other: TensorLike) -> Tensor:
        """What floor division leaves: it has the sign of other.

        Shape: the inputs broadcast; the result has their common shape.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> weft.remainder(x, 2)
        tensor([1., 1.])
        """
    def remainder_(self, other: TensorLike) -> Tensor:
        """What floor division leaves: it has the sign of other.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> x.remainder_(2)
        tensor([1., 1.])
        """
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Each slice along `dim` scaled down to a p-norm of at most `maxnorm`.

        Shape: (3, 4) -> (3, 4) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> weft.renorm(x, 2, 0, 0.5).shape
        torch.Size([3, 4])
        """
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Each slice along `dim` scaled down to a p-norm of at most `maxnorm`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
        >>> x.renorm_(2, 0, 0.5).shape
        torch.Size([3, 4])
        """
    @overload
    def repeat(self, repeats: Sequence[builtins.int]) -> Tensor:
        """Copies of the tensor next to each other, `repeats` times along each dimension.

        Shape: (2,) -> (2, 4) in the example.

        >>> import weft
        >>> x = weft.tensor([1, 2])
        >>> weft.repeat(x, (2, 2))
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
        """
    @overload
    def repeat(self, *repeats: builtins.int) -> Tensor: ...
    def repeat_interleave(self, repeats: Tensor | builtins.int | None = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """Each element repeated in place: the same number of times, or each its own.

        Shape: (2,) -> (4,) in the example.

        >>> import weft
        >>> x = weft.tensor([1, 2])
        >>> weft.repeat_interleave(x, 2)
        tensor([1, 1, 2, 2])
        """
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Self:
        """Say whether gradients are wanted for this leaf.

        >>> import weft
        >>> weft.ones(1).requires_grad_().requires_grad
        True
        """
    @overload
    def reshape(self, shape: Ints) -> Tensor:
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
    def reshape(self, *shape: builtins.int) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor:
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
    def resize(self, *sizes: builtins.int) -> Any:
        """The same elements in another shape; `reshape` is the name of today.

        >>> import warnings, weft
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     weft.arange(6).resize(2, 3).shape
        torch.Size([2, 3])
        """
    def resize_(self, *sizes: builtins.int, memory_format: MemoryFormat = ...) -> Self:
        """Another size, in place: the elements stay where memory allows, new ones are whatever is there.

        >>> import weft
        >>> weft.arange(6).resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
    def resize_as(self, tensor: Tensor) -> Any:
        """The same elements in another tensor's shape; `reshape_as` is the name of today.

        >>> import warnings, weft
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     weft.arange(6).resize_as(weft.ones(3, 2)).shape
        torch.Size([3, 2])
        """
    def resize_as_(self, the_template: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """Another tensor's size, in place.

        >>> import weft
        >>> weft.arange(6).resize_as_(weft.ones(2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
    def resolve_conj(self) -> Tensor:
        """input itself: conjugates are never put off here.

        Shape: (3, 2) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.resolve_conj(x)
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def resolve_neg(self) -> Tensor:
        """input itself: negations are never put off here.

        Shape: (3, 2) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.resolve_neg(x)
        tensor([[0.3000, 0.4200],
                [0.5400, 0.6600],
                [0.7800, 0.9000]])
        """
    def retain_grad(self) -> None:
        """Keep the gradient of a computed tensor in its `.grad`, as if it were a leaf.

        >>> import weft
        >>> x = weft.ones(1, requires_grad=True)
        >>> y = x * 2
        >>> y.retain_grad()
        >>> y.backward()
        >>> y.grad
        tensor([1.])
        """
    @property
    def retains_grad(self) -> builtins.bool: ...
    def roll(self, shifts: Ints, dims: Dim = ()) -> Tensor:
        """The elements moved by `shifts` along `dims` (all as one sequence without it), around the ends.

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.roll(x, 1)
        tensor([[0.9000, 0.3000, 0.4200],
                [0.5400, 0.6600, 0.7800]])
        """
    def rot90(self, k: builtins.int = 1, dims: Ints = (0, 1)) -> Tensor:
        """Turned by `k` right angles in the plane of two dimensions, from the first towards the second.

        Shape: (2, 3) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.rot90(x)
        tensor([[0.5400, 0.9000],
                [0.4200, 0.7800],
                [0.3000, 0.6600]])
        """
    def round(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest integer, the even one of two; or the nearest number with so many decimals.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.round(x)
        tensor([-2.,  0.,  2.])
        """
    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest integer, the even one of two; or the nearest number with so many decimals.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.round_()
        tensor([-2.,  0.,  2.])
        """
    def row_indices(self) -> None:
        """The row of each element; only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse_csc().row_indices()
        tensor([0, 1])
        """
    def rsqrt(self) -> Tensor:
        """1 / sqrt(input).

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.rsqrt(x)
        tensor([[1.8257, 1.5430],
                [1.3608, 1.2309],
                [1.1323, 1.0541]])
        """
    def rsqrt_(self) -> Tensor:
        """1 / sqrt(self).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.rsqrt_()
        tensor([[1.8257, 1.5430],
                [1.3608, 1.2309],
                [1.1323, 1.0541]])
        """
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | None = None, reduce: str | None = None, *, value: Number | None = None) -> Tensor:
        """The tensor with `src` (a tensor or number) written at `index` along `dim`: the reverse of gather.

        Shape: (3,), (1,), (1,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2])
        >>> z = weft.tensor([5.0])
        >>> weft.scatter(x, 0, y, z)
        tensor([0., 0., 5.])
        """
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | None = None, reduce: str | None = None, *, value: Number | None = None) -> Tensor:
        """The tensor with `src` (a tensor or number) written at `index` along `dim`: the reverse of gather.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2])
        >>> z = weft.tensor([5.0])
        >>> x.scatter_(0, y, z)
        tensor([0., 0., 5.])
        """
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """The tensor with `src` added at `index` along `dim`.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2, 2])
        >>> z = weft.tensor([5.0, 1.0])
        >>> weft.scatter_add(x, 0, y, z)
        tensor([0., 0., 6.])
        """
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """The tensor with `src` added at `index` along `dim`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(3)
        >>> y = weft.tensor([2, 2])
        >>> z = weft.tensor([5.0, 1.0])
        >>> x.scatter_add_(0, y, z)
        tensor([0., 0., 6.])
        """
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """The tensor with `src` reduced into it at `index` along `dim` by sum, prod, mean, amax or amin.

        Shape: (3,), (2,), (2,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([2, 2])
        >>> y = weft.tensor([5.0, 3.0])
        >>> weft.scatter_reduce(weft.ones(3), 0, x, y, 'amax')
        tensor([1., 1., 5.])
        """
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """The tensor with `src` reduced into it at `index` along `dim` by sum, prod, mean, amax or amin.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.ones(3)
        >>> y = weft.tensor([2, 2])
        >>> z = weft.tensor([5.0, 3.0])
        >>> x.scatter_reduce_(0, y, z, 'amax')
        tensor([1., 1., 5.])
        """
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The view at one index of a dimension, without that dimension.

        Shape: (4, 3) -> (3,) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
        >>> weft.select(x, 0, 1)
        tensor([0.4636, 0.5182, 0.5727])
        """
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy with `src` at one index of a dimension.

        Shape: (4, 3), (3,) -> (4, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
        >>> y = weft.tensor([0.78, 0.57, 0.36])
        >>> weft.select_scatter(x, y, 0, 1).shape
        torch.Size([4, 3])
        """
    def selu_(self) -> Tensor:
        """The scaled elu that keeps mean 0 and variance 1.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-2.0, 3.0])
        >>> x.selu_()
        tensor([-1.5202,  3.1521])
        """
    def set_(self, source: Tensor | None = None, storage_offset: builtins.int = 0, size: Ints | None = None, stride: Ints | None = None) -> Self:
        """Become a window on other memory: that of a tensor, or of a storage.

        >>> import weft
        >>> x, y = weft.zeros(2), weft.ones(3)
        >>> x.set_(y)
        tensor([1., 1., 1.])
        >>> x.data_ptr() == y.data_ptr()
        True
        """
    def sgn(self) -> Tensor:
        """input / |input|, and 0 at 0: the sign, also of complex numbers.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.sgn(x)
        tensor([-1.,  0.,  1.])
        """
    def sgn_(self) -> Tensor:
        """self / |self|, and 0 at 0: the sign, also of complex numbers.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.sgn_()
        tensor([-1.,  0.,  1.])
        """
    @property
    def shape(self) -> Size: ...
    def share_memory_(self) -> Tensor:
        """Move the values to memory that child processes share, with all views of it and all tensors that lie there.

        >>> import weft
        >>> x = weft.ones(3)
        >>> view = x[1:]
        >>> x.share_memory_().is_shared(), view.is_shared()
        (True, True)
        """
    def short(self, memory_format: MemoryFormat | None = None) -> Tensor:
        """The same values as torch.int16.

        >>> import weft
        >>> weft.ones(1).short().dtype
        torch.int16
        """
    def sigmoid(self) -> Tensor:
        """1 / (1 + e**-input).

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sigmoid(x)
        tensor([[0.5744, 0.6035],
                [0.6318, 0.6593],
                [0.6857, 0.7109]])
        """
    def sigmoid_(self) -> Tensor:
        """1 / (1 + e**-self).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.sigmoid_()
        tensor([[0.5744, 0.6035],
                [0.6318, 0.6593],
                [0.6857, 0.7109]])
        """
    def sign(self) -> Tensor:
        """-1, 0 or 1, as input is negative, zero or positive.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.sign(x)
        tensor([-1.,  0.,  1.])
        """
    def sign_(self) -> Tensor:
        """-1, 0 or 1, as self is negative, zero or positive.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.sign_()
        tensor([-1.,  0.,  1.])
        """
    def signbit(self) -> Tensor:
        """Where the sign bit is set: below 0, and at -0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.signbit(x)
        tensor([ True, False, False])
        """
    def sin(self) -> Tensor:
        """The sine of an angle in radians.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sin(x)
        tensor([[0.2955, 0.4078],
                [0.5141, 0.6131],
                [0.7033, 0.7833]])
        """
    def sin_(self) -> Tensor:
        """The sine of an angle in radians.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.sin_()
        tensor([[0.2955, 0.4078],
                [0.5141, 0.6131],
                [0.7033, 0.7833]])
        """
    def sinc(self) -> Tensor:
        """sin(pi input) / (pi input), 1 at 0.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sinc(x)
        tensor([[0.8584, 0.7341],
                [0.5848, 0.4226],
                [0.2601, 0.1093]])
        """
    def sinc_(self) -> Tensor:
        """sin(pi self) / (pi self), 1 at 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.sinc_()
        tensor([[0.8584, 0.7341],
                [0.5848, 0.4226],
                [0.2601, 0.1093]])
        """
    def sinh(self) -> Tensor:
        """The hyperbolic sine.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sinh(x)
        tensor([[0.3045, 0.4325],
                [0.5666, 0.7090],
                [0.8615, 1.0265]])
        """
    def sinh_(self) -> Tensor:
        """The hyperbolic sine.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.sinh_()
        tensor([[0.3045, 0.4325],
                [0.5666, 0.7090],
                [0.8615, 1.0265]])
        """
    @overload
    def size(self, dim: None = None) -> Size:
        """The length of each dimension, or of one.

        >>> import weft
        >>> weft.ones(2, 3).size(0)
        2
        """
    @overload
    def size(self, dim: builtins.int) -> builtins.int: ...
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A copy with `src` in a range of a dimension.

        Shape: (4, 3), (2, 3) -> (4, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
        >>> y = weft.tensor([[0.78, 0.7, 0.61], [0.53, 0.44, 0.36]])
        >>> weft.slice_scatter(x, y, 0, 1, 3).shape
        torch.Size([4, 3])
        """
    def slogdet(self) -> LinalgSlogdetResult:
        """The sign and the logarithm of the absolute value of the determinant.

        Shape: (2, 2) -> (), () in the example.

        >>> import weft
        >>> x = weft.tensor([[2.0, 0.0], [0.0, 4.0]])
        >>> weft.linalg.slogdet(x)
        torch.return_types.linalg_slogdet(
        sign=tensor(1.),
        logabsdet=tensor(2.0794))
        """
    def softmax(self, dim: builtins.int, dtype: DType | None = None) -> Tensor:
        """e**input over its sum along `dim`.

        Shape: (3,) -> (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([1.0, 2.0, 3.0])
        >>> weft.softmax(x, 0)
        tensor([0.0900, 0.2447, 0.6652])
        """
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> SortResult:
        """The elements in order along `dim`, and where they stood; NaN is the greatest.

        Shape: (3,) -> (3,), (3,) in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.sort(x)
        torch.return_types.sort(
        values=tensor([1., 2., 3.]),
        indices=tensor([1, 2, 0]))
        """
    def sparse_dim(self) -> builtins.int:
        """0: no dimension is stored sparsely.

        >>> import weft
        >>> weft.ones(2, 3).sparse_dim()
        0
        """
    def sparse_mask(self, mask: Tensor) -> Any:
        """The elements in the places that a sparse tensor has, as a sparse tensor.

        >>> import weft
        >>> weft.full((2, 2), 5.0).sparse_mask(weft.eye(2).to_sparse()).values()
        tensor([5., 5.])
        """
    def sparse_resize_(self, size: Ints, sparse_dim: Any, dense_dim: Any) -> None:
        """Give a sparse tensor another size, in place.

        >>> import weft
        >>> weft.eye(2).to_sparse().sparse_resize_((3, 3), 2, 0).shape
        torch.Size([3, 3])
        """
    def sparse_resize_and_clear_(self, size: Ints, sparse_dim: Any, dense_dim: Any) -> None:
        """Give a sparse tensor another size and no elements, in place.

        >>> import weft
        >>> weft.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0)._nnz()
        0
        """
    def split(self, split_size_or_sections: Ints | None = None, dim: builtins.int = 0, *, split_size: Ints | None = None) -> tuple[Tensor, ...]:
        """Pieces of one length (the last may be shorter), or of given lengths.

        Shape: (5,) -> (2,), (2,), (1,) in the example.

        >>> import weft
        >>> x = weft.arange(5)
        >>> weft.split(x, 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        """
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Pieces of the given lengths.

        Shape: (5, 2) -> (1, 2), (4, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 10).reshape(5, 2)
        >>> [t.shape for t in weft.split_with_sizes(x, [1, 4])]
        [torch.Size([1, 2]), torch.Size([4, 2])]
        """
    def sqrt(self) -> Tensor:
        """The square root.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sqrt(x)
        tensor([[0.5477, 0.6481],
                [0.7348, 0.8124],
                [0.8832, 0.9487]])
        """
    def sqrt_(self) -> Tensor:
        """The square root.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.sqrt_()
        tensor([[0.5477, 0.6481],
                [0.7348, 0.8124],
                [0.8832, 0.9487]])
        """
    def square(self) -> Tensor:
        """input * input.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.square(x)
        tensor([2.2500, 0.0000, 6.2500])
        """
    def square_(self) -> Tensor:
        """self * self.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.square_()
        tensor([2.2500, 0.0000, 6.2500])
        """
    def squeeze(self, dim: Ints | None = None) -> Tensor:
        """The view without dimensions of length 1: all of them, or those of `dim` that have it.

        Shape: (2, 1, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 6).reshape(2, 1, 3)
        >>> weft.squeeze(x)
        tensor([[0.3000, 0.4200, 0.5400],
                [0.6600, 0.7800, 0.9000]])
        """
    def squeeze_(self, dim: builtins.int | None = None) -> Tensor:
        """Drop dimensions of length 1, in place.

        >>> import weft
        >>> weft.ones(1, 3).squeeze_().shape
        torch.Size([3])
        """
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
        """beta * input + alpha * (mat1 @ mat2) as a sparse tensor, which has the elements of `input` and then the rows of
        the product for which mat1 stores something, not coalesced; input and mat1 are sparse (COO), mat2 is dense.

        >>> import weft
        >>> s = weft.sspaddmm(weft.eye(2).to_sparse(), weft.eye(2).to_sparse(), weft.ones(2, 2))
        >>> s._nnz(), s.to_dense()
        (6, tensor([[2., 1.],
                [1., 2.]]))
        """
    def std(self, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None) -> Tensor:
        """The standard deviation, with `correction` (1: unbiased) taken off the count.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.std(x, 1)
        tensor([1.4142, 1.4142])
        """
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor:
        """The Fourier transforms of overlapping, weighted pieces of a signal: (..., samples) to (..., frequency, frame).

        Shape: (16,) -> (5, 9) in the example.

        >>> import weft
        >>> x = weft.ones(16)
        >>> weft.stft(x, 8, window=weft.ones(8), return_complex=True).shape
        torch.Size([5, 9])
        """
    def storage(self) -> TypedStorage:
        """The memory, with its element type.

        >>> import weft
        >>> weft.tensor([1.0, 2.0]).storage().tolist()
        [1.0, 2.0]
        """
    def storage_offset(self) -> builtins.int:
        """How many elements after the start of its storage a tensor begins.

        >>> import weft
        >>> weft.arange(6)[2:].storage_offset()
        2
        """
    @overload
    def stride(self, dim: None = None) -> tuple[builtins.int, ...]:
        """The steps in memory, in elements, of each dimension or of one.

        >>> import weft
        >>> weft.ones(2, 3).stride()
        (3, 1)
        """
    @overload
    def stride(self, dim: builtins.int) -> builtins.int: ...
    def sub(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def sub_(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def subtract(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def subtract_(self, other: TensorLike, *, alpha: Number = 1) -> Tensor:
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
    def sum(self, dim: Dim = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum of all elements, or along `dim`.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.sum(x, 1)
        tensor([4., 6.])
        """
    @overload
    def sum_to_size(self, size: Ints) -> Tensor:
        """The sum over the dimensions that broadcasting from `size` would have added or stretched.

        Shape: (3, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.sum_to_size(x, (2,))
        tensor([1.6200, 1.9800])
        """
    @overload
    def sum_to_size(self, *size: builtins.int) -> Tensor: ...
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> SvdResult:
        """U, S, V of A = U diag(S) V^H.

        Shape: (3, 2) -> (3, 2), (2,), (2, 2) in the example.

        >>> import weft
        >>> x = weft.ones(3, 2)
        >>> [t.shape for t in weft.svd(x)]
        [torch.Size([3, 2]), torch.Size([2]), torch.Size([2, 2])]
        """
    def swapaxes(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The view with two dimensions exchanged.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> weft.transpose(x, 0, 1)
        tensor([[1, 3],
                [2, 4]])
        """
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Exchange two dimensions, in place.

        >>> import weft
        >>> x = weft.ones(2, 3)
        >>> x.transpose_(0, 1).shape
        torch.Size([3, 2])
        """
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The view with two dimensions exchanged.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> weft.transpose(x, 0, 1)
        tensor([[1, 3],
                [2, 4]])
        """
    def swapdims_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Exchange two dimensions, in place.

        >>> import weft
        >>> x = weft.ones(2, 3)
        >>> x.transpose_(0, 1).shape
        torch.Size([3, 2])
        """
    def t(self) -> Tensor:
        """The transposed matrix; vectors and numbers stay as they are.

        Shape: (2, 3) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.t(x)
        tensor([[0.3000, 0.6600],
                [0.4200, 0.7800],
                [0.5400, 0.9000]])
        """
    def t_(self) -> Tensor:
        """Transpose a matrix in place.

        >>> import weft
        >>> weft.ones(2, 3).t_().shape
        torch.Size([3, 2])
        """
    def take(self, index: Tensor) -> Tensor:
        """The elements at `index`, which counts the tensor's elements as one row.

        Shape: (2, 2), (2,) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> y = weft.tensor([0, 3])
        >>> weft.take(x, y)
        tensor([1, 4])
        """
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """gather, with input and indices broadcast against each other apart from dim; without dim, on one row.

        Shape: (2, 2), (2, 1) -> (2, 1) in the example.

        >>> import weft
        >>> x = weft.tensor([[3, 1], [2, 4]])
        >>> y = weft.tensor([[1], [0]])
        >>> weft.take_along_dim(x, y, dim=1)
        tensor([[1],
                [2]])
        """
    def tan(self) -> Tensor:
        """The tangent of an angle in radians.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.tan(x)
        tensor([[0.3093, 0.4466],
                [0.5994, 0.7761],
                [0.9893, 1.2602]])
        """
    def tan_(self) -> Tensor:
        """The tangent of an angle in radians.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.tan_()
        tensor([[0.3093, 0.4466],
                [0.5994, 0.7761],
                [0.9893, 1.2602]])
        """
    def tanh(self) -> Tensor:
        """The hyperbolic tangent.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.tanh(x)
        tensor([[0.2913, 0.3969],
                [0.4930, 0.5784],
                [0.6527, 0.7163]])
        """
    def tanh_(self) -> Tensor:
        """The hyperbolic tangent.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.tanh_()
        tensor([[0.2913, 0.3969],
                [0.4930, 0.5784],
                [0.6527, 0.7163]])
        """
    def tensor_split(self, indices_or_sections: Ints | Tensor | None = None, dim: builtins.int = 0, *, indices: Tensor | None = None, sections: builtins.int | None = None, tensor_indices_or_sections: Ints | Tensor | None = None) -> tuple[Tensor, ...]:
        """`sections` pieces that differ by at most one in length, or pieces that end at the given indices.

        Shape: (5,) -> (3,), (2,) in the example.

        >>> import weft
        >>> x = weft.arange(5)
        >>> weft.tensor_split(x, 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
    def threshold_(self, threshold: builtins.float, value: Number) -> Tensor:
        """self where it is above the threshold, else `value`.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-2.0, 3.0])
        >>> x.threshold_(0.0, 9.0)
        tensor([9., 3.])
        """
    @overload
    def tile(self, dims: Sequence[builtins.int]) -> Tensor:
        """repeat, where `dims` may be shorter than the shape.

        Shape: (2,) -> (2, 4) in the example.

        >>> import weft
        >>> x = weft.tensor([1, 2])
        >>> weft.tile(x, (2, 2))
        tensor([[1, 2, 1, 2],
                [1, 2, 1, 2]])
        """
    @overload
    def tile(self, *dims: builtins.int) -> Tensor: ...
    @overload
    def to(self, dtype: DType, non_blocking: builtins.bool = False, copy: builtins.bool = False, *, memory_format: MemoryFormat | None = None) -> Tensor:
        """Convert to another type, device or memory format; the tensor itself where nothing changes.

        to(dtype), to(device, dtype), to(other)

        Shape: (2, 3) -> (2, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
        >>> weft.to(x, weft.float64)
        tensor([[0.3000, 0.4200, 0.5400],
                [0.6600, 0.7800, 0.9000]], dtype=torch.float64)
        """
    @overload
    def to(self, device: Device | None = None, dtype: DType | None = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, *, memory_format: MemoryFormat | None = None) -> Tensor: ...
    @overload
    def to(self, other: Tensor, non_blocking: builtins.bool = False, copy: builtins.bool = False, *, memory_format: MemoryFormat | None = None) -> Tensor: ...
    def to_dense(self, dtype: DType | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """The tensor itself, which is dense.

        >>> import weft
        >>> x = weft.ones(2)
        >>> x.to_dense() is x
        True
        """
    def to_sparse(self, sparse_dim: Any = None, *, layout: Layout | None = None, blocksize: Any = None, dense_dim: Any = None) -> Any:
        """The elements that are not 0 as a sparse tensor; `sparse_dim`: of how many dimensions each place is stored.

        >>> import weft
        >>> weft.eye(3).to_sparse().indices()
        tensor([[0, 1, 2],
                [0, 1, 2]])
        """
    def to_sparse_bsc(self, blocksize: Any, dense_dim: Any = None) -> Any:
        """The blocks that are not all 0, stored by columns of blocks.

        >>> import weft
        >>> weft.eye(4).to_sparse_bsc((2, 2)).values().shape
        torch.Size([2, 2, 2])
        """
    def to_sparse_bsr(self, blocksize: Any, dense_dim: Any = None) -> Any:
        """The blocks that are not all 0, stored by rows of blocks.

        >>> import weft
        >>> weft.eye(4).to_sparse_bsr((2, 2)).values().shape
        torch.Size([2, 2, 2])
        """
    def to_sparse_coo(self) -> Any:
        """The elements that are not 0, stored by coordinates.

        >>> import weft
        >>> weft.eye(3).to_sparse_coo().layout
        torch.sparse_coo
        """
    def to_sparse_csc(self, dense_dim: Any = None) -> Any:
        """The elements that are not 0, stored by columns.

        >>> import weft
        >>> weft.eye(3).to_sparse_csc().ccol_indices()
        tensor([0, 1, 2, 3])
        """
    def to_sparse_csr(self, dense_dim: Any = None) -> Any:
        """The elements that are not 0, stored by rows.

        >>> import weft
        >>> weft.eye(3).to_sparse_csr().crow_indices()
        tensor([0, 1, 2, 3])
        """
    def tolist(self) -> Any:
        """The values as nested Python lists; a number for a zero-dim tensor.

        >>> import weft
        >>> weft.tensor([1, 2]).tolist()
        [1, 2]
        """
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> TopkResult:
        """The k greatest (or least) along `dim`, and where they stand.

        Shape: (3,) -> (2,), (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([3.0, 1.0, 2.0])
        >>> weft.topk(x, 2)
        torch.return_types.topk(
        values=tensor([3., 2.]),
        indices=tensor([0, 2]))
        """
    def trace(self) -> Tensor:
        """The sum of a matrix's diagonal.

        Shape: (3, 3) -> () in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 9).reshape(3, 3)
        >>> weft.trace(x)
        tensor(1.8000)
        """
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """The view with two dimensions exchanged.

        Shape: (2, 2) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([[1, 2], [3, 4]])
        >>> weft.transpose(x, 0, 1)
        tensor([[1, 3],
                [2, 4]])
        """
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Exchange two dimensions, in place.

        >>> import weft
        >>> x = weft.ones(2, 3)
        >>> x.transpose_(0, 1).shape
        torch.Size([3, 2])
        """
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> TriangularSolveResult:
        """X of A X = b for a triangular A, and a copy of A.

        Shape: (3, 2), (3, 3) -> (3, 2), (3, 3) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> y = weft.linspace(0.9, 0.3, 9).reshape(3, 3)
        >>> [t.shape for t in weft.triangular_solve(x, y)]
        [torch.Size([3, 2]), torch.Size([3, 3])]
        """
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangle, zeros above the diagonal.

        Shape: (3, 3) -> (3, 3) in the example.

        >>> import weft
        >>> x = weft.ones(3, 3)
        >>> weft.tril(x)
        tensor([[1., 0., 0.],
                [1., 1., 0.],
                [1., 1., 1.]])
        """
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangle, zeros above the diagonal.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.ones(3, 3)
        >>> x.tril_()
        tensor([[1., 0., 0.],
                [1., 1., 0.],
                [1., 1., 1.]])
        """
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangle, zeros below the diagonal.

        Shape: (3, 3) -> (3, 3) in the example.

        >>> import weft
        >>> x = weft.ones(3, 3)
        >>> weft.triu(x)
        tensor([[1., 1., 1.],
                [0., 1., 1.],
                [0., 0., 1.]])
        """
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangle, zeros below the diagonal.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.ones(3, 3)
        >>> x.triu_()
        tensor([[1., 1., 1.],
                [0., 1., 1.],
                [0., 0., 1.]])
        """
    def true_divide(self, other: Tensor) -> Tensor:
        """input / other; the same as div without a rounding mode.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> weft.true_divide(x, 2)
        tensor([-3.5000,  3.5000])
        """
    def true_divide_(self, other: Tensor) -> Tensor:
        """self / other; the same as div without a rounding mode.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-7.0, 7.0])
        >>> x.true_divide_(2)
        tensor([-3.5000,  3.5000])
        """
    def trunc(self) -> Tensor:
        """input without its decimals.

        Shape: any; the result has the input's.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> weft.trunc(x)
        tensor([-1.,  0.,  2.])
        """
    def trunc_(self) -> Tensor:
        """self without its decimals.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([-1.5, 0.0, 2.5])
        >>> x.trunc_()
        tensor([-1.,  0.,  2.])
        """
    @overload
    def type(self, dtype: None = None, non_blocking: builtins.bool = False) -> str:
        """The name of the tensor's type, or the tensor converted to one.

        >>> import weft
        >>> x = weft.ones(2)
        >>> x.type()
        'torch.FloatTensor'
        >>> x.type(weft.int64)
        tensor([1, 1])
        """
    @overload
    def type(self, dtype: DType | str | builtins.type, non_blocking: builtins.bool = False) -> Tensor: ...
    def type_as(self, other: Tensor) -> Tensor:
        """The same values in the type of `other`.

        >>> import weft
        >>> weft.ones(1).type_as(weft.arange(2)).dtype
        torch.int64
        """
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """The views at each index of a dimension.

        Shape: (3, 2) -> (2,), (2,), (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> weft.unbind(x)
        (tensor([0.3000, 0.4200]), tensor([0.5400, 0.6600]), tensor([0.7800, 0.9000]))
        """
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dimension split into several.

        Shape: (4,) -> (2, 2) in the example.

        >>> import weft
        >>> x = weft.arange(4)
        >>> weft.unflatten(x, 0, (2, 2))
        tensor([[0, 1],
                [2, 3]])
        """
    def unfold(self, dimension: builtins.int, size: Ints, step: builtins.int) -> Tensor:
        """The view of all windows of `size` elements, `step` apart, of a dimension; the window is the last dimension.

        Shape: (4,) -> (3, 2) in the example.

        >>> import weft
        >>> x = weft.arange(4)
        >>> weft.unfold(x, 0, 2, 1)
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
        """
    def uniform_(self, low: builtins.float = 0.0, high: builtins.float = 1.0, *, generator: Generator | None = None) -> Tensor:
        """Fill with uniform numbers in [from, to).

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.zeros(2, 3)
        >>> x.uniform_(0, 1).shape
        torch.Size([2, 3])
        """
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The distinct elements, or slices along `dim`, in order.

        Shape: (3,) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([3, 1, 3])
        >>> weft.unique(x)
        tensor([1, 3])
        """
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The elements, or slices along `dim`, without immediate repetitions.

        Shape: (3,) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([3, 3, 1])
        >>> weft.unique_consecutive(x)
        tensor([3, 1])
        """
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """chunk, whose pieces may be written to freely.

        Shape: (5,) -> (3,), (2,) in the example.

        >>> import weft
        >>> x = weft.arange(5)
        >>> weft.unsafe_chunk(x, 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
        """
    def unsafe_split(self, split_size: Ints, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """split, whose pieces may be written to freely.

        Shape: (5,) -> (2,), (2,), (1,) in the example.

        >>> import weft
        >>> x = weft.arange(5)
        >>> weft.unsafe_split(x, 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        """
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """split_with_sizes, whose pieces may be written to freely.

        Shape: (5, 2) -> (1, 2), (4, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 10).reshape(5, 2)
        >>> [t.shape for t in weft.unsafe_split_with_sizes(x, [1, 4])]
        [torch.Size([1, 2]), torch.Size([4, 2])]
        """
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """The view with a dimension of length 1 put in at `dim`.

        Shape: (2,) -> (1, 2) in the example.

        >>> import weft
        >>> x = weft.tensor([1, 2])
        >>> weft.unsqueeze(x, 0)
        tensor([[1, 2]])
        """
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """Put in a dimension of length 1, in place.

        >>> import weft
        >>> weft.ones(3).unsqueeze_(0).shape
        torch.Size([1, 3])
        """
    def untyped_storage(self) -> UntypedStorage:
        """The bytes that this tensor and its views lie in.

        >>> import weft
        >>> weft.ones(2).untyped_storage().nbytes()
        8
        """
    def values(self) -> None:
        """The stored elements: (nnz, ...); only sparse tensors have it.

        >>> import weft
        >>> weft.eye(2).to_sparse().values()
        tensor([1., 1.])
        """
    def var(self, dim: Dim = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.int | builtins.float | None = None) -> Tensor:
        """The variance, with `correction` (1: unbiased) taken off the count.

        Shape: (2, 2) -> (2,) in the example.

        >>> import weft
        >>> x = weft.tensor([[1.0, 3.0], [4.0, 2.0]])
        >>> weft.var(x, 1)
        tensor([2., 2.])
        """
    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors, the first conjugated.

        Shape: (3,), (3,) -> () in the example.

        >>> import weft
        >>> x = weft.tensor([0.3, 0.6, 0.9])
        >>> y = weft.tensor([0.78, 0.57, 0.36])
        >>> weft.vdot(x, y)
        tensor(0.9000)
        """
    @overload
    def view(self, dtype: DType) -> Tensor:
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
    def view(self, size: Sequence[builtins.int]) -> Tensor: ...
    @overload
    def view(self, *size: builtins.int) -> Tensor: ...
    def view_as(self, other: Tensor) -> Tensor:
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
    def vsplit(self, indices_or_sections: Ints | None = None, *, indices: Tensor | None = None, sections: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Pieces along the rows.

        Shape: (4, 2) -> (2, 2), (2, 2) in the example.

        >>> import weft
        >>> x = weft.linspace(0.3, 0.9, 8).reshape(4, 2)
        >>> weft.vsplit(x, 2)
        (tensor([[0.3000, 0.3857],
                [0.4714, 0.5571]]), tensor([[0.6429, 0.7286],
                [0.8143, 0.9000]]))
        """
    def where(self, condition: Tensor, other: TensorLike) -> Tensor:
        """This tensor where `condition` is true, else `other`.

        >>> import weft
        >>> x = weft.tensor([1.0, -2.0])
        >>> x.where(x > 0, 0.0)
        tensor([1., 0.])
        """
    def xlogy(self, other: TensorLike) -> Tensor:
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
    def xlogy_(self, other: TensorLike) -> Tensor:
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
    def zero_(self) -> Tensor:
        """The tensor with every element replaced by 0.

        In place: writes to the tensor itself and returns it.

        >>> import weft
        >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
        >>> x.zero_()
        tensor([[0., 0.],
                [0., 0.],
                [0., 0.]])
        """
    def zeros_like(self, *, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, requires_grad: builtins.bool = False, memory_format: MemoryFormat | None = None, pin_memory: builtins.bool = False) -> Tensor:
        """Zeros with a tensor's shape, type and memory order.

        >>> import weft
        >>> weft.zeros_like(weft.ones(2))
        tensor([0., 0.])
        """

def register_plain(cls: Any) -> None: ...
def is_plain(x: Tensor) -> bool: ...
def is_ready(x: Tensor) -> bool: ...
def needs_grad(t: type | str) -> bool: ...
def need_tensor(t: type | str) -> None: ...
def settle(t: type | str) -> None: ...
def node_now(t: type | str) -> Any: ...
def mark_leaf(t: type | str) -> None: ...
def wrap(array: Any) -> Tensor: ...
def without_values(spec: Any, owed: Any = None) -> Tensor: ...
def lay_out(t: type | str, spec: Any) -> None: ...
def lay_again(t: type | str, source: Tensor) -> None: ...
def describe(t: type | str) -> Any: ...
def wrap_view(array: Any, source: Tensor, op: Any, values: Tensor, out: Tensor, kind: Any) -> Tensor: ...
def tie(t: type | str, source: Tensor, op: Any, values: Tensor, out: Tensor, kind: Any) -> None: ...
def hand_out(t: type | str) -> None: ...
def detached(source: Tensor) -> Tensor: ...
def alias(source: Tensor) -> Tensor: ...
