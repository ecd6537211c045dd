"""A tensor's own shape and memory changed in place: unsqueeze_, transpose_, resize_, set_."""
import operator

import numpy as np

from weft.autograd.function import Function
from weft.core.errors import fail
from weft.core.layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    empty_format,
    is_channels_last,
    preserve_format,
)
from weft.core.modes import GRAD_OFF, TAKE, WATCH, local
from weft.core.runtime import mode_bits
from weft.core.seam import tell_assigned
from weft.core.spec import Spec, formatted, window_fault
from weft.kernels.native import strided
from weft.ops.core.inference import check_inference
from weft.ops.core.inplace import bump, note_move
from weft.ops.core.registry import FUNCTIONS
from weft.ops.shape.strided import AS_STRIDED, window_of
from weft.ops.shape.view import SQUEEZE, TRANSPOSE, UNSQUEEZE
from weft.tensor.layout import dense_strides, root_of, storage_offset
from weft.tensor.names import method
from weft.tensor.storage import TypedStorage, UntypedStorage
from weft.tensor.tensor import Memory, Tensor, describe, lay_again, without_values, wrap


def become(x, op, attrs, name):
    """Make x the view `op(x, *attrs)` of what it was; its history goes on through that view."""
    check_inference(x, name)
    about_to_move(x)
    tracking = mode_bits() & GRAD_OFF == 0
    if tracking and (x._wants_grad or x._view_of is not None and x._view_of.base()._wants_grad):
        fail(RuntimeError, f"{name}: a {'' if x._wants_grad else 'view of a '}leaf Variable that requires grad is "
             f"being used in an in-place operation.", "use the form without _ and keep its result")
    before = wrap(x._array)
    before._memory_record, before._view_of = x._own_memory_record(), x._view_of
    before._on_meta, before._inference = x._on_meta, x._inference
    before._made_by, before._made_nr = x._made_by, x._made_nr
    lay_again(before, x)
    made = op.compute([before, *attrs])
    bump(x)
    note_move(x)
    x._array = made._array
    lay_again(x, made)
    if tracking:
        x._made_by, x._made_nr = made._made_by, made._made_nr
    if x._view_of is not None and made._view_of is not None:
        x._view_of = made._view_of
        x._view_of.version = x._memory_record.version
    tell_other_memory(x, name, made)
    return x


def about_to_move(x):
    """Let the taker run what still needs x as it is."""
    if mode_bits() & TAKE:
        local.taker.writing(x)


def tell_other_memory(x, name, value):
    """Tell those who look on that x is another window now: that of `value`, or (None) one that no op gives."""
    if mode_bits() & WATCH:
        tell_assigned(x, name, value)


def unsqueeze_(self, dim):
    """Put in a dimension of length 1, in place.

    >>> import weft
    >>> weft.ones(3).unsqueeze_(0).shape
    torch.Size([1, 3])
    """
    return become(self, UNSQUEEZE, (dim,), "unsqueeze_")


def squeeze_(self, dim=None):
    """Drop dimensions of length 1, in place.

    >>> import weft
    >>> weft.ones(1, 3).squeeze_().shape
    torch.Size([3])
    """
    return become(self, SQUEEZE, (dim,), "squeeze_")


def transpose_(self, dim0, dim1):
    """Exchange two dimensions, in place.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> x.transpose_(0, 1).shape
    torch.Size([3, 2])
    """
    return become(self, TRANSPOSE, (dim0, dim1), "transpose_")


def swapaxes_(self, axis0, axis1):
    """Exchange two dimensions, in place.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> x.transpose_(0, 1).shape
    torch.Size([3, 2])
    """
    return become(self, TRANSPOSE, (axis0, axis1), "swapaxes_")


def t_(self):
    """Transpose a matrix in place.

    >>> import weft
    >>> weft.ones(2, 3).t_().shape
    torch.Size([3, 2])
    """
    if self._form.ndim > 2:
        fail(RuntimeError, f"t_: t_() expects a tensor with <= 2 dimensions, but self is {self._form.ndim}D",
             "use transpose_()")
    return become(self, TRANSPOSE, (0, 1), "t_") if self._form.ndim == 2 else self


