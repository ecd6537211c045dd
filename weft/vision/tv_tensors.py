"""torchvision.tv_tensors: tensors that say what they are, so that v2's transforms know what to do with them."""
import contextlib
import enum
import threading

import weft
from weft.core.modes import no_override

__all__ = ["BoundingBoxFormat", "BoundingBoxes", "Image", "KeyPoints", "Mask", "TVTensor", "Video", "set_return_type",
           "wrap"]
KEEPS = {"clone", "to", "detach", "requires_grad_", "pin_memory"}      # whose results stay what they are
_local = threading.local()


class TVTensor(weft.Tensor):
    """A tensor with a meaning. What is computed from one is a plain tensor; copies and moves keep the meaning.

    >>> import weft
    >>> from weft.vision import tv_tensors
    >>> picture = tv_tensors.Image(weft.zeros(3, 2, 2))
    >>> type(picture + 1).__name__, type(picture.clone()).__name__
    ('Tensor', 'Image')
    """

    @staticmethod
    def _tensor(data, dtype=None, device=None, requires_grad=None):
        if requires_grad is None:
            requires_grad = data.requires_grad if isinstance(data, weft.Tensor) else False
        made = weft.as_tensor(data, dtype=dtype, device=device)
        return (made.as_subclass(weft.Tensor) if type(made) is not weft.Tensor else made).requires_grad_(requires_grad)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not all(issubclass(cls, t) or issubclass(t, TVTensor) or t is weft.Tensor for t in types):
            return NotImplemented
        with no_override():
            made = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        if name in KEEPS or getattr(_local, "kind", "Tensor") == "TVTensor":
            source = next((a for a in args if isinstance(a, TVTensor)), None)
            return made if source is None or not isinstance(made, weft.Tensor) else _like(made, source)
        if name.endswith("_") and not name.endswith("__") and args and isinstance(args[0], TVTensor):
            return args[0] if made is args[0] else made
        return made.as_subclass(weft.Tensor) if isinstance(made, TVTensor) else made

    def __deepcopy__(self, memo):
        return _like(self.detach().as_subclass(weft.Tensor).clone(), self).requires_grad_(self.requires_grad)


def _like(tensor, like):
    """The tensor as what another one is."""
    with no_override():
        made = tensor.as_subclass(type(like))
    for name in ("format", "canvas_size", "clamping_mode"):
        if hasattr(like, name):
            setattr(made, name, getattr(like, name))
    return made


