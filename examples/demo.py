"""A convolutional network learns handwritten digits in about a minute, is saved, built again from the file, goes on,
and is looked into.

    python examples/demo.py [--epochs 6] [--file demo.pt] [--resume] [--data FOLDER] [--show]

Ctrl-C saves where it is, in the middle of an epoch; --resume goes on from there, and ends with the very same weights.
The 12,000 pictures come with weft; --data takes the whole of MNIST.
"""
import argparse
import os
import signal
import sys

import weft as torch
from weft import nn
from weft.utils.data import DataLoader
from weft.utils.progress import Progress
from weft.vision.datasets import MNIST

F = nn.functional


class Net(nn.Module):
    """(N, 1, 28, 28) -> (N, 10) logits."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 32, 3), nn.Conv2d(32, 64, 3)
        self.drop1, self.drop2 = nn.Dropout(0.25), nn.Dropout(0.5)
        self.fc1, self.fc2 = nn.Linear(64 * 12 * 12, 128), nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))                       # (N, 32, 26, 26)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)      # (N, 64, 12, 12)
        x = F.relu(self.fc1(self.drop1(x).flatten(1)))
        return self.fc2(self.drop2(x))


class Stop:
    """Ctrl-C asks the training to stop after the step that it is in, so that the checkpoint holds whole steps; a second
    one stops at once.
    """

    asked = False

    def __call__(self, *_):
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


STOP = Stop()


class Training:
    """All that a run consists of: everything here is in the checkpoint, so that a step resumed is the same step."""

    def __init__(self, epochs, data, record):
        torch.manual_seed(1)
        self.record = record                            # of graphs and figures, for the page at the end
        self.epochs, self.epoch = epochs, 0
        self.seen = self.right = 0                      # in this epoch
        self.net = Net()
        self.batches = DataLoader(MNIST(data), batch_size=64, shuffle=True)
        self.test = DataLoader(MNIST(data, train=False), batch_size=500)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, max_lr=2e-3,
                                                             total_steps=epochs * len(self.batches))

    PARTS = ("net", "optimizer", "scheduler", "batches")

    def save(self, path):
        state = {name: getattr(self, name).state_dict() for name in self.PARTS}
        numbers = {name: getattr(self, name) for name in ("epochs", "epoch", "seen", "right")}
        # whole or not at all, also if the power fails
        torch.save({**state, **numbers, "random": torch.get_rng_state()}, path)

    def load(self, path):
        state = torch.load(path)                        # reads data, never runs code
        if state["epochs"] != self.epochs:
            sys.exit(f"{path} is of a run of {state['epochs']} epochs, this one has {self.epochs}\n"
                     f"  fix: --epochs {state['epochs']}, or another --file")
        for name in self.PARTS:
            getattr(self, name).load_state_dict(state[name])
        self.epoch, self.seen, self.right = state["epoch"], state["seen"], state["right"]
        torch.set_rng_state(state["random"])
        return self

    def run(self, until):
        while self.epoch < until:
            self.one_epoch()
            self.epoch, self.seen, self.right = self.epoch + 1, 0, 0
            print(f"  after epoch {self.epoch}: {self.accuracy():.2f} % of the test pictures are right")

    def one_epoch(self):
        self.net.train()
        size = self.batches.batch_size
        with Progress(self.batches, f"epoch {self.epoch + 1}/{self.epochs}", total=len(self.batches), unit="batch",
                      start=self.seen // size) as bar:
            for pictures, digits in bar:
                self.optimizer.zero_grad()
                answers = self.net(pictures)
                loss = F.cross_entropy(answers, digits)
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
                self.optimizer.step()
                self.scheduler.step()
                self.seen += len(digits)
                self.right += int((answers.argmax(1) == digits).sum())
                bar.show(loss=loss.item(), accuracy=f"{100 * self.right / self.seen:.1f}%")
                self.record.log(loss=loss, accuracy=self.right / self.seen)
                if STOP.asked:
                    raise KeyboardInterrupt

    @torch.no_grad()
    def accuracy(self):
        self.net.eval()
        right = sum(int((self.net(pictures).argmax(1) == digits).sum()) for pictures, digits in self.test)
        return 100 * right / len(self.test.dataset)


@torch.no_grad()
def show_mistake(net, test):
    """A picture that the network takes for something else, as text."""
    net.eval()
    for pictures, digits in test:
        chances = net(pictures).softmax(1)
        wrong = (chances.argmax(1) != digits).nonzero()
        if len(wrong):
            i = int(wrong[0])
            sure, taken = chances[i].max(0)
            print(f"\nOne that it gets wrong: a {int(digits[i])}, which it takes for a {int(taken)} "
                  f"({100 * float(sure):.0f} % sure)\n")
            for row in (pictures[i, 0] * 4.99).int()[2:26:2].tolist():
                print("    " + "".join(" .+#@"[value] for value in row))
            return


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--file", default="demo.pt", help="where the checkpoint is kept")
    parser.add_argument("--resume", action="store_true", help="go on from the file")
    parser.add_argument("--show", action="store_true", help="open the page of the run in a browser at the end")
    parser.add_argument("--data", help="a folder with MNIST's four files, instead of the part that comes with weft")
    return parser.parse_args()


def train(given, record):
    training = Training(given.epochs, given.data, record)
    print(f"{sum(p.numel() for p in training.net.parameters()):,} weights, {len(training.batches.dataset):,} pictures "
          f"to learn from, {len(training.test.dataset):,} others to test\n")
    if given.resume:
        training.load(given.file)
    try:
        half = given.epochs // 2
        if training.epoch < half:
            training.run(half)
            training.save(given.file)
            print(f"  saved in {given.file}; a new network is built from the file and goes on")
            training = Training(given.epochs, given.data, record).load(given.file)
        training.run(given.epochs)
        training.save(given.file)
    except KeyboardInterrupt:
        training.save(given.file)
        sys.exit(f"\nstopped and saved; go on with: {sys.executable} {sys.argv[0]} --resume --epochs {given.epochs} "
                 f"--file {given.file}")
    return training


def main():
    given = options()
    if given.resume and not os.path.exists(given.file):
        sys.exit(f"there is no {given.file} to go on from\n  fix: leave --resume out, or name another --file")
    print(f"weft {torch.__version__}: a network learns to read digits (Ctrl-C stops and saves)")
    signal.signal(signal.SIGINT, STOP)
    # each hundredth step: what it costs is hardly seen
    with torch.viz.watch(every=100, title="the demo") as record:
        training = train(given, record)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    show_mistake(training.net, training.test)
    page = os.path.splitext(given.file)[0] + ".html"
    record.save(page)
    print(f"\nThe trained network is in {given.file}: weft.load reads it, and so does PyTorch (torch.load).")
    print(f"What ran is in {page}: open it in a browser (or start with --show) for the graph, the losses, gradients "
          f"and times of this run.")
    print("Next: examples/trees.py, a model whose graph differs for every example; docs/training.md, the recipe; "
          "docs/inside.md, how it works.")
    if given.show:
        record.show()


if __name__ == "__main__":
    main()
