"""What is done to pictures that are tensors, (..., C, H, W)."""
import math

import numpy as np

import weft
from weft.nn import functional as F

GRAY = (0.2989, 0.587, 0.114)


def check(img):
    if not (isinstance(img, weft.Tensor) and img.ndim >= 2):
        what = f"shape {tuple(img.shape)}" if isinstance(img, weft.Tensor) else type(img).__name__
        raise TypeError(f"this takes a tensor (..., H, W), not {what}")


def dimensions(img):
    """[C, H, W]."""
    check(img)
    return [1 if img.ndim == 2 else img.shape[-3], *img.shape[-2:]]


def bound(dtype):
    """The greatest value of a picture."""
    return 1.0 if dtype.is_floating_point else weft.iinfo(dtype).max if dtype is not weft.bool else 1


def channels_are(img, allowed):
    if dimensions(img)[0] not in allowed:
        raise TypeError(f"the picture has {dimensions(img)[0]} channels, this takes {' or '.join(map(str, allowed))}")


def as_float(img):
    return img if img.is_floating_point() else img.to(weft.float32)


def back(values, dtype):
    """Values of a computation in floats as the picture's type; integers are rounded."""
    if values.dtype is dtype:
        return values
    return (values if dtype.is_floating_point else values.round()).to(dtype)


