"""kl_divergence(p, q): a table of formulas by the two classes; the nearest classes' formula is taken."""
import math

import weft
from weft.distributions.composed import Gumbel, Independent, Pareto, TransformedDistribution
from weft.distributions.continuous import Cauchy, Exponential, Laplace, Normal, Uniform
from weft.distributions.continuous_bernoulli import ContinuousBernoulli
from weft.distributions.discrete import Bernoulli, Binomial, Categorical, Geometric, OneHotCategorical, Poisson
from weft.distributions.distribution import ExponentialFamily
from weft.distributions.gammas import Beta, Dirichlet, Gamma
from weft.distributions.halves import HalfNormal
from weft.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from weft.distributions.multivariate import MultivariateNormal, _squared_lengths
from weft.distributions.utils import _sum_rightmost, euler_constant
from weft.nn.functional import softplus

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY = {}


def register_kl(type_p, type_q):
    """Decorator: the function gives the divergence of a `type_p` from a `type_q`.

    >>> import weft
    >>> class Point(weft.distributions.Normal):
    ...     pass
    >>> @weft.distributions.register_kl(Point, Point)
    ... def kl(p, q):
    ...     return (p.loc - q.loc).abs()
    >>> weft.distributions.kl_divergence(Point(0.0, 1.0), Point(2.0, 1.0))
    tensor(2.)
    """
    for kind in (type_p, type_q):
        if not isinstance(kind, type):      # any class: Pyro has a base of its own for distributions
            raise TypeError(f"Expected type_p and type_q to be Distribution subclasses but got {kind}")

    def keep(function):
        _KL_REGISTRY[type_p, type_q] = function
        return function
    return keep


def _nearest(p, q):
    """The formula of the classes that come first in the two orders of resolution, p's before q's."""
    for a in p.__mro__:
        for b in q.__mro__:
            if (a, b) in _KL_REGISTRY:
                return _KL_REGISTRY[a, b]
    return None


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of p from q, for each of the batch.

    >>> import weft
    >>> weft.distributions.kl_divergence(weft.distributions.Normal(0., 1.), weft.distributions.Normal(1., 1.))
    tensor(0.5000)
    """
    formula = _nearest(type(p), type(q))
    if formula is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
                                  f"{type(q).__name__}: "
                                  "register one with weft.distributions.register_kl")
    return formula(p, q)


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    yes = weft.where(q.probs == 0, math.inf, yes)
    no = weft.where(q.probs == 1, math.inf, no)
    return weft.where(p.probs == 0, 0.0, yes) + weft.where(p.probs == 1, 0.0, no)


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return weft.where((p.total_count > q.total_count).expand(each.shape), math.inf, each)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    each = p.probs * (p.logits - q.logits)
    each = weft.where((q.probs == 0).expand_as(each), math.inf, each)
    return weft.where((p.probs == 0).expand_as(each), 0.0, each).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - weft.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    away = (p.loc - q.loc).abs()
    return -(p.scale / q.scale).log() + away / q.scale + p.scale / q.scale * (-away / p.scale).exp() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return weft.where((q.low > p.low) | (q.high < p.high), math.inf, found)


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    return (b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma()
            + (q.rate - p.rate) * (a / p.rate))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    each = (b.lgamma() - a.lgamma() + (a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)
    return total.lgamma() - b.sum(-1).lgamma() + each


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two Multivariate Normals with different event shapes cannot be "
                         "computed")
    batch, n = weft.broadcast_shapes(p.batch_shape, q.batch_shape), p.event_shape[0]
    lower = q._unbroadcasted_scale_tril.expand(batch + (n, n))
    spread = weft.linalg.solve_triangular(lower, p._unbroadcasted_scale_tril.expand(batch + (n, n)),
                                          upper=False).pow(2).sum((-2, -1))
    away = weft.linalg.solve_triangular(lower, (q.loc - p.loc).expand(batch + (n,)).unsqueeze(-1),
                                        upper=False).pow(2).sum((-2, -1))
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + away - n)


def _same_events(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot "
                         f"be computed: {tuple(p.event_shape)} and {tuple(q.event_shape)}")


def _sum_of_squares(matrix):
    return matrix.pow(2).sum((-2, -1))


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _lowrank(p, q):
    _same_events(p, q)
    diag, reduced = p._unbroadcasted_cov_diag, q._reduced()
    # the trace of q's precision, 1 / diag - reduced.T @ reduced, times p's covariance
    trace = ((diag / q._unbroadcasted_cov_diag).sum(-1)
             + _sum_of_squares(p._unbroadcasted_cov_factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
             - _sum_of_squares(reduced * diag.sqrt().unsqueeze(-2))
             - _sum_of_squares(reduced @ p._unbroadcasted_cov_factor))
    return 0.5 * (q._log_det() - p._log_det() + trace + q._distance(q.loc - p.loc) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_lowrank(p, q):
    _same_events(p, q)
    lower = p._unbroadcasted_scale_tril
    trace = (_sum_of_squares(lower * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
             - _sum_of_squares(q._reduced() @ lower))
    return 0.5 * (q._log_det() - 2 * p._half_log_det() + trace + q._distance(q.loc - p.loc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _lowrank_multivariate(p, q):
    _same_events(p, q)
    batch = weft.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_cov_factor.shape[:-2],
                                  p._unbroadcasted_cov_diag.shape[:-1])
    lower = q._unbroadcasted_scale_tril.expand(batch + q._unbroadcasted_scale_tril.shape[-2:])
    parts = (p._unbroadcasted_cov_factor, weft.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    trace = sum(_sum_of_squares(weft.linalg.solve_triangular(lower, part.expand(batch + part.shape[-2:]), upper=False))
                for part in parts)
    away = _squared_lengths(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return 0.5 * (2 * q._half_log_det() - p._log_det() + trace + away - p.event_shape[0])


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + weft.log1p(-p.probs)
            - q._cont_bern_log_norm() - weft.log1p(-q.probs))


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, away = p.scale / q.scale, (q.loc - p.loc) / q.scale
    return (-ratio.log() - away + ratio * euler_constant + weft.exp(away + (1 + ratio).lgamma())
            - (1 + euler_constant))


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return weft.where(p.scale < q.scale, math.inf, found)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    if type(p) is not type(q):
        raise NotImplementedError(f"the divergence of a {type(p).__name__} from a {type(q).__name__}, another "
                                  "exponential family, doesn't follow from their log-normalizers")
    params, normalizer, slopes = p._slopes()
    others = q._natural_params
    found = q._log_normalizer(*others) - normalizer
    for param, other, slope in zip(params, others, slopes, strict=True):
        found = found - _sum_rightmost((other - param) * slope, len(q.event_shape))
    return found


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("kl_divergence of Independents needs the same reinterpreted_batch_ndims in both")
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("kl_divergence of transformed distributions needs the same transforms in both")
    return kl_divergence(p.base_dist, q.base_dist)
