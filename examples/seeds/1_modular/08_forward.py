"""Part 2, 4.1: a layer's output is weight times input plus bias; here with weights that are given."""
import torch
import torch.nn as nn

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
weights = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
bias = torch.tensor([0.5, 0.6])

layer = nn.Linear(2, 2)
layer.weight = nn.Parameter(weights)
layer.bias = nn.Parameter(bias)

output = layer(x)
print(output)
# the formula above the sample has a sigmoid around it, which the sample leaves out
print(torch.sigmoid(output))
