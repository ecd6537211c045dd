"""How pixels are looked up between pixels."""
import enum


class InterpolationMode(enum.Enum):
    """How values between pixels are made; box, hamming and lanczos are Pillow's only.

    >>> from weft.vision.transforms import InterpolationMode
    >>> InterpolationMode.BILINEAR.value
    'bilinear'
    """
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


# Pillow's numbers, which v1 takes too
NUMBERS = {0: InterpolationMode.NEAREST, 2: InterpolationMode.BILINEAR, 3: InterpolationMode.BICUBIC,
           4: InterpolationMode.BOX, 5: InterpolationMode.HAMMING, 1: InterpolationMode.LANCZOS}


def mode_of(interpolation):
    """An InterpolationMode from one, or from Pillow's number for it."""
    if isinstance(interpolation, int):
        return NUMBERS[interpolation]
    if isinstance(interpolation, InterpolationMode):
        return interpolation
    raise TypeError(f"interpolation is a {type(interpolation).__name__}\n  fix: give an InterpolationMode, or Pillow's "
                    "number for one")
