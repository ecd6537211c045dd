"""4.3: a recurrent network and the function that trains it."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class RNN(nn.Module):
    def __init__(self):
        super(RNN, self).__init__()
        self.rnn = nn.RNN(2, 2)
        self.fc = nn.Linear(2, 2)

    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)
        y_pred = self.fc(out)
        return y_pred, hidden


model = RNN()       # wrong in the article: the optimizer was given model.parameters() before there was a model
optimizer = optim.SGD(model.parameters(), lr=0.01)
criterion = nn.MSELoss()


def train(model, x, y, hidden):
    optimizer.zero_grad()
    y_pred, hidden = model(x, hidden)
    loss = criterion(y_pred, y)
    loss.backward()
    optimizer.step()
    return loss


x = torch.randn(10, 2)      # ten steps of one sequence, without a batch dimension
y = torch.randn(10, 2)
hidden = torch.randn(1, 2)  # wrong in the article: randn(2, 1); it is (layers, hidden size)

for i in range(100):
    loss = train(model, x, y, hidden)
    if i % 25 == 0:
        print(f"{loss.item():.4f}")
