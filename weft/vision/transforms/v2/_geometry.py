"""Transforms of size, place and form (v2)."""
import numbers

import weft
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.ops.boxes import box_iou
from weft.vision.transforms import _draws
from weft.vision.transforms._geometry import RandomErasing as ErasingV1
from weft.vision.transforms._modes import InterpolationMode, mode_of
from weft.vision.transforms.functional import pair, sides_of
from weft.vision.transforms.v2 import functional as F
from weft.vision.transforms.v2._base import Maybe, Transform, get_bounding_boxes, query_chw, query_size, wrapped
from weft.vision.transforms.v2._kinds import is_pure_tensor
from weft.vision.transforms.v2.boxes import corners_of


def fill_for(fill, inpt):
    """A fill, or the one for this type from a dict of them."""
    if not isinstance(fill, dict):
        return fill
    found = next((fill[kind] for kind in type(inpt).__mro__ if kind in fill), fill.get("others"))
    return found


def _draw(low, high):
    return int(weft.randint(low, high, size=()))


class Resize(Transform):
    """The picture, and what goes with it, in another size: (height, width), or the shorter edge's.

    >>> import weft
    >>> weft.vision.transforms.v2.Resize(2)(weft.zeros(3, 4, 8)).shape
    torch.Size([3, 2, 4])
    """

    def __init__(self, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
        super().__init__()
        if not isinstance(size, (int, list, tuple)) and size is not None:
            raise TypeError(f"size is a {type(size).__name__}\n  fix: give a number or (height, width)")
        self.size = [size] if isinstance(size, int) else size
        self.interpolation, self.max_size, self.antialias = mode_of(interpolation), max_size, antialias

    def transform(self, inpt, params):
        return F.resize(inpt, self.size, self.interpolation, max_size=self.max_size, antialias=self.antialias)


class CenterCrop(Transform):
    """The middle of the picture.

    >>> import weft
    >>> weft.vision.transforms.v2.CenterCrop(1)(weft.arange(9.).view(1, 3, 3))
    tensor([[[4.]]])
    """

    def __init__(self, size):
        super().__init__()
        self.size = pair(size)

    def transform(self, inpt, params):
        return F.center_crop(inpt, list(self.size))


class FiveCrop(CenterCrop):
    """The four corners and the middle, as a tuple.

    >>> import weft
    >>> len(weft.vision.transforms.v2.FiveCrop(2)(weft.zeros(1, 4, 4)))
    5
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image, tv_tensors.Video, is_picture)

    def transform(self, inpt, params):
        return F.five_crop(inpt, self.size)


class TenCrop(FiveCrop):
    """The four corners and the middle, of the picture and of its mirror image.

    >>> import weft
    >>> len(weft.vision.transforms.v2.TenCrop(2)(weft.zeros(1, 4, 4)))
    10
    """

    def __init__(self, size, vertical_flip=False):
        super().__init__(size)
        self.vertical_flip = vertical_flip

    def transform(self, inpt, params):
        return F.ten_crop(inpt, self.size, self.vertical_flip)


class Pad(Transform):
    """More pixels on each side.

    >>> import weft
    >>> weft.vision.transforms.v2.Pad((1, 2))(weft.zeros(1, 4, 4)).shape
    torch.Size([1, 8, 6])
    """

    def __init__(self, padding, fill=0, padding_mode="constant"):
        super().__init__()
        sides_of(padding)
        self.padding, self.fill, self.padding_mode = padding, fill, padding_mode

    def transform(self, inpt, params):
        return F.pad(inpt, self.padding, fill_for(self.fill, inpt), self.padding_mode)


class RandomCrop(Transform):
    """A part of the picture from anywhere; padding is added first.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomCrop(4, padding=1)(weft.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 4])
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant"):
        super().__init__()
        self.size, self.padding = pair(size), padding
        self.pad_if_needed, self.fill, self.padding_mode = pad_if_needed, fill, padding_mode

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        sides = sides_of(self.padding) if self.padding is not None else [0] * 4     # left, top, right, bottom
        height, width = height + sides[1] + sides[3], width + sides[0] + sides[2]
        high, wide = self.size
        if self.pad_if_needed:
            more_h, more_w = max(high - height, 0), max(wide - width, 0)
            sides = [sides[0] + more_w, sides[1] + more_h, sides[2] + more_w, sides[3] + more_h]
            height, width = height + 2 * more_h, width + 2 * more_w
        if height < high or width < wide:
            raise ValueError(f"a part of {high} x {wide} is greater than the padded picture, {height} x {width}\n"
                             "  fix: give padding, or pad_if_needed=True")
        top = _draw(0, height - high + 1) if height > high else 0
        left = _draw(0, width - wide + 1) if width > wide else 0
        return {"sides": sides, "place": (top, left, high, wide)}

    def transform(self, inpt, params):
        if any(params["sides"]):
            inpt = F.pad(inpt, params["sides"], fill_for(self.fill, inpt), self.padding_mode)
        return F.crop(inpt, *params["place"])


