"""weft.vision beside torchvision: random choices, values, keys of models, outputs and gradients from the same weights.

torchvision is installed beside a CPU build of PyTorch with `pip install --no-deps torchvision==0.28.0`; its C part doesn't
load there, so the two ops that it asks for are declared, and nms is given a body.
"""
import importlib.util
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if importlib.util.find_spec("torchvision") is None:
    pytest.skip("torchvision is not installed: pip install --no-deps torchvision==0.28.0", allow_module_level=True)

import weft  # noqa: E402
from weft.vision import models as W  # noqa: E402
from weft.vision import ops as weft_ops  # noqa: E402

LIBRARY = torch.library.Library("torchvision", "DEF")
for _name in ("nms", "qnms"):
    try:
        LIBRARY.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    except RuntimeError:        # its C part is there after all
        pass
import torchvision  # noqa: E402
from PIL import Image  # noqa: E402

M = torchvision.models
VIDEO = ("quantized", "mc3", "r2plus", "r3d", "raft", "s3d", "swin3d", "mvit", "maxvit")


def own_nms(boxes, scores, iou_threshold):
    kept = weft_ops.nms(weft.from_numpy(boxes.detach().numpy()), weft.from_numpy(scores.detach().numpy()), iou_threshold)
    return torch.from_numpy(kept.numpy())


@pytest.fixture(autouse=True, scope="module")
def with_nms():
    """torchvision's detectors call nms of the C part that isn't there."""
    if not torchvision.extension._has_ops():
        patch = pytest.MonkeyPatch()
        patch.setattr(torchvision.ops.boxes, "_assert_has_ops", lambda: None)
        patch.setattr(torchvision.ops.boxes, "nms", own_nms)
        yield
        patch.undo()
    else:
        yield


# transforms

NOISE = np.random.default_rng(0).integers(0, 256, (9, 12, 3), dtype=np.uint8)
PICTURE = Image.fromarray(NOISE).resize((53, 41), 3)
BYTES = np.ascontiguousarray(np.asarray(PICTURE).transpose(2, 0, 1))
INPUTS = {"bytes": BYTES, "floats": (BYTES / 255).astype(np.float32), "picture": PICTURE}

# names, how they are made, how far bytes may be off: where a float is rounded or cut off, the last bit decides
GEOMETRY = {
    "resize": (lambda T: T.Resize(20), 1), "cubic": (lambda T: T.Resize((20, 30), T.InterpolationMode.BICUBIC), 1),
    "larger": (lambda T: T.Resize((60, 70)), 1), "nearest": (lambda T: T.Resize((20, 30), T.InterpolationMode.NEAREST), 0),
    "exact": (lambda T: T.Resize((20, 30), T.InterpolationMode.NEAREST_EXACT), 0),
    "max_size": (lambda T: T.Resize(40, max_size=45), 1), "center": (lambda T: T.CenterCrop((60, 20)), 0),
    "pad": (lambda T: T.Pad((3, 5, 7, 2), 7), 0), "edge": (lambda T: T.Pad(3, padding_mode="edge"), 0),
    "reflect": (lambda T: T.Pad(3, padding_mode="reflect"), 0),
    "symmetric": (lambda T: T.Pad((1, 2), padding_mode="symmetric"), 0),
    "crop": (lambda T: T.RandomCrop(32, padding=4), 0), "pad_if_needed": (lambda T: T.RandomCrop(60, pad_if_needed=True), 0),
    "flips": (lambda T: T.Compose([T.RandomHorizontalFlip(), T.RandomVerticalFlip()]), 0),
    "resized_crop": (lambda T: T.RandomResizedCrop(24), 1), "rotation": (lambda T: T.RandomRotation(30), 0),
    "expand": (lambda T: T.RandomRotation(30, T.InterpolationMode.BILINEAR, expand=True, fill=9), 1),
    "affine": (lambda T: T.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), 10), 0),
    "smooth_affine": (lambda T: T.RandomAffine(20, (0.1, 0.2), (0.8, 1.2), (1, 10, 2, 8), T.InterpolationMode.BILINEAR), 1),
    "perspective": (lambda T: T.RandomPerspective(p=0.9), 1), "elastic": (lambda T: T.ElasticTransform(), 1),
    "apply": (lambda T: T.RandomApply([T.CenterCrop(20), T.RandomHorizontalFlip()], 0.5), 0),
    "choice": (lambda T: T.RandomChoice([T.CenterCrop(20), T.CenterCrop(10), T.CenterCrop(11)]), 0),
    "order": (lambda T: T.RandomOrder([T.CenterCrop(20), T.CenterCrop(30), T.Pad(2)]), 0)}
