"""Datasets from the network, which here is a server on this machine."""
import gzip
import hashlib
import http.server
import os
import struct
import tarfile
import threading
import zipfile

import pytest

import weft
from weft.vision import datasets
from weft.vision.datasets.utils import download_and_extract_archive, download_url


@pytest.fixture
def served(tmp_path):
    """(folder, address) of a server; short.* says that it is longer than it is."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def send_header(self, name, value):
            longer = name == "Content-Length" and os.path.basename(self.path).startswith("short")
            super().send_header(name, str(int(value) + 5) if longer else value)

        def log_message(self, *args):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def md5(data):
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def idx(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}i", *sizes) + bytes(i % 10 for i in range(count))


def four(folder, address):
    """MNIST's four files, with two pictures each, as `sources`."""
    found = []
    for kind in ("train", "t10k"):
        for name, data in ((f"{kind}-images-idx3-ubyte.gz", idx(2, 28, 28)), (f"{kind}-labels-idx1-ubyte.gz", idx(2))):
            packed = gzip.compress(data)
            (folder / name).write_bytes(packed)
            found.append(([address + "elsewhere/" + name, address + name], name, md5(packed)))
    return found


@pytest.mark.parametrize("cls", [datasets.MNIST, datasets.FashionMNIST, datasets.KMNIST])
def test_four_files_come_from_the_first_mirror_that_has_them(cls, served, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(cls, "sources", four(*served))
    monkeypatch.setenv("WEFT_PROGRESS", "plain")
    data = cls(str(tmp_path / "root"), download=True)
    assert len(data) == 2 and data[1][1] == 1
    raw = tmp_path / "root" / cls.__name__ / "raw"
    assert sorted(os.listdir(raw)) == sorted(name for _, name, _ in cls.sources)
    assert "train-images-idx3-ubyte.gz: 100%" in capfd.readouterr().err
    for path in served[0].iterdir():
        path.unlink()
    assert len(cls(str(tmp_path / "root"), train=False, download=True)) == 2        # they are there


def test_an_archive_is_fetched_and_extracted(served, tmp_path, monkeypatch):
    folder, address = served
    with zipfile.ZipFile(folder / "gzip.zip", "w") as archive:
        archive.writestr("gzip/emnist-digits-train-images-idx3-ubyte.gz", gzip.compress(idx(2, 28, 28)))
        archive.writestr("gzip/emnist-digits-train-labels-idx1-ubyte.gz", gzip.compress(idx(2)))
    monkeypatch.setattr(datasets.EMNIST, "sources", [([address + "gzip.zip"], "gzip.zip",
                                                      md5((folder / "gzip.zip").read_bytes()))])
    assert len(datasets.EMNIST(str(tmp_path / "root"), "digits", download=True)) == 2


def test_what_is_not_the_right_file_is_not_kept(served, tmp_path):
    folder, address = served
    (folder / "a.bin").write_bytes(b"hello")
    (folder / "short.bin").write_bytes(b"hello")
    for url, checksum, text in ((address + "a.bin", "0" * 32, "corrupted"), (address + "none", None, "404"),
                                (address + "short.bin", None, "after 5 of 10 bytes"),
                                ("http://127.0.0.1:9/x", None, "where there is no network")):
        with pytest.raises(RuntimeError, match=text):
            download_url(url, tmp_path / "root", md5=checksum)
        assert os.listdir(tmp_path / "root") == []
    for url in ("file:///etc/passwd", "ftp://127.0.0.1/x", "http://127.0.0.1/"):
        with pytest.raises(ValueError, match="not the address of a file"):
            download_url(url, tmp_path)
    download_url(address + "a.bin", tmp_path / "root", "../b.bin", md5(b"hello"))
    assert os.listdir(tmp_path / "root") == ["b.bin"]


def test_an_archive_that_would_write_elsewhere(served, tmp_path):
    folder, address = served
    (folder / "x").write_text("x")
    with tarfile.open(folder / "evil.tar", "w") as archive:
        archive.add(folder / "x", "../../outside")
    with pytest.raises(RuntimeError, match="outside of"):
        download_and_extract_archive(address + "evil.tar", tmp_path / "root")
    assert not (tmp_path / "outside").exists() and not (tmp_path.parent / "outside").exists()


def test_without_download_the_error_offers_it(tmp_path):
    for make in (lambda: datasets.MNIST(str(tmp_path)), lambda: datasets.CIFAR100(tmp_path),
                 lambda: datasets.SVHN(tmp_path), lambda: datasets.STL10(tmp_path),
                 lambda: datasets.VOCDetection(tmp_path), lambda: datasets.KMNIST(tmp_path)):
        with pytest.raises(RuntimeError, match="download=True"):
            make()
    assert weft.vision.datasets.MNIST().root is None
