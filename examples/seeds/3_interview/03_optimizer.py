"""Part 1, question 3: a model of two inputs, trained by Adam."""
import torch
import torch.optim as optim

x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([4.0, 5.0, 6.0])


# missing in the article: MyModel; and its loss, the mean of the outputs, has no least value
class MyModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor(0.0))
        self.b = torch.nn.Parameter(torch.tensor(0.0))

    def forward(self, x, y):
        return self.a * x + self.b * y


model = MyModel()
optimizer = optim.Adam(model.parameters(), lr=0.1)

for epoch in range(100):
    optimizer.zero_grad()       # missing in the article: without it the gradients of all epochs add up
    z = model(x, y)
    loss = torch.mean((z - 10.0) ** 2)
    loss.backward()
    optimizer.step()
    if epoch % 25 == 24:
        print(f"Epoch {epoch}: Loss = {loss.item():.4f}")
