"""Transforms of transforms, and of types (v2)."""
import numpy as np

import weft
from weft.utils._pytree import tree_flatten, tree_unflatten
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture
from weft.vision.transforms import _convert
from weft.vision.transforms.v2 import functional as F
from weft.vision.transforms.v2._base import Transform, wrapped
from weft.vision.transforms.v2._kinds import is_pure_tensor


class Compose(Transform):
    """Transforms one after the other.

    >>> import weft
    >>> from weft.vision.transforms import v2
    >>> v2.Compose([v2.CenterCrop(2), v2.Normalize([0.5], [0.5])])(weft.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, transforms):
        super().__init__()
        if not isinstance(transforms, (list, tuple, weft.nn.ModuleList)):
            raise TypeError(f"transforms is a {type(transforms).__name__}\n  fix: give a list of transforms")
        if not transforms:
            raise ValueError("the list of transforms is empty")
        self.transforms = transforms

    def _order(self):
        return range(len(self.transforms))

    def forward(self, *inputs):
        for i in self._order():
            made = self.transforms[i](*inputs)
            inputs = made if len(inputs) > 1 else (made,)
        return inputs if len(inputs) > 1 else inputs[0]

    def extra_repr(self):
        return "\n".join(str(t) for t in self.transforms)


class RandomApply(Compose):
    """All of the transforms, or none, with probability p.

    >>> import weft
    >>> from weft.vision.transforms import v2
    >>> v2.RandomApply([v2.CenterCrop(1)], p=1.0)(weft.ones(1, 3, 3)).shape
    torch.Size([1, 1, 1])
    """

    def __init__(self, transforms, p=0.5):
        super().__init__(transforms)
        self.p = p

    def _order(self):
        return range(len(self.transforms)) if weft.rand(1) < self.p else ()


class RandomChoice(Compose):
    """One of the transforms; p are weights.

    >>> import weft
    >>> from weft.vision.transforms import v2
    >>> v2.RandomChoice([v2.CenterCrop(1), v2.CenterCrop(2)], p=[0, 1])(weft.ones(1, 3, 3)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        p = [1] * len(transforms) if p is None else p
        if len(p) != len(transforms):
            raise ValueError(f"p has {len(p)} weights for {len(transforms)} transforms")
        self.p = [weight / sum(p) for weight in p]

    def _order(self):
        return (int(weft.multinomial(weft.tensor(self.p), 1)),)


class RandomOrder(Compose):
    """All of the transforms, in a random order.

    >>> import weft
    >>> from weft.vision.transforms import v2
    >>> v2.RandomOrder([v2.CenterCrop(2), v2.CenterCrop(2)])(weft.ones(1, 3, 3)).shape
    torch.Size([1, 2, 2])
    """

    def _order(self):
        return weft.randperm(len(self.transforms)).tolist()


class Identity(Transform):
    """Everything as it is.

    >>> import weft
    >>> weft.vision.transforms.v2.Identity()(1)
    1
    """

    def transform(self, inpt, params):
        return inpt


class Lambda(Transform):
    """Any function as a transform, on inputs of the types.

    >>> import weft
    >>> weft.vision.transforms.v2.Lambda(lambda x: x * 2)(weft.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, lambd, *types):
        super().__init__()
        self.lambd, self.types = lambd, types or (object,)
        self._transformed_types = self.types

    def transform(self, inpt, params):
        return self.lambd(inpt)


class LinearTransformation(Transform):
    """(flattened tensor - mean_vector) @ transformation_matrix, in the tensor's shape.

    >>> import weft
    >>> weft.vision.transforms.v2.LinearTransformation(2 * weft.eye(4), weft.zeros(4))(weft.ones(1, 2, 2)).sum()
    tensor(8.)
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image, tv_tensors.Video)

    def __init__(self, transformation_matrix, mean_vector):
        super().__init__()
        from weft.vision.transforms._compose import LinearTransformation as V1
        self._v1 = V1(transformation_matrix, mean_vector)
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def transform(self, inpt, params):
        return wrapped(self._v1(inpt.as_subclass(weft.Tensor)), inpt)


class Normalize(Transform):
    """(tensor - mean) / std, for each channel.

    >>> import weft
    >>> weft.vision.transforms.v2.Normalize([0.5], [0.25])(weft.ones(1, 1, 2))
    tensor([[[2., 2.]]])
    """

    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean, self.std, self.inplace = list(mean), list(std), inplace

    def check_inputs(self, flat_inputs):
        if any(is_picture(value) for value in flat_inputs):
            raise TypeError("Normalize takes tensors, not images of Pillow's\n  fix: v2.ToImage() and v2.ToDtype("
                            "weft.float32, scale=True) first")

    def transform(self, inpt, params):
        return F.normalize(inpt, self.mean, self.std, self.inplace)


