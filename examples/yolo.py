"""YOLO (Redmon et al. 2015): a network finds the shapes in a picture in one look.

    python examples/yolo.py [--quick] [--seed N] [--out FOLDER]

Shows: weft.vision's YOLO, whose grid cells each answer for the boxes whose middle they hold; a model that returns its
losses in training and boxes afterwards; non-maximum suppression; average precision. --out draws what it finds.
Data:  drawn shapes
Time:  12 s
Score: average precision at least 75 %, seen 83.7; --quick 4, seen 10.3
"""
from common import Progress, picture_path, run
from shapes import KINDS, average_precision, draw_scene, with_boxes

import weft as torch
from weft.vision.models import YOLO
from weft.vision.utils import save_image


def main(given):
    scenes = [draw_scene() for _ in range(64 if given.quick else 500)]
    unseen = [draw_scene() for _ in range(30 if given.quick else 100)]
    # the shapes are 14 to 26 pixels wide; label 0 is never used
    net = YOLO(num_classes=1 + len(KINDS), width=8, anchors=((16, 16), (24, 24)), score_thresh=0.1)
    epochs, size = (12, 4) if given.quick else (20, 8)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3,
                                                    total_steps=epochs * -(-len(scenes) // size))
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(scenes)).split(size)
        with Progress(order, f"epoch {epoch}/{epochs}", unit="batch") as bar:
            for rows in bar:
                pictures, targets = zip(*[scenes[row] for row in rows.tolist()])
                losses = net(torch.stack(pictures), targets)        # of objects, boxes and classes
                loss = sum(losses.values())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                bar.show(loss=loss.item())
    net.eval()
    pictures, targets = zip(*unseen)
    with torch.no_grad():
        found = net(torch.stack(pictures))                          # a dict of boxes, labels, scores for each picture
    if given.out:
        save_image([with_boxes(*pair) for pair in zip(pictures[:10], found)], picture_path(given, "yolo.png"), nrow=5)
    return average_precision(found, targets)


if __name__ == "__main__":
    run(main, __doc__)
