"""The base of all distributions: shapes, validation, sampling, and expansion by a table of the parameters."""
import warnings

import weft
from weft.core.size import Size
from weft.distributions import constraints
from weft.distributions.utils import broadcast_all, lazy_property
from weft.tensor.tensor import Tensor

__all__ = ["Distribution", "ExponentialFamily"]


class Distribution:
    """A batch of distributions: samples have the shape sample_shape + batch_shape + event_shape.

    A subclass says in `_layout` which of its attributes are parameters, and how many of their last dimensions belong to
    the event.

    >>> import weft
    >>> weft.distributions.Normal(weft.zeros(3), 1.0).sample((2,)).shape
    torch.Size([2, 3])
    """
    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _layout = {}

    @staticmethod
    def set_default_validate_args(value):
        """Whether arguments and values are checked where `validate_args` isn't given.

        >>> import weft
        >>> weft.distributions.Distribution.set_default_validate_args(False)
        >>> weft.distributions.Normal(0.0, -1.0).stddev
        tensor(-1.)
        >>> weft.distributions.Distribution.set_default_validate_args(True)
        """
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args() takes True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_arguments()

    def _check_arguments(self):
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                          f"initialize the distribution "
                          "with `validate_args=False` to turn off validation.", stacklevel=4)
            return
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                continue                # computed from what is checked anyway
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                                 f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                                 f"values:\n{value}")

    @property
    def arg_constraints(self):
        """Parameter -> the constraint that it must meet.

        >>> import weft
        >>> weft.distributions.Exponential(1.0).arg_constraints
        {'rate': GreaterThan(lower_bound=0.0)}
        """
        raise NotImplementedError

    @property
    def support(self):
        """The constraint of values that can be drawn.

        >>> import weft
        >>> weft.distributions.Uniform(0.0, 2.0).support
        Interval(lower_bound=0.0, upper_bound=2.0)
        """
        raise NotImplementedError

    @property
    def batch_shape(self):
        """The shape of the batch: one distribution for each element.

        >>> import weft
        >>> weft.distributions.Normal(weft.zeros(3, 2), 1.0).batch_shape
        torch.Size([3, 2])
        """
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one draw of one distribution.

        >>> import weft
        >>> weft.distributions.MultivariateNormal(weft.zeros(3), weft.eye(3)).event_shape
        torch.Size([3])
        """
        return self._event_shape

    @property
    def mean(self):
        """The mean: batch_shape + event_shape.

        >>> import weft
        >>> weft.distributions.Uniform(0.0, 2.0).mean
        tensor(1.)
        """
        raise NotImplementedError

    @property
    def mode(self):
        """The most likely value: batch_shape + event_shape.

        >>> import weft
        >>> weft.distributions.Normal(3.0, 1.0).mode
        tensor(3.)
        """
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """The variance: batch_shape + event_shape.

        >>> import weft
        >>> weft.distributions.Bernoulli(0.5).variance
        tensor(0.2500)
        """
        raise NotImplementedError

    @property
    def stddev(self):
        """The square root of the variance.

        >>> import weft
        >>> weft.distributions.Uniform(0.0, 12.0 ** 0.5).stddev
        tensor(1.)
        """
        return self.variance.sqrt()

    def expand(self, batch_shape, _instance=None):
        """The same distribution, with its parameters expanded to a batch shape (no memory is copied).

        >>> import weft
        >>> weft.distributions.Normal(0.0, 1.0).expand((2, 3)).batch_shape
        torch.Size([2, 3])
        """
        if not self._layout:
            raise NotImplementedError(f"{type(self).__name__} doesn't define expand()")
        if (_instance is None and "__init__" in vars(type(self))
            and not type(self).__module__.startswith(("weft.distributions", "torch.distributions"))):
            raise NotImplementedError(f"Subclass {type(self).__name__} of {type(self).__mro__[1].__name__} that "
                                      f"defines a custom __init__ "
                                      "method must also define a custom .expand() method.")
        return self._expanded(Size(batch_shape), _instance)

    def _get_checked_instance(self, cls, _instance=None):
        """An instance for a subclass's `expand` to fill, which needs one of its own where `__init__` is its own."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom "
                                      "__init__ method must also define a custom .expand() method.")
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _expanded(self, batch_shape, new=None):
        new = type(self).__new__(type(self)) if new is None else new
        for name, dims in self._layout.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                new.__dict__[name] = (value.expand(batch_shape + value.shape[value.dim() - dims:])
                                      if isinstance(value, Tensor) else value)
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape=()):
        """A sample, without gradients.

        >>> import weft
        >>> weft.distributions.Normal(weft.zeros(3), 1.0).sample((2,)).shape
        torch.Size([2, 3])
        """
        with weft.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """A sample that is a differentiable function of the parameters.

        >>> import weft
        >>> mean = weft.zeros(3, requires_grad=True)
        >>> weft.distributions.Normal(mean, 1.0).rsample((2,)).sum().backward()
        >>> mean.grad
        tensor([2., 2., 2.])
        """
        raise NotImplementedError

    def sample_n(self, n):
        """n draws; the old form of sample((n,)).

        >>> import weft
        >>> weft.distributions.Normal(0.0, 1.0).sample_n(2).shape
        torch.Size([2])
        """
        warnings.warn("sample_n(n) will be deprecated. Use .sample((n,)) instead.", UserWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or probability, of a value: sample_shape + batch_shape.

        >>> import weft
        >>> weft.distributions.Normal(0.0, 1.0).log_prob(weft.tensor(0.0))
        tensor(-0.9189)
        """
        raise NotImplementedError

    def cdf(self, value):
        """The probability of a draw up to a value.

        >>> import weft
        >>> weft.distributions.Normal(0.0, 1.0).cdf(weft.tensor(0.0))
        tensor(0.5000)
        """
        raise NotImplementedError

    def icdf(self, value):
        """The value up to which a draw falls with a probability.

        >>> import weft
        >>> weft.distributions.Uniform(0.0, 2.0).icdf(weft.tensor(0.25))
        tensor(0.5000)
        """
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values that can be drawn, along a new first dimension.

        >>> import weft
        >>> weft.distributions.Categorical(weft.ones(3)).enumerate_support()
        tensor([0, 1, 2])
        """
        raise NotImplementedError

    def entropy(self):
        """The entropy in nats: batch_shape.

        >>> import weft
        >>> weft.distributions.Bernoulli(0.5).entropy()
        tensor(0.6931)
        """
        raise NotImplementedError

    def perplexity(self):
        """e to the power of the entropy: batch_shape.

        >>> import weft
        >>> weft.distributions.Categorical(weft.ones(4)).perplexity()
        tensor(4.)
        """
        return self.entropy().exp()

    def _extended_shape(self, sample_shape=()):
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _whole_numbers(self, count, dtype, expand):
        """0, 1, ... count - 1 along a new first dimension, over the batch."""
        values = weft.arange(count, dtype=dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

    def _constant(self, value, like):
        return weft.full(self._extended_shape(), value, dtype=like.dtype)

    def _validate_sample(self, value):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.shape) - len(self._event_shape)
        if value.shape[start:] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {value.shape} vs "
                             f"{self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs "
                                 f"{expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                          f"distribution with "
                          "`validate_args=False` to turn off validation.", stacklevel=3)
            return
        if not support.check(value).all():
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                             f"within the support ({support!r}) of the distribution {self!r}, but found invalid "
                             f"values:\n{value}")

    def _check_value(self, value):
        if self._validate_args:
            self._validate_sample(value)

    def __repr__(self):
        shown = [n for n in (self.arg_constraints if isinstance(self.arg_constraints, dict) else ())
                 if n in self.__dict__]
        parts = (f"{n}: {v if v.numel() == 1 else v.size()}" for n in shown for v in [self.__dict__[n]])
        return f"{type(self).__name__}({', '.join(parts)})"


