"""U-Net (Ronneberger et al. 2015) says of each pixel what it belongs to.

    python examples/unet.py [--quick] [--seed N] [--out FOLDER]

Shows: a network that goes down to see what is there and up again to say where, with bridges that carry the detail over,
on circles, squares and triangles. --out draws pictures, answers and truth.
Data:  drawn shapes
Time:  17 s
Score: overlap (IoU) at least 95 %, seen 98.7; --quick 8, seen 51.7
"""
from common import Progress, picture_path, run
from shapes import KINDS, draw_scene

import weft as torch
from weft import nn
from weft.vision.utils import save_image


def twice(channels_in, channels):
    """Two convolutions that keep height and width."""
    def once(i, o):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU()]
    return nn.Sequential(*once(channels_in, channels), *once(channels, channels))


class UNet(nn.Module):
    """(N, 3, H, W) -> (N, 4, H, W) logits: ground, circle, square, triangle. H and W divide by 8."""

    def __init__(self, width=8):
        super().__init__()
        widths = [width, 2 * width, 4 * width, 8 * width]
        self.down = nn.ModuleList(twice(a, b) for a, b in zip([3, *widths], widths))
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1]))
        self.join = nn.ModuleList(twice(2 * w, w) for w in reversed(widths[:-1]))
        self.last = nn.Conv2d(width, 1 + len(KINDS), 1)

    def forward(self, x):
        bridges = []
        for level, down in enumerate(self.down):
            x = down(x if level == 0 else self.pool(x))
            bridges.append(x)
        bridges.pop()                                           # the bottom is x itself
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([bridges.pop(), up(x)], 1))
        return self.last(x)


def make_pictures(count, size):
    """Pictures (count, 3, size, size) and the kind of each pixel (count, size, size), 0 for the ground."""
    pictures, kinds = [], []
    for _ in range(count):
        picture, target = draw_scene(size)
        pictures.append(picture)
        kinds.append((target["masks"].long() * target["labels"].view(-1, 1, 1)).sum(0))
    return torch.stack(pictures), torch.stack(kinds)


def overlap(answers, kinds):
    """The mean over the shapes of (both say so) / (one says so), 0 to 100."""
    ratios = [((answers == k) & (kinds == k)).sum() / ((answers == k) | (kinds == k)).sum()
              for k in range(1, 1 + len(KINDS))]
    return 100 * torch.stack(ratios).mean()


def main(given):
    pictures, kinds = make_pictures(64 if given.quick else 300, 64)
    unseen, unseen_kinds = make_pictures(32 if given.quick else 100, 64)
    net = UNet()
    epochs, size = 5 if given.quick else 10, 4
    steps = epochs * -(-len(pictures) // size)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=steps)
    weight = torch.tensor([0.2, 1.0, 1.0, 1.0])             # most pixels are ground
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(pictures)).split(size)
        with Progress(order, f"epoch {epoch}/{epochs}", unit="batch") as bar:
            for rows in bar:
                loss = nn.functional.cross_entropy(net(pictures[rows]), kinds[rows], weight=weight)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                bar.show(loss=loss.item())
    net.eval()
    with torch.no_grad():
        answers = torch.cat([net(part).argmax(1) for part in unseen.split(25)])     # (N, 64, 64)
    if given.out:
        shades = torch.tensor([[0.0, 0, 0], [0.9, 0.4, 0.1], [0.2, 0.7, 0.9], [0.6, 0.9, 0.2]])
        rows = [unseen[:10], shades[answers[:10]].permute(0, 3, 1, 2), shades[unseen_kinds[:10]].permute(0, 3, 1, 2)]
        save_image(torch.cat(rows), picture_path(given, "unet.png"), nrow=10)
    return overlap(answers, unseen_kinds)


if __name__ == "__main__":
    run(main, __doc__)
