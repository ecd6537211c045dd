# compiled, -O3
"""The tensor: a NumPy array, the node that made it, and what it shares with its views.

Operators go to the ops that `weft.ops` puts into `OPS`; all other methods are attached from the op registry.
"""

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.collector import came, went
from weft.core.cuts import note_detached, note_taken
from weft.core.errors import fail
from weft.core.matching import drops_grad
from weft.core.modes import FUNCTION, MATCH, TAKE, WATCH, local
from weft.core.place import here
from weft.core.runtime import COMPILED, give_dict, mode_bits, open_type, pointer_hash, pure_fields
from weft.core.seam import tell_assigned, tell_read
from weft.core.size import Size
from weft.core.spec import Spec, dense_strides, stand_in
from weft.kernels.native import let_go, scalar


class Memory:
    """What a tensor and its views have in common: the memory, its version, and who wrote to it last."""

    # version: how often it was written to in place; root: an array that spans the whole memory, when asked for;
    # written: where the last in-place write was; outside: others than weft may hold it: NumPy, DLPack, a mapped file

    def mark(self):
        """Count a write, and remember the user's line."""
        self.mark_at(here())

    def mark_at(self, place):
        """Count a write that was made there."""
        self.written = place
        self.version += 1


class View:
    """How a view came from its source: `op(*values)`, whose first value is the source; output number `out`."""

    # version: the storage's version for which the view's node holds; kind: what forbids writing through it

    def base(self):
        """The tensor that the whole chain of views starts from."""
        source = self.source
        while source._view_of is not None:
            source = source._view_of.source
        return source

    def chain(self):
        """The steps (op, other values, output number) from the base to this view; they don't hold the base itself."""
        steps, view = [], self
        while view is not None:
            steps.append((view.op, tuple(view.values[1:]), view.out))
            view = view.source._view_of
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
    """What higher rooms do for this one and for each other: the ops behind Python's operators, and some functions. Each
    fills its slots in when it is loaded (tensor/names.py has the page on it).
    """


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
        if self._form is None:       # a subclass's __new__ may have filled it
            OPS.construct(self, args, kwargs)

    def __cinit__(self):        # only the compiled core calls it
        came()

    def __dealloc__(self):      # this, too
        let_go(self._form)
        went()

    # what it is

    @property
    def _array(self):
        """The values. Where they are still owed (see core/seam.py), the one who owes them is asked first.

        Whoever looks at shape, type or strides only looks at `_form`, which is there from the start.

        >>> import weft
        >>> weft.ones(2)._array
        array([1., 1.], dtype=float32)
        """
        if self._owed is not None:
            settle(self)
        return self._form

    @_array.setter
    def _array(self, values):
        self._form = values
        self._owed = None

    @property
    def shape(self):
        """The length of each dimension.

        >>> import weft
        >>> weft.ones(2, 3).shape
        torch.Size([2, 3])
        """
        return Size(self._form.shape)

    @property
    def dtype(self):
        """The element type.

        >>> import weft
        >>> weft.ones(1).dtype
        torch.float32
        """
        return dtypes.of_array(self._form.dtype)

    @property
    def device(self):
        """The device that the values lie on.

        >>> import weft
        >>> weft.ones(2).device
        device(type='cpu')
        """
        return devices.META if self._on_meta else devices.CPU

    @property
    def ndim(self):
        """The number of dimensions.

        >>> import weft
        >>> weft.ones(2, 3).ndim
        2
        """
        return self._form.ndim

    @property
    def data(self):
        """The values, cut off from the graph and from its version checks.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> x.data.requires_grad
        False
        """
        if self._made_by is not None or self._wants_grad:
            note_detached()
        if self._owed is not None and not self._owed.readable:
            return self._owed.owner.detach(self)
        t = wrap(self._form)
        t._inference = self._inference
        t._owed = self._owed
        t._on_meta = self._on_meta
        if t._owed is not None or t._on_meta:
            lay_out(t, describe(self))
        if t._owed is not None:     # whoever writes to the one must know that there is another
            t._seldom = {**(t._seldom or {}), "data_of": self._own_memory_record()}
            view = self._view_of or self._seldom and self._seldom.get("data_view")
            if view is not None:        # so that it comes to lie where the other one does
                t._seldom["data_view"] = view
        return t

    @data.setter
    def data(self, value):
        OPS.set_data(self, value)

    @property
    def requires_grad(self):
        """Whether gradients are computed for it.

        >>> import weft
        >>> weft.ones(1).requires_grad
        False
        """
        return self._wants_grad or node_now(self) is not None

    @requires_grad.setter
    def requires_grad(self, value):
        OPS.set_requires_grad(self, value)

    @property
    def is_leaf(self):
        """Whether it was made by the user and not by a recorded op.

        >>> import weft
        >>> weft.ones(1).is_leaf
        True
        """
        return node_now(self) is None

    @property
    def grad_fn(self):
        """The node that made this tensor, None for a leaf.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> (x * 2).grad_fn.name()
        'MulBackward0'
        """
        if self._owed is not None:
            self._owed.owner.inspected(self)
        node = node_now(self)
        if node is None:
            return None
        if node.plan is None:       # it may stand for a whole graph
            self._made_by, self._made_nr = node.behind(self._made_nr)
            node = self._made_by
        return node._shown()

    @property
    def grad(self):
        """The gradient that backward has summed up, or None.

        >>> import weft
        >>> x = weft.tensor(2.0, requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad
        tensor(4.)
        """
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None:
            OPS.check_grad(self, value)
        bits = mode_bits()
        told = bits & WATCH and not (bits & MATCH and value is None and drops_grad(self))
        self._grad = value
        if told:
            tell_assigned(self, "grad", value)

    @grad.deleter
    def grad(self):
        self.grad = None

    @property
    def output_nr(self):
        """Which output of its node it is.

        >>> import weft
        >>> weft.ones(4, requires_grad=True).split(2)[1].output_nr
        1
        """
        return self._made_nr

    @property
    def _version(self):
        if mode_bits() & TAKE:          # what writes may not have run yet
            local.taker.read(self, "_version")
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.\n  fix: clone() it outside "
                               "inference_mode")
        return self._writes()

    def _writes(self):
        """How often the memory was written to in place.

        >>> import weft
        >>> x = weft.ones(2)
        >>> before = x._writes()
        >>> _ = x.add_(1)
        >>> x._writes() - before
        1
        """
        return 0 if self._memory_record is None else self._memory_record.version

    def _own_memory_record(self):
        """The record shared with all views, made when first needed.

        >>> import weft
        >>> x = weft.ones(4)
        >>> x[1:]._own_memory_record() is x._own_memory_record()
        True
        """
        if self._memory_record is None:
            self._memory_record = Memory.__new__(Memory)
        return self._memory_record

    # Python's protocols

    def __len__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__len__, (self,), {})
        if self._form.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._form)

    def __hash__(self):
        return pointer_hash(self)

    def __repr__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__repr__, (self,), {})
        return OPS.tensor_repr(self)

    def __iter__(self):
        return OPS.iterate(self)

    def __contains__(self, value):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__contains__, (self, value), {})
        return OPS.contains(self, value)

    def __getitem__(self, index):
        return OPS.getitem(self, index)

    def __setitem__(self, index, value):
        OPS.setitem(self, index, value)

    def __delitem__(self, index):
        raise TypeError("Tensor does not support deleting items")

    def __bool__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__bool__, (self,), {})
        if self._form.size != 1 or self._on_meta:
            return bool(OPS.item(self, "bool"))
        if mode_bits() & WATCH:
            tell_read(self, "bool")
        return self._array.item() != 0

    def __float__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__float__, (self,), {})
        return float(OPS.item(self, "float"))

    def __int__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__int__, (self,), {})
        return int(OPS.item(self, "int"))

    def __complex__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__complex__, (self,), {})
        return complex(OPS.item(self, "complex"))

    def __index__(self):
        if mode_bits() & FUNCTION:
            return OPS.ask_mode(Tensor.__index__, (self,), {})
        value = OPS.item(self, "index")
        if not isinstance(value, int):
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(value)

    def item(self):
        """The one element as a Python number.

        >>> import weft
        >>> weft.tensor(3).item()
        3
        """
        if self._made_by is not None or self._wants_grad:
            note_taken()
        value = None if self._on_meta or self._owed is not None or mode_bits() & WATCH else scalar(self._form)
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


