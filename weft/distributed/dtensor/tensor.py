"""DTensor: the class, and how it stands in the graph.

To the graph a DTensor is one tensor of the whole shape, and so is its gradient. Two nodes lead from it to this rank's
part and back; in between are ordinary ops on ordinary tensors. A gradient comes back spread as its tensor is (whole
where the tensor is a sum of summands), so that gradients of one tensor can always be added.
"""
from weft.core.errors import fail
from weft.core.modes import no_grad
from weft.core.seam import Taker
from weft.core.spec import stand_in
from weft.distributed.dtensor.layout import (
    Layout,
    dual,
    has_partial,
    mesh_of,
    placements_of,
    replicated,
    same_mesh,
    whole_shape,
)
from weft.distributed.dtensor.move import moved
from weft.ops.core.composed import Composed
from weft.ops.core.step import Step, recorded, tied
from weft.tensor.pickling import NEW
from weft.tensor.tensor import Tensor, alias

RULES = []      # `answer` of rules.py, which is made of this file


class Held:
    """This rank's part and the layout. It stands where a tensor has the promise of its values (`Tensor._owed`): what
    looks at shape and type finds those of the whole, and what wants its one array is told that it is elsewhere too.
    """

    __slots__ = ("local", "layout", "__weakref__")
    readable = False

    def __init__(self, local, layout):
        self.local, self.layout = local, layout

    def value(self):
        """There is no array of all values on one rank."""
        fail(NotImplementedError, "this needs a tensor whose values are all here, and was given a DTensor",
             "x.full_tensor() has all of them, x.to_local() this rank's part")

    @property
    def owner(self):
        return OWNER


class _Owner(Taker):
    """Asked about a DTensor as about a tensor whose values are owed (core/seam.py)."""

    def detach(self, t):
        made = spread(t._owed.local, t._owed.layout)
        made._inference = t._inference
        return made

    def settle(self, promise):
        promise.value()


OWNER = _Owner()


