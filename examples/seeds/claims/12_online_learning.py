"""Online learning: one example at a time from a stream whose rule changes; the model follows it."""
import weft
from weft import nn, optim

weft.manual_seed(0)

model = nn.Linear(3, 1)
optimizer = optim.SGD(model.parameters(), lr=0.1)
rules = (weft.tensor([1.0, -1.0, 0.5]), weft.tensor([-1.0, 0.5, 2.0]))

errors = []
for time in range(400):
    rule = rules[time // 200]               # the world changes in the middle
    x = weft.randn(3)
    y = (x * rule).sum()
    prediction = model(x).squeeze()         # first predict, then learn
    loss = (prediction - y) ** 2
    errors.append(loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

for start in (0, 150, 200, 350):
    print(f"examples {start} to {start + 49}: mean error {sum(errors[start:start + 50]) / 50:.3f}")
