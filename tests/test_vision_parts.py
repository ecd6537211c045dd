"""weft.vision without torchvision: transforms, ops, models, datasets and files."""
import io
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import pytest

import weft
from weft.autograd import gradcheck, gradgradcheck
from weft.vision import datasets, models, ops, tv_tensors, utils
from weft.vision import transforms as T
from weft.vision.transforms import functional as F
from weft.vision.transforms import v2

Image = pytest.importorskip("PIL.Image")


def picture(width=7, height=5, mode="RGB"):
    values = np.random.default_rng(0).integers(0, 256, (height, width, len(mode)), dtype=np.uint8)
    return Image.fromarray(values if len(mode) > 1 else values[:, :, 0])


# transforms

def test_a_picture_goes_to_a_tensor_and_back():
    image = picture()
    assert (np.asarray(F.to_pil_image(F.pil_to_tensor(image))) == np.asarray(image)).all()
    made = F.to_tensor(image)
    assert made.dtype is weft.float32 and made.shape == (3, 5, 7) and made.max() <= 1
    assert (np.asarray(F.to_pil_image(made)) == np.asarray(image)).all()
    assert F.pil_to_tensor(picture(mode="L")).shape == (1, 5, 7)


def test_pillow_is_imported_when_it_is_used():
    code = "import sys, weft; weft.vision.transforms.Resize(4)(weft.rand(3, 8, 8)); print('PIL' in sys.modules)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert made.stdout.strip() == "False", made.stderr


def test_without_pillow_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "PIL.Image", raising=False)
    with pytest.raises(ModuleNotFoundError):
        F.to_pil_image(weft.zeros(3, 2, 2))


def test_shorter_edge_and_max_size():
    x = weft.rand(3, 40, 80)
    assert F.resize(x, 20).shape == (3, 20, 40)
    assert F.resize(x, 20, max_size=30).shape == (3, 15, 30)
    assert F.resize(x, None, max_size=30).shape == (3, 15, 30)
    with pytest.raises(ValueError, match="max_size"):
        F.resize(x, [20, 30], max_size=40)


@pytest.mark.parametrize("call", [
    lambda x: F.normalize(x.to(weft.uint8), [0.5], [0.5]), lambda x: F.posterize(x, 2), lambda x: F.to_tensor("a"),
    lambda x: F.resize("a", 3), lambda x: F.equalize(x), lambda x: F.solarize(x, 7.0)])
def test_wrong_types_are_refused(call):
    with pytest.raises(TypeError):
        call(weft.rand(1, 4, 4))


@pytest.mark.parametrize("call", [
    lambda x: F.pad(x, [1, 2, 3]), lambda x: F.pad(x, 1, padding_mode="wrap"), lambda x: F.adjust_hue(x, 0.7),
    lambda x: F.gaussian_blur(x, 4), lambda x: F.five_crop(x, 9), lambda x: T.RandomCrop(9)(x),
    lambda x: F.normalize(x, [0.5], [0.0]), lambda x: F.affine(x, 0, [0, 0], 0.0, [0.0]), lambda x: F.rotate(x, 3, fill=[1, 2])])
def test_wrong_values_are_refused(call):
    with pytest.raises(ValueError):
        call(weft.rand(3, 4, 4))


def test_crops_beyond_the_picture_are_zero():
    x = weft.ones(1, 2, 2)
    assert F.crop(x, -1, -1, 4, 4).sum() == 4 and F.crop(x, -1, -1, 4, 4)[0, 0].sum() == 0
    assert F.crop(x, 5, 5, 2, 2).shape == (1, 2, 2) and F.crop(x, 5, 5, 2, 2).sum() == 0


def test_gradients_pass_through_transforms():
    x = weft.rand(1, 3, 6, 6, dtype=weft.float64, requires_grad=True)
    for change in (lambda t: F.resize(t, (4, 5)), lambda t: F.rotate(t, 20.0, T.InterpolationMode.BILINEAR),
                   lambda t: F.gaussian_blur(t, 3), lambda t: F.pad(t, 2, padding_mode="symmetric")):
        assert gradcheck(change, (x,))


