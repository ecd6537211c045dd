"""The format of PyTorch before 1.6: three small pickles, the object's, the list of storage keys, then the storages one
after another.
"""
import struct
import sys

import numpy as np

from weft.io.errors import bad, cut
from weft.io.known import Finder
from weft.io.locations import Places
from weft.io.machine import Machine
from weft.io.pickler import BYTES, Named, Pickler, Storages
from weft.io.rebuild import FileStorage, meta_storage, typed, whole
from weft.io.torch_file import storage_name, swap, text

MAGIC, PROTOCOL = 0x1950a86a20f9469cfc6c, 1001
START = b"\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."       # the pickle of MAGIC
OLD_BYTES = Named("torch", "ByteStorage")        # what untyped storages are called here


# reading

def read(data, *, map_location=None, encoding="utf-8", layers=False):
    """The object in such a file, and where it ends: several may stand in one."""
    if START[2:-1] not in data[:40]:
        raise bad("it is a pickle, but not a checkpoint",
                  "a plain pickle can run any code when loaded: if you made it and trust it, read it with "
                  "Python's pickle module, and save what is in it with weft.save")
    find, refuse = Finder(layers), _no_storage
    at = 0
    head = []
    for _ in range(3):
        machine = Machine(data, at, find=find, stored=refuse, encoding=encoding)
        head.append(machine.run())
        at = machine.at
    _check_head(*head)
    storages = LegacyStorages(data, at, Places(map_location), big=_is_big(head[2]))
    machine = Machine(data, at, find=find, stored=storages, encoding=encoding)
    result = machine.run()
    keys = Machine(data, machine.at, find=find, stored=refuse, encoding=encoding)
    wanted = keys.run()
    return result, storages.fill(wanted, keys.at)


def _check_head(magic, protocol, info):
    if type(magic) is not int or magic != MAGIC:
        raise bad("it doesn't begin with the number that marks a checkpoint")
    if type(protocol) is not int or protocol != PROTOCOL:
        raise bad("it is a checkpoint of a protocol that isn't known")
    if type(info) is not dict:
        raise bad("the description of the machine that wrote it is missing")


def _is_big(info):
    return info.get("little_endian", info.get(b"little_endian", True)) is False


def _no_storage(name):
    raise bad("it refers to a storage in a place where there is none")


class LegacyStorages:
    """Storages that are made while the object is read, and filled when their bytes come."""

    def __init__(self, data, at, places, big):
        self.data, self.places, self.swapped = data, places, big != (sys.byteorder == "big")
        self.room = len(data) - at
        self.arrays, self.types, self.found, self.views = {}, {}, {}, {}
        self.later = []

    def __call__(self, name):
        if type(name) is tuple and len(name) == 4 and text(name[0]) == "module":       # a class and its source
            return name[1]
        kind, key, location, count, view = storage_name(name, 6)
        size = 1 if kind.dtype is None else kind.dtype.itemsize
        nbytes = whole(count, "a storage's length") * size
        if key not in self.found:
            self.room -= nbytes
            if self.room < 0:
                raise cut(f"its storages should have {-self.room} bytes more than the file has")
            self.arrays[key], self.types[key] = np.zeros(nbytes, np.uint8), kind.dtype
            made = meta_storage(nbytes) if self.places.meta else FileStorage(self.arrays[key])
            made.later = self.later
            self.found[key] = found = self.places.put(made, location)
            if found is not made and not getattr(found, "meta", False):      # what map_location gave instead is filled
                found.later, self.arrays[key] = self.later, found._bytes[:nbytes]
        elif self.found[key].nbytes() < nbytes:
            raise bad(f"storage {key[:40]!r} has {self.found[key].nbytes()} bytes in one place and {nbytes} in another")
        whole_storage = self.found[key]
        return typed(whole_storage if view is None else self._view(whole_storage, view, size), kind.dtype)

    def _view(self, storage, view, size):
        """A part of a storage: (key, offset, count)."""
        if type(view) is not tuple or len(view) != 3 or text(view[0]) is None:
            raise bad("it refers to a part of a storage without key and place")
        start, count = whole(view[1], "a storage's offset") * size, whole(view[2], "a storage's length") * size
        if start + count > storage.nbytes():
            raise bad("it refers to a part of a storage that reaches behind its end")
        key = text(view[0])
        if key not in self.views:
            self.views[key] = (meta_storage(count) if self.places.meta
                               else FileStorage(storage._bytes[start:start + count]))
            self.views[key].later = self.later
        return self.views[key]

    def fill(self, keys, at):
        """Read the storages in the order in which the file has them; where the last one ends."""
        if (type(keys) is not list or len(keys) != len(self.arrays)
            or sorted(map(str, map(text, keys))) != sorted(self.arrays)):
            raise bad("its list of storages is not that of the storages which its tensors lie in")
        for key in map(text, keys):
            array, dtype = self.arrays[key], self.types[key]
            size = 1 if dtype is None else dtype.itemsize
            if at + 8 + array.size > len(self.data):
                raise cut(f"it ends at byte {len(self.data)}, in the middle of storage {key[:40]!r}")
            count = struct.unpack("<q", self.data[at:at + 8])[0]
            if count * size != array.size:
                raise bad(f"storage {key[:40]!r} should have {array.size} bytes and has {count * size}")
            found = np.frombuffer(self.data[at + 8:at + 8 + array.size], np.uint8)
            array[...] = swap(found, dtype) if self.swapped else found
            at += 8 + array.size
        for finish in self.later:
            finish()
        return at


# writing

def write(value, out):
    """Write an object in the old format."""
    storages = Storages(keys_by_address=True)
    sizes = {}

    def persistent(stored):
        sizes.setdefault(stored.key, stored.numel)
        kind = OLD_BYTES if stored.kind is BYTES else stored.kind
        return ("storage", kind, stored.key, "cpu", stored.numel, None)

    def plain(thing):
        return Pickler(storages, persistent).dump(thing)
    body = plain(value)
    info = {"protocol_version": PROTOCOL, "little_endian": sys.byteorder == "little",
            "type_sizes": {"short": 2, "int": 4, "long": 4}}
    keys = sorted(storages.arrays)
    out(plain(MAGIC) + plain(PROTOCOL) + plain(info) + body + plain(keys))
    for key in keys:
        out(struct.pack("<q", sizes[key]))
        out(memoryview(storages.arrays[key]))
