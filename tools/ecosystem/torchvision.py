"""torchvision: models, transforms, and the ops that are written in Python."""
# pip install torchvision --no-deps
# pip install pillow
import numpy as np
import torch
import torchvision
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import v2


def _step(model, size=64):
    x, y = torch.randn(2, 3, size, size), torch.tensor([1, 3])
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(2):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    model.eval()
    with torch.no_grad():
        return losses, model(x)


def resnet18():
    """`resnet18`: two training steps, forward"""
    return _step(torchvision.models.resnet18(num_classes=5))


def mobilenet():
    """`mobilenet_v3_small`: two training steps with dropout, forward"""
    return _step(torchvision.models.mobilenet_v3_small(num_classes=5))


def vit():
    """`VisionTransformer`: two training steps, forward"""
    return _step(torchvision.models.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=2,
                                                      hidden_dim=32, mlp_dim=64, num_classes=5), 32)


def swin():
    """`SwinTransformer`: two training steps, forward"""
    return _step(torchvision.models.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=5), 32)


def segmentation():
    """`lraspp_mobilenet_v3_large`: forward"""
    x = torch.randn(1, 3, 64, 64)
    model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights_backbone=None, num_classes=4).eval()
    with torch.no_grad():
        return model(x)["out"]


def features():
    """`create_feature_extractor` and `IntermediateLayerGetter` (torch.fx)"""
    from torchvision.models._utils import IntermediateLayerGetter
    from torchvision.models.feature_extraction import create_feature_extractor, get_graph_node_names
    model = torchvision.models.resnet18(num_classes=3).eval()
    x = torch.randn(1, 3, 64, 64)
    taken = create_feature_extractor(model, {"layer2": "mid", "avgpool": "end"})
    got = IntermediateLayerGetter(model, {"layer1": "a"})
    with torch.no_grad():
        return taken(x), dict(got(x)), get_graph_node_names(model)[1]


def _picture():
    made = np.random.default_rng(0).integers(0, 255, (40, 50, 3)).astype("uint8")
    return Image.fromarray(made)


def transforms():
    """transforms v1: `Resize`, `RandomResizedCrop`, `ColorJitter`, flips, `RandomErasing`, `Normalize`"""
    from torchvision import transforms as T
    chain = T.Compose([T.RandomResizedCrop(32, antialias=True), T.RandomHorizontalFlip(), T.ColorJitter(.4, .4, .4, .1),
                       T.ToTensor(), T.Normalize([.5] * 3, [.25] * 3), T.RandomErasing(p=1.0)])
    plain = T.Compose([T.Resize(36), T.CenterCrop(32), T.ToTensor()])
    tensors = T.Compose([T.RandomRotation(20), T.RandomAffine(10, (.1, .1)), T.GaussianBlur(3), T.Pad(2)])
    return [chain(_picture()) for _ in range(3)], plain(_picture()), tensors(torch.rand(3, 24, 24))


def transforms_v2():
    """transforms v2 on tensors and `tv_tensors` (picture, boxes, mask together), `MixUp`, `CutMix`"""
    image = tv_tensors.Image(torch.randint(0, 256, (3, 40, 50), dtype=torch.uint8))
    boxes = tv_tensors.BoundingBoxes(torch.tensor([[4, 5, 20, 30], [10, 2, 40, 22]]), format="XYXY",
                                     canvas_size=(40, 50))
    mask = tv_tensors.Mask(torch.randint(0, 2, (2, 40, 50), dtype=torch.uint8))
    chain = v2.Compose([v2.RandomHorizontalFlip(1.0), v2.RandomResizedCrop(32, antialias=True), v2.RandomRotation(15),
                        v2.ToDtype(torch.float32, scale=True), v2.SanitizeBoundingBoxes(labels_getter=None)])
    seen, at, where = chain(image, boxes, mask)
    mixed = [mix(torch.rand(4, 3, 8, 8), torch.arange(4))
             for mix in (v2.MixUp(num_classes=4), v2.CutMix(num_classes=4))]
    return (type(seen).__name__, type(at).__name__, seen.as_subclass(torch.Tensor), at.as_subclass(torch.Tensor),
            where.as_subclass(torch.Tensor), mixed)


