"""Part 3, 3.5: the optimizer moves the parameters along their gradients."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)

# wrong in the article: `model` was not defined, and nothing had given it gradients
model = nn.Linear(3, 1)
model(torch.ones(2, 3)).sum().backward()

optimizer = optim.SGD(params=model.parameters(), lr=0.01)
before = model.weight.detach().clone()
optimizer.step()
print(model.weight - before)
