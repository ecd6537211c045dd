"""`assert_close`: numbers, tensors and whatever holds them, compared with tolerances that fit their type."""
# made by tools/stubs.py
from collections.abc import Iterator
from typing import Any, Callable
from typing_extensions import Self
from weft.tensor.tensor import Tensor

class Options(tuple[Any, ...]):
    rtol: Any
    atol: Any
    equal_nan: Any
    check_device: Any
    check_dtype: Any
    check_layout: Any
    check_stride: Any
    allow_subclasses: Any
    def __new__(cls, rtol: float, atol: float, equal_nan: bool, check_device: bool, check_dtype: bool, check_layout: bool, check_stride: bool, allow_subclasses: bool) -> Self: ...
    def tolerances(self, *found: Any) -> Any: ...

class Mismatch(Exception):
    ...

class Unsupported(Exception):
    ...

def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False, msg: str | Callable[[str], str] | None = None) -> None: ...
def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str | Callable[[str], str] = '') -> None: ...
def pairs_of(actual: Any, expected: Any) -> Iterator[Any]: ...
class _Failure(tuple[Any, ...]):
    text: Any
    def __new__(cls, text: str) -> Self: ...

def compare(a: Tensor, e: Any, options: Any) -> None: ...
