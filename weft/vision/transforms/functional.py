"""torchvision.transforms.functional: what is done to one picture, a tensor (..., C, H, W) or an image of Pillow's."""
import numbers

import weft
from weft.vision._pillow import is_picture
from weft.vision.transforms import _pictures, _tensors
from weft.vision.transforms._convert import by_tensor, kernels, to_pil_image, to_tensor  # noqa: F401
from weft.vision.transforms._convert import convert_image_dtype as convert_image_dtype
from weft.vision.transforms._convert import pil_to_tensor as pil_to_tensor
from weft.vision.transforms._modes import InterpolationMode as InterpolationMode
from weft.vision.transforms._modes import mode_of

__all__ = """InterpolationMode adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation
    adjust_sharpness affine autocontrast center_crop convert_image_dtype crop elastic_transform equalize erase five_crop
    gaussian_blur get_dimensions get_image_num_channels get_image_size hflip invert normalize pad perspective
    pil_to_tensor posterize resize resized_crop rgb_to_grayscale rotate solarize ten_crop to_grayscale to_pil_image
    to_tensor vflip""".split()


def get_dimensions(img):
    """[channels, height, width].

    >>> import weft
    >>> weft.vision.transforms.functional.get_dimensions(weft.zeros(3, 4, 5))
    [3, 4, 5]
    """
    return kernels(img).dimensions(img)


def get_image_size(img):
    """[width, height].

    >>> import weft
    >>> weft.vision.transforms.functional.get_image_size(weft.zeros(3, 4, 5))
    [5, 4]
    """
    return get_dimensions(img)[:0:-1]


def get_image_num_channels(img):
    """How many channels the picture has.

    >>> import weft
    >>> weft.vision.transforms.functional.get_image_num_channels(weft.zeros(3, 4, 5))
    3
    """
    return get_dimensions(img)[0]


def normalize(tensor, mean, std, inplace=False):
    """(tensor - mean) / std, for each channel.

    >>> import weft
    >>> weft.vision.transforms.functional.normalize(weft.ones(1, 1, 2), [0.5], [0.25])
    tensor([[[2., 2.]]])
    """
    if not isinstance(tensor, weft.Tensor):
        raise TypeError(f"tensor is a {type(tensor).__name__}, normalize takes a tensor\n  fix: to_tensor() first")
    if not tensor.is_floating_point():
        raise TypeError(f"normalize takes floats, not {tensor.dtype}\n  fix: convert_image_dtype() first")
    if tensor.ndim < 3:
        raise ValueError(f"normalize takes a tensor (..., C, H, W), not {tuple(tensor.shape)}")
    mean, std = (weft.as_tensor(v, dtype=tensor.dtype, device=tensor.device) for v in (mean, std))
    if (std == 0).any():
        raise ValueError("normalize: std has a 0, by which nothing can be divided")
    mean, std = (v.view(-1, 1, 1) if v.ndim == 1 else v for v in (mean, std))
    return (tensor if inplace else tensor.clone()).sub_(mean).div_(std)


# size and place

def output_size(size, max_size, height, width):
    """(height, width) of Resize for a size, which may be the shorter edge's only."""
    size = [size] if isinstance(size, int) else size
    if size is not None and len(size) == 2:
        if max_size is not None:
            raise ValueError("max_size goes with a size of one number, the shorter edge's")
        return tuple(size)
    short, long = sorted((width, height))
    if size is None:
        if max_size is None:
            raise ValueError("size is None, and so is max_size\n  fix: give one of them")
        new_short, new_long = int(max_size * short / long), max_size
    else:
        new_short, new_long = size[0], int(size[0] * long / short)
        if max_size is not None:
            if max_size <= size[0]:
                raise ValueError(f"max_size = {max_size} must be greater than the shorter edge's size, {size[0]}")
            if new_long > max_size:
                new_short, new_long = int(max_size * new_short / new_long), max_size
    return (new_long, new_short) if width <= height else (new_short, new_long)


