"""Transforms of colour and sharpness, and of whole batches (v2)."""
import weft
from weft.utils._pytree import tree_flatten, tree_unflatten
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.transforms._colour import ColorJitter as JitterV1
from weft.vision.transforms._draws import both, factors, uniform
from weft.vision.transforms.functional import get_dimensions, pair
from weft.vision.transforms.v2 import functional as F
from weft.vision.transforms.v2._base import Maybe, Transform, query_chw, query_size, wrapped
from weft.vision.transforms.v2._containers import labels_of
from weft.vision.transforms.v2._kinds import is_pure_tensor


class ColorJitter(Transform):
    """Brightness, contrast, saturation and hue changed at random, in a random order.

    >>> import weft
    >>> weft.vision.transforms.v2.ColorJitter(brightness=0.5, hue=0.1)(weft.rand(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, brightness=None, contrast=None, saturation=None, hue=None):
        super().__init__()
        self.brightness = None if brightness is None else factors(brightness, "brightness")
        self.contrast = None if contrast is None else factors(contrast, "contrast")
        self.saturation = None if saturation is None else factors(saturation, "saturation")
        self.hue = None if hue is None else factors(hue, "hue", center=0, bound=(-0.5, 0.5), clip=False)

    def make_params(self, flat_inputs):
        order, *drawn = JitterV1.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        return {"order": order.tolist(), "drawn": drawn}

    def transform(self, inpt, params):
        changes = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for i in params["order"]:
            if params["drawn"][i] is not None:
                inpt = changes[i](inpt, params["drawn"][i])
        return inpt


class RandomChannelPermutation(Transform):
    """The channels in a random order.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomChannelPermutation()(weft.ones(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def make_params(self, flat_inputs):
        return {"permutation": weft.randperm(query_chw(flat_inputs)[0])}

    def transform(self, inpt, params):
        return F.permute_channels(inpt, params["permutation"])


class RandomPhotometricDistort(Transform):
    """The colours as another camera would show them, each change with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomPhotometricDistort()(weft.rand(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, brightness=(0.875, 1.125), contrast=(0.5, 1.5), saturation=(0.5, 1.5), hue=(-0.05, 0.05), p=0.5):
        super().__init__()
        self.brightness, self.contrast, self.saturation, self.hue, self.p = brightness, contrast, saturation, hue, p

    def make_params(self, flat_inputs):
        channels = query_chw(flat_inputs)[0]
        drawn = {name: uniform(*range_) if bool(weft.rand(1) < self.p) else None for name, range_ in (
            ("brightness", self.brightness), ("contrast", self.contrast), ("saturation", self.saturation),
            ("hue", self.hue))}
        drawn["contrast_first"] = bool(weft.rand(()) < 0.5)
        drawn["channels"] = weft.randperm(channels) if bool(weft.rand(1) < self.p) else None
        return drawn

    def transform(self, inpt, params):
        def change(inpt, name, function):
            return inpt if params[name] is None else function(inpt, params[name])

        inpt = change(inpt, "brightness", F.adjust_brightness)
        if params["contrast_first"]:
            inpt = change(inpt, "contrast", F.adjust_contrast)
        inpt = change(inpt, "saturation", F.adjust_saturation)
        inpt = change(inpt, "hue", F.adjust_hue)
        if not params["contrast_first"]:
            inpt = change(inpt, "contrast", F.adjust_contrast)
        return change(inpt, "channels", F.permute_channels)


class Grayscale(Transform):
    """The picture in grays, with 1 channel or 3.

    >>> import weft
    >>> weft.vision.transforms.v2.Grayscale()(weft.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, num_output_channels=1):
        super().__init__()
        self.num_output_channels = num_output_channels

    def transform(self, inpt, params):
        return F.rgb_to_grayscale(inpt, self.num_output_channels)


class RandomGrayscale(Maybe):
    """The picture in grays with as many channels as before, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomGrayscale(1.0)(weft.ones(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, p=0.1):
        super().__init__(p)

    def transform(self, inpt, params):
        if isinstance(inpt, (tv_tensors.Mask, tv_tensors.BoundingBoxes, tv_tensors.KeyPoints)):
            return inpt
        return F.rgb_to_grayscale(inpt, get_dimensions(inpt)[0])


class RGB(Transform):
    """A picture with three channels from one with one.

    >>> import weft
    >>> weft.vision.transforms.v2.RGB()(weft.ones(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def transform(self, inpt, params):
        return F.grayscale_to_rgb(inpt)


class GaussianBlur(Transform):
    """The picture blurred, with a sigma from a range.

    >>> import weft
    >>> weft.vision.transforms.v2.GaussianBlur(3)(weft.ones(1, 5, 5)).shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        self.kernel_size = pair(kernel_size, "kernel_size")
        if any(k <= 0 or k % 2 == 0 for k in self.kernel_size):
            raise ValueError(f"kernel_size is {self.kernel_size}, it must be odd and above 0")
        self.sigma = both(sigma, "sigma")
        if not 0.0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(f"sigma is {self.sigma}, it must be above 0, the smaller one first")

    def make_params(self, flat_inputs):
        sigma = uniform(*self.sigma)
        return {"sigma": [sigma, sigma]}

    def transform(self, inpt, params):
        return F.gaussian_blur(inpt, list(self.kernel_size), params["sigma"])


class GaussianNoise(Transform):
    """The picture with noise added.

    >>> import weft
    >>> weft.vision.transforms.v2.GaussianNoise(sigma=0.0)(weft.ones(1, 2, 2)).sum()
    tensor(4.)
    """

    def __init__(self, mean=0.0, sigma=0.1, clip=True):
        super().__init__()
        self.mean, self.sigma, self.clip = mean, sigma, clip

    def transform(self, inpt, params):
        return F.gaussian_noise(inpt, self.mean, self.sigma, self.clip)


class JPEG(Transform):
    """The picture as it looks after having been kept as JPEG, of a quality from a range.

    >>> import weft
    >>> weft.vision.transforms.v2.JPEG((50, 60))(weft.zeros(3, 8, 8, dtype=weft.uint8)).shape
    torch.Size([3, 8, 8])
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image, tv_tensors.Video, is_picture)

    def __init__(self, quality):
        super().__init__()
        self.quality = [quality, quality] if isinstance(quality, int) else list(quality)
        if len(self.quality) != 2 or not 1 <= self.quality[0] <= self.quality[1] <= 100:
            raise ValueError(f"quality is {quality}\n  fix: give one number from 1 to 100, or two")

    def make_params(self, flat_inputs):
        return {"quality": int(weft.randint(self.quality[0], self.quality[1] + 1, ()))}

    def transform(self, inpt, params):
        return F.jpeg(inpt, params["quality"])


class RandomInvert(Maybe):
    """Light and dark exchanged, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomInvert(1.0)(weft.ones(1, 1, 1))
    tensor([[[0.]]])
    """

    def transform(self, inpt, params):
        return F.invert(inpt)


class RandomAutocontrast(Maybe):
    """Each channel stretched to the whole range, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomAutocontrast(1.0)(weft.tensor([[[0.25, 0.5]]]))
    tensor([[[0., 1.]]])
    """

    def transform(self, inpt, params):
        return F.autocontrast(inpt)


class RandomEqualize(Maybe):
    """Each channel with a flat histogram, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomEqualize(1.0)(weft.zeros(1, 2, 2, dtype=weft.uint8)).sum()
    tensor(0)
    """

    def transform(self, inpt, params):
        return F.equalize(inpt)


class RandomPosterize(Maybe):
    """Only the first bits of each byte, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomPosterize(2, p=1.0)(weft.tensor([[[255]]], dtype=weft.uint8))
    tensor([[[192]]], dtype=torch.uint8)
    """

    def __init__(self, bits, p=0.5):
        super().__init__(p)
        self.bits = bits

    def transform(self, inpt, params):
        return F.posterize(inpt, self.bits)


class RandomSolarize(Maybe):
    """Values from the threshold on inverted, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomSolarize(0.5, p=1.0)(weft.ones(1, 1, 1))
    tensor([[[0.]]])
    """

    def __init__(self, threshold, p=0.5):
        super().__init__(p)
        self.threshold = threshold

    def transform(self, inpt, params):
        return F.solarize(inpt, self.threshold)


class RandomAdjustSharpness(Maybe):
    """Sharper or softer by a factor, with probability p.

    >>> import weft
    >>> weft.vision.transforms.v2.RandomAdjustSharpness(2, p=1.0)(weft.ones(1, 3, 3)).sum()
    tensor(9.)
    """

    def __init__(self, sharpness_factor, p=0.5):
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def transform(self, inpt, params):
        return F.adjust_sharpness(inpt, self.sharpness_factor)


class _Mix(Transform):
    """A batch mixed with itself, moved on by one; labels become shares of classes."""

    def __init__(self, alpha=1.0, num_classes=None, labels_getter="default"):
        super().__init__()
        self.alpha, self.num_classes, self.labels_getter = float(alpha), num_classes, labels_getter
        self._dist = weft.distributions.Beta(weft.tensor([self.alpha]), weft.tensor([self.alpha]))

    def forward(self, *inputs):
        inputs = inputs if len(inputs) > 1 else inputs[0]
        flat, spec = tree_flatten(inputs)
        if any(isinstance(v, (tv_tensors.BoundingBoxes, tv_tensors.Mask)) or is_picture(v) for v in flat):
            raise ValueError(f"{type(self).__name__} mixes batches of pictures (tensors) and labels only")
        labels = labels_of(inputs) if self.labels_getter == "default" else self.labels_getter(inputs)
        if not isinstance(labels, weft.Tensor) or labels.ndim not in (1, 2):
            raise ValueError("labels must be a tensor (batch,) of classes or (batch, classes)")
        if labels.ndim == 1 and self.num_classes is None:
            raise ValueError("num_classes is missing: labels that are classes become shares of so many classes")
        params = self._params([v for v in flat if v is not labels and isinstance(v, weft.Tensor)])
        made = []
        for v in flat:
            if v is labels:
                made.append(self._labels(v, params["lam"]))
            elif isinstance(v, weft.Tensor) and v.ndim >= 4:
                made.append(wrapped(self._mix(v.as_subclass(weft.Tensor), params), v))
            else:
                made.append(v)
        return tree_unflatten(made, spec)

    def _labels(self, labels, lam):
        if labels.ndim == 1:
            labels = weft.nn.functional.one_hot(labels, num_classes=self.num_classes)
        labels = labels if labels.is_floating_point() else labels.float()
        return labels.roll(1, 0).mul(1.0 - lam).add(labels.mul(lam))


class MixUp(_Mix):
    """A batch of pictures (B, C, H, W) and labels, each mixed with the one before it.

    >>> import weft
    >>> mixed, labels = weft.vision.transforms.v2.MixUp(num_classes=3)(weft.rand(2, 3, 4, 4), weft.tensor([0, 2]))
    >>> labels.shape, labels.sum(1)
    (torch.Size([2, 3]), tensor([1., 1.]))
    """

    def _params(self, flat_inputs):
        return {"lam": float(self._dist.sample(()))}

    def _mix(self, batch, params):
        lam = params["lam"]
        return batch.roll(1, 0).mul(1.0 - lam).add(batch.mul(lam))


class CutMix(_Mix):
    """A batch of pictures (B, C, H, W) and labels, a rectangle of each taken from the one before it.

    >>> import weft
    >>> mixed, labels = weft.vision.transforms.v2.CutMix(num_classes=3)(weft.rand(2, 3, 4, 4), weft.tensor([0, 2]))
    >>> mixed.shape, labels.sum(1)
    (torch.Size([2, 3, 4, 4]), tensor([1., 1.]))
    """

    def _params(self, flat_inputs):
        lam = float(self._dist.sample(()))
        height, width = query_size([v for v in flat_inputs if v.ndim >= 4])
        x, y = int(weft.randint(width, size=(1,))), int(weft.randint(height, size=(1,)))
        r = 0.5 * (1.0 - lam) ** 0.5
        half_w, half_h = int(r * width), int(r * height)
        x1, y1 = max(x - half_w, 0), max(y - half_h, 0)
        x2, y2 = min(x + half_w, width), min(y + half_h, height)
        return {"box": (x1, y1, x2, y2), "lam": float(1.0 - (x2 - x1) * (y2 - y1) / (width * height))}

    def _mix(self, batch, params):
        x1, y1, x2, y2 = params["box"]
        made = batch.clone()
        made[..., y1:y2, x1:x2] = batch.roll(1, 0)[..., y1:y2, x1:x2]
        return made
