"""Part 3, 3.1: ways to make a tensor."""
import torch

torch.manual_seed(0)

# wrong in the article: its comment says 2x3, the numbers were 2x2, so that x could not be added to y below
x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float32)

# random
y = torch.randn(2, 3)

# all ones
z = torch.ones(2, 3)

print(x)
print(y)
print(z)
