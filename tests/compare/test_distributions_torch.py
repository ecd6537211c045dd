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


NUMBERS = {                 # distributions of Python numbers, and a value to ask for
    "Bernoulli": ((0.3,), 1.0), "Bernoulli logits": ((None, 0.0), 0.0), "Beta": ((0.01, 0.01), 0.5),
    "Binomial": ((1, None, 0.0), 0.0), "Binomial probs": ((3, 0.5), 2.0), "Cauchy": ((0.0, 1.0), 0.0),
    "Chi2": ((0.5,), 1.0), "Exponential": ((1.0,), 0.0), "FisherSnedecor": ((1.0, 2.0), 1.0), "Gamma": ((0.5, 0.5), 1.0),
    "Geometric": ((0.3,), 0.0), "Geometric logits": ((None, 0.0), 2.0), "Gumbel": ((0.0, 1.0), 0.0),
    "HalfCauchy": ((1.0,), 1.0), "HalfNormal": ((1.0,), 0.0), "InverseGamma": ((0.5, 1.0), 1.0),
    "Laplace": ((0.0, 1.0), 0.0), "LogNormal": ((0.0, 1.0), 1.0),
    "NegativeBinomial": ((2, None, 0.0), 0.0),
    "NegativeBinomial probs": ((2, 0.5), 1.0), "Normal": ((0.0, 1.0), 0.0), "Pareto": ((1.0, 1.0), 1.5),
    "Poisson": ((1.0,), 0.0), "RelaxedBernoulli": ((0.5, None, 0.0), 0.5), "StudentT": ((1.0,), 0.0),
    "Uniform": ((0.0, 1.0), 0.5), "Weibull": ((1.0, 1.0), 1.0)}


def test_python_numbers_make_distributions_of_no_dimensions():
    """Gamma(.5, .5).sample() had the size [1], since its kernel made scalars into vectors."""
    for name, case in NUMBERS.items():
        args, value = case
        t, w = (getattr(lib.distributions, name.split()[0])(*args) for lib in (torch, weft))
        assert tuple(w.batch_shape) == tuple(w.event_shape) == (), name
        for shape in ((), (2,), (1,), (0,)):
            for lib in (torch, weft):
                lib.manual_seed(1)
            want, made = t.sample(shape), w.sample(shape)
            same(want, made)
            assert [s for s, n in zip(want.stride(), want.shape, strict=True) if n > 1] == \
                [s for s, n in zip(made.stride(), made.shape, strict=True) if n > 1], name
            if t.has_rsample:
                same(t.rsample(shape), w.rsample(shape))
        for what in ("mean", "variance", "mode"):
            try:
                want = getattr(t, what)
            except NotImplementedError:
                continue
            same(want, getattr(w, what))
        if name != "RelaxedBernoulli":              # PyTorch's wants a tensor as temperature there
            same(t.log_prob(torch.tensor(value)), w.log_prob(weft.tensor(value)))


def slopes(lib, make, args, order):
    """Gradients by the parameters of what `make` gives: first, and of the sum of their squares."""
    given = [None if a is None else lib.tensor(a, dtype=lib.float64, requires_grad=True) for a in args]
    inputs = [a for a in given if a is not None]
    lib.manual_seed(7)
    out = make(*given)
    first = lib.autograd.grad(out.sum(), inputs, create_graph=order > 1, allow_unused=True)
    if order == 1:
        return first
    squares = sum((g * g).sum() for g in first if g is not None)
    return lib.autograd.grad(squares, inputs, allow_unused=True) if squares.requires_grad else ()


@pytest.mark.parametrize("name", NUMBERS)
def test_densities_slopes_at_points_where_pieces_meet(name):
    """Binomial(1, logits=0).log_prob(0) had the slope of one side, -1; parameters stand where pieces of formulas meet."""
    args, value = NUMBERS[name]
    if "Binomial" in name:
        args = (float(args[0]), *args[1:])

    def density(lib):
        def make(*given):
            if "Binomial" in name:      # counts have no slope
                given = (given[0].detach(), *given[1:])
            made = getattr(lib.distributions, name.split()[0])(*given)
            return made.log_prob(lib.tensor(value, dtype=lib.float64))
        return make
    for order in (1,) if name.startswith("Binomial") else (1, 2):        # PyTorch's second slope is 0 there, not -n / 4
        for want, made in zip(slopes(torch, density(torch), args, order), slopes(weft, density(weft), args, order),
                              strict=True):
            assert (want is None) == (made is None)
            if want is not None:
                same(want, made, rtol=1e-8, atol=1e-10)


RSAMPLED = {"Beta": [(0.01, 0.01), (0.3, 2.0), (40.0, 0.2), ([0.1, 5.0], [3.0, 0.1])],
            "Dirichlet": [([0.1, 0.1, 0.1],), ([[3.0, 0.2], [9.0, 30.0]],)],
            "Gamma": [(0.01, 1.0), (0.5, 0.5), (30.0, 2.0)], "Chi2": [(0.2,), (8.0,)],
            "InverseGamma": [(0.7, 1.0)], "StudentT": [(0.5,), (5.0,)], "FisherSnedecor": [(1.0, 2.0)]}


@pytest.mark.parametrize("name", RSAMPLED)
def test_samples_move_with_their_probability_held_fixed(name):
    """Beta(.01, .01).rsample() had the slopes of a ratio of gammas, another estimator than the implicit one.

    PyTorch's own slopes are approximations, some to three digits."""
    for args in RSAMPLED[name]:
        def sample(lib):
            return lambda *given: getattr(lib.distributions, name)(*given).rsample((20,)) ** 2
        for want, made in zip(slopes(torch, sample(torch), args, 1), slopes(weft, sample(weft), args, 1), strict=True):
            same(want, made, rtol=3e-3, atol=1e-6)


def test_binomials_second_slope_at_even_odds():
    logits = weft.tensor(0.0, dtype=weft.float64, requires_grad=True)
    density = weft.distributions.Binomial(4, logits=logits).log_prob(weft.tensor(1.0, dtype=weft.float64))
    slope, = weft.autograd.grad(density, logits, create_graph=True)
    assert slope.item() == -1.0 and weft.autograd.grad(slope, logits)[0].item() == -1.0
