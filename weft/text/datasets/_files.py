"""Where a set's files are looked for, and iterable sets that read them anew each time."""
import gzip
import os

from weft.core.errors import fail
from weft.utils.data import IterableDataset

CACHE = os.path.expanduser("~/.cache/torch/text")


class Rows(IterableDataset):
    """A split of a set: iterating reads the files from the start."""

    def __init__(self, name, read):
        self._name, self._read = name, read

    def __iter__(self):
        return iter(self._read())

    def __repr__(self):
        return f"<{self._name}>"


def splits(name, split, allowed, read):
    """Rows for one split, or a tuple of them; `read(split)` is a generator."""
    asked = (split,) if isinstance(split, str) else tuple(split)
    for each in asked:
        if each not in allowed:
            fail(ValueError, f"{name} has no split '{each}'", fix="one of " + ", ".join(map(repr, allowed)))
    made = tuple(Rows(f"{name} {each}", (lambda each=each: read(each))) for each in asked)
    return made[0] if isinstance(split, str) else made


def find(root, set_name, names):
    """The path of the first of `names` that is there, in root, root/<set> or root/datasets/<set>."""
    folders = (root, os.path.join(root, set_name), os.path.join(root, "datasets", set_name))
    for folder in folders:
        for name in names:
            for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
                if os.path.exists(path):
                    return path
    fail(FileNotFoundError, f"{set_name}: there is no {names[0]} in {root}, nor in {set_name} there",
         fix="weft downloads nothing; put the set's files there (weft.text.utils.extract_archive unpacks an archive)")


def raw_lines(path):
    """Lines of text with their ends; .gz is unpacked on the way."""
    how = {"encoding": "utf8", "newline": ""}
    with gzip.open(path, "rt", **how) if path.endswith(".gz") else open(path, **how) as file:
        yield from file


def lines(path):
    """Lines of text without their ends."""
    for line in raw_lines(path):
        yield line.rstrip("\r\n")
