"""Part 7, question 16: autograd.grad gives gradients without writing them to .grad."""
import torch
from torch.autograd import grad

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0], requires_grad=True)

output = x * y

# wrong in the article: grad of two numbers needs grad_outputs, one weight for each
grad_x, grad_y = grad(output, [x, y], grad_outputs=torch.ones(2), create_graph=True)

print(grad_x)
print(grad_y)
print(x.grad)
