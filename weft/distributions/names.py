"""PyTorch keeps each distribution in a module of its own name; programs import from there: `from
weft.distributions.normal import Normal`.
"""
import sys
import types

import weft.distributions as package

_MODULES = {"normal": "Normal", "categorical": "Categorical", "bernoulli": "Bernoulli", "uniform": "Uniform",
            "independent": "Independent", "beta": "Beta", "gamma": "Gamma", "laplace": "Laplace",
            "multivariate_normal": "MultivariateNormal", "gumbel": "Gumbel",
            "transformed_distribution": "TransformedDistribution", "one_hot_categorical": "OneHotCategorical",
            "dirichlet": "Dirichlet", "exponential": "Exponential", "log_normal": "LogNormal", "poisson": "Poisson",
            "relaxed_bernoulli": "RelaxedBernoulli", "relaxed_categorical": "RelaxedOneHotCategorical",
            "mixture_same_family": "MixtureSameFamily", "cauchy": "Cauchy", "exp_family": "ExponentialFamily"}

for _name, _kind in _MODULES.items():
    _made = types.ModuleType(f"weft.distributions.{_name}", f"Where PyTorch keeps {_kind}.")
    _home = sys.modules[getattr(package, _kind).__module__]
    _made.__dict__.update({n: getattr(_home, n) for n in _home.__all__})
    sys.modules[_made.__name__] = package.__dict__[_name] = _made
