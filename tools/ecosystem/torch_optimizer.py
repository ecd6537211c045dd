"""torch-optimizer: optimizers of papers."""
# pip install torch-optimizer
import torch
import torch_optimizer


def steps():
    """13 optimizers: five steps each of a linear layer"""
    found = {}
    for name in ("RAdam", "AdaBound", "DiffGrad", "Yogi", "Ranger", "QHAdam", "NovoGrad", "Lamb", "SWATS", "PID",
                 "AggMo", "AccSGD", "QHM"):
        torch.manual_seed(0)
        layer = torch.nn.Linear(3, 2)
        more = {"momentum": 0.9} if name == "QHM" else {}
        optimizer = getattr(torch_optimizer, name)(layer.parameters(), lr=0.01, **more)
        x = torch.randn(4, 3)
        for _ in range(5):
            optimizer.zero_grad()
            layer(x).pow(2).sum().backward()
            optimizer.step()
        found[name] = [layer.weight, layer.bias]
    return found
