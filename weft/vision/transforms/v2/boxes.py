"""What v2's functions do to boxes, points and masks."""
import weft
from weft.vision import tv_tensors
from weft.vision.transforms import _tensors
from weft.vision.transforms import functional as V1
from weft.vision.transforms._modes import InterpolationMode
from weft.vision.transforms.v2._kinds import register_kernel
from weft.vision.tv_tensors import BoundingBoxes, BoundingBoxFormat, KeyPoints, Mask


def _plain(inpt):
    return inpt.as_subclass(weft.Tensor)


# formats

def corners_of(boxes, format):
    """(x1, y1, x2, y2) of plain boxes."""
    if format is BoundingBoxFormat.XYXY:
        return boxes
    a, size = boxes[..., :2], boxes[..., 2:]
    if format is BoundingBoxFormat.CXCYWH:
        half = size / 2 if boxes.is_floating_point() else weft.div(size, 2, rounding_mode="floor")
        low = a - (half if boxes.is_floating_point() else -weft.div(-size, 2, rounding_mode="floor"))
        return weft.cat((low, a + half if boxes.is_floating_point() else low + size), -1)
    return weft.cat((a, a + size), -1)


def from_corners(boxes, format):
    """Plain boxes of a format from their corners."""
    if format is BoundingBoxFormat.XYXY:
        return boxes
    low, high = boxes[..., :2], boxes[..., 2:]
    if format is BoundingBoxFormat.CXCYWH:
        total = low + high
        low = total / 2 if boxes.is_floating_point() else weft.div(total, 2, rounding_mode="floor")
        return weft.cat((low, high - boxes[..., :2]), -1)
    return weft.cat((low, high - low), -1)


def convert_bounding_box_format(inpt, old_format=None, new_format=None, inplace=False):
    """Boxes in another format; plain tensors need old_format.

    >>> import weft
    >>> F = weft.vision.transforms.v2.functional
    >>> F.convert_bounding_box_format(weft.tensor([[1., 1., 3., 4.]]), "XYXY", "XYWH")
    tensor([[1., 1., 2., 3.]])
    """
    if new_format is None:
        raise TypeError("new_format is missing")
    new_format = BoundingBoxFormat[new_format.upper()] if isinstance(new_format, str) else new_format
    if isinstance(inpt, BoundingBoxes):
        if old_format is not None:
            raise ValueError("these boxes say themselves what format they have\n  fix: leave old_format out")
        made = from_corners(corners_of(_plain(inpt), inpt.format), new_format)
        return tv_tensors.wrap(made.clone() if made is _plain(inpt) else made, like=inpt, format=new_format)
    if old_format is None:
        raise ValueError("a plain tensor doesn't say what format its boxes have\n  fix: give old_format")
    old_format = BoundingBoxFormat[old_format.upper()] if isinstance(old_format, str) else old_format
    made = from_corners(corners_of(inpt, old_format), new_format)
    return inpt.copy_(made) if inplace else made


def clamp_bounding_boxes(inpt, format=None, canvas_size=None, clamping_mode="auto"):
    """Boxes cut off at the picture's edges.

    >>> import weft
    >>> F = weft.vision.transforms.v2.functional
    >>> F.clamp_bounding_boxes(weft.tensor([[-1., 1., 9., 4.]]), format="XYXY", canvas_size=(3, 5))
    tensor([[0., 1., 5., 3.]])
    """
    own = isinstance(inpt, BoundingBoxes)
    format, canvas_size = (inpt.format, inpt.canvas_size) if own else (format, canvas_size)
    if format is None or canvas_size is None:
        raise ValueError("a plain tensor doesn't say what its boxes are\n  fix: give format and canvas_size")
    format = BoundingBoxFormat[format.upper()] if isinstance(format, str) else format
    made = from_corners(_clamped(corners_of(_plain(inpt), format), canvas_size), format)
    return tv_tensors.wrap(made, like=inpt) if own else made


def _clamped(corners, canvas):
    height, width = canvas
    return weft.stack((corners[..., 0].clamp(0, width), corners[..., 1].clamp(0, height),
                       corners[..., 2].clamp(0, width), corners[..., 3].clamp(0, height)), -1)


def clamp_keypoints(inpt, canvas_size=None):
    """Points brought inside the picture.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.clamp_keypoints(weft.tensor([[-1., 9.]]), canvas_size=(4, 4))
    tensor([[0., 3.]])
    """
    own = isinstance(inpt, KeyPoints)
    height, width = inpt.canvas_size if own else canvas_size
    x, y = _plain(inpt).unbind(-1)
    made = weft.stack((x.clamp(0, width - 1), y.clamp(0, height - 1)), -1)
    return tv_tensors.wrap(made, like=inpt) if own else made


