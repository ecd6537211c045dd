"""An Inception network (Szegedy et al. 2014) reads handwritten digits.

    python examples/inception.py [--quick] [--seed N] [--data FOLDER]

Shows: branches of several widths side by side, joined along the channels; 1x1 convolutions that make them cheap.
Data:  MNIST (12,000 pictures)
Time:  24 s
Score: accuracy at least 98 %, seen 98.6; --quick 80, seen 94.2
"""
from common import run
from mlp import learn

import weft as torch
from weft import nn


def conv(channels_in, channels, size):
    """A convolution that keeps height and width, with batch norm and ReLU."""
    return nn.Sequential(nn.Conv2d(channels_in, channels, size, padding=size // 2, bias=False),
                         nn.BatchNorm2d(channels), nn.ReLU())


class Inception(nn.Module):
    """(N, channels_in, H, W) -> (N, the sum of the four branches' channels, H, W)."""

    def __init__(self, channels_in, one, three, five, pool):
        super().__init__()
        self.one = conv(channels_in, one, 1)
        self.three = nn.Sequential(conv(channels_in, three // 2, 1), conv(three // 2, three, 3))
        self.five = nn.Sequential(conv(channels_in, five // 2, 1), conv(five // 2, five, 5))
        self.pool = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), conv(channels_in, pool, 1))

    def forward(self, x):
        return torch.cat([self.one(x), self.three(x), self.five(x), self.pool(x)], 1)


class InceptionNet(nn.Module):
    """(N, 1, 28, 28) -> (N, 10) logits."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            conv(1, 16, 3), nn.MaxPool2d(2),            # (N, 16, 14, 14)
            Inception(16, 8, 16, 8, 8),                 # (N, 40, 14, 14)
            nn.MaxPool2d(2),                            # (N, 40, 7, 7)
            Inception(40, 16, 32, 16, 16),              # (N, 80, 7, 7)
            nn.MaxPool2d(2), nn.Flatten(),              # (N, 80 * 3 * 3)
            nn.Dropout(0.3), nn.Linear(80 * 3 * 3, 10))

    def forward(self, pictures):
        return self.layers(pictures)


def main(given):
    return learn(InceptionNet(), given, epochs=5, lr=5e-3)


if __name__ == "__main__":
    run(main, __doc__)
