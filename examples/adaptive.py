"""Adaptive computation (after Graves 2016): a network that thinks longer about hard inputs, until it is sure.

    python examples/adaptive.py [--quick] [--seed N]

Shows: a loop whose length the values decide. Each input is a treasure hunt: ten boxes, each with a note that names
another one, two with a treasure; the colour of that at the end of the path is the answer. One thought looks into one
box, so a longer hunt takes more thoughts, but nobody tells the network how long it is. It learns to answer after every
thought, as well as can be known by then; in testing it stops when it is sure of its answer, and a hunt that has ended
leaves the batch.
Data:  treasure hunts, made here
Time:  9 s
Score: right in time at least 95 %, seen 100; --quick 70, seen 100
"""
import random

from common import Progress, run

import weft as torch
from weft import nn

BOXES, COLOURS, LONGEST = 10, 4, 5
THOUGHTS = LONGEST + 1                                          # at most
CELL = 2 * BOXES + 1 + COLOURS                                  # own name, note, is a treasure in it, colour


def make_hunts(count, longest=LONGEST):
    """Boxes (count, 10, CELL), starts (count, 10), colours (count,), lengths (count,)."""
    cells = torch.zeros(count, BOXES, CELL)
    starts, colours, lengths = [], [], []
    for hunt in cells.numpy():                                  # its own memory: writing here fills the cells
        length = random.randint(1, longest)
        boxes = random.sample(range(BOXES), 2 * length)
        true, false = boxes[:length], boxes[length:]            # the second path misleads
        following = {a: b for path in (true, false) for a, b in zip(path, path[1:])}
        for box in range(BOXES):
            treasure = box in (true[-1], false[-1])
            note = box if treasure else following.get(box, random.randrange(BOXES))
            hunt[box, [box, BOXES + note, 2 * BOXES + 1 + random.randrange(COLOURS)]] = 1
            hunt[box, 2 * BOXES] = treasure
        starts.append(true[0])
        colours.append(int(hunt[true[-1], 2 * BOXES + 1:].argmax()))
        lengths.append(length)
    return (cells, nn.functional.one_hot(torch.tensor(starts), BOXES).float(), torch.tensor(colours),
            torch.tensor(lengths))


class Thinker(nn.Module):
    """A state, and a thought that looks with attention into the boxes and makes the next state."""

    def __init__(self, size=48):
        super().__init__()
        self.start = nn.Linear(BOXES, size)
        self.query, self.key, self.value = nn.Linear(size, size), nn.Linear(BOXES, size), nn.Linear(CELL, size)
        self.answer = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, COLOURS))

    def think(self, state, cells):
        """state (N, size), cells (N, 10, CELL) -> the next state, the answer so far (N, colours)."""
        names = cells[:, :, :BOXES]                                             # what is in a box shows when it is open
        scores = self.key(names) @ self.query(state).unsqueeze(2)               # (N, 10, 1)
        seen = (scores.softmax(1) * self.value(cells)).sum(1)                   # (N, size)
        return seen, self.answer(seen)

    def loss(self, cells, starts, colours):
        """The mean over all thoughts: each answer counts, so an early one is as unsure as it should be."""
        state, losses = self.start(starts), []
        for _ in range(THOUGHTS):
            state, answer = self.think(state, cells)
            losses.append(nn.functional.cross_entropy(answer, colours))
        return torch.stack(losses).mean()

    @torch.no_grad()
    def solve(self, cells, starts, sure=0.8):
        """Answers (N,) and how many thoughts each took (N,)."""
        answers, thoughts = torch.zeros(len(cells), dtype=torch.int64), torch.zeros(len(cells), dtype=torch.int64)
        left, state = torch.arange(len(cells)), self.start(starts)
        for thought in range(1, THOUGHTS + 1):
            state, answer = self.think(state, cells[left])
            chance, colour = answer.softmax(1).max(1)
            done = (chance > sure) | (thought == THOUGHTS)
            answers[left[done]], thoughts[left[done]] = colour[done], thought
            left, state = left[~done], state[~done]
            if len(left) == 0:
                break
        return answers, thoughts


def main(given):
    net = Thinker()
    steps = 400 if given.quick else 1500
    optimizer = torch.optim.Adam(net.parameters(), lr=6e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=6e-3, total_steps=steps)
    with Progress(range(steps), "training", unit="step") as bar:
        for _ in bar:
            cells, starts, colours, _ = make_hunts(64)
            loss = net.loss(cells, starts, colours)
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
    return 100 * ((answers == colours) & (thoughts <= lengths)).float().mean()


if __name__ == "__main__":
    run(main, __doc__)
