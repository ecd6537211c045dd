"""Transforms of size, place and form (v1)."""
import numbers

import weft
from weft.nn import Module
from weft.vision.transforms import functional as F
from weft.vision.transforms._compose import Chance
from weft.vision.transforms._draws import (
    affine,
    angles,
    both,
    box,
    chance,
    corners,
    displacement,
    integer,
    middle_box,
    uniform,
)
from weft.vision.transforms._modes import InterpolationMode, mode_of


class Resize(Module):
    """The picture in another size: (height, width), or the shorter edge's.

    >>> import weft
    >>> weft.vision.transforms.Resize(2)(weft.zeros(3, 4, 8)).shape
    torch.Size([3, 2, 4])
    """

    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
        super().__init__()
        if not isinstance(size, (int, list, tuple)) and size is not None:
            raise TypeError(f"size is a {type(size).__name__}\n  fix: give a number or (height, width)")
        if isinstance(size, (list, tuple)) and len(size) not in (1, 2):
            raise ValueError(f"size has {len(size)} numbers\n  fix: give one or two")
        self.size, self.max_size, self.interpolation, self.antialias = size, max_size, mode_of(interpolation), antialias

    def forward(self, img):
        return F.resize(img, self.size, self.interpolation, self.max_size, self.antialias)

    def __repr__(self):
        return (f"Resize(size={self.size}, interpolation={self.interpolation.value}, max_size={self.max_size}, "
                f"antialias={self.antialias})")


class CenterCrop(Module):
    """The middle of the picture.

    >>> import weft
    >>> weft.vision.transforms.CenterCrop(1)(weft.arange(9.).view(1, 3, 3))
    tensor([[[4.]]])
    """

    def __init__(self, size):
        super().__init__()
        self.size = F.pair(size)

    def forward(self, img):
        return F.center_crop(img, self.size)

    def __repr__(self):
        return f"{type(self).__name__}(size={self.size})"


class FiveCrop(CenterCrop):
    """The four corners and the middle, as a tuple.

    >>> import weft
    >>> len(weft.vision.transforms.FiveCrop(2)(weft.zeros(1, 4, 4)))
    5
    """

    def forward(self, img):
        return F.five_crop(img, self.size)


class TenCrop(CenterCrop):
    """The four corners and the middle, of the picture and of its mirror image.

    >>> import weft
    >>> len(weft.vision.transforms.TenCrop(2)(weft.zeros(1, 4, 4)))
    10
    """

    def __init__(self, size, vertical_flip=False):
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def forward(self, img):
        return F.ten_crop(img, self.size, self.vertical_flip)

    def __repr__(self):
        return f"TenCrop(size={self.size}, vertical_flip={self.vertical_flip})"


class Pad(Module):
    """More pixels on each side.

    >>> import weft
    >>> weft.vision.transforms.Pad((1, 2))(weft.zeros(1, 4, 4)).shape
    torch.Size([1, 8, 6])
    """

    def __init__(self, padding, fill=0, padding_mode="constant"):
        super().__init__()
        if not isinstance(padding, (numbers.Number, tuple, list)):
            raise TypeError(f"padding is a {type(padding).__name__}\n  fix: give a number, 2 or 4 of them")
        if not isinstance(fill, (numbers.Number, tuple, list)):
            raise TypeError(f"fill is a {type(fill).__name__}\n  fix: give a number, or one for each channel")
        F.sides_of(padding)
        if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
            raise ValueError(f"padding_mode is {padding_mode!r}\n  fix: take constant, edge, reflect or symmetric")
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def forward(self, img):
        return F.pad(img, self.padding, self.fill, self.padding_mode)

    def __repr__(self):
        return f"Pad(padding={self.padding}, fill={self.fill}, padding_mode={self.padding_mode})"