pure_fields(Memory, version=0, root=None, written=None, outside=False, extra=None)
pure_fields(Tensor, _form=None, _owed=None, _made_by=None, _made_nr=0, _wants_grad=False, _on_meta=False,
            _inference=False, _grad=None, _memory_record=None, _view_of=None, _seldom=None)
if COMPILED:        # a place for what users hang on a tensor; the dict itself is made when first needed
    open_type(Tensor)               # programs and packages add methods
    give_dict(Tensor, DICT_SLOT)    # noqa: F821  (the offset is C's, named in tensor.pxd)


PARAMETER = Tensor      # nn.Parameter, once it is there: the other type that needs no __torch_function__


def register_plain(cls):
    """Let the instances of a tensor subclass be taken as plain tensors."""
    global PARAMETER
    PARAMETER = cls


def is_plain(x):
    """Whether ops take an object as it is, without asking a __torch_function__."""
    return type(x) is Tensor or type(x) is PARAMETER


def is_ready(x):
    """Whether an object is a plain tensor whose values are there, or never come."""
    if not is_plain(x):
        return False
    t = x
    return t._owed is None


def needs_grad(t):
    """Whether a tensor takes part in the graph."""
    need_tensor(t)
    if t._view_of is not None:
        view = t._view_of
        if view.version != t._memory_record.version:
            OPS.refresh(t)
    return t._wants_grad or t._made_by is not None


