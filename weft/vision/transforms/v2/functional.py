"""torchvision.transforms.v2.functional: what is done to a picture, and to the boxes, masks and points that go with it.

Every function looks at what it is given: a plain tensor, an Image or Video, or an image of Pillow's is a picture;
BoundingBoxes, Mask and KeyPoints have kernels of their own (boxes.py); what has none stays as it is.
"""
import functools

import numpy as np

import weft
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.transforms import _convert, _pictures, _tensors
from weft.vision.transforms import functional as V1
from weft.vision.transforms._convert import convert_image_dtype, pil_to_tensor, to_pil_image  # noqa: F401
from weft.vision.transforms._modes import InterpolationMode as InterpolationMode
from weft.vision.transforms._modes import mode_of
from weft.vision.transforms.v2._kinds import KINDS, by_kind
from weft.vision.transforms.v2._kinds import is_pure_tensor as is_pure_tensor
from weft.vision.transforms.v2._kinds import register_kernel as register_kernel
from weft.vision.transforms.v2.boxes import clamp_bounding_boxes as clamp_bounding_boxes
from weft.vision.transforms.v2.boxes import clamp_keypoints as clamp_keypoints
from weft.vision.transforms.v2.boxes import convert_bounding_box_format as convert_bounding_box_format
from weft.vision.transforms.v2.boxes import sanitize_bounding_boxes as sanitize_bounding_boxes
from weft.vision.transforms.v2.boxes import sanitize_keypoints as sanitize_keypoints

__all__ = """InterpolationMode adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation
    adjust_sharpness affine autocontrast center_crop clamp_bounding_boxes clamp_keypoints convert_bounding_box_format
    convert_image_dtype crop elastic elastic_transform equalize erase five_crop gaussian_blur gaussian_noise
    get_dimensions get_image_num_channels get_image_size get_num_channels get_num_frames get_size grayscale_to_rgb hflip
    horizontal_flip invert is_pure_tensor jpeg normalize pad permute_channels perspective pil_to_tensor posterize
    register_kernel resize resized_crop rgb_to_grayscale rotate sanitize_bounding_boxes sanitize_keypoints solarize
    ten_crop to_dtype to_grayscale to_image to_pil_image to_tensor uniform_temporal_subsample vertical_flip
    vflip""".split()


def _like_v1(name):
    """A function that does to pictures what v1's of that name does."""
    old = getattr(V1, name)

    def function(inpt, *args, **kwargs):
        return old(inpt, *args, **kwargs)

    functools.update_wrapper(function, old)
    function.__doc__ = old.__doc__.replace("transforms.functional.", "transforms.v2.functional.").replace(
        "transforms import functional", "transforms.v2 import functional")
    function.__module__ = __name__
    return by_kind(function)


adjust_brightness = _like_v1("adjust_brightness")
adjust_contrast = _like_v1("adjust_contrast")
adjust_gamma = _like_v1("adjust_gamma")
adjust_hue = _like_v1("adjust_hue")
adjust_saturation = _like_v1("adjust_saturation")
adjust_sharpness = _like_v1("adjust_sharpness")
autocontrast = _like_v1("autocontrast")
solarize = _like_v1("solarize")
invert = _like_v1("invert")
gaussian_blur = _like_v1("gaussian_blur")
normalize = _like_v1("normalize")
rgb_to_grayscale = _like_v1("rgb_to_grayscale")
to_grayscale = _like_v1("to_grayscale")
horizontal_flip = hflip = _like_v1("hflip")
vertical_flip = vflip = _like_v1("vflip")
center_crop = _like_v1("center_crop")
crop = _like_v1("crop")
rotate = _like_v1("rotate")
affine = _like_v1("affine")
elastic = elastic_transform = _like_v1("elastic_transform")
five_crop = _like_v1("five_crop")
ten_crop = _like_v1("ten_crop")


@by_kind
def posterize(inpt, bits):
    """Only the first bits of each byte; floats from 0 to 1 keep as many steps.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.posterize(weft.tensor([[[255]]], dtype=weft.uint8), 2)
    tensor([[[192]]], dtype=torch.uint8)
    """
    if isinstance(inpt, weft.Tensor) and inpt.is_floating_point():
        levels = 1 << bits
        return inpt.mul(levels).floor().clamp(0, levels - 1).mul(1.0 / levels)
    return V1.posterize(inpt, bits)