COLOUR = {
    "jitter": (lambda T: T.ColorJitter(0.5, 0.5, 0.5, 0.3), 1), "gray": (lambda T: T.Grayscale(3), 1),
    "random_gray": (lambda T: T.RandomGrayscale(0.5), 1), "blur": (lambda T: T.GaussianBlur(5), 1),
    "invert": (lambda T: T.RandomInvert(), 0), "contrast": (lambda T: T.RandomAutocontrast(0.9), 1),
    "sharp": (lambda T: T.RandomAdjustSharpness(2.0, 0.9), 1)}
ONLY_BYTES = {
    "equalize": (lambda T: T.RandomEqualize(0.9), 0), "posterize": (lambda T: T.RandomPosterize(3, 0.9), 0),
    "solarize": (lambda T: T.RandomSolarize(100, 0.9), 0),
    **{f"auto_{name}": (lambda T, name=name: T.AutoAugment(T.AutoAugmentPolicy[name]), 2)
       for name in ("IMAGENET", "CIFAR10", "SVHN")},
    "rand_augment": (lambda T: T.RandAugment(3, fill=5), 2), "trivial": (lambda T: T.TrivialAugmentWide(), 2),
    "augmix": (lambda T: T.AugMix(), 2)}
ONLY_FLOATS = {
    "erase": (lambda T: T.RandomErasing(0.9), 0), "noise": (lambda T: T.RandomErasing(0.9, value="random"), 0),
    "normalize": (lambda T: T.Normalize([0.4, 0.5, 0.6], [0.1, 0.2, 0.3]), 0)}
CASES = [(kind, name, *case) for kind in INPUTS for name, case in (
    {**GEOMETRY, **COLOUR, **(ONLY_FLOATS if kind == "floats" else ONLY_BYTES)}).items()]


def values(made):
    return np.asarray(made).astype(np.float64) if isinstance(made, Image.Image) else made.numpy().astype(np.float64)


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("kind, name, make, off", CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_a_transform_chooses_and_gives_what_torchvisions_does(kind, name, make, off, version):
    import torchvision.transforms.v2  # noqa: F401

    from weft.vision import transforms as own
    theirs = torchvision.transforms if version == "v1" else torchvision.transforms.v2
    own = own if version == "v1" else importlib.import_module("weft.vision.transforms.v2")
    for seed in range(3):
        made = []
        for library, module in ((torch, theirs), (weft, own)):
            library.manual_seed(seed)
            random.seed(seed)
            x = INPUTS[kind] if kind == "picture" else library.from_numpy(INPUTS[kind].copy())
            made.append((values(make(module)(x)), library.rand(1).item()))
        (expected, after), (got, own_after) = made
        assert got.shape == expected.shape and own_after == after       # the same numbers were drawn
        atol = 1e-4 if kind == "floats" else off
        np.testing.assert_allclose(got, expected, rtol=0, atol=atol)
        if kind != "floats" and off:
            assert (got != expected).mean() < 0.02


# ops

def test_boxes_overlaps_and_losses():
    rng = np.random.default_rng(0)
    low = rng.random((7, 2)) * 20
    boxes = np.concatenate([low, low + rng.random((7, 2)) * 20], 1).astype(np.float32)
    for name in ("box_iou", "generalized_box_iou", "distance_box_iou", "complete_box_iou", "generalized_box_iou_loss",
                 "distance_box_iou_loss", "complete_box_iou_loss"):
        grads = []
        for library, module in ((torch, torchvision.ops), (weft, weft_ops)):
            one, two = (library.from_numpy(b.copy()).requires_grad_() for b in (boxes[:3], boxes[3:6]))
            out = getattr(module, name)(one, two)
            (out * out).sum().backward()
            grads.append([out.detach().numpy(), one.grad.numpy(), two.grad.numpy()])
        for expected, got in zip(*grads):
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [-1, 2])
def test_roi_align(aligned, ratio):
    from torchvision.ops.roi_align import _roi_align
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 13, 17))
    rois = np.array([[0, 1, 1, 9, 8], [1, 0.5, 2.2, 14.3, 11.9], [1, 3, 3, 4, 4]], np.float64)
    made = []
    for library in (torch, weft):
        t = library.from_numpy(x.copy()).requires_grad_()
        r = library.from_numpy(rois)
        out = _roi_align(t, r, 0.8, 3, 5, ratio, aligned) if library is torch else weft_ops.roi_align(t, r, (3, 5), 0.8,
                                                                                                      ratio, aligned)
        (out * out).sum().backward()
        made.append((out.detach().numpy(), t.grad.numpy()))
    for expected, got in zip(*made):
        np.testing.assert_allclose(got, expected, atol=1e-9)


