"""A convolutional network reads handwritten digits.

    python examples/cnn.py [--quick] [--seed N] [--data FOLDER]

Shows: convolution, pooling and batch norm; the same loop as the perceptron's (mlp.py), a third of its mistakes.
Data:  MNIST (12,000 pictures)
Time:  19 s
Score: accuracy at least 98 %, seen 98.6; --quick 88, seen 95.2
"""
from common import run
from mlp import learn

from weft import nn


class CNN(nn.Module):
    """(N, 1, 28, 28) -> (N, 10) logits."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),     # (N, 16, 14, 14)
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),    # (N, 32, 7, 7)
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2))    # (N, 64, 3, 3)
        self.classifier = nn.Sequential(nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 3 * 3, 10))

    def forward(self, pictures):
        return self.classifier(self.features(pictures))


def main(given):
    return learn(CNN(), given, epochs=6, lr=5e-3)


if __name__ == "__main__":
    run(main, __doc__)
