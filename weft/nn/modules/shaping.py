"""Layers that move values: flatten, fold, pad, shuffle, upsample, distances."""
import weft.nn.functional as F
from weft.nn.module import Module
from weft.nn.modules.layer import REQUIRED, example, layer

__all__ = (
    "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "CosineSimilarity", "Flatten", "Fold", "PairwiseDistance", "PixelShuffle", "PixelUnshuffle",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "Unflatten", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d",
    "ZeroPad2d", "ZeroPad3d",
)


def _layer(name, function, doc, samples, **settings):
    return layer(name, function, doc, samples, module=__name__, **settings)


CosineSimilarity = _layer("CosineSimilarity", F.cosine_similarity, "The cosine of the angle between vectors.",
                          [((), {}, [(2, 3), (2, 3)]), ((0, 0.1), {}, [(3,), (3,)])], shown=(),
                          shape="two of (..., n, ...) -> without dim.", gives=(2,), dim=1, eps=1e-8)
Fold = _layer("Fold", F.fold, "Adds sliding windows back into an image.",
              [(((3, 2), 2), {}, [(1, 4, 2)]), ((3, 2), {"dilation": 2, "padding": 1, "stride": 2}, [(4, 4)])],
              shape="(N, C * kh * kw, places) -> (N, C, *output_size).", gives=(1, 1, 3, 2),
              output_size=REQUIRED, kernel_size=REQUIRED, dilation=1, padding=0, stride=1)
Unfold = _layer("Unfold", F.unfold, "The sliding windows of an image, as columns.",
                [((2,), {}, [(1, 2, 2, 3)]), (((2, 1),), {"dilation": 2, "padding": 1, "stride": 2}, [(1, 2, 3)])],
                shape="(N, C, H, W) -> (N, C * kh * kw, places).", gives=(1, 8, 2),
                kernel_size=REQUIRED, dilation=1, padding=0, stride=1)
PixelShuffle = _layer("PixelShuffle", F.pixel_shuffle, "Channels into places, r = upscale_factor.",
                      [((2,), {}, [(1, 4, 2, 1)]), ((2,), {}, [(4, 1, 2)])],
                      shape="(N, C * r * r, H, W) -> (N, C, H * r, W * r).", gives=(1, 1, 4, 2),
                      upscale_factor=REQUIRED)
PixelUnshuffle = _layer("PixelUnshuffle", F.pixel_unshuffle, "Places into channels, r = downscale_factor.",
                        [((2,), {}, [(1, 1, 4, 2)]), ((2,), {}, [(1, 2, 2)])],
                        shape="(N, C, H * r, W * r) -> (N, C * r * r, H, W).", gives=(1, 4, 2, 1),
                        downscale_factor=REQUIRED)
ChannelShuffle = _layer("ChannelShuffle", F.channel_shuffle, "Mixes the channels of groups.",
                        [((2,), {}, [(1, 4, 1, 2)]), ((3,), {}, [(2, 6, 1)])],
                        shape="(N, C, ...); the result has the input's.", groups=REQUIRED)


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors.

    Shape: (N, D), (N, D) -> (N,), or (N, 1) with keepdim.

    >>> import weft
    >>> from weft import nn
    >>> nn.PairwiseDistance()(weft.zeros(2, 3), weft.zeros(2, 3)).shape
    torch.Size([2])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-6, keepdim=False):
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)

    _samples = [((), {}, [(2, 3), (2, 3)]), ((3.0,), {"keepdim": True, "eps": 0.1}, [(2, 3), (3,)])]


class Flatten(Module):
    """The dimensions from start_dim to end_dim as one.

    Shape: (N, C, ...) -> (N, C * ...).

    >>> import weft
    >>> from weft import nn
    >>> nn.Flatten()(weft.zeros(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"

    _samples = [((), {}, [(2, 1, 3)]), ((0, 1), {}, [(2, 3, 2)])]


class Unflatten(Module):
    """One dimension as several.

    Shape: (..., n, ...) -> (..., *unflattened_size, ...).

    >>> import weft
    >>> from weft import nn
    >>> nn.Unflatten(1, (2, 3))(weft.zeros(2, 6)).shape
    torch.Size([2, 2, 3])
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if isinstance(dim, str):
            raise TypeError("unflattened_size must be tuple of tuples, but found: names of dimensions are not "
                            "supported\n  fix: give dim as an int")
        for i, n in enumerate(unflattened_size if isinstance(unflattened_size, (tuple, list)) else ()):
            if not isinstance(n, int):
                raise TypeError(f"unflattened_size must be tuple of ints, but found element of type {type(n).__name__} "
                                f"at pos {i}")
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple or list, but found type "
                            f"{type(unflattened_size).__name__}")
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"

    _samples = [((1, (2, 2)), {}, [(2, 4)]), ((-1, (-1, 3)), {}, [(6,)])]


