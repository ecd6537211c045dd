"""botorch: Bayesian optimization."""
# pip install botorch
import torch
from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood


def _model():
    torch.manual_seed(0)
    x = torch.rand(8, 2, dtype=torch.float64)
    y = 1 - (x - 0.5).norm(dim=-1, keepdim=True)
    return SingleTaskGP(x, y), x, y


def acquisitions():
    """expected improvement, upper confidence bound, q-EI with Sobol samples, on a fresh model"""
    model, x, y = _model()
    at = torch.rand(5, 1, 2, dtype=torch.float64)
    sampler = SobolQMCNormalSampler(torch.Size([16]), seed=0)
    return (LogExpectedImprovement(model, y.max())(at), UpperConfidenceBound(model, 0.2)(at),
            qExpectedImprovement(model, y.max(), sampler)(at.expand(-1, 2, -1)))


def fitting():
    """`fit_gpytorch_mll` (L-BFGS-B): the model's predictions afterwards, to four digits"""
    model, x, y = _model()
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    seen = model.posterior(torch.full((1, 2), 0.4, dtype=torch.float64))
    return seen.mean.float()


def searching():
    """`optimize_acqf`: the next point, to four digits"""
    model, x, y = _model()
    bounds = torch.stack([torch.zeros(2), torch.ones(2)]).double()
    candidate, value = optimize_acqf(UpperConfidenceBound(model, 0.1), bounds, q=1, num_restarts=3, raw_samples=16,
                                     options={"seed": 0})
    return candidate.float(), value.float()
