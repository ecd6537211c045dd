"""Part 1, question 1: the first graph."""
import torch

# wrong in the article: no requires_grad, so that there was no graph at all
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0])

z = x * y

# wrong in the article: backward() on three numbers; and 1 * 4, 2 * 5, 3 * 6 are not 16, 25, 36
z.sum().backward()
print(z)
print(x.grad)