class ToTensor(Transform):
    """v1's ToTensor; ToImage and ToDtype(scale=True) are v2's way.

    >>> import numpy as np, weft
    >>> weft.vision.transforms.v2.ToTensor()(np.zeros((2, 3, 1), np.uint8)).shape
    torch.Size([1, 2, 3])
    """

    _transformed_types = (is_picture, np.ndarray)

    def transform(self, inpt, params):
        return _convert.to_tensor(inpt)


class ToImage(Transform):
    """Plain tensors, arrays (H, W, C) and images of Pillow's as tv_tensors.Image.

    >>> import numpy as np, weft
    >>> type(weft.vision.transforms.v2.ToImage()(np.zeros((2, 3, 1), np.uint8))).__name__
    'Image'
    """

    _transformed_types = (is_pure_tensor, is_picture, np.ndarray)

    def transform(self, inpt, params):
        return F.to_image(inpt)


class PILToTensor(Transform):
    """Images of Pillow's as tensors, their values as they are.

    >>> from PIL import Image
    >>> import weft
    >>> weft.vision.transforms.v2.PILToTensor()(Image.new("L", (3, 2))).dtype
    torch.uint8
    """

    _transformed_types = (is_picture,)

    def transform(self, inpt, params):
        return _convert.pil_to_tensor(inpt)


class ToPILImage(Transform):
    """Tensors and arrays (H, W, C) as images of Pillow's.

    >>> import weft
    >>> weft.vision.transforms.v2.ToPILImage()(weft.zeros(3, 2, 4)).size
    (4, 2)
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image, np.ndarray)

    def __init__(self, mode=None):
        super().__init__()
        self.mode = mode

    def transform(self, inpt, params):
        plain = inpt.as_subclass(weft.Tensor) if isinstance(inpt, weft.Tensor) else inpt
        return _convert.to_pil_image(plain, self.mode)


class ToPureTensor(Transform):
    """tv_tensors as plain tensors.

    >>> import weft
    >>> type(weft.vision.transforms.v2.ToPureTensor()(weft.vision.tv_tensors.Mask(weft.zeros(2, 2)))).__name__
    'Tensor'
    """

    _transformed_types = (tv_tensors.TVTensor,)

    def transform(self, inpt, params):
        return inpt.as_subclass(weft.Tensor)


class ToDtype(Transform):
    """Another type, one for all or {class: type}; scale also brings pictures' values into its range.

    >>> import weft
    >>> weft.vision.transforms.v2.ToDtype(weft.float32, scale=True)(weft.tensor([[[255]]], dtype=weft.uint8))
    tensor([[[1.]]])
    """

    _transformed_types = (weft.Tensor,)

    def __init__(self, dtype, scale=False):
        super().__init__()
        if not isinstance(dtype, (dict, weft.dtype)):
            raise ValueError(f"dtype is {dtype!r}\n  fix: give a dtype or a dict of them")
        self.dtype, self.scale = dtype, scale

    def transform(self, inpt, params):
        if isinstance(self.dtype, weft.dtype):
            if not is_pure_tensor(inpt) and not isinstance(inpt, (tv_tensors.Image, tv_tensors.Video)):
                return inpt
            dtype = self.dtype
        elif type(inpt) in self.dtype:
            dtype = self.dtype[type(inpt)]
        elif "others" in self.dtype:
            dtype = self.dtype["others"]
        else:
            raise ValueError(f"dtype says nothing of {type(inpt).__name__}\n  fix: add it, or 'others'")
        return inpt if dtype is None else F.to_dtype(inpt, dtype, self.scale)


class ConvertImageDtype(Transform):
    """A picture with another type, its values scaled.

    >>> import weft
    >>> weft.vision.transforms.v2.ConvertImageDtype(weft.uint8)(weft.ones(1, 1, 1))
    tensor([[[255]]], dtype=torch.uint8)
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Image)

    def __init__(self, dtype=weft.float32):
        super().__init__()
        self.dtype = dtype

    def transform(self, inpt, params):
        return F.to_dtype(inpt, self.dtype, scale=True)


class ConvertBoundingBoxFormat(Transform):
    """Boxes in another format.

    >>> import weft
    >>> boxes = weft.vision.tv_tensors.BoundingBoxes([[1, 1, 3, 4]], format="XYXY", canvas_size=(8, 8))
    >>> weft.vision.transforms.v2.ConvertBoundingBoxFormat("XYWH")(boxes).tolist()
    [[1, 1, 2, 3]]
    """

    _transformed_types = (tv_tensors.BoundingBoxes,)

    def __init__(self, format):
        super().__init__()
        self.format = format

    def transform(self, inpt, params):
        return F.convert_bounding_box_format(inpt, new_format=self.format)


