"""torchvision.io for pictures: files read, decoded, encoded and written, through Pillow."""
import enum
import io
import os

import numpy as np

import weft
from weft.vision._pillow import pillow

__all__ = ["ImageReadMode", "decode_image", "decode_jpeg", "decode_png", "decode_gif", "decode_webp", "encode_jpeg",
           "encode_png", "read_file", "read_image", "write_file", "write_jpeg", "write_png"]


class ImageReadMode(enum.Enum):
    """The channels that a picture gets.

    >>> from weft.vision.io import ImageReadMode
    >>> ImageReadMode.RGB.value
    3
    """
    UNCHANGED = 0
    GRAY = 1
    GRAY_ALPHA = 2
    RGB = 3
    RGB_ALPHA = 4


MODES = {ImageReadMode.GRAY: "L", ImageReadMode.GRAY_ALPHA: "LA", ImageReadMode.RGB: "RGB",
         ImageReadMode.RGB_ALPHA: "RGBA"}


def read_file(path):
    """A file's bytes, (N,) uint8.

    >>> import weft
    >>> weft.vision.io.write_file("bytes", weft.tensor([1, 2], dtype=weft.uint8))
    >>> weft.vision.io.read_file("bytes")
    tensor([1, 2], dtype=torch.uint8)
    """
    with open(path, "rb") as file:
        return weft.from_numpy(np.frombuffer(file.read(), np.uint8).copy())


def write_file(filename, data):
    """Bytes (N,) uint8 as a file.

    >>> import weft
    >>> weft.vision.io.write_file("bytes", weft.tensor([1, 2], dtype=weft.uint8))
    """
    with open(filename, "wb") as file:
        file.write(_bytes(data))


def _bytes(data):
    if not isinstance(data, weft.Tensor) or data.dtype is not weft.uint8 or data.ndim != 1:
        raise RuntimeError("bytes are a tensor (N,) of uint8")
    return data.numpy().tobytes()


def _mode(mode):
    return ImageReadMode[mode.upper()] if isinstance(mode, str) else mode


def decode_image(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """A picture (C, H, W) of uint8 (uint16 if it has 16 bits) from a file's bytes or its path: PNG, JPEG, GIF, WebP.

    >>> import weft
    >>> data = weft.vision.io.encode_png(weft.zeros(3, 2, 4, dtype=weft.uint8))
    >>> weft.vision.io.decode_image(data).shape
    torch.Size([3, 2, 4])
    """
    if isinstance(input, (str, os.PathLike)):
        input = read_file(input)
    mode = _mode(mode)
    if input.numel() == 0:
        raise RuntimeError("a picture can't be decoded from no bytes")
    try:
        picture = pillow().open(io.BytesIO(_bytes(input)))
        picture.load()
    except OSError as error:
        raise RuntimeError(f"these bytes are no picture that can be decoded: {error}") from None
    if apply_exif_orientation:
        picture = pillow("ImageOps").exif_transpose(picture)
    if mode in MODES and picture.mode != MODES[mode]:
        picture = picture.convert(MODES[mode])
    elif picture.mode in ("P", "1", "CMYK"):
        has_alpha = picture.mode == "P" and "transparency" in picture.info
        picture = picture.convert("RGBA" if has_alpha else "L" if picture.mode == "1" else "RGB")
    array = np.array(picture)
    if array.dtype == np.int32:         # Pillow's mode I: 16 bits
        array = array.astype(np.uint16)
    array = array[:, :, None] if array.ndim == 2 else array
    return weft.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))


