"""A tensor's memory as an object: `x.untyped_storage()`, `x.storage()`."""
import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.kernels.native import address


def owner(array):
    """The array that the memory belongs to, at the end of the chain of views."""
    while True:
        base = array.base
        if isinstance(base, np.ndarray):
            array = base
        elif hasattr(base, "array") and isinstance(base.array, np.ndarray):
            array = base.array      # the plain core's way to keep an array alive
        else:
            return array


def in_shared_memory(array):
    """Whether an array lies in a mapping, which other processes can have, too."""
    base = owner(array).base
    base = base.obj if isinstance(base, memoryview) else base
    return any(kind.__module__ == "mmap" for kind in type(base).__mro__)


class UntypedStorage:
    """The bytes behind a tensor and all its views.

    >>> import weft
    >>> x = weft.zeros(3)
    >>> storage = x.untyped_storage()
    >>> storage.nbytes(), x[1:].untyped_storage().data_ptr() == storage.data_ptr()
    (12, True)
    """

    def __init__(self, size=0, *, root=None, tensor=None):
        self._root = np.zeros(size, np.uint8) if root is None else root
        self._tensor = tensor       # one that lies there: others are found through it

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The bytes of a file, read when they are first looked at; writes reach the file if it is `shared`, which is
        then made as long as it must be.

        >>> import tempfile, weft
        >>> with tempfile.NamedTemporaryFile() as file:
        ...     storage = weft.UntypedStorage.from_file(file.name, shared=True, nbytes=4)
        >>> storage.tolist()
        [0, 0, 0, 0]
        """
        if shared:
            with open(filename, "ab") as file:
                if file.tell() < nbytes:
                    file.truncate(nbytes)
        if not nbytes:
            return cls(0)
        return cls(root=np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)))

    @property
    def _bytes(self):
        root = self._root
        if not root.flags.c_contiguous:
            root = root.transpose(sorted(range(root.ndim), key=lambda d: -root.strides[d]))
        return root.reshape(-1).view(np.uint8)

    @property
    def device(self):
        """The device that the memory belongs to.

        >>> import weft
        >>> weft.zeros(2).untyped_storage().device
        device(type='cpu')
        """
        return devices.CPU

    is_cuda = is_sparse = False

    @property
    def filename(self):
        """The file behind the memory, or None.

        >>> import weft
        >>> weft.zeros(2).untyped_storage().filename is None
        True
        """
        array = self._root
        while array is not None and not isinstance(array, np.memmap):
            array = getattr(array, "base", None)
        return None if array is None else str(array.filename)

    def nbytes(self):
        """The number of bytes.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).untyped_storage()
        >>> storage.nbytes()
        8
        """
        return self._root.nbytes

    size = __len__ = nbytes

    def element_size(self):
        """The bytes of one element.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).untyped_storage()
        >>> storage.element_size()
        1
        """
        return 1

    def data_ptr(self):
        """The address of the first byte.

        >>> import weft
        >>> x = weft.zeros(2)
        >>> x.untyped_storage().data_ptr() == x.data_ptr()
        True
        """
        return address(self._root) if self._root.nbytes else 0

    @property
    def _cdata(self):
        return address(self._root)

    def __getitem__(self, index):
        found = self._bytes[index]
        return UntypedStorage(root=found) if isinstance(index, slice) else int(found)

    def __setitem__(self, index, value):
        self._bytes[index] = value

    def __iter__(self):
        return iter(self._bytes.tolist())

    def __eq__(self, other):
        return (isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()
                and self.nbytes() == other.nbytes())

    def __hash__(self):
        return hash(self._cdata)

    def tolist(self):
        """The elements as a list.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).untyped_storage()
        >>> storage.tolist()
        [0, 0, 128, 63, 0, 0, 0, 64]
        """
        return self._bytes.tolist()

    def clone(self):
        """A copy of the memory.

        >>> import weft
        >>> storage = weft.zeros(2).untyped_storage()
        >>> storage.clone().data_ptr() == storage.data_ptr()
        False
        """
        return UntypedStorage(root=self._bytes.copy())

    def copy_(self, source, non_blocking=False):
        """Write another storage's elements into this one.

        >>> import weft
        >>> x = weft.zeros(2)
        >>> _ = x.untyped_storage().copy_(weft.ones(2).untyped_storage())
        >>> x
        tensor([1., 1.])
        """
        self._bytes[...] = source._bytes
        return self

    def fill_(self, value):
        """Write one value everywhere.

        >>> import weft
        >>> x = weft.ones(2)
        >>> _ = x.untyped_storage().fill_(0)
        >>> x
        tensor([0., 0.])
        """
        self._bytes[...] = value
        return self

    def resize_(self, size):
        """Another size; tensors made before keep the memory that they have.

        >>> import weft
        >>> storage = weft.zeros(2).untyped_storage()
        >>> _ = storage.resize_(16)
        >>> storage.nbytes()
        16
        """
        grown = np.zeros(size, np.uint8)
        kept = min(size, self.nbytes())
        grown[:kept] = self._bytes[:kept]
        self._root = grown
        return self

    def cpu(self):
        """The storage itself: it lies in the CPU's memory.

        >>> import weft
        >>> storage = weft.zeros(2).untyped_storage()
        >>> storage.cpu() is storage
        True
        """
        return self

    def resizable(self):
        """Whether resize_ may change its length.

        >>> import weft
        >>> weft.zeros(2).untyped_storage().resizable()
        True
        """
        return True

    def is_pinned(self, device=None):
        """False: there is no other device to copy to.

        >>> import weft
        >>> weft.zeros(2).untyped_storage().is_pinned()
        False
        """
        return False

    def untyped(self):
        """The bytes without a type.

        >>> import weft
        >>> storage = weft.zeros(2).untyped_storage()
        >>> storage.untyped() is storage
        True
        """
        return self

    def is_shared(self):
        """Whether child processes see writes to it.

        >>> import weft
        >>> weft.zeros(2).untyped_storage().is_shared()
        False
        """
        return in_shared_memory(self._root)

    def share_memory_(self):
        """Move it to memory that child processes share, with the tensors that lie in it.

        >>> import weft
        >>> x = weft.zeros(2)
        >>> x.untyped_storage().share_memory_().is_shared(), x.is_shared()
        (True, True)
        """
        if self.nbytes() and not self.is_shared():
            if self._tensor is not None:
                self._tensor.share_memory_()
                self._root = owner(self._tensor._array)
            else:
                from weft.tensor.shared import shared_array  # which knows tensors
                made = shared_array((self.nbytes(),), np.dtype(np.uint8))
                made[...] = self._bytes
                self._root = made
        return self

    def __repr__(self):
        lines = "".join(f" {b}\n" for b in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


class TypedStorage:
    """The same memory, counted in elements of one type.

    >>> import weft
    >>> storage = weft.tensor([1.0, 2.0]).storage()
    >>> storage.dtype, storage.tolist()
    (torch.float32, [1.0, 2.0])
    """

    def __init__(self, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        self.dtype = dtypes.default.dtype if dtype is None else dtype
        if wrap_storage is None and len(args) == 1 and not isinstance(args[0], int):
            wrap_storage = UntypedStorage(root=np.array(list(args[0]), self.dtype.np))
        self._untyped_storage = (wrap_storage if wrap_storage is not None
                                 else UntypedStorage(*[n * self.dtype.itemsize for n in args]))

    @property
    def _elements(self):
        whole = self._untyped_storage.nbytes() // self.dtype.itemsize * self.dtype.itemsize
        return self._untyped_storage._bytes[:whole].view(self.dtype.np)

    @property
    def device(self):
        """The device that the memory belongs to.

        >>> import weft
        >>> weft.zeros(2).storage().device
        device(type='cpu')
        """
        return devices.CPU

    def untyped(self):
        """The bytes without a type.

        >>> import weft
        >>> weft.zeros(2).storage().untyped().nbytes()
        8
        """
        return self._untyped_storage

    def nbytes(self):
        """The number of bytes.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).storage()
        >>> storage.nbytes()
        8
        """
        return self._untyped_storage.nbytes()

    def size(self):
        """The number of elements.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).storage()
        >>> storage.size()
        2
        """
        return self.nbytes() // self.dtype.itemsize

    __len__ = _size = size

    def element_size(self):
        """The bytes of one element.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).storage()
        >>> storage.element_size()
        4
        """
        return self.dtype.itemsize

    def data_ptr(self):
        """The address of the first byte.

        >>> import weft
        >>> x = weft.zeros(2)
        >>> x.storage().data_ptr() == x.data_ptr()
        True
        """
        return self._untyped_storage.data_ptr()

    def __getitem__(self, index):
        return self._elements[index].tolist()

    def __setitem__(self, index, value):
        self._elements[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self._untyped_storage == other._untyped_storage

    def __hash__(self):
        return hash(self._untyped_storage)

    def tolist(self):
        """The elements as a list.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).storage()
        >>> storage.tolist()
        [1.0, 2.0]
        """
        return self._elements.tolist()

    def fill_(self, value):
        """Write one value everywhere.

        >>> import weft
        >>> x = weft.zeros(2)
        >>> _ = x.storage().fill_(5)
        >>> x
        tensor([5., 5.])
        """
        self._elements[...] = value
        return self

    def copy_(self, source, non_blocking=None):
        """Write another storage's elements into this one.

        >>> import weft
        >>> storage = weft.zeros(2).storage()
        >>> storage.copy_(weft.tensor([1.0, 2.0]).storage()).tolist()
        [1.0, 2.0]
        """
        self._elements[...] = source._elements
        return self

    def clone(self):
        """A copy of the memory.

        >>> import weft
        >>> storage = weft.tensor([1.0, 2.0]).storage()
        >>> storage.clone().tolist()
        [1.0, 2.0]
        """
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def cpu(self):
        """The storage itself: it lies in the CPU's memory.

        >>> import weft
        >>> storage = weft.zeros(2).storage()
        >>> storage.cpu() is storage
        True
        """
        return self

    def resize_(self, size):
        """Change the number of elements.

        >>> import weft
        >>> storage = weft.zeros(2).storage()
        >>> _ = storage.resize_(4)
        >>> storage.size()
        4
        """
        self._untyped_storage.resize_(size * self.dtype.itemsize)
        return self

    def resizable(self):
        """Whether resize_ may change its length.

        >>> import weft
        >>> weft.zeros(2).storage().resizable()
        True
        """
        return True

    def is_pinned(self, device=None):
        """False: there is no other device to copy to.

        >>> import weft
        >>> weft.zeros(2).storage().is_pinned()
        False
        """
        return False

    def share_memory_(self):
        """Move it to memory that child processes share.

        >>> import weft
        >>> weft.zeros(2).storage().share_memory_().is_shared()
        True
        """
        self._untyped_storage.share_memory_()
        return self

    def type(self, dtype=None, non_blocking=False):
        """The name of the old constructor, such as torch.FloatStorage.

        >>> import weft
        >>> weft.zeros(2).storage().type()
        'torch.FloatStorage'
        """
        return next("torch." + name for name, kind in OLD_STORAGES.items() if kind.of_dtype is self.dtype)

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def is_shared(self):
        """Whether child processes see writes to it.

        >>> import weft
        >>> weft.zeros(2).storage().is_shared()
        False
        """
        return self._untyped_storage.is_shared()

    def __repr__(self):
        lines = "".join(f" {v}\n" for v in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"


class _OldStorage(type):
    """The type of FloatStorage and its like: `isinstance` asks for the element type."""

    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0):
        """A storage of the bytes of another object, copied; byte_order is 'native', 'little' or 'big'."""
        order = {None: "=", "native": "=", "little": "<", "big": ">"}.get(byte_order)
        if order is None:
            raise ValueError(f"invalid byte_order {byte_order!r} (expected 'big', 'little' or 'native')")
        if order == "=" and byte_order is None and cls.of_dtype.itemsize > 1:
            raise RuntimeError("from_buffer() wants byte_order for elements of more than one byte")
        found = np.frombuffer(buffer, cls.of_dtype.np.newbyteorder(order), count, offset).astype(cls.of_dtype.np)
        return TypedStorage(wrap_storage=UntypedStorage(root=found), dtype=cls.of_dtype)

    _from_buffer = from_buffer

    def __instancecheck__(cls, value):
        return isinstance(value, TypedStorage) and value.dtype is cls.of_dtype

    def __call__(cls, *args, **options):
        return TypedStorage(*args, **{"dtype": cls.of_dtype, **options})


_NAMES = {"Double": dtypes.float64, "Float": dtypes.float32, "Half": dtypes.float16, "BFloat16": dtypes.bfloat16,
          "Long": dtypes.int64, "Int": dtypes.int32, "Short": dtypes.int16, "Char": dtypes.int8, "Byte": dtypes.uint8,
          "Bool": dtypes.bool_, "ComplexDouble": dtypes.complex128, "ComplexFloat": dtypes.complex64}
# the old constructors: FloatStorage(3), LongStorage([1, 2])
SAID = "The old constructor of a storage of {0}.\n\n>>> import weft\n>>> weft.{1}Storage(3).dtype\n{0}"
OLD_STORAGES = {n + "Storage": _OldStorage(n + "Storage", (), {"of_dtype": d, "dtype": d, "__module__": "weft",
                                                              "__doc__": SAID.format(d, n)})
                for n, d in _NAMES.items()}
