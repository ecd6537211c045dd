"""A TreeLSTM that reads the sentiment of film reviews, written for one tree at a time and run on many at once.

    python examples/treelstm.py --data ../shared/data/sst [--batch 64] [--off] [--quick] [--trees 2000] [--epochs 3]

Each line of train.txt and dev.txt is a parsed sentence: `(3 (2 It) (4 (2 's) (4 lovely)))`; the number is what readers
thought of the phrase, from 0 to 4. The model is Tai, Socher and Manning's (2015), as its textbook has it: a recursion
over the tree, no padding and no batching. `weft.autobatch()` does that; `--off` runs the same program without.
"""
import argparse
import contextlib
import pathlib
import random
import re
import time

import weft as torch
from weft import nn
from weft.utils.progress import Progress

LABELS = [torch.tensor([k]) for k in range(5)]


def parse(line):
    """(label, word) or (label, left, right)."""
    stack = [[]]
    for token in re.findall(r"[()]|[^() ]+", line):
        if token == "(":
            stack.append([])
        elif token == ")":
            label, *rest = stack.pop()
            stack[-1].append((int(label), *rest))
        else:
            stack[-1].append(token)
    return stack[0][0]


def words_of(tree):
    return [tree[1]] if len(tree) == 2 else words_of(tree[1]) + words_of(tree[2])


class TreeLSTM(nn.Module):
    """Words become states, two states become one; every phrase has its own loss."""

    def __init__(self, words, size=128, hidden=128):
        super().__init__()
        self.numbers = {word: torch.tensor([k]) for k, word in enumerate(words, 1)}
        self.unknown = torch.tensor([0])
        self.table, self.out, self.drop = nn.Embedding(len(words) + 1, size), nn.Linear(hidden, 5), nn.Dropout(0.5)
        self.leaf, self.join = nn.Linear(size, 3 * hidden), nn.Linear(2 * hidden, 5 * hidden)
        nn.init.normal_(self.table.weight, std=0.1)

    def states(self, tree, losses=None):
        """(h, c), each (1, hidden); what it thinks of this phrase and of all inside it is added to the losses."""
        if len(tree) == 2:
            i, o, u = self.leaf(self.table(self.numbers.get(tree[1], self.unknown))).chunk(3, 1)
            c = i.sigmoid() * u.tanh()
        else:
            (h1, c1), (h2, c2) = self.states(tree[1], losses), self.states(tree[2], losses)
            i, f1, f2, o, u = self.join(torch.cat([h1, h2], 1)).chunk(5, 1)
            c = i.sigmoid() * u.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
        h = o.sigmoid() * c.tanh()
        if losses is not None:
            losses.append(nn.functional.cross_entropy(self.out(self.drop(h)), LABELS[tree[0]]))
        return h, c

    def forward(self, tree):
        """What it thinks of the whole sentence: (1, 5)."""
        return self.out(self.states(tree)[0])

    def loss(self, tree):
        """The losses of all its phrases, added up."""
        losses = []
        self.states(tree, losses)
        return torch.stack(losses).sum()


def train(net, trees, batch, off, epoch, opt):
    region = contextlib.nullcontext() if off else torch.autobatch()
    random.Random(epoch).shuffle(trees)
    net.train()
    with Progress(range(0, len(trees), batch), f"epoch {epoch}", unit="batch") as bar:
        for start in bar:
            opt.zero_grad()
            with region:
                loss = torch.stack([net.loss(tree) for tree in trees[start:start + batch]]).mean()
                loss.backward()
            opt.step()
            bar.show(loss=loss.item())
    return region


def accuracy(net, trees):
    """The part of the sentences whose sign it gets right (those that have one)."""
    right = seen = 0
    net.eval()
    with torch.no_grad():
        for start in range(0, len(trees), 64):
            with torch.autobatch():
                found = [(net(tree).squeeze(0), tree[0]) for tree in trees[start:start + 64] if tree[0] != 2]
            for scores, label in found:
                right += (scores[3:].logsumexp(0) > scores[:2].logsumexp(0)).item() == (label > 2)
                seen += 1
    return right / max(1, seen)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=pathlib.Path, required=True, help="a folder with train.txt and dev.txt")
    options.add_argument("--batch", type=int, default=64, help="trees whose losses are summed")
    options.add_argument("--trees", type=int, default=2000, help="how many are trained on")
    options.add_argument("--epochs", type=int, default=3)
    options.add_argument("--quick", action="store_true", help="few trees, one epoch")
    options.add_argument("--off", action="store_true", help="without autobatch")
    given = options.parse_args()
    if given.quick:
        given.trees, given.epochs = 128, 1
    trees, dev = ([parse(line) for line in (given.data / name).read_text(encoding="utf-8").strip().split("\n")]
                  for name in ("train.txt", "dev.txt"))
    trees = trees[:given.trees]
    torch.manual_seed(0)
    net = TreeLSTM(sorted({word for tree in trees for word in words_of(tree)}))
    opt = torch.optim.Adagrad(net.parameters(), lr=0.05)
    for epoch in range(1, given.epochs + 1):
        start = time.perf_counter()
        region = train(net, trees, given.batch, given.off, epoch, opt)
        seconds = time.perf_counter() - start
        print(f"epoch {epoch}: {len(trees) / seconds:.0f} trees/s, {100 * accuracy(net, dev[::2]):.1f} % of the unseen "
              f"sentences right")
    if not given.off:
        print(region.report())


if __name__ == "__main__":
    main()