def functional_v2():
    """v2.functional: resize in four ways, affine, perspective, elastic, equalize, posterize, autocontrast, blur"""
    from torchvision.transforms.v2 import functional as F
    x = torch.randint(0, 256, (3, 24, 30), dtype=torch.uint8)
    ways = v2.InterpolationMode
    sizes = [F.resize(x, [13, 17], interpolation=w, antialias=True) for w in (ways.BILINEAR, ways.BICUBIC,
                                                                              ways.NEAREST, ways.NEAREST_EXACT)]
    real = F.to_dtype(x, torch.float32, scale=True)
    return (sizes, F.affine(real, 12.0, [2, 3], 1.2, [3.0, 1.0]), F.equalize(x), F.posterize(x, 3), F.autocontrast(x),
            F.perspective(real, [[0, 0], [29, 0], [29, 23], [0, 23]], [[2, 1], [27, 3], [28, 20], [1, 22]]),
            F.gaussian_blur(real, [5, 5]), F.adjust_hue(real, 0.2), F.adjust_sharpness(x, 2.0), F.solarize(x, 100.0),
            F.rgb_to_grayscale(x))


def policies():
    """`AutoAugment`, `RandAugment`, `TrivialAugmentWide`, `AugMix`"""
    x = torch.randint(0, 256, (3, 24, 30), dtype=torch.uint8)
    whole = [policy()(x) for policy in (v2.AutoAugment, v2.RandAugment, v2.TrivialAugmentWide)]
    return whole, v2.AugMix()(x / 255)      # a mixture of bytes would be cut off where rounding decides


def ops():
    """ops in Python: box functions, focal loss, IoU losses, `StochasticDepth`, `FeaturePyramidNetwork`"""
    from torchvision import ops as O
    low = torch.rand(6, 2)
    boxes = torch.cat([low, low + torch.rand(6, 2)], 1).requires_grad_()
    other = torch.rand(6, 4).sort(1)[0][:, [0, 1, 2, 3]]
    loss = O.generalized_box_iou_loss(boxes, other, reduction="mean") + O.complete_box_iou_loss(boxes, other).mean()
    loss.backward()
    focal = O.sigmoid_focal_loss(torch.randn(5, 3), torch.randint(0, 2, (5, 3)).float(), reduction="sum")
    pyramid = O.FeaturePyramidNetwork([4, 8], 6)({"a": torch.randn(1, 4, 8, 8), "b": torch.randn(1, 8, 4, 4)})
    return (loss, boxes.grad, O.box_iou(boxes, other), O.box_convert(boxes, "xyxy", "cxcywh"), focal, pyramid,
            O.StochasticDepth(0.5, "row")(torch.ones(6, 2)), O.drop_block2d(torch.ones(2, 3, 8, 8), 0.3, 3),
            O.masks_to_boxes(torch.ones(2, 5, 5) > 0), O.MLP(4, [8, 2])(torch.randn(3, 4)),
            O.SqueezeExcitation(4, 2)(torch.randn(1, 4, 3, 3)))


def grids():
    """`make_grid`, `draw_bounding_boxes`, `draw_segmentation_masks`, `FakeData`, `save_image`"""
    from torchvision import utils
    grid = utils.make_grid(torch.rand(5, 3, 8, 8), nrow=3, normalize=True)
    picture = torch.zeros(3, 30, 30, dtype=torch.uint8)
    drawn = utils.draw_bounding_boxes(picture, torch.tensor([[3, 4, 20, 22]]), colors="red")
    masked = utils.draw_segmentation_masks(drawn, torch.ones(1, 30, 30) > 0, alpha=0.4, colors="blue")
    data = torchvision.datasets.FakeData(6, (3, 8, 8), 4, transform=torchvision.transforms.ToTensor())
    loader = torch.utils.data.DataLoader(data, batch_size=3)
    utils.save_image(grid, "grid.png")
    return grid, drawn, masked, list(loader), np.asarray(Image.open("grid.png"))


def compiled():
    """`nms`, `roi_align`

    torchvision's compiled ops are machine code for PyTorch's C++ library, which weft doesn't have; PyPI's build for
    CUDA doesn't load beside a CPU build of PyTorch, either.
    """
    boxes = torch.tensor([[0., 0., 4., 4.], [0.5, 0., 4., 4.], [6., 6., 9., 9.]])
    return torchvision.ops.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
