"""Part 2, 3.1: tensors, a layer and an activation make the graph."""
import torch
import torch.nn as nn

torch.manual_seed(0)

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = torch.tensor([[1.0], [2.0]], requires_grad=True)

linear = nn.Linear(2, 1)
sigmoid = nn.Sigmoid()

z = linear(x)
output = sigmoid(z)
print(output)

# the article says that printing the output shows the graph; it shows the last node, from which one can walk back
node = output.grad_fn
while node is not None:
    print(node.name())
    node = node.next_functions[0][0] if node.next_functions else None
