"""ultralytics: YOLO of random weights."""
# pip install ultralytics --no-deps
# pip install opencv-python-headless pyyaml psutil matplotlib polars requests tqdm py-cpuinfo
# pip install ultralytics-thop --no-deps
import torch
from ultralytics.nn.tasks import DetectionModel, SegmentationModel
from ultralytics.utils import ops


def detection():
    """YOLO11n: raw outputs in training and in evaluation, gradients"""
    net = DetectionModel("yolo11n.yaml", nc=3, verbose=False)
    x = torch.rand(2, 3, 64, 64)
    net.train()
    out = net(x)
    flat = list(out.values()) if isinstance(out, dict) else out
    parts = [t for t in flat if isinstance(t, torch.Tensor)]
    sum(t.pow(2).mean() for t in parts).backward()
    norms = torch.stack([p.grad.norm() for p in net.parameters() if p.grad is not None])
    net.eval()
    with torch.no_grad():
        return parts, norms, net(x)[0]


def loss():
    """YOLO11n's loss on made-up boxes"""
    from ultralytics.cfg import get_cfg
    net = DetectionModel("yolo11n.yaml", nc=3, verbose=False)
    net.args = get_cfg()
    batch = {"img": torch.rand(2, 3, 64, 64), "batch_idx": torch.tensor([0.0, 1.0, 1.0]),
             "cls": torch.tensor([[0.0], [1.0], [2.0]]), "bboxes": torch.rand(3, 4) * 0.4 + 0.2}
    total, items = net.loss(batch)
    total.sum().backward()
    return total, items


def helpers():
    """segmentation model, `xywh2xyxy`, `scale_boxes`, fused convolutions"""
    net = SegmentationModel("yolo11n-seg.yaml", nc=2, verbose=False).eval()
    x = torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        plain = net(x)[0]
        plain = plain[0] if isinstance(plain, tuple) else plain
    boxes = ops.xywh2xyxy(torch.rand(4, 4))
    return plain, boxes, ops.scale_boxes((64, 64), boxes.clone() * 64, (48, 80))
