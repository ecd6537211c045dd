"""What a sparse tensor holds: where its elements stand, and their values."""
import numpy as np

from weft.core import layout as layouts
from weft.core.errors import fail
from weft.core.seam import Taker
from weft.core.spec import stand_in
from weft.tensor.pickling import NEW
from weft.tensor.tensor import alias, wrap

COO, CSR, CSC, BSR, BSC = (layouts.LAYOUTS["sparse_" + name] for name in ("coo", "csr", "csc", "bsr", "bsc"))
COMPRESSED = (CSR, CSC, BSR, BSC)
BLOCKS = (BSR, BSC)
BY_ROWS = (CSR, BSR)
NAMES = {COO: "Sparse", CSR: "SparseCsr", CSC: "SparseCsc", BSR: "SparseBsr", BSC: "SparseBsc"}     # in messages


class Parts:
    """Layout, index, values, shape. It stands where a tensor has the promise of its values (`Tensor._owed`): what only
    looks at shape and type finds them, and what wants one dense array is told that there is none.

    index: for COO one tensor (sparse dims, nnz); else two, the compressed one (*batch, rows + 1) and the plain one
    (*batch, nnz). values: (nnz, *dense dims), (*batch, nnz, *block, *dense dims) for the compressed layouts; outside
    the graph.
    """

    __slots__ = ("layout", "index", "values", "shape", "coalesced", "kept", "__weakref__")
    readable = False

    def __init__(self, layout, index, values, shape, coalesced=True):
        self.layout, self.index, self.values = layout, index, values
        self.shape = tuple([int(n) for n in shape])
        self.coalesced = coalesced or layout is COO and self.nnz < 2
        self.kept = {}          # name -> (the index's versions, what was worked out of it)

    def value(self):
        """There is no dense array of the values."""
        fail(NotImplementedError, f"this needs a dense tensor, and was given one of layout {self.layout}",
             "give it x.to_dense(), or use x.values() and x.indices()")

    @property
    def owner(self):
        return OWNER

    def keep(self, name, make):
        """`make()`, worked out once for this index."""
        versions = [i._writes() for i in self.index]
        held = self.kept.get(name)
        if held is None or held[0] != versions:
            held = self.kept[name] = (versions, make())
        return held[1]

    @property
    def sparse_dim(self):
        return self.index[0]._form.shape[0] if self.layout is COO else 2

    @property
    def batch(self):
        """The sizes of the batch dimensions of a compressed layout."""
        return () if self.layout is COO else self.index[1]._form.shape[:-1]

    @property
    def block(self):
        """The sizes of a block, () where elements stand alone."""
        if self.layout not in BLOCKS:
            return ()
        at = len(self.batch) + 1
        return self.values._form.shape[at:at + 2]

    @property
    def dense_dim(self):
        return len(self.shape) - self.sparse_dim - len(self.batch)

    @property
    def nnz(self):
        return int(self.index[-1]._form.shape[-1])

    def coordinates(self):
        """(batch and sparse dims, elements): where every element stands, in the order of `flat_values`."""
        if self.layout is COO:
            return self.index[0]._array
        return self.keep("coordinates", self._unfolded)

    def _unfolded(self):
        batch, nnz = self.batch, self.nnz
        lines, plain = (i._array.reshape(int(np.prod(batch)), i._form.shape[-1]).astype(np.int64) for i in self.index)
        compressed = [np.repeat(np.arange(line.size - 1), np.diff(line)) for line in lines]
        compressed = np.concatenate(compressed) if compressed else np.zeros(0, np.int64)
        rows, columns = (compressed, plain.reshape(-1)) if self.layout in BY_ROWS else (plain.reshape(-1), compressed)
        first = (np.stack(np.unravel_index(np.arange(lines.shape[0]), batch)) if batch else np.zeros((0, 1), int)
                 ).repeat(nnz, axis=1)
        if self.block:
            height, width = self.block
            down, right = np.indices(self.block).reshape(2, -1)
            rows = (rows[:, None] * height + down).reshape(-1)
            columns = (columns[:, None] * width + right).reshape(-1)
            first = first.repeat(height * width, axis=1)
        return np.concatenate([first, np.stack([rows, columns])])

    def flat_values(self, values):
        """Values (of this tensor) as one row for each column of `coordinates`."""
        lead = len(self.batch) + 1 + len(self.block)
        shape = values._form.shape
        return values if lead == 1 else values.reshape(int(np.prod(shape[:lead])), *shape[lead:])

    def keys(self):
        """The number of each element's place, counted through the batch and sparse dimensions: (elements)."""
        return self.keep("keys", lambda: places(self.coordinates(), self.shape))

    def is_sorted(self):
        """Whether elements stand in the order of their places, no place twice."""
        return self.keep("sorted", lambda: bool((np.diff(self.keys()) > 0).all()))


def places(coordinates, shape):
    """Coordinates (dims, elements) as numbers, counted through the first dims of a shape."""
    if not len(coordinates):
        return np.zeros(coordinates.shape[1], np.int64)
    found = coordinates[0].astype(np.int64)
    for row, size in zip(coordinates[1:], shape[1:]):
        found = found * size + row
    return found


class _Owner(Taker):
    """Asked about a sparse tensor as about one whose values are owed (core/seam.py)."""

    def detach(self, t):
        """The same parts outside the graph."""
        made = sparse(t._owed)
        made._inference = t._inference
        return made

    def settle(self, promise):
        promise.value()


OWNER = _Owner()
KIND = []       # the class of sparse tensors, once it is there: tensor.py is made of this file


def sparse(parts):
    """A sparse tensor of these parts, outside the graph."""
    made = NEW(KIND[0])
    try:
        made._form = stand_in(parts.shape, parts.values._form.dtype)
    except ValueError:
        fail(RuntimeError, f"a sparse tensor of size {list(parts.shape)} has more places than can be numbered",
             "take fewer or smaller sparse dimensions")
    made._owed = parts
    made._memory_record = parts.values._own_memory_record()     # a write to the values is one to the tensor
    return made


def index_of(array):
    """Coordinates as a tensor of integers."""
    return wrap(np.ascontiguousarray(array, np.int64))


def coo(coordinates, values, shape, coalesced):
    """Parts of layout COO, of an array of coordinates (dims, nnz) and a tensor of values."""
    return Parts(COO, (index_of(coordinates),), alias(values), shape, coalesced)
