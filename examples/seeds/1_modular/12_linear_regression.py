"""Part 2, 5.1 to 5.5: a project: a line through noisy points; with a picture if matplotlib is installed."""
import os
import sys
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

np.random.seed(0)
torch.manual_seed(0)


def make_line(n=100, noise=True, f=1):
    x = np.random.uniform(0, 10, n).reshape(-1, 1)
    # wrong in the article: (n, 1) + (n,) is (n, n), a table of all pairs; the noise has the points' shape
    y = x * f + np.random.randn(n, 1) * (1 if noise else 0)
    return x, y


class LinearModel(nn.Module):
    def __init__(self):
        super(LinearModel, self).__init__()
        self.linear = nn.Linear(1, 1)

    def forward(self, x):
        return self.linear(x)


# wrong in the article: the model was given NumPy's arrays; it takes tensors, of the weights' type
x, y = (torch.from_numpy(values).float() for values in make_line())
model = LinearModel()
print(model)

loss_function = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.01)

n_epochs = 100
for epoch in range(n_epochs):
    optimizer.zero_grad()
    output = model(x)
    loss = loss_function(output, y)
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(f"Epoch {epoch + 1}/{n_epochs}, Loss: {loss.item():.4f}")

x_new = torch.tensor([[5.0]])
output_new = model(x_new)
print(f"Predicted Output: {output_new.item():.3f}")

if "--picture" in sys.argv:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.scatter(x, y, label="Actual")
    # wrong in the article: a line through one point is not to be seen; the model is drawn over all of x
    ends = torch.tensor([[0.0], [10.0]])
    plt.plot(ends, model(ends).detach().numpy(), label="Predicted", color="red")
    plt.xlabel("Input")
    plt.ylabel("Target")
    plt.legend()
    plt.title("Prediction Result")
    path = os.path.join(tempfile.gettempdir(), "linear_regression.png")
    plt.savefig(path)
    print("the picture is", path)
