# compiled, -Og
"""interpolate and upsample: images, lines and volumes at another size, one axis after the other."""
import functools
import math
import operator

import numpy as np

from weft.core.errors import fail
from weft.ops.core.registry import op
from weft.ops.nn.resample import MIX_BYTES, Later, Mixing, mix_axis, mixing, picking

SPATIAL = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}       # modes that take so many dimensions
MODES = ("nearest", "nearest-exact", "area", *SPATIAL)


def _places(n, size, scale, align, kind):
    """Where the elements of the result stand along the old axis, before its ends are minded."""
    o = np.arange(size, dtype=kind)
    if align:
        return o * (kind((n - 1) / (size - 1)) if size > 1 else kind(0))
    step = kind(1 / scale) if scale is not None else kind(n) / kind(size)
    return (o + kind(0.5)) * step - kind(0.5)


@functools.lru_cache(512)
def _axis(mode, n, size, scale, align, antialias, kind):
    """The mixing from n elements to `size`; scale is the factor that the user gave, None when it was a size; kind:
    numbers' type.
    """
    if mode in ("nearest", "nearest-exact"):
        step = kind(1 / scale) if scale is not None else kind(n) / kind(size)
        o = np.arange(size, dtype=kind) + kind(0 if mode == "nearest" else 0.5)
        return picking(np.minimum(np.floor(o * step).astype(np.int64), n - 1), n)
    if mode == "area":
        return _area(n, size)
    if antialias:
        return _smoothed(n, size, scale, align, mode == "bicubic")
    places = _places(n, size, scale, align, kind)
    if mode == "bicubic":
        return _cubic(places, n)
    places = np.maximum(places, 0)
    first = np.minimum(np.floor(places).astype(np.int64), n - 1)
    t = np.clip(places - first, 0, 1)
    return mixing(np.stack([first, np.minimum(first + 1, n - 1)], 1), np.stack([1 - t, t], 1), n)


def _cubic(places, n):
    """Cubic convolution with A = -0.75 over four neighbours."""
    first = np.minimum(np.floor(places).astype(np.int64), n - 1)
    t = np.clip(places - first, 0, 1).astype(np.float64)
    near = [_cubic_weight(t, -0.75), _cubic_weight(1 - t, -0.75)]
    far = [_cubic_weight(t + 1, -0.75), _cubic_weight(2 - t, -0.75)]
    at = np.clip(first[:, None] + np.arange(-1, 3), 0, n - 1)
    return mixing(at, np.stack([far[0], near[0], near[1], far[1]], 1), n)


def _cubic_weight(d, a):
    """The weight of a neighbour at distance d."""
    d = np.abs(d)
    inner = ((a + 2) * d - (a + 3)) * d * d + 1
    return np.where(d <= 1, inner, np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0))


def _rows_of(starts, ends, weight, n):
    """The mixing whose row o goes over starts[o] .. ends[o], with weight(o, places), brought to sum 1."""
    indices, weights = [], []
    for o in range(len(starts)):
        places = np.arange(starts[o], ends[o])
        w = weight(o, places)
        indices.append(places)
        weights.append(w / w.sum())
    return Mixing(np.concatenate(([0], np.cumsum(np.asarray(ends) - np.asarray(starts)))).astype(np.int64),
                  np.concatenate(indices).astype(np.int64), np.concatenate(weights), n)


