"""A multilayer perceptron reads handwritten digits.

    python examples/mlp.py [--quick] [--seed N] [--data FOLDER]

Shows: the training loop that most models share: batches, loss, backward, step; then the test. cnn.py, resnet.py,
inception.py and rnn.py import it from here.
Data:  MNIST (12,000 pictures)
Time:  6 s
Score: accuracy at least 94.5 %, seen 95.4; --quick 75, seen 84.4
"""
from common import Progress, digits, run

import weft as torch
from weft import nn
from weft.utils.data import DataLoader, TensorDataset


class MLP(nn.Module):
    """(N, 1, 28, 28) -> (N, 10) logits."""

    def __init__(self, hidden=256):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Flatten(),                               # (N, 784)
            nn.Linear(784, hidden), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(hidden, 10))

    def forward(self, pictures):
        return self.layers(pictures)


def train(net, pictures, labels, epochs, lr=2e-3, batch=64):
    """Adam, its rate going up and then down to nothing over all steps."""
    loader = DataLoader(TensorDataset(pictures, labels), batch_size=batch, shuffle=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=lr, total_steps=epochs * len(loader))
    net.train()
    for epoch in range(1, epochs + 1):
        with Progress(loader, f"epoch {epoch}/{epochs}", unit="batch") as bar:
            for x, y in bar:
                loss = nn.functional.cross_entropy(net(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                bar.show(loss=loss.item())


@torch.no_grad()
def accuracy(net, pictures, labels):
    """How many of a hundred are right."""
    net.eval()
    right = sum((net(x).argmax(1) == y).sum().item() for x, y in zip(pictures.split(500), labels.split(500)))
    return 100 * right / len(labels)


def learn(net, given, epochs, **options):
    """Train on digits (3,000 of them for one epoch if it is to be quick); the accuracy on others."""
    if given.quick:
        epochs, options["batch"] = 1, 32
    train(net, *digits(given.data, count=3000 if given.quick else None), epochs=epochs, **options)
    return accuracy(net, *digits(given.data, train=False, count=500 if given.quick else None))


def main(given):
    return learn(MLP(), given, epochs=20)


if __name__ == "__main__":
    run(main, __doc__)
