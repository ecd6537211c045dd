"""Part 6, question 10: from a dynamic graph to a static one."""
import torch
from torch.jit import trace

torch.manual_seed(0)

x = torch.randn(10, 10)
y = torch.randn(10, 10)


# wrong in the article: trace(z) was given a tensor; it takes the function (or module) and an example of its inputs
def f(x, y):
    return (x + y).mean()


static_graph = trace(f, (x, y))
print(static_graph(x, y))
print(static_graph(x, -x))      # the same graph, other numbers