def test_v2_moves_boxes_masks_and_points_with_the_picture():
    image = tv_tensors.Image(weft.arange(32.).view(1, 4, 8))
    boxes = tv_tensors.BoundingBoxes([[1.0, 0.0, 3.0, 2.0]], format="XYXY", canvas_size=(4, 8))
    mask = tv_tensors.Mask(weft.arange(32).view(4, 8))
    points = tv_tensors.KeyPoints([[1.0, 0.0]], canvas_size=(4, 8))
    got, box, marks, point, label = v2.RandomHorizontalFlip(1.0)(image, boxes, mask, points, "cat")
    assert label == "cat" and type(got) is tv_tensors.Image and type(marks) is tv_tensors.Mask
    assert (got[0] == marks).all() and box.tolist() == [[5.0, 0.0, 7.0, 2.0]] and point.tolist() == [[6.0, 0.0]]
    big = v2.Resize((8, 16))({"image": image, "boxes": boxes})
    assert big["image"].shape == (1, 8, 16) and big["boxes"].canvas_size == (8, 16)
    assert big["boxes"].tolist() == [[2.0, 0.0, 6.0, 4.0]]
    turned = v2.functional.rotate(boxes, 90, expand=True)
    assert turned.canvas_size == (8, 4) and turned.tolist() == [[0.0, 5.0, 2.0, 7.0]]


def test_v2_changes_the_first_plain_tensor_only():
    x, y = weft.rand(3, 4, 4), weft.rand(3, 4, 4)
    a, b = v2.CenterCrop(2)(x, y)
    assert a.shape == (3, 2, 2) and b is y
    a, b = v2.CenterCrop(2)(tv_tensors.Image(x), y)
    assert a.shape == (3, 2, 2) and b is y


def test_mixup_and_cutmix_mix_labels_as_pictures():
    weft.manual_seed(0)
    x, y = weft.rand(4, 3, 8, 8), weft.arange(4)
    for mix in (v2.MixUp(num_classes=4), v2.CutMix(num_classes=4)):
        made, labels = mix(x, y)
        assert made.shape == x.shape and weft.allclose(labels.sum(1), weft.ones(4))
    with pytest.raises(ValueError, match="num_classes"):
        v2.MixUp()(x, y)


# ops

def test_nms_keeps_the_best_and_orders_by_score():
    boxes = weft.tensor([[0., 0, 10, 10], [1., 1, 10, 10], [20., 20, 30, 30], [0., 0, 10, 9]])
    assert ops.nms(boxes, weft.tensor([0.5, 0.9, 0.3, 0.8]), 0.5).tolist() == [1, 2]
    assert ops.nms(weft.zeros(0, 4), weft.zeros(0), 0.5).tolist() == []
    assert ops.batched_nms(boxes, weft.tensor([0.5, 0.9, 0.3, 0.8]), weft.tensor([0, 1, 0, 0]), 0.5).tolist() == [1, 3, 2]
    with pytest.raises(RuntimeError, match="boxes"):
        ops.nms(weft.zeros(3), weft.zeros(3), 0.5)


def test_batched_nms_of_many_boxes_is_that_of_each_class():
    rng = np.random.default_rng(0)
    low = rng.random((1500, 2)) * 50
    boxes = weft.from_numpy(np.concatenate([low, low + rng.random((1500, 2)) * 20], 1).astype(np.float32))
    scores, classes = weft.from_numpy(rng.random(1500).astype(np.float32)), weft.from_numpy(rng.integers(0, 4, 1500))
    kept = ops.batched_nms(boxes, scores, classes, 0.5)
    expected = {i for c in range(4) for where in [weft.where(classes == c)[0]]
                for i in where[ops.nms(boxes[where], scores[where], 0.5)].tolist()}
    assert set(kept.tolist()) == expected and (scores[kept].diff() <= 0).all()


ROIS = weft.tensor([[0, 0.3, 0.2, 4.1, 3.3], [1, 1.0, 1.0, 5.0, 4.5]], dtype=weft.float64)


@pytest.mark.parametrize("pool", [
    lambda x: ops.roi_align(x, ROIS, 2), lambda x: ops.roi_align(x, ROIS, (1, 3), 0.5, 2, True),
    lambda x: ops.ps_roi_align(x, ROIS, 2), lambda x: ops.roi_pool(x, ROIS, 2), lambda x: ops.ps_roi_pool(x, ROIS, 2)])
def test_regions_have_gradients_to_second_order(pool):
    x = weft.from_numpy(np.random.default_rng(0).standard_normal((2, 4, 5, 6))).requires_grad_()
    assert gradcheck(pool, (x,)) and gradgradcheck(pool, (x,))


