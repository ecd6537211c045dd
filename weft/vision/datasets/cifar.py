"""CIFAR-10 and CIFAR-100, SVHN, STL-10: small pictures in a few files."""
import os

import numpy as np

from weft.vision._pillow import pillow
from weft.vision.datasets.utils import extract_archive, fetch, load_data
from weft.vision.datasets.vision import VisionDataset, not_found

__all__ = ["CIFAR10", "CIFAR100", "SVHN", "STL10"]


def unpack(dataset, download):
    """Extract a dataset's archive where its folder isn't there yet, and fetch it first if that is wanted."""
    if os.path.isdir(os.path.join(dataset.root, dataset.base_folder)):
        return
    if download:
        fetch(dataset.sources, dataset.root)
    archive = os.path.join(dataset.root, dataset.filename)
    if os.path.isfile(archive):
        extract_archive(archive, dataset.root)


class CIFAR10(VisionDataset):
    """60,000 pictures of 32 x 32 of ten kinds of things. root holds cifar-10-batches-py or cifar-10-python.tar.gz.

    >>> import weft
    >>> weft.vision.datasets.CIFAR10.base_folder
    'cifar-10-batches-py'
    """

    base_folder, filename = "cifar-10-batches-py", "cifar-10-python.tar.gz"
    train_list, test_list = [f"data_batch_{i}" for i in range(1, 6)], ["test_batch"]
    meta = {"filename": "batches.meta", "key": "label_names"}
    sources = [(["https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"], filename,
                "c58f30108f718f92721af3b95e74349a")]
    _labels = ("labels", "fine_labels")

    def __init__(self, root, train=True, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        folder = os.path.join(self.root, self.base_folder)
        unpack(self, download)
        names = self.train_list if train else self.test_list
        if any(not os.path.isfile(os.path.join(folder, name)) for name in [*names, self.meta["filename"]]):
            raise not_found(type(self).__name__, self.root, f"{self.base_folder} or {self.filename}", download)
        data, self.targets = [], []
        for name in names:
            entry = load_data(os.path.join(folder, name))
            data.append(np.asarray(entry["data"], np.uint8))
            self.targets += next(entry[key] for key in self._labels if key in entry)
        self.data = np.vstack(data).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)       # (N, 32, 32, 3)
        self.classes = load_data(os.path.join(folder, self.meta["filename"]))[self.meta["key"]]
        self.class_to_idx = {name: i for i, name in enumerate(self.classes)}

    def __getitem__(self, index):
        return self._both(pillow().fromarray(np.ascontiguousarray(self.data[index])), self.targets[index])

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {'Train' if self.train else 'Test'}"


class CIFAR100(CIFAR10):
    """60,000 pictures of 32 x 32 of a hundred kinds of things. root holds cifar-100-python or cifar-100-python.tar.gz.

    >>> import weft
    >>> weft.vision.datasets.CIFAR100.base_folder
    'cifar-100-python'
    """

    base_folder, filename = "cifar-100-python", "cifar-100-python.tar.gz"
    sources = [(["https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"], filename,
                "eb9058c3a382ffc7106e4002c42a8d85")]
    train_list, test_list = ["train"], ["test"]
    meta = {"filename": "meta", "key": "fine_label_names"}


class SVHN(VisionDataset):
    """Digits of house numbers, 32 x 32. root holds train_32x32.mat, test_32x32.mat, extra_32x32.mat; needs SciPy.

    >>> import weft
    >>> sorted(weft.vision.datasets.SVHN.split_list)
    ['extra', 'test', 'train']
    """

    split_list = {"train": "train_32x32.mat", "test": "test_32x32.mat", "extra": "extra_32x32.mat"}
    mirror = "http://ufldl.stanford.edu/housenumbers/"
    checksums = {"train": "e26dedcc434d2e4c54c9b2d4a06d8373", "test": "eb5a983be6a315427106f1b164d9cef3",
                 "extra": "a93ce644f1a588dc4d68dda5feec44a7"}

    def __init__(self, root, split="train", transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if split not in self.split_list:
            raise ValueError(f"there is no split {split!r}\n  fix: take train, test or extra")
        self.split, self.filename = split, self.split_list[split]
        path = os.path.join(self.root, self.filename)
        if download:
            fetch([([self.mirror + self.filename], self.filename, self.checksums[split])], self.root)
        if not os.path.isfile(path):
            raise not_found("SVHN", self.root, self.filename, download)
        try:
            from scipy.io import loadmat  # only here
        except ModuleNotFoundError:
            raise ModuleNotFoundError("SVHN's files need SciPy, which is not installed\n  fix: pip install scipy",
                                      name="scipy") from None
        loaded = loadmat(path)
        self.data = np.transpose(loaded["X"], (3, 2, 0, 1))            # (N, 3, 32, 32)
        self.labels = loaded["y"].astype(np.int64).reshape(-1)
        self.labels[self.labels == 10] = 0

    def __getitem__(self, index):
        picture = pillow().fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self._both(picture, int(self.labels[index]))

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {self.split}"


class STL10(VisionDataset):
    """Pictures of 96 x 96 of ten kinds of things, many without labels. root holds stl10_binary or its .tar.gz.

    >>> import weft
    >>> weft.vision.datasets.STL10.splits
    ('train', 'train+unlabeled', 'unlabeled', 'test')
    """

    base_folder, filename = "stl10_binary", "stl10_binary.tar.gz"
    sources = [(["http://ai.stanford.edu/~acoates/stl10/stl10_binary.tar.gz"], filename,
                "91f7769df0f17e558f3565bffb0c7dfb")]
    splits = ("train", "train+unlabeled", "unlabeled", "test")

    def __init__(self, root, split="train", folds=None, transform=None, target_transform=None, download=False):
        super().__init__(root, transform=transform, target_transform=target_transform)
        if split not in self.splits:
            raise ValueError(f"there is no split {split!r}\n  fix: take one of {', '.join(self.splits)}")
        if folds is not None and folds not in range(10):
            raise ValueError(f"folds is {folds}, it must be from 0 to 9, or None")
        self.split, self.folds, self.download = split, folds, download
        unpack(self, download)
        parts = [self._part(name) for name in split.split("+")]
        self.data = np.concatenate([data for data, _ in parts])                 # (N, 3, 96, 96)
        self.labels = np.concatenate([labels for _, labels in parts])
        self.classes = self._lines("class_names.txt")

    def _path(self, name):
        path = os.path.join(self.root, self.base_folder, name)
        if not os.path.isfile(path):
            raise not_found("STL10", self.root, f"{self.base_folder}/{name} or {self.filename}", self.download)
        return path

    def _lines(self, name):
        with open(self._path(name)) as file:
            return file.read().split()

    def _part(self, name):
        data = np.fromfile(self._path(f"{name}_X.bin"), np.uint8).reshape(-1, 3, 96, 96).transpose(0, 1, 3, 2)
        if name == "unlabeled":
            return data, np.full(len(data), -1, np.int64)
        labels = np.fromfile(self._path(f"{name}_y.bin"), np.uint8).astype(np.int64) - 1        # from 1 in the file
        if name == "train" and self.folds is not None:
            with open(self._path("fold_indices.txt")) as file:
                chosen = np.array(file.read().splitlines()[self.folds].split(), np.int64)
            return data[chosen], labels[chosen]
        return data, labels

    def __getitem__(self, index):
        picture = pillow().fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self._both(picture, int(self.labels[index]))

    def __len__(self):
        return len(self.data)

    def extra_repr(self):
        return f"Split: {self.split}"