class RandomHorizontalFlip(Maybe):
    """The mirror image, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomHorizontalFlip(1.0)(weft.arange(3.).view(1, 1, 3))
    tensor([[[2., 1., 0.]]])
    """

    def transform(self, inpt, params):
        return F.horizontal_flip(inpt)


class RandomVerticalFlip(Maybe):
    """The picture upside down, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomVerticalFlip(1.0)(weft.arange(2.).view(1, 2, 1)).flatten()
    tensor([1., 0.])
    """

    def transform(self, inpt, params):
        return F.vertical_flip(inpt)


class RandomResizedCrop(Transform):
    """A random part of the picture, of scale[0] to scale[1] of its area, in one size.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomResizedCrop(3)(weft.zeros(1, 8, 6)).shape
    torch.Size([1, 3, 3])
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
        super().__init__()
        self.size, self.scale, self.ratio = pair(size), scale, ratio
        self.interpolation, self.antialias = mode_of(interpolation), antialias

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        found = _draws.box(height, width, self.scale, self.ratio, strict=False)
        if found is None:
            return {"place": _draws.middle_box(height, width, self.ratio)}
        h, w, _, i, j = found
        return {"place": (i, j, h, w)}

    def transform(self, inpt, params):
        return F.resized_crop(inpt, *params["place"], self.size, self.interpolation, antialias=self.antialias)


class RandomRotation(Transform):
    """The picture turned by a random angle.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomRotation((90, 90))(weft.arange(4.).view(1, 2, 2)).flatten()
    tensor([1., 3., 0., 2.])
    """

    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
        super().__init__()
        self.degrees, self.interpolation = _draws.angles(degrees, "degrees"), mode_of(interpolation)
        self.expand, self.center, self.fill = expand, center, fill

    def make_params(self, flat_inputs):
        return {"angle": _draws.uniform(*self.degrees)}

    def transform(self, inpt, params):
        return F.rotate(inpt, params["angle"], interpolation=self.interpolation, expand=self.expand, center=self.center,
                        fill=fill_for(self.fill, inpt))


class RandomAffine(Transform):
    """The picture turned, moved, scaled and sheared at random.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomAffine(0, translate=(0.0, 0.0))(weft.ones(1, 2, 2)).sum()
    tensor(4.)
    """

    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST, fill=0,
                 center=None):
        super().__init__()
        self.degrees, self.translate, self.scale = _draws.angles(degrees, "degrees"), translate, scale
        if translate is not None and not all(0.0 <= t <= 1.0 for t in translate):
            raise ValueError(f"translate is {translate}, it must be parts of the picture, from 0 to 1")
        if scale is not None and not all(s > 0 for s in scale):
            raise ValueError(f"scale is {scale}, it must be above 0")
        self.shear = _draws.angles(shear, "shear", (2, 4)) if shear is not None else None
        self.interpolation, self.fill, self.center = mode_of(interpolation), fill, center

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        drawn = _draws.affine(self.degrees, self.translate, self.scale, self.shear, (width, height))
        return {"drawn": drawn}

    def transform(self, inpt, params):
        return F.affine(inpt, *params["drawn"], interpolation=self.interpolation, fill=fill_for(self.fill, inpt),
                        center=self.center)


class RandomPerspective(Maybe):
    """The picture seen from somewhere else, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomPerspective(p=1.0)(weft.ones(1, 8, 8)).shape
    torch.Size([1, 8, 8])
    """

    def __init__(self, distortion_scale=0.5, p=0.5, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__(p)
        if not 0 <= distortion_scale <= 1:
            raise ValueError(f"distortion_scale is {distortion_scale}, it must be from 0 to 1")
        self.distortion_scale, self.interpolation, self.fill = distortion_scale, mode_of(interpolation), fill

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        start, end = _draws.corners(width, height, self.distortion_scale)
        return {"start": start, "end": end}

    def transform(self, inpt, params):
        return F.perspective(inpt, params["start"], params["end"], interpolation=self.interpolation,
                             fill=fill_for(self.fill, inpt))


class ElasticTransform(Transform):
    """The picture as if seen through water: alpha says how far pixels move, sigma how smoothly.

    >>> import weft
    >>> weft.vision.transforms.v2.ElasticTransform()(weft.ones(1, 64, 64)).shape
    torch.Size([1, 64, 64])
    """

    def __init__(self, alpha=50.0, sigma=5.0, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.alpha, self.sigma = _draws.both(alpha, "alpha"), _draws.both(sigma, "sigma")
        self.interpolation, self.fill = mode_of(interpolation), fill

    def make_params(self, flat_inputs):
        return {"displacement": _draws.displacement(self.alpha, self.sigma, list(query_size(flat_inputs)),
                                                    F.gaussian_blur)}

    def transform(self, inpt, params):
        return F.elastic(inpt, params["displacement"], interpolation=self.interpolation, fill=fill_for(self.fill, inpt))


class RandomErasing(Maybe):
    """A random rectangle gets a value, with probability p; value 'random' is noise.

    >>> import weft
    >>> bool((weft.vision.transforms.v2.RandomErasing(p=1.0)(weft.ones(1, 8, 8)) == 0).any())
    True
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image, is_picture, tv_tensors.Video)

    def __init__(self, p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0.0, inplace=False):
        super().__init__(p)
        ErasingV1(p, scale, ratio, value, inplace)      # checks
        self.scale, self.ratio, self.inplace = scale, ratio, inplace
        self.value = [float(value)] if isinstance(value, (int, float)) else value

    def make_params(self, flat_inputs):
        channels, height, width = query_chw(flat_inputs)
        value = None if isinstance(self.value, str) else [float(v) for v in self.value]
        if value is not None and len(value) not in (1, channels):
            raise ValueError(f"value has {len(value)} numbers, the picture {channels} channels")

        def values(h, w):
            if value is None:
                return weft.empty([channels, h, w], dtype=weft.float32).normal_()
            return weft.tensor(value)[:, None, None]

        found = _draws.box(height, width, self.scale, self.ratio, strict=True, draw=values)
        if found is None:
            return {"place": None}
        h, w, v, i, j = found
        return {"place": (i, j, h, w, v)}

    def transform(self, inpt, params):
        return inpt if params["place"] is None else F.erase(inpt, *params["place"], inplace=self.inplace)


