"""MNIST: handwritten digits. A part of it comes with weft, the whole of it is read from the usual four files."""
import gzip
import os

import numpy as np

from weft.ops.create.data import from_numpy
from weft.utils.data import Dataset
from weft.vision.datasets.utils import fetch

PART = os.path.join(os.path.dirname(__file__), "mnist_part")      # 10,000 pictures to train, 2,000 to test, 2 MB
MIRRORS = ("https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/")


def four_files(mirrors, *checksums):
    """(addresses, name, checksum) of the four files that MNIST and its like consist of."""
    names = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
             "t10k-labels-idx1-ubyte.gz")
    return [([mirror + name for mirror in mirrors], name, md5) for name, md5 in zip(names, checksums, strict=True)]


class MNIST(Dataset):
    """Pictures (1, 28, 28), float32 from 0 to 1, and their digits.

    root: a folder with train-images-idx3-ubyte, ... (.gz or not, also below MNIST/raw as torchvision keeps them); None
    takes the part of 10,000 + 2,000 pictures that comes with weft. With download=True what is missing is fetched.

    >>> import weft
    >>> digits = weft.vision.datasets.MNIST()
    >>> picture, digit = digits[0]
    >>> len(digits), tuple(picture.shape), digit
    (10000, (1, 28, 28), 5)
    """

    sources = four_files(MIRRORS, "f68b3c2dcbeaaa9fbdd348bbdeb94873", "d53e105ee54ea40749a09fcbcd1e9432",
                         "9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c")

    def __init__(self, root=None, train=True, transform=None, target_transform=None, download=False):
        folder, kind = PART if root is None else _folder(root, download, self.sources), "train" if train else "t10k"
        self.root, self.train, self.transform, self.target_transform = root, train, transform, target_transform
        self.data = from_numpy(_read(_find(folder, f"{kind}-images-idx3-ubyte"), 3))            # (N, 28, 28) uint8
        self.targets = from_numpy(_read(_find(folder, f"{kind}-labels-idx1-ubyte"), 1).astype(np.int64))
        if len(self.data) != len(self.targets):
            raise RuntimeError(f"MNIST: {len(self.data)} pictures and {len(self.targets)} labels in {folder}\n  fix: "
                               f"fetch the four files again")

    classes = [f"{i} - {name}" for i, name in enumerate("zero one two three four five six seven eight nine".split())]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        picture, digit = self.data[index].unsqueeze(0).float() / 255, int(self.targets[index])
        return (picture if self.transform is None else self.transform(picture),
                digit if self.target_transform is None else self.target_transform(digit))

    def __repr__(self):
        source = "the part that comes with weft" if self.root is None else self.root
        return (f"Dataset MNIST\n    Number of datapoints: {len(self)}\n    Root location: {source}\n    Split: "
                f"{'Train' if self.train else 'Test'}")


def _folder(root, download, sources):
    """Where the files are below root, or are fetched to."""
    usual = os.path.join(root, "MNIST", "raw")
    for folder in (root, usual):
        if any(os.path.exists(os.path.join(folder, "train-images-idx3-ubyte" + end)) for end in ("", ".gz")):
            return folder
    if download:
        fetch(sources, usual)
        return usual
    raise RuntimeError(f"Dataset not found. {root!r} has no train-images-idx3-ubyte(.gz): the folder must hold them.\n"
                       "  fix: put MNIST's four files there, give download=True, or leave root out for the 10,000 "
                       "pictures that come with weft")


def _find(folder, name):
    for end in ("", ".gz"):
        path = os.path.join(folder, name + end)
        if os.path.exists(path):
            return path
    raise RuntimeError(f"Dataset not found: there is no {name}(.gz) in {folder}\n  fix: put MNIST's four files there")


def _read(path, dims):
    """An array of bytes from an IDX file: two zeros, 8 for bytes, the number of dimensions, the sizes, the bytes."""
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            raw = file.read()
    except (OSError, EOFError) as error:
        raise RuntimeError(f"MNIST: {path} can't be read: {error}\n  fix: fetch it again") from None
    head = 4 + 4 * dims
    sizes = np.frombuffer(raw[4:head], ">i4") if len(raw) >= head else ()
    if raw[:4] != bytes([0, 0, 8, dims]) or (sizes < 0).any() or len(raw) != head + int(np.prod(sizes, dtype=np.int64)):
        raise RuntimeError(f"MNIST: {path} is not an IDX file of bytes of {dims} dimension{'s' if dims > 1 else ''}, "
                           f"or is cut off\n"
                           "  fix: fetch it again")
    return np.frombuffer(raw, np.uint8, offset=head).reshape(sizes).copy()
