"""What a tensor says about its shape and its memory."""
import sys
import warnings

from weft.core.errors import fail
from weft.core.layout import contiguous_format, is_channels_last, preserve_format, strided
from weft.core.size import Size, wrap_dim
from weft.core.spec import reach_of
from weft.kernels.native import address, element_strides
from weft.tensor.names import method
from weft.tensor.storage import TypedStorage, UntypedStorage, owner
from weft.tensor.tensor import describe, hand_out

# memory, for all who need it

def has_company(t):
    """Whether other tensors share this one's memory: each holds its record."""
    return t._memory_record is not None and sys.getrefcount(t._memory_record) > 2


def root_of(x):
    """The array that spans the memory of a tensor and its views."""
    storage = x._memory_record
    return storage.root if storage is not None and storage.root is not None else owner(x._array)


def memory_span(x):
    """The bytes of a tensor's storage."""
    if not x._on_meta:
        return root_of(x).nbytes
    whole = describe(x if x._view_of is None else x._view_of.base())
    return reach_of(whole.shape, whole.strides) + whole.itemsize if whole.size else 0


@method
def storage_offset(x):
    """How many elements after the start of its storage a tensor begins.

    >>> import weft
    >>> weft.arange(6)[2:].storage_offset()
    2
    """
    if x._on_meta:
        return describe(x).offset // x._form.itemsize
    if not x._form.size:
        return 0
    return (address(x._array) - address(root_of(x))) // x._form.itemsize


