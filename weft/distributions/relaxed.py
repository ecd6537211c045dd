"""Continuous stand-ins for discrete distributions, with a temperature: samples that gradients pass through."""
import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.composed import TransformedDistribution
from weft.distributions.discrete import Categorical, _Binary, _one_of
from weft.distributions.distribution import Distribution
from weft.distributions.transforms import ExpTransform, SigmoidTransform
from weft.distributions.utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli", "ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class LogitRelaxedBernoulli(_Binary):
    """The log-odds of a relaxed coin.

    >>> import weft
    >>> weft.distributions.LogitRelaxedBernoulli(weft.tensor(0.5), weft.tensor([0.3])).rsample((2,)).shape
    torch.Size([2, 1])
    """
    support = constraints.real
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        name, value = _one_of(probs, logits)
        self._take(validate_args, **{name: value})

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new.temperature = self.temperature
        return new

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(weft.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value):
        self._check_value(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return weft.as_tensor(self.temperature).log() + away - 2 * away.exp().log1p()


class _Relaxed(TransformedDistribution):
    """A relaxed distribution: its base's attributes are its own."""
    has_rsample = True

    @property
    def temperature(self):
        """How far it is from 0 and 1: lower is nearer.

        >>> import weft
        >>> weft.distributions.RelaxedBernoulli(weft.tensor(0.5), weft.tensor([0.5])).temperature
        tensor(0.5000)
        """
        return self.base_dist.temperature

    @property
    def logits(self):
        """The logarithms of the probabilities, or the log-odds.

        >>> import weft
        >>> weft.distributions.RelaxedBernoulli(weft.tensor(0.5), weft.tensor([0.5])).logits
        tensor([0.])
        """
        return self.base_dist.logits

    @property
    def probs(self):
        """The probabilities.

        >>> import weft
        >>> weft.distributions.RelaxedBernoulli(weft.tensor(0.5), weft.tensor([0.5])).probs
        tensor([0.5000])
        """
        return self.base_dist.probs


class RelaxedBernoulli(_Relaxed):
    """A coin between 0 and 1, the nearer to them the lower the temperature.

    >>> import weft
    >>> weft.distributions.RelaxedBernoulli(weft.tensor(0.5), weft.tensor([0.3])).rsample((2,)).shape
    torch.Size([2, 1])
    """
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(),
                         validate_args=validate_args)


class ExpRelaxedCategorical(Distribution):
    """The log of a relaxed one-hot vector.

    >>> import weft
    >>> weft.distributions.ExpRelaxedCategorical(weft.tensor(0.5), weft.tensor([0.3, 0.7])).rsample((2,)).shape
    torch.Size([2, 2])
    """
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    @property
    def logits(self):
        """The logarithms of the probabilities, or the log-odds.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ExpRelaxedCategorical(weft.tensor(0.5), probs=weft.tensor([1.0, 1.0])).logits
        tensor([-0.6931, -0.6931])
        """
        return self._categorical.logits

    @property
    def probs(self):
        """The probabilities.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ExpRelaxedCategorical(weft.tensor(0.5), probs=weft.tensor([1.0, 3.0])).probs
        tensor([0.2500, 0.7500])
        """
        return self._categorical.probs

    @property
    def param_shape(self):
        """The shape of the parameters.

        >>> import weft
        >>> d = weft.distributions
        >>> d.ExpRelaxedCategorical(weft.tensor(0.5), probs=weft.ones(2, 3)).param_shape
        torch.Size([2, 3])
        """
        return self._categorical.param_shape

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Size(batch_shape), _instance)
        new.temperature, new._categorical = self.temperature, self._categorical.expand(batch_shape)
        return new

    def rsample(self, sample_shape=()):
        u = clamp_probs(weft.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        self._check_value(value)
        k, temperature = self.event_shape[0], weft.as_tensor(self.temperature, dtype=self.logits.dtype)
        logits, value = broadcast_all(self.logits, value)
        log_scale = weft.tensor(float(k), dtype=logits.dtype).lgamma() - temperature.log().mul(-(k - 1))
        score = logits - value.mul(temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(_Relaxed):
    """A one-hot vector softened: a point of the simplex, the nearer to a corner the lower the temperature
    (Gumbel-softmax).

    >>> import weft
    >>> weft.distributions.RelaxedOneHotCategorical(weft.tensor(0.5), weft.tensor([0.3, 0.7])).rsample((2,)).shape
    torch.Size([2, 2])
    """
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args), ExpTransform(),
                         validate_args=validate_args)
