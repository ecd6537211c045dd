"""Distributions of whole numbers: coins, counts, categories."""
import math

import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.distribution import Distribution, Elementwise, ExponentialFamily
from weft.distributions.gammas import Gamma
from weft.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from weft.nn.functional import binary_cross_entropy_with_logits, softplus

__all__ = ["Bernoulli", "Geometric", "Poisson", "Binomial", "NegativeBinomial", "Categorical", "OneHotCategorical",
           "OneHotCategoricalStraightThrough", "Multinomial"]

_BINARY = {"probs": constraints.unit_interval, "logits": constraints.real}


def _one_of(probs, logits):
    """(name, value) of the one that is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("probs", probs) if probs is not None else ("logits", logits)


class _Binary(Elementwise):
    """A distribution with the probability of one event, or its log-odds."""
    arg_constraints = _BINARY
    _layout = {"probs": 0, "logits": 0}

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, value = _one_of(probs, logits)
        self._take(validate_args, **{name: value})

    @lazy_property
    def logits(self):
        """The log-odds.

        >>> import weft
        >>> weft.distributions.Bernoulli(weft.tensor([0.5])).logits
        tensor([0.])
        """
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """The probabilities.

        >>> import weft
        >>> weft.distributions.Bernoulli(logits=weft.zeros(2)).probs
        tensor([0.5000, 0.5000])
        """
        return logits_to_probs(self.logits, is_binary=True)

    _param = property(lambda self: self.__dict__["probs"] if "probs" in self.__dict__ else self.logits)

    @property
    def param_shape(self):
        """The shape of the parameters.

        >>> import weft
        >>> weft.distributions.Bernoulli(weft.tensor([0.5, 0.1])).param_shape
        torch.Size([2])
        """
        return self._param.size()


class Bernoulli(_Binary, ExponentialFamily):
    """1 with probability `probs`, else 0.

    >>> import weft
    >>> d = weft.distributions.Bernoulli(0.25)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.3863)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0
    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self):
        likely = (self.probs >= 0.5).to(self.probs.dtype)
        return weft.where(self.probs == 0.5, math.nan, likely)

    def sample(self, sample_shape=()):
        with weft.no_grad():
            return weft.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._whole_numbers(2, self._param.dtype, expand)

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        return softplus(x)