class Image(TVTensor):
    """A picture, (..., C, H, W).

    >>> import weft
    >>> weft.vision.tv_tensors.Image(weft.zeros(2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def __new__(cls, data, *, dtype=None, device=None, requires_grad=None):
        if not isinstance(data, weft.Tensor) and hasattr(data, "getbands"):
            from weft.vision.transforms._convert import pil_to_tensor  # transforms import this module
            data = pil_to_tensor(data)
        made = cls._tensor(data, dtype, device, requires_grad)
        if made.ndim < 2:
            raise ValueError(f"a picture has at least 2 dimensions, not {made.ndim}")
        return (made[None] if made.ndim == 2 else made).as_subclass(cls)


class Video(TVTensor):
    """Pictures one after the other, (..., T, C, H, W).

    >>> import weft
    >>> weft.vision.tv_tensors.Video(weft.zeros(5, 3, 2, 2)).shape
    torch.Size([5, 3, 2, 2])
    """

    def __new__(cls, data, *, dtype=None, device=None, requires_grad=None):
        made = cls._tensor(data, dtype, device, requires_grad)
        if made.ndim < 4:
            raise ValueError(f"a video has at least 4 dimensions, not {made.ndim}")
        return made.as_subclass(cls)


class Mask(TVTensor):
    """Marks on pixels, (..., H, W).

    >>> import weft
    >>> weft.vision.tv_tensors.Mask(weft.zeros(2, 2, dtype=weft.bool)).dtype
    torch.bool
    """

    def __new__(cls, data, *, dtype=None, device=None, requires_grad=None):
        if not isinstance(data, weft.Tensor) and hasattr(data, "getbands"):
            from weft.vision.transforms._convert import pil_to_tensor  # transforms import this module
            data = pil_to_tensor(data)
        return cls._tensor(data, dtype, device, requires_grad).as_subclass(cls)


class BoundingBoxFormat(enum.Enum):
    """What the four numbers of a box are: corners, a corner and the size, or the middle and the size.

    >>> from weft.vision.tv_tensors import BoundingBoxFormat
    >>> BoundingBoxFormat["XYWH"].value
    'XYWH'
    """
    XYXY = "XYXY"
    XYWH = "XYWH"
    CXCYWH = "CXCYWH"


class BoundingBoxes(TVTensor):
    """Boxes (N, 4) on a picture of the size canvas_size, (H, W).

    >>> import weft
    >>> weft.vision.tv_tensors.BoundingBoxes([0, 0, 2, 3], format="XYXY", canvas_size=(8, 8)).shape
    torch.Size([1, 4])
    """

    def __new__(cls, data, *, format, canvas_size, clamping_mode="soft", dtype=None, device=None, requires_grad=None):
        made = cls._tensor(data, dtype, device, requires_grad)
        made = made[None] if made.ndim == 1 else made
        if made.ndim != 2 or made.shape[1] != 4:
            raise ValueError(f"boxes have the shape (N, 4), not {tuple(made.shape)}")
        made = made.as_subclass(cls)
        made.format = BoundingBoxFormat[format.upper()] if isinstance(format, str) else format
        made.canvas_size, made.clamping_mode = tuple(canvas_size), clamping_mode
        return made

    def __repr__(self):
        return f"{super().__repr__()[:-1]}, format={self.format}, canvas_size={self.canvas_size})"


class KeyPoints(TVTensor):
    """Points (..., 2) as x, y on a picture of the size canvas_size, (H, W).

    >>> import weft
    >>> weft.vision.tv_tensors.KeyPoints([[1, 2]], canvas_size=(8, 8)).canvas_size
    (8, 8)
    """

    def __new__(cls, data, *, canvas_size, dtype=None, device=None, requires_grad=None):
        made = cls._tensor(data, dtype, device, requires_grad)
        made = made[None] if made.ndim == 1 else made
        if made.shape[-1] != 2:
            raise ValueError(f"points have the shape (..., 2), not {tuple(made.shape)}")
        made = made.as_subclass(cls)
        made.canvas_size = tuple(canvas_size)
        return made


def wrap(wrappee, *, like, **kwargs):
    """A tensor as what another one is; keyword arguments change what it says of itself.

    >>> import weft
    >>> from weft.vision import tv_tensors
    >>> boxes = tv_tensors.BoundingBoxes([[0, 0, 2, 3]], format="XYXY", canvas_size=(8, 8))
    >>> tv_tensors.wrap(weft.zeros(1, 4), like=boxes, canvas_size=(4, 4)).canvas_size
    (4, 4)
    """
    made = _like(wrappee, like)
    for name, value in kwargs.items():
        setattr(made, name, value)
    return made


@contextlib.contextmanager
def _returning(before):
    try:
        yield
    finally:
        _local.kind = before


def set_return_type(return_type):
    """Whether what is computed from such tensors is a "Tensor" or again one of them ("TVTensor"); also for a `with`.

    >>> import weft
    >>> from weft.vision import tv_tensors
    >>> with tv_tensors.set_return_type("TVTensor"):
    ...     print(type(tv_tensors.Mask(weft.zeros(2, 2)) + 1).__name__)
    Mask
    """
    if str(return_type).lower() not in ("tensor", "tvtensor"):
        raise ValueError(f"return_type is {return_type!r}\n  fix: take 'Tensor' or 'TVTensor'")
    before = getattr(_local, "kind", "Tensor")
    _local.kind = "TVTensor" if str(return_type).lower() == "tvtensor" else "Tensor"
    return _returning(before)
