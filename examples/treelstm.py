"""A TreeLSTM that reads the sentiment of film reviews, written for one tree at a time and run on many at once.

    python examples/treelstm.py [--quick] [--seed N] --data ../shared/data/sst
                                [--batch 64] [--trees 8544] [--epochs 1] [--off]

Each line of train.txt and dev.txt is a parsed sentence: `(3 (2 It) (4 (2 's) (4 lovely)))`; the number is what readers
thought of the phrase, from 0 to 4. The model is Tai, Socher and Manning's (2015), as its textbook has it: a recursion
over the tree, no padding and no batching. `weft.autobatch()` does that; `--off` runs the same program without.

Shows: a graph that is another one for every example, batched all the same.
Data:  film reviews, sst (--data)
Time:  30 s
Score: phrases right at least 84 %, seen 86.2; --quick 61, seen 64.1
"""
import contextlib
import random
import re
import time

from common import Progress, lines_of, run

import weft as torch
from weft import nn

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

    def states(self, tree, seen):
        """(h, c), each (1, hidden); (label, scores) of this phrase goes to `seen`, after those of all inside it."""
        if len(tree) == 2:
            i, o, u = self.leaf(self.table(self.numbers.get(tree[1], self.unknown))).chunk(3, 1)
            c = i.sigmoid() * u.tanh()
        else:
            (h1, c1), (h2, c2) = self.states(tree[1], seen), self.states(tree[2], seen)
            i, f1, f2, o, u = self.join(torch.cat([h1, h2], 1)).chunk(5, 1)
            c = i.sigmoid() * u.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
        h = o.sigmoid() * c.tanh()
        seen.append((tree[0], self.out(self.drop(h))))
        return h, c

    def forward(self, tree):
        """[(label, scores (1, 5))] of all its phrases; the last is the whole sentence."""
        seen = []
        self.states(tree, seen)
        return seen

    def loss(self, tree):
        """The losses of all its phrases, added up."""
        return torch.stack([nn.functional.cross_entropy(scores, LABELS[label]) for label, scores in self(tree)]).sum()


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
    """The parts of the sentences and of all phrases whose sign it gets right (of those that have one)."""
    sentences, phrases = [], []
    net.eval()
    with torch.no_grad():
        for start in range(0, len(trees), 64):
            with torch.autobatch():
                found = [net(tree) for tree in trees[start:start + 64]]
                signs = torch.cat([scores for seen in found for _, scores in seen])         # (phrases, 5)
                signs = (signs[:, 3:].logsumexp(1) > signs[:, :2].logsumexp(1)).tolist()
            for seen in found:
                right = [sign == (label > 2) if label != 2 else None for (label, _), sign in zip(seen, signs)]
                del signs[:len(seen)]
                phrases += [one for one in right if one is not None]
                sentences += [one for one in right[-1:] if one is not None]
    return sum(sentences) / max(1, len(sentences)), sum(phrases) / max(1, len(phrases))


def main(given):
    trees, dev = ([parse(line) for line in lines_of(given, name)] for name in ("train.txt", "dev.txt"))
    trees = trees[:1200 if given.quick else given.trees]
    net = TreeLSTM(sorted({word for tree in trees for word in words_of(tree)}))
    opt = torch.optim.Adagrad(net.parameters(), lr=0.05)
    for epoch in range(1, (1 if given.quick else given.epochs) + 1):
        start = time.perf_counter()
        region = train(net, trees, 16 if given.quick else given.batch, given.off, epoch, opt)
        seconds, (sentences, phrases) = time.perf_counter() - start, accuracy(net, dev)
        print(f"epoch {epoch}: {len(trees) / seconds:.0f} trees/s, {100 * sentences:.1f} % of the unseen sentences and "
              f"{100 * phrases:.1f} % of their phrases right")
    if not given.off:
        print(region.report())
    return 100 * phrases


if __name__ == "__main__":
    run(main, __doc__, batch=64, trees=8544, epochs=1, off=False)
