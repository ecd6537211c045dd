"""Faster R-CNN (Ren et al. 2015): a network proposes places in a picture, looks at each, and says what is there.

    python examples/faster_rcnn.py [--quick] [--seed N] [--out FOLDER]

Shows: the parts of weft.vision's Faster R-CNN put together for small pictures: a backbone, anchors, RoI align; the four
losses of its two stages. mask_rcnn.py trains its sister with the same loop. --out draws what it finds.
Data:  drawn shapes
Time:  20 s
Score: average precision at least 93 %, seen 98.9; --quick 12, seen 28.3
"""
from common import Progress, picture_path, run
from shapes import KINDS, average_precision, draw_scene, with_boxes

import weft as torch
from weft import nn
from weft.vision.models.detection import FasterRCNN
from weft.vision.models.detection.faster_rcnn import FastRCNNPredictor
from weft.vision.models.detection.rpn import AnchorGenerator
from weft.vision.ops import MultiScaleRoIAlign
from weft.vision.utils import save_image

SIZE = 64


def backbone(width=16):
    """(N, 3, 64, 64) -> (N, 64, 8, 8)."""
    layers = []
    for channels_in, channels in ((3, width), (width, 2 * width), (2 * width, 4 * width)):
        layers += [nn.Conv2d(channels_in, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
                   nn.MaxPool2d(2)]
    layers += [nn.Conv2d(4 * width, 4 * width, 3, padding=1), nn.ReLU()]
    net = nn.Sequential(*layers)
    net.out_channels = 4 * width                                    # the detector asks for it
    return net


class BoxHead(nn.Module):
    """What RoI align cut out of the features, (R, 64, 5, 5), to a vector (R, 64)."""

    def __init__(self, channels=64, pooled=5, size=64):
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(channels * pooled ** 2, size), nn.ReLU())

    def forward(self, regions):
        return self.layers(regions)


def parts():
    """What a detector for such pictures needs beside its backbone; class 0 is the ground."""
    return dict(
        min_size=SIZE, max_size=SIZE, image_mean=[0.3] * 3, image_std=[0.25] * 3,
        rpn_anchor_generator=AnchorGenerator(sizes=((16, 24),), aspect_ratios=((1.0,),)),
        box_roi_pool=MultiScaleRoIAlign(["0"], output_size=5, sampling_ratio=2), box_head=BoxHead(),
        box_predictor=FastRCNNPredictor(64, 1 + len(KINDS)),
        rpn_pre_nms_top_n_train=64, rpn_post_nms_top_n_train=32, rpn_batch_size_per_image=64,
        rpn_pre_nms_top_n_test=64, rpn_post_nms_top_n_test=16,
        box_batch_size_per_image=32, box_detections_per_img=10)


def train(net, scenes, epochs, size=4, lr=2e-3):
    optimizer = torch.optim.Adam(net.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=lr, total_steps=epochs * -(-len(scenes) // size))
    net.train()
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(scenes)).split(size)
        with Progress(order, f"epoch {epoch}/{epochs}", unit="batch") as bar:
            for rows in bar:
                pictures, targets = zip(*[scenes[row] for row in rows.tolist()])
                losses = net(list(pictures), list(targets))         # one loss for each task of each stage
                loss = sum(losses.values())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
                bar.show(loss=loss.item())


@torch.no_grad()
def detect(net, pictures):
    """For each picture a dict of boxes, labels and scores."""
    net.eval()
    return [net([picture])[0] for picture in pictures]


def main(given):
    scenes = [draw_scene(SIZE) for _ in range(50 if given.quick else 200)]
    pictures, targets = zip(*[draw_scene(SIZE) for _ in range(10 if given.quick else 100)])
    net = FasterRCNN(backbone(), **parts())
    train(net, scenes, epochs=4 if given.quick else 12, size=2 if given.quick else 4)
    found = detect(net, pictures)
    if given.out:
        save_image([with_boxes(*pair) for pair in zip(pictures[:10], found)], picture_path(given, "faster_rcnn.png"),
                   nrow=5)
    return average_precision(found, targets)


if __name__ == "__main__":
    run(main, __doc__)