def as_strided_(self, size, stride, storage_offset=None):
    """Become another window on the same storage.

    >>> import weft
    >>> x = weft.arange(4)
    >>> x.as_strided_((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    return become(self, AS_STRIDED, window_of(self, size, stride, storage_offset), "as_strided_")


# other memory

def resize_(self, *sizes, memory_format=contiguous_format):
    """Another size, in place: the elements stay where memory allows, new ones are whatever is there.

    >>> import weft
    >>> weft.arange(6).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if len(sizes) == 1 and not isinstance(sizes[0], int):
        sizes = sizes[0]
    shape = tuple(map(operator.index, sizes))
    check_inference(self, "resize_")
    about_to_move(self)
    if self.requires_grad and shape != self._form.shape:
        fail(RuntimeError, "resize_: cannot resize variables that require grad", "make a new tensor of that size")
    if any(n < 0 for n in shape):
        fail(RuntimeError, f"resize_: Trying to create tensor with negative dimension {min(shape)}: {list(shape)}",
             "give lengths of 0 or more")
    if memory_format is preserve_format:
        fail(RuntimeError, "resize_: Unsupported memory format Preserve", "use contiguous_format or channels_last")
    if shape == self._form.shape and memory_format is contiguous_format:
        return self
    if self._on_meta:
        made = without_values(formatted(Spec(shape, self._form.dtype), self._form.dtype, memory_format))
        self._array = made._form
        lay_again(self, made)
    else:
        _take_window(self, shape, memory_format)
    bump(self)
    tell_other_memory(self, "resize_", None)
    return self


