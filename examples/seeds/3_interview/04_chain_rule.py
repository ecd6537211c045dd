"""Part 2, question 1: gradients by the chain rule, and derivatives of a higher order."""
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)

z = x * y

# wrong in the article: backward() on three numbers; and the gradients are the other factor, not 16, 25, 36
z.sum().backward()
print(x.grad)
print(y.grad)

# wrong in the article: autograd uses no finite differences; every op has its rule, and the chain rule joins them
# wrong in the article: calling backward() again adds gradients up; a higher derivative needs create_graph
t = torch.tensor(2.0, requires_grad=True)
first, = torch.autograd.grad(t ** 4, t, create_graph=True)
second, = torch.autograd.grad(first, t, create_graph=True)
third, = torch.autograd.grad(second, t)
print(first.item(), second.item(), third.item())