def need_tensor(t):
    """For functions that get values which nobody looked at: compiled, they would read the fields of None."""
    if t is None:
        raise AttributeError("'NoneType' object has no attribute '_form'")


def settle(t):
    """Bring in a tensor's values from the one who owes them."""
    owed = t._owed
    if getattr(owed, "with_graph", False):
        owed.owner.settle_tensor(t)
        return
    t._form = owed.value()
    t._owed = None


def node_now(t):
    """The node that made a tensor; a view's is brought up to date first."""
    if t._view_of is not None:
        OPS.refresh(t)
    return t._made_by


def mark_leaf(t):
    """Let gradients be wanted for a tensor that no op made."""
    if t._form.dtype.kind not in "fcV":
        fail(RuntimeError, f"Only Tensors of floating point and complex dtype can require gradients, this one is "
             f"{t.dtype}",
             "convert it first, for example with .float()")
    t._wants_grad = True


def wrap(array):
    """A fresh tensor around an array."""
    t = Tensor.__new__(Tensor)
    t._form = array
    return t


def without_values(spec, owed=None):
    """A tensor of which only the Spec is known: on the meta device, or one whose values are promised."""
    t = wrap(stand_in(spec.shape, spec.dtype))
    t._on_meta = owed is None
    t._owed = owed
    lay_out(t, spec)
    return t


def lay_out(t, spec):
    """Note where a tensor without values would lie: the strides, where they aren't the dense ones, and the offset."""
    if not spec.c_contiguous or spec.strides != dense_strides(spec.shape, spec.itemsize):
        if t._seldom is None:
            t._seldom = {}
        t._seldom["strides"] = spec.strides
    if spec.offset:
        if t._seldom is None:
            t._seldom = {}
        t._seldom["offset"] = spec.offset


def lay_again(t, source):
    """Give a tensor that took over the form of another one the other's noted place, or none."""
    if t._seldom is not None:
        t._seldom.pop("strides", None)
        t._seldom.pop("offset", None)
    if source._on_meta:
        lay_out(t, describe(source))


def describe(t):
    """A tensor's Spec."""
    need_tensor(t)
    form = t._form
    if t._on_meta or t._owed is not None:
        if t._seldom is None:
            return Spec(form.shape, form.dtype)
        return Spec(form.shape, form.dtype, t._seldom.get("strides"), None, t._seldom.get("offset"))
    return Spec(form.shape, form.dtype, form.strides)


def wrap_view(array, source, op, values, out, kind):
    """A tensor that is output `out` of the view `op(*values)`, whose first value is `source`."""
    t = Tensor.__new__(Tensor)
    t._form = array
    tie(t, source, op, values, out, kind)
    return t


def tie(t, source, op, values, out, kind):
    """Make a tensor whose array lies in the memory of `source` a view of it."""
    t._on_meta = source._on_meta
    t._memory_record = source._own_memory_record()
    if source._inference:       # so is its view, which has no history to keep
        t._inference = True
        return
    view = View.__new__(View)
    view.source = source
    view.op = op
    view.values = values
    view.out = out
    view.version = t._memory_record.version
    view.kind = kind
    t._view_of = view


def hand_out(t):
    """Others than weft may hold a tensor's memory from now on, and write to it at any time."""
    t._own_memory_record().outside = True
    if mode_bits() & TAKE:
        local.taker.handed_out(t)


def detached(source):
    """The same memory and versions outside the graph; the user's line is kept for the error of a loss without graph."""
    need_tensor(source)
    if source._made_by is not None or source._wants_grad:
        note_detached()
    t = alias(source)
    t._inference = source._inference
    return t


def alias(source):
    """A tensor of the same memory and versions, without history."""
    need_tensor(source)
    if source._owed is not None:
        if getattr(source._owed, "with_graph", False):
            if source._view_of is not None:
                settle(source)      # whose memory it is can be told of a view only, and this will be none
        elif source._memory_record is None:
            source._owed.owner.aliased(source)      # it may be a view, and not know it yet
    t = wrap(source._form)
    t._owed = source._owed
    t._memory_record = source._own_memory_record()
    t._on_meta = source._on_meta
    if t._owed is not None or t._on_meta:
        lay_out(t, describe(source))
    return t
