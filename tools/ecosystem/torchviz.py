"""torchviz: a picture of the graph."""
# pip install torchviz
import re

import torch
from torchviz import make_dot


def _tidy(dot):
    """The graph's source with numbers in the place of addresses, in the order of their appearance."""
    seen = {}
    return re.sub(r"\b\d{9,}\b", lambda m: str(seen.setdefault(m[0], len(seen))), dot.source)


def dots():
    """`make_dot` of a small network with parameters' names: the same nodes and edges"""
    weights = {name: torch.randn(4, 4, requires_grad=True) for name in "abc"}
    hidden = (torch.randn(2, 4) @ weights["a"]).tanh() * weights["b"][0]
    return _tidy(make_dot((hidden @ weights["c"]).pow(2).mean(), params=weights))


def linear():
    """`make_dot` of a network with `nn.Linear`"""
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    return _tidy(make_dot(net(torch.randn(2, 4)).mean(), params=dict(net.named_parameters())))


def attributes():
    """`make_dot` with `show_attrs` and `show_saved`, of elementwise ops"""
    x = torch.randn(2, 3, requires_grad=True)
    return _tidy(make_dot(x * x.exp().tanh(), params={"x": x}, show_attrs=True, show_saved=True))


def reductions():
    """the same of a sum"""
    x = torch.randn(2, 3, requires_grad=True)
    return _tidy(make_dot(x.sum(), params={"x": x}, show_attrs=True, show_saved=True))
