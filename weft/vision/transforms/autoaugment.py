"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix (v1)."""
import weft
from weft.nn import Module
from weft.vision.transforms import functional as F
from weft.vision.transforms._augment import AutoAugmentPolicy as AutoAugmentPolicy
from weft.vision.transforms._augment import apply_op, dirichlet, policies, space
from weft.vision.transforms._convert import pil_to_tensor, to_pil_image
from weft.vision.transforms._geometry import channel_fill
from weft.vision.transforms._modes import InterpolationMode

__all__ = ["AutoAugmentPolicy", "AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix"]


def _draw(low, high=None):
    low, high = (0, low) if high is None else (low, high)
    return int(weft.randint(low, high, (1,)).item())


def _signed(strength, signed):
    return -strength if signed and _draw(2) else strength


class AutoAugment(Module):
    """Two operations of a policy that was learnt on ImageNet, CIFAR-10 or SVHN.

    >>> import weft
    >>> picture = weft.zeros(3, 8, 8, dtype=weft.uint8)
    >>> weft.vision.transforms.AutoAugment()(picture).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, policy=AutoAugmentPolicy.IMAGENET, interpolation=InterpolationMode.NEAREST, fill=None):
        super().__init__()
        self.policy, self.interpolation, self.fill = policy, interpolation, fill
        self.policies = policies(policy)

    @staticmethod
    def get_params(transform_num):
        """(which policy, two probabilities, two signs).

        >>> import weft
        >>> which, probabilities, signs = weft.vision.transforms.AutoAugment.get_params(25)
        >>> which < 25, probabilities.shape, signs.shape
        (True, torch.Size([2]), torch.Size([2]))
        """
        return _draw(transform_num), weft.rand((2,)), weft.randint(2, (2,))

    def forward(self, img):
        fill = channel_fill(img, self.fill)
        which, probabilities, signs = self.get_params(len(self.policies))
        _, height, width = F.get_dimensions(img)
        operations = space("auto", 10, height, width)
        for i, (name, p, index) in enumerate(self.policies[which]):
            if probabilities[i] <= p:
                strengths, signed = operations[name]
                strength = float(strengths[index].item()) if index is not None else 0.0
                if signed and signs[i] == 0:
                    strength = -strength
                img = apply_op(img, name, strength, self.interpolation, fill)
        return img

    def __repr__(self):
        return f"AutoAugment(policy={self.policy}, fill={self.fill})"


class RandAugment(Module):
    """num_ops operations, each drawn at random, all of one strength.

    >>> import weft
    >>> picture = weft.zeros(3, 8, 8, dtype=weft.uint8)
    >>> weft.vision.transforms.RandAugment()(picture).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST,
                 fill=None):
        super().__init__()
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins
        self.interpolation, self.fill = interpolation, fill

    def forward(self, img):
        fill = channel_fill(img, self.fill)
        _, height, width = F.get_dimensions(img)
        for _ in range(self.num_ops):
            operations = space("rand", self.num_magnitude_bins, height, width)
            name = list(operations)[_draw(len(operations))]
            strengths, signed = operations[name]
            strength = float(strengths[self.magnitude].item()) if strengths is not None else 0.0
            img = apply_op(img, name, _signed(strength, signed), self.interpolation, fill)
        return img

    def __repr__(self):
        return (f"RandAugment(num_ops={self.num_ops}, magnitude={self.magnitude}, "
                f"num_magnitude_bins={self.num_magnitude_bins}, interpolation={self.interpolation}, fill={self.fill})")


class TrivialAugmentWide(Module):
    """One operation, drawn at random, of a random strength.

    >>> import weft
    >>> picture = weft.zeros(3, 8, 8, dtype=weft.uint8)
    >>> weft.vision.transforms.TrivialAugmentWide()(picture).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None):
        super().__init__()
        self.num_magnitude_bins, self.interpolation, self.fill = num_magnitude_bins, interpolation, fill

    def forward(self, img):
        fill = channel_fill(img, self.fill)
        operations = space("trivial", self.num_magnitude_bins, *F.get_dimensions(img)[1:])
        name = list(operations)[_draw(len(operations))]
        strengths, signed = operations[name]
        strength = float(strengths[_draw(len(strengths))].item()) if strengths is not None else 0.0
        return apply_op(img, name, _signed(strength, signed), self.interpolation, fill)

    def __repr__(self):
        return (f"TrivialAugmentWide(num_magnitude_bins={self.num_magnitude_bins}, interpolation={self.interpolation}, "
                f"fill={self.fill})")


class AugMix(Module):
    """The picture mixed with mixture_width chains of random operations on it.

    >>> import weft
    >>> picture = weft.zeros(3, 8, 8, dtype=weft.uint8)
    >>> weft.vision.transforms.AugMix()(picture).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True,
                 interpolation=InterpolationMode.BILINEAR, fill=None):
        super().__init__()
        if not 1 <= severity <= 10:
            raise ValueError(f"severity is {severity}, it must be from 1 to 10")
        self.severity, self.mixture_width, self.chain_depth, self.alpha = severity, mixture_width, chain_depth, alpha
        self.all_ops, self.interpolation, self.fill = all_ops, interpolation, fill

    def forward(self, orig_img):
        _, height, width = F.get_dimensions(orig_img)
        img = orig_img if isinstance(orig_img, weft.Tensor) else pil_to_tensor(orig_img)
        fill = channel_fill(img, self.fill)
        operations = space("mix", 10, height, width, self.all_ops)
        batch = img.view(*(1,) * max(4 - img.ndim, 0), *img.shape)
        each = [len(batch)] + [1] * (batch.ndim - 1)
        shares = dirichlet(weft.tensor([self.alpha, self.alpha]).expand(len(batch), -1))
        weights = dirichlet(weft.tensor([self.alpha] * self.mixture_width).expand(len(batch), -1))
        weights = weights * shares[:, 1].reshape(len(batch), -1)
        mix = shares[:, 0].reshape(each) * batch
        for i in range(self.mixture_width):
            changed = batch
            for _ in range(self.chain_depth if self.chain_depth > 0 else _draw(1, 4)):
                name = list(operations)[_draw(len(operations))]
                strengths, signed = operations[name]
                strength = float(strengths[_draw(self.severity)].item()) if strengths is not None else 0.0
                changed = apply_op(changed, name, _signed(strength, signed), self.interpolation, fill)
            mix = mix + weights[:, i].reshape(each) * changed
        mix = mix.reshape(img.shape).to(img.dtype)
        return mix if isinstance(orig_img, weft.Tensor) else to_pil_image(mix)

    def __repr__(self):
        return (f"AugMix(severity={self.severity}, mixture_width={self.mixture_width}, chain_depth={self.chain_depth}, "
                f"alpha={self.alpha}, all_ops={self.all_ops}, interpolation={self.interpolation}, fill={self.fill})")
