"""What is done to Pillow's images."""
import numpy as np

from weft.vision._pillow import pillow

RESAMPLING = {"nearest": 0, "nearest-exact": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}


def dimensions(img):
    """[C, H, W]."""
    return [len(img.getbands()), img.height, img.width]


def filling(img, fill, name="fill"):
    """The colour as Pillow wants it for this image's mode."""
    bands = len(img.getbands())
    if fill is None:
        fill = 0
    if isinstance(fill, (int, float)) and bands > 1:
        return (int(fill),) * bands if img.mode != "F" else (fill,) * bands
    if isinstance(fill, (list, tuple)):
        if len(fill) == 1:
            return filling(img, fill[0])
        if len(fill) != bands:
            raise ValueError(f"{name} has {len(fill)} values, the picture {bands} channels\n  fix: give one, or as "
                             "many as it has channels")
        return tuple(int(f) for f in fill) if img.mode != "F" else tuple(fill)
    return fill if img.mode == "F" else int(fill)


def adjust_brightness(img, factor):
    return pillow("ImageEnhance").Brightness(img).enhance(factor)


def adjust_contrast(img, factor):
    return pillow("ImageEnhance").Contrast(img).enhance(factor)


def adjust_saturation(img, factor):
    return pillow("ImageEnhance").Color(img).enhance(factor)


def adjust_sharpness(img, factor):
    return pillow("ImageEnhance").Sharpness(img).enhance(factor)


def adjust_hue(img, factor):
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = np.array(hue, dtype=np.uint8) + np.array(factor * 255).astype(np.int32).astype(np.uint8)   # wraps around
    hue = pillow().fromarray(turned.astype(np.uint8))
    return pillow().merge("HSV", (hue, saturation, value)).convert(img.mode)


def adjust_gamma(img, gamma, gain):
    table = [(255 + 1 - 1e-3) * gain * pow(v / 255.0, gamma) for v in range(256)]
    return img.convert("RGB").point([int(v) for v in table] * 3).convert(img.mode)


def grayscale(img, channels=1):
    gray = img.convert("L")
    return gray if channels == 1 else pillow().merge("RGB", (gray, gray, gray))


def resize(img, size, mode):
    return img.resize(tuple(size[::-1]), RESAMPLING[mode])


def pad(img, sides, fill, mode):
    """sides: left, top, right, bottom."""
    if mode == "constant":
        made = pillow("ImageOps").expand(img, border=tuple(sides), fill=filling(img, fill))
        if img.mode == "P":
            made.putpalette(img.getpalette())
        return made
    if min(sides) < 0:
        left, top, right, bottom = (max(-s, 0) for s in sides)
        img = img.crop((left, top, img.width - right, img.height - bottom))
    left, top, right, bottom = (max(s, 0) for s in sides)
    array = np.asarray(img)
    rest = ((0, 0),) * (array.ndim - 2)
    made = pillow().fromarray(np.pad(array, ((top, bottom), (left, right), *rest), mode))
    if img.mode == "P":
        made.putpalette(img.getpalette())
    return made


def crop(img, top, left, height, width):
    return img.crop((left, top, left + width, top + height))


def hflip(img):
    return img.transpose(pillow().Transpose.FLIP_LEFT_RIGHT)


def vflip(img):
    return img.transpose(pillow().Transpose.FLIP_TOP_BOTTOM)


def affine(img, matrix, mode, fill):
    return img.transform(img.size, pillow().Transform.AFFINE, matrix, RESAMPLING[mode], fillcolor=filling(img, fill))


def rotate(img, angle, mode, expand, center, fill):
    return img.rotate(angle, RESAMPLING[mode], expand, center, fillcolor=filling(img, fill))


def perspective(img, coefficients, mode, fill):
    return img.transform(img.size, pillow().Transform.PERSPECTIVE, coefficients, RESAMPLING[mode],
                         fillcolor=filling(img, fill))


def invert(img):
    return pillow("ImageOps").invert(img)


def posterize(img, bits):
    return pillow("ImageOps").posterize(img, bits)


def solarize(img, threshold):
    return pillow("ImageOps").solarize(img, threshold)


def autocontrast(img):
    return pillow("ImageOps").autocontrast(img)


def equalize(img):
    return pillow("ImageOps").equalize(img)