class DTensor(Composed):
    """A tensor of the whole shape of which this rank has a part; `distribute_tensor` and `from_local` make it.

    >>> import weft
    >>> from weft.distributed.tensor import DTensor, Shard
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
    >>> x = DTensor.from_local(weft.ones(2, 3), mesh, [Shard(0)])
    >>> (x @ x.T).sum().full_tensor()
    tensor(12.)
    >>> weft.distributed.destroy_process_group()
    """

    no_data = (TypeError, "a DTensor's data must be a DTensor too", "give it distribute_tensor(value, mesh, ...)")

    @staticmethod
    def _answer(func, args, kwargs):
        return RULES[0](func, args, kwargs)

    def __init__(self, *args, **kwargs):
        fail(TypeError, "a DTensor is not made by its class", "DTensor.from_local or distribute_tensor")

    @staticmethod
    def from_local(local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None):
        """A DTensor of all ranks' parts, which are alike in shape unless `shape`, the whole one, is given.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh).placements
        (Replicate(),)
        >>> weft.distributed.destroy_process_group()
        """
        if isinstance(local_tensor, DTensor):
            fail(RuntimeError, "from_local: this is a DTensor already", "x.redistribute(placements=...)")
        mesh = mesh_of(device_mesh, "from_local")
        placed = placements_of(placements, mesh, local_tensor.dim(), "from_local")
        if shape is None:
            shape = whole_shape(local_tensor.shape, mesh, placed)
        layout = Layout(mesh, placed, shape)
        if mesh.get_coordinate() is not None and tuple(local_tensor.shape) != layout.own_part()[0]:
            fail(ValueError, f"from_local: this rank's part of {list(layout.shape)} under {placed} has the shape "
                 f"{list(layout.own_part()[0])}, not {list(local_tensor.shape)}",
                 "cut as chunk does, the last parts smaller")
        return leave(local_tensor, layout)

    def to_local(self, *, grad_placements=None):
        """This rank's part. Its gradient is taken to be spread as this tensor is, or as `grad_placements` say.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh).to_local()
        tensor([1., 1.])
        >>> weft.distributed.destroy_process_group()
        """
        layout = self._owed.layout
        if grad_placements is not None:
            grad_placements = placements_of(grad_placements, layout.mesh, self.dim(), "to_local")
        return enter(self, dual(layout.placements) if grad_placements is None else grad_placements)

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None,
                     backward_dtype=None):
        """The same tensor, spread otherwise over the same mesh.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor, Replicate, Shard
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh, [Shard(0)]).redistribute(mesh, [Replicate()]).placements
        (Replicate(),)
        >>> weft.distributed.destroy_process_group()
        """
        if device_mesh is not None and not same_mesh(device_mesh, self.device_mesh):
            fail(NotImplementedError, "redistribute: from one mesh to another",
                 "distribute_tensor(x.full_tensor(), mesh, placements)")
        if placements is None:
            fail(RuntimeError, "placements is needed for redistribute!", "say how: [Shard(0)] or [Replicate()]")
        if forward_dtype is not None or backward_dtype is not None:
            fail(NotImplementedError, "redistribute(forward_dtype=, backward_dtype=)", "convert with x.to(dtype)")
        return redistributed(self, placements_of(placements, self.device_mesh, self.dim(), "redistribute"))

    def full_tensor(self, *, grad_placements=None):
        """All of it, on every rank, as a plain tensor.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor, Shard
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh, [Shard(0)]).full_tensor()
        tensor([1., 1.])
        >>> weft.distributed.destroy_process_group()
        """
        whole = redistributed(self, replicated(self.device_mesh))
        return whole.to_local(grad_placements=grad_placements)

    @property
    def device_mesh(self):
        """The mesh of ranks.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh).device_mesh is mesh
        True
        >>> weft.distributed.destroy_process_group()
        """
        return self._owed.layout.mesh

    @property
    def placements(self):
        """How it is spread over each dimension of the mesh.

        >>> import weft
        >>> from weft.distributed.tensor import DTensor, Shard
        >>> weft.distributed.init_process_group("gloo")
        >>> mesh = weft.distributed.init_device_mesh("cpu", (1,))
        >>> DTensor.from_local(weft.ones(2), mesh, [Shard(0)]).placements
        (Shard(dim=0),)
        >>> weft.distributed.destroy_process_group()
        """
        return self._owed.layout.placements

    @property
    def device(self):
        """Where this rank's part is."""
        return self._owed.local.device

    @property
    def is_meta(self):
        """Whether this rank's part has no values yet."""
        return self._owed.local.is_meta

    @property
    def _local_tensor(self):
        return self._owed.local

    @property
    def _spec(self):
        return self._owed.layout

    # copies

    def detach(self):
        """The same part outside the graph."""
        return OWNER.detach(self)

    def __reduce_ex__(self, protocol):
        fail(TypeError, "a DTensor can't be pickled: other ranks have the rest of it",
             "torch.distributed.checkpoint.save, or save x.full_tensor()")

    # Python's protocols and the ways out

    def __repr__(self, *, tensor_contents=None):
        shown = f"DTensor(local_tensor={self._owed.local!r}, device_mesh={self.device_mesh!r}, " \
                f"placements={self.placements!r})"
        return "Parameter containing:\n" + shown if getattr(self, "_is_param", False) else shown

    def item(self):
        """The one element as a Python number; all ranks ask for it."""
        return self.detach().full_tensor().item()

    def tolist(self):
        """All elements as lists; all ranks ask for them."""
        return self.detach().full_tensor().tolist()

    def __bool__(self):
        return bool(self.detach().full_tensor())

    def numpy(self, *, force=False):
        """Not for DTensors: an array has all values here."""
        fail(NotImplementedError, "numpy: a DTensor's values are on several ranks",
             "x.full_tensor().numpy() or x.to_local().numpy()")

    def stride(self, dim=None):
        """The strides that the whole tensor would have, contiguous."""
        strides, step = [], 1
        for n in reversed(self.shape):
            strides.insert(0, step)
            step *= max(n, 1)
        return tuple(strides) if dim is None else strides[dim]

    def is_contiguous(self, memory_format=None):
        """Whether this rank's part is."""
        return self._owed.local.is_contiguous()

    def data_ptr(self):
        """Where this rank's part lies."""
        return self._owed.local.data_ptr()

    def untyped_storage(self):
        """The storage of this rank's part."""
        return self._owed.local.untyped_storage()

    def _for_step(self, p, state):
        """Called of a gradient by an optimizer: parameter, gradient and state as this rank has them."""
        grad = redistributed(self.detach(), p.placements)._owed.local
        own = {key: value._owed.local if isinstance(value, DTensor) else value for key, value in state.items()}
        return p._owed.local, grad, own

    def _after_step(self, state, own):
        """What an optimizer put into the state that `_for_step` gave, in the place of what was there."""
        for key, value in own.items():
            held = state.get(key)
            if (held._owed.local if isinstance(held, DTensor) else held) is value:
                continue
            like = isinstance(value, Tensor) and value.shape == self._owed.local.shape and value.dim()
            state[key] = spread(value, self._owed.layout) if like else value


