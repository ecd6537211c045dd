"""Pictures as tensors and back."""
import sys

import numpy as np

import weft
from weft.vision._pillow import is_picture, pillow
from weft.vision.transforms import _pictures, _tensors

SIXTEEN = "I;16" if sys.byteorder == "little" else "I;16B"
TYPES = {"I": np.int32, SIXTEEN: np.int16, "F": np.float32}


def _array(pic):
    """(H, W, C) of an image."""
    made = np.array(pic, TYPES.get(pic.mode, np.uint8), copy=True)
    if pic.mode == "1":
        made = 255 * made
    return made.reshape(pic.height, pic.width, len(pic.getbands()))


def to_tensor(pic):
    """An image of Pillow's, or an array (H, W, C), as a tensor (C, H, W); bytes become floats from 0 to 1.

    >>> import numpy as np
    >>> from weft.vision.transforms import functional as F
    >>> F.to_tensor(np.full((2, 3, 1), 255, np.uint8)).shape
    torch.Size([1, 2, 3])
    """
    if isinstance(pic, weft.Tensor) and pic.is_floating_point() and pic.ndim == 3:
        return pic              # weft's own MNIST gives such ones
    if isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic has {pic.ndim} dimensions, this takes 2 or 3")
        pic = pic[:, :, None] if pic.ndim == 2 else pic
        made = np.ascontiguousarray(pic.transpose(2, 0, 1))
    elif is_picture(pic):
        made = np.ascontiguousarray(_array(pic).transpose(2, 0, 1))
    else:
        raise TypeError(f"pic is a {type(pic).__name__}\n  fix: give an image of Pillow's or an array (H, W, C)")
    made = weft.from_numpy(made)
    return made.to(weft.get_default_dtype()).div(255) if made.dtype is weft.uint8 else made


def pil_to_tensor(pic):
    """An image of Pillow's as a tensor (C, H, W), its values as they are.

    >>> from PIL import Image
    >>> from weft.vision.transforms import functional as F
    >>> F.pil_to_tensor(Image.new("RGB", (4, 2), (1, 2, 3)))[:, 0, 0]
    tensor([1, 2, 3], dtype=torch.uint8)
    """
    if not is_picture(pic):
        raise TypeError(f"pic is a {type(pic).__name__}, this takes an image of Pillow's")
    made = np.array(pic, copy=True)
    made = made[:, :, None] if made.ndim == 2 else made
    return weft.from_numpy(np.ascontiguousarray(made.transpose(2, 0, 1)))


def to_pil_image(pic, mode=None):
    """A tensor (C, H, W) or (H, W), or an array (H, W, C), as an image of Pillow's.

    >>> import weft
    >>> from weft.vision.transforms import functional as F
    >>> F.to_pil_image(weft.zeros(3, 2, 4)).size
    (4, 2)
    """
    if isinstance(pic, weft.Tensor):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic has {pic.ndim} dimensions, this takes 2 or 3")
        if pic.ndim == 3 and pic.shape[0] > 4:
            raise ValueError(f"pic has {pic.shape[0]} channels, an image has at most 4")
        pic = pic if pic.ndim == 3 else pic[None]
        if pic.is_floating_point() and mode != "F":
            pic = pic.mul(255).to(weft.uint8)
        array = pic.detach().numpy().transpose(1, 2, 0)
    elif isinstance(pic, np.ndarray):
        if pic.ndim not in (2, 3):
            raise ValueError(f"pic has {pic.ndim} dimensions, this takes 2 or 3")
        array = pic[:, :, None] if pic.ndim == 2 else pic
        if array.shape[-1] > 4:
            raise ValueError(f"pic has {array.shape[-1]} channels, an image has at most 4")
    else:
        raise TypeError(f"pic is a {type(pic).__name__}\n  fix: give a tensor (C, H, W) or an array (H, W, C)")
    return _image(array, mode)


def _image(array, mode):
    channels = array.shape[2]
    if channels == 1:
        array = array[:, :, 0]
        known = {"uint8": "L", "int16": SIXTEEN, "int32": "I", "float32": "F"}.get(array.dtype.name)
        if mode is not None and known is not None and mode != known:
            raise ValueError(f"mode {mode!r} doesn't fit a picture of {array.dtype}\n  fix: leave it out, or give "
                             f"{known!r}")
    else:
        allowed = {2: ("LA",), 3: ("RGB", "YCbCr", "HSV"), 4: ("RGBA", "CMYK", "RGBX")}[channels]
        if mode is not None and mode not in allowed:
            raise ValueError(f"mode {mode!r} doesn't fit {channels} channels\n  fix: take one of {', '.join(allowed)}")
        known = (mode or allowed[0]) if array.dtype == np.uint8 else None
    if known is None:
        raise TypeError(f"an image can't be made from {channels} channels of {array.dtype}\n  fix: convert to uint8")
    array = np.ascontiguousarray(array)
    if channels > 1:
        return pillow().frombytes(known, array.shape[1::-1], array.tobytes())
    return pillow().fromarray(array.view(np.uint16) if known == SIXTEEN else array)


def convert_image_dtype(image, dtype=weft.float32):
    """A tensor with another type, its values scaled to that type's range.

    >>> import weft
    >>> from weft.vision.transforms import functional as F
    >>> F.convert_image_dtype(weft.tensor([[0, 255]], dtype=weft.uint8))
    tensor([[0., 1.]])
    """
    if not isinstance(image, weft.Tensor):
        raise TypeError(f"image is a {type(image).__name__}, this takes a tensor")
    return _tensors.convert_dtype(image, dtype)


def by_tensor(function, img, *arguments):
    """A function of tensors on an image of Pillow's."""
    return to_pil_image(function(pil_to_tensor(img), *arguments), mode=img.mode)


def kernels(img):
    """The module that does things to this kind of picture."""
    if isinstance(img, weft.Tensor):
        return _tensors
    if is_picture(img):
        return _pictures
    raise TypeError(f"img is a {type(img).__name__}\n  fix: give a tensor (..., C, H, W) or an image of Pillow's")