class Geometric(_Binary):
    """The number of failures before the first success.

    >>> import weft
    >>> d = weft.distributions.Geometric(0.25)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.6740)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    support = constraints.nonnegative_integer
    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: weft.zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def _check_arguments(self):
        super()._check_arguments()
        if not (self.probs > 0).all():
            raise ValueError(f"Expected parameter probs (Tensor of shape {tuple(self.probs.shape)}) of distribution "
                             f"{self!r} to be positive but found invalid values:\n{self.probs}")

    def sample(self, sample_shape=()):
        with weft.no_grad():
            u = weft.empty(self._extended_shape(sample_shape),
                           dtype=self.probs.dtype).uniform_(weft.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check_value(value)
        value, probs = broadcast_all(value, self.probs)
        probs = weft.where((probs == 1) & (value == 0), 0.0, probs)      # certain: 0 * log(0) is 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Poisson(Elementwise, ExponentialFamily):
    """The number of events, `rate` on average.

    >>> import weft
    >>> d = weft.distributions.Poisson(2.0)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.3069)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def __init__(self, rate, validate_args=None):
        self._take(validate_args, rate=rate)

    def sample(self, sample_shape=()):
        with weft.no_grad():
            return weft.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check_value(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (self.rate.log(),)

    def _log_normalizer(self, x):
        return x.exp()


class _Counts(_Binary):
    """A distribution with a total count beside the probability."""
    _layout = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        name, value = _one_of(probs, logits)
        value, total = broadcast_all(value, total_count)
        self.__dict__.update({"total_count": total.to(value.dtype), name: value})
        Distribution.__init__(self, value.shape, validate_args=validate_args)


class Binomial(_Counts):
    """The number of successes among `total_count` tries.

    >>> import weft
    >>> d = weft.distributions.Binomial(4, 0.25)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-0.8630)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"total_count": constraints.nonnegative_integer, **_BINARY}
    has_enumerate_support = True
    mean = property(lambda self: self.total_count * self.probs)
    mode = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with weft.no_grad():
            return weft.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        self._check_value(value)
        n = self.total_count
        # log choose(n, value) + value * logits - n * log(1 + e**logits), smooth at 0 too
        normal = -n * weft.nn.functional.logsigmoid(-self.logits) - (n + 1).lgamma()
        return value * self.logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normal

    def entropy(self):
        log_prob = Binomial.log_prob(self, self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        total = int(self.total_count.max())
        if not self.total_count.min() == total:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        return self._whole_numbers(1 + total, self._param.dtype, expand)


class NegativeBinomial(_Counts):
    """The number of successes before `total_count` failures; sampled as a Poisson with a gamma rate.

    >>> import weft
    >>> d = weft.distributions.NegativeBinomial(4, 0.25)
    >>> d.log_prob(weft.tensor(1.0))
    tensor(-1.1507)
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3])
    """
    arg_constraints = {"total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer
    mean = property(lambda self: self.total_count * weft.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / weft.sigmoid(-self.logits))

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        super().__init__(total_count, probs, logits, validate_args)

    def sample(self, sample_shape=()):
        with weft.no_grad():
            return weft.poisson(Gamma(self.total_count, weft.exp(-self.logits),
                                      validate_args=False).sample(sample_shape))

    def log_prob(self, value):
        self._check_value(value)
        plain = self.total_count * (-self.logits).sigmoid().log() + value * self.logits.sigmoid().log()
        ways = (self.total_count + value).lgamma() - (1.0 + value).lgamma() - self.total_count.lgamma()
        return plain + weft.where(self.total_count + value == 0, 0.0, ways)


class Categorical(Distribution):
    """One of K categories, 0 to K - 1, by the last dimension's probabilities (they are scaled to sum to 1) or logits.

    >>> import weft
    >>> weft.distributions.Categorical(weft.tensor([1., 3.])).probs
    tensor([0.2500, 0.7500])
    """
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _layout = {"probs": 1, "logits": 1}

    def __init__(self, probs=None, logits=None, validate_args=None):
        name, value = _one_of(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        self.__dict__[name] = (value / value.sum(-1, keepdim=True) if name == "probs"
                               else value - value.logsumexp(dim=-1, keepdim=True))
        super().__init__(value.shape[:-1], validate_args=validate_args)

    @lazy_property
    def logits(self):
        """The logarithms of the probabilities, normalised.

        >>> import weft
        >>> weft.distributions.Categorical(weft.tensor([1.0, 1.0])).logits
        tensor([-0.6931, -0.6931])
        """
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """The probabilities, which sum to 1.

        >>> import weft
        >>> weft.distributions.Categorical(weft.tensor([1.0, 3.0])).probs
        tensor([0.2500, 0.7500])
        """
        return logits_to_probs(self.logits)

    _param = property(lambda self: self.__dict__["probs"] if "probs" in self.__dict__ else self.logits)

    @property
    def param_shape(self):
        """The shape of the parameters.

        >>> import weft
        >>> weft.distributions.Categorical(weft.ones(2, 3)).param_shape
        torch.Size([2, 3])
        """
        return self._param.size()

    _num_events = property(lambda self: self._param.size(-1))
    mean = variance = property(lambda self: self._constant(math.nan, self.probs))
    mode = property(lambda self: self.probs.argmax(dim=-1))

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    def sample(self, sample_shape=()):
        sample_shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = weft.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(sample_shape + self._batch_shape)

    def log_prob(self, value):
        self._check_value(value)
        value, logits = weft.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = self.logits.clamp(min=weft.finfo(self.logits.dtype).min)      # 0 * -inf is 0
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return self._whole_numbers(self._num_events, weft.long, expand)


class OneHotCategorical(Distribution):
    """A category as a vector with a single 1.

    >>> import weft
    >>> d = weft.distributions.OneHotCategorical(weft.tensor([0.25, 0.75]))
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3, 2])
    >>> d.batch_shape, d.event_shape
    (torch.Size([]), torch.Size([2]))
    """
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    _param = property(lambda self: self._categorical._param)

    @property
    def probs(self):
        """The probabilities.

        >>> import weft
        >>> weft.distributions.OneHotCategorical(weft.tensor([1.0, 3.0])).probs
        tensor([0.2500, 0.7500])
        """
        return self._categorical.probs

    @property
    def logits(self):
        """The logarithms of the probabilities, or the log-odds.

        >>> import weft
        >>> weft.distributions.OneHotCategorical(weft.tensor([1.0, 1.0])).logits
        tensor([-0.6931, -0.6931])
        """
        return self._categorical.logits

    @property
    def param_shape(self):
        """The shape of the parameters.

        >>> import weft
        >>> weft.distributions.OneHotCategorical(weft.ones(2, 3)).param_shape
        torch.Size([2, 3])
        """
        return self._categorical.param_shape

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    @property
    def mode(self):
        return weft.nn.functional.one_hot(self.probs.argmax(-1), self.event_shape[-1]).to(self.probs.dtype)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new._categorical = self._categorical.expand(batch_shape)
        return new

    def sample(self, sample_shape=()):
        drawn = self._categorical.sample(sample_shape)
        return weft.nn.functional.one_hot(drawn, self.event_shape[-1]).to(self.probs.dtype)

    def log_prob(self, value):
        self._check_value(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = weft.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A one-hot sample whose gradient is that of the probabilities.

    >>> import weft
    >>> d = weft.distributions.OneHotCategoricalStraightThrough(weft.tensor([0.25, 0.75]))
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3, 2])
    >>> d.batch_shape, d.event_shape
    (torch.Size([]), torch.Size([2]))
    """
    has_rsample = True

    def rsample(self, sample_shape=()):
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())


