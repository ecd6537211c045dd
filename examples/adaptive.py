"""Adaptive computation (Graves 2016; PonderNet, Banino et al. 2021): a network that thinks longer about hard inputs.

    python examples/adaptive.py [--quick] [--seed N]

Shows: a loop whose length the network decides. Each input is a treasure hunt: eight boxes, each with a note that names
the next one, some with a treasure; its colour is the answer. One thought looks into one box, so a longer hunt takes
more thoughts, but nobody tells the network how long it is: a chance of stopping comes with each thought, and the loss
is what is expected under it, and a small price for thinking. In testing a hunt that has ended leaves the batch.
Data:  treasure hunts, made here
Time:  0 s
Score: right, no thought too many at least 97 %, seen 0; --quick 0, seen 0
"""
import random

from common import Progress, run

import weft as torch
from weft import nn

BOXES, COLOURS, LONGEST = 8, 4, 5
THOUGHTS = LONGEST + 1                                          # at most
CELL = 2 * BOXES + 1 + COLOURS                                  # own name, note, is a treasure in it, colour


def make_hunts(count):
    """Boxes (count, 8, CELL), starts (count, 8), colours (count,), lengths (count,)."""
    cells = torch.zeros(count, BOXES, CELL)
    starts, colours, lengths = [], [], []
    for hunt in cells.numpy():
        length = random.randint(1, LONGEST)
        path = random.sample(range(BOXES), length)
        for box in range(BOXES):
            colour, following = random.randrange(COLOURS), random.randrange(BOXES)
            treasure = random.random() < 0.5                    # boxes off the path have treasures too
            if box in path:
                treasure = box == path[-1]
                following = box if treasure else path[path.index(box) + 1]
            hunt[box, [box, BOXES + following, 2 * BOXES + 1 + colour]] = 1
            hunt[box, 2 * BOXES] = treasure
        starts.append(path[0])
        colours.append(int(hunt[path[-1], 2 * BOXES + 1:].argmax()))
        lengths.append(length)
    return (cells, nn.functional.one_hot(torch.tensor(starts), BOXES).float(), torch.tensor(colours),
            torch.tensor(lengths))


class Thinker(nn.Module):
    """A state, and a thought that looks with attention into the boxes and makes the next state."""

    def __init__(self, size=32):
        super().__init__()
        self.start = nn.Linear(BOXES, size)
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(CELL, size), nn.Linear(CELL, size)
        self.update = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size))
        self.stop, self.answer = nn.Linear(size, 1), nn.Linear(size, COLOURS)
        nn.init.constant_(self.stop.bias, -2.0)                 # it begins by thinking long

    def think(self, state, cells):
        """state (N, size), cells (N, 8, CELL) -> the next state, the chance to stop (N,), the answer (N, colours)."""
        scores = self.key(cells) @ self.query(state).unsqueeze(2)               # (N, 8, 1)
        seen = (scores.softmax(1) * self.value(cells)).sum(1)                   # (N, size)
        return self.update(seen), self.stop(seen).squeeze(1).sigmoid(), self.answer(seen)

    def loss(self, cells, starts, colours, price):
        """The answers' loss, expected over when it stops, and a price for each thought."""
        state, going, total = self.start(starts), torch.ones(len(cells)), 0.0
        for thought in range(1, THOUGHTS + 1):
            state, stop, answer = self.think(state, cells)
            chance = going * stop if thought < THOUGHTS else going              # that it ends here
            wrong = nn.functional.cross_entropy(answer, colours, reduction="none")
            total = total + (chance * (wrong + price * thought)).mean()
            going = going * (1 - stop)
        return total

    @torch.no_grad()
    def solve(self, cells, starts):
        """Answers (N,) and how many thoughts each took (N,)."""
        answers, thoughts = torch.zeros(len(cells), dtype=torch.int64), torch.zeros(len(cells), dtype=torch.int64)
        left, state = torch.arange(len(cells)), self.start(starts)
        for thought in range(1, THOUGHTS + 1):
            state, stop, answer = self.think(state, cells[left])
            done = (stop > 0.5) if thought < THOUGHTS else torch.ones_like(stop, dtype=torch.bool)
            answers[left[done]], thoughts[left[done]] = answer[done].argmax(1), thought
            left, state = left[~done], state[~done]
            if len(left) == 0:
                break
        return answers, thoughts


def main(given):
    net = Thinker()
    steps = 400 if given.quick else 1500
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=4e-3, total_steps=steps)
    with Progress(range(steps), "training", unit="step") as bar:
        for step in bar:
            cells, starts, colours, _ = make_hunts(64)
            # first it learns to think, then to stop
            loss = net.loss(cells, starts, colours, price=0.0 if step < steps // 4 else 0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            bar.show(loss=loss.item())
    cells, starts, colours, lengths = make_hunts(1000)
    answers, thoughts = net.solve(cells, starts)
    for length in range(1, LONGEST + 1):
        of_length = lengths == length
        print(f"  hunts of {length}: {thoughts[of_length].float().mean().item():.2f} thoughts, "
              f"{100 * (answers == colours)[of_length].float().mean().item():.1f} % right")
    return 100 * ((answers == colours) & (thoughts == lengths)).float().mean()


if __name__ == "__main__":
    run(main, __doc__)
