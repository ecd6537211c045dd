"""Part 2, 4.4: three activations, and their derivatives as the article writes them."""
import torch
import torch.nn as nn

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

sigmoid = nn.Sigmoid()
relu = nn.ReLU()
tanh = nn.Tanh()

output_sigmoid = sigmoid(x)
output_relu = relu(x)
output_tanh = tanh(x)

print(output_sigmoid)
print(output_relu)
print(output_tanh)

points = torch.linspace(-2, 2, 9, requires_grad=True)       # 0 is among them
formulas = {"sigmoid": (torch.sigmoid, lambda s: s * (1 - s)), "tanh": (torch.tanh, lambda t: 1 - t ** 2),
            "relu": (torch.relu, lambda r: (points > 0).float())}
for name, (function, formula) in formulas.items():
    value = function(points)
    slope, = torch.autograd.grad(value.sum(), points)
    print(name, torch.allclose(slope, formula(value)))
# wrong in the article: ReLU'(0) = 1; there is no derivative at 0, and PyTorch and weft take 0
print(torch.autograd.grad(torch.relu(points).sum(), points)[0][4].item())