def _take_window(x, shape, memory_format):
    """Give x the first elements of its storage from its offset on; storage that is too small is replaced by a larger
    copy.
    """
    root, start, item = root_of(x), storage_offset(x), x._form.itemsize
    count = 1
    for n in shape:
        count *= n
    if (start + count) * item >= 2 ** 63 or max(dense_strides(shape), default=0) * item >= 2 ** 63:
        fail(RuntimeError, f"resize_: Storage size calculation overflowed with sizes={list(shape)}",
             "check how the size was computed")
    if (start + count) * item > root.nbytes:
        grown = np.zeros(start + count, x._form.dtype)
        kept = UntypedStorage(root=root)._bytes
        grown.view(np.uint8)[:kept.size] = kept
        root = grown
        x._own_memory_record().root = grown
        x._array, x._view_of = grown, None
        offset = start * item
    else:
        offset = 0
    steps = dense_strides(shape)
    if memory_format is not contiguous_format:
        model = empty_format(np.broadcast_to(np.zeros((), x._form.dtype), shape), x._form.dtype, memory_format)
        steps = tuple([s // item for s in model.strides])
    x._array = strided(x._array, shape, tuple([s * item for s in steps]), offset if count else 0)


def resize_as_(self, the_template, *, memory_format=None):
    """Another tensor's size, in place.

    >>> import weft
    >>> weft.arange(6).resize_as_(weft.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    if memory_format is preserve_format:
        template = describe(the_template)
        memory_format = channels_last if is_channels_last(template, 4) and not template.flags.c_contiguous else \
            channels_last_3d if is_channels_last(template, 5) and not template.flags.c_contiguous else None
    return resize_(self, the_template._form.shape, memory_format=contiguous_format if memory_format is None
                   else memory_format)


def move_to(x, root=None):
    """Give x a record of its own for other memory; as in PyTorch its version goes on counting, since what saved x
    doesn't find it there any more.
    """
    version, x._memory_record, x._view_of = x._own_memory_record().version, Memory(), None
    x._memory_record.version, x._memory_record.root = version, root
    x._memory_record.mark()


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Become a window on other memory: that of a tensor, or of a storage.

    >>> import weft
    >>> x, y = weft.zeros(2), weft.ones(3)
    >>> x.set_(y)
    tensor([1., 1., 1.])
    >>> x.data_ptr() == y.data_ptr()
    True
    """
    if mode_bits() & GRAD_OFF == 0 and self._wants_grad:
        fail(RuntimeError, "set_: a leaf Variable that requires grad is being used in an in-place operation.",
             "use no_grad()")
    tracked = mode_bits() & GRAD_OFF == 0 and (self.requires_grad or getattr(source, "requires_grad", False))
    _set(self, source, storage_offset, size, stride)
    if tracked:
        unknown = _Moved.apply(self, source)
        self._made_by, self._made_nr = unknown._made_by, unknown._made_nr
    return self


class _Moved(Function):
    """The history of what set_() gave: none that a gradient could follow."""

    @staticmethod
    def forward(ctx, moved, source):
        return wrap(moved._array)

    @staticmethod
    def backward(ctx, grad):
        fail(RuntimeError, "the derivative for 'set_' is not implemented.", "call set_() under no_grad(), or detach()")


def _set(self, source, storage_offset, size, stride):
    about_to_move(self)
    if source is None:
        self._array = np.empty(0, self._form.dtype)
        move_to(self)
        tell_other_memory(self, "set_", None)
        return
    if isinstance(source, Tensor):
        if source._form.dtype != self._form.dtype:
            fail(RuntimeError, f"set_: Could not set tensor of type {source.dtype} to a tensor of type {self.dtype}",
                 "convert it first")
        if size is None:
            self._array, self._on_meta = source._array, source._on_meta
            move_to(self, source._own_memory_record().root)
            lay_again(self, source)
            tell_other_memory(self, "set_", source)
            return
        memory = UntypedStorage(root=root_of(source))
    else:
        memory = source._untyped_storage if isinstance(source, TypedStorage) else source
    item = self._form.itemsize
    flat = memory._bytes[:memory.nbytes() // item * item].view(self._form.dtype)
    storage_offset = operator.index(storage_offset)
    shape = (flat.size - storage_offset,) if size is None else tuple(map(operator.index, size))
    steps = tuple(map(operator.index, stride)) if stride else dense_strides(shape)
    wrong = window_fault(shape, steps, storage_offset, flat.size)
    if wrong:
        fail(RuntimeError, f"set_: setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset "
             f"{storage_offset}, and itemsize {item} are out of bounds for storage of size {memory.nbytes()}: {wrong}",
             "stay within the storage")
    self._array = strided(flat, shape, tuple([s * item for s in steps]), storage_offset * item if 0 not in shape else 0)
    move_to(self)
    tell_other_memory(self, "set_", source if isinstance(source, Tensor) else None)


def fill_diagonal_(self, fill_value, wrap=False):
    """Fill the main diagonal in place; with `wrap` it starts again below a tall matrix's last one.

    >>> import weft
    >>> weft.zeros(2, 3).fill_diagonal_(5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
    shape = self._form.shape
    if len(shape) < 2:
        fail(RuntimeError, f"fill_diagonal_: dimensions must larger than 1, got {len(shape)}",
             "unsqueeze() it to a matrix first")
    if len(shape) > 2 and min(shape) != max(shape):
        fail(RuntimeError, f"fill_diagonal_: all dimensions of input must be of equal length, got {list(shape)}",
             "use diagonal()")
    step, start = sum(self.stride()), self.storage_offset()
    for row in range(0, shape[0] if wrap and len(shape) == 2 else 1, shape[1] + 1):
        count = min(shape[0] - row, shape[1])
        if count > 0:
            self.as_strided((count,), (step,), start + row * self.stride(0)).fill_(fill_value)
    return self


METHODS = {"unsqueeze_": unsqueeze_, "squeeze_": squeeze_, "transpose_": transpose_, "swapaxes_": swapaxes_,
           "swapdims_": swapaxes_, "t_": t_, "as_strided_": as_strided_, "resize_": resize_, "resize_as_": resize_as_,
           "set_": set_, "fill_diagonal_": fill_diagonal_}
for _name, _method in METHODS.items():
    method(_method, _name)
FUNCTIONS.update({"fill_diagonal_": fill_diagonal_, "as_strided_": as_strided_, "resize_as_": resize_as_})
