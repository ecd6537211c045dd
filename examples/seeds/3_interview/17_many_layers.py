"""Part 7, program 17: a network with several hidden layers, made in a loop."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class MultiLayerNN(nn.Module):
    def __init__(self, input_size, hidden_sizes, output_size):
        super(MultiLayerNN, self).__init__()
        layers = []
        for hidden_size in hidden_sizes:
            layers.append(nn.Linear(input_size, hidden_size))
            layers.append(nn.ReLU())
            input_size = hidden_size
        layers.append(nn.Linear(hidden_sizes[-1], output_size))
        self.model = nn.Sequential(*layers)

    def forward(self, x):
        return self.model(x)


# wrong in the article: output_size=1 with CrossEntropyLoss, as in program 11
model = MultiLayerNN(input_size=10, hidden_sizes=[50, 100], output_size=2)
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.001)

x = torch.randn(1, 10)
y = torch.tensor([0])

for epoch in range(100):
    optimizer.zero_grad()
    z = model(x)
    loss = criterion(z, y)
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"Epoch {epoch}: Loss = {loss.item():.4f}")

# wrong in the article: print(model.parameters()) prints a generator
for name, parameter in model.named_parameters():
    print(name, tuple(parameter.shape))
