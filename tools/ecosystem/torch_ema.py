"""torch-ema: averaged weights."""
# pip install torch-ema
import torch
from torch_ema import ExponentialMovingAverage


def averages():
    """`update`, `average_parameters`, `state_dict`, `copy_to` over five steps"""
    net = torch.nn.Linear(4, 2)
    ema, optimizer = ExponentialMovingAverage(net.parameters(), decay=0.9), torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        net(torch.randn(3, 4)).pow(2).mean().backward()
        optimizer.step()
        ema.update()
    with ema.average_parameters():
        inside = net.weight.clone()
    other = ExponentialMovingAverage(net.parameters(), decay=0.5)
    kept = {k: [t.detach() for t in v] if isinstance(v, list) else v for k, v in ema.state_dict().items()}
    other.load_state_dict(kept)
    outside = net.weight.clone()
    other.copy_to()
    return inside, outside, net.weight