def test_regions_of_no_boxes_and_outside():
    x = weft.rand(1, 4, 5, 6)
    assert ops.roi_align(x, weft.zeros(0, 5), 2).shape == (0, 4, 2, 2)
    assert ops.roi_align(x, [weft.tensor([[20.0, 20.0, 30.0, 30.0]])], 2).sum() == 0
    with pytest.raises(ValueError, match="boxes"):
        ops.roi_align(x, weft.zeros(2, 4), 2)


def brute_roi_pool(x, roi, size):
    x1, y1, x2, y2 = (int(np.floor(v + 0.5)) for v in roi[1:])
    h, w = max(y2 - y1 + 1, 1) / size, max(x2 - x1 + 1, 1) / size
    out = np.zeros((x.shape[1], size, size))
    for p in range(size):
        for q in range(size):
            part = x[int(roi[0]), :, max(y1 + int(np.floor(p * h)), 0):y1 + int(np.ceil((p + 1) * h)),
                     max(x1 + int(np.floor(q * w)), 0):x1 + int(np.ceil((q + 1) * w))]
            out[:, p, q] = part.reshape(len(part), -1).max(1) if part.size else 0
    return out


def test_roi_pool_is_the_greatest_of_each_bin():
    x = np.random.default_rng(0).standard_normal((1, 3, 9, 11))
    rois = np.array([[0, 1, 2, 7, 8], [0, 3, 3, 3, 3], [0, 6, 5, 20, 20]], np.float64)
    got = ops.roi_pool(weft.from_numpy(x), weft.from_numpy(rois), 3).numpy()
    for one, roi in zip(got, rois):
        np.testing.assert_allclose(one, brute_roi_pool(x, roi, 3))


