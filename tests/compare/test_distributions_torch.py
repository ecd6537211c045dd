"""weft.distributions beside torch.distributions: samples from one seed, densities, moments, entropies, gradients,
divergences.
"""
import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

A, B, P = [0.5, -1.0, 2.0], [1.5, 0.3, 0.7], [0.2, 0.5, 0.9]
ROWS = [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]]
SPD = [[2.0, 0.5], [0.5, 1.0]]



MAKE = {
    "Normal": lambda m, t: m.Normal(t(A), t(B)),
    "Normal numbers": lambda m, t: m.Normal(0, 2.0),
    "Uniform": lambda m, t: m.Uniform(t(A), t(A) + t(B)),
    "Exponential": lambda m, t: m.Exponential(t(B)),
    "Laplace": lambda m, t: m.Laplace(t(A), t(B)),
    "Cauchy": lambda m, t: m.Cauchy(t(A), t(B)),
    "HalfNormal": lambda m, t: m.HalfNormal(t(B)),
    "HalfCauchy": lambda m, t: m.HalfCauchy(t(B)),
    "LogNormal": lambda m, t: m.LogNormal(t(A), t(B)),
    "Gumbel": lambda m, t: m.Gumbel(t(A), t(B)),
    "Weibull": lambda m, t: m.Weibull(t(B), t(P) + 1),
    "Pareto": lambda m, t: m.Pareto(t(B), t(P) + 3),
    "Gamma": lambda m, t: m.Gamma(t(B), t(P)),
    "Chi2": lambda m, t: m.Chi2(t(B)),
    "InverseGamma": lambda m, t: m.InverseGamma(t(B) + 2, t(P)),
    "Beta": lambda m, t: m.Beta(t(B), t(P)),
    "Dirichlet": lambda m, t: m.Dirichlet(t(ROWS)),
    "StudentT": lambda m, t: m.StudentT(t(B) + 2, t(A), t(B)),
    "FisherSnedecor": lambda m, t: m.FisherSnedecor(t(B) + 4, t(B) + 5),
    "Bernoulli": lambda m, t: m.Bernoulli(t(P)),
    "Bernoulli logits": lambda m, t: m.Bernoulli(logits=t(A)),
    "Geometric": lambda m, t: m.Geometric(t(P)),
    "Poisson": lambda m, t: m.Poisson(t(B)),
    "Binomial": lambda m, t: m.Binomial(5, t(P)),
    "NegativeBinomial": lambda m, t: m.NegativeBinomial(5, t(P)),
    "Categorical": lambda m, t: m.Categorical(t(ROWS)),
    "Categorical logits": lambda m, t: m.Categorical(logits=t(ROWS)),
    "Categorical one": lambda m, t: m.Categorical(t(ROWS[0])),
    "OneHotCategorical": lambda m, t: m.OneHotCategorical(t(ROWS)),
    "OneHotCategoricalStraightThrough": lambda m, t: m.OneHotCategoricalStraightThrough(t(ROWS)),
    "Multinomial": lambda m, t: m.Multinomial(6, t(ROWS)),
    "MultivariateNormal": lambda m, t: m.MultivariateNormal(t(A[:2]), t(SPD)),
    "MultivariateNormal tril": lambda m,
    t: m.MultivariateNormal(t([A[:2]] * 3), scale_tril=t([[1.0, 0.0], [0.5, 2.0]])),
    "MultivariateNormal precision": lambda m, t: m.MultivariateNormal(t(A[:2]), precision_matrix=t([SPD] * 2)),
    "RelaxedBernoulli": lambda m, t: m.RelaxedBernoulli(t(0.7), t(P)), "RelaxedOneHotCategorical": lambda m,
    t: m.RelaxedOneHotCategorical(t(0.7), t(ROWS)), "Independent": lambda m,
    t: m.Independent(m.Normal(t(ROWS), t(B)), 1), "Mixture": lambda m,
    t: m.MixtureSameFamily(m.Categorical(t(B)), m.Normal(t(A), t(B))), "Mixture of vectors": lambda m,
    t: m.MixtureSameFamily(m.Categorical(t(B[:2])), m.Independent(m.Normal(t(ROWS), t(B)), 1)),
    "Tanh of a normal": lambda m, t: m.TransformedDistribution(m.Normal(t(A), t(B)),
                                                               [m.transforms.TanhTransform(cache_size=1)]),
    "Affine event": lambda m, t: m.TransformedDistribution(m.Normal(t(ROWS), t(B)),
                                                           [m.AffineTransform(t(A), t(B), event_dim=1),
                                                                                       m.SigmoidTransform()]),
    "Stick": lambda m, t: m.TransformedDistribution(m.Normal(t(A), t(B)), [m.StickBreakingTransform()]),
    "Softplus": lambda m, t: m.TransformedDistribution(m.Normal(t(A), t(B)), m.SoftplusTransform()),
}


def both(name):
    return (MAKE[name](torch.distributions, lambda v: torch.tensor(v, dtype=torch.float32)),
            MAKE[name](weft.distributions, lambda v: weft.tensor(v, dtype=weft.float32)))