def sanitize_bounding_boxes(bounding_boxes, format=None, canvas_size=None, min_size=1.0, min_area=1.0):
    """(boxes that are inside the picture and large enough, which of them those are).

    >>> import weft
    >>> F = weft.vision.transforms.v2.functional
    >>> F.sanitize_bounding_boxes(weft.tensor([[0., 0., 2., 2.], [1., 1., 1., 3.]]), "XYXY", (4, 4))[1]
    tensor([ True, False])
    """
    own = isinstance(bounding_boxes, BoundingBoxes)
    if own:
        format, canvas_size = bounding_boxes.format, bounding_boxes.canvas_size
    if format is None or canvas_size is None:
        raise ValueError("a plain tensor doesn't say what its boxes are\n  fix: give format and canvas_size")
    format = BoundingBoxFormat[format.upper()] if isinstance(format, str) else format
    boxes = corners_of(_plain(bounding_boxes), format)
    w, h = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    valid = (w >= min_size) & (h >= min_size) & (w * h >= min_area) & (boxes >= 0).all(-1)
    valid &= (boxes[:, 2] <= canvas_size[1]) & (boxes[:, 3] <= canvas_size[0])
    kept = _plain(bounding_boxes)[valid]
    return (tv_tensors.wrap(kept, like=bounding_boxes) if own else kept), valid


def sanitize_keypoints(key_points, canvas_size=None):
    """(points that are inside the picture, which of them those are).

    >>> import weft
    >>> F = weft.vision.transforms.v2.functional
    >>> F.sanitize_keypoints(weft.tensor([[0., 0.], [9., 1.]]), canvas_size=(4, 4))[1]
    tensor([ True, False])
    """
    own = isinstance(key_points, KeyPoints)
    height, width = key_points.canvas_size if own else canvas_size
    x, y = _plain(key_points).unbind(-1)
    valid = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    valid = valid.reshape(valid.shape[0], -1).all(-1) if valid.ndim > 1 else valid
    kept = _plain(key_points)[valid]
    return (tv_tensors.wrap(kept, like=key_points) if own else kept), valid


# geometry: a map of points does for boxes and points alike

def moved(inpt, move, canvas=None, clamp=True):
    """Boxes or points after a map of points (N, 2)."""
    canvas = tuple(canvas or inpt.canvas_size)
    plain = _plain(inpt)
    floats = plain if plain.is_floating_point() else plain.float()
    if isinstance(inpt, KeyPoints):
        made = tv_tensors.wrap(move(floats.reshape(-1, 2)).reshape(plain.shape).to(plain.dtype), like=inpt,
                               canvas_size=canvas)
        return clamp_keypoints(made) if clamp else made
    x1, y1, x2, y2 = corners_of(floats, inpt.format).unbind(-1)
    points = weft.stack((weft.stack((x1, y1), -1), weft.stack((x2, y1), -1), weft.stack((x2, y2), -1),
                         weft.stack((x1, y2), -1)), 1)                                  # (N, 4, 2)
    points = move(points.reshape(-1, 2)).reshape(-1, 4, 2)
    if len(points) == 0:
        return tv_tensors.wrap(plain.clone(), like=inpt, canvas_size=canvas)
    boxes = weft.cat((points.amin(1), points.amax(1)), -1)
    boxes = _clamped(boxes, canvas) if clamp else boxes
    return tv_tensors.wrap(from_corners(boxes, inpt.format).to(plain.dtype), like=inpt, canvas_size=canvas)


def _geometric(name):
    """Registers a kernel for boxes and points."""
    def keep(kernel):
        for kind in (BoundingBoxes, KeyPoints):
            register_kernel(name, kind)(kernel)
        return kernel
    return keep


@_geometric("hflip")
def _hflip(inpt):
    width = inpt.canvas_size[1] - isinstance(inpt, KeyPoints)
    return moved(inpt, lambda p: weft.stack((width - p[:, 0], p[:, 1]), -1), clamp=False)


@_geometric("vflip")
def _vflip(inpt):
    height = inpt.canvas_size[0] - isinstance(inpt, KeyPoints)
    return moved(inpt, lambda p: weft.stack((p[:, 0], height - p[:, 1]), -1), clamp=False)


@_geometric("resize")
def _resize(inpt, size, interpolation=None, max_size=None, antialias=True):
    height, width = inpt.canvas_size
    new = V1.output_size(size, max_size, height, width)
    ratio = weft.tensor([new[1] / width, new[0] / height])
    return moved(inpt, lambda p: p * ratio.to(p.dtype), new, clamp=False)


@_geometric("crop")
def _crop(inpt, top, left, height, width):
    return moved(inpt, lambda p: p - weft.tensor([left, top], dtype=p.dtype), (height, width))


@_geometric("center_crop")
def _center_crop(inpt, output_size):
    high, wide = V1.pair(output_size)
    height, width = inpt.canvas_size
    return _crop(inpt, int(round((height - high) / 2.0)), int(round((width - wide) / 2.0)), high, wide)


@_geometric("resized_crop")
def _resized_crop(inpt, top, left, height, width, size, interpolation=None, antialias=True):
    return _resize(_crop(inpt, top, left, height, width), size)


