"""Question 5: a network with a hidden layer, trained by back-propagation."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class DynamicNN(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim):
        super(DynamicNN, self).__init__()
        self.fc1 = nn.Linear(input_dim, hidden_dim)
        self.fc2 = nn.Linear(hidden_dim, output_dim)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        return x


model = DynamicNN(input_dim=10, hidden_dim=20, output_dim=5)
optimizer = optim.Adam(model.parameters(), lr=0.001)
criterion = nn.CrossEntropyLoss()

# missing in the article: data_loader; here the class is the greatest of five sums of two features
features = torch.randn(256, 10)
classes = features.view(256, 5, 2).sum(2).argmax(1)
data_loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, classes), batch_size=32)

for epoch in range(100):
    for inputs, targets in data_loader:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
    if epoch % 20 == 19:
        print(f"Epoch {epoch + 1}, Loss: {loss.item():.4f}")

right = (model(features).argmax(1) == classes).float().mean().item()
print(f"{right:.0%} right")
