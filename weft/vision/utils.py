"""torchvision.utils: pictures beside each other, saved, with boxes, masks and points drawn on them."""
import math

import numpy as np

import weft
from weft.vision._pillow import pillow

__all__ = ["make_grid", "save_image", "draw_bounding_boxes", "draw_segmentation_masks", "draw_keypoints",
           "flow_to_image"]


@weft.no_grad()
def make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Pictures (N, C, H, W), or a list of them, as one picture (C, H', W') with nrow in a row.

    >>> import weft
    >>> weft.vision.utils.make_grid(weft.zeros(5, 3, 8, 8), nrow=3).shape
    torch.Size([3, 22, 32])
    """
    if isinstance(tensor, list):
        tensor = weft.stack(tensor)
    if not isinstance(tensor, weft.Tensor):
        raise TypeError(f"tensor or list of tensors expected, got a {type(tensor).__name__}")
    if tensor.ndim == 2:
        tensor = tensor[None]
    if tensor.ndim == 3:
        tensor = weft.cat((tensor,) * 3, 0) if tensor.shape[0] == 1 else tensor
        tensor = tensor[None]
    if tensor.ndim == 4 and tensor.shape[1] == 1:
        tensor = weft.cat((tensor,) * 3, 1)
    if normalize:
        if value_range is not None and not isinstance(value_range, tuple):
            raise TypeError("value_range has to be a tuple (min, max) if specified. min and max are numbers")
        parts = tensor if scale_each else [tensor]
        made = []
        for part in parts:
            low, high = value_range or (float(part.min()), float(part.max()))
            made.append((part.clamp(low, high) - low) / max(high - low, 1e-5))
        tensor = weft.stack(made) if scale_each else made[0]
    if tensor.shape[0] == 1:
        return tensor.squeeze(0)
    n, channels, height, width = tensor.shape
    columns = min(nrow, n)
    rows = math.ceil(n / columns)
    height, width = height + padding, width + padding
    grid = tensor.new_full((channels, height * rows + padding, width * columns + padding), pad_value)
    for i in range(n):
        y, x = (i // columns) * height + padding, (i % columns) * width + padding
        grid[:, y:y + height - padding, x:x + width - padding] = tensor[i]
    return grid


@weft.no_grad()
def save_image(tensor, fp, format=None, **kwargs):
    """Pictures from 0 to 1, as make_grid takes them, in one file; other arguments go to make_grid.

    >>> import weft
    >>> weft.vision.utils.save_image(weft.rand(4, 3, 8, 8), "grid.png")
    """
    grid = make_grid(tensor, **kwargs)
    array = grid.mul(255).add_(0.5).clamp_(0, 255).permute(1, 2, 0).to(weft.uint8).numpy()
    pillow().fromarray(np.ascontiguousarray(array)).save(fp, format=format)


def _check(image, what):
    if not isinstance(image, weft.Tensor):
        raise TypeError(f"The image must be a tensor, got {type(image).__name__}")
    if not (image.dtype is weft.uint8 or image.is_floating_point()):
        raise ValueError(f"The image dtype must be uint8 or float, got {image.dtype}")
    if image.ndim != 3:
        raise ValueError(f"{what}: pass one image (C, H, W), not {tuple(image.shape)}")


def _to_bytes(image):
    return (image * 255).to(weft.uint8) if image.is_floating_point() else image


def _from_bytes(image, dtype):
    return image.to(dtype) / 255 if dtype.is_floating_point else image


def _palette(n):
    """n colours that differ."""
    base = (2 ** 25 - 1, 2 ** 15 - 1, 2 ** 21 - 1)
    return [tuple(i * p % 255 for p in base) for i in range(n)]


def _colours(colors, n):
    """A colour for each of n things."""
    if colors is None:
        found = _palette(n)
    elif isinstance(colors, list):
        if len(colors) < n:
            raise ValueError(f"Number of colors must be equal or larger than the number of objects, but got "
                             f"{len(colors)} < {n}.")
        found = colors
    elif isinstance(colors, (tuple, str)):
        found = [colors] * n
    else:
        raise ValueError("colors must be a tuple or a string, or a list of them")
    return [pillow("ImageColor").getrgb(c) if isinstance(c, str) else c for c in found]


def _as_picture(image):
    array = image.permute(1, 2, 0).numpy()
    return pillow().fromarray(np.ascontiguousarray(array))


def _as_tensor(picture):
    return weft.from_numpy(np.ascontiguousarray(np.array(picture).transpose(2, 0, 1)))


@weft.no_grad()
def draw_bounding_boxes(image, boxes, labels=None, colors=None, fill=False, width=1, font=None, font_size=None,
                        label_colors=None, label_background_colors=None, fill_labels=False):
    """A picture (C, H, W) with boxes (N, 4) drawn on it, and labels beside them.

    >>> import weft
    >>> picture = weft.zeros(3, 16, 16, dtype=weft.uint8)
    >>> made = weft.vision.utils.draw_bounding_boxes(picture, weft.tensor([[2., 2., 8., 8.]]), colors="red")
    >>> made[:, 2, 5]
    tensor([255,   0,   0], dtype=torch.uint8)
    """
    _check(image, "draw_bounding_boxes")
    if image.shape[0] not in (1, 3):
        raise ValueError("Only grayscale and RGB images are supported")
    if (boxes[:, 0] > boxes[:, 2]).any() or (boxes[:, 1] > boxes[:, 3]).any():
        raise ValueError("Boxes need to be in (xmin, ymin, xmax, ymax) format: xmin <= xmax, ymin <= ymax")
    n = len(boxes)
    if n == 0:
        return image
    if labels is not None and len(labels) != n:
        raise ValueError(f"there are {n} boxes and {len(labels)} labels, they must be as many")
    dtype, colours = image.dtype, _colours(colors, n)
    words = _colours(label_colors, n) if label_colors is not None else colours
    behind = _colours(label_background_colors, n) if label_background_colors is not None else colours
    image = _to_bytes(image)
    picture = _as_picture(image.expand(3, -1, -1) if image.shape[0] == 1 else image)
    draw = pillow("ImageDraw").Draw(picture, "RGBA" if fill else None)
    fonts = pillow("ImageFont")
    letters = None if labels is None else fonts.load_default(font_size) if font is None else fonts.truetype(
        font, font_size or 10)
    for i, box in enumerate(boxes.to(weft.int64).tolist()):
        draw.rectangle(box, width=width, outline=colours[i], fill=(*colours[i], 100) if fill else None)
        if labels is not None and labels[i] is not None:
            place = (box[0] + width + 1, box[1] + width + 1)
            if fill_labels:
                left, top, right, bottom = draw.textbbox(place, labels[i], font=letters)
                draw.rectangle((left - 1, top - 1, right + 1, bottom + 1), fill=behind[i])
            draw.text(place, labels[i], fill=words[i], font=letters)
    return _from_bytes(_as_tensor(picture), dtype)


@weft.no_grad()
def draw_segmentation_masks(image, masks, alpha=0.8, colors=None):
    """A picture (3, H, W) with masks (N, H, W) or (H, W) of bool laid over it.

    >>> import weft
    >>> picture = weft.zeros(3, 4, 4, dtype=weft.uint8)
    >>> mask = weft.zeros(4, 4, dtype=weft.bool)
    >>> mask[1, 1] = True
    >>> weft.vision.utils.draw_segmentation_masks(picture, mask, alpha=1.0, colors="blue")[:, 1, 1]
    tensor([  0,   0, 255], dtype=torch.uint8)
    """
    _check(image, "draw_segmentation_masks")
    if image.shape[0] != 3:
        raise ValueError("Pass an RGB image. Other image formats are not supported")
    masks = masks[None] if masks.ndim == 2 else masks
    if masks.dtype is not weft.bool:
        raise ValueError(f"The masks must be of dtype bool. Got {masks.dtype}")
    if masks.ndim != 3 or masks.shape[-2:] != image.shape[-2:]:
        raise ValueError(f"masks are (N, H, W) of the picture's size, not {tuple(masks.shape)}")
    if len(masks) == 0:
        return image
    dtype, image = image.dtype, _to_bytes(image)
    over = image.clone()
    for mask, colour in zip(masks, _colours(colors, len(masks))):
        over[:, mask] = weft.tensor(colour, dtype=weft.uint8)[:, None]
    over[:, masks.sum(0) > 1] = 0           # where masks meet
    outside = ~masks.any(0)
    mixed = image * (1 - alpha) + over * alpha
    return _from_bytes(weft.where(outside, image, mixed.to(weft.uint8)), dtype)


@weft.no_grad()
def draw_keypoints(image, keypoints, connectivity=None, colors=None, radius=2, width=3, visibility=None):
    """A picture (3, H, W) with points (N, K, 2) drawn on it, and lines between the pairs of connectivity.

    >>> import weft
    >>> picture = weft.zeros(3, 16, 16, dtype=weft.uint8)
    >>> weft.vision.utils.draw_keypoints(picture, weft.tensor([[[8., 8.]]]), colors="red")[:, 8, 8]
    tensor([255,   0,   0], dtype=torch.uint8)
    """
    _check(image, "draw_keypoints")
    if image.shape[0] != 3:
        raise ValueError("Pass an RGB image. Other image formats are not supported")
    if keypoints.ndim != 3:
        raise ValueError("keypoints must be of shape (num_instances, K, 2)")
    dtype, image = image.dtype, _to_bytes(image)
    seen = weft.ones(keypoints.shape[:-1], dtype=weft.bool) if visibility is None else visibility.to(weft.bool)
    seen = (seen.squeeze(-1) if seen.ndim == 3 else seen).tolist()
    picture = _as_picture(image)
    draw = pillow("ImageDraw").Draw(picture)
    for i, points in enumerate(keypoints[..., :2].to(weft.int64).tolist()):
        for k, (x, y) in enumerate(points):
            if seen[i][k]:
                draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=colors, outline=None, width=0)
        for a, b in connectivity or ():
            if seen[i][a] and seen[i][b]:
                draw.line((tuple(points[a]), tuple(points[b])), width=width)
    return _from_bytes(_as_tensor(picture), dtype)


def _wheel():
    """(55, 3) colours of the directions (Baker et al. 2011)."""
    made = []
    for length, steady, moving, rising in ((15, 0, 1, True), (6, 1, 0, False), (4, 1, 2, True), (11, 2, 1, False),
                                           (13, 2, 0, True), (6, 0, 2, False)):
        part = np.zeros((length, 3))
        part[:, steady] = 255
        ramp = np.floor(255 * np.arange(length) / length)
        part[:, moving] = ramp if rising else 255 - ramp
        made.append(part)
    return np.concatenate(made)


@weft.no_grad()
def flow_to_image(flow):
    """Movements (N, 2, H, W) or (2, H, W) as colours: the direction as hue, the speed as strength.

    >>> import weft
    >>> weft.vision.utils.flow_to_image(weft.zeros(2, 4, 4))[:, 0, 0]
    tensor([255, 255, 255], dtype=torch.uint8)
    """
    if flow.dtype is not weft.float32:
        raise ValueError(f"Flow should be of dtype float32, got {flow.dtype}.")
    if flow.ndim not in (3, 4) or flow.shape[-3] != 2:
        raise ValueError(f"Input flow should have shape (2, H, W) or (N, 2, H, W), got {tuple(flow.shape)}.")
    each = (flow if flow.ndim == 4 else flow[None]).numpy()
    most = np.sqrt((each ** 2).sum(1)).max() if each.size else 0
    each = each / np.float32(most + np.finfo(np.float32).eps)
    wheel, n = _wheel().astype(np.float32), 55
    strength = np.sqrt((each ** 2).sum(1))
    angle = (np.arctan2(-each[:, 1], -each[:, 0]) / np.float32(np.pi) + 1) / 2 * (n - 1)
    low = np.floor(angle).astype(np.int64)
    high = (low + 1) % n
    part = angle - low.astype(np.float32)
    made = np.zeros((len(each), 3, *each.shape[2:]), np.uint8)
    for c in range(3):
        colour = (1 - part) * wheel[low, c] / 255 + part * wheel[high, c] / 255
        made[:, c] = np.floor(255 * (1 - strength * (1 - colour)))
    made = weft.from_numpy(made)
    return made if flow.ndim == 4 else made[0]