class ClampBoundingBoxes(Transform):
    """Boxes cut off at the picture's edges.

    >>> import weft
    >>> boxes = weft.vision.tv_tensors.BoundingBoxes([[-1, 1, 3, 4]], format="XYXY", canvas_size=(8, 2))
    >>> weft.vision.transforms.v2.ClampBoundingBoxes()(boxes).tolist()
    [[0, 1, 2, 4]]
    """

    _transformed_types = (tv_tensors.BoundingBoxes,)

    def __init__(self, clamping_mode="auto"):
        super().__init__()
        self.clamping_mode = clamping_mode

    def transform(self, inpt, params):
        return F.clamp_bounding_boxes(inpt)


class ClampKeyPoints(Transform):
    """Points brought inside the picture.

    >>> import weft
    >>> points = weft.vision.tv_tensors.KeyPoints([[-1, 9]], canvas_size=(8, 8))
    >>> weft.vision.transforms.v2.ClampKeyPoints()(points).tolist()
    [[0, 7]]
    """

    _transformed_types = (tv_tensors.KeyPoints,)

    def transform(self, inpt, params):
        return F.clamp_keypoints(inpt)


class UniformTemporalSubsample(Transform):
    """num_samples pictures of a video, evenly spread.

    >>> import weft
    >>> weft.vision.transforms.v2.UniformTemporalSubsample(3)(weft.zeros(5, 3, 2, 2)).shape
    torch.Size([3, 3, 2, 2])
    """

    _transformed_types = (is_pure_tensor, tv_tensors.Video)

    def __init__(self, num_samples):
        super().__init__()
        self.num_samples = num_samples

    def transform(self, inpt, params):
        return F.uniform_temporal_subsample(inpt, self.num_samples)


def labels_of(inputs):
    """The labels of a sample (…, labels) or (…, {"labels": ...})."""
    if isinstance(inputs, (tuple, list)):
        inputs = inputs[1]
    if isinstance(inputs, weft.Tensor):
        return inputs
    found = next((key for key in inputs if str(key).lower() in ("label", "labels")), None)
    if found is None:
        raise ValueError(f"no labels were found under the keys {list(inputs)}\n  fix: give labels_getter")
    return inputs[found]


class SanitizeBoundingBoxes(Transform):
    """Boxes that are too small or outside, taken away with their labels and masks.

    >>> import weft
    >>> boxes = weft.vision.tv_tensors.BoundingBoxes([[0, 0, 4, 4], [1, 1, 1, 2]], format="XYXY", canvas_size=(8, 8))
    >>> made = weft.vision.transforms.v2.SanitizeBoundingBoxes()({"boxes": boxes, "labels": weft.tensor([7, 8])})
    >>> made["labels"]
    tensor([7])
    """

    def __init__(self, min_size=1.0, min_area=1.0, labels_getter="default"):
        super().__init__()
        self.min_size, self.min_area, self.labels_getter = min_size, min_area, labels_getter

    def _labels(self, inputs):
        if self.labels_getter is None:
            return ()
        found = labels_of(inputs) if self.labels_getter == "default" else self.labels_getter(inputs)
        return found if isinstance(found, (tuple, list)) else (found,)

    def forward(self, *inputs):
        value = inputs if len(inputs) > 1 else inputs[0]
        labels = self._labels(value)
        flat, spec = tree_flatten(value)
        boxes = next((v for v in flat if isinstance(v, tv_tensors.BoundingBoxes)), None)
        if boxes is None:
            raise ValueError("there are no BoundingBoxes among the inputs")
        _, valid = F.sanitize_bounding_boxes(boxes, min_size=self.min_size, min_area=self.min_area)
        made = []
        for v in flat:
            goes = v is boxes or any(v is label for label in labels) or (
                isinstance(v, tv_tensors.Mask) and len(v) == len(valid))
            made.append(wrapped(v.as_subclass(weft.Tensor)[valid], v) if goes else v)
        return tree_unflatten(made, spec)


class SanitizeKeyPoints(Transform):
    """Points outside of the picture, taken away.

    >>> import weft
    >>> points = weft.vision.tv_tensors.KeyPoints([[1, 1], [9, 1]], canvas_size=(8, 8))
    >>> weft.vision.transforms.v2.SanitizeKeyPoints()(points).tolist()
    [[1, 1]]
    """

    _transformed_types = (tv_tensors.KeyPoints,)

    def __init__(self, labels_getter=None):
        super().__init__()
        self.labels_getter = labels_getter

    def forward(self, *inputs):
        value = inputs if len(inputs) > 1 else inputs[0]
        labels = () if self.labels_getter is None else self.labels_getter(value)
        labels = labels if isinstance(labels, (tuple, list)) else (labels,)
        flat, spec = tree_flatten(value)
        points = next((v for v in flat if isinstance(v, tv_tensors.KeyPoints)), None)
        if points is None:
            raise ValueError("there are no KeyPoints among the inputs")
        _, valid = F.sanitize_keypoints(points)
        made = [wrapped(v.as_subclass(weft.Tensor)[valid], v) if v is points or any(v is one for one in labels) else v
                for v in flat]
        return tree_unflatten(made, spec)