@by_kind
def equalize(inpt):
    """Each channel with a flat histogram.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.equalize(weft.zeros(1, 2, 2, dtype=weft.uint8)).sum()
    tensor(0)
    """
    if isinstance(inpt, weft.Tensor) and inpt.dtype is not weft.uint8:
        return convert_image_dtype(V1.equalize(convert_image_dtype(inpt, weft.uint8)), inpt.dtype)
    return V1.equalize(inpt)


@by_kind
def resize(inpt, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    """The picture, and what goes with it, in another size: (height, width), or the shorter edge's.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.resize(weft.zeros(3, 4, 8), 2).shape
    torch.Size([3, 2, 4])
    """
    mode = mode_of(interpolation).value
    _, height, width = V1.get_dimensions(inpt)
    wanted = V1.output_size(size, max_size, height, width)
    if wanted == (height, width):
        return inpt
    if is_picture(inpt):
        return _pictures.resize(inpt, wanted, mode)
    return _tensors.resize(inpt, wanted, mode, antialias, native=True)


@by_kind
def resized_crop(inpt, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    """A part of the picture in another size.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.resized_crop(weft.zeros(3, 8, 8), 0, 0, 4, 4, (2, 6)).shape
    torch.Size([3, 2, 6])
    """
    return resize(crop(inpt, top, left, height, width), size, interpolation, antialias=antialias)


@by_kind
def pad(inpt, padding, fill=None, padding_mode="constant"):
    """More pixels on each side.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.pad(weft.ones(1, 1, 1), [1, 0], fill=5.0)
    tensor([[[5., 1., 5.]]])
    """
    return V1.pad(inpt, padding, 0 if fill is None else fill, padding_mode)


@by_kind
def perspective(inpt, startpoints, endpoints, interpolation=InterpolationMode.BILINEAR, fill=None, coefficients=None):
    """The picture with four of its points moved; coefficients (8) may be given instead.

    >>> import weft
    >>> corners = [[0, 0], [3, 0], [3, 3], [0, 3]]
    >>> weft.vision.transforms.v2.functional.perspective(weft.ones(1, 4, 4), corners, corners).sum()
    tensor(16.)
    """
    if coefficients is None:
        return V1.perspective(inpt, startpoints, endpoints, interpolation, fill)
    mode = mode_of(interpolation).value
    if is_picture(inpt):
        return _pictures.perspective(inpt, coefficients, mode, fill)
    grid = _tensors.perspective_grid(coefficients, *V1.get_image_size(inpt))
    return _tensors.sample(inpt, grid, mode, fill)


@by_kind
def erase(inpt, i, j, h, w, v, inplace=False):
    """The rectangle of height h and width w at row i, column j gets the value v.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.erase(weft.zeros(1, 1, 3), 0, 1, 1, 1, weft.tensor(7.))
    tensor([[[0., 7., 0.]]])
    """
    if is_picture(inpt):
        return _convert.by_tensor(V1.erase, inpt, i, j, h, w, v)
    return V1.erase(inpt, i, j, h, w, v, inplace)


@by_kind
def grayscale_to_rgb(inpt):
    """A picture with three channels from one with one.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.grayscale_to_rgb(weft.ones(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """
    if is_picture(inpt):
        return inpt.convert("RGB")
    return inpt if inpt.shape[-3] == 3 else inpt.expand(*inpt.shape[:-3], 3, *inpt.shape[-2:])


@by_kind
def gaussian_noise(inpt, mean=0.0, sigma=0.1, clip=True):
    """The picture with noise added; clip keeps it in its range.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.gaussian_noise(weft.ones(1, 2, 2), sigma=0.0).sum()
    tensor(4.)
    """
    if not isinstance(inpt, weft.Tensor):
        raise ValueError("gaussian_noise takes tensors\n  fix: to_image() first")
    if sigma < 0:
        raise ValueError(f"sigma is {sigma}, it must not be negative")
    if inpt.is_floating_point():
        made = inpt + mean + weft.randn_like(inpt) * sigma
        return made.clamp(0, 1) if clip else made
    if inpt.dtype is not weft.uint8:
        raise ValueError(f"gaussian_noise takes floats and uint8, not {inpt.dtype}")
    made = inpt.to(weft.float32) + weft.randn_like(inpt, dtype=weft.float32) * (sigma * 255) + mean * 255
    return (made.clamp(0, 255) if clip else made).to(weft.uint8)


@by_kind
def jpeg(image, quality):
    """The picture as it looks after having been kept as JPEG, of a quality from 1 to 100.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.jpeg(weft.zeros(3, 8, 8, dtype=weft.uint8), 50).shape
    torch.Size([3, 8, 8])
    """
    from weft.vision import io  # with Pillow only
    if is_picture(image):
        return _convert.by_tensor(jpeg, image, quality)
    planes = image.reshape(-1, *image.shape[-3:])
    return weft.stack([io.decode_jpeg(io.encode_jpeg(plane, quality)) for plane in planes]).reshape(image.shape)


@by_kind
def permute_channels(inpt, permutation):
    """The channels in another order.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.permute_channels(weft.arange(3.).view(3, 1, 1), [2, 0, 1]).flatten()
    tensor([2., 0., 1.])
    """
    if is_picture(inpt):
        return _convert.by_tensor(permute_channels, inpt, permutation)
    return inpt[..., permutation, :, :]


@by_kind
def to_dtype(inpt, dtype=weft.float32, scale=False):
    """Another type; scale also brings the values into its range.

    >>> import weft
    >>> picture = weft.tensor([[[255]]], dtype=weft.uint8)
    >>> weft.vision.transforms.v2.functional.to_dtype(picture, weft.float32, scale=True)
    tensor([[[1.]]])
    """
    return convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


for _kind in KINDS:
    register_kernel(to_dtype, _kind)(lambda inpt, dtype=weft.float32, scale=False: inpt.to(dtype))


def to_image(inpt):
    """A tensor, an array (H, W, C) or an image of Pillow's as a tv_tensors.Image.

    >>> import numpy as np, weft
    >>> weft.vision.transforms.v2.functional.to_image(np.zeros((2, 4, 3), np.uint8)).shape
    torch.Size([3, 2, 4])
    """
    if isinstance(inpt, np.ndarray):
        inpt = weft.from_numpy(np.ascontiguousarray(np.atleast_3d(inpt).transpose(2, 0, 1)))
    elif is_picture(inpt):
        inpt = pil_to_tensor(inpt)
    elif not isinstance(inpt, weft.Tensor):
        raise TypeError(f"to_image got a {type(inpt).__name__}\n  fix: give a tensor, an array or an image of Pillow's")
    return tv_tensors.Image(inpt.as_subclass(weft.Tensor))


def to_tensor(inpt):
    """v1's to_tensor; to_image() and to_dtype(scale=True) are v2's way.

    >>> import numpy as np, weft
    >>> weft.vision.transforms.v2.functional.to_tensor(np.zeros((2, 4, 3), np.uint8)).shape
    torch.Size([3, 2, 4])
    """
    return _convert.to_tensor(inpt)


def get_dimensions(inpt):
    """[channels, height, width] of a picture.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.get_dimensions(weft.zeros(3, 4, 5))
    [3, 4, 5]
    """
    return V1.get_dimensions(inpt)


def get_num_channels(inpt):
    """How many channels a picture has.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.get_num_channels(weft.zeros(3, 4, 5))
    3
    """
    return V1.get_dimensions(inpt)[0]


get_image_num_channels = get_num_channels


def get_image_size(inpt):
    """[width, height] of a picture.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.get_image_size(weft.zeros(3, 4, 5))
    [5, 4]
    """
    return get_size(inpt)[::-1]


def get_size(inpt):
    """[height, width] of a picture, or of the one that boxes or points are on.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.get_size(weft.zeros(3, 4, 5))
    [4, 5]
    """
    if isinstance(inpt, (tv_tensors.BoundingBoxes, tv_tensors.KeyPoints)):
        return list(inpt.canvas_size)
    return V1.get_dimensions(inpt)[1:]


def get_num_frames(inpt):
    """How many pictures a video has.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.get_num_frames(weft.vision.tv_tensors.Video(weft.zeros(7, 3, 4, 5)))
    7
    """
    return inpt.shape[-4]


def uniform_temporal_subsample(inpt, num_samples):
    """num_samples pictures of a video, evenly spread.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.uniform_temporal_subsample(weft.arange(5.).view(5, 1, 1, 1), 3).flatten()
    tensor([0., 2., 4.])
    """
    picked = weft.linspace(0, inpt.shape[-4] - 1, num_samples).long()
    made = inpt.as_subclass(weft.Tensor).index_select(-4, picked)
    return tv_tensors.wrap(made, like=inpt) if isinstance(inpt, tv_tensors.TVTensor) else made
