"""Adaptive computation: a network that decides for each input how long to think, and learns when to stop."""
import weft
from weft import nn, optim

weft.manual_seed(0)


class Thinker(nn.Module):
    """Adds up a list one number per step, and stops by itself; the chance to stop is learnt with the answer."""

    def __init__(self, width=16):
        super().__init__()
        self.cell = nn.GRUCell(2, width)
        self.answer, self.stop = nn.Linear(width, 1), nn.Linear(width, 1)
        self.width = width

    def forward(self, numbers, longest=8):
        state, left, answer, cost = weft.zeros(self.width), weft.tensor(1.0), 0.0, 0.0
        for step in range(longest):
            there = step < len(numbers)
            seen = weft.tensor([numbers[step] if there else 0.0, float(there)])
            state = self.cell(seen, state)
            halt = left if step == longest - 1 else left * self.stop(state).sigmoid().squeeze()
            answer = answer + halt * self.answer(state).squeeze()       # the mean over where it may stop
            cost = cost + left
            left = left - halt
            if left < 0.05:                     # sure enough: here the graph ends, for this input
                break
        return answer, cost, step + 1


net = Thinker()
optimizer = optim.Adam(net.parameters(), lr=0.01)
for _ in range(300):
    optimizer.zero_grad()
    total = 0.0
    for _ in range(8):
        numbers = [weft.rand(()).item() for _ in range(1 + weft.randint(5, ()).item())]
        answer, cost, _ = net(numbers)
        total = total + (answer - sum(numbers)) ** 2 + 0.1 * cost
    (total / 8).backward()
    optimizer.step()

steps = {length: net([0.5] * length)[2] for length in (1, 5)}
answers = {length: round(net([0.5] * length)[0].item()) for length in (2, 4)}
print("a long list takes more steps than a short one:", steps[1] < steps[5])
print("answers:", answers)