# models

def without_chance(model):
    for layer in model.modules():
        if type(layer).__name__ in ("Dropout", "StochasticDepth"):
            layer.p = 0.0
    return model


def pair_of(name, **kwargs):
    """A model of torchvision's and weft's with its weights, both in float64."""
    torch.manual_seed(0)
    theirs = without_chance(M.get_model(name, **kwargs))
    with torch.no_grad():
        for parameter in theirs.parameters():
            if not parameter.any():
                parameter.normal_(0, 0.02)      # ViT's last layer, which would hide everything
    weft.manual_seed(0)
    own = without_chance(W.get_model(name, **kwargs))
    own.load_state_dict({key: weft.from_numpy(value.numpy().copy()) for key, value in theirs.state_dict().items()})
    return theirs.double(), own.double()


def results(out):
    found = list(out.values()) if isinstance(out, dict) else list(out) if isinstance(out, tuple) else [out]
    return [value for value in found if value is not None]


def compare(name, size, modes=("eval", "train"), **kwargs):
    theirs, own = pair_of(name, **kwargs)
    x = np.random.default_rng(0).standard_normal((2, 3, size, size))
    for mode in modes:
        made = []
        for model, library in ((theirs, torch), (own, weft)):
            getattr(model, mode)()
            model.zero_grad()
            out = results(model(library.from_numpy(x.copy())))
            sum((value * value).mean() for value in out).backward()
            made.append(({f"out{i}": value.detach().numpy() for i, value in enumerate(out)},
                         {key: p.grad.numpy() for key, p in model.named_parameters() if p.grad is not None}))
        for expected, got in zip(*made):
            assert list(got) == list(expected)
            scale = max(np.abs(value).max() for value in expected.values())
            for key, value in expected.items():
                np.testing.assert_allclose(got[key], value, rtol=0, atol=1e-5 * max(scale, 1e-3), err_msg=f"{name} {key}")


QUICK = {"resnet18": 40, "mobilenet_v3_small": 40, "squeezenet1_1": 48, "shufflenet_v2_x0_5": 40}
SLOW = {"alexnet": 64, "vgg11_bn": 32, "vgg11": 32, "resnet50": 48, "resnext50_32x4d": 48, "wide_resnet50_2": 40,
        "googlenet": 64, "inception_v3": 299, "mobilenet_v2": 48, "mobilenet_v3_large": 48, "efficientnet_b0": 48,
        "efficientnet_v2_s": 48, "densenet121": 64, "squeezenet1_0": 64, "shufflenet_v2_x1_0": 48, "convnext_tiny": 48,
        "vit_b_32": 64, "swin_t": 72, "swin_v2_t": 72, "mnasnet0_5": 48, "regnet_x_400mf": 48, "regnet_y_400mf": 48}


@pytest.mark.parametrize("name, size", [*QUICK.items(), *(pytest.param(n, s, marks=pytest.mark.slow)
                                                          for n, s in SLOW.items())])
def test_outputs_and_gradients_from_the_same_weights(name, size):
    compare(name, size, num_classes=7, **({"image_size": size} if name.startswith("vit") else {}))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fcn_resnet50", "deeplabv3_resnet50", "deeplabv3_mobilenet_v3_large",
                                  "lraspp_mobilenet_v3_large"])
def test_segmentation_from_the_same_weights(name):
    compare(name, 48, num_classes=7, weights_backbone=None, **({} if "lraspp" in name else {"aux_loss": True}))


@pytest.mark.parametrize("name", ["resnet18", "swin_v2_t", "squeezenet1_1", "mnasnet0_5"])
def test_the_same_seed_gives_the_same_weights(name):
    torch.manual_seed(3)
    theirs = M.get_model(name, num_classes=3).state_dict()
    weft.manual_seed(3)
    own = W.get_model(name, num_classes=3).state_dict()
    assert all((theirs[key].numpy() == own[key].numpy()).all() for key in theirs)


ALL = [name for name in M.list_models() if not name.startswith(VIDEO)]


