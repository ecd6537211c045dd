"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix (v2): the same as v1's, drawn in v2's order."""
import weft
from weft.utils._pytree import tree_flatten, tree_unflatten
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.transforms._augment import AutoAugmentPolicy, apply_op, dirichlet, policies, space
from weft.vision.transforms._convert import pil_to_tensor, to_pil_image
from weft.vision.transforms._geometry import channel_fill
from weft.vision.transforms._modes import InterpolationMode, mode_of
from weft.vision.transforms._tensors import bound
from weft.vision.transforms.functional import get_dimensions
from weft.vision.transforms.v2._base import Transform, wrapped
from weft.vision.transforms.v2._geometry import fill_for


def _draw(low, high=None):
    low, high = (0, low) if high is None else (low, high)
    return int(weft.randint(low, high, ()))


class _Auto(Transform):
    """Changes the one picture among its inputs."""

    def __init__(self, interpolation, fill):
        super().__init__()
        self.interpolation, self.fill = mode_of(interpolation), fill

    def forward(self, *inputs):
        flat, spec = tree_flatten(inputs if len(inputs) > 1 else inputs[0])
        wanted = [i for i, want in enumerate(self._wanted(flat)) if want]
        if any(isinstance(flat[i], (tv_tensors.BoundingBoxes, tv_tensors.Mask, tv_tensors.KeyPoints)) for i in wanted):
            raise TypeError(f"{type(self).__name__} changes pictures only: boxes, masks and points would no longer fit")
        if len(wanted) != 1:
            raise TypeError(f"{type(self).__name__} takes one picture, it got {len(wanted)}")
        value = flat[wanted[0]]
        plain = value.as_subclass(weft.Tensor) if isinstance(value, weft.Tensor) else value
        flat[wanted[0]] = wrapped(self._augment(plain, channel_fill(plain, fill_for(self.fill, value))), value)
        return tree_unflatten(flat, spec)

    def _apply(self, img, name, strength, fill):
        if name == "Solarize":          # v2's strengths are parts of the range
            strength = strength * (bound(img.dtype) if isinstance(img, weft.Tensor) else 255.0)
        return apply_op(img, name, strength, self.interpolation, fill)

    def _strength(self, entry, index):
        """Of an entry of the space; index() draws which."""
        strengths, signed = entry
        if strengths is None:
            return 0.0
        strength = float(strengths[index()])
        return -strength if signed and bool(weft.rand(()) <= 0.5) else strength


class AutoAugment(_Auto):
    """Two operations of a policy that was learnt on ImageNet, CIFAR-10 or SVHN.

    >>> import weft
    >>> weft.vision.transforms.v2.AutoAugment()(weft.zeros(3, 8, 8, dtype=weft.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, policy=AutoAugmentPolicy.IMAGENET, interpolation=InterpolationMode.NEAREST, fill=None):
        super().__init__(interpolation, fill)
        self.policy = policy
        self._policies = policies(policy)

    def _augment(self, img, fill):
        operations = space("auto", 10, *get_dimensions(img)[1:], solar=1.0)
        for name, p, index in self._policies[_draw(len(self._policies))]:
            if not weft.rand(()) <= p:
                continue
            strength = self._strength(operations[name], lambda index=index: index)
            img = self._apply(img, name, strength, fill)
        return img


class RandAugment(_Auto):
    """num_ops operations, each drawn at random, all of one strength.

    >>> import weft
    >>> weft.vision.transforms.v2.RandAugment()(weft.zeros(3, 8, 8, dtype=weft.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST,
                 fill=None):
        super().__init__(interpolation, fill)
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins

    def _augment(self, img, fill):
        operations = space("rand", self.num_magnitude_bins, *get_dimensions(img)[1:], solar=1.0)
        for _ in range(self.num_ops):
            name = list(operations)[_draw(len(operations))]
            img = self._apply(img, name, self._strength(operations[name], lambda: self.magnitude), fill)
        return img


class TrivialAugmentWide(_Auto):
    """One operation, drawn at random, of a random strength.

    >>> import weft
    >>> weft.vision.transforms.v2.TrivialAugmentWide()(weft.zeros(3, 8, 8, dtype=weft.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, num_magnitude_bins=31, interpolation=InterpolationMode.NEAREST, fill=None):
        super().__init__(interpolation, fill)
        self.num_magnitude_bins = num_magnitude_bins

    def _augment(self, img, fill):
        operations = space("trivial", self.num_magnitude_bins, *get_dimensions(img)[1:], solar=1.0)
        name = list(operations)[_draw(len(operations))]
        return self._apply(img, name, self._strength(operations[name], lambda: _draw(self.num_magnitude_bins)), fill)


class AugMix(_Auto):
    """The picture mixed with mixture_width chains of random operations on it.

    >>> import weft
    >>> weft.vision.transforms.v2.AugMix()(weft.zeros(3, 8, 8, dtype=weft.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True,
                 interpolation=InterpolationMode.BILINEAR, fill=None):
        super().__init__(interpolation, fill)
        if not 1 <= severity <= 10:
            raise ValueError(f"severity is {severity}, it must be from 1 to 10")
        self.severity, self.mixture_width, self.chain_depth = severity, mixture_width, chain_depth
        self.alpha, self.all_ops = alpha, all_ops

    def _augment(self, orig, fill):
        img = pil_to_tensor(orig) if is_picture(orig) else orig
        operations = space("mix", 10, *get_dimensions(img)[1:], self.all_ops, solar=1.0)
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
                strength = self._strength(operations[name], lambda: _draw(self.severity))
                changed = self._apply(changed, name, strength, fill)
            mix = mix + weights[:, i].reshape(each) * changed
        mix = mix.reshape(img.shape).to(img.dtype)
        return to_pil_image(mix) if is_picture(orig) else mix
