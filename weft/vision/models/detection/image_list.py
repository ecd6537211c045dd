"""Pictures of different sizes in one batch."""


class ImageList:
    """A batch (N, C, H, W) of padded pictures, and the sizes (h, w) that they have.

    >>> import weft
    >>> from weft.vision.models.detection.image_list import ImageList
    >>> ImageList(weft.zeros(1, 3, 8, 8), [(7, 6)]).image_sizes
    [(7, 6)]
    """

    def __init__(self, tensors, image_sizes):
        self.tensors, self.image_sizes = tensors, image_sizes

    def to(self, device):
        """The same on a device.

        >>> import weft
        >>> from weft.vision.models.detection.image_list import ImageList
        >>> ImageList(weft.zeros(1, 3, 8, 8), [(7, 6)]).to("cpu").tensors.shape
        torch.Size([1, 3, 8, 8])
        """
        return ImageList(self.tensors.to(device), self.image_sizes)
