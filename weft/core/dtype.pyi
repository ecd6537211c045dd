"""The element types, and the rules by which they combine."""
# made by tools/stubs.py
from typing import Any
from weft._typing import TensorLike
from weft.tensor.tensor import Tensor

class dtype:
    is_half: bool
    is_signed: bool
    is_complex: Any
    is_floating_point: Any
    category: Any
    itemsize: Any
    aliases: Any
    np: Any
    name: str
    def __init__(self, name: str, np_dtype: Any, *aliases: Any) -> None: ...
    def to_complex(self) -> Any: ...
    def to_real(self) -> Any: ...

class _LazyBFloat16(dtype):
    @property
    def np(self) -> Any: ...
    @np.setter
    def np(self, value: Any) -> None: ...

class _LazyFloat8(dtype):
    @property
    def np(self) -> Any: ...
    @np.setter
    def np(self, value: Any) -> None: ...

class _NameOnly(dtype):
    is_floating_point: bool
    is_complex: Any
    is_signed: Any
    is_half: bool
    category: Any
    name: str
    itemsize: Any
    aliases: Any
    def __init__(self, name: str, itemsize: Any, is_complex: Any, *aliases: Any) -> None: ...
    @property
    def np(self) -> Any: ...

float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
int8: dtype
int16: dtype
int32: dtype
int64: dtype
uint8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
bool_: dtype
complex64: dtype
complex128: dtype
def of_array(np_dtype: Any) -> Any: ...
def of_type(value: TensorLike) -> Any: ...
class _Default:
    dtype: Any
    told: list[Any]
    def __init__(self) -> None: ...

default: _Default
def get_default_dtype() -> dtype: ...
def set_default_dtype(d: dtype) -> None: ...
def of_scalar(value: TensorLike) -> Any: ...
def promote_types(a: Tensor, b: Tensor) -> Any: ...
def result_category(dim_type: Any, zero_type: Any, number_type: Any) -> Any: ...
def can_cast(source: Tensor, target: Tensor) -> bool: ...
class finfo:
    dtype: Any
    resolution: float
    tiny: float
    smallest_normal: float
    eps: float
    max: float
    min: float
    bits: Any
    def __init__(self, d: dtype | None = None) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class iinfo:
    bits: Any
    max: int
    min: int
    dtype: Any
    def __init__(self, d: dtype) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

