"""torchdiffeq: differential equations."""
# pip install torchdiffeq
import torch
from torchdiffeq import odeint, odeint_adjoint, odeint_event


class _Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y ** 3)


def solvers():
    """`odeint` by dopri5, rk4, bosh3, adaptive_heun, euler, midpoint, implicit_adams"""
    field, times = _Field().double(), torch.linspace(0, 1, 6).double()
    start = torch.tensor([[1.0, 0.5]]).double()
    return [odeint(field, start, times, method=m) for m in ("dopri5", "rk4", "bosh3", "adaptive_heun", "euler",
                                                           "midpoint", "implicit_adams")]


def training():
    """a neural ODE: three steps with `odeint_adjoint`, three with `odeint`"""
    field, times = _Field(), torch.linspace(0, 1, 6)
    optimizer, losses = torch.optim.RMSprop(field.parameters(), lr=1e-3), []
    for solve in (odeint_adjoint, odeint) * 3:
        optimizer.zero_grad()
        loss = solve(field, torch.tensor([[1.0, 0.5], [0.3, -1.0]]), times).abs().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def events():
    """`odeint_event`: when a ball hits the ground, with gradients"""
    height = torch.tensor([10.0, 0.0], dtype=torch.float64, requires_grad=True)
    fall = lambda t, y: torch.stack([y[1], torch.full_like(y[1], -9.8)])
    when, path = odeint_event(fall, height, torch.tensor(0.0).double(), event_fn=lambda t, y: y[0], method="dopri5")
    when.backward()
    return when, path, height.grad