class RandomZoomOut(Maybe):
    """The picture on a larger, empty one, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomZoomOut(side_range=(2.0, 2.0), p=1.0)(weft.ones(1, 4, 4)).shape
    torch.Size([1, 8, 8])
    """

    def __init__(self, fill=0, side_range=(1.0, 4.0), p=0.5):
        super().__init__(p)
        if side_range[0] < 1.0 or side_range[0] > side_range[1]:
            raise ValueError(f"side_range is {side_range}, it must be from 1 on, the smaller one first")
        self.fill, self.side_range = fill, side_range

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        ratio = self.side_range[0] + weft.rand(1) * (self.side_range[1] - self.side_range[0])
        canvas_w, canvas_h = int(width * ratio), int(height * ratio)
        r = weft.rand(2)
        left, top = int((canvas_w - width) * r[0]), int((canvas_h - height) * r[1])
        return {"sides": [left, top, canvas_w - left - width, canvas_h - top - height]}

    def transform(self, inpt, params):
        return F.pad(inpt, params["sides"], fill=fill_for(self.fill, inpt))


class RandomIoUCrop(Transform):
    """A part of the picture that overlaps its boxes by a drawn share at least, as for SSD.

    >>> import weft
    >>> picture = weft.vision.tv_tensors.Image(weft.ones(3, 8, 8))
    >>> boxes = weft.vision.tv_tensors.BoundingBoxes([[1., 1., 7., 7.]], format="XYXY", canvas_size=(8, 8))
    >>> part, left = weft.vision.transforms.v2.RandomIoUCrop()(picture, boxes)
    >>> part.shape[-2:] == left.canvas_size
    True
    """

    def __init__(self, min_scale=0.3, max_scale=1.0, min_aspect_ratio=0.5, max_aspect_ratio=2.0, sampler_options=None,
                 trials=40):
        super().__init__()
        self.min_scale, self.max_scale = min_scale, max_scale
        self.min_aspect_ratio, self.max_aspect_ratio, self.trials = min_aspect_ratio, max_aspect_ratio, trials
        self.options = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0] if sampler_options is None else sampler_options

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        boxes = get_bounding_boxes(flat_inputs)
        while True:
            least = self.options[int(weft.randint(low=0, high=len(self.options), size=(1,)))]
            if least >= 1.0:
                return {}
            for _ in range(self.trials):
                r = (self.min_scale + (self.max_scale - self.min_scale) * weft.rand(2)).tolist()
                new_w, new_h = int(width * r[0]), int(height * r[1])
                if new_h == 0 or not self.min_aspect_ratio <= new_w / new_h <= self.max_aspect_ratio:
                    continue
                r = weft.rand(2)
                left, top = int((width - new_w) * r[0]), int((height - new_h) * r[1])
                right, bottom = left + new_w, top + new_h
                if left == right or top == bottom:
                    continue
                corners = corners_of(boxes.as_subclass(weft.Tensor), boxes.format)
                cx, cy = 0.5 * (corners[:, 0] + corners[:, 2]), 0.5 * (corners[:, 1] + corners[:, 3])
                inside = (left < cx) & (cx < right) & (top < cy) & (cy < bottom)
                if not inside.any():
                    continue
                place = weft.tensor([[left, top, right, bottom]], dtype=corners.dtype)
                if box_iou(corners[inside], place).max() < least:
                    continue
                return {"place": (top, left, new_h, new_w), "inside": inside}

    def transform(self, inpt, params):
        if not params:
            return inpt
        made = F.crop(inpt, *params["place"])
        if isinstance(made, tv_tensors.BoundingBoxes):
            plain = made.as_subclass(weft.Tensor).clone()
            plain[~params["inside"]] = 0            # SanitizeBoundingBoxes takes them away
            return wrapped(plain, made)
        return made