def brute_deform(x, offset, weight, mask, stride, padding):
    n, c, height, width = x.shape
    o, per, kh, kw = weight.shape
    out = np.zeros((n, o, *offset.shape[2:]))

    def at(plane, y, x):
        total, y0, x0 = 0.0, int(np.floor(y)), int(np.floor(x))
        for row in (y0, y0 + 1):
            for column in (x0, x0 + 1):
                if 0 <= row < height and 0 <= column < width:
                    total += plane[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
        return total

    groups, shared = c // per, c // (offset.shape[1] // (2 * kh * kw))
    for b, k, i, j in np.ndindex(*out.shape):
        for channel in range(per):
            source = k // (o // groups) * per + channel
            for place in range(kh * kw):
                m = source // shared * kh * kw + place
                y = i * stride - padding + place // kw + offset[b, 2 * m, i, j]
                z = j * stride - padding + place % kw + offset[b, 2 * m + 1, i, j]
                out[b, k, i, j] += weight[k, channel, place // kw, place % kw] * mask[b, m, i, j] * at(x[b, source], y, z)
    return out


def test_deform_conv2d_looks_where_it_is_told():
    rng = np.random.default_rng(0)
    x, weight = rng.standard_normal((1, 4, 3, 4)), rng.standard_normal((2, 2, 3, 2))
    offset, mask = rng.standard_normal((1, 24, 2, 3)), rng.random((1, 12, 2, 3))
    tensors = [weft.from_numpy(v).requires_grad_() for v in (x, offset, weight, mask)]

    def run(x, offset, weight, mask):
        return ops.deform_conv2d(x, offset, weight, stride=2, padding=1, mask=mask)

    np.testing.assert_allclose(run(*tensors).detach().numpy(), brute_deform(x, offset, weight, mask, 2, 1), atol=1e-10)
    assert gradcheck(run, tensors)


def test_frozen_batch_norm_is_batch_norm_in_evaluation():
    norm, frozen = weft.nn.BatchNorm2d(3), ops.FrozenBatchNorm2d(3)
    norm.running_mean.uniform_()
    norm.running_var.uniform_(0.5, 2)
    frozen.load_state_dict(norm.state_dict())
    x = weft.rand(2, 3, 4, 4)
    assert weft.allclose(frozen(x), norm.eval()(x), atol=1e-6) and not list(frozen.parameters())


# models

def test_weights_that_are_not_there_are_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="resnet18-f37072fd.pth are not here"):
        models.resnet18(weights="DEFAULT")
    with pytest.raises(TypeError, match="ResNet18_Weights has no"):
        models.resnet18(weights="IMAGENET")
    with pytest.raises(ValueError, match="Did you mean"):
        models.get_model("resnet81")


def test_weights_from_files(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_WEIGHTS", str(tmp_path))
    first = models.squeezenet1_1(num_classes=4)
    weft.save(first.state_dict(), tmp_path / "mine.pth")
    again = models.squeezenet1_1(weights=tmp_path / "mine.pth", num_classes=4).eval()
    x = weft.rand(1, 3, 40, 40)
    assert (again(x) == first.eval()(x)).all()
    whole = models.squeezenet1_1()
    weft.save(whole.state_dict(), tmp_path / models.SqueezeNet1_1_Weights.DEFAULT.url)
    for weights in ("DEFAULT", "IMAGENET1K_V1", models.SqueezeNet1_1_Weights.IMAGENET1K_V1):
        assert (models.squeezenet1_1(weights=weights).eval()(x) == whole.eval()(x)).all()
    with pytest.raises(ValueError, match="num_classes"):
        models.squeezenet1_1(weights="DEFAULT", num_classes=4)


@pytest.mark.parametrize("make, shape", [
    (lambda: models.LeNet(), (2, 1, 28, 28)), (lambda: models.UNet(3, 2, width=4, depth=2), (1, 3, 18, 21))])
def test_a_step_makes_the_loss_smaller(make, shape):
    weft.manual_seed(0)
    model, x = make(), weft.rand(*shape)
    target = weft.zeros_like(model(x)).detach() + 1
    optimizer, losses = weft.optim.Adam(model.parameters(), 1e-3), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((model(x) - target) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_a_yolo_learns_one_picture():
    weft.manual_seed(0)
    model = models.YOLO(2, width=4)
    x = weft.zeros(1, 3, 64, 64)
    x[:, 0, 20:44, 12:40] = 1.0
    targets = [{"boxes": weft.tensor([[12.0, 20.0, 40.0, 44.0]]), "labels": weft.tensor([1])}]
    optimizer = weft.optim.Adam(model.parameters(), 1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        sum(model(x, targets).values()).backward()
        optimizer.step()
    for layer in model.modules():       # statistics of one picture are not worth much
        if isinstance(layer, weft.nn.BatchNorm2d):
            layer.track_running_stats, layer.running_mean, layer.running_var = False, None, None
    found = model.eval()(x)[0]
    best = int(found["scores"].argmax())
    assert found["labels"][best] == 1
    assert ops.box_iou(found["boxes"][best:best + 1], targets[0]["boxes"]).item() > 0.7


# datasets and files

def hostile_tar(path, name, link=None):
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo(name)
        if link:
            entry.type, entry.linkname = tarfile.SYMTYPE, link
            archive.addfile(entry)
            entry = tarfile.TarInfo(name + "/evil")
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"evil"))


@pytest.mark.parametrize("name, link", [("../evil", None), ("/tmp/weft-evil", None), ("a/../../evil", None),
                                        ("inside", ".."), ("inside", "/tmp")])
def test_hostile_tars_write_nothing_outside(tmp_path, name, link):
    hostile_tar(tmp_path / "a.tar", name, link)
    (tmp_path / "to").mkdir()
    with pytest.raises(RuntimeError, match="trust"):
        datasets.utils.extract_archive(tmp_path / "a.tar", tmp_path / "to")
    assert not (tmp_path / "evil").exists() and not os.path.exists("/tmp/weft-evil") and not os.listdir(tmp_path / "to")


def test_hostile_zips_write_nothing_outside(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good", "x")
        archive.writestr("../evil", "x")
    with pytest.raises(RuntimeError, match="outside"):
        datasets.utils.extract_archive(tmp_path / "a.zip", tmp_path / "to")
    assert not (tmp_path / "evil").exists() and not (tmp_path / "to" / "good").exists()


def cifar(folder, payload=None):
    folder.mkdir(parents=True)
    values = np.arange(2 * 3072, dtype=np.uint8).reshape(2, 3072)
    for name in (*datasets.CIFAR10.train_list, *datasets.CIFAR10.test_list):
        (folder / name).write_bytes(pickle.dumps(payload or {"data": values, "labels": [3, 4]}, protocol=2))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": list("abcdefghij")}, protocol=2))


def test_cifar_from_a_folder_and_from_an_archive(tmp_path):
    cifar(tmp_path / "made" / "cifar-10-batches-py")
    data = datasets.CIFAR10(tmp_path / "made", transform=T.ToTensor())
    assert len(data) == 10 and data[1][0].shape == (3, 32, 32) and data[1][1] == 4 and data.classes[3] == "d"
    (tmp_path / "packed").mkdir()
    with tarfile.open(tmp_path / "packed" / datasets.CIFAR10.filename, "w:gz") as archive:
        archive.add(tmp_path / "made" / "cifar-10-batches-py", "cifar-10-batches-py")
    again = datasets.CIFAR10(str(tmp_path / "packed"), train=False)
    assert len(again) == 2 and again[0][0].size == (32, 32) and "Split: Test" in repr(again)
    with pytest.raises(RuntimeError, match="give download=True"):
        datasets.CIFAR10(tmp_path / "nowhere")


class Evil:
    def __reduce__(self):
        return os.system, ("echo evil",)


def test_a_pickle_that_would_run_something_is_refused(tmp_path):
    cifar(tmp_path / "cifar-10-batches-py", payload={"data": Evil()})
    with pytest.raises(RuntimeError, match="no data"):
        datasets.CIFAR10(tmp_path)


def test_pictures_in_folders(tmp_path):
    for name in ("dog", "cat"):
        (tmp_path / name).mkdir()
        picture().save(tmp_path / name / "a.png")
    (tmp_path / "cat" / "notes.txt").write_text("no picture")
    data = datasets.ImageFolder(tmp_path, transform=T.PILToTensor())
    assert data.classes == ["cat", "dog"] and data.targets == [0, 1] and data[0][0].shape == (3, 5, 7)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="empty"):
        datasets.ImageFolder(tmp_path)
    assert len(datasets.ImageFolder(tmp_path, allow_empty=True)) == 2


def test_an_annotation_that_declares_entities_is_refused(tmp_path):
    folder = tmp_path / "VOCdevkit" / "VOC2012"
    for part in ("ImageSets/Main", "JPEGImages", "Annotations"):
        (folder / part).mkdir(parents=True)
    (folder / "ImageSets/Main/train.txt").write_text("a\n")
    picture().save(folder / "JPEGImages/a.jpg")
    (folder / "Annotations/a.xml").write_text("<annotation><object><name>cat</name></object></annotation>")
    data = datasets.VOCDetection(str(tmp_path))
    assert data[0][1] == {"annotation": {"object": [{"name": "cat"}]}}
    (folder / "Annotations/a.xml").write_text('<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>')
    with pytest.raises(RuntimeError, match="entities"):
        data[0]


def test_fake_data_leaves_the_random_numbers_alone():
    weft.manual_seed(0)
    expected = weft.rand(1)
    weft.manual_seed(0)
    data = datasets.FakeData(4, (3, 4, 4))
    assert data[1][1] == data[1][1] and weft.rand(1) == expected


def test_files_of_pictures(tmp_path):
    x = F.pil_to_tensor(picture())
    weft.vision.io.write_png(x, tmp_path / "a.png")
    assert (weft.vision.io.read_image(tmp_path / "a.png") == x).all()
    assert weft.vision.io.read_image(str(tmp_path / "a.png"), "GRAY").shape == (1, 5, 7)
    with pytest.raises(RuntimeError, match="no picture"):
        weft.vision.io.decode_image(weft.zeros(9, dtype=weft.uint8))
    utils.save_image(weft.rand(5, 1, 4, 4), tmp_path / "grid.png", nrow=2)
    assert Image.open(tmp_path / "grid.png").size == (14, 20)


PROGRAM = """
from torchvision.models import ResNet18_Weights, resnet18
import torchvision
import torch
import torchvision.transforms.functional as TF
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor
model = resnet18(num_classes=3)
print(type(model), torchvision.__version__, model(torch.rand(2, 3, 32, 32)).shape)
print(torchvision.models.list_models(torchvision.models.segmentation)[0], TF.hflip(torch.arange(2.).view(1, 1, 2)).tolist())
"""


@pytest.mark.skipif(__import__("importlib.util").util.find_spec("torchvision") is not None, reason="torchvision is installed")
def test_torchvision_is_weft_vision_under_weft_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
                          timeout=300)
    assert made.stdout.splitlines() == ["<class 'torchvision.models.resnet.ResNet'> 0.28.0+weft torch.Size([2, 3])",
                                        "deeplabv3_mobilenet_v3_large [[[1.0, 0.0]]]"], made.stderr


def test_a_torchvision_that_is_installed_stays(tmp_path):
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "__init__.py").write_text("real = True")
    (tmp_path / "program.py").write_text("import torch, weft.vision.ops, torchvision; print(torchvision.real)")
    made = subprocess.run([sys.executable, "-m", "weft", "run", str(tmp_path / "program.py")], capture_output=True, text=True,
                          timeout=300, cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert made.stdout.strip() == "True", made.stderr
