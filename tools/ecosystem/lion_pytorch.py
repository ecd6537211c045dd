"""lion-pytorch: an optimizer."""
# pip install lion-pytorch
import torch
from lion_pytorch import Lion


def steps():
    """ten steps with weight decay, saved and loaded in the middle"""
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    optimizer, losses = Lion(net.parameters(), lr=1e-3, weight_decay=1e-2), []
    for i in range(10):
        if i == 5:
            kept = optimizer.state_dict()
            optimizer = Lion(net.parameters(), lr=1e-3, weight_decay=1e-2)
            optimizer.load_state_dict(kept)
        optimizer.zero_grad()
        loss = net(torch.randn(16, 4)).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, list(net.parameters())
