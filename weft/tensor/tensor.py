# compiled, -O3
"""The tensor: a NumPy array, the node that made it, and what it shares with its views.

Operators go to the ops that `weft.ops` puts into `OPS`; all other methods are attached from the op registry.
"""

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.modes import local
from weft.core.runtime import COMPILED, current_module, give_dict, pointer_hash, pure_fields, user_code, user_offset
from weft.core.size import Size
from weft.kernels.native import scalar


class Storage:
    """What a tensor and its views have in common: the memory, its version, and who wrote to it last."""

    def __init__(self):
        self.version = 0
        self.root = None        # an array that spans the whole memory, when asked for
        self.written = None     # where the last in-place write was
        self.extra = None

    def mark(self):
        """Count a write, and remember the user's line."""
        made = Mark.__new__(Mark)
        made.code = user_code()
        made.lasti = user_offset()
        made.module = current_module()
        self.written = made
        self.version += 1


def mark_here():
    """The user's line, kept."""
    made = Mark.__new__(Mark)
    made.code = user_code()
    made.lasti = user_offset()
    made.module = current_module()
    return made


def note_taken():
    """A value leaves the graph as a Python number."""
    local.taken, local.last_cut = mark_here(), "taken"


class Mark:
    """The user's line, as an offset in a code object; `core.errors.where` reads it."""


class View:
    """How a view came from its source: `op(*values)`, whose first value is the source; output number `out`."""

    # version: the storage's version for which the view's node holds; kind: what forbids writing through it

    def base(self):
        """The tensor that the whole chain of views starts from."""
        source = self.source
        while source._view is not None:
            source = source._view.source
        return source

    def chain(self):
        """The steps (op, other values, output number) from the base to this view; they don't hold the base itself."""
        steps, view = [], self
        while view is not None:
            steps.append((view.op, tuple(view.values[1:]), view.out))
            view = view.source._view
        return steps[::-1]


def replay(chain, base):
    """The same view of another tensor that is laid out like the base."""
    for op, attrs, out in chain:
        base = op.call((base, *attrs), {})
        if isinstance(base, (tuple, list)):
            base = base[out]
    return base


# View.kind: what forbids an in-place write through the view
PLAIN_VIEW, NO_GRAD_VIEW, MULTI_VIEW = 0, 1, 2


class Operators:
    """The ops behind Python's operators; `weft.ops` fills them in."""


OPS = Operators()
_ops = OPS      # the same, with its type known to the compiled core


