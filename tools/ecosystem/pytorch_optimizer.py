"""pytorch-optimizer: many optimizers."""
# pip install pytorch-optimizer
import pytorch_optimizer
import torch


def _train(kind, **options):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
    optimizer = kind(net.parameters(), **options)
    x, y = torch.randn(32, 6), torch.randn(32, 2)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def steps():
    """six steps each of Lion, AdaBelief, RAdam, Lamb, Adan, AdaFactor, Tiger, Lookahead's inside, MADGRAD"""
    names = ["Lion", "AdaBelief", "RAdam", "Lamb", "Adan", "AdaFactor", "Tiger", "MADGRAD", "AdaBound", "DiffGrad"]
    return {name: _train(getattr(pytorch_optimizer, name), lr=1e-2) for name in names}


def wrapped():
    """Lookahead around AdamW"""
    torch.manual_seed(0)
    return _train(lambda params: pytorch_optimizer.Lookahead(torch.optim.AdamW(params, lr=1e-2), k=3, alpha=0.5))


def sharpness():
    """SAM: two gradients for each step"""
    torch.manual_seed(0)
    net = torch.nn.Linear(6, 2)
    optimizer = pytorch_optimizer.SAM(net.parameters(), torch.optim.SGD, lr=0.1, rho=0.05)
    x, y = torch.randn(32, 6), torch.randn(32, 2)
    losses = []
    for _ in range(4):
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.first_step(zero_grad=True)
        torch.nn.functional.mse_loss(net(x), y).backward()
        optimizer.second_step(zero_grad=True)
        losses.append(loss.detach())
    return losses