@_geometric("pad")
def _pad(inpt, padding, fill=None, padding_mode="constant"):
    if padding_mode != "constant":
        raise ValueError(f"boxes and points can't be padded with {padding_mode!r}: what is mirrored would need more of "
                         "them")
    left, top, right, bottom = V1.sides_of(padding)
    height, width = inpt.canvas_size
    return moved(inpt, lambda p: p + weft.tensor([left, top], dtype=p.dtype),
                 (height + top + bottom, width + left + right))


def _linear(matrix):
    theta = weft.tensor(matrix).reshape(2, 3)
    return lambda p: p @ theta[:, :2].to(p.dtype).t() + theta[:, 2].to(p.dtype)


@_geometric("affine")
def _affine(inpt, angle, translate, scale, shear, interpolation=None, fill=None, center=None):
    height, width = inpt.canvas_size
    center = [width * 0.5, height * 0.5] if center is None else center
    shear = [shear, 0.0] if isinstance(shear, (int, float)) else list(shear) * (3 - len(shear))
    return moved(inpt, _linear(_tensors.inverse_affine(center, angle, translate, scale, shear, inverted=False)))


@_geometric("rotate")
def _rotate(inpt, angle, interpolation=None, expand=False, center=None, fill=None):
    height, width = inpt.canvas_size
    middle = [width * 0.5, height * 0.5] if center is None or expand else center
    move = _linear(_tensors.inverse_affine(middle, -angle, [0.0, 0.0], 1.0, [0.0, 0.0], inverted=False))
    if not expand:
        return moved(inpt, move)
    edge = move(weft.tensor([[0.0, 0.0], [0.0, height], [width, height], [width, 0.0]])).amin(0)
    back = _tensors.inverse_affine([0.0, 0.0], -angle, [0.0, 0.0], 1.0, [0.0, 0.0])
    return moved(inpt, lambda p: move(p) - edge.to(p.dtype), _tensors.rotated_size(back, width, height)[::-1])


@_geometric("perspective")
def _perspective(inpt, startpoints, endpoints, interpolation=None, fill=None, coefficients=None):
    if coefficients is not None:
        raise ValueError("boxes and points need startpoints and endpoints, not coefficients")
    c = _tensors.perspective_coefficients(endpoints, startpoints)       # the way forth

    def move(p):
        x, y = p.unbind(-1)
        low = c[6] * x + c[7] * y + 1.0
        return weft.stack(((c[0] * x + c[1] * y + c[2]) / low, (c[3] * x + c[4] * y + c[5]) / low), -1)

    return moved(inpt, move)


@_geometric("elastic_transform")
def _elastic(inpt, displacement, interpolation=None, fill=None):
    height, width = inpt.canvas_size
    back = _tensors.elastic_grid(-displacement)[0]          # (H, W, 2), about where pixels go

    def move(p):
        x, y = p.long().unbind(-1)
        found = back[y.clamp(0, height - 1), x.clamp(0, width - 1)].to(p.dtype)
        return (found + 1) * 0.5 * weft.tensor([width, height], dtype=p.dtype) - 0.5

    return moved(inpt, move)


# masks: pictures whose values are never mixed

def _mask(name, **changes):
    function = getattr(V1, name)

    @register_kernel(name, Mask)
    def kernel(inpt, *args, **kwargs):
        plain = _plain(inpt)
        flat = plain[None] if plain.ndim == 2 else plain
        as_bool = flat.dtype is weft.bool
        made = function(flat.to(weft.uint8) if as_bool else flat, *args, **{**kwargs, **changes})
        made = made.to(weft.bool) if as_bool else made
        return made[0] if plain.ndim == 2 else made


def _nearest(name, position):
    """A function whose argument at a position (0 is the first after the mask) is the interpolation."""
    function = getattr(V1, name)

    @register_kernel(name, Mask)
    def kernel(inpt, *args, **kwargs):
        kwargs["interpolation"] = InterpolationMode.NEAREST
        args = args[:position] + args[position + 1:] if len(args) > position else args
        plain = _plain(inpt)
        flat = plain[None] if plain.ndim == 2 else plain
        as_bool = flat.dtype is weft.bool
        kwargs.pop("coefficients", None)
        made = function(flat.to(weft.uint8) if as_bool else flat, *args, **kwargs)
        made = made.to(weft.bool) if as_bool else made
        return made[0] if plain.ndim == 2 else made


for _name in ("hflip", "vflip", "crop", "center_crop"):
    _mask(_name)
for _name, _position in (("resize", 1), ("resized_crop", 5), ("affine", 4), ("rotate", 1), ("perspective", 2),
                         ("elastic_transform", 1)):
    _nearest(_name, _position)


@register_kernel("pad", Mask)
def _pad_mask(inpt, padding, fill=None, padding_mode="constant"):
    plain = _plain(inpt)
    made = V1.pad(plain[None] if plain.ndim == 2 else plain, padding, 0 if fill is None else fill, padding_mode)
    return made[0] if plain.ndim == 2 else made
