"""Every distribution, transform, constraint and divergence that torch.distributions has, beside weft's: nothing is
listed here but how to make one.
"""
# ruff: noqa: B023 (functions made in a loop are called in it)
import inspect
import itertools
import math
import pickle
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")

A, B, P = [0.5, -1.0, 2.0], [1.5, 0.3, 0.7], [0.2, 0.5, 0.9]
ROWS = [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]]
SPD = [[2.0, 0.5], [0.5, 1.0]]
CASES = {           # name -> arguments; a name with a word behind it is another way to make it
    "Bernoulli": (P,), "Bernoulli logits": (None, A), "Beta": (B, P), "Binomial": (5, P), "Categorical": (ROWS,),
    "Cauchy": (A, B), "Chi2": (B,), "ContinuousBernoulli": (P,), "ContinuousBernoulli logits": (None, A),
    "ContinuousBernoulli middle": ([0.4995, 0.5, 0.5005],), "Dirichlet": (ROWS,), "Exponential": (B,),
    "FisherSnedecor": ([5.0, 3.0, 9.0], [6.0, 3.0, 1.0]), "Gamma": (B, P),
    "GeneralizedPareto": (A, B, [0.4, 0.0, -0.7]), "GeneralizedPareto heavy": (A, B, [1.2, -1.0, 0.5]),
    "Geometric": (P,), "Gumbel": (A, B), "HalfCauchy": (B,), "HalfNormal": (B,), "InverseGamma": (B, P),
    "Kumaraswamy": (B, P), "LKJCholesky": (3, B), "LKJCholesky two": (2, 1.5), "Laplace": (A, B), "LogNormal": (A, B),
    "LogisticNormal": (A, B), "LogisticNormal rows": (ROWS, ROWS),
    "LowRankMultivariateNormal": ([1.0, 2.0], [[1.0], [0.5]], [0.5, 2.0]),
    "LowRankMultivariateNormal rows": ([[1.0, 2.0], [0.0, 1.0]], [[1.0, 0.2], [0.5, -0.3]], [0.5, 2.0]),
    "Multinomial": (4, ROWS), "MultivariateNormal": ([1.0, 2.0], SPD), "NegativeBinomial": (3, P),
    "Normal": (A, B), "OneHotCategorical": (ROWS,), "OneHotCategoricalStraightThrough": (ROWS,), "Pareto": (B, P),
    "Poisson": (B,), "RelaxedBernoulli": (0.5, P), "RelaxedOneHotCategorical": (0.5, ROWS), "StudentT": (B, A, P),
    "Uniform": ([0.0, -1.0, 2.0], [1.0, 2.0, 2.5]), "VonMises": (A, B), "VonMises flat": (A, [1e-6, 1e-3, 40.0]),
    "Weibull": (B, P), "Wishart": (3.5, SPD), "Wishart rows": ([3.0, 4.0], None, [SPD, SPD]),
    "Wishart tril": ([4.0], None, None, [[1.0, 0.0], [0.5, 2.0]]),
}
MADE_OF_OTHERS = {
    "Independent": lambda d, t: d.Independent(d.Normal(t(ROWS), t(ROWS)), 1),
    "TransformedDistribution": lambda d, t: d.TransformedDistribution(
        d.Normal(t(A), t(B)), [d.AffineTransform(1.0, -2.0), d.ExpTransform()]),
    "TransformedDistribution copula": lambda d, t: d.TransformedDistribution(
        d.MultivariateNormal(t([0.0, 0.0]), t(SPD)), [d.CumulativeDistributionTransform(d.Normal(0.0, 1.0))]),
    "MixtureSameFamily": lambda d, t: d.MixtureSameFamily(d.Categorical(t([0.3, 0.7])), d.Beta(t([1.0, 2.0]), t([3.0, 1.0]))),
    "Kumaraswamy expanded": lambda d, t: d.Kumaraswamy(t(B), t(P)).expand((2, 3)),
    "LKJCholesky expanded": lambda d, t: d.LKJCholesky(3, t(0.7)).expand((2,)),
    "LowRankMultivariateNormal expanded": lambda d, t: d.LowRankMultivariateNormal(
        t([1.0, 2.0]), t([[1.0], [0.5]]), t([0.5, 2.0])).expand((3,)),
    "Wishart expanded": lambda d, t: d.Wishart(t(4.0), t(SPD)).expand((2,)),
    "VonMises expanded": lambda d, t: d.VonMises(t(A), t(B)).expand((2, 3)),
    "HalfNormal expanded": lambda d, t: d.HalfNormal(t(B)).expand((2, 3)),
    "InverseGamma expanded": lambda d, t: d.InverseGamma(t(B), t(P)).expand((2, 3)),
    "LogisticNormal expanded": lambda d, t: d.LogisticNormal(t(A), t(B)).expand((2,)),
    "ContinuousBernoulli expanded": lambda d, t: d.ContinuousBernoulli(logits=t(A)).expand((2, 3)),
}
ABSTRACT = {"Distribution", "ExponentialFamily"}
SUMMARIES = ("mean", "mode", "variance", "stddev")
LOOSE = {"VonMises", "GeneralizedPareto"}       # PyTorch's Bessel functions are polynomials, right to 1e-7
FLOAT32 = {"GeneralizedPareto"}                 # PyTorch's log_prob takes no doubles
NO_CURVATURE = {"Binomial", "Multinomial"}      # PyTorch's second slopes are 0 there


