"""Pictures of circles, squares and triangles, and how well they are found; for unet, yolo, the R-CNNs and clip."""
import random

import weft as torch
from weft.vision.ops import box_iou
from weft.vision.utils import draw_bounding_boxes

KINDS = ["circle", "square", "triangle"]
COLOURS = {"red": (0.9, 0.2, 0.2), "green": (0.2, 0.8, 0.3), "blue": (0.2, 0.35, 0.95), "yellow": (0.95, 0.85, 0.2)}


def shape_mask(kind, x, y, radius, size):
    """Where the shape is, (size, size) of bool."""
    down, across = torch.meshgrid(torch.arange(size) + 0.5 - y, torch.arange(size) + 0.5 - x, indexing="ij")
    if kind == "circle":
        return across ** 2 + down ** 2 <= radius ** 2
    if kind == "square":
        return (across.abs() <= radius) & (down.abs() <= radius)
    return (down <= radius) & (down >= 2 * across.abs() - radius)        # the tip is at the top


def draw_scene(size=64, most=3, least_radius=7, most_radius=13):
    """A picture (3, size, size) on a dim, noisy ground, and what is in it: boxes (K, 4), labels (K,) from 1, and masks
    (K, size, size).

    Shapes don't overlap.
    """
    picture = 0.25 * torch.rand(3, size, size) + 0.2 * torch.rand(3, 1, 1)
    taken = torch.zeros(size, size, dtype=torch.bool)
    boxes, labels, masks = [], [], []
    for _ in range(random.randint(1, most)):
        kind, radius = random.randrange(3), random.uniform(least_radius, most_radius)
        x, y = random.uniform(radius + 1, size - radius - 1), random.uniform(radius + 1, size - radius - 1)
        mask = shape_mask(KINDS[kind], x, y, radius, size)
        if (mask & taken).any():
            continue
        taken |= mask
        colour = torch.tensor(random.choice(list(COLOURS.values())))
        picture = torch.where(mask, colour.view(3, 1, 1) + 0.05 * torch.randn(3, size, size), picture).clamp(0, 1)
        boxes.append([x - radius, y - radius, x + radius, y + radius])
        labels.append(kind + 1)
        masks.append(mask)
    return picture, {"boxes": torch.tensor(boxes), "labels": torch.tensor(labels),
                     "masks": torch.stack(masks).to(torch.uint8)}


def average_precision(found, targets, overlap=0.5):
    """Mean over the kinds of the area under precision against recall, 0 to 100.

    found: for each picture its boxes, labels and scores. A box is right if it overlaps a true one of its kind, that no
    surer box has taken, by at least `overlap` of their union.
    """
    precisions = []
    for label in range(1, len(KINDS) + 1):
        truths = [target["boxes"][target["labels"] == label] for target in targets]
        guesses = sorted(((score, i, box) for i, one in enumerate(found)
                          for score, kind, box in zip(one["scores"].tolist(), one["labels"].tolist(), one["boxes"])
                          if kind == label), key=lambda guess: -guess[0])
        taken, hits, points = set(), 0, []
        for rank, (_, i, box) in enumerate(guesses, 1):
            if len(truths[i]):
                best, k = box_iou(box.unsqueeze(0), truths[i])[0].max(0)
                if best.item() >= overlap and (i, k.item()) not in taken:
                    taken.add((i, k.item()))
                    hits += 1
                    points.append(hits / rank)
        # at each hit the best precision from there on
        total, best = 0.0, 0.0
        for precision in reversed(points):
            best = max(best, precision)
            total += best
        precisions.append(total / max(1, sum(len(truth) for truth in truths)))
    return 100 * sum(precisions) / len(precisions)


def with_boxes(picture, found, least=0.5):
    """The picture with the boxes of which a detector is sure."""
    sure = found["scores"] >= least
    names = [KINDS[label - 1] for label in found["labels"][sure].tolist()]
    return draw_bounding_boxes((255 * picture).to(torch.uint8), found["boxes"][sure], labels=names,
                               colors="white").float() / 255
