"""Part 2, 4.2: the gradient with respect to the input; the layer is that of 4.1."""
import torch
import torch.nn as nn

layer = nn.Linear(2, 2)
layer.weight = nn.Parameter(torch.tensor([[0.1, 0.2], [0.3, 0.4]]))
layer.bias = nn.Parameter(torch.tensor([0.5, 0.6]))

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
# wrong in the article: a target of shape (2, 1) for an output of (2, 2) is broadcast (both libraries warn of it)
y = torch.tensor([[0.5, 0.5], [0.7, 0.7]])

loss_function = nn.MSELoss()
output = layer(x)
loss = loss_function(output, y)
loss.backward()
print(x.grad)

# wrong in the article (part 1, 4.1): dL/dz is y - z up to a factor and the sign; for the mean of squares it is
by_hand = 2 * (output - y) / output.numel() @ layer.weight
print(torch.allclose(x.grad, by_hand))
