"""Part 3, 4.1 to 4.4: a line learnt by two layers with a ReLU between them."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(1)

x = torch.randn(100, 1)
# wrong in the article: its text says small noise; randn is as large as x itself
y = 2 * x + 0.1 * torch.randn(100, 1)

# wrong in the article: one hidden unit behind a ReLU can't follow a line on both sides of its kink; eight can
model = nn.Sequential(
    nn.Linear(1, 8),
    nn.ReLU(),
    nn.Linear(8, 1)
)
print(model)

optimizer = optim.SGD(model.parameters(), lr=0.05)

for epoch in range(100):
    model.zero_grad()
    output = model(x)
    loss = nn.MSELoss()(output, y)
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(f"Epoch {epoch + 1}, Loss: {loss.item():.4f}")

new_x = torch.tensor([[2.0]], dtype=torch.float32)
new_output = model(new_x)
print(f"Predicted Output: {new_output.item():.2f}")
