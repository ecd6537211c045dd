"""A residual network (He et al. 2015) reads handwritten digits.

    python examples/resnet.py [--quick] [--seed N] [--data FOLDER]

Shows: blocks that add what they find to what they were given, so that the gradient has a short road through them all.
Data:  MNIST (12,000 pictures)
Time:  35 s
Score: accuracy at least 97.5 %, seen 98.2; --quick 75, seen 89.6
"""
from common import run
from mlp import learn

from weft import nn

F = nn.functional


class Block(nn.Module):
    """x + two convolutions of x; with a stride the shortcut is a 1x1 convolution, since the shapes differ."""

    def __init__(self, channels_in, channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(nn.Conv2d(channels_in, channels, 1, stride=stride, bias=False),
                                          nn.BatchNorm2d(channels))

    def forward(self, x):
        found = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(self.shortcut(x) + found)


class ResNet(nn.Module):
    """(N, 1, 28, 28) -> (N, 10) logits: a first convolution, three stages of blocks, the mean over all places."""

    def __init__(self, width=16, blocks=1):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        stages, channels_in = [], width
        for stage in range(3):                          # (N, 16, 14, 14), (N, 32, 7, 7), (N, 64, 4, 4)
            channels = width * 2 ** stage
            stages += [Block(channels_in, channels, stride=2)]
            stages += [Block(channels, channels) for _ in range(blocks - 1)]
            channels_in = channels
        self.stages = nn.Sequential(*stages)
        self.last = nn.Sequential(nn.Dropout(0.2), nn.Linear(channels_in, 10))

    def forward(self, pictures):
        found = self.stages(self.first(pictures))       # (N, 64, 4, 4)
        return self.last(found.mean((2, 3)))


def main(given):
    return learn(ResNet(), given, epochs=6, lr=3e-3)


if __name__ == "__main__":
    run(main, __doc__)