def test_every_model_is_there_with_its_weights_names():
    assert set(W.list_models()) == set(ALL)
    for name in ALL:
        theirs, own = M.get_model_weights(name), W.get_model_weights(name)
        assert own.__name__ == theirs.__name__ and own.DEFAULT.name == theirs.DEFAULT.name
        assert [w.name for w in own] == [w.name for w in theirs]
        assert [w.url for w in own] == [w.url.rpartition("/")[2] for w in theirs]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_keys_and_shapes_of_every_model(name):
    kwargs = {} if name in M.list_models(M) else {"weights_backbone": None}
    if name.startswith("regnet"):               # torchvision's can't be made without values
        if "128gf" in name or "32gf" in name:
            pytest.skip("too large to be made with values")
        theirs = M.get_model(name, **kwargs)
    else:
        with torch.device("meta"):
            theirs = M.get_model(name, **kwargs)
    with weft.device("meta"):
        own = W.get_model(name, **kwargs)
    assert {k: tuple(v.shape) for k, v in own.state_dict().items()} == {k: tuple(v.shape) for k, v in
                                                                        theirs.state_dict().items()}
    assert list(own.state_dict()) == list(theirs.state_dict())
    assert f"{sum(p.numel() for p in own.parameters()):,} parameters" in W.get_model_builder(name).__doc__


# detection

def scene(library, dtype):
    rng = np.random.default_rng(1)
    pictures = [library.from_numpy(rng.random((3, 70, 90))), library.from_numpy(rng.random((3, 64, 60)))]
    boxes = [[[5, 6, 40, 50], [30, 20, 85, 66]], [[8, 8, 50, 58]]]
    targets = []
    for picture, own in zip(pictures, boxes):
        masks = np.zeros((len(own), *picture.shape[1:]), np.uint8)
        points = []
        for mask, (x1, y1, x2, y2) in zip(masks, own):
            mask[y1:y2, x1:x2] = 1
            points.append([[x1 + 3.0, y1 + 4.0, 1.0], [x2 - 2.0, y2 - 5.0, 1.0]])
        targets.append({"boxes": library.tensor(own, dtype=dtype), "labels": library.tensor([1, 2][:len(own)]),
                        "masks": library.from_numpy(masks), "keypoints": library.tensor(points, dtype=library.float32)})
    return pictures, targets


def compare_detector(name, **kwargs):
    theirs, own = pair_of(name, weights_backbone=None, **kwargs)
    made = []
    for model, library in ((theirs, torch), (own, weft)):
        pictures, targets = scene(library, library.float64)
        library.manual_seed(5)
        for norm in model.modules():
            if isinstance(norm, library.nn.BatchNorm2d):
                norm.momentum = 1.0         # with the running statistics of fresh weights, every place scores the same, and ties decide
        model.train()
        losses = model(pictures, targets)
        sum(losses.values()).backward()
        grads = {key: p.grad.numpy() for key, p in model.named_parameters() if p.grad is not None}
        with library.no_grad():
            found = model.eval()(pictures)
        made.append(({key: value.item() for key, value in losses.items()}, grads, found))
    (losses, grads, found), (own_losses, own_grads, own_found) = made
    assert set(own_losses) == set(losses)
    for key, value in losses.items():
        assert abs(own_losses[key] - value) <= 1e-5 * max(abs(value), 1.0), key
    scale = max(np.abs(value).max() for value in grads.values())
    for key, value in grads.items():
        np.testing.assert_allclose(own_grads[key], value, rtol=0, atol=1e-4 * scale, err_msg=key)
    for expected, got in zip(found, own_found):
        assert set(got) == set(expected) and len(got["boxes"]) == len(expected["boxes"])
        for key in expected:
            np.testing.assert_allclose(got[key].numpy(), expected[key].numpy(), atol=1e-4, rtol=1e-4, err_msg=key)


SMALL = {"num_classes": 3, "min_size": 64, "max_size": 96}
FEW = {**SMALL, "box_batch_size_per_image": 16, "rpn_post_nms_top_n_test": 8}     # torchvision's roi_align in Python is slow


@pytest.mark.slow
@pytest.mark.parametrize("name, kwargs", [
    ("fasterrcnn_resnet50_fpn", FEW), ("fasterrcnn_resnet50_fpn_v2", FEW),
    ("fasterrcnn_mobilenet_v3_large_320_fpn", FEW), ("maskrcnn_resnet50_fpn", FEW),
    ("keypointrcnn_resnet50_fpn", {**FEW, "num_keypoints": 2}), ("retinanet_resnet50_fpn", SMALL),
    ("retinanet_resnet50_fpn_v2", SMALL), ("fcos_resnet50_fpn", SMALL), ("ssd300_vgg16", {"num_classes": 3}),
    ("ssdlite320_mobilenet_v3_large", {"num_classes": 3})])
def test_detectors_from_the_same_weights(name, kwargs):
    compare_detector(name, **kwargs)
