"""Part 8, program 22: a recurrent network on sequences."""
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class SimpleRNN(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers):
        super(SimpleRNN, self).__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.rnn = nn.RNN(input_size, hidden_size, num_layers, batch_first=True)
        self.out = nn.Linear(hidden_size, 1)    # missing in the article: 20 hidden numbers against a target of one

    def forward(self, x):
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        out, _ = self.rnn(x, h0)
        # wrong in the article: out[-1, :, :] is the last *sequence*; with batch_first the last step is out[:, -1, :]
        return self.out(out[:, -1, :])


model = SimpleRNN(input_size=10, hidden_size=20, num_layers=2)
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.01)

# wrong in the article: randn(32, 10) has no time; sequences are (batch, time, features)
x = torch.randn(32, 6, 10)
y = x[:, :, 0].mean(1, keepdim=True)

for epoch in range(100):
    optimizer.zero_grad()
    z = model(x)
    loss = criterion(z, y)
    loss.backward()
    optimizer.step()
    if epoch in (0, 10, 99):
        print(f"Epoch {epoch}: Loss = {loss.item():.3f}")

print([tuple(parameter.shape) for parameter in model.parameters()])
