"""Part 2, 4.3: one step of gradient descent is weight - rate * gradient."""
import torch
import torch.nn as nn
import torch.optim as optim

layer = nn.Linear(2, 2)
layer.weight = nn.Parameter(torch.tensor([[0.1, 0.2], [0.3, 0.4]]))
layer.bias = nn.Parameter(torch.tensor([0.5, 0.6]))

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = torch.tensor([[0.5, 0.5], [0.7, 0.7]])

loss_function = nn.MSELoss()
optimizer = optim.SGD(layer.parameters(), lr=0.01)

output = layer(x)
loss = loss_function(output, y)

optimizer.zero_grad()
loss.backward()
before = layer.weight.detach().clone()
optimizer.step()
print(layer.weight)
print(torch.equal(layer.weight, before - 0.01 * layer.weight.grad))