class RandomCrop(Module):
    """A part of the picture from anywhere; padding is added first.

    >>> import weft
    >>> weft.vision.transforms.RandomCrop(4, padding=1)(weft.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        super().__init__()
        self.size = tuple(F.pair(size))
        self.padding, self.pad_if_needed, self.fill, self.padding_mode = padding, pad_if_needed, fill, padding_mode

    @staticmethod
    def get_params(img, output_size):
        """(i, j, height, width) of a part.

        >>> import weft
        >>> weft.vision.transforms.RandomCrop.get_params(weft.zeros(1, 4, 4), (4, 4))
        (0, 0, 4, 4)
        """
        _, height, width = F.get_dimensions(img)
        high, wide = output_size
        if height < high or width < wide:
            raise ValueError(f"a part of {high} x {wide} is greater than the picture, {height} x {width}\n  fix: give "
                             "padding, or pad_if_needed=True")
        if (width, height) == (wide, high):
            return 0, 0, height, width
        return integer(0, height - high + 1), integer(0, width - wide + 1), high, wide

    def forward(self, img):
        if self.padding is not None:
            img = F.pad(img, self.padding, self.fill, self.padding_mode)
        _, height, width = F.get_dimensions(img)
        if self.pad_if_needed and width < self.size[1]:
            img = F.pad(img, [self.size[1] - width, 0], self.fill, self.padding_mode)
        if self.pad_if_needed and height < self.size[0]:
            img = F.pad(img, [0, self.size[0] - height], self.fill, self.padding_mode)
        return F.crop(img, *self.get_params(img, self.size))

    def __repr__(self):
        return f"RandomCrop(size={self.size}, padding={self.padding})"


class RandomHorizontalFlip(Chance):
    """The mirror image, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomHorizontalFlip(1.0)(weft.arange(3.).view(1, 1, 3))
    tensor([[[2., 1., 0.]]])
    """

    _change = staticmethod(F.hflip)


class RandomVerticalFlip(Chance):
    """The picture upside down, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomVerticalFlip(1.0)(weft.arange(2.).view(1, 2, 1)).flatten()
    tensor([1., 0.])
    """

    _change = staticmethod(F.vflip)


class RandomResizedCrop(Module):
    """A random part of the picture, of scale[0] to scale[1] of its area, in one size.

    >>> import weft
    >>> weft.vision.transforms.RandomResizedCrop(3)(weft.zeros(1, 8, 6)).shape
    torch.Size([1, 3, 3])
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
        super().__init__()
        self.size = F.pair(size)
        if not isinstance(scale, (list, tuple)) or not isinstance(ratio, (list, tuple)):
            raise TypeError("scale and ratio must be lists of two numbers")
        self.scale, self.ratio, self.interpolation, self.antialias = scale, ratio, mode_of(interpolation), antialias

    @staticmethod
    def get_params(img, scale, ratio):
        """(i, j, height, width) of a part.

        >>> import weft
        >>> weft.vision.transforms.RandomResizedCrop.get_params(weft.zeros(1, 4, 4), (1.0, 1.0), (1.0, 1.0))
        (0, 0, 4, 4)
        """
        _, height, width = F.get_dimensions(img)
        found = box(height, width, scale, ratio, strict=False)
        if found is None:
            return middle_box(height, width, ratio)
        h, w, _, i, j = found
        return i, j, h, w

    def forward(self, img):
        place = self.get_params(img, self.scale, self.ratio)
        return F.resized_crop(img, *place, self.size, self.interpolation, antialias=self.antialias)

    def __repr__(self):
        return (f"RandomResizedCrop(size={self.size}, scale={tuple(round(s, 4) for s in self.scale)}, "
                f"ratio={tuple(round(r, 4) for r in self.ratio)}, interpolation={self.interpolation.value}, "
                f"antialias={self.antialias})")


def channel_fill(img, fill):
    """fill for each channel of a tensor."""
    if not isinstance(img, weft.Tensor) or fill is None:
        return fill
    channels = F.get_dimensions(img)[0]
    return [float(fill)] * channels if isinstance(fill, numbers.Number) else [float(f) for f in fill]


