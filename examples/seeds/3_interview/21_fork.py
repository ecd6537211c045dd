"""Part 8, question 21: two branches that may run side by side."""
import torch

torch.manual_seed(0)

x = torch.randn(3, 3)
y = torch.randn(3, 3)


# wrong in the article: `with torch.jit.fork():` never existed; fork takes a function and its arguments, and wait
# gives what it returned
def my_function(x, y):
    z = torch.jit.fork(torch.add, x, y)
    w = torch.jit.fork(torch.mul, x, y)
    return torch.jit.wait(z), torch.jit.wait(w)


z, w = my_function(x, y)
print(z)
print(w)
