"""Words and trees per second of the textbook's programs on real data: a BiLSTM tagger, the same with a BiLSTM over the
letters of rare words, and a TreeLSTM. One example at a time, 64 losses summed, and (weft) those batched automatically.

    python benchmarks/textbook.py [--threads 1] [--seconds 4] [--rounds 3] [--data ../shared/data] [PROGRAM ...]

The models and sizes are those of the DyNet benchmark (Neubig et al. 2017): vectors of 128, taggers with 50 hidden units
a direction and 32 between, letters of 20, a TreeLSTM of 128 with weights of their own for each gate and a loss at each
phrase. An example is trained on: forward, backward, a step of SGD. PyTorch's embeddings are `sparse=True`, since it
would pass over the whole table otherwise (--dense: they are not). Each library has a process of its own, which sleeps
while it isn't its turn.
"""
import argparse
import collections
import contextlib
import importlib
import os
import random
import re
import time

PROGRAMS = ("tagger", "tagger with letters", "TreeLSTM")
WAYS = {"torch": ("torch", "one"), "weft": ("weft", "one"), "torch, 64 summed": ("torch", "summed"),
        "weft, 64 summed": ("weft", "summed"), "weft, 64 batched": ("weft", "batched")}
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "shared", "data")
EXAMPLES = 640          # as many as are trained on again and again


# the data

def sentences(folder):
    """[(words, tags)]"""
    with open(os.path.join(folder, "wikiner", "tags.txt"), encoding="utf-8") as file:
        pairs = [[pair.rsplit("|", 1) for pair in line.split()] for line in file]
    return [tuple(zip(*line)) for line in pairs if line]


def tree_of(line):
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


def leaves(tree):
    return [tree[1]] if len(tree) == 2 else leaves(tree[1]) + leaves(tree[2])


def trees(folder):
    with open(os.path.join(folder, "sst", "train.txt"), encoding="utf-8") as file:
        return [tree_of(line) for line in file]


def numbers_of(things):
    """{thing: number}, 0 is for what is unknown."""
    return {thing: k for k, thing in enumerate(sorted(set(things)), 1)}


# the models: (loss of an example, its parameters, how much it counts for)

def tagger(T, folder, sparse, letters=False):
    nn, data = T.nn, sentences(folder)
    counts = collections.Counter(word for words, _ in data for word in words)
    known = numbers_of(word for word, n in counts.items() if n > 5 or not letters)
    signs, tags = numbers_of("".join(counts)), numbers_of(tag for _, labels in data for tag in labels)

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(len(known) + 1, 128, sparse=sparse)
            self.lstm = nn.LSTM(128, 50, bidirectional=True)
            self.middle, self.out = nn.Linear(100, 32), nn.Linear(32, len(tags) + 1)
            if letters:
                self.signs = nn.Embedding(len(signs) + 1, 20, sparse=sparse)
                self.spell = nn.LSTM(20, 64, bidirectional=True)

        def spelled(self, word):
            """A rare word's vector, (1, 128): what the letters' LSTM ends with in both directions."""
            ends = self.spell(self.signs(T.tensor([signs[letter] for letter in word])))[1][0]       # (2, 64)
            return ends.reshape(1, 128)

        def forward(self, words):
            if letters:
                xs = T.cat([self.table(T.tensor([known[word]])) if word in known else self.spelled(word)
                            for word in words])
            else:
                xs = self.table(T.tensor([known[word] for word in words]))                          # (words, 128)
            return self.out(self.middle(self.lstm(xs)[0]).tanh())

    net = Tagger()
    return lambda example: nn.functional.cross_entropy(
        net(example[0]), T.tensor([tags[tag] for tag in example[1]])), net, data, lambda example: len(example[0])


