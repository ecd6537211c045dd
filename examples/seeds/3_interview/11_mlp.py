"""Part 6, program 11: a multi-layer perceptron, forward and backward."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(MLP, self).__init__()
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        return x


# wrong in the article: output_size=1 with CrossEntropyLoss; of one class the probability is 1 and the loss always 0
model = MLP(input_size=10, hidden_size=50, output_size=2)
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

print(model.fc1.weight.shape)
print(model.fc2.weight.shape)
