"""MNIST: the part that comes with weft, the four files in a folder, and files that are not what they should be."""
import gzip
import os

import numpy as np
import pytest

import weft
from weft.vision.datasets import MNIST
from weft.vision.datasets.mnist import PART


def test_the_part_that_comes_with_weft():
    train, test = MNIST(), MNIST(train=False)
    assert (len(train), len(test)) == (10000, 2000)
    picture, digit = train[0]
    assert (picture.shape == (1, 28, 28) and picture.dtype is weft.float32 and 0 <= picture.min()
            and picture.max() == 1.0)
    assert digit == 5 and type(digit) is int
    assert np.bincount(test.targets.numpy(), minlength=10).min() > 150


def test_the_part_is_at_most_two_megabytes():
    assert sum(os.path.getsize(os.path.join(PART, name)) for name in os.listdir(PART)) <= 2_000_000


def test_transforms():
    digits = MNIST(train=False, transform=lambda picture: picture * 2 - 1, target_transform=lambda digit: digit + 100)
    picture, digit = digits[0]
    assert picture.min() == -1.0 and digit == 107


def write(folder, name, sizes, values, zipped):
    raw = bytes([0, 0, 8, len(sizes)]) + np.array(sizes, ">i4").tobytes() + np.asarray(values, np.uint8).tobytes()
    path = folder / (name + (".gz" if zipped else ""))
    path.write_bytes(gzip.compress(raw) if zipped else raw)


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("below", ["", "MNIST/raw"])
def test_the_four_files_in_a_folder(tmp_path, zipped, below):
    folder = tmp_path / below
    folder.mkdir(parents=True, exist_ok=True)
    for kind in ("train", "t10k"):
        write(folder, f"{kind}-images-idx3-ubyte", (2, 28, 28), np.arange(2 * 784) % 256, zipped)
        write(folder, f"{kind}-labels-idx1-ubyte", (2,), [3, 8], zipped)
    digits = MNIST(tmp_path)
    assert digits.targets.tolist() == [3, 8]
    assert digits[1][0].numpy().reshape(-1)[:3].tolist() == [np.float32(v) / 255 for v in (16, 17, 18)]


@pytest.mark.parametrize("spoil, said", [
    (lambda raw: raw[:-5], "cut off"), (lambda raw: b"<html>" + raw, "not an IDX file"),
    (lambda raw: b"", "not an IDX file"), (lambda raw: raw[:4] + b"\xff\xff\xff\xff" + raw[8:], "not an IDX file")])
def test_a_file_that_is_not_what_it_should_be(tmp_path, spoil, said):
    write(tmp_path, "train-images-idx3-ubyte", (2, 28, 28), np.zeros(2 * 784), False)
    write(tmp_path, "train-labels-idx1-ubyte", (2,), [3, 8], False)
    path = tmp_path / "train-images-idx3-ubyte"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(RuntimeError, match=said):
        MNIST(tmp_path)


def test_a_cut_off_gzip_file(tmp_path):
    write(tmp_path, "train-images-idx3-ubyte", (2, 28, 28), np.zeros(2 * 784), True)
    path = tmp_path / "train-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(RuntimeError, match="can't be read"):
        MNIST(tmp_path)


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(RuntimeError, match="Dataset not found.*\n.*leave root out"):
        MNIST(tmp_path)
