"""Noise with labels."""
import weft
from weft.vision.datasets.vision import VisionDataset
from weft.vision.transforms._convert import to_pil_image


class FakeData(VisionDataset):
    """Pictures of noise, the same for the same index, and random labels.

    >>> import weft
    >>> picture, label = weft.vision.datasets.FakeData(3, (3, 4, 5), 10)[0]
    >>> picture.size, 0 <= label < 10
    ((5, 4), True)
    """

    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None,
                 random_offset=0):
        super().__init__(None, transform=transform, target_transform=target_transform)
        self.size, self.num_classes, self.image_size, self.random_offset = size, num_classes, image_size, random_offset

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"FakeData index out of range: {index} of {len(self)}")
        before = weft.get_rng_state()
        weft.manual_seed(index + self.random_offset)
        picture = weft.randn(*self.image_size)
        target = weft.randint(0, self.num_classes, size=(1,), dtype=weft.long)[0]
        weft.set_rng_state(before)
        return self._both(to_pil_image(picture), target.item())

    def __len__(self):
        return self.size
