"""gpytorch: Gaussian processes."""
# pip install gpytorch
import gpytorch
import torch


class _Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def exact():
    """exact regression: five Adam steps on the marginal likelihood, then predictions"""
    x = torch.linspace(0, 1, 20).double()
    y = (6 * x).sin() + 0.1 * torch.randn(20).double()
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = _Exact(x, y, likelihood).double()
    model.train(), likelihood.train()
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.1), []
    objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    for _ in range(5):
        optimizer.zero_grad()
        loss = -objective(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    model.eval(), likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        seen = likelihood(model(torch.linspace(0.1, 1.2, 7).double()))
        return losses, seen.mean, seen.variance, seen.confidence_region()


def kernels():
    """nine kernels: values and gradients"""
    x = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    k = gpytorch.kernels
    made = [kernel.double()(x).to_dense() for kernel in (
        k.RBFKernel(ard_num_dims=3), k.MaternKernel(0.5), k.MaternKernel(2.5), k.PeriodicKernel(), k.LinearKernel(),
        k.PolynomialKernel(2), k.RQKernel(), k.CosineKernel(), k.RBFKernel() + k.LinearKernel())]
    sum(m.sum() for m in made).backward()
    return made, x.grad


def variational():
    """a variational GP with inducing points: three steps on the ELBO"""
    class Approximate(gpytorch.models.ApproximateGP):
        def __init__(self, points):
            spread = gpytorch.variational.CholeskyVariationalDistribution(points.size(0))
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, spread,
                                                                      learn_inducing_locations=True))
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))
    x = torch.rand(30).double()
    y = (x > 0.5).double()
    model, likelihood = Approximate(x[:5].clone()).double(), gpytorch.likelihoods.BernoulliLikelihood().double()
    model.train(), likelihood.train()
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.1), []
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, 30)
    for _ in range(3):
        optimizer.zero_grad()
        loss = -objective(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
