"""Pictures and targets in the size that a network takes, and its answers in the pictures' own."""
import math

import weft
from weft import nn
from weft.nn import functional as F
from weft.vision.models.detection.image_list import ImageList
from weft.vision.models.detection.roi_masks import paste_masks_in_image


def resize_boxes(boxes, original_size, new_size):
    """Boxes (N, 4) of a picture that gets another size."""
    ratios = [weft.tensor(s, dtype=weft.float32) / weft.tensor(o, dtype=weft.float32)
              for s, o in zip(new_size, original_size)]
    x1, y1, x2, y2 = boxes.unbind(1)
    return weft.stack((x1 * ratios[1], y1 * ratios[0], x2 * ratios[1], y2 * ratios[0]), dim=1)


def resize_keypoints(keypoints, original_size, new_size):
    """Points (N, K, 3) of a picture that gets another size."""
    ratios = [weft.tensor(s, dtype=weft.float32) / weft.tensor(o, dtype=weft.float32)
              for s, o in zip(new_size, original_size)]
    made = keypoints.clone()
    made[..., 0] *= ratios[1]
    made[..., 1] *= ratios[0]
    return made


class GeneralizedRCNNTransform(nn.Module):
    """Normalizes pictures, gives them a shorter edge of min_size (the longer at most max_size), and makes a batch.

    >>> import weft
    >>> from weft.vision.models.detection.transform import GeneralizedRCNNTransform
    >>> change = GeneralizedRCNNTransform(32, 64, [0.5] * 3, [0.5] * 3).eval()
    >>> change([weft.rand(3, 16, 20)])[0].tensors.shape
    torch.Size([1, 3, 32, 64])
    """

    def __init__(self, min_size, max_size, image_mean, image_std, size_divisible=32, fixed_size=None, **kwargs):
        super().__init__()
        self.min_size = tuple(min_size) if isinstance(min_size, (list, tuple)) else (min_size,)
        self.max_size, self.image_mean, self.image_std = max_size, image_mean, image_std
        self.size_divisible, self.fixed_size = size_divisible, fixed_size
        self._skip_resize = kwargs.pop("_skip_resize", False)

    def forward(self, images, targets=None):
        images = list(images)
        targets = None if targets is None else [dict(t) for t in targets]
        for i, image in enumerate(images):
            if image.ndim != 3:
                raise ValueError(f"pictures have the shape (C, H, W), number {i} has {tuple(image.shape)}")
            images[i], changed = self.resize(self.normalize(image), None if targets is None else targets[i])
            if targets is not None:
                targets[i] = changed
        return ImageList(self.batch_images(images, self.size_divisible), [tuple(i.shape[-2:]) for i in images]), targets

    def normalize(self, image):
        """(image - mean) / std."""
        if not image.is_floating_point():
            raise TypeError(f"pictures must be floats from 0 to 1, not {image.dtype}")
        mean = weft.as_tensor(self.image_mean, dtype=image.dtype)
        std = weft.as_tensor(self.image_std, dtype=image.dtype)
        return (image - mean[:, None, None]) / std[:, None, None]

    def _edge(self):
        """One of the sizes."""
        if not self.training:
            return self.min_size[-1]
        return self.min_size[int(weft.empty(1).uniform_(0.0, float(len(self.min_size))).item())]

    def resize(self, image, target=None):
        """The picture and its target in the network's size."""
        height, width = image.shape[-2:]
        if self.training and self._skip_resize:
            return image, target
        size = self._edge()
        how = {"mode": "bilinear", "align_corners": False}
        if self.fixed_size is not None:
            scale = {"size": (self.fixed_size[1], self.fixed_size[0])}
        else:
            factor = min(size / min(height, width), self.max_size / max(height, width))
            scale = {"scale_factor": factor, "recompute_scale_factor": True}
        image = F.interpolate(image[None], **scale, **how)[0]
        if target is None:
            return image, target
        new = tuple(image.shape[-2:])
        target["boxes"] = resize_boxes(target["boxes"], (height, width), new)
        if "masks" in target:
            target["masks"] = F.interpolate(target["masks"][:, None].float(), **scale)[:, 0].byte()
        if "keypoints" in target:
            target["keypoints"] = resize_keypoints(target["keypoints"], (height, width), new)
        return image, target

    def batch_images(self, images, size_divisible=32):
        """A batch of pictures with zeros on the right and below."""
        sizes = [max(image.shape[i] for image in images) for i in range(3)]
        sizes[1:] = [int(math.ceil(side / size_divisible) * size_divisible) for side in sizes[1:]]
        made = images[0].new_full([len(images), *sizes], 0)
        for i, image in enumerate(images):
            made[i, :image.shape[0], :image.shape[1], :image.shape[2]] = image
        return made

    def postprocess(self, result, image_shapes, original_image_sizes):
        """Answers in the pictures' own size; none while it is trained."""
        if self.training:
            return result
        for found, now, before in zip(result, image_shapes, original_image_sizes):
            found["boxes"] = resize_boxes(found["boxes"], now, before)
            if "masks" in found:
                found["masks"] = paste_masks_in_image(found["masks"], found["boxes"], before)
            if "keypoints" in found:
                found["keypoints"] = resize_keypoints(found["keypoints"], now, before)
        return result

    def __repr__(self):
        return (f"GeneralizedRCNNTransform(\n    Normalize(mean={self.image_mean}, std={self.image_std})\n    Resize("
                f"min_size={self.min_size}, max_size={self.max_size}, mode='bilinear')\n)")