def make(lib, name):
    """The distribution, and its arguments as tensors that want gradients."""
    dtype = lib.float32 if name.split()[0] in FLOAT32 else lib.float64
    given = [lib.tensor(a, dtype=dtype, requires_grad=True) if isinstance(a, list) else a for a in CASES[name]]
    if name.startswith("Relaxed"):
        given[0] = lib.tensor(given[0], dtype=lib.float64)
    if name == "LKJCholesky two":
        given[1] = lib.tensor(given[1], dtype=lib.float64, requires_grad=True)
    return getattr(lib.distributions, name.split()[0])(*given), [g for g in given if getattr(g, "requires_grad", False)]


def same(t, w, name, **how):
    how = {"rtol": 1e-5, "atol": 1e-6, **how} if name.split()[0] in LOOSE else {"rtol": 1e-9, "atol": 1e-10, **how}
    assert tuple(t.shape) == tuple(w.shape), name
    assert str(t.dtype) == str(w.dtype).replace("weft", "torch"), name
    np.testing.assert_allclose(w.detach().numpy(), t.detach().numpy(), err_msg=name, **how)


def outcome(call):
    """What a call gives, or the type of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as error:
        return type(error)


def test_no_distribution_is_left_out():
    classes = {n for n in torch.distributions.__all__ if isinstance(getattr(torch.distributions, n), type)
               and issubclass(getattr(torch.distributions, n), torch.distributions.Distribution)}
    assert classes - ABSTRACT == {n.split()[0] for n in [*CASES, *MADE_OF_OTHERS]}
    assert not [n for n in torch.distributions.__all__ if not hasattr(weft.distributions, n)]
    for part in ("constraints", "transforms", "utils", "constraint_registry", "kl"):
        theirs, ours = getattr(torch.distributions, part), getattr(weft.distributions, part)
        assert not [n for n in theirs.__all__ if not hasattr(ours, n)], part


@pytest.mark.parametrize("name", sorted({n.split()[0] for n in [*CASES, *MADE_OF_OTHERS]} | ABSTRACT))
def test_signatures_families_and_modules(name):
    t, w = getattr(torch.distributions, name), getattr(weft.distributions, name)
    assert list(inspect.signature(t).parameters) == list(inspect.signature(w).parameters)
    families = [c for c in torch.distributions.__all__ if isinstance(getattr(torch.distributions, c), type)]
    for family in families:
        assert (issubclass(t, getattr(torch.distributions, family))
                == issubclass(w, getattr(weft.distributions, family))), family
    public = {a for a in dir(t) if not a.startswith("_")}
    assert not public - set(dir(w))
    place = t.__module__.replace("torch", "weft", 1)
    assert getattr(__import__(place, fromlist=[name]), name) is w


@pytest.mark.parametrize("name", [*CASES, *MADE_OF_OTHERS])
def test_samples_densities_moments_and_their_slopes(name):
    warnings.simplefilter("ignore")
    if name in MADE_OF_OTHERS:
        (t, tp), (w, wp) = (((MADE_OF_OTHERS[name])(lib.distributions, lambda v, lib=lib: lib.tensor(v, dtype=lib.float64)),
                             []) for lib in (torch, weft))
    else:
        (t, tp), (w, wp) = make(torch, name), make(weft, name)
    assert tuple(t.batch_shape) == tuple(w.batch_shape) and tuple(t.event_shape) == tuple(w.event_shape)
    assert t.has_rsample == w.has_rsample and t.has_enumerate_support == w.has_enumerate_support
    assert repr(t.support) == repr(w.support) or "tensor" in repr(t.support)
    drawn = {}
    for shape in ((), (4,), (2, 3)):
        for lib in (torch, weft):
            lib.manual_seed(3)
        drawn = t.sample(shape), w.sample(shape)
        same(*drawn, name)
        for lib in (torch, weft):
            lib.manual_seed(4)
        a, b = outcome(lambda: t.rsample(shape)), outcome(lambda: w.rsample(shape))
        assert (a is b) if isinstance(a, type) else same(a, b, name, rtol=1e-9) is None
    x = drawn[0].detach()
    y = weft.tensor(x.numpy())
    compare(lambda: t.log_prob(x), lambda: w.log_prob(y), tp, wp, name)
    compare(lambda: t.cdf(x), lambda: w.cdf(y), tp, wp, name)
    q = np.random.default_rng(0).random(x.shape).astype(x.numpy().dtype)
    compare(lambda: t.icdf(torch.tensor(q)), lambda: w.icdf(weft.tensor(q)), tp, wp, name)
    compare(t.entropy, w.entropy, tp, wp, name)
    for what in SUMMARIES:
        compare(lambda what=what: getattr(t, what), lambda what=what: getattr(w, what), tp, wp, name + " " + what)
    assert repr(w) == repr(t).replace(", dtype=torch.float64", ", dtype=torch.float64")


def compare(theirs, ours, their_params, our_params, name):
    """Both values, or both errors; then both first slopes, and those of their squares."""
    t, w = outcome(theirs), outcome(ours)
    if isinstance(t, type) or isinstance(w, type):
        assert t is w, (name, t, w)
        return
    same(t, w, name)
    for order in (1,) if name.split()[0] in NO_CURVATURE else (1, 2):
        if not t.requires_grad or not their_params:
            return
        assert w.requires_grad, name
        t = slopes(torch, t, their_params)
        w = slopes(weft, w, our_params)
        if isinstance(t, type):
            assert t is w, name
            return
        total = []
        for a, b in zip(t, w, strict=True):
            a = torch.zeros(()) if a is None else a
            b = weft.zeros(()) if b is None else b
            if a.isfinite().all():
                np.testing.assert_allclose(b.detach().numpy() * np.ones(a.shape), a.detach().numpy(),
                                           rtol=1e-5 if name.split()[0] in LOOSE else 1e-7, atol=1e-5,
                                           err_msg=f"{name}, order {order}")
                total.append((a, b))
        total = [(a, b) for a, b in total if a.requires_grad]
        if not total:
            return
        t, w = sum((a * a).sum() for a, _ in total), sum((b * b).sum() for _, b in total)
        if not w.requires_grad:
            return


def slopes(lib, x, params):
    return outcome(lambda: lib.autograd.grad(x[x.isfinite()].sum(), params, create_graph=True, allow_unused=True))


def pairs():
    return list(torch.distributions.kl._KL_REGISTRY)


VARIED = {          # other parameters of the same family, inside the support that the pairs need
    "Uniform": [([0.2, 0.1, 0.3], [0.9, 0.6, 0.7]), ([0.0, -1.0, 2.0], [1.0, 2.0, 2.5])],
    "Pareto": [([0.05, 0.1, 1.0], [2.5, 1.5, 0.7]), ([0.02, 0.1, 2.0], [3.0, 0.5, 4.0])],
    "MultivariateNormal": [([1.0, 2.0], SPD), ([0.0, 1.0], [[1.0, 0.2], [0.2, 3.0]])],
    "LowRankMultivariateNormal": [([1.0, 2.0], [[1.0], [0.5]], [0.5, 2.0]), ([0.0, 1.0], [[0.3, 1.0], [0.5, 0.1]], [1.0, 2.0])],
    "Binomial": [(5, P), (5, [0.3, 0.6, 0.1])],
}


@pytest.mark.parametrize("pair", pairs(), ids=lambda c: "-".join(k.__name__ for k in c))
def test_every_registered_divergence(pair):
    p, q = (kind.__name__ for kind in pair)
    if p in ("Independent", "TransformedDistribution", "ExponentialFamily"):
        pytest.skip("below")

    def ones(name):
        default = CASES[name]
        return VARIED.get(name, [default, tuple([abs(v) * 0.9 + 0.05 for v in a] if isinstance(a, list)
                                                 and not isinstance(a[0], list) else a for a in default)])
    for first, second in itertools.product(ones(p), ones(q)):
        def found(lib, first=first, second=second):
            made = [getattr(lib.distributions, n)(*(lib.tensor(a, dtype=lib.float64) if isinstance(a, list) else a for a in given))
                    for n, given in ((p, first), (q, second))]
            return lib.distributions.kl_divergence(*made)
        t, w = outcome(lambda: found(torch)), outcome(lambda: found(weft))
        assert t is w if isinstance(t, type) else same(t, w, p + q) is None
    assert pair[0].__name__ in {a.__name__ for a, _ in weft.distributions.kl._KL_REGISTRY}


def test_divergences_of_what_is_made_of_others():
    def found(lib):
        d, t = lib.distributions, lambda v: lib.tensor(v, dtype=lib.float64)
        return [d.kl_divergence(d.Independent(d.Normal(t(ROWS), t(ROWS)), 1), d.Independent(d.Normal(t(ROWS) + 1, t(ROWS)), 1)),
                d.kl_divergence(d.LogNormal(t(A), t(B)), d.LogNormal(t(B), t(P))),
                d.kl_divergence(d.InverseGamma(t(B), t(P)), d.InverseGamma(t(P), t(B))),
                d.kl_divergence(d.HalfCauchy(t(B)), d.HalfCauchy(t(P))),
                d.kl_divergence(d.LogisticNormal(t(A), t(B)), d.LogisticNormal(t(B), t(P))),
                d.kl.kl_divergence(d.Chi2(t(B)), d.Chi2(t(P))),
                d.kl._KL_REGISTRY[d.ExponentialFamily, d.ExponentialFamily](d.Normal(t(A), t(B)), d.Normal(t(B), t(P))),
                d.kl._KL_REGISTRY[d.ExponentialFamily, d.ExponentialFamily](d.Beta(t(P), t(B)), d.Beta(t(B), t(P)))]
    for a, b in zip(found(torch), found(weft), strict=True):
        same(a, b, "divergence", rtol=1e-6)
    for lib in (torch, weft):
        d = lib.distributions
        for p, q in ((d.Normal(0.0, 1.0), d.Poisson(1.0)), (d.Kumaraswamy(1.0, 1.0), d.Kumaraswamy(2.0, 1.0)),
                     (d.VonMises(0.0, 1.0), d.VonMises(0.0, 1.0))):
            with pytest.raises(NotImplementedError):
                d.kl_divergence(p, q)


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Bernoulli", "Exponential", "ContinuousBernoulli", "Dirichlet",
                                  "Beta", "Poisson", "Wishart"])
def test_exponential_families_entropy_from_their_log_normalizer(name):
    def found(lib):
        made, _ = make(lib, name)
        made._natural_params, made._log_normalizer
        return lib.distributions.ExponentialFamily.entropy(made)
    t, w = outcome(lambda: found(torch)), outcome(lambda: found(weft))
    assert t is w if isinstance(t, type) else same(t, w, name, rtol=1e-6) is None


X = np.array([[0.3, -0.2, 0.7], [1.0, 0.4, -1.5]])
TRANSFORMS = {
    "AbsTransform": (lambda d, t: d.AbsTransform(), X), "AffineTransform": (lambda d, t: d.AffineTransform(t(A), t(B)), X),
    "AffineTransform event": (lambda d, t: d.AffineTransform(1.0, 2.0, event_dim=1), X),
    "CatTransform": (lambda d, t: d.CatTransform([d.ExpTransform(), d.SigmoidTransform()], dim=-1, lengths=[1, 2]), X),
    "CatTransform first": (lambda d, t: d.CatTransform([d.ExpTransform(), d.TanhTransform()], dim=0), X),
    "CatTransform events": (lambda d, t: d.CatTransform([d.AffineTransform(0.0, 2.0, 1), d.ExpTransform()], dim=0), X),
    "ComposeTransform": (lambda d, t: d.ComposeTransform([d.ExpTransform(), d.PowerTransform(t(2.0))]), X),
    "CorrCholeskyTransform": (lambda d, t: d.CorrCholeskyTransform(), X),
    "CumulativeDistributionTransform": (lambda d, t: d.CumulativeDistributionTransform(d.Normal(t(A), t(B))), X),
    "ExpTransform": (lambda d, t: d.ExpTransform(), X),
    "IndependentTransform": (lambda d, t: d.IndependentTransform(d.ExpTransform(), 1), X),
    "LowerCholeskyTransform": (lambda d, t: d.LowerCholeskyTransform(), X[:, :2]),
    "PositiveDefiniteTransform": (lambda d, t: d.PositiveDefiniteTransform(), X[:, :2]),
    "PowerTransform": (lambda d, t: d.PowerTransform(t(B)), abs(X)),
    "ReshapeTransform": (lambda d, t: d.ReshapeTransform((3,), (3, 1)), X),
    "SigmoidTransform": (lambda d, t: d.SigmoidTransform(), X), "SoftmaxTransform": (lambda d, t: d.SoftmaxTransform(), X),
    "SoftplusTransform": (lambda d, t: d.SoftplusTransform(), X),
    "StackTransform": (lambda d, t: d.StackTransform([d.ExpTransform(), d.identity_transform, d.TanhTransform()], dim=1), X),
    "StickBreakingTransform": (lambda d, t: d.StickBreakingTransform(), X), "TanhTransform": (lambda d, t: d.TanhTransform(), X),
}


def test_no_transform_is_left_out():
    theirs = {n for n in torch.distributions.transforms.__all__ if n.endswith("Transform")}
    assert theirs - {"Transform"} == {n.split()[0] for n in TRANSFORMS}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("cache", [0, 1])
def test_transforms(name, cache):
    make_one, x = TRANSFORMS[name]
    found = []
    for lib in (torch, weft):
        made = make_one(lib.distributions, lambda v, lib=lib: lib.tensor(v, dtype=lib.float64)).with_cache(cache)
        if cache:
            assert made._cache_size == 1
        given = lib.tensor(x, requires_grad=True)
        y = made(given)
        parts = [y]
        back = outcome(lambda: made.inv(y.detach()))
        logs = outcome(lambda: made.log_abs_det_jacobian(given, y))
        slope, = lib.autograd.grad(parts[0].sum() if isinstance(logs, type) else y.sum() + logs.sum(), given)
        shapes = [tuple(made.forward_shape(tuple(x.shape))), tuple(made.inverse_shape(tuple(y.shape)))]
        found.append((parts, back, logs, slope, shapes, made.bijective, repr(made.domain), repr(made.codomain),
                      outcome(lambda: made.domain.event_dim), outcome(lambda: float(lib.as_tensor(made.sign).sum())),
                      outcome(lambda: made.domain.check(given).tolist()),
                      outcome(lambda: made.codomain.check(y).tolist())))
    (tp, tb, tl, ts, *t), (wp, wb, wl, ws, *w) = found
    same(tp[0], wp[0], name)
    assert tb is wb if isinstance(tb, type) else same(tb, wb, name, atol=1e-7, rtol=1e-6) is None
    assert tl is wl if isinstance(tl, type) else same(tl, wl, name) is None
    same(ts, ws, name)
    assert t == w


CONSTRAINTS = {
    "boolean": [[0.0, 1.0, 0.5]], "one_hot": [[[0.0, 1.0], [1.0, 1.0]]], "nonnegative_integer": [[0.0, 1.5, -1.0]],
    "positive_integer": [[0.0, 1.0, 2.5]], "real": [[0.0, math.nan, math.inf]], "real_vector": [[[0.0, math.nan], [1.0, 2.0]]],
    "positive": [[0.0, 1.0]], "nonnegative": [[0.0, -1.0]], "unit_interval": [[0.0, 1.0, 1.1]],
    "simplex": [[[0.5, 0.5], [0.7, 0.7]]], "lower_triangular": [SPD, [[1.0, 0.0], [1.0, -1.0]]],
    "lower_cholesky": [SPD, [[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [1.0, -1.0]]],
    "corr_cholesky": [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [1.0, 1.0]]], "square": [SPD, [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]],
    "symmetric": [SPD, [[1.0, 2.0], [0.0, 1.0]], [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]],
    "positive_semidefinite": [SPD, [[1.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [0.0, 1.0]]],
    "positive_definite": [SPD, [[1.0, 0.0], [0.0, 0.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [0.0, 1.0]]],
}
BOUNDED = {"interval": (0.0, 2.0), "half_open_interval": (0.0, 2.0), "greater_than": (1.0,), "greater_than_eq": (1.0,),
           "less_than": (1.0,), "integer_interval": (0, 2), "multinomial": (2,)}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_and_where_the_registries_send_them(name):
    for value in CONSTRAINTS[name]:
        found = []
        for lib in (torch, weft):
            constraint = getattr(lib.distributions.constraints, name)
            sent = [outcome(lambda to=to: to(constraint)) for to in (lib.distributions.biject_to, lib.distributions.transform_to)]
            found.append((constraint.check(lib.tensor(value)).tolist(), repr(constraint), constraint.is_discrete,
                          constraint.event_dim, type(constraint).__name__.strip("_").replace("_", "").lower(),
                          [s if isinstance(s, type) else repr(s).replace("\n", "").replace("()", "") for s in sent]))
        for i, (a, b) in enumerate(zip(*found, strict=True)):
            assert a == b or i == 4 or "Affine" in str(a), (name, a, b)
    pickle.loads(pickle.dumps(getattr(weft.distributions.constraints, name)))


@pytest.mark.parametrize("name", BOUNDED)
def test_constraints_with_bounds(name):
    x = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]
    z = [-1.5, 0.0, 0.5, 2.0]
    found = []
    for lib in (torch, weft):
        d = lib.distributions
        made = getattr(d.constraints, name)(*BOUNDED[name])
        sent = [outcome(lambda to=to: to(made)(lib.tensor(z, dtype=lib.float64)).tolist()) for to in (d.biject_to, d.transform_to)]
        found.append((repr(made), made.check(lib.tensor(x)).tolist(), sent, made.is_discrete, made.event_dim))
    assert found[0][0] == found[1][0] and found[0][1] == found[1][1] and found[0][3:] == found[1][3:]
    for a, b in zip(found[0][2], found[1][2], strict=True):
        assert a is b if isinstance(a, type) else np.testing.assert_allclose(a, b) is None


def test_constraints_of_constraints():
    def found(lib):
        c, d = lib.distributions.constraints, lib.distributions
        x = lib.tensor([[0.5, -1.0], [2.0, 0.3]], dtype=lib.float64)
        cat = c.cat([c.positive, c.unit_interval], dim=1)
        stack = c.stack([c.positive, c.simplex], dim=-2)
        mixed = c.MixtureSameFamilyConstraint(c.interval(lib.tensor([0.0, -2.0]), lib.tensor([1.0, 3.0])))
        return [cat.check(x).tolist(), cat.event_dim, stack.event_dim, c.stack([c.positive, c.positive], dim=1).check(x).tolist(),
                mixed.check(x).tolist(), mixed.event_dim, d.biject_to(cat)(x).tolist(),
                d.transform_to(c.stack([c.positive, c.real], 0))(x).tolist(),
                d.biject_to(c.independent(c.positive, 1)).log_abs_det_jacobian(x, x).tolist(),
                d.transform_to(c.corr_cholesky)(lib.tensor([0.3, 0.1, -0.2], dtype=lib.float64)).tolist(),
                outcome(lambda: d.biject_to(c.boolean)), outcome(lambda: d.biject_to.register(3, print)),
                outcome(lambda: c.cat([c.positive, 3])), outcome(lambda: c.cat([c.positive], lengths=[1, 2])),
                outcome(lambda: cat.check(lib.ones(3)))]
    for a, b in zip(found(torch), found(weft), strict=True):
        if isinstance(a, list):
            np.testing.assert_allclose(np.array(b, dtype=float), np.array(a, dtype=float))
        else:
            assert a == b


@pytest.mark.parametrize("call", [
    lambda d, t: d.Wishart(t(3.0)), lambda d, t: d.Wishart(t(0.5), t(SPD)), lambda d, t: d.Wishart(t(3.0), t(A)),
    lambda d, t: d.LKJCholesky(1), lambda d, t: d.LKJCholesky(3, -1.0), lambda d, t: d.VonMises(t(A), t(A)),
    lambda d, t: d.LowRankMultivariateNormal(t(1.0), t(SPD), t(A)),
    lambda d, t: d.LowRankMultivariateNormal(t([1.0, 2.0]), t(A), t(A)),
    lambda d, t: d.LowRankMultivariateNormal(t([1.0, 2.0]), t(SPD), t(A)),
    lambda d, t: d.ContinuousBernoulli(t(P), t(P)), lambda d, t: d.ContinuousBernoulli(t([1.5]), validate_args=True),
    lambda d, t: d.Kumaraswamy(t(A), t(B)), lambda d, t: d.GeneralizedPareto(0.0, -1.0, 0.0),
    lambda d, t: d.GeneralizedPareto(t(0.0), t(1.0), t(-1.0)).log_prob(t(2.0)), lambda d, t: d.LogisticNormal(t(A), t(A)),
    lambda d, t: d.VonMises(t(A), t(B)).rsample(), lambda d, t: d.LKJCholesky(3).rsample(),
    lambda d, t: d.LKJCholesky(2).log_prob(t(SPD)), lambda d, t: d.Wishart(t(3.0), t(SPD)).log_prob(t([[1.0, 2.0], [2.0, 1.0]])),
    lambda d, t: d.CorrCholeskyTransform()(t([1.0, 2.0])), lambda d, t: d.CatTransform([d.ExpTransform()])(t(A)),
    lambda d, t: d.StackTransform([d.ExpTransform()])(t(A)), lambda d, t: d.utils.tril_matrix_to_vec(t(SPD), 5)])
def test_refusals(call):
    with pytest.raises(Exception) as want:
        call(torch.distributions, torch.tensor)
    with pytest.raises(want.type):
        call(weft.distributions, weft.tensor)
