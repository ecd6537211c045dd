"""FashionMNIST, KMNIST, EMNIST: MNIST's format with other pictures."""
import os

import numpy as np

from weft.ops.create.data import from_numpy
from weft.vision._pillow import pillow
from weft.vision.datasets.mnist import _find, _read, four_files
from weft.vision.datasets.utils import extract_archive, fetch
from weft.vision.datasets.vision import VisionDataset, not_found

__all__ = ["FashionMNIST", "KMNIST", "EMNIST"]


class _LikeMNIST(VisionDataset):
    """Files of MNIST's format, in root/<name>/raw or in root itself."""

    def _load(self, images, labels, download):
        folder = self._find_folder(images)
        if folder is None and download:
            self._fetch(os.path.join(self.root, type(self).__name__, "raw"))
            folder = self._find_folder(images)
        if folder is None:
            raise not_found(type(self).__name__, self.root, f"{images}(.gz)", download)
        self.data = from_numpy(_read(_find(folder, images), 3))                 # (N, 28, 28) uint8
        self.targets = from_numpy(_read(_find(folder, labels), 1).astype(np.int64))

    def _find_folder(self, images):
        usual = os.path.join(self.root, type(self).__name__, "raw")
        for folder in (usual, os.path.join(usual, "gzip"), os.fspath(self.root)):      # EMNIST's archive has gzip/
            if any(os.path.isfile(os.path.join(folder, images + end)) for end in ("", ".gz")):
                return folder
        return None

    def _fetch(self, folder):
        fetch(self.sources, folder)

    def __getitem__(self, index):
        return self._both(pillow().fromarray(self.data[index].numpy()), int(self.targets[index]))

    def __len__(self):
        return len(self.data)

    @property
    def class_to_idx(self):
        """{class: number}.

        >>> import weft
        >>> weft.vision.datasets.FashionMNIST.class_to_idx.fget(weft.vision.datasets.FashionMNIST)["Bag"]
        8
        """
        return {name: i for i, name in enumerate(self.classes)}

    def extra_repr(self):
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(_LikeMNIST):
    """Clothes, 28 x 28, as images of Pillow's, and ten classes. root holds MNIST's four files, also below
    FashionMNIST/raw.

    >>> import weft
    >>> weft.vision.datasets.FashionMNIST.classes[:2]
    ['T-shirt/top', 'Trouser']
    """

    sources = four_files(["http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"],
                         "8d4fb7e6c68d591d4c3dfef9ec88bf0d", "25c81989df183df01b3e8a0aad5dffbe",
                         "bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310")
    classes = ["T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"]

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train, kind = train, "train" if train else "t10k"
        self._load(f"{kind}-images-idx3-ubyte", f"{kind}-labels-idx1-ubyte", download)


class KMNIST(FashionMNIST):
    """Japanese letters, 28 x 28. root holds MNIST's four files, also below KMNIST/raw.

    >>> import weft
    >>> weft.vision.datasets.KMNIST.classes[:2]
    ['o', 'ki']
    """

    sources = four_files(["http://codh.rois.ac.jp/kmnist/dataset/kmnist/"], "bdb82020997e1d708af4cf47b453dcf7",
                         "e144d726b3acfaa3e44228e80efcd344", "5c965bf0a639b31b8f53240b1b52f4d7",
                         "7320c461ea6c1c855c0b718fb2a4b134")
    classes = "o ki su tsu na ha ma ya re wo".split()


class EMNIST(_LikeMNIST):
    """Letters and digits, 28 x 28, in six splits. root holds emnist-<split>-train-images-idx3-ubyte and the like, also
    below EMNIST/raw.

    >>> import weft
    >>> weft.vision.datasets.EMNIST.splits
    ('byclass', 'bymerge', 'balanced', 'letters', 'digits', 'mnist')
    """

    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
    sources = [(["https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip"], "gzip.zip",
                "58c8d27c78d21e728a6bc7b3cc06412e")]
    _all = [*"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"]
    _merged = sorted(set(_all) - set("cijklmopsuvwxyz"))

    def __init__(self, root, split, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if split not in self.splits:
            raise ValueError(f"there is no split {split!r}\n  fix: take one of {', '.join(self.splits)}")
        self.split, self.train = split, train
        kinds = {"byclass": sorted(self._all), "bymerge": self._merged, "balanced": self._merged,
                 "letters": ["N/A", *"abcdefghijklmnopqrstuvwxyz"]}
        self.classes = kinds.get(split, [*"0123456789"])
        name = f"emnist-{split}-{'train' if train else 'test'}"
        self._load(f"{name}-images-idx3-ubyte", f"{name}-labels-idx1-ubyte", download)

    def _fetch(self, folder):
        super()._fetch(folder)
        extract_archive(os.path.join(folder, "gzip.zip"), folder)
