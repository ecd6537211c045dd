"""torch.distributions: sampling, densities, entropies and divergences, with gradients.

Samples come from weft's random stream in the same order as PyTorch's, so a seed gives the same actions and the same
noise.
"""
from weft.distributions import (constraints as constraints, kl as kl, kl_pairs as _kl_pairs,  # noqa: F401, I001
                                transforms as transforms, utils as utils)
from weft.distributions.composed import (Gumbel as Gumbel, Independent as Independent, LogNormal as LogNormal,
                                         MixtureSameFamily as MixtureSameFamily, Pareto as Pareto,
                                         TransformedDistribution as TransformedDistribution, Weibull as Weibull)
from weft.distributions.constraint_registry import biject_to as biject_to, transform_to as transform_to
from weft.distributions.continuous import (Cauchy as Cauchy, Exponential as Exponential, Laplace as Laplace,
                                           Normal as Normal, Uniform as Uniform)
from weft.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from weft.distributions.discrete import (Bernoulli as Bernoulli, Binomial as Binomial, Categorical as Categorical,
                                         Geometric as Geometric, Multinomial as Multinomial,
                                         NegativeBinomial as NegativeBinomial, OneHotCategorical as OneHotCategorical,
                                         OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
                                         Poisson as Poisson)
from weft.distributions.distribution import Distribution as Distribution, ExponentialFamily as ExponentialFamily
from weft.distributions.gammas import (Beta as Beta, Chi2 as Chi2, Dirichlet as Dirichlet,
                                       FisherSnedecor as FisherSnedecor, Gamma as Gamma, StudentT as StudentT)
from weft.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from weft.distributions.halves import HalfCauchy as HalfCauchy, HalfNormal as HalfNormal
from weft.distributions.inverse_gamma import InverseGamma as InverseGamma
from weft.distributions.kl import kl_divergence as kl_divergence, register_kl as register_kl
from weft.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from weft.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from weft.distributions.logistic_normal import LogisticNormal as LogisticNormal
from weft.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from weft.distributions.multivariate import MultivariateNormal as MultivariateNormal
from weft.distributions.relaxed import (ExpRelaxedCategorical as ExpRelaxedCategorical,
                                        LogitRelaxedBernoulli as LogitRelaxedBernoulli,
                                        RelaxedBernoulli as RelaxedBernoulli,
                                        RelaxedOneHotCategorical as RelaxedOneHotCategorical)
from weft.distributions.transforms import *  # noqa: F403
from weft.distributions.von_mises import VonMises as VonMises
from weft.distributions.wishart import Wishart as Wishart
from weft.core.namespace import parts as _parts

__getattr__, __dir__ = _parts(globals(), "normal categorical bernoulli uniform independent beta gamma laplace gumbel "
                              "multivariate_normal transformed_distribution one_hot_categorical dirichlet exponential "
                              "log_normal poisson relaxed_bernoulli relaxed_categorical mixture_same_family cauchy "
                              "exp_family binomial chi2 fishersnedecor geometric half_cauchy half_normal multinomial "
                              "negative_binomial pareto studentT weibull")
