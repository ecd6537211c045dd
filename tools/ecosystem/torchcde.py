"""torchcde: controlled differential equations."""
# pip install torchcde
import torch
import torchcde


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 8)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], 4, 2)


def spline():
    """a cubic spline through observations, its derivative, and missing values filled in"""
    x = torch.randn(3, 6, 2)
    x[0, 2, 1] = float("nan")
    path = torchcde.CubicSpline(torchcde.natural_cubic_coeffs(x))
    return path.evaluate(torch.tensor(1.3)), path.derivative(torch.tensor(2.5))


def solved():
    """`cdeint` along a Hermite spline, with gradients through the solver and by the adjoint"""
    path = torchcde.CubicSpline(torchcde.hermite_cubic_coefficients_with_backward_differences(torch.randn(3, 6, 2)))
    field, found = Field(), []
    for adjoint in (False, True):
        field.zero_grad()
        z = torchcde.cdeint(X=path, func=field, z0=torch.ones(3, 4), t=path.interval, adjoint=adjoint, method="rk4",
                            options={"step_size": 0.5})
        z.pow(2).sum().backward()
        found += [z, field.linear.weight.grad.clone()]
    return found
