"""How pictures are prepared for a model's weights."""
import functools

import weft
from weft.nn import Module
from weft.vision._pillow import is_picture
from weft.vision.transforms import functional as F
from weft.vision.transforms._modes import InterpolationMode

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class ImageClassification(Module):
    """A picture resized, its middle, as floats, normalized."""

    def __init__(self, *, crop_size, resize_size=256, mean=MEAN, std=STD, interpolation=InterpolationMode.BILINEAR,
                 antialias=True):
        super().__init__()
        self.crop_size, self.resize_size = [crop_size], [resize_size]
        self.mean, self.std, self.interpolation, self.antialias = list(mean), list(std), interpolation, antialias

    def forward(self, img):
        img = F.resize(img, self.resize_size, self.interpolation, antialias=self.antialias)
        return _floats(F.center_crop(img, self.crop_size), self.mean, self.std)


def _floats(img, mean, std):
    img = F.pil_to_tensor(img) if not isinstance(img, weft.Tensor) else img
    return F.normalize(F.convert_image_dtype(img, weft.float32), mean, std)


class SemanticSegmentation(Module):
    """A picture resized, as floats, normalized."""

    def __init__(self, *, resize_size, mean=MEAN, std=STD, interpolation=InterpolationMode.BILINEAR, antialias=True):
        super().__init__()
        self.resize_size = None if resize_size is None else [resize_size]
        self.mean, self.std, self.interpolation, self.antialias = list(mean), list(std), interpolation, antialias

    def forward(self, img):
        if self.resize_size is not None:
            img = F.resize(img, self.resize_size, self.interpolation, antialias=self.antialias)
        return _floats(img, self.mean, self.std)


class ObjectDetection(Module):
    """A picture as floats from 0 to 1."""

    def forward(self, img):
        return F.convert_image_dtype(F.pil_to_tensor(img) if is_picture(img) else img, weft.float32)


def preset(how):
    """What makes the transform of a row of models/_weights.py."""
    words = how.split()
    if words[0] == "det":
        return ObjectDetection
    if words[0] == "seg":
        return functools.partial(SemanticSegmentation, resize_size=int(words[1]))
    more = {}
    if "mean" in words:
        more = {"mean": [float(w) for w in words[4:7]], "std": [float(w) for w in words[8:11]]}
    return functools.partial(ImageClassification, crop_size=int(words[0]), resize_size=int(words[1]),
                             interpolation=InterpolationMode(words[2]), **more)