def same(a, b, rtol=2e-4, atol=2e-5):
    assert tuple(a.shape) == tuple(b.shape)
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=rtol, atol=atol, equal_nan=True)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("shape", [(), (4,)], ids=["one", "four"])
def test_samples_and_densities(name, shape):
    t, w = both(name)
    assert (t.batch_shape, t.event_shape) == (w.batch_shape, w.event_shape) and t.has_rsample == w.has_rsample
    torch.manual_seed(3)
    weft.manual_seed(3)
    x, y = t.sample(shape), w.sample(shape)
    same(x, y)
    assert str(x.dtype)[6:] == str(y.dtype)[-len(str(x.dtype)[6:]):]
    value = weft.tensor(x.numpy())
    same(t.log_prob(x), w.log_prob(value))
    if t.has_rsample:
        same(t.rsample(shape), w.rsample(shape))


@pytest.mark.parametrize("name", MAKE)
def test_moments(name):
    t, w = both(name)
    for what in ("mean", "variance", "mode", "stddev"):
        try:
            want = getattr(t, what)
        except NotImplementedError:
            continue
        same(want, getattr(w, what))
    try:
        want = t.entropy()
    except NotImplementedError:
        return
    same(want, w.entropy())


@pytest.mark.parametrize("name", MAKE)
def test_expanded(name):
    t, w = both(name)
    shape = (5, *t.batch_shape)
    t, w = t.expand(shape), w.expand(shape)
    assert (t.batch_shape, t.event_shape) == (w.batch_shape, w.event_shape)
    x = t.sample()
    same(t.log_prob(x), w.log_prob(weft.tensor(x.numpy())))


@pytest.mark.parametrize("name", ["Normal", "Uniform", "Exponential", "Laplace", "Cauchy", "HalfNormal", "LogNormal",
                                  "Gumbel", "Weibull"])
def test_distribution_functions(name):
    t, w = both(name)
    x = t.sample()
    same(t.cdf(x), w.cdf(weft.tensor(x.numpy())))
    q = [0.1, 0.5, 0.8]
    same(t.icdf(torch.tensor(q)), w.icdf(weft.tensor(q)))


@pytest.mark.parametrize("name", ["Normal", "Bernoulli", "Categorical", "Categorical logits", "OneHotCategorical",
                                  "Poisson", "Exponential", "Laplace", "Gamma", "Beta", "Dirichlet",
                                  "MultivariateNormal", "Independent", "Uniform", "Geometric", "HalfNormal", "Cauchy",
                                  "LogNormal", "Binomial"])
def test_divergences(name):
    t, w = both(name)
    bent_t, bent_w = (_bent(d, lib) for d, lib in ((t, torch), (w, weft)))
    same(torch.distributions.kl_divergence(t, bent_t), weft.distributions.kl_divergence(w, bent_w))


def _bent(d, lib):
    """A distribution of the same family with other parameters."""
    m = lib.distributions
    if isinstance(d, m.Independent):
        return m.Independent(_bent(d.base_dist, lib), 1)
    if isinstance(d, m.Binomial):
        return m.Binomial(5, d.probs * 0.9)
    if isinstance(d, m.MultivariateNormal):
        return m.MultivariateNormal(d.loc + 1, d.covariance_matrix * 2)
    for names in (("loc", "scale"), ("low", "high"), ("concentration1", "concentration0"), ("concentration", "rate"),
                  ("rate",), ("concentration",), ("scale",), ("probs",)):
        if all(hasattr(d, n) for n in names):
            return (type(d)(*(getattr(d, n) * s for n, s in zip(names, (1.1, 1.3), strict=False)))
                    if names[0] != "probs" else type(d)(d.probs * 0.9))


def test_gradients_of_samples():
    for lib in (torch, weft):
        lib.manual_seed(5)
    found = {}
    for lib in (torch, weft):
        a = lib.tensor(B, requires_grad=True)
        loc = lib.tensor(A, requires_grad=True)
        m = lib.distributions
        loss = (m.Gamma(a, 1.5).rsample((3,)).sum() + m.Normal(loc, a).rsample((2,)).pow(2).sum()
                + m.Gumbel(loc, a).rsample().sum() + m.RelaxedOneHotCategorical(lib.tensor(0.5),
                                                                                logits=loc).rsample().pow(2).sum())
        loss.backward()
        found[lib.__name__] = loss, a.grad, loc.grad
    for t, w in zip(found["torch"], found["weft"], strict=True):
        same(t, w, rtol=2e-3)


@pytest.mark.parametrize("call", [
    lambda m, t: m.Normal(t([0.0]), t([-1.0])),
    lambda m, t: m.Categorical(t([-0.5, 1.5])),
    lambda m, t: m.Categorical(),
    lambda m, t: m.Bernoulli(t([1.5])),
    lambda m, t: m.Uniform(t([1.0]), t([0.0])),
    lambda m, t: m.Normal("a", 1.0),
    lambda m, t: m.Categorical(t([0.5, 0.5])).log_prob(t([3.0])),
    lambda m, t: m.Normal(t([0.0]), t([1.0])).log_prob(t([float("nan")])),
    lambda m, t: m.MultivariateNormal(t([0.0, 0.0])),
    lambda m, t: m.kl_divergence(m.Normal(0.0, 1.0), m.Poisson(1.0)),
    lambda m, t: m.Bernoulli(t([0.5])).rsample(),
])
def test_errors(call):
    with pytest.raises(Exception) as want:
        call(torch.distributions, torch.tensor)
    with pytest.raises(want.type):
        call(weft.distributions, weft.tensor)


@pytest.mark.parametrize("name", ["Normal", "Bernoulli", "Categorical", "Independent", "Uniform"])
def test_reprs(name):
    t, w = both(name)
    assert repr(t).replace("torch", "weft") == repr(w).replace("torch", "weft")
