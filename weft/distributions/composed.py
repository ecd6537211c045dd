"""Distributions made of distributions: events of several dimensions, transformed samples, mixtures."""
import math

import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.continuous import Exponential, Normal, Uniform
from weft.distributions.discrete import Categorical
from weft.distributions.distribution import Distribution
from weft.distributions.transforms import AffineTransform, ComposeTransform, ExpTransform, PowerTransform, Transform
from weft.distributions.utils import _sum_rightmost, broadcast_all, euler_constant

__all__ = ["Independent", "TransformedDistribution", "LogNormal", "Gumbel", "Weibull", "Pareto", "MixtureSameFamily"]


class Independent(Distribution):
    """A distribution whose last batch dimensions count as part of the event: log_prob is summed over them.

    >>> import weft
    >>> d = weft.distributions.Independent(weft.distributions.Normal(weft.zeros(3), 1.0), 1)
    >>> d.batch_shape, d.event_shape
    (torch.Size([]), torch.Size([3]))
    """
    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        shape = base_distribution.batch_shape + base_distribution.event_shape
        if reinterpreted_batch_ndims > len(base_distribution.batch_shape):
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {len(base_distribution.batch_shape)}")
        event_dim = reinterpreted_batch_ndims + len(base_distribution.event_shape)
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:len(shape) - event_dim], shape[len(shape) - event_dim:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        inner = self.event_shape[:self.reinterpreted_batch_ndims]
        new.base_dist, new.reinterpreted_batch_ndims = self.base_dist.expand(Size(batch_shape)
                                                                             + inner), self.reinterpreted_batch_ndims
        return new

    @property
    def has_rsample(self):
        """Whether it has rsample, as what it is made of.

        >>> import weft
        >>> d = weft.distributions
        >>> d.Independent(d.Normal(weft.zeros(3), 1.0), 1).has_rsample
        True
        """
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self):
        """Whether it can list its values.

        >>> import weft
        >>> d = weft.distributions
        >>> d.Independent(d.Bernoulli(weft.ones(3) / 2), 1).has_enumerate_support
        False
        """
        return not self.reinterpreted_batch_ndims and self.base_dist.has_enumerate_support

    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)

    @constraints.dependent_property
    def support(self):
        inner = self.base_dist.support
        return (constraints.independent(inner, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims
                else inner)

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What comes out when samples of a distribution go through transforms.

    >>> import weft
    >>> from weft.distributions import Normal, TransformedDistribution
    >>> from weft.distributions.transforms import ExpTransform
    >>> TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()]).log_prob(weft.tensor(1.0))
    tensor(-0.9189)
    """
    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        for t in self.transforms:
            if not isinstance(t, Transform):
                raise ValueError(f"transforms must be a Transform or a list of Transforms, but one is a "
                                 f"{type(t).__name__}")
        whole = ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(shape) < whole.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but "
                             f"got {shape}.")
        out = Size(whole.forward_shape(shape))
        before = whole.inverse_shape(out)
        if shape != before:                # the transforms' parameters have batch dimensions of their own
            n = len(before) - len(base_distribution.event_shape)
            base_distribution = base_distribution.expand(before[:n])
        more = whole.domain.event_dim - len(base_distribution.event_shape)
        self.base_dist = Independent(base_distribution, more) if more > 0 else base_distribution
        event_dim = whole.codomain.event_dim + max(len(base_distribution.event_shape) - whole.domain.event_dim, 0)
        super().__init__(out[:len(out) - event_dim], out[len(out) - event_dim:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        shape = ComposeTransform(self.transforms).inverse_shape(Size(batch_shape) + self.event_shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        new.transforms = self.transforms
        return new

    @property
    def has_rsample(self):
        """Whether it has rsample, as what it is made of.

        >>> import weft
        >>> d = weft.distributions
        >>> d.TransformedDistribution(d.Normal(0.0, 1.0), d.ExpTransform()).has_rsample
        True
        """
        return self.base_dist.has_rsample

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support, n = self.transforms[-1].codomain, len(self.event_shape)
        return constraints.independent(support, n - support.event_dim) if n > support.event_dim else support

    def _through(self, x):
        for t in self.transforms:
            x = t(x)
        return x

    def sample(self, sample_shape=()):
        with weft.no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        self._check_value(value)
        total, dims, y = 0.0, len(self.event_shape), value
        for t in reversed(self.transforms):
            x = t.inv(y)
            dims += t.domain.event_dim - t.codomain.event_dim
            total = total - _sum_rightmost(t.log_abs_det_jacobian(x, y), dims - t.domain.event_dim)
            y = x
        return total + _sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _turned(self, probability):
        """The probability, or 1 minus it where the transforms turn the order round."""
        sign = 1
        for t in self.transforms:
            sign = sign * t.sign
        return sign * (probability - 0.5) + 0.5

    def cdf(self, value):
        for t in self.transforms[::-1]:
            value = t.inv(value)
        self._check_base(value)
        return self._turned(self.base_dist.cdf(value))

    def _check_base(self, value):
        if self._validate_args:
            self.base_dist._validate_sample(value)

    def icdf(self, value):
        return self._through(self.base_dist.icdf(self._turned(value)))


class LogNormal(TransformedDistribution):
    """e to the power of a normal.

    >>> import weft
    >>> d = weft.distributions.LogNormal(0.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-0.9189)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self):
        """The mean of the logarithm.

        >>> import weft
        >>> weft.distributions.LogNormal(1.0, 0.5).loc
        tensor(1.)
        """
        return self.base_dist.loc

    @property
    def scale(self):
        """The standard deviation of the logarithm.

        >>> import weft
        >>> weft.distributions.LogNormal(1.0, 0.5).scale
        tensor(0.5000)
        """
        return self.base_dist.scale

    mean = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = property(lambda self: (self.loc - self.scale.square()).exp())
    variance = property(lambda self: self.scale.pow(2).expm1() * (2 * self.loc + self.scale.pow(2)).exp())

    def expand(self, batch_shape, _instance=None):
        return TransformedDistribution.expand(self, batch_shape, _instance)

    def entropy(self):
        return self.base_dist.entropy() + self.loc