def spread(local, layout):
    """A DTensor of this rank's part, outside the graph."""
    made = NEW(DTensor)
    made._form = stand_in(layout.shape, local._form.dtype)
    made._owed = Held(alias(local), layout)
    made._memory_record = local._own_memory_record()        # a write to the part is one to the tensor
    return made


class ToLocal(Step):
    """From a DTensor to this rank's part. held: the tensor's layout, and how the part's gradient is spread."""

    def name(self):
        return "ToLocalBackward"

    def back(self, grad):
        layout, placements = self.held
        return redistributed(leave(grad, layout.placed(placements)), dual(layout.placements))


class FromLocal(Step):
    """From this rank's part to the DTensor."""

    def name(self):
        return "FromLocalBackward"

    def back(self, grad):
        return enter(redistributed(as_spread(grad, self.held), dual(self.held.placements)), self.held.placements)


class Redistribute(Step):
    """From a DTensor to the same tensor spread otherwise."""

    def name(self):
        return "RedistributeBackward"

    def back(self, grad):
        return redistributed(as_spread(grad, self.held), dual(self.held.placements))


def enter(t, grad_placements):
    """This rank's part of a DTensor, in the graph where that is; grad_placements: how its gradient will be spread."""
    local = alias(t._owed.local)
    return tied(local, ToLocal(t, (t._owed.layout, grad_placements))) if recorded(t) else local


def leave(local, layout):
    """The DTensor of which this rank has a part, in the graph where that is."""
    made = spread(local, layout)
    return tied(made, FromLocal(local, layout)) if recorded(local) else made


def as_spread(grad, layout):
    """A gradient as a DTensor: one that a program gave as a plain tensor is whole, on every rank."""
    return grad if isinstance(grad, DTensor) else leave(grad, layout.placed(replicated(layout.mesh)))


def redistributed(t, placements):
    """The same DTensor under other placements; itself where they are its own."""
    layout = t._owed.layout
    if layout.placements == tuple(placements):
        return t
    if has_partial(placements) and any([a != b and b.is_partial() for a, b in zip(layout.placements, placements)]) \
            and recorded(t):
        fail(RuntimeError, "redistribute: to Partial, of a tensor that takes part in the graph",
             "Replicate() or Shard(dim)")
    with no_grad():
        local = moved(t._owed.local, layout, placements)
    made = spread(local, layout.placed(placements))
    return tied(made, Redistribute(t, layout)) if recorded(t) else made


def whole_on_rank(tensor, mesh, source):
    """A plain tensor as the first rank of each mesh dimension has it (or that numbered `source` there)."""
    from weft.distributed import collectives  # only for several ranks
    made = tensor.detach().contiguous().clone()
    for m in range(mesh.ndim):
        if mesh.size(m) > 1:
            collectives.broadcast(made, group=mesh.get_group(m), group_src=source)
    return made
