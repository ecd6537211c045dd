"""torchvision.tv_tensors: tensors that say what they are, so that v2's transforms know what to do with them."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any
from typing_extensions import Self
from weft._typing import DType, Device
from weft.tensor.tensor import Tensor as Tensor

class TVTensor(Tensor):
    ...

class Image(TVTensor):
    def __new__(cls, data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: bool | None = None) -> Self: ...

class Video(TVTensor):
    def __new__(cls, data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: bool | None = None) -> Self: ...

class Mask(TVTensor):
    def __new__(cls, data: Any, *, dtype: DType | None = None, device: Device | None = None, requires_grad: bool | None = None) -> Self: ...

class BoundingBoxFormat(Enum):
    XYXY = 'XYXY'
    XYWH = 'XYWH'
    CXCYWH = 'CXCYWH'

class BoundingBoxes(TVTensor):
    def __new__(cls, data: Any, *, format: Any, canvas_size: Any, clamping_mode: str = 'soft', dtype: DType | None = None, device: Device | None = None, requires_grad: bool | None = None) -> Self: ...

class KeyPoints(TVTensor):
    def __new__(cls, data: Any, *, canvas_size: Any, dtype: DType | None = None, device: Device | None = None, requires_grad: bool | None = None) -> Self: ...

def wrap(wrappee: Any, *, like: Tensor, **kwargs: Any) -> Tensor: ...
def set_return_type(return_type: Any) -> Any: ...