class _FromUniform(TransformedDistribution):
    """A distribution of single numbers made from a uniform one; its parameters are its own attributes."""
    has_rsample = True

    def expand(self, batch_shape, _instance=None):
        given = {name: getattr(self, name).expand(batch_shape) for name in self.arg_constraints}
        return type(self)(**given, validate_args=False if not self._validate_args else None)


class Gumbel(_FromUniform):
    """The distribution of the greatest of many.

    >>> import weft
    >>> d = weft.distributions.Gumbel(0.0, 1.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.3679)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info = weft.finfo(self.loc.dtype)
        base = Uniform(weft.full_like(self.loc, info.tiny), weft.full_like(self.loc, 1 - info.eps),
                       validate_args=validate_args)
        minus = AffineTransform(loc=0, scale=-weft.ones_like(self.scale))
        super().__init__(base, [ExpTransform().inv, minus, ExpTransform().inv,
                                AffineTransform(loc=self.loc, scale=-self.scale)],
                         validate_args=validate_args)

    def log_prob(self, value):
        self._check_value(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    mean = property(lambda self: self.loc + self.scale * euler_constant)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)


class Weibull(_FromUniform):
    """scale times an exponential to the power 1 / concentration.

    >>> import weft
    >>> d = weft.distributions.Weibull(1.0, 2.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-0.3069)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(weft.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, [PowerTransform(exponent=self.concentration_reciprocal),
                                AffineTransform(loc=0, scale=self.scale)],
                         validate_args=validate_args)

    mean = property(lambda self: self.scale * weft.exp(weft.lgamma(1 + self.concentration_reciprocal)))

    @property
    def mode(self):
        c = self.concentration
        return self.scale * ((c - 1) / c) ** c.reciprocal()

    @property
    def variance(self):
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (weft.exp(weft.lgamma(1 + 2 * r)) - weft.exp(2 * weft.lgamma(1 + r)))

    def entropy(self):
        r = self.concentration_reciprocal
        return euler_constant * (1 - r) + (self.scale * r).log() + 1


