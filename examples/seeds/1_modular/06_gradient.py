"""Part 2, 3.2: the gradient of a squared error, by the graph and by hand."""
import torch
import torch.nn as nn

torch.manual_seed(0)

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = torch.tensor([[1.0], [2.0]], requires_grad=True)

linear = nn.Linear(2, 1)
sigmoid = nn.Sigmoid()

z = linear(x)
output = sigmoid(z)
loss = (output - y).pow(2).sum()
loss.backward()
print(x.grad)

by_hand = 2 * (output - y) * output * (1 - output) @ linear.weight
print(torch.allclose(x.grad, by_hand))