class RandomRotation(Module):
    """The picture turned by a random angle.

    >>> import weft
    >>> weft.vision.transforms.RandomRotation((90, 90))(weft.arange(4.).view(1, 2, 2)).flatten()
    tensor([1., 3., 0., 2.])
    """

    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
        super().__init__()
        self.degrees = angles(degrees, "degrees")
        self.center, self.expand, self.fill = center, expand, 0 if fill is None else fill
        self.interpolation = self.resample = mode_of(interpolation)

    @staticmethod
    def get_params(degrees):
        """An angle.

        >>> import weft
        >>> weft.vision.transforms.RandomRotation.get_params([30.0, 30.0])
        30.0
        """
        return float(uniform(float(degrees[0]), float(degrees[1])))

    def forward(self, img):
        fill = channel_fill(img, self.fill)
        return F.rotate(img, self.get_params(self.degrees), self.interpolation, self.expand, self.center, fill)

    def __repr__(self):
        more = "".join(f", {name}={value}" for name, value in (("center", self.center), ("fill", self.fill))
                       if value is not None)
        return (f"RandomRotation(degrees={self.degrees}, interpolation={self.interpolation.value}, "
                f"expand={self.expand}{more})")


class RandomAffine(Module):
    """The picture turned, moved, scaled and sheared at random.

    >>> import weft
    >>> weft.vision.transforms.RandomAffine(0, translate=(0.0, 0.0))(weft.ones(1, 2, 2)).sum()
    tensor(4.)
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST, fill=0,
                 center=None):
        super().__init__()
        self.degrees = angles(degrees, "degrees")
        if translate is not None and not all(0.0 <= t <= 1.0 for t in translate):
            raise ValueError(f"translate is {translate}, it must be parts of the picture, from 0 to 1")
        if scale is not None and not all(s > 0 for s in scale):
            raise ValueError(f"scale is {scale}, it must be above 0")
        self.translate, self.scale, self.center = translate, scale, center
        self.shear = angles(shear, "shear", (2, 4)) if shear is not None else None
        self.interpolation = self.resample = mode_of(interpolation)
        self.fill = self.fillcolor = 0 if fill is None else fill

    @staticmethod
    def get_params(degrees, translate, scale_ranges, shears, img_size):
        """(angle, (x, y), scale, (shear x, shear y)); img_size is [width, height].

        >>> import weft
        >>> weft.vision.transforms.RandomAffine.get_params([5.0, 5.0], None, None, None, [4, 4])
        (5.0, (0, 0), 1.0, (0.0, 0.0))
        """
        return affine(degrees, translate, scale_ranges, shears, img_size)

    def forward(self, img):
        size = F.get_image_size(img)
        drawn = self.get_params(self.degrees, self.translate, self.scale, self.shear, size)
        return F.affine(img, *drawn, interpolation=self.interpolation, fill=channel_fill(img, self.fill),
                        center=self.center)

    def __repr__(self):
        parts = [f"degrees={self.degrees}"] + [f"{n}={getattr(self, n)}" for n in ("translate", "scale", "shear")
                                               if getattr(self, n) is not None]
        parts += [f"interpolation={self.interpolation.value}"] * (self.interpolation != InterpolationMode.NEAREST)
        parts += [f"fill={self.fill}"] * (self.fill != 0) + [f"center={self.center}"] * (self.center is not None)
        return f"RandomAffine({', '.join(parts)})"


class RandomPerspective(Module):
    """The picture seen from somewhere else, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomPerspective(p=1.0)(weft.ones(1, 8, 8)).shape
    torch.Size([1, 8, 8])
    """

    def __init__(self, distortion_scale=0.5, p=0.5, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.distortion_scale, self.p, self.interpolation = distortion_scale, p, mode_of(interpolation)
        self.fill = 0 if fill is None else fill

    @staticmethod
    def get_params(width, height, distortion_scale):
        """(startpoints, endpoints).

        >>> import weft
        >>> start, end = weft.vision.transforms.RandomPerspective.get_params(4, 4, 0.0)
        >>> start
        [[0, 0], [3, 0], [3, 3], [0, 3]]
        """
        return corners(width, height, distortion_scale)

    def forward(self, img):
        fill = channel_fill(img, self.fill)
        if not chance(self.p):
            return img
        _, height, width = F.get_dimensions(img)
        start, end = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, start, end, self.interpolation, fill)

    def __repr__(self):
        return f"RandomPerspective(p={self.p})"


class ElasticTransform(Module):
    """The picture as if seen through water: alpha says how far pixels move, sigma how smoothly.

    >>> import weft
    >>> weft.vision.transforms.ElasticTransform()(weft.ones(1, 64, 64)).shape
    torch.Size([1, 64, 64])
    """

    def __init__(self, alpha=50.0, sigma=5.0, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.alpha, self.sigma = both(alpha, "alpha"), both(sigma, "sigma")
        self.interpolation = mode_of(interpolation)
        self.fill = [float(fill)] if isinstance(fill, numbers.Number) else [float(f) for f in fill]

    @staticmethod
    def get_params(alpha, sigma, size):
        """Displacements (1, H, W, 2).

        >>> import weft
        >>> weft.vision.transforms.ElasticTransform.get_params([1.0, 1.0], [0.0, 0.0], [3, 4]).shape
        torch.Size([1, 3, 4, 2])
        """
        return displacement(alpha, sigma, size, F.gaussian_blur)

    def forward(self, tensor):
        _, height, width = F.get_dimensions(tensor)
        moved = self.get_params(self.alpha, self.sigma, [height, width])
        return F.elastic_transform(tensor, moved, self.interpolation, self.fill)

    def __repr__(self):
        return (f"ElasticTransform(alpha={self.alpha}, sigma={self.sigma}, interpolation={self.interpolation}, "
                f"fill={self.fill})")


class RandomErasing(Module):
    """A random rectangle of the tensor gets a value, with probability p; value 'random' is noise.

    >>> import weft
    >>> bool((weft.vision.transforms.RandomErasing(p=1.0)(weft.ones(1, 8, 8)) == 0).any())
    True
    """

    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False):
        super().__init__()
        if not isinstance(value, (numbers.Number, str, tuple, list)):
            raise TypeError(f"value is a {type(value).__name__}\n  fix: give a number, one for each channel, or "
                            "'random'")
        if isinstance(value, str) and value != "random":
            raise ValueError(f"value is {value!r}\n  fix: the only word is 'random'")
        if not 0 <= p <= 1 or not 0 <= scale[0] <= 1 or not 0 <= scale[1] <= 1:
            raise ValueError(f"p = {p} and scale = {scale} must be from 0 to 1")
        self.p, self.scale, self.ratio, self.value, self.inplace = p, scale, ratio, value, inplace

    @staticmethod
    def get_params(img, scale, ratio, value=None):
        """(i, j, h, w, v): a place and what stands there.

        >>> import weft
        >>> i, j, h, w, v = weft.vision.transforms.RandomErasing.get_params(weft.ones(1, 9, 9), (0.1, 0.2), (1, 1), [0])
        >>> 2 <= h <= 4 and v.shape
        torch.Size([1, 1, 1])
        """
        channels, height, width = img.shape[-3:]

        def values(h, w):
            if value is None:
                return weft.empty([channels, h, w], dtype=weft.float32).normal_()
            return weft.tensor(value)[:, None, None]

        found = box(height, width, scale, ratio, strict=True, draw=values)
        if found is None:
            return 0, 0, height, width, img
        h, w, v, i, j = found
        return i, j, h, w, v

    def forward(self, img):
        if not chance(self.p):
            return img
        value = self.value
        value = None if isinstance(value, str) else [float(value)] if isinstance(value, (int, float)) else list(value)
        if value is not None and len(value) not in (1, img.shape[-3]):
            raise ValueError(f"value has {len(value)} numbers, the picture {img.shape[-3]} channels")
        return F.erase(img, *self.get_params(img, self.scale, self.ratio, value), self.inplace)

    def __repr__(self):
        return (f"RandomErasing(p={self.p}, scale={self.scale}, ratio={self.ratio}, value={self.value}, "
                f"inplace={self.inplace})")