class _Pad(Module):
    """Padding of the last `_dims` dimensions."""

    __constants__ = ["padding"]
    _dims, _mode = 1, "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self._dims)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPad(_Pad):
    _mode = "circular"

    def forward(self, input):
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


def _pad_samples(dims, *value):
    """Samples of padding `dims` dimensions; `value` is what comes after the padding."""
    uneven = tuple(range(2 * dims))[::-1] if dims < 3 else (1, 0, 0, 1, 1, 1)
    image = (4, 4, 2)[:dims]
    return [((1, *value), {}, [(1, 2, *image)]), ((uneven, *value), {}, [(1, *image)])]


def _pads(name, base, mode, doc, *value):
    return [type(f"{name}{d}d", (base,),
                 {"_dims": d, "_mode": mode, "__doc__": _pad_doc(f"{name}{d}d", d, doc, *value),
                  "__module__": __name__, "_samples": _pad_samples(d, *value)}) for d in (1, 2, 3)]


def _pad_doc(name, d, doc, *value):
    lengths = ("L", "H, W", "D, H, W")[d - 1]
    shown = example(name, ((1, *value), {}, [(1, 2, *(4,) * d)]), (1, 2, *(6,) * d))
    return (f"{doc} in the last {d} dimension{'s' * (d > 1)}: as many as `padding` says, or (before, after) for each "
            f"of them, the last first.\n\nShape: (N, C, {lengths}) or (C, {lengths}), with longer {lengths} in the "
            f"result.\n\n{shown}")


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("ConstantPad", _ConstantPad, "constant", "Pads with a value", 1.5)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads("ZeroPad", _ZeroPad, "constant", "Pads with zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("ReflectionPad", _Pad, "reflect",
                                                          "Pads with the mirrored border")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("ReplicationPad", _Pad, "replicate",
                                                             "Pads with the border's value")
CircularPad1d, CircularPad2d, CircularPad3d = _pads("CircularPad", _CircularPad, "circular", "Pads with the other end")


class Upsample(Module):
    """Resizes images to a size or by a factor.

    Shape: (N, C, L), (N, C, H, W) or (N, C, D, H, W) -> the same with other lengths.

    >>> import weft
    >>> from weft import nn
    >>> nn.Upsample(scale_factor=2)(weft.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners, self.recompute_scale_factor = (
            size, mode, align_corners, recompute_scale_factor)
        self.scale_factor = (tuple(map(float, scale_factor)) if isinstance(scale_factor, tuple)
                             else float(scale_factor) if scale_factor else None)

    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)

    def extra_repr(self):
        first = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{first}, mode={self.mode!r}"

    _samples = [((), {"scale_factor": 2}, [(1, 2, 2)]),
                (((3, 4), None, "bilinear"), {"align_corners": True}, [(1, 1, 2, 3)]),
                ((), {"size": 3, "mode": "linear"}, [(1, 2, 2)]),
                ((), {"scale_factor": (1.5, 2.0), "mode": "bicubic"}, [(1, 1, 2, 2)]),
                ((), {"scale_factor": 1.5, "mode": "trilinear", "recompute_scale_factor": True}, [(1, 1, 2, 2, 2)])]


class UpsamplingNearest2d(Upsample):
    """Resizes by repeating values.

    Shape: (N, C, H, W) -> (N, C, H_out, W_out).

    >>> import weft
    >>> from weft import nn
    >>> nn.UpsamplingNearest2d(scale_factor=2)(weft.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")

    _samples = [((), {"scale_factor": 2}, [(1, 2, 2, 1)]), (((3, 4),), {}, [(1, 1, 2, 3)])]


class UpsamplingBilinear2d(Upsample):
    """Resizes by lines between values, the corners kept.

    Shape: (N, C, H, W) -> (N, C, H_out, W_out).

    >>> import weft
    >>> from weft import nn
    >>> nn.UpsamplingBilinear2d(scale_factor=2)(weft.zeros(1, 3, 4, 4)).shape
    torch.Size([1, 3, 8, 8])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)

    _samples = [((), {"scale_factor": 2}, [(1, 2, 2, 1)]), (((3, 4),), {}, [(1, 1, 2, 3)])]


