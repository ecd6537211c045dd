"""PyTorch's `.pt`: an archive of a pickle (what there is) and of storages (the numbers)."""
import sys

import numpy as np

from weft.io.archive_write import ALIGN, ArchiveWriter
from weft.io.errors import bad
from weft.io.known import Finder
from weft.io.locations import Places
from weft.io.machine import LONGEST_NAME, Machine
from weft.io.options import LoadEndianness, get_default_load_endianness
from weft.io.pickler import Pickler, Storages
from weft.io.rebuild import FileStorage, StorageKind, meta_storage, typed, whole

NEWEST_VERSION = 10


# reading

def read(archive, *, map_location=None, mapped=None, encoding="utf-8", layers=False):
    """The object in an archive; with `mapped` (an array of the whole file) the storages stay in it."""
    storages = ArchiveStorages(archive, Places(map_location), mapped)
    data = archive.read("data.pkl")
    return Machine(data, find=Finder(layers), stored=storages, encoding=encoding, whole=archive.source.size).run()


class ArchiveStorages:
    """The storages of an archive, each read when it is first asked for."""

    def __init__(self, archive, places, mapped):
        self.archive, self.places, self.mapped, self.found = archive, places, mapped, {}
        self.swapped = _byte_order(archive) != sys.byteorder
        _check_version(archive)

    def __call__(self, name):
        kind, key, location, count = storage_name(name, 5)
        dtype = kind.dtype
        size = 1 if dtype is None else dtype.itemsize
        nbytes = whole(count, "a storage's length") * size
        if key not in self.found:
            self.found[key] = self.places.put(self._load(key, nbytes, dtype), location)
        elif self.found[key].nbytes() < nbytes:
            raise bad(f"storage {key[:40]!r} has {self.found[key].nbytes()} bytes in one place and {nbytes} in another")
        return typed(self.found[key], dtype)

    def _load(self, key, nbytes, dtype):
        member = self.archive.member(f"data/{key}")
        if member.size < nbytes:
            raise bad(f"storage {key[:40]!r} should have {nbytes} bytes, but the archive holds {member.size} of it")
        if self.places.meta:
            return meta_storage(nbytes)
        if self.mapped is None:
            array = self.archive.array(f"data/{key}")[:nbytes]
        else:
            array = self.mapped[member.start:member.start + nbytes]
            if array.ctypes.data % 16 and nbytes:
                array = np.array(array)         # not where numbers may lie
        return FileStorage(swap(array, dtype) if self.swapped else array)


def swap(array, dtype):
    """Numbers with their bytes in the other order; a complex number is two."""
    size = 1 if dtype is None else dtype.to_real().itemsize
    if size == 1:
        return array
    return array[:array.size // size * size].view(f"u{size}").byteswap().view(np.uint8)


def storage_name(name, length):
    """The parts of ("storage", kind, key, location, count, ...)."""
    if type(name) is not tuple or len(name) != length or text(name[0]) != "storage":
        raise bad("it refers to something outside of the pickle that is no storage")
    kind, key, location = name[1], text(name[2]), text(name[3])
    if not isinstance(kind, StorageKind) or key is None or location is None:
        raise bad("it refers to a storage without type, key or place")
    return (kind, key, location, *name[4:])


def text(value):
    """A short str, also of a file from Python 2 read as bytes; None for anything else."""
    if type(value) not in (bytes, str) or len(value) > LONGEST_NAME:
        return None
    if type(value) is bytes:
        value = value.decode("latin1")
    return value


def _byte_order(archive):
    if "byteorder" not in archive:
        return {LoadEndianness.BIG: "big", LoadEndianness.NATIVE: sys.byteorder}.get(get_default_load_endianness(),
                                                                                     "little")
    found = archive.read("byteorder").decode("latin1")
    if found not in ("little", "big"):
        raise bad("the byte order that it states is neither little nor big")
    return found


def _check_version(archive):
    if "version" not in archive:
        return
    found = archive.read("version").strip()
    if not found.isdigit() or len(found) > 9 or int(found) > NEWEST_VERSION:
        raise bad(f"it says that it is of version {found[:20].decode('latin1')!r}; up to {NEWEST_VERSION} is known",
                  "save it with an older PyTorch, or update weft")


# writing

def write(value, out):
    """Write an object as an archive; everything that can fail because of the object fails before the first byte."""
    storages = Storages()

    def persistent(stored):
        return ("storage", stored.kind, stored.key, "cpu", stored.numel)
    data = Pickler(storages, persistent).dump(value)
    archive = ArchiveWriter(out)
    archive.add("data.pkl", data)
    archive.add(".format_version", b"1")
    archive.add(".storage_alignment", str(ALIGN).encode())
    archive.add("byteorder", sys.byteorder.encode())
    for key, array in storages.arrays.items():
        archive.add(f"data/{key}", array)
    archive.add("version", b"3\n")
    archive.add(".data/serialization_id", archive.identity())
    archive.finish()