def tree_lstm(T, folder, sparse):
    nn, data = T.nn, trees(folder)
    words = numbers_of(word for tree in data for word in leaves(tree))

    class TreeLSTM(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(len(words) + 1, 128, sparse=sparse)
            self.leaf_i, self.leaf_o, self.leaf_u = (nn.Linear(128, 128) for _ in range(3))
            self.i, self.o, self.u = (nn.Linear(256, 128) for _ in range(3))
            self.left, self.right, self.out = nn.Linear(128, 128), nn.Linear(128, 128), nn.Linear(128, 5)

        def states(self, tree, losses):
            """(h, c), each (1, 128); every phrase's loss goes to `losses`."""
            if len(tree) == 2:
                x = self.table(T.tensor([words[tree[1]]]))
                i, o, u = self.leaf_i(x).sigmoid(), self.leaf_o(x).sigmoid(), self.leaf_u(x).tanh()
                c = i * u
            else:
                (h1, c1), (h2, c2) = self.states(tree[1], losses), self.states(tree[2], losses)
                h = T.cat([h1, h2], 1)
                i, o, u = self.i(h).sigmoid(), self.o(h).sigmoid(), self.u(h).tanh()
                c = i * u + self.left(h1).sigmoid() * c1 + self.right(h2).sigmoid() * c2
            h = o * c.tanh()
            losses.append(nn.functional.cross_entropy(self.out(h), T.tensor([tree[0]])))
            return h, c

    net = TreeLSTM()

    def loss_of(tree):
        losses = []
        net.states(tree, losses)
        return sum(losses)
    return loss_of, net, data, lambda tree: 1


def trainer(program, library, way, folder, threads, dense=False):
    """A function (seconds) -> words or trees a second, of one library in one way; it goes on where it was."""
    T = importlib.import_module(library)
    T.set_num_threads(threads)
    T.manual_seed(0)
    sparse = library == "torch" and not dense
    loss_of, net, data, size = (tree_lstm(T, folder, sparse) if program == "TreeLSTM" else
                                tagger(T, folder, sparse, letters="letters" in program))
    random.Random(0).shuffle(data)
    data = data[:EXAMPLES]
    optimizer, step = T.optim.SGD(net.parameters(), lr=1e-3), 1 if way == "one" else 64
    region = T.autobatch() if way == "batched" else contextlib.nullcontext()
    clock = time.thread_time if threads == 1 else time.perf_counter     # the former stands while others work
    at = 0

    def train_once():
        nonlocal at
        batch = data[at:at + step]
        at = (at + step) % len(data)
        optimizer.zero_grad()
        with region:
            sum(loss_of(example) for example in batch).backward()
        optimizer.step()
        return sum(size(example) for example in batch)

    def run(seconds):
        done, start = 0, clock()
        while clock() - start < seconds:
            done += train_once()
        return done / (clock() - start)
    return run


def main():
    from child import Child
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=PROGRAMS, metavar="PROGRAM", help=", ".join(PROGRAMS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4, help="of each way in each round")
    parser.add_argument("--rounds", type=int, default=3, help="the best counts")
    parser.add_argument("--data", default=DATA)
    parser.add_argument("--dense", action="store_true")
    given = parser.parse_args()
    unknown = [program for program in given.programs if program not in PROGRAMS]
    if unknown:
        parser.error(f"no program is called {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
    for program in given.programs:
        children, best = {}, collections.defaultdict(float)
        for name, (library, way) in WAYS.items():
            children[name] = Child(f"textbook:{program}:{way}:{int(given.dense)}:{given.data}", library, given.threads)
            with children[name].turn():
                children[name](given.seconds / 2)           # so that nothing is the first of its kind any more
        for _ in range(given.rounds):
            for name, child in children.items():
                with child.turn():
                    best[name] = max(best[name], child(given.seconds))
        unit = "trees" if program == "TreeLSTM" else "words"
        print(f"{program}, {given.threads} thread{'s' * (given.threads > 1)}")
        for name, found in best.items():
            base = best["torch" if name in ("torch", "weft") else "torch, 64 summed"]
            print(f"  {name:18}{found:10,.0f} {unit}/s   {base / found:5.3f} of torch's time", flush=True)


if __name__ == "__main__":
    main()