def _area(n, size):
    """Means over stretches of equal length, as far as whole elements allow."""
    o = np.arange(size)
    return _rows_of(o * n // size, -(-(o + 1) * n // size), lambda o, places: np.ones(len(places)), n)


def _smoothed(n, size, scale, align, cubic):
    """Interpolation that widens its filter when shrinking."""
    step = ((n - 1) / (size - 1) if size > 1 else 0.0) if align else 1 / scale if scale is not None else n / size
    stretch = max(step, 1.0)
    support = (2 if cubic else 1) * stretch
    centre = step * (np.arange(size) + 0.5)
    starts = np.maximum((centre - support + 0.5).astype(np.int64), 0)
    ends = np.maximum(np.minimum((centre + support + 0.5).astype(np.int64), n), starts + 1)

    def weight(o, places):
        d = (places - centre[o] + 0.5) / stretch
        return _cubic_weight(d, -0.5) if cubic else np.maximum(1 - np.abs(d), 0)
    return _rows_of(starts, ends, weight, n)


def _sizes(x, size, scale_factor, recompute):
    """(the new sizes, the factors that the kernel is to use) of the spatial dimensions."""
    old = x._form.shape[2:]
    if size is not None and scale_factor is not None:
        fail(ValueError, "only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        fail(ValueError, "either size or scale_factor should be defined")
    given = size if size is not None else scale_factor
    given = tuple(given) if isinstance(given, (tuple, list)) else (given,) * len(old)
    if len(given) != len(old):
        what = "output" if size is not None else "scale_factor"
        fail(ValueError, f"Input and {what} must have the same number of spatial dimensions, but got input with "
             f"spatial dimensions of {list(old)} and {what} {list(given)}.",
             "give one number for each spatial dimension")
    if size is not None:
        if recompute:
            fail(ValueError, "recompute_scale_factor is not meaningful with an explicit size.")
        if any(isinstance(s, float) for s in given):
            fail(TypeError, "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], "
                 f"but got size with types {[type(s) for s in given]}", "give whole numbers, or scale_factor=")
        return tuple(operator.index(s) for s in given), (None,) * len(old)
    sizes = tuple(int(math.floor(float(n) * f)) for n, f in zip(old, given))
    return sizes, (None,) * len(old) if recompute else tuple(float(f) for f in given)


def _check(x, mode, align, antialias):
    dims = x._form.ndim - 2
    if mode not in MODES:
        fail(NotImplementedError, f"interpolate: there is no mode {mode!r}", f"use one of {', '.join(MODES)}")
    if mode not in SPATIAL and align is not None:
        fail(ValueError, "align_corners option can only be set with the interpolating modes: linear | bilinear | "
             "bicubic | trilinear")
    if antialias and mode not in ("bilinear", "bicubic"):
        fail(ValueError, "Anti-alias option is only supported for bilinear and bicubic modes")
    if not 1 <= dims <= 3 or SPATIAL.get(mode, dims) != dims:
        fail(NotImplementedError, f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {dims + 2}D) for the "
             f"modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})",
             f"{mode} takes {SPATIAL.get(mode, 'one to three')} spatial dimensions")


def _table(x, mode, n, size, *settings):
    """The mixing of an axis; a tensor without values has none worked out."""
    return Later(functools.partial(_axis, mode, n, size, *settings), size, n) if x._on_meta else \
        _axis(mode, n, size, *settings)


def _resized(x, sizes, scales, mode, align, antialias):
    """The axes one after the other: those that shrink first, then, from the last on, those that grow."""
    old = x._form.shape[2:]
    if any(s <= 0 for s in sizes) or any(n == 0 for n in old):
        fail(RuntimeError, f"Input and output sizes should be greater than 0, but got input {list(old)} and output "
             f"{list(sizes)}")
    if x._form.dtype.kind in "biu" and x._form.dtype != np.uint8:
        fail(NotImplementedError, f'"interpolate" not implemented for {x.dtype}', "convert it with .float()")
    if x._form.dtype == np.uint8 and mode in ("bilinear", "bicubic"):
        return _resized_bytes(x, sizes, scales, mode, align, antialias)
    kind = np.float64 if x._form.dtype == np.float64 else np.float32
    rounded = x._form.dtype == np.uint8 and not mode.startswith("nearest")
    made = x.float() if rounded else x
    for i in sorted(range(len(old)), key=lambda i: (sizes[i] > old[i], -i if sizes[i] > old[i] else i)):
        if sizes[i] != old[i] or scales[i] not in (None, 1.0):
            made = mix_axis(made, i + 2, _table(x, mode, old[i], sizes[i], scales[i], align, antialias, kind))
    if rounded:
        return made.round().clamp(0, 255).to(x.dtype)
    return made if made is not x else x.clone()


def _resized_bytes(x, sizes, scales, mode, align, antialias):
    """Pictures of bytes: the last axis first, each in whole numbers."""
    made = x
    for i in (1, 0):
        old = x._form.shape[i + 2]
        if sizes[i] != old:
            made = MIX_BYTES.compute([made, i + 2, _table(x, mode, old, sizes[i], scales[i], align, antialias,
                                                          np.float64)])
    return made if made is not x else x.clone()


@op
class interpolate:
    """The input (samples, channels, ...) brought to another size."""
    names, method = "nn.functional.interpolate", False

    def compose(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
        _check(input, mode, align_corners, antialias)
        sizes, scales = _sizes(input, size, scale_factor, recompute_scale_factor)
        return _resized(input, sizes, scales, mode, bool(align_corners), bool(antialias))
    samples = [((1, 2, 3), 5), ((1, 2, 3), 5, None, "linear"), ((1, 1, 3, 4), [2, 5], None, "bicubic")]


@op
class _upsample:
    """interpolate under its older name."""
    names, method = "nn.functional.upsample", False

    def compose(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
        return interpolate(input, size, scale_factor, mode, align_corners)
    samples = [((1, 2, 3), 5, None, "linear")]


@op
class _upsample_nearest:
    """interpolate by the nearest element."""
    names, method = "nn.functional.upsample_nearest", False

    def compose(input, size=None, scale_factor=None):
        return interpolate(input, size, scale_factor, "nearest")
    samples = [((1, 2, 3, 2), 5), ((1, 2, 3), None, 2.0)]


@op
class _upsample_bilinear:
    """interpolate bilinearly, corners on corners."""
    names, method = "nn.functional.upsample_bilinear", False

    def compose(input, size=None, scale_factor=None):
        return interpolate(input, size, scale_factor, "bilinear", True)
    samples = [((1, 2, 3, 2), 5)]
