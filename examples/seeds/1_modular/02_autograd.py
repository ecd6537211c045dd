"""Part 1, 3.2: loss.backward() walks the graph back and leaves a gradient on every parameter."""
import torch
import torch.nn as nn

torch.manual_seed(0)

input_tensor = torch.randn(10, 5)
linear_layer = nn.Linear(in_features=5, out_features=3)
loss_function = nn.MSELoss()

output_tensor = linear_layer(input_tensor)
loss = loss_function(output_tensor, torch.randn(10, 3))
loss.backward()

print(f"loss {loss.item():.4f}")
print(linear_layer.weight.grad.shape, linear_layer.bias.grad.shape)
print(linear_layer.bias.grad)
