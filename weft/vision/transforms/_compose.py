"""Transforms of transforms, and those that make tensors of pictures and back."""
import random

import weft
from weft.nn import Module, ModuleList
from weft.vision.transforms import functional as F
from weft.vision.transforms._draws import chance


class Compose:
    """Transforms one after the other.

    >>> import weft
    >>> from weft.vision import transforms
    >>> both = transforms.Compose([transforms.CenterCrop(2), transforms.Normalize([0.5], [0.5])])
    >>> both(weft.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self):
        return "\n".join(["Compose(", *(f"    {t}" for t in self.transforms), ")"])


class ToTensor:
    """An image of Pillow's or an array (H, W, C) as a tensor (C, H, W); bytes become floats from 0 to 1.

    >>> import numpy as np
    >>> from weft.vision import transforms
    >>> transforms.ToTensor()(np.zeros((2, 3, 1), np.uint8)).shape
    torch.Size([1, 2, 3])
    """

    def __call__(self, pic):
        return F.to_tensor(pic)

    def __repr__(self):
        return f"{type(self).__name__}()"


class PILToTensor:
    """An image of Pillow's as a tensor (C, H, W), its values as they are.

    >>> from PIL import Image
    >>> from weft.vision import transforms
    >>> transforms.PILToTensor()(Image.new("L", (3, 2))).dtype
    torch.uint8
    """

    def __call__(self, pic):
        return F.pil_to_tensor(pic)

    def __repr__(self):
        return f"{type(self).__name__}()"


class ToPILImage:
    """A tensor (C, H, W) or an array (H, W, C) as an image of Pillow's.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.ToPILImage()(weft.zeros(3, 2, 4)).size
    (4, 2)
    """

    def __init__(self, mode=None):
        self.mode = mode

    def __call__(self, pic):
        return F.to_pil_image(pic, self.mode)

    def __repr__(self):
        return f"ToPILImage({'' if self.mode is None else f'mode={self.mode}'})"


class ConvertImageDtype(Module):
    """A tensor with another type, its values scaled to that type's range.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.ConvertImageDtype(weft.uint8)(weft.ones(1, 1, 1))
    tensor([[[255]]], dtype=torch.uint8)
    """

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, image):
        return F.convert_image_dtype(image, self.dtype)


class Normalize(Module):
    """(tensor - mean) / std, for each channel.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.Normalize([0.5], [0.25])(weft.ones(1, 1, 2))
    tensor([[[2., 2.]]])
    """

    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean, self.std, self.inplace = mean, std, inplace

    def forward(self, tensor):
        return F.normalize(tensor, self.mean, self.std, self.inplace)

    def __repr__(self):
        return f"Normalize(mean={self.mean}, std={self.std})"


class Lambda:
    """Any function as a transform.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.Lambda(lambda x: x * 2)(weft.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, lambd):
        if not callable(lambd):
            raise TypeError(f"lambd is a {type(lambd).__name__}, which can't be called")
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)

    def __repr__(self):
        return "Lambda()"


class LinearTransformation(Module):
    """(flattened tensor - mean_vector) @ transformation_matrix, in the tensor's shape; whitening, for example.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.LinearTransformation(2 * weft.eye(4), weft.zeros(4))(weft.ones(1, 2, 2)).sum()
    tensor(8.)
    """

    def __init__(self, transformation_matrix, mean_vector):
        super().__init__()
        rows, columns = transformation_matrix.shape
        if rows != columns or mean_vector.shape[0] != rows:
            raise ValueError(f"the matrix is {rows} x {columns} and the mean has {mean_vector.shape[0]} values\n  fix: "
                             "the matrix must be square, the mean as long as its edge")
        self.transformation_matrix, self.mean_vector = transformation_matrix, mean_vector

    def forward(self, tensor):
        size = tensor.shape[-3] * tensor.shape[-2] * tensor.shape[-1]
        if size != self.transformation_matrix.shape[0]:
            raise ValueError(f"the tensor has {size} values, the matrix takes {self.transformation_matrix.shape[0]}")
        flat = tensor.reshape(-1, size) - self.mean_vector
        return (flat @ self.transformation_matrix).reshape(tensor.shape)

    def __repr__(self):
        return (f"LinearTransformation(transformation_matrix={self.transformation_matrix.tolist()}, "
                f"mean_vector={self.mean_vector.tolist()})")


class RandomApply(Module):
    """All of the transforms, or none, with probability p.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.RandomApply([transforms.CenterCrop(1)], p=1.0)(weft.ones(1, 3, 3)).shape
    torch.Size([1, 1, 1])
    """

    def __init__(self, transforms, p=0.5):
        super().__init__()
        self.transforms, self.p = transforms, p

    def forward(self, img):
        if self.p < weft.rand(1):
            return img
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self):
        return "\n".join([f"{type(self).__name__}(", f"    p={self.p}", *(f"    {t}" for t in self.transforms), ")"])


class _List:
    """Of transforms."""

    def __init__(self, transforms):
        if not isinstance(transforms, (list, tuple, ModuleList)):
            raise TypeError(f"transforms is a {type(transforms).__name__}\n  fix: give a list of transforms")
        self.transforms = transforms

    def __repr__(self):
        return "\n".join([f"{type(self).__name__}(", *(f"    {t}" for t in self.transforms), ")"])


class RandomChoice(_List):
    """One of the transforms; p are weights. It draws from Python's own `random`.

    >>> import weft
    >>> from weft.vision import transforms
    >>> crops = [transforms.CenterCrop(1), transforms.CenterCrop(2)]
    >>> transforms.RandomChoice(crops, p=[0, 1])(weft.ones(1, 3, 3)).shape
    torch.Size([1, 2, 2])
    """

    def __init__(self, transforms, p=None):
        super().__init__(transforms)
        if p is not None and len(p) != len(transforms):
            raise ValueError(f"p has {len(p)} weights for {len(transforms)} transforms")
        self.p = p

    def __call__(self, *args):
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self):
        return f"{super().__repr__()}(p={self.p})"


class RandomOrder(_List):
    """All of the transforms, in an order that is drawn from Python's own `random`.

    >>> import weft
    >>> from weft.vision import transforms
    >>> transforms.RandomOrder([transforms.CenterCrop(2), transforms.CenterCrop(2)])(weft.ones(1, 3, 3)).shape
    torch.Size([1, 2, 2])
    """

    def __call__(self, img):
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class Chance(Module):
    """A change that happens with probability p: `_change(img)`."""

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, img):
        return self._change(img) if chance(self.p) else img

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p})"
