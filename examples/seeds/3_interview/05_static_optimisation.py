"""Part 2, question 2 and part 3, question 1: a dynamic graph made static and optimised."""
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)


def f(x, y):
    z = x * y
    w = z + y
    return w


# wrong in the article: torch.jit.optimize(w).optimize() never existed, and a tensor is a result, not a program
static_graph = torch.jit.trace(f, (x, y))
print(static_graph(x, y))

optimised = torch.compile(f, backend="eager")
with torch.no_grad():
    for _ in range(4):
        result = optimised(x, y)
print(torch.equal(result, f(x, y)))
# what the passes do (sharing, fusion, dead code) is printed by ../claims/06_fusion.py and its neighbours
