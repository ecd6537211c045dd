"""Random numbers in the order in which torchvision draws them, and arguments that are a number or two."""
import math
import numbers

import weft


def chance(p):
    """True with probability p."""
    return bool(weft.rand(1) < p)


def uniform(low, high):
    return weft.empty(1).uniform_(low, high).item()


def integer(low, high):
    """From low to high - 1."""
    return int(weft.randint(low, high, size=(1,)).item())


def box(height, width, area_range, ratio_range, strict, draw=None):
    """(h, w, what was drawn, i, j) of a random rectangle inside, None after ten that don't fit; strict: it must be
    smaller. draw is called with (h, w) before the place is chosen.
    """
    low, high = weft.log(weft.tensor(ratio_range)).tolist()
    for _ in range(10):
        area = height * width * uniform(*area_range)
        ratio = weft.exp(weft.empty(1).uniform_(low, high)).item()
        if strict:
            h, w = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            fits = h < height and w < width
        else:
            w, h = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            fits = 0 < w <= width and 0 < h <= height
        if fits:
            drawn = draw(h, w) if draw else None
            return h, w, drawn, integer(0, height - h + 1), integer(0, width - w + 1)
    return None


def middle_box(height, width, ratio):
    """(i, j, h, w) of the largest rectangle about the middle whose ratio is allowed."""
    there = float(width) / float(height)
    h, w = height, width
    if there < min(ratio):
        h = int(round(w / min(ratio)))
    elif there > max(ratio):
        w = int(round(h * max(ratio)))
    return (height - h) // 2, (width - w) // 2, h, w


def corners(width, height, scale):
    """(startpoints, endpoints) of a random perspective."""
    x, y = int(scale * (width // 2)), int(scale * (height // 2))
    end = [[integer(0, x + 1), integer(0, y + 1)],
           [integer(width - x - 1, width), integer(0, y + 1)],
           [integer(width - x - 1, width), integer(height - y - 1, height)],
           [integer(0, x + 1), integer(height - y - 1, height)]]
    return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], end


def affine(degrees, translate, scale_ranges, shears, size):
    """(angle, (x, y), scale, (shear x, shear y)) of a random affine map; size is (width, height)."""
    angle = float(uniform(degrees[0], degrees[1]))
    moved = (0, 0)
    if translate is not None:
        x, y = float(translate[0] * size[0]), float(translate[1] * size[1])
        moved = (int(round(uniform(-x, x))), int(round(uniform(-y, y))))
    scale = float(uniform(scale_ranges[0], scale_ranges[1])) if scale_ranges is not None else 1.0
    shear_x = shear_y = 0.0
    if shears is not None:
        shear_x = float(uniform(shears[0], shears[1]))
        shear_y = float(uniform(shears[2], shears[3])) if len(shears) == 4 else 0.0
    return angle, moved, scale, (shear_x, shear_y)


def displacement(alpha, sigma, size, blur):
    """(1, H, W, 2) of ElasticTransform; alpha and sigma as (x, y)."""
    moved = []
    for i in range(2):
        d = weft.rand([1, 1, *size]) * 2 - 1
        if sigma[i] > 0.0:
            k = int(8 * sigma[i] + 1)
            k += k % 2 == 0
            d = blur(d, [k, k], list(sigma))
        moved.append(d * alpha[i] / size[1 - i])
    return weft.cat(moved, 1).permute(0, 2, 3, 1)


# arguments

def angles(degrees, name, sizes=(2,)):
    """(-degrees, degrees), or as it is."""
    if isinstance(degrees, numbers.Number):
        if degrees < 0:
            raise ValueError(f"{name} is {degrees}; one number must not be negative")
        return [-float(degrees), float(degrees)]
    if not isinstance(degrees, (list, tuple)):
        raise TypeError(f"{name} is a {type(degrees).__name__}\n  fix: give a number or a list of them")
    if len(degrees) not in sizes:
        raise ValueError(f"{name} has {len(degrees)} numbers, not {' or '.join(map(str, sizes))}")
    return [float(d) for d in degrees]


def factors(value, name, center=1.0, bound=(0.0, float("inf")), clip=True):
    """The range [low, high] of a factor, None if it never changes anything."""
    if isinstance(value, numbers.Number):
        if value < 0:
            raise ValueError(f"{name} is {value}; one number must not be negative")
        value = [center - float(value), center + float(value)]
        if clip:
            value[0] = max(value[0], 0.0)
    elif isinstance(value, (tuple, list)) and len(value) == 2:
        value = [float(value[0]), float(value[1])]
    else:
        raise TypeError(f"{name} is {value!r}\n  fix: give one number or (low, high)")
    if not bound[0] <= value[0] <= value[1] <= bound[1]:
        raise ValueError(f"{name} goes from {value[0]} to {value[1]}, it must stay within {bound}")
    return None if value[0] == value[1] == center else (value[0], value[1])


def both(value, name):
    """[x, y] from one number, a list of one, or two."""
    if isinstance(value, numbers.Number):
        return [float(value), float(value)]
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is a {type(value).__name__}\n  fix: give a number, or two")
    if len(value) not in (1, 2):
        raise ValueError(f"{name} has {len(value)} numbers\n  fix: give one or two")
    return [float(v) for v in value] * (3 - len(value))