def decode_png(input, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """A picture (C, H, W) from the bytes of a PNG file.

    >>> import weft
    >>> data = weft.vision.io.encode_png(weft.zeros(3, 2, 4, dtype=weft.uint8))
    >>> weft.vision.io.decode_png(data, mode="GRAY").shape
    torch.Size([1, 2, 4])
    """
    return decode_image(input, mode, apply_exif_orientation)


def decode_jpeg(input, mode=ImageReadMode.UNCHANGED, device="cpu", apply_exif_orientation=False):
    """A picture (C, H, W) from the bytes of a JPEG file.

    >>> import weft
    >>> data = weft.vision.io.encode_jpeg(weft.zeros(3, 8, 8, dtype=weft.uint8))
    >>> weft.vision.io.decode_jpeg(data).shape
    torch.Size([3, 8, 8])
    """
    if isinstance(input, (list, tuple)):
        return [decode_image(each, mode, apply_exif_orientation) for each in input]
    return decode_image(input, mode, apply_exif_orientation)


def decode_webp(input, mode=ImageReadMode.UNCHANGED):
    """A picture (C, H, W) from the bytes of a WebP file.

    >>> import weft
    >>> weft.vision.io.decode_webp(weft.vision.io.encode_png(weft.zeros(3, 2, 4, dtype=weft.uint8))).shape
    torch.Size([3, 2, 4])
    """
    return decode_image(input, mode)


def decode_gif(input):
    """A picture (3, H, W), or pictures (N, 3, H, W), from the bytes of a GIF file.

    >>> import io, weft
    >>> from PIL import Image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (4, 2)).save(file, "GIF")
    >>> weft.vision.io.decode_gif(weft.tensor(list(file.getvalue()), dtype=weft.uint8)).shape
    torch.Size([3, 2, 4])
    """
    sequence = pillow("ImageSequence")
    picture = pillow().open(io.BytesIO(_bytes(input)))
    frames = [np.array(frame.convert("RGB")).transpose(2, 0, 1) for frame in sequence.Iterator(picture)]
    made = weft.from_numpy(np.ascontiguousarray(np.stack(frames)))
    return made[0] if len(made) == 1 else made


def _encode(input, kind, **how):
    if input.dtype is not weft.uint8 or input.ndim != 3 or input.shape[0] not in (1, 3):
        raise RuntimeError(f"a picture is uint8 (1 or 3, H, W), not {input.dtype} {tuple(input.shape)}")
    array, file = input.numpy().transpose(1, 2, 0), io.BytesIO()
    picture = pillow().fromarray(np.ascontiguousarray(array[:, :, 0] if array.shape[2] == 1 else array))
    picture.save(file, kind, **how)
    return weft.from_numpy(np.frombuffer(file.getvalue(), np.uint8).copy())


def encode_png(input, compression_level=6):
    """The bytes of a PNG file of a picture (1 or 3, H, W).

    >>> import weft
    >>> weft.vision.io.encode_png(weft.zeros(1, 2, 4, dtype=weft.uint8)).ndim
    1
    """
    if not 0 <= compression_level <= 9:
        raise RuntimeError(f"compression_level is {compression_level}, it must be from 0 to 9")
    return _encode(input, "PNG", compress_level=compression_level)


def encode_jpeg(input, quality=75):
    """The bytes of a JPEG file of a picture (1 or 3, H, W), of a quality from 1 to 100.

    >>> import weft
    >>> weft.vision.io.encode_jpeg(weft.zeros(1, 2, 4, dtype=weft.uint8)).ndim
    1
    """
    if not 1 <= quality <= 100:
        raise ValueError(f"quality is {quality}, it must be from 1 to 100")
    if isinstance(input, (list, tuple)):
        return [_encode(each, "JPEG", quality=quality) for each in input]
    return _encode(input, "JPEG", quality=quality)


def read_image(path, mode=ImageReadMode.UNCHANGED, apply_exif_orientation=False):
    """A picture (C, H, W) from a file.

    >>> import weft
    >>> weft.vision.io.write_png(weft.zeros(3, 2, 4, dtype=weft.uint8), "picture.png")
    >>> weft.vision.io.read_image("picture.png").shape
    torch.Size([3, 2, 4])
    """
    return decode_image(read_file(path), mode, apply_exif_orientation)


def write_png(input, filename, compression_level=6):
    """A picture (1 or 3, H, W) as a PNG file.

    >>> import weft
    >>> weft.vision.io.write_png(weft.zeros(3, 2, 4, dtype=weft.uint8), "picture.png")
    """
    write_file(filename, encode_png(input, compression_level))


def write_jpeg(input, filename, quality=75):
    """A picture (1 or 3, H, W) as a JPEG file.

    >>> import weft
    >>> weft.vision.io.write_jpeg(weft.zeros(3, 2, 4, dtype=weft.uint8), "picture.jpg")
    """
    write_file(filename, encode_jpeg(input, quality))
