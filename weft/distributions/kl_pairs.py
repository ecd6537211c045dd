"""Divergences between distributions of two families."""
import math

import weft
from weft.distributions.composed import Gumbel, Pareto
from weft.distributions.continuous import Exponential, Laplace, Normal, Uniform
from weft.distributions.continuous_bernoulli import ContinuousBernoulli
from weft.distributions.discrete import Bernoulli, Binomial, Poisson
from weft.distributions.gammas import Beta, Gamma
from weft.distributions.kl import register_kl
from weft.distributions.utils import euler_constant

__all__ = []

# p -> a parameter with its shape, and the families that lie where p may not: the divergence is infinite
_OUTSIDE = {
    Beta: ("concentration1", [Pareto]),
    ContinuousBernoulli: ("probs", [Pareto]),
    Exponential: ("rate", [Beta, ContinuousBernoulli, Pareto, Uniform]),
    Gamma: ("concentration", [Beta, ContinuousBernoulli, Pareto, Uniform]),
    Gumbel: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Laplace: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Normal: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
    Pareto: ("scale", [Beta, ContinuousBernoulli, Uniform]),
    Poisson: ("rate", [Bernoulli, Binomial]),
}


def _infinite(name):
    return lambda p, q: weft.full_like(getattr(p, name), math.inf)


for _family, (_name, _others) in _OUTSIDE.items():
    for _other in _others:
        register_kl(_family, _other)(_infinite(_name))


def _x_log_x(x):
    return weft.xlogy(x, x)


def _mean_of_log(low, high):
    """The mean of log x between two bounds."""
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


def _from_normal(spread, q):
    """The mean of -log q(x) for a normal q, given the mean of (x - q.loc)**2."""
    return 0.5 * (q.scale.pow(2) * 2 * math.pi).log() + 0.5 * spread / q.scale.pow(2)


def _gamma_normalizer(q):
    return q.concentration.lgamma() - q.concentration * q.rate.log()


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


def _continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - weft.log1p(-q.probs) - q._cont_bern_log_norm()


register_kl(Beta, ContinuousBernoulli)(_continuous_bernoulli)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    return weft.where((p.high >= 1.0) | (p.low <= 0.0), math.inf, _continuous_bernoulli(p, q))


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
def _to_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    log_mean = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _gamma_normalizer(q) - (q.concentration - 1) * log_mean + q.rate * p.mean


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
def _to_normal(p, q):
    return -p.entropy() + _from_normal(p.variance + (p.mean - q.loc).pow(2), q)


@register_kl(Beta, Uniform)
def _beta_uniform(p, q):
    return weft.where((q.low > 0.0) | (q.high < 1.0), math.inf, -p.entropy() + (q.high - q.low).log())


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p, q):
    # PyTorch's bounds: infinite too where they are those of p
    return weft.where((q.low >= 0.0) | (q.high <= 1.0), math.inf, -p.entropy() + (q.high - q.low).log())


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    return (-q.concentration * ratio.log() + ratio + q.concentration.lgamma() + q.concentration * euler_constant
            - (1 + euler_constant))


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, away = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - away + away.exp() * product / (product + 1) + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    square = q.scale.pow(2)
    moments = p.rate.pow(-2) - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * (p.rate.pow(2) * square * 2 * math.pi).log() - 1 + moments / square


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    a, product, away = p.concentration, p.rate * q.scale, q.loc / q.scale
    return ((a - 1) * a.digamma() - a.lgamma() - a + product.log() + a / product
            + away.exp() * (1 + product.reciprocal()).pow(-a) - away)


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    a, square = p.concentration, q.scale.pow(2)
    moments = 0.5 * (a.pow(2) + a) / p.rate.pow(2) - q.loc * a / p.rate + 0.5 * q.loc.pow(2)
    return (0.5 * (p.rate.pow(2) * square * 2 * math.pi).log() - a - a.lgamma() + (a - 1) * a.digamma()
            + moments / square)


@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    away = (p.loc + p.scale * euler_constant - q.loc) / q.scale
    return (-(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3 + away.pow(2) * 0.5
            - (euler_constant + 1))


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    square = q.scale.pow(2)
    ratio = p.scale.pow(2) / square
    return -0.5 * (2 * ratio / math.pi).log() + ratio + 0.5 * (p.loc - q.loc).pow(2) / square - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    ratio, away = (p.scale / q.scale).pow(2), (p.loc - q.loc) / q.scale
    return -ratio.log() * 0.5 + away + weft.exp(0.5 * ratio - away) - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    away = p.loc - q.loc
    relative = away / p.scale
    mean_distance = (math.sqrt(2 / math.pi) * p.scale * weft.exp(-0.5 * relative.pow(2))
                     + away * weft.erf(math.sqrt(0.5) * relative))
    return -(p.scale / q.scale).log() + mean_distance / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    found = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return weft.where(p.alpha <= 1, math.inf, found)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    log_mean = p.scale.log() + p.alpha.reciprocal()
    found = (p.alpha.log() - log_mean + _gamma_normalizer(q) + (1 - q.concentration) * log_mean
             + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1)
    return weft.where(p.alpha <= 1, math.inf, found)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    step = p.scale / (p.alpha - 1)
    spread = p.alpha * step.pow(2) / (p.alpha - 2) + (p.alpha * step - q.loc).pow(2)
    found = ((math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
             + spread / (2 * q.scale.pow(2)) - 1)
    return weft.where(p.alpha <= 2, math.inf, found)


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    a, b = q.concentration1, q.concentration0
    found = (a.lgamma() + b.lgamma() - (a + b).lgamma() - (p.high - p.low).log()
             - (a - 1) * _mean_of_log(p.low, p.high) - (b - 1) * _mean_of_log(1 - p.high, 1 - p.low))
    return weft.where((p.high > 1.0) | (p.low < 0.0), math.inf, found)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    found = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return weft.where(p.low < 0.0, math.inf, found)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    found = (-(p.high - p.low).log() + _gamma_normalizer(q) + (1 - q.concentration) * _mean_of_log(p.low, p.high)
             + q.rate * (p.high + p.low) / 2)
    return weft.where(p.low < 0.0, math.inf, found)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * (weft.exp(-high) - weft.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    spread = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return 0.5 * spread / q.scale.pow(2) - (width / (math.sqrt(math.pi * 2) * q.scale)).log()


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    found = (_mean_of_log(p.low, p.high) * (q.alpha + 1)
             - (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log())
    return weft.where(p.low < q.scale, math.inf, found)