def convert_dtype(img, dtype):
    """Values in the range of the new type: 0 to 1 for floats, 0 to the greatest one for integers."""
    if img.dtype is dtype:
        return img
    if img.is_floating_point():
        if dtype.is_floating_point:
            return img.to(dtype)
        wide = dtype in (weft.int32, weft.int64) and img.dtype is weft.float32
        if wide or (img.dtype is weft.float64 and dtype is weft.int64):
            raise RuntimeError(f"The cast from {img.dtype} to {dtype} cannot be performed safely: the greatest integer "
                               "is no such float\n  fix: convert to float64 first, or to a smaller integer type")
        return img.mul(bound(dtype) + 1.0 - 1e-3).to(dtype)
    if dtype.is_floating_point:
        return img.to(dtype) / bound(img.dtype)
    old, new = bound(img.dtype), bound(dtype)
    if old > new:
        return weft.div(img, (old + 1) // (new + 1), rounding_mode="floor").to(dtype)
    return img.to(dtype) * ((new + 1) // (old + 1))


# colour

def blend(img, other, ratio):
    """ratio of the picture, the rest of the other one, within the range of its type."""
    return (ratio * img + (1.0 - ratio) * other).clamp(0, bound(img.dtype)).to(img.dtype)


def grayscale(img, channels=1):
    channels_are(img, (1, 3))
    if img.shape[-3] == 3:
        r, g, b = img.unbind(-3)
        img = (GRAY[0] * r + GRAY[1] * g + GRAY[2] * b).to(img.dtype).unsqueeze(-3)
    return img if channels == 1 else img.expand(*img.shape[:-3], channels, *img.shape[-2:])


def adjust_brightness(img, factor):
    channels_are(img, (1, 3))
    return blend(img, weft.zeros_like(img), factor)


def adjust_contrast(img, factor):
    channels_are(img, (1, 3))
    mean = as_float(grayscale(img)).mean(dim=(-3, -2, -1), keepdim=True)
    return blend(img, mean, factor)


def adjust_saturation(img, factor):
    channels_are(img, (1, 3))
    return img if img.shape[-3] == 1 else blend(img, grayscale(img), factor)


def adjust_sharpness(img, factor):
    channels_are(img, (1, 3))
    return img if min(img.shape[-2:]) <= 2 else blend(img, _smooth(img), factor)


def _smooth(img):
    """The mean of 3 x 3 pixels, the middle one counting five times; the border stays."""
    floats = as_float(img)
    kernel = weft.ones(3, 3, dtype=floats.dtype)
    kernel[1, 1] = 5.0
    inside = _filter(floats, kernel / kernel.sum())
    result = img.clone()
    result[..., 1:-1, 1:-1] = back(inside, img.dtype)
    return result


def _filter(img, kernel):
    """Each channel with one kernel, without padding."""
    flat = img.reshape(-1, 1, *img.shape[-2:])
    made = F.conv2d(flat, kernel[None, None])
    return made.reshape(*img.shape[:-2], *made.shape[-2:])


def adjust_gamma(img, gamma, gain):
    made = img if img.is_floating_point() else convert_dtype(img, weft.float32)
    return convert_dtype((gain * made ** gamma).clamp(0, 1), img.dtype)


def adjust_hue(img, factor):
    channels_are(img, (1, 3))
    if img.shape[-3] == 1:
        return img
    hue, saturation, value = _hsv(img if img.is_floating_point() else convert_dtype(img, weft.float32))
    return convert_dtype(_rgb((hue + factor) % 1.0, saturation, value), img.dtype)


def _hsv(img):
    r, g, b = img.unbind(-3)
    value, low = img.amax(-3), img.amin(-3)
    gray, spread = value == low, value - low
    one = weft.ones_like(value)
    saturation = spread / weft.where(gray, one, value)
    divisor = weft.where(gray, one, spread)
    rc, gc, bc = (value - r) / divisor, (value - g) / divisor, (value - b) / divisor
    red, green = value == r, value == g
    hue = red * (bc - gc) + (green & ~red) * (2.0 + rc - bc) + (~green & ~red) * (4.0 + gc - rc)
    return weft.fmod(hue / 6.0 + 1.0, 1.0), saturation, value


def _rgb(hue, saturation, value):
    sector = weft.floor(hue * 6.0)
    rest = hue * 6.0 - sector
    sector = sector.to(weft.int32) % 6
    p = (value * (1.0 - saturation)).clamp(0.0, 1.0)
    q = (value * (1.0 - saturation * rest)).clamp(0.0, 1.0)
    t = (value * (1.0 - saturation * (1.0 - rest))).clamp(0.0, 1.0)
    # what red, green and blue are in each of the six sectors
    table = ((value, q, p, p, t, value), (t, value, value, q, p, p), (p, p, t, value, value, q))
    made = []
    for column in table:
        chosen = column[5]
        for i in range(5):
            chosen = weft.where(sector == i, column[i], chosen)
        made.append(chosen)
    return weft.stack(made, -3)


def invert(img):
    if img.dtype is weft.uint8:
        return img.bitwise_not()
    return bound(img.dtype) - img


def posterize(img, bits):
    if img.dtype is not weft.uint8:
        raise TypeError(f"posterize takes uint8 pictures, not {img.dtype}")
    return img.bitwise_and(256 - 2 ** (8 - bits) if bits > 0 else 0)


def solarize(img, threshold):
    if threshold > bound(img.dtype):
        raise TypeError(f"the threshold {threshold} is more than {bound(img.dtype)}, the greatest value of {img.dtype}")
    return weft.where(img >= threshold, invert(img), img)


def autocontrast(img):
    channels_are(img, (1, 3))
    top, floats = bound(img.dtype), as_float(img)
    low, high = floats.amin(dim=(-2, -1), keepdim=True), floats.amax(dim=(-2, -1), keepdim=True)
    scale = (high - low).reciprocal() * top        # as PyTorch divides a number by a tensor
    flat = ~weft.isfinite(scale)
    low, scale = weft.where(flat, weft.zeros_like(low), low), weft.where(flat, weft.ones_like(scale), scale)
    return ((floats - low) * scale).clamp(0, top).to(img.dtype)


def equalize(img):
    if img.dtype is not weft.uint8:
        raise TypeError(f"equalize takes uint8 pictures, not {img.dtype}")
    channels_are(img, (1, 3))
    planes = img.numpy().reshape(-1, img.shape[-2] * img.shape[-1])
    made = np.stack([_equalized(plane) for plane in planes]) if len(planes) else planes.copy()
    return weft.from_numpy(made.reshape(tuple(img.shape)))


def _equalized(plane):
    counts = np.bincount(plane, minlength=256)
    there = counts[counts != 0]
    step = there[:-1].sum() // 255
    if step == 0:
        return plane.copy()
    table = np.clip(np.concatenate(([0], ((np.cumsum(counts) + step // 2) // step)[:-1])), 0, 255)
    return table.astype(np.uint8)[plane]


# blur

def gaussian_kernel(size, sigma, dtype=weft.float32):
    """(size,) weights that sum up to 1."""
    half = (size - 1) * 0.5
    x = weft.linspace(-half, half, size, dtype=dtype)
    weights = weft.exp(-0.5 * (x / sigma).pow(2))
    return weights / weights.sum()


def gaussian_blur(img, kernel_size, sigma):
    """kernel_size and sigma as (x, y)."""
    floats = as_float(img)
    across, down = (gaussian_kernel(k, s, floats.dtype) for k, s in zip(kernel_size, sigma))
    sides = [kernel_size[0] // 2] * 2 + [kernel_size[1] // 2] * 2
    flat = F.pad(floats.reshape(-1, 1, *img.shape[-2:]), sides, mode="reflect")
    made = F.conv2d(flat, (down[:, None] * across[None, :])[None, None])
    return back(made.reshape(img.shape), img.dtype)


# size and place

def resize(img, size, mode, antialias, native=False):
    """native: uint8 stays uint8 (v2's way); else by floats, rounded (v1's)."""
    if tuple(img.shape[-2:]) == tuple(size):
        return img
    if mode not in ("nearest", "nearest-exact", "bilinear", "bicubic"):
        raise ValueError(f"interpolation {mode!r} is for Pillow's images only\n  fix: take nearest, nearest-exact, "
                         "bilinear or bicubic for a tensor")
    smooth = mode in ("bilinear", "bicubic")
    keep = img.dtype is weft.uint8 and (native or not smooth)
    made = img.reshape(-1, *dimensions(img)) if img.ndim != 4 else img
    made = made if keep or made.is_floating_point() else made.to(weft.float32)
    made = F.interpolate(made, size=tuple(size), mode=mode, align_corners=False if smooth else None,
                         antialias=bool(antialias) and smooth)
    if mode == "bicubic" and img.dtype is weft.uint8 and not keep:
        made = made.clamp(0, 255)
    return back(made, img.dtype).reshape(*img.shape[:-2], *size)


def pad(img, sides, fill, mode):
    """sides: left, top, right, bottom."""
    left, top, right, bottom = sides
    mode = {"edge": "replicate"}.get(mode, mode)
    if mode == "symmetric":
        return _pad_symmetric(img, sides)
    if mode == "constant":
        if isinstance(fill, (list, tuple)):
            return _pad_colour(img, sides, fill)
        made = F.pad(img if img.dtype is not weft.bool else img.to(weft.uint8), [left, right, top, bottom],
                     value=_number(0 if fill is None else fill, img.dtype))
        return made.to(img.dtype)
    flat = as_float(img).reshape(-1, 1, *img.shape[-2:])
    made = F.pad(flat, [left, right, top, bottom], mode=mode)
    return back(made.reshape(*img.shape[:-2], *made.shape[-2:]), img.dtype)


def _number(value, dtype):
    return float(value) if dtype.is_floating_point else int(value)


def _pad_colour(img, sides, fill):
    """A colour for each channel."""
    left, top, right, bottom = sides
    made = F.pad(img, [left, right, top, bottom])
    inside = F.pad(weft.ones(img.shape[-2:], dtype=weft.uint8), [left, right, top, bottom]) > 0
    colour = weft.tensor([_number(f, img.dtype) for f in fill], dtype=img.dtype)[:, None, None]
    return weft.where(inside, made, colour)


def _pad_symmetric(img, sides):
    if min(sides) < 0:
        left, top, right, bottom = (max(-s, 0) for s in sides)
        img = img[..., top:img.shape[-2] - bottom, left:img.shape[-1] - right]
        sides = [max(s, 0) for s in sides]
    left, top, right, bottom = sides
    height, width = img.shape[-2:]
    rows = [*range(top - 1, -1, -1), *range(height), *range(height - 1, height - 1 - bottom, -1)]
    columns = [*range(left - 1, -1, -1), *range(width), *range(width - 1, width - 1 - right, -1)]
    return img[..., weft.tensor(rows, dtype=weft.int64)[:, None], weft.tensor(columns, dtype=weft.int64)[None, :]]


def crop(img, top, left, height, width):
    """Outside of the picture there are zeros."""
    rows, columns = img.shape[-2:]
    bottom, right = top + height, left + width
    if left >= 0 and top >= 0 and right <= columns and bottom <= rows:
        return img[..., top:bottom, left:right]
    sides = [max(min(right, 0) - left, 0), max(min(bottom, 0) - top, 0), max(right - max(columns, left), 0),
             max(bottom - max(rows, top), 0)]
    return pad(img[..., max(top, 0):max(bottom, 0), max(left, 0):max(right, 0)], sides, 0, "constant")


# geometry: grids in the coordinates of grid_sample, -1 to 1

def sample(img, grid, mode, fill):
    """The picture at the points of a grid (1, H, W, 2); fill outside of it."""
    if mode not in ("nearest", "bilinear", "bicubic"):
        raise ValueError(f"interpolation {mode!r} can't be used here\n  fix: take nearest or bilinear")
    planes = as_float(img).reshape(-1, *dimensions(img))
    grid = grid.to(planes.dtype).expand(len(planes), *grid.shape[1:])
    if fill is None:
        made = F.grid_sample(planes, grid, mode=mode, padding_mode="zeros", align_corners=False)
    else:
        inside = weft.ones_like(planes[:, :1])
        made = F.grid_sample(weft.cat((planes, inside), 1), grid, mode=mode, padding_mode="zeros", align_corners=False)
        made, inside = made[:, :-1], made[:, -1:]
        colour = weft.tensor([float(f) for f in (fill if isinstance(fill, (list, tuple)) else [fill])],
                             dtype=planes.dtype).view(1, -1, 1, 1)
        if mode == "nearest":
            made = weft.where(inside < 0.5, colour, made)
        else:
            made = made * inside + (1.0 - inside) * colour
    return back(made.reshape(*img.shape[:-2], *made.shape[-2:]), img.dtype)


def _points(width, height, offset_x, offset_y, dtype):
    """(height * width, 3): x, y, 1 of the middles of the pixels."""
    x = weft.linspace(0.5 - offset_x, width - 0.5 - offset_x, width, dtype=dtype)
    y = weft.linspace(0.5 - offset_y, height - 0.5 - offset_y, height, dtype=dtype)
    x, y = x.expand(height, width), y[:, None].expand(height, width)
    return weft.stack((x, y, weft.ones_like(x)), -1).reshape(-1, 3)


def affine_grid(matrix, size, out_size):
    """Grid of a matrix (6 numbers, from the result's pixels to the picture's, about the middle); sizes (W, H)."""
    theta = weft.tensor(matrix, dtype=weft.float32).reshape(2, 3)
    width, height = out_size
    scaled = theta.t() / weft.tensor([0.5 * size[0], 0.5 * size[1]])
    return (_points(width, height, width * 0.5, height * 0.5, weft.float32) @ scaled).reshape(1, height, width, 2)


def rotated_size(matrix, width, height):
    """(W, H) that hold the whole picture after a turn."""
    x, y = width * 0.5, height * 0.5
    corners = np.array([[-x, -y, 1], [-x, y, 1], [x, y, 1], [x, -y, 1]], np.float32)
    moved = corners @ np.array(matrix, np.float32).reshape(2, 3).T
    low, high = moved.min(0) + np.float32([x, y]), moved.max(0) + np.float32([x, y])
    fine = np.float32(1e-4)         # what a turn by 90 degrees is off by
    low, high = np.floor(np.trunc(low / fine) * fine), np.ceil(np.trunc(high / fine) * fine)
    return int(high[0] - low[0]), int(high[1] - low[1])


def perspective_grid(c, width, height):
    """Grid of eight coefficients: x = (c0 x' + c1 y' + c2) / (c6 x' + c7 y' + 1), y alike with c3, c4, c5."""
    top = weft.tensor([[c[0], c[1], c[2]], [c[3], c[4], c[5]]], dtype=weft.float32)
    low = weft.tensor([[c[6], c[7], 1.0]] * 2, dtype=weft.float32)
    points = _points(width, height, 0.0, 0.0, weft.float32)
    above = points @ (top.t() / weft.tensor([0.5 * width, 0.5 * height]))
    return (above / (points @ low.t()) - 1.0).reshape(1, height, width, 2)


def perspective_coefficients(start, end):
    """The eight coefficients that bring the end points to the start points."""
    rows, right = [], []
    for (x, y), (u, v) in zip(end, start):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    found = np.linalg.lstsq(np.array(rows, np.float64), np.array(right, np.float64), rcond=None)[0]
    return found.astype(np.float32).tolist()


def inverse_affine(center, angle, translate, scale, shear, inverted=True):
    """Six numbers of the map from the result's points back to the picture's (or, not inverted, forth)."""
    turn, sx, sy = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    (cx, cy), (tx, ty) = center, translate
    a = math.cos(turn - sy) / math.cos(sy)
    b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    c = math.sin(turn - sy) / math.cos(sy)
    d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    if inverted:
        m = [d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0]
        m[2] += m[0] * (-cx - tx) + m[1] * (-cy - ty) + cx
        m[5] += m[3] * (-cx - tx) + m[4] * (-cy - ty) + cy
    else:
        m = [a * scale, b * scale, 0.0, c * scale, d * scale, 0.0]
        m[2] += m[0] * -cx + m[1] * -cy + cx + tx
        m[5] += m[3] * -cx + m[4] * -cy + cy + ty
    return m


def elastic_grid(displacement):
    """Grid of displacements (1, H, W, 2)."""
    height, width = displacement.shape[1:3]
    y = weft.linspace((-height + 1) / height, (height - 1) / height, height)
    x = weft.linspace((-width + 1) / width, (width - 1) / width, width)
    still = weft.stack((x.expand(height, width), y[:, None].expand(height, width)), -1)
    return still[None] + displacement
