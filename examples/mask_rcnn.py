"""Mask R-CNN (He et al. 2017): Faster R-CNN, which also cuts out each thing that it finds.

    python examples/mask_rcnn.py [--quick] [--seed N] [--out FOLDER]

Shows: a third branch beside boxes and classes, a small convolutional network that draws the outline in each region.
faster_rcnn.py has the loop. --out draws what it cuts out.
Data:  drawn shapes
Time:  28 s
Score: overlap of the masks at least 80 %, seen 87; --quick 10, seen 24.5
"""
from common import picture_path, run
from faster_rcnn import SIZE, backbone, detect, parts, train
from shapes import KINDS, average_precision, draw_scene

import weft as torch
from weft import nn
from weft.vision.models.detection import MaskRCNN
from weft.vision.models.detection.mask_rcnn import MaskRCNNPredictor
from weft.vision.ops import MultiScaleRoIAlign, box_iou
from weft.vision.utils import draw_segmentation_masks, save_image


def mask_rcnn():
    head = nn.Sequential(nn.Conv2d(64, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU())
    return MaskRCNN(
        backbone(), mask_roi_pool=MultiScaleRoIAlign(["0"], output_size=8, sampling_ratio=2), mask_head=head,
        mask_predictor=MaskRCNNPredictor(32, 32, 1 + len(KINDS)),          # (R, 32, 8, 8) -> (R, 4, 16, 16)
        **parts())


def mask_overlap(found, targets):
    """The mean over all true shapes of the overlap with the mask of the best box on them, 0 to 100; 0 if missed."""
    overlaps = []
    for one, target in zip(found, targets):
        masks = one["masks"][:, 0] >= 0.5                           # (K, H, W)
        for box, label, mask in zip(target["boxes"], target["labels"].tolist(), target["masks"].bool()):
            of_kind = (one["labels"] == label).nonzero().flatten().tolist()
            best = max(of_kind, key=lambda k: box_iou(box[None], one["boxes"][k:k + 1]).item(), default=None)
            if best is None:
                overlaps.append(0.0)
            else:
                overlaps.append(((masks[best] & mask).sum() / (masks[best] | mask).sum()).item())
    return 100 * sum(overlaps) / len(overlaps)


def with_masks(picture, found):
    sure = found["scores"] >= 0.5
    masks = found["masks"][sure, 0] >= 0.5
    return draw_segmentation_masks((255 * picture).to(torch.uint8), masks, alpha=0.7, colors="white").float() / 255


def main(given):
    scenes = [draw_scene(SIZE) for _ in range(24 if given.quick else 200)]
    pictures, targets = zip(*[draw_scene(SIZE) for _ in range(10 if given.quick else 100)])
    net = mask_rcnn()
    train(net, scenes, epochs=3 if given.quick else 12)
    found = detect(net, pictures)
    if given.out:
        save_image([*pictures[:10], *[with_masks(*pair) for pair in zip(pictures[:10], found)]],
                   picture_path(given, "mask_rcnn.png"), nrow=10)
    print(f"average precision of the boxes {average_precision(found, targets):.1f} %")
    return mask_overlap(found, targets)


if __name__ == "__main__":
    run(main, __doc__)