class ScaleJitter(Transform):
    """The picture scaled to a random part of a target size.

    >>> import weft
    >>> weft.vision.transforms.v2.ScaleJitter((8, 8), scale_range=(1.0, 1.0))(weft.ones(1, 4, 4)).shape
    torch.Size([1, 8, 8])
    """

    def __init__(self, target_size, scale_range=(0.1, 2.0), interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        self.target_size, self.scale_range = target_size, scale_range
        self.interpolation, self.antialias = mode_of(interpolation), antialias

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        scale = self.scale_range[0] + weft.rand(1) * (self.scale_range[1] - self.scale_range[0])
        r = min(self.target_size[1] / height, self.target_size[0] / width) * scale
        return {"size": (int(height * r), int(width * r))}

    def transform(self, inpt, params):
        return F.resize(inpt, size=params["size"], interpolation=self.interpolation, antialias=self.antialias)


class RandomShortestSize(Transform):
    """The picture with a shorter edge of one of the sizes.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomShortestSize(2)(weft.ones(1, 4, 8)).shape
    torch.Size([1, 2, 4])
    """

    def __init__(self, min_size, max_size=None, interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        self.min_size = [min_size] if isinstance(min_size, int) else list(min_size)
        self.max_size, self.interpolation, self.antialias = max_size, mode_of(interpolation), antialias

    def make_params(self, flat_inputs):
        height, width = query_size(flat_inputs)
        least = self.min_size[int(weft.randint(len(self.min_size), ()))]
        r = least / min(height, width)
        if self.max_size is not None:
            r = min(r, self.max_size / max(height, width))
        return {"size": (int(height * r), int(width * r))}

    def transform(self, inpt, params):
        return F.resize(inpt, size=params["size"], interpolation=self.interpolation, antialias=self.antialias)


class RandomResize(Transform):
    """The picture with a shorter edge from min_size to max_size - 1.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomResize(2, 3)(weft.ones(1, 4, 8)).shape
    torch.Size([1, 2, 4])
    """

    def __init__(self, min_size, max_size, interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        if not isinstance(min_size, numbers.Integral) or not isinstance(max_size, numbers.Integral):
            raise TypeError("min_size and max_size must be integers")
        self.min_size, self.max_size = min_size, max_size
        self.interpolation, self.antialias = mode_of(interpolation), antialias

    def make_params(self, flat_inputs):
        return {"size": [_draw(self.min_size, self.max_size)]}

    def transform(self, inpt, params):
        return F.resize(inpt, params["size"], interpolation=self.interpolation, antialias=self.antialias)
