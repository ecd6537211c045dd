"""schedulefree, prodigyopt: optimizers without a schedule, and without a rate."""
# pip install schedulefree
# pip install prodigyopt
import schedulefree
import torch
from prodigyopt import Prodigy


def _trained(make):
    layer, x, found = torch.nn.Linear(4, 2), torch.randn(6, 4), []
    optimizer = make(layer.parameters())
    getattr(optimizer, "train", lambda: None)()
    for _ in range(5):
        optimizer.zero_grad()
        loss = layer(x).pow(2).sum()
        loss.backward()
        optimizer.step()
        found.append(loss)
    getattr(optimizer, "eval", lambda: None)()
    return found, layer(x)


def schedule_free():
    """five steps each of AdamW, SGD and RAdam, then the averaged weights"""
    return [_trained(lambda p: schedulefree.AdamWScheduleFree(p, lr=0.01)),
            _trained(lambda p: schedulefree.SGDScheduleFree(p, lr=0.1)),
            _trained(lambda p: schedulefree.RAdamScheduleFree(p, lr=0.01))]


def prodigy():
    """five steps of Prodigy"""
    return _trained(lambda p: Prodigy(p, lr=1.0))
