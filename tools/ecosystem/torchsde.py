"""torchsde: stochastic differential equations."""
# pip install torchsde
import torch
import torchsde


class _Process(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift, self.spread = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def f(self, t, y):
        return self.drift(y).tanh()

    def g(self, t, y):
        return self.spread(y).sigmoid() * 0.3


def solving():
    """`sdeint` by Euler, Milstein, SRK; gradients through the solver and through the adjoint"""
    process, start, times = _Process(), torch.full((2, 3), 0.1), torch.linspace(0, 1, 3)
    made = []
    for method, area in (("euler", "none"), ("milstein", "none"), ("srk", "space-time")):
        path = torchsde.BrownianInterval(0.0, 1.0, size=(2, 3), entropy=7, levy_area_approximation=area)
        made.append(torchsde.sdeint(process, start, times, bm=path, dt=0.1, method=method))
    sum(m.pow(2).mean() for m in made).backward()
    through = [p.grad.clone() for p in process.parameters()]
    path = torchsde.BrownianInterval(0.0, 1.0, size=(2, 3), entropy=7)
    torchsde.sdeint_adjoint(process, start, times, bm=path, dt=0.1, method="euler").pow(2).mean().backward()
    return made, through, [p.grad for p in process.parameters()]