class Pareto(_FromUniform):
    """scale times e to the power of an exponential with rate alpha.

    >>> import weft
    >>> d = weft.distributions.Pareto(1.0, 2.0)
    >>> d.log_prob(weft.tensor(2.0))
    tensor(-1.3863)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(Exponential(self.alpha, validate_args=validate_args),
                         [ExpTransform(), AffineTransform(loc=0, scale=self.scale)], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)                    # infinite up to 1
        return a * self.scale / (a - 1)

    mode = property(lambda self: self.scale)

    @property
    def variance(self):
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class MixtureSameFamily(Distribution):
    """A mixture: the components are the last batch dimension of one distribution, chosen by a Categorical.

    >>> import weft
    >>> from weft.distributions import Categorical, MixtureSameFamily, Normal
    >>> d = MixtureSameFamily(Categorical(weft.ones(2)), Normal(weft.tensor([-1.0, 1.0]), 1.0))
    >>> d.mean
    tensor(0.)
    """
    arg_constraints = {}

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("The Mixture distribution needs to be an instance of weft.distributions.Categorical, "
                             f"not a {type(mixture_distribution).__name__}")
        if not isinstance(component_distribution, Distribution):
            raise ValueError(f"The Component distribution needs to be an instance of Distribution, not a "
                             f"{type(component_distribution).__name__}")
        self._mixture, self._component = mixture_distribution, component_distribution
        batch, k = component_distribution.batch_shape[:-1], component_distribution.batch_shape[-1]
        for a, b in zip(reversed(mixture_distribution.batch_shape), reversed(batch), strict=False):
            if a != 1 and b != 1 and a != b:
                raise ValueError(f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not "
                                 f"compatible with `component_distribution.batch_shape`({batch})")
        if mixture_distribution._num_events != k:
            raise ValueError(f"`mixture_distribution component` ({mixture_distribution._num_events}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({k})")
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    @property
    def mixture_distribution(self):
        """The Categorical that chooses a component.

        >>> import weft
        >>> d = weft.distributions
        >>> mixture = d.MixtureSameFamily(d.Categorical(weft.ones(2)), d.Normal(weft.tensor([-1.0, 1.0]), 0.1))
        >>> mixture.mixture_distribution.probs
        tensor([0.5000, 0.5000])
        """
        return self._mixture

    @property
    def component_distribution(self):
        """The components, along the batch's last dimension.

        >>> import weft
        >>> d = weft.distributions
        >>> mixture = d.MixtureSameFamily(d.Categorical(weft.ones(2)), d.Normal(weft.tensor([-1.0, 1.0]), 0.1))
        >>> mixture.component_distribution.mean
        tensor([-1.,  1.])
        """
        return self._component

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new._component = self._component.expand(Size(batch_shape) + self._component.batch_shape[-1:])
        new._mixture = self._mixture.expand(batch_shape)
        return new

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component.support)

    def _validate_sample(self, value):
        self._component._validate_sample(self._pad(value))

    def _pad(self, x):
        return x.unsqueeze(-1 - len(self._event_shape))        # room for the components

    def _weighted(self, x):
        """The mean over the components of values of the shape batch, k, event."""
        probs = self._mixture.probs
        probs = probs.reshape(probs.shape + (1,) * len(self._event_shape))
        return (probs * x).sum(dim=-1 - len(self._event_shape))

    mean = property(lambda self: self._weighted(self._component.mean))

    @property
    def variance(self):
        between = (self._component.mean - self._pad(self.mean)).pow(2.0)
        return self._weighted(self._component.variance) + self._weighted(between)

    def cdf(self, x):
        return (self._component.cdf(self._pad(x)) * self._mixture.probs).sum(-1)

    def log_prob(self, x):
        self._check_value(x)
        return weft.logsumexp(self._component.log_prob(self._pad(x)) + self._mixture.logits.log_softmax(-1), dim=-1)

    def sample(self, sample_shape=()):
        with weft.no_grad():
            chosen, parts = self._mixture.sample(sample_shape), self._component.sample(sample_shape)
            dim = parts.dim() - len(self._event_shape) - 1
            chosen = chosen.expand(parts.shape[:dim]).reshape(parts.shape[:dim] + (1,) * (parts.dim() - dim))
            return parts.gather(dim, chosen.expand(parts.shape[:dim] + (1,) + self._event_shape)).squeeze(dim)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self._mixture},\n  {self._component})"
