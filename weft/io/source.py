"""Where bytes come from: a file by its name, an open file, or memory. Reading is by place, so that nothing is read
twice or too much.
"""
import io
import os

import numpy as np

from weft.io.errors import cut


class Source:
    """Bytes that can be read at any place. `name` is for messages, `path` is there for a file that can be mapped."""

    name, path, size = "the buffer", None, 0

    def read(self, at, n):
        """The n bytes from `at`."""
        raise NotImplementedError

    def array(self, at, n):
        """The same as a new array that can be written to."""
        raise NotImplementedError

    def everything(self):
        """All bytes, or something that can be sliced and searched like them."""
        return self.read(0, self.size)

    def close(self):
        """Let go of the file."""

    def check(self, at, n):
        if n < 0 or at < 0 or at + n > self.size:
            raise cut(f"it ends at byte {self.size}, but something in it should lie at {at} to {at + n}")


class BytesSource(Source):
    """Bytes in memory."""

    def __init__(self, data, name="the buffer"):
        self.view, self.name = memoryview(data).cast("B"), name
        self.size = len(self.view)

    def read(self, at, n):
        self.check(at, n)
        return bytes(self.view[at:at + n])

    def array(self, at, n):
        self.check(at, n)
        made = np.empty(n, np.uint8)
        made[...] = np.frombuffer(self.view, np.uint8, n, at) if n else 0
        return made

    def close(self):
        self.view.release()


class File(Source):
    """An open file from its current place on."""

    def __init__(self, file, name, path=None, own=False):
        self.file, self.name, self.path, self.own = file, name, path, own
        self.start = file.tell()
        self.size = file.seek(0, io.SEEK_END) - self.start
        file.seek(self.start)

    def read(self, at, n):
        self.check(at, n)
        self.file.seek(self.start + at)
        found = self.file.read(n)
        if len(found) != n:
            raise cut(f"it became shorter while it was read, at byte {at + len(found)}")
        return found

    def array(self, at, n):
        self.check(at, n)
        made = np.empty(n, np.uint8)
        view, done = memoryview(made), 0
        self.file.seek(self.start + at)
        while done < n:
            got = self.file.readinto(view[done:done + (1 << 30)])
            if not got:
                raise cut(f"it became shorter while it was read, at byte {at + done}")
            done += got
        return made

    def everything(self):
        if not self.own or not self.size:
            return super().everything()
        import mmap  # rarely needed
        return mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def close(self):
        if self.own:
            self.file.close()


def is_path(f):
    return isinstance(f, (str, os.PathLike))


def open_source(f):
    """A source for what the user gave: a path, bytes in a BytesIO, an open file, or anything with `read`."""
    if is_path(f):
        path = os.fspath(f)
        if os.path.isdir(path):
            raise IsADirectoryError(f"{path!r} is a directory, not a checkpoint\n  fix: name the file in it, for "
                                    f"example {os.path.join(path, _first_file(path))!r}")
        return File(open(path, "rb"), path, path, own=True)
    if not hasattr(f, "read"):
        raise AttributeError(f"load: expected a path or a file-like object with 'read', got {type(f).__name__}\n"
                             "  fix: give it a file name, an open file ('rb') or a BytesIO")
    name = getattr(f, "name", None)
    name = name if isinstance(name, str) else "the buffer"
    if type(f) is io.BytesIO:
        return BytesSource(f.getbuffer()[f.tell():], name)
    if isinstance(f, io.BufferedReader) and isinstance(f.raw, io.FileIO) and f.seekable():
        return File(f, name)
    data = f.read()
    if isinstance(data, str):
        raise TypeError(f"load: {name} is open as text\n  fix: open it with mode 'rb'")
    return BytesSource(data, name)


def _first_file(folder):
    known = sorted(n for n in os.listdir(folder) if n.endswith((".pt", ".pth", ".safetensors", ".bin", ".ckpt")))
    return known[0] if known else "model.pt"