def strides_of(x):
    """The strides in elements."""
    if not x._on_meta and x._owed is None and x._form.size:
        return element_strides(x._form)
    strides = describe(x).strides
    if not x._form.size and not any(strides):        # NumPy's strides of a new empty array are all 0
        return dense_strides(x._form.shape)
    item = x._form.itemsize
    return tuple([s // item for s in strides])


def dense_strides(shape):
    """The strides of a contiguous tensor, in elements."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


# methods

@method
def size(self, dim=None):
    """The length of each dimension, or of one.

    >>> import weft
    >>> weft.ones(2, 3).size(0)
    2
    """
    if dim is None:
        return Size(self._form.shape)
    shape = self._form.shape
    if type(dim) is int and 0 <= dim < len(shape):
        return shape[dim]
    return shape[_real_dim(dim, shape)]


@method
def stride(self, dim=None):
    """The steps in memory, in elements, of each dimension or of one.

    >>> import weft
    >>> weft.ones(2, 3).stride()
    (3, 1)
    """
    strides = strides_of(self)
    return strides if dim is None else strides[_real_dim(dim, self._form.shape)]


def _real_dim(dim, shape):
    if not shape:
        fail(IndexError, f"Dimension specified as {dim} but tensor has no dimensions", "use size() without an argument")
    return wrap_dim(dim, len(shape))


def dim(self):
    """The number of dimensions.

    >>> import weft
    >>> weft.ones(2, 3).dim()
    2
    """
    return self._form.ndim


@method
def is_contiguous(self, memory_format=contiguous_format):
    """Whether the elements lie in memory in the order of this format, without gaps.

    >>> import weft
    >>> weft.ones(2, 3).T.is_contiguous()
    False
    """
    form = describe(self) if self._on_meta or self._owed is not None else self._form
    if memory_format is contiguous_format or memory_format is preserve_format:
        return form.flags.c_contiguous
    return is_channels_last(form, 4 if memory_format.name == "channels_last" else 5)


@method
def element_size(self):
    """The bytes of one element.

    >>> import weft
    >>> weft.ones(1).element_size()
    4
    """
    return self._form.itemsize


@method
def data_ptr(self):
    """The address of the first element; 0 for none.

    >>> import weft
    >>> x = weft.ones(2)
    >>> x.data_ptr() == x.view(2, 1).data_ptr()
    True
    """
    return address(self._array) if self._form.size and not self._on_meta else 0


@method
def is_set_to(self, tensor):
    """Whether both are the same window on the same memory.

    >>> import weft
    >>> x = weft.ones(4)
    >>> x.is_set_to(x.view(4)), x.is_set_to(x.clone())
    (True, False)
    """
    return (root_of(self) is root_of(tensor) and address(self._array) == address(tensor._array)
            and self._form.shape == tensor._form.shape and self._form.strides == tensor._form.strides)


@method
def untyped_storage(self):
    """The bytes that this tensor and its views lie in.

    >>> import weft
    >>> weft.ones(2).untyped_storage().nbytes()
    8
    """
    hand_out(self)
    return UntypedStorage(root=root_of(self), tensor=self)


def typed_storage(self):
    """The memory, with its element type.

    >>> import weft
    >>> weft.tensor([1.0, 2.0]).storage().tolist()
    [1.0, 2.0]
    """
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


@method
def _is_view(self):
    """Whether the tensor is a view of another one."""
    if self._owed is not None:
        self._owed.owner.inspected(self)
    return self._view_of is not None


def _base(self):
    """The tensor that this one is a view of, or None."""
    if self._owed is not None:
        self._owed.owner.inspected(self)
    return None if self._view_of is None else self._view_of.base()


def nbytes(self):
    """The bytes of all elements.

    >>> import weft
    >>> weft.ones(2, 3).nbytes
    24
    """
    return self._form.size * self._form.itemsize


@method
def dim_order(self, *, ambiguity_check=False):
    """The dimensions from the outermost in memory to the innermost.

    >>> import weft
    >>> x = weft.ones(1, 3, 2, 2)
    >>> x.dim_order()
    (0, 1, 2, 3)
    >>> x.to(memory_format=weft.channels_last).dim_order()
    (0, 2, 3, 1)
    """
    strides = strides_of(self)
    if ambiguity_check and (len(set(strides)) < len(strides) or 1 in self._form.shape and self._form.ndim > 1):
        fail(RuntimeError, "The tensor does not have unique dim order, or cannot map to exact one of the given memory "
             "formats.",
             "leave ambiguity_check out")
    return tuple(sorted(range(len(strides)), key=lambda d: -strides[d]))


method(dim, "dim", "ndimension")
method(typed_storage, "storage", "_typed_storage")


# transposed, as attributes

def T(self):
    """The dimensions in reverse order.

    >>> import weft
    >>> weft.ones(2, 3).T.shape
    torch.Size([3, 2])
    """
    ndim = self._form.ndim
    if ndim == 2:
        return self.transpose(0, 1)
    warnings.warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated; use "
                  "`x.mT` for batches of matrices, or permute()", stacklevel=2)
    return self.permute(*range(ndim - 1, -1, -1)) if ndim else self.view(())


def H(self):
    """The matrix transposed and, for complex numbers, conjugated.

    >>> import weft
    >>> weft.tensor([[1 + 2j, 3j]]).H
    tensor([[1.-2.j],
            [0.-3.j]])
    """
    ndim = self._form.ndim
    if ndim not in (0, 2):
        fail(RuntimeError, f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.",
             "use tensor.mH for batches of matrices" if ndim > 2 else "unsqueeze() it to a matrix first")
    return self.adjoint()


def mT(self):
    """The last two dimensions exchanged.

    >>> import weft
    >>> weft.ones(4, 2, 3).mT.shape
    torch.Size([4, 3, 2])
    """
    ndim = self._form.ndim
    if ndim == 1:
        fail(RuntimeError, "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.",
             "unsqueeze() it to a matrix first")
    return self.transpose(-2, -1) if ndim else self.view(())


def mH(self):
    """The last two dimensions exchanged and, for complex numbers, conjugated.

    >>> import weft
    >>> weft.tensor([[1 + 2j, 3j]]).mH
    tensor([[1.-2.j],
            [0.-3.j]])
    """
    if self._form.ndim == 1:
        fail(RuntimeError, "tensor.mH is only supported on matrices or batches of matrices. Got 1-D tensor.",
             "unsqueeze() it to a matrix first")
    return self.adjoint()


def layout(self):
    """How the tensor is stored: `weft.strided`, unless it is a sparse tensor.

    >>> import weft
    >>> weft.ones(1).layout
    torch.strided
    """
    return strided


for _name, _getter in {"T": T, "H": H, "mT": mT, "mH": mH, "nbytes": nbytes, "itemsize": element_size, "_base": _base,
                       "layout": layout}.items():
    method(property(_getter), _name)
