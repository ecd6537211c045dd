"""Part 1, 5.2 to 5.4: forward, loss, backward, and the gradients looked at."""
import torch
import torch.nn as nn

torch.manual_seed(0)

input_tensor = torch.randn(10, 5)
linear_layer = nn.Linear(in_features=5, out_features=3)
output_tensor = linear_layer(input_tensor)
loss_function = nn.MSELoss()
loss = loss_function(output_tensor, torch.randn(10, 3))
loss.backward()

# wrong in the article: linear_layer[0].grad; a Linear is no list, and its gradients belong to weight and bias
print(linear_layer.weight.grad)
print(linear_layer.bias.grad)
# wrong in the article (5.3, 5.4): the gradient's shape is the weight's, (3, 5), not the input's, (10, 5)
print(linear_layer.weight.grad.shape == linear_layer.weight.shape)