class Multinomial(Distribution):
    """How often each category came among `total_count` draws.

    >>> import weft
    >>> d = weft.distributions.Multinomial(4, weft.tensor([0.25, 0.75]))
    >>> d.sample((2, 3)).shape
    torch.Size([2, 3, 2])
    >>> d.batch_shape, d.event_shape
    (torch.Size([]), torch.Size([2]))
    """
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    _param = property(lambda self: self._categorical._param)

    @property
    def probs(self):
        """The probabilities.

        >>> import weft
        >>> weft.distributions.Multinomial(5, weft.tensor([1.0, 3.0])).probs
        tensor([0.2500, 0.7500])
        """
        return self._categorical.probs

    @property
    def logits(self):
        """The logarithms of the probabilities, or the log-odds.

        >>> import weft
        >>> weft.distributions.Multinomial(5, weft.tensor([1.0, 1.0])).logits
        tensor([-0.6931, -0.6931])
        """
        return self._categorical.logits

    @property
    def param_shape(self):
        """The shape of the parameters.

        >>> import weft
        >>> weft.distributions.Multinomial(5, weft.ones(2, 3)).param_shape
        torch.Size([2, 3])
        """
        return self._categorical.param_shape

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new.total_count, new._categorical = self.total_count, self._categorical.expand(batch_shape)
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    def sample(self, sample_shape=()):
        drawn = self._categorical.sample(Size((self.total_count,)) + Size(sample_shape))
        drawn = drawn.movedim(0, -1)                   # sample_shape, batch_shape, draws
        counts = weft.zeros(self._extended_shape(sample_shape), dtype=self.probs.dtype)
        return counts.scatter_add_(-1, drawn, weft.ones_like(drawn, dtype=counts.dtype))

    def log_prob(self, value):
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + (logits * value).sum(-1)

    def entropy(self):
        n = weft.tensor(float(self.total_count))
        counts = Binomial(self.total_count, probs=self.probs).enumerate_support(False)[1:]      # counts from 1 on
        weights = Binomial(self.total_count, probs=self.probs).log_prob(counts).exp()
        return self.total_count * self._categorical.entropy() - (n + 1).lgamma() + (weights
                                                                                    * (counts + 1).lgamma()).sum([0,
                                                                                                                  -1])
