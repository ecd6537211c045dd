"""Transforms of colour and sharpness (v1)."""
import weft
from weft.nn import Module
from weft.vision.transforms import functional as F
from weft.vision.transforms._compose import Chance
from weft.vision.transforms._draws import both, factors, uniform


class ColorJitter(Module):
    """Brightness, contrast, saturation and hue changed at random, in a random order.

    >>> import weft
    >>> weft.vision.transforms.ColorJitter(brightness=0.5, hue=0.1)(weft.rand(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, brightness=0, contrast=0, saturation=0, hue=0):
        super().__init__()
        self.brightness = factors(brightness, "brightness")
        self.contrast = factors(contrast, "contrast")
        self.saturation = factors(saturation, "saturation")
        self.hue = factors(hue, "hue", center=0, bound=(-0.5, 0.5), clip=False)

    @staticmethod
    def get_params(brightness, contrast, saturation, hue):
        """(order, brightness, contrast, saturation, hue), None for what stays.

        >>> import weft
        >>> weft.vision.transforms.ColorJitter.get_params((1.0, 1.0), None, None, None)[1:]
        (1.0, None, None, None)
        """
        order = weft.randperm(4)
        return (order, *(None if r is None else float(uniform(r[0], r[1])) for r in (brightness, contrast, saturation,
                                                                                      hue)))

    def forward(self, img):
        order, *drawn = self.get_params(self.brightness, self.contrast, self.saturation, self.hue)
        changes = (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation, F.adjust_hue)
        for i in order.tolist():
            if drawn[i] is not None:
                img = changes[i](img, drawn[i])
        return img

    def __repr__(self):
        return (f"ColorJitter(brightness={self.brightness}, contrast={self.contrast}, saturation={self.saturation}, "
                f"hue={self.hue})")


class Grayscale(Module):
    """The picture in grays, with 1 channel or 3.

    >>> import weft
    >>> weft.vision.transforms.Grayscale()(weft.ones(3, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, num_output_channels=1):
        super().__init__()
        self.num_output_channels = num_output_channels

    def forward(self, img):
        return F.rgb_to_grayscale(img, self.num_output_channels)

    def __repr__(self):
        return f"Grayscale(num_output_channels={self.num_output_channels})"


class RandomGrayscale(Chance):
    """The picture in grays with as many channels as before, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomGrayscale(1.0)(weft.ones(3, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def __init__(self, p=0.1):
        super().__init__(p)

    def forward(self, img):
        channels = F.get_dimensions(img)[0]
        return F.rgb_to_grayscale(img, channels) if bool(weft.rand(1) < self.p) else img


class GaussianBlur(Module):
    """The picture blurred, with a sigma from a range.

    >>> import weft
    >>> weft.vision.transforms.GaussianBlur(3)(weft.ones(1, 5, 5)).shape
    torch.Size([1, 5, 5])
    """

    def __init__(self, kernel_size, sigma=(0.1, 2.0)):
        super().__init__()
        self.kernel_size = F.pair(kernel_size, "kernel_size")
        if any(k <= 0 or k % 2 == 0 for k in self.kernel_size):
            raise ValueError(f"kernel_size is {self.kernel_size}, it must be odd and above 0")
        self.sigma = both(sigma, "sigma")
        if not 0.0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(f"sigma is {self.sigma}, it must be above 0, the smaller one first")

    @staticmethod
    def get_params(sigma_min, sigma_max):
        """A sigma.

        >>> import weft
        >>> weft.vision.transforms.GaussianBlur.get_params(2.0, 2.0)
        2.0
        """
        return uniform(sigma_min, sigma_max)

    def forward(self, img):
        sigma = self.get_params(self.sigma[0], self.sigma[1])
        return F.gaussian_blur(img, list(self.kernel_size), [sigma, sigma])

    def __repr__(self):
        return f"GaussianBlur(kernel_size={self.kernel_size}, sigma={tuple(self.sigma)})"


class RandomInvert(Chance):
    """Light and dark exchanged, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomInvert(1.0)(weft.ones(1, 1, 1))
    tensor([[[0.]]])
    """

    _change = staticmethod(F.invert)


class RandomAutocontrast(Chance):
    """Each channel stretched to the whole range, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomAutocontrast(1.0)(weft.tensor([[[0.25, 0.5]]]))
    tensor([[[0., 1.]]])
    """

    _change = staticmethod(F.autocontrast)


class RandomEqualize(Chance):
    """Each channel with a flat histogram, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomEqualize(1.0)(weft.zeros(1, 2, 2, dtype=weft.uint8)).sum()
    tensor(0)
    """

    _change = staticmethod(F.equalize)


class RandomPosterize(Chance):
    """Only the first bits of each byte, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomPosterize(2, p=1.0)(weft.tensor([[[255]]], dtype=weft.uint8))
    tensor([[[192]]], dtype=torch.uint8)
    """

    def __init__(self, bits, p=0.5):
        super().__init__(p)
        self.bits = bits

    def _change(self, img):
        return F.posterize(img, self.bits)

    def __repr__(self):
        return f"RandomPosterize(bits={self.bits},p={self.p})"


class RandomSolarize(Chance):
    """Values from the threshold on inverted, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomSolarize(0.5, p=1.0)(weft.ones(1, 1, 1))
    tensor([[[0.]]])
    """

    def __init__(self, threshold, p=0.5):
        super().__init__(p)
        self.threshold = threshold

    def _change(self, img):
        return F.solarize(img, self.threshold)

    def __repr__(self):
        return f"RandomSolarize(threshold={self.threshold},p={self.p})"


class RandomAdjustSharpness(Chance):
    """Sharper or softer by a factor, with probability p.

    >>> import weft
    >>> weft.vision.transforms.RandomAdjustSharpness(2, p=1.0)(weft.ones(1, 3, 3)).sum()
    tensor(9.)
    """

    def __init__(self, sharpness_factor, p=0.5):
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def _change(self, img):
        return F.adjust_sharpness(img, self.sharpness_factor)

    def __repr__(self):
        return f"RandomAdjustSharpness(sharpness_factor={self.sharpness_factor},p={self.p})"
