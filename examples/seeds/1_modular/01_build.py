"""Part 1, 3.1: a graph is built by calling a layer on a tensor."""
import torch
import torch.nn as nn

torch.manual_seed(0)

# the input
input_tensor = torch.randn(10, 5)

# a linear layer
linear_layer = nn.Linear(in_features=5, out_features=3)

# forward: this call is what builds the graph
output_tensor = linear_layer(input_tensor)

print(output_tensor.shape)
print(type(output_tensor.grad_fn).__name__)