class Tensor:
    """An array of numbers that remembers how it was made.

    >>> import weft
    >>> x = weft.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __array_priority__ = 1000

    def __init__(self, *args, **kwargs):
        if self.array is None:      # a subclass's __new__ may have filled it
            OPS.construct(self, args, kwargs)

    # what it is

    @property
    def shape(self):
        """The length of each dimension."""
        return Size(self.array.shape)

    @property
    def dtype(self):
        """The element type."""
        return dtypes.of_array(self.array.dtype)

    @property
    def device(self):
        return devices.META if self._meta else devices.CPU

    @property
    def ndim(self):
        return self.array.ndim

    @property
    def data(self):
        """The values, cut off from the graph and from its version checks."""
        if self._node is not None or self._leaf:
            local.detached, local.last_cut = mark_here(), "detached"
        t = wrap(self.array)
        t._meta = self._meta
        return t

    @data.setter
    def data(self, value):
        OPS.set_data(self, value)

    @property
    def requires_grad(self):
        return self._leaf or self.grad_fn is not None

    @requires_grad.setter
    def requires_grad(self, value):
        OPS.set_requires_grad(self, value)

    @property
    def is_leaf(self):
        return self.grad_fn is None

    @property
    def grad_fn(self):
        """The node that made this tensor, None for a leaf."""
        if self._view is not None:
            OPS.refresh(self)
        return self._node

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            OPS.check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None

    @property
    def output_nr(self):
        return self._out

    @property
    def _version(self):
        return self.version()

    def version(self):
        """How often the memory was written to in place."""
        return 0 if self._storage is None else self._storage.version

    def storage_record(self):
        """The record shared with all views, made when first needed."""
        if self._storage is None:
            self._storage = Storage()
        return self._storage

    # Python's protocols

    def __len__(self):
        if self.array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __hash__(self):
        return pointer_hash(self)

    def __repr__(self):
        return OPS.tensor_repr(self)

    def __iter__(self):
        return OPS.iterate(self)

    def __contains__(self, value):
        return OPS.contains(self, value)

    def __getitem__(self, index):
        return OPS.getitem(self, index)

    def __setitem__(self, index, value):
        OPS.setitem(self, index, value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __bool__(self):
        if self.array.size != 1 or self._meta:
            return bool(OPS.item(self, "bool"))
        return self.array.item() != 0

    def __float__(self):
        return float(OPS.item(self, "float"))

    def __int__(self):
        return int(OPS.item(self, "int"))

    def __complex__(self):
        return complex(OPS.item(self, "complex"))

    def __index__(self):
        value = OPS.item(self, "index")
        if not isinstance(value, int):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(value)

    def item(self):
        """The one element as a Python number."""
        if self._node is not None or self._leaf:
            note_taken()
        value = None if self._meta else scalar(self.array)
        return value if value is not None else OPS.item(self, "item")

    # operators

    def __add__(self, other):
        return _ops.add.call2(self, other)

    def __radd__(self, other):
        return _ops.add.call2(other, self)

    def __sub__(self, other):
        return _ops.sub.call2(self, other)

    def __rsub__(self, other):
        return _ops.rsub.call2(self, other)

    def __mul__(self, other):
        return _ops.mul.call2(self, other)

    def __rmul__(self, other):
        return _ops.mul.call2(other, self)

    def __truediv__(self, other):
        return _ops.div.call2(self, other)

    def __rtruediv__(self, other):
        return _ops.rdiv.call2(self, other)

    def __floordiv__(self, other):
        return _ops.floordiv.call2(self, other)

    def __rfloordiv__(self, other):
        return _ops.rfloordiv.call2(self, other)

    def __mod__(self, other):
        return _ops.mod.call2(self, other)

    def __rmod__(self, other):
        return _ops.rmod.call2(self, other)

    def __pow__(self, other, modulo=None):
        return _ops.pow.call2(self, other)

    def __rpow__(self, other, modulo=None):
        return _ops.rpow.call2(self, other)

    def __matmul__(self, other):
        return _ops.matmul.call2(self, other)

    def __rmatmul__(self, other):
        return _ops.matmul.call2(other, self)

    def __and__(self, other):
        return _ops.bit_and.call2(self, other)

    def __rand__(self, other):
        return _ops.bit_and.call2(self, other)

    def __or__(self, other):
        return _ops.bit_or.call2(self, other)

    def __ror__(self, other):
        return _ops.bit_or.call2(self, other)

    def __xor__(self, other):
        return _ops.bit_xor.call2(self, other)

    def __rxor__(self, other):
        return _ops.bit_xor.call2(self, other)

    def __lshift__(self, other):
        return _ops.lshift.call2(self, other)

    def __rlshift__(self, other):
        return _ops.rlshift(self, other)

    def __rshift__(self, other):
        return _ops.rshift.call2(self, other)

    def __rrshift__(self, other):
        return _ops.rrshift(self, other)

    def __neg__(self):
        return _ops.neg.call1(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return _ops.abs.call1(self)

    def __invert__(self):
        return _ops.invert.call1(self)

    def __eq__(self, other):
        return _ops.eq.call2(self, other)

    def __ne__(self, other):
        return _ops.ne.call2(self, other)

    def __lt__(self, other):
        return _ops.lt.call2(self, other)

    def __le__(self, other):
        return _ops.le.call2(self, other)

    def __gt__(self, other):
        return _ops.gt.call2(self, other)

    def __ge__(self, other):
        return _ops.ge.call2(self, other)

    def __iadd__(self, other):
        return _ops.iadd(self, other)

    def __isub__(self, other):
        return _ops.isub(self, other)

    def __imul__(self, other):
        return _ops.imul(self, other)

    def __itruediv__(self, other):
        return _ops.idiv(self, other)

    def __ifloordiv__(self, other):
        return _ops.ifloordiv(self, other)

    def __imod__(self, other):
        return _ops.imod(self, other)

    def __ipow__(self, other):
        return _ops.ipow(self, other)

    def __iand__(self, other):
        return _ops.iand(self, other)

    def __ior__(self, other):
        return _ops.ior(self, other)

    def __ixor__(self, other):
        return _ops.ixor(self, other)

    def __ilshift__(self, other):
        return _ops.ilshift(self, other)

    def __irshift__(self, other):
        return _ops.irshift(self, other)


pure_fields(Tensor, array=None, _node=None, _out=0, _leaf=False, _meta=False, _inference=False, _grad=None,
            _storage=None, _view=None, _extra=None)
if COMPILED:        # a place for what users hang on a tensor; the dict itself is made when first needed
    give_dict(Tensor, DICT_SLOT)    # noqa: F821  (the offset is C's, named in tensor.pxd)


def wrap(array):
    """A fresh tensor around an array."""
    t = Tensor.__new__(Tensor)
    t.array = array
    return t


def wrap_view(array, source, op, values, out, kind):
    """A tensor that is output `out` of the view `op(*values)`, whose first value is `source`."""
    t = Tensor.__new__(Tensor)
    t.array = array
    t._meta = source._meta
    t._storage = source.storage_record()
    view = View.__new__(View)
    view.source = source
    view.op = op
    view.values = values
    view.out = out
    view.version = t._storage.version
    view.kind = kind
    t._view = view
    return t


def detached(source):
    """The same memory and versions outside the graph; the user's line is kept for the error of a loss without graph."""
    if source._node is not None or source._leaf:
        local.detached, local.last_cut = mark_here(), "detached"
    t = wrap(source.array)
    t._storage = source.storage_record()
    t._meta = source._meta
    t._inference = source._inference
    return t


def alias(source):
    """A tensor of the same memory and versions, without history."""
    t = wrap(source.array)
    t._storage = source.storage_record()
    t._meta = source._meta
    return t
