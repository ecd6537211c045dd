"""LeNet, U-Net and a small YOLO: models that torchvision doesn't have."""
import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.ops.boxes import batched_nms, box_iou

__all__ = ["LeNet", "UNet", "YOLO"]


class LeNet(nn.Module):
    """LeNet-5 (LeCun et al. 1998), with ReLU and max pooling: (N, in_channels, 28, 28) to (N, num_classes).

    >>> import weft
    >>> weft.vision.models.LeNet()(weft.rand(2, 1, 28, 28)).shape
    torch.Size([2, 10])
    """

    def __init__(self, num_classes=10, in_channels=1):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(in_channels, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(nn.Linear(16 * 5 * 5, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                                        nn.Linear(84, num_classes))

    def forward(self, x):
        return self.classifier(weft.flatten(self.features(x), 1))


def _twice(i, o):
    """Two convolutions that keep the size."""
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class UNet(nn.Module):
    """U-Net (Ronneberger et al. 2015), with padding: (N, in_channels, H, W) to (N, num_classes, H, W), any H and W.

    >>> import weft
    >>> weft.vision.models.UNet(3, 2, width=8, depth=2)(weft.rand(1, 3, 17, 20)).shape
    torch.Size([1, 2, 17, 20])
    """

    def __init__(self, in_channels=3, num_classes=2, width=64, depth=4):
        super().__init__()
        widths = [width * 2 ** i for i in range(depth + 1)]
        self.first = _twice(in_channels, width)
        self.down = nn.ModuleList(nn.Sequential(nn.MaxPool2d(2), _twice(widths[i], widths[i + 1]))
                                  for i in range(depth))
        self.up = nn.ModuleList(nn.ConvTranspose2d(widths[i + 1], widths[i], 2, stride=2) for i in range(depth))
        self.join = nn.ModuleList(_twice(2 * widths[i], widths[i]) for i in range(depth))
        self.last = nn.Conv2d(width, num_classes, 1)

    def forward(self, x):
        seen = [self.first(x)]
        for down in self.down:
            seen.append(down(seen[-1]))
        x = seen.pop()
        for up, join in zip(reversed(self.up), reversed(self.join)):
            beside = seen.pop()
            x = up(x)
            # an odd size lost a line
            x = F.pad(x, (0, beside.shape[3] - x.shape[3], 0, beside.shape[2] - x.shape[2]))
            x = join(weft.cat([beside, x], 1))
        return self.last(x)


class YOLO(nn.Module):
    """A small network that finds boxes in one look (after Redmon and Farhadi 2018): each cell of a grid, 16 pixels
    wide, answers for the boxes whose middle it holds, with boxes of a few sizes (anchors) to start from.

    pictures: (N, 3, H, W). In training, with targets ([{"boxes": (L, 4), "labels": (L,)}] for each picture), it gives a
    dict of losses; else for each picture {"boxes": (K, 4), "scores": (K,), "labels": (K,)}.

    >>> import weft
    >>> model = weft.vision.models.YOLO(num_classes=3, width=4)
    >>> targets = [{"boxes": weft.tensor([[4., 4., 20., 24.]]), "labels": weft.tensor([1])}]
    >>> sorted(model(weft.rand(1, 3, 64, 64), targets))
    ['loss_box', 'loss_class', 'loss_object']
    >>> sorted(model.eval()(weft.rand(1, 3, 64, 64))[0])
    ['boxes', 'labels', 'scores']
    """

    STRIDE = 16

    def __init__(self, num_classes, width=16, anchors=((16, 16), (32, 32), (64, 64)), score_thresh=0.3, nms_thresh=0.5):
        super().__init__()
        self.num_classes, self.score_thresh, self.nms_thresh = num_classes, score_thresh, nms_thresh
        self.register_buffer("anchors", weft.tensor(anchors, dtype=weft.float32))     # (A, 2), width and height
        layers, channels = [], 3
        for i in range(4):
            layers += [nn.Conv2d(channels, width * 2 ** i, 3, stride=2, padding=1, bias=False),
                       nn.BatchNorm2d(width * 2 ** i), nn.LeakyReLU(0.1), *self._keep(width * 2 ** i)]
            channels = width * 2 ** i
        self.backbone = nn.Sequential(*layers)
        self.head = nn.Conv2d(channels, len(anchors) * (5 + num_classes), 1)
        nn.init.constant_(self.head.bias, -2.0)         # most cells hold nothing

    @staticmethod
    def _keep(channels):
        return [nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.LeakyReLU(0.1)]

    def forward(self, pictures, targets=None):
        out = self.head(self.backbone(pictures))
        n, _, h, w = out.shape
        out = out.view(n, len(self.anchors), 5 + self.num_classes, h, w).permute(0, 1, 3, 4, 2)
        # (N, A, h, w, 5 + C)
        boxes = self._boxes(out, h, w)
        if self.training:
            if targets is None:
                raise ValueError("a YOLO that is trained needs targets\n  fix: give them, or call eval() first")
            return self._losses(out, boxes, targets)
        return [self._found(out[i], boxes[i], pictures.shape[2:]) for i in range(n)]

    def _boxes(self, out, h, w):
        """Corners (N, A, h, w, 4)."""
        y, x = weft.meshgrid(weft.arange(h), weft.arange(w), indexing="ij")
        middle = (out[..., :2].sigmoid() + weft.stack((x, y), -1).to(out.dtype)) * self.STRIDE
        half = 0.5 * self.anchors.view(1, -1, 1, 1, 2) * out[..., 2:4].clamp(-4, 4).exp()
        return weft.cat((middle - half, middle + half), -1)

    def _losses(self, out, boxes, targets):
        n, a, h, w, _ = out.shape
        wanted, places = weft.zeros(n, a, h, w, dtype=out.dtype), []
        for i, target in enumerate(targets):
            for box, label in zip(target["boxes"].tolist(), target["labels"].tolist()):
                size = weft.tensor([[0.0, 0.0, box[2] - box[0], box[3] - box[1]]])
                sizes = weft.cat((weft.zeros_like(self.anchors), self.anchors), 1)
                best = int(box_iou(size, sizes)[0].argmax())
                row = min(max(int((box[1] + box[3]) / 2 / self.STRIDE), 0), h - 1)
                column = min(max(int((box[0] + box[2]) / 2 / self.STRIDE), 0), w - 1)
                wanted[i, best, row, column] = 1.0
                places.append((i, best, row, column, box, label))
        loss_object = F.binary_cross_entropy_with_logits(out[..., 4], wanted, reduction="sum") / max(len(places), 1)
        if not places:
            return {"loss_object": loss_object, "loss_box": out.sum() * 0, "loss_class": out.sum() * 0}
        index = tuple(weft.tensor([p[k] for p in places]) for k in range(4))
        true = weft.tensor([p[4] for p in places], dtype=out.dtype)
        overlap = box_iou(boxes[index], true).diagonal()
        apart = F.smooth_l1_loss(boxes[index] / self.STRIDE, true / self.STRIDE, reduction="none").mean(1)
        loss_class = F.cross_entropy(out[..., 5:][index], weft.tensor([p[5] for p in places]))
        return {"loss_object": loss_object, "loss_box": (1 - overlap + apart).mean(), "loss_class": loss_class}

    def _found(self, out, boxes, size):
        scores, labels = (out[..., 4:5].sigmoid() * out[..., 5:].softmax(-1)).reshape(-1, self.num_classes).max(1)
        keep = scores > self.score_thresh
        boxes, scores, labels = boxes.reshape(-1, 4)[keep], scores[keep], labels[keep]
        boxes = weft.stack((boxes[:, 0].clamp(0, size[1]), boxes[:, 1].clamp(0, size[0]), boxes[:, 2].clamp(0, size[1]),
                            boxes[:, 3].clamp(0, size[0])), 1)
        keep = batched_nms(boxes, scores, labels, self.nms_thresh)
        return {"boxes": boxes[keep], "scores": scores[keep], "labels": labels[keep]}
