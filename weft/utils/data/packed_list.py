"""Long lists on their way to spawned workers: once in shared memory, instead of a copy in each worker."""
import io
import pickle

import numpy as np

from weft.utils.data.memory import Arena
from weft.utils.data.shared_list import SharedList, worth_sharing
from weft.utils.data.transport import process_reducers


class PackedList(SharedList):
    """A list for reading whose elements lie encoded in shared memory: `size` of them, the ends of all at `at`, then
    their bytes.
    """

    __slots__ = ("_ends", "_data", "_text")

    def __init__(self, arena, at, size, text):
        self._original, self._own, self._length, self._text = None, None, size, text
        self._ends = np.frombuffer(arena.map, np.int64, size + 1, at)
        self._data, self._address = memoryview(arena.map)[at + 8 * (size + 1):], None

    def _searched(self):
        return list(self) if self._own is None else self._own

    def _read(self, i):
        part = self._data[self._ends[i]:self._ends[i + 1]]
        return str(part, "utf-8", "surrogatepass") if self._text else pickle.loads(part)


class Packer(pickle.Pickler):
    """Pickles a dataset, its long lists aside."""

    def __init__(self, file):
        super().__init__(file, 5)
        self.dispatch_table = process_reducers()
        self.lists, self.seen = [], {}

    def persistent_id(self, value):
        if not worth_sharing(value):
            return None
        if id(value) not in self.seen:
            self.seen[id(value)] = len(self.lists)
            self.lists.append(value)
        return self.seen[id(value)]


class Unpacker(pickle.Unpickler):
    """Puts the lists back."""

    def __init__(self, file, lists):
        super().__init__(file)
        self.lists = lists

    def persistent_load(self, number):
        return self.lists[number]


class Packed:
    """A pickled dataset and its lists."""

    def __init__(self, dataset):
        file = io.BytesIO()
        packer = Packer(file)
        packer.dump(dataset)
        self.pickled, self.places, self.arena = file.getvalue(), [], None
        if packer.lists:
            self.arena = Arena()
            at = 0
            for values in packer.lists:
                at = self._write(values, at)

    def _write(self, values, at):
        """Encode a list into the arena; gives where the next one goes."""
        text = all(type(value) is str for value in values)
        parts = [value.encode("utf-8", "surrogatepass") if text else pickle.dumps(value, 5) for value in values]
        ends = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=ends[1:])
        view, start = memoryview(self.arena.map), at + ends.nbytes
        view[at:start] = ends.view(np.uint8)
        view[start:start + int(ends[-1])] = b"".join(parts)
        self.places.append((at, len(parts), text))
        return (start + int(ends[-1]) + 63) // 64 * 64

    def unpack(self):
        """The dataset, in a worker."""
        lists = [PackedList(self.arena, *place) for place in self.places]
        return Unpacker(io.BytesIO(self.pickled), lists).load()