class ExponentialFamily(Distribution):
    """A distribution whose density is exp(<t(x), natural parameters> - log-normalizer + k(x)).

    A subclass gives `_natural_params`, `_log_normalizer(*natural_params)` and `_mean_carrier_measure`, the mean of
    k(x); its entropy and its divergences then follow from the log-normalizer's slopes.

    >>> import weft
    >>> weft.distributions.Normal(0.0, 1.0).entropy()
    tensor(1.4189)
    >>> isinstance(weft.distributions.Normal(0.0, 1.0), weft.distributions.ExponentialFamily)
    True
    """
    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError(f"{type(self).__name__} doesn't define _mean_carrier_measure")

    @property
    def _natural_params(self):
        raise NotImplementedError(f"{type(self).__name__} doesn't define _natural_params")

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError(f"{type(self).__name__} doesn't define _log_normalizer(*natural_params)")

    def _slopes(self):
        """The natural parameters as leaves, the log-normalizer there, and its slopes."""
        with weft.enable_grad():
            params = [p.detach().requires_grad_() for p in self._natural_params]
            normalizer = self._log_normalizer(*params)
            return params, normalizer, weft.autograd.grad(normalizer.sum(), params, create_graph=True)

    def entropy(self):
        carrier = self._mean_carrier_measure
        params, normalizer, slopes = self._slopes()
        result = normalizer - carrier
        for param, slope in zip(params, slopes, strict=True):
            result = result - (param * slope).reshape(self._batch_shape + (-1,)).sum(-1)
        return result


class Elementwise(Distribution):
    """A distribution of single numbers whose parameters broadcast together: `self._take(validate_args, loc=loc,
    scale=scale)`.
    """

    def _take(self, validate_args, **given):
        values = broadcast_all(*given.values())
        self.__dict__.update(zip(given, values, strict=True))
        Distribution.__init__(self, values[0].shape, validate_args=validate_args)

    @property
    def _layout(self):
        return dict.fromkeys(self.arg_constraints, 0)
