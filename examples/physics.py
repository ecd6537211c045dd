"""Physics: a network learns the energy of a pendulum, and the simulation that it drives conserves it.

    python examples/physics.py [--quick] [--seed N]

Shows: a Hamiltonian network (Greydanus et al. 2019), whose output is an energy H(q, p) and whose gradients are the
motion, dq/dt = dH/dp and dp/dt = -dH/dq: gradients within the forward pass, and gradients of those to train it. A plain
network that learns the motion directly gains or loses energy with every swing. Both are run by Runge and Kutta's rule.
Data:  a pendulum, made here
Time:  5 s
Score: change of energy at most 1 %, seen 0.11; --quick 3, seen 0.085
"""
import math

from common import Progress, run

import weft as torch
from weft import nn


def true_energy(q, p):
    """Of a pendulum of length, mass and gravity 1: (N,) angles and momenta."""
    return p ** 2 / 2 + 1 - torch.cos(q)


def make_motion(count, noise=0.05):
    """States (count, 2) of angle and momentum, and how they change in a second (count, 2), with noise."""
    q, p = math.pi * (2 * torch.rand(count) - 1), 4 * torch.rand(count) - 2
    states = torch.stack([q, p], 1)[true_energy(q, p) < 1.8]        # it swings, but never over the top
    change = torch.stack([states[:, 1], -torch.sin(states[:, 0])], 1)
    return states, change + noise * torch.randn(change.shape)


def layers(outputs, hidden=64):
    return nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                         nn.Linear(hidden, outputs))


class Hamiltonian(nn.Module):
    """States (N, 2) -> their change (N, 2), from the gradient of a learnt energy."""

    def __init__(self):
        super().__init__()
        self.energy = layers(1)

    def forward(self, states):
        with torch.enable_grad():                                   # the gradient is the answer, in testing too
            states = states.detach().requires_grad_()
            slope, = torch.autograd.grad(self.energy(states).sum(), states, create_graph=self.training)
        return torch.stack([slope[:, 1], -slope[:, 0]], 1)


def train(net, states, change, steps, title):
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    with Progress(range(steps), title, unit="step") as bar:
        for _ in bar:
            rows = torch.randint(len(states), (128,))
            loss = nn.functional.mse_loss(net(states[rows]), change[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            bar.show(loss=loss.item())


def simulate(net, state, seconds, dt=0.1):
    """The states (steps, 2) from a start (2,), by Runge and Kutta's rule of fourth order."""
    net.eval()
    state, path = state.unsqueeze(0), []
    with Progress(range(int(seconds / dt)), "simulation", unit="step") as bar:
        for _ in bar:
            k1 = net(state).detach()
            k2 = net(state + dt / 2 * k1).detach()
            k3 = net(state + dt / 2 * k2).detach()
            k4 = net(state + dt * k3).detach()
            state = state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            path.append(state)
    return torch.cat(path)


def drift(path, start):
    """The largest change of the true energy, averaged over a swing (64 steps), in % of what it was."""
    energy = true_energy(path[:, 0], path[:, 1])
    means = energy[:len(energy) // 64 * 64].view(-1, 64).mean(1)
    return 100 * ((means - means[0]).abs().max() / true_energy(start[0], start[1])).item()


def main(given):
    states, change = make_motion(1500 if given.quick else 4000)
    steps, seconds = (300, 50) if given.quick else (3000, 500)
    start = torch.tensor([1.5, 0.0])
    results = {}
    for name, net in (("plain network", layers(2)), ("Hamiltonian network", Hamiltonian())):
        train(net, states, change, steps, name)
        results[name] = drift(simulate(net, start, seconds), start)
    for name, value in results.items():
        print(f"  {name}: the energy changes by {value:.2f} % in {seconds} s")
    return results["Hamiltonian network"]


if __name__ == "__main__":
    run(main, __doc__)