def resize(img, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    """The picture in another size: (height, width), or the shorter edge's.

    >>> import weft
    >>> weft.vision.transforms.functional.resize(weft.zeros(3, 4, 8), 2).shape
    torch.Size([3, 2, 4])
    """
    mode = mode_of(interpolation)
    if isinstance(size, (list, tuple)) and len(size) not in (1, 2):
        raise ValueError(f"size has {len(size)} numbers, resize takes 1 or 2")
    _, height, width = get_dimensions(img)
    wanted = output_size(size, max_size, height, width)
    if wanted == (height, width):
        return img
    if is_picture(img):
        return _pictures.resize(img, wanted, mode.value)
    return _tensors.resize(img, wanted, mode.value, antialias)


def sides_of(padding):
    """[left, top, right, bottom]."""
    if isinstance(padding, numbers.Number):
        return [int(padding)] * 4
    if not isinstance(padding, (list, tuple)) or len(padding) not in (1, 2, 4):
        raise ValueError(f"padding is {padding!r}\n  fix: give one number, 2 (left and right, top and bottom) or 4")
    return list(padding) * (4 // len(padding))


def pad(img, padding, fill=0, padding_mode="constant"):
    """More pixels on each side; padding is one number, (left and right, top and bottom) or (left, top, right, bottom).

    >>> import weft
    >>> weft.vision.transforms.functional.pad(weft.ones(1, 1, 1), 1, fill=5)
    tensor([[[5., 5., 5.],
             [5., 1., 5.],
             [5., 5., 5.]]])
    """
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError(f"padding_mode is {padding_mode!r}\n  fix: take constant, edge, reflect or symmetric")
    return kernels(img).pad(img, sides_of(padding), fill, padding_mode)


def crop(img, top, left, height, width):
    """A part of the picture; zeros where it goes beyond.

    >>> import weft
    >>> weft.vision.transforms.functional.crop(weft.arange(6.).view(1, 2, 3), 0, 1, 2, 2)
    tensor([[[1., 2.],
             [4., 5.]]])
    """
    return kernels(img).crop(img, top, left, height, width)


def pair(size, what="size"):
    """(height, width) from one number or two."""
    if isinstance(size, numbers.Number):
        return int(size), int(size)
    if not hasattr(size, "__len__"):
        raise TypeError(f"{what} is a {type(size).__name__}\n  fix: give one number or two")
    if len(size) == 1:
        return size[0], size[0]
    if len(size) != 2:
        raise ValueError(f"{what} has {len(size)} numbers\n  fix: give one or two")
    return tuple(size)


def center_crop(img, output_size):
    """The middle of the picture, with zeros around it where it is too small.

    >>> import weft
    >>> weft.vision.transforms.functional.center_crop(weft.arange(9.).view(1, 3, 3), 1)
    tensor([[[4.]]])
    """
    want_h, want_w = pair(output_size)
    _, height, width = get_dimensions(img)
    if want_w > width or want_h > height:
        more_w, more_h = max(want_w - width, 0), max(want_h - height, 0)
        img = pad(img, [more_w // 2, more_h // 2, (more_w + 1) // 2, (more_h + 1) // 2])
        _, height, width = get_dimensions(img)
    if (want_h, want_w) == (height, width):
        return img
    return crop(img, int(round((height - want_h) / 2.0)), int(round((width - want_w) / 2.0)), want_h, want_w)


def resized_crop(img, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    """A part of the picture in another size.

    >>> import weft
    >>> weft.vision.transforms.functional.resized_crop(weft.zeros(3, 8, 8), 0, 0, 4, 4, (2, 6)).shape
    torch.Size([3, 2, 6])
    """
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def hflip(img):
    """Left and right exchanged.

    >>> import weft
    >>> weft.vision.transforms.functional.hflip(weft.arange(3.).view(1, 1, 3))
    tensor([[[2., 1., 0.]]])
    """
    return kernels(img).hflip(img) if is_picture(img) else _checked(img).flip(-1)


def vflip(img):
    """Top and bottom exchanged.

    >>> import weft
    >>> weft.vision.transforms.functional.vflip(weft.arange(2.).view(1, 2, 1)).flatten()
    tensor([1., 0.])
    """
    return kernels(img).vflip(img) if is_picture(img) else _checked(img).flip(-2)


def _checked(img):
    _tensors.check(img)
    return img


def five_crop(img, size):
    """The four corners and the middle.

    >>> import weft
    >>> [part.shape[-1] for part in weft.vision.transforms.functional.five_crop(weft.zeros(1, 4, 4), 2)]
    [2, 2, 2, 2, 2]
    """
    high, wide = pair(size)
    _, height, width = get_dimensions(img)
    if wide > width or high > height:
        raise ValueError(f"a part of {high} x {wide} is greater than the picture, {height} x {width}")
    low, right = height - high, width - wide
    corners = [crop(img, top, left, high, wide) for top, left in ((0, 0), (0, right), (low, 0), (low, right))]
    return (*corners, center_crop(img, [high, wide]))


def ten_crop(img, size, vertical_flip=False):
    """The four corners and the middle, of the picture and of its mirror image.

    >>> import weft
    >>> len(weft.vision.transforms.functional.ten_crop(weft.zeros(1, 4, 4), 2))
    10
    """
    return five_crop(img, size) + five_crop(vflip(img) if vertical_flip else hflip(img), size)


def erase(img, i, j, h, w, v, inplace=False):
    """The rectangle of height h and width w at row i, column j gets the value v.

    >>> import weft
    >>> weft.vision.transforms.functional.erase(weft.zeros(1, 1, 3), 0, 1, 1, 1, weft.tensor(7.))
    tensor([[[0., 7., 0.]]])
    """
    if not isinstance(img, weft.Tensor):
        raise TypeError(f"img is a {type(img).__name__}, erase takes a tensor")
    img = img if inplace else img.clone()
    img[..., i:i + h, j:j + w] = v
    return img


# geometry

def _fill_of(img, fill):
    """None or a colour with one value or one for each channel."""
    if fill is None or is_picture(img):
        return fill
    fill = list(fill) if isinstance(fill, (list, tuple)) else [fill]
    if len(fill) not in (1, get_dimensions(img)[0]):
        raise ValueError(f"fill has {len(fill)} values, the picture {get_dimensions(img)[0]} channels\n  fix: give "
                         "one, or as many as it has channels")
    return fill


def affine(img, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=None, center=None):
    """The picture turned by an angle (degrees, clockwise), moved by (x, y) pixels, scaled and sheared.

    >>> import weft
    >>> picture = weft.arange(3.).view(1, 1, 3)
    >>> weft.vision.transforms.functional.affine(picture, 0, [1, 0], 1.0, [0.0])
    tensor([[[0., 0., 1.]]])
    """
    mode = mode_of(interpolation)
    if len(translate) != 2:
        raise ValueError(f"translate has {len(translate)} numbers, affine takes 2")
    if scale <= 0.0:
        raise ValueError(f"scale is {scale}, it must be above 0")
    shear = [shear, 0.0] if isinstance(shear, numbers.Number) else list(shear)
    shear = shear * 2 if len(shear) == 1 else shear
    if len(shear) != 2:
        raise ValueError(f"shear has {len(shear)} numbers, affine takes 1 or 2")
    _, height, width = get_dimensions(img)
    if is_picture(img):
        center = [width * 0.5, height * 0.5] if center is None else center
        matrix = _tensors.inverse_affine(center, angle, translate, scale, shear)
        return _pictures.affine(img, matrix, mode.value, fill)
    matrix = _tensors.inverse_affine(_about(center, width, height), angle, translate, scale, shear)
    return _tensors.sample(img, _tensors.affine_grid(matrix, (width, height), (width, height)), mode.value,
                           _fill_of(img, fill))


def _about(center, width, height):
    """A centre as seen from the picture's middle."""
    return [0.0, 0.0] if center is None else [center[0] - width * 0.5, center[1] - height * 0.5]


def rotate(img, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=None):
    """The picture turned by an angle (degrees, counter-clockwise); expand: as large as it needs.

    >>> import weft
    >>> weft.vision.transforms.functional.rotate(weft.arange(4.).view(1, 2, 2), 90).flatten()
    tensor([1., 3., 0., 2.])
    """
    mode = mode_of(interpolation)
    if center is not None and len(center) != 2:
        raise ValueError(f"center has {len(center)} numbers, rotate takes 2")
    if is_picture(img):
        return _pictures.rotate(img, angle, mode.value, expand, center, fill)
    _, height, width = get_dimensions(img)
    matrix = _tensors.inverse_affine(_about(center, width, height), -angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    out = _tensors.rotated_size(matrix, width, height) if expand else (width, height)
    return _tensors.sample(img, _tensors.affine_grid(matrix, (width, height), out), mode.value, _fill_of(img, fill))


def perspective(img, startpoints, endpoints, interpolation=InterpolationMode.BILINEAR, fill=None):
    """The picture with four of its points moved: startpoints come to be at endpoints, [x, y] each.

    >>> import weft
    >>> corners = [[0, 0], [3, 0], [3, 3], [0, 3]]
    >>> weft.vision.transforms.functional.perspective(weft.ones(1, 4, 4), corners, corners).sum()
    tensor(16.)
    """
    mode = mode_of(interpolation)
    coefficients = _tensors.perspective_coefficients(startpoints, endpoints)
    if is_picture(img):
        return _pictures.perspective(img, coefficients, mode.value, fill)
    _, height, width = get_dimensions(img)
    return _tensors.sample(img, _tensors.perspective_grid(coefficients, width, height), mode.value, _fill_of(img, fill))


def elastic_transform(img, displacement, interpolation=InterpolationMode.BILINEAR, fill=None):
    """Every pixel looked up at a place of its own: displacement (1, H, W, 2), where 2 is the whole picture.

    >>> import weft
    >>> weft.vision.transforms.functional.elastic_transform(weft.ones(1, 2, 2), weft.zeros(1, 2, 2, 2)).sum()
    tensor(4.)
    """
    mode = mode_of(interpolation)
    if not isinstance(displacement, weft.Tensor):
        raise TypeError(f"displacement is a {type(displacement).__name__}, it must be a tensor (1, H, W, 2)")
    _, height, width = get_dimensions(img)
    if tuple(displacement.shape) != (1, height, width, 2):
        raise ValueError(f"displacement has shape {tuple(displacement.shape)}, it must be {(1, height, width, 2)}")
    if is_picture(img):
        return by_tensor(elastic_transform, img, displacement, interpolation, fill)
    return _tensors.sample(img, _tensors.elastic_grid(displacement), mode.value, _fill_of(img, fill))


def gaussian_blur(img, kernel_size, sigma=None):
    """The picture blurred; kernel_size and sigma are one number or (x, y), sizes odd.

    >>> import weft
    >>> weft.vision.transforms.functional.gaussian_blur(weft.ones(1, 5, 5), 3).shape
    torch.Size([1, 5, 5])
    """
    sizes = [kernel_size] * 2 if isinstance(kernel_size, int) else list(kernel_size)
    if len(sizes) != 2 or any(k <= 0 or k % 2 == 0 for k in sizes):
        raise ValueError(f"kernel_size is {kernel_size}\n  fix: give one odd number, or two")
    sigma = [k * 0.15 + 0.35 for k in sizes] if sigma is None else sigma
    sigma = [float(sigma)] * 2 if isinstance(sigma, numbers.Number) else list(sigma)
    sigma = sigma * 2 if len(sigma) == 1 else sigma
    if len(sigma) != 2 or min(sigma) <= 0:
        raise ValueError(f"sigma is {sigma}\n  fix: give one number above 0, or two")
    if is_picture(img):
        return by_tensor(gaussian_blur, img, sizes, sigma)
    return _tensors.gaussian_blur(_checked(img), sizes, sigma)


# colour

def adjust_brightness(img, brightness_factor):
    """0 is black, 1 the picture, 2 twice as bright.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_brightness(weft.full((3, 1, 1), 0.25), 2.0).flatten()
    tensor([0.5000, 0.5000, 0.5000])
    """
    _not_negative(brightness_factor, "brightness_factor")
    return kernels(img).adjust_brightness(img, brightness_factor)


def _not_negative(value, name):
    if value < 0:
        raise ValueError(f"{name} is {value}, it must not be negative")


def adjust_contrast(img, contrast_factor):
    """0 is gray all over, 1 the picture.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_contrast(weft.tensor([[[0., 1.]]]), 0.0)
    tensor([[[0.5000, 0.5000]]])
    """
    _not_negative(contrast_factor, "contrast_factor")
    return kernels(img).adjust_contrast(img, contrast_factor)


def adjust_saturation(img, saturation_factor):
    """0 is the picture in grays, 1 the picture.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_saturation(weft.tensor([1., 0., 0.]).view(3, 1, 1), 0.0).flatten()
    tensor([0.2989, 0.2989, 0.2989])
    """
    _not_negative(saturation_factor, "saturation_factor")
    return kernels(img).adjust_saturation(img, saturation_factor)


def adjust_hue(img, hue_factor):
    """Colours turned on the wheel by hue_factor, from -0.5 to 0.5.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_hue(weft.tensor([1., 0., 0.]).view(3, 1, 1), 0.5).flatten()
    tensor([0., 1., 1.])
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor is {hue_factor}, it must be from -0.5 to 0.5")
    return kernels(img).adjust_hue(img, hue_factor)


def adjust_gamma(img, gamma, gain=1):
    """gain * value ** gamma.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_gamma(weft.tensor([[[0.5]]]), 2)
    tensor([[[0.2500]]])
    """
    _not_negative(gamma, "gamma")
    return kernels(img).adjust_gamma(img, gamma, gain)


def adjust_sharpness(img, sharpness_factor):
    """0 is a blurred picture, 1 the picture, 2 a sharper one.

    >>> import weft
    >>> weft.vision.transforms.functional.adjust_sharpness(weft.ones(1, 3, 3), 2.0).sum()
    tensor(9.)
    """
    _not_negative(sharpness_factor, "sharpness_factor")
    return kernels(img).adjust_sharpness(img, sharpness_factor)


def to_grayscale(img, num_output_channels=1):
    """An image of Pillow's in grays, with 1 channel or 3.

    >>> from PIL import Image
    >>> from weft.vision.transforms import functional as F
    >>> F.to_grayscale(Image.new("RGB", (2, 2))).mode
    'L'
    """
    if not is_picture(img):
        raise TypeError(f"img is a {type(img).__name__}, this takes an image of Pillow's\n  fix: rgb_to_grayscale() "
                        "for tensors")
    return rgb_to_grayscale(img, num_output_channels)


def rgb_to_grayscale(img, num_output_channels=1):
    """The picture in grays, with 1 channel or 3.

    >>> import weft
    >>> weft.vision.transforms.functional.rgb_to_grayscale(weft.ones(3, 1, 1)).shape
    torch.Size([1, 1, 1])
    """
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels is {num_output_channels}, it must be 1 or 3")
    return kernels(img).grayscale(img, num_output_channels)


def invert(img):
    """Light and dark exchanged.

    >>> import weft
    >>> weft.vision.transforms.functional.invert(weft.tensor([[[0.25]]]))
    tensor([[[0.7500]]])
    """
    return kernels(img).invert(img)


def posterize(img, bits):
    """Only the first bits of each byte, the rest zero.

    >>> import weft
    >>> weft.vision.transforms.functional.posterize(weft.tensor([[[255]]], dtype=weft.uint8), 2)
    tensor([[[192]]], dtype=torch.uint8)
    """
    if not 0 <= bits <= 8:
        raise ValueError(f"bits is {bits}, it must be from 0 to 8")
    return kernels(img).posterize(img, bits)


def solarize(img, threshold):
    """Values from the threshold on are inverted.

    >>> import weft
    >>> weft.vision.transforms.functional.solarize(weft.tensor([[[0.25, 1.0]]]), 0.5)
    tensor([[[0.2500, 0.0000]]])
    """
    return kernels(img).solarize(img, threshold)


def autocontrast(img):
    """Each channel stretched to the whole range.

    >>> import weft
    >>> weft.vision.transforms.functional.autocontrast(weft.tensor([[[0.25, 0.5]]]))
    tensor([[[0., 1.]]])
    """
    return kernels(img).autocontrast(img)


def equalize(img):
    """Each channel with a flat histogram; tensors of bytes.

    >>> import weft
    >>> weft.vision.transforms.functional.equalize(weft.zeros(1, 2, 2, dtype=weft.uint8)).sum()
    tensor(0)
    """
    return kernels(img).equalize(img)
