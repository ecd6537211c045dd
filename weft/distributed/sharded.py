"""Models of which every rank keeps a part: parameters, gradients and the optimizer's state are cut in equal pieces.

Between steps a parameter is a DTensor of which this rank has some rows. For its module's forward it is replaced by a
leaf with all values, which the graph refers to. After the forward the values are let go (`reshard_after_forward`), and
gathered again when the backward comes to the module; the end of the backward gives every rank its rows of the mean
gradient.
"""
import math
import threading

import numpy as np

from weft.autograd.graph_api import saved_tensors_hooks
from weft.core.errors import fail
from weft.core.modes import is_grad_enabled, local, no_grad
from weft.core.pytree import leaves, mapped
from weft.distributed import collectives
from weft.distributed.data_parallel import spread as spread_values
from weft.distributed.dtensor.layout import Layout, mesh_of
from weft.distributed.dtensor.make import DTensor  # and with it the rules
from weft.distributed.dtensor.tensor import redistributed, spread
from weft.distributed.groups import GroupMember, init_process_group
from weft.distributed.mesh import init_device_mesh
from weft.distributed.placements import Replicate, Shard
from weft.distributed.reduce_op import ReduceOp
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.tensor.pickling import array_at, inside, place_of
from weft.tensor.tensor import Tensor, wrap

__all__ = ["FSDPModule", "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]


class Piece:
    """One parameter: its owners [(module, name)], how it is spread when it is cut, and when it is not (`inner`, where
    tensor parallelism has cut it already).
    """

    def __init__(self, owners, p, mesh, dim):
        self.owners, self.dim = owners, dim
        self.inner = p._owed.layout if isinstance(p, DTensor) else None
        whole = p._owed.local if self.inner else p
        if not whole.dim():
            fail(ValueError, f"fully_shard doesn't support scalar parameters. Change {owners[0][1]} to a 1D tensor "
                 "with numel equal to 1.", "Parameter(torch.ones(1))")
        rest = [n for d, n in enumerate(whole.shape) if d != dim]
        self.rows, self.width = (whole.shape[dim], *rest), math.prod(rest)      # the cut dimension comes first
        self.each = -(-whole.shape[dim] // mesh.size(-1))                       # rows of a rank
        cut = [*[Replicate()] * (mesh.ndim - 1), Shard(dim)]
        if self.inner is None:
            self.layout = Layout(mesh, cut, whole.shape)
        else:
            self.layout = Layout(beside(self.inner.mesh, mesh), [*self.inner.placements, *cut], self.inner.shape)
        self.came, self.waiting = [], None      # leaves whose gradients came; their sum, while nothing is exchanged
        self.sharded = self.values = None       # values: of the whole, while they are there

    @property
    def size(self):
        """How many elements each rank sends, padded."""
        return self.each * self.width

    def flat(self, t, count):
        """A tensor, or a part of it, as `count` elements, padded with zeros; the cut dimension comes first."""
        made = np.zeros(count, t._form.dtype)
        made[:t.numel()] = np.moveaxis(t._array, self.dim, 0).reshape(-1)
        return made

    def unflat(self, array, rows):
        """The values of so many rows at the beginning of such an array."""
        table = array[:rows * self.width].reshape(rows, *self.rows[1:])
        return np.ascontiguousarray(np.moveaxis(table, 0, self.dim))

    def own_rows(self, rank):
        return max(0, min(self.each, self.rows[0] - rank * self.each))

    def part_of(self, whole, rank):
        """A rank's part of what all ranks of the mesh have."""
        return whole.narrow(self.dim, min(rank * self.each, self.rows[0]), self.own_rows(rank)).contiguous().clone()

    def leaf(self, wants):
        """The parameter with all values."""
        made = wrap(self.values)
        return Parameter(made if self.inner is None else spread(made, self.inner), requires_grad=wants)

    def empty(self, leaf):
        """Let go of a leaf's values; whoever reads them now finds that they are no numbers."""
        nothing = np.full((), np.nan if leaf.is_floating_point() else 0).astype(leaf._form.dtype)
        leaf.data = wrap(np.broadcast_to(nothing, leaf._form.shape))

    def show(self, p):
        for module, name in self.owners:
            module._parameters[name] = p


def beside(inner, mesh):
    """The mesh of both: the dimensions of tensor parallelism first, as they cut first."""
    root = inner._root
    if root is not mesh._root or None in (inner.mesh_dim_names, mesh.mesh_dim_names):
        fail(ValueError, "fully_shard: the parameters are DTensors on another mesh",
             'take both from one: mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp")); mesh["dp"]')
    return root[(*inner.mesh_dim_names, *mesh.mesh_dim_names)]


class _Active(threading.local):
    def __init__(self):
        self.units = []     # whose forwards are running in this thread, the innermost last


active = _Active()


class Saving(saved_tensors_hooks):
    """While a unit's forward runs: what the graph saves of its parameters is remembered as a place in them; all else
    is saved as it would be without.
    """

    def __init__(self, unit):
        super().__init__(self.pack, self.unpack)
        self.unit = unit
        self.outer = local.saved_hooks[-1] if local.saved_hooks else None

    def pack(self, t):
        has_array = not t._on_meta and (t._owed is None or t._owed.readable)        # else a DTensor, or a sparse one
        for piece in self.unit.pieces if has_array else ():
            if piece.values is not None and inside(t._array, piece.values):
                return piece, place_of(t, piece.values), t._form.dtype, piece.version
        return t if self.outer is None else (self.outer[1], self.outer[0](t))

    def unpack(self, kept):
        if not isinstance(kept, tuple):
            return kept
        if len(kept) == 2:
            unpack, packed = kept
            return unpack(packed)
        piece, place, dtype, version = kept
        if piece.sharded._owed.local._writes() != version:
            fail(RuntimeError, "one of the variables needed for gradient computation has been modified by an inplace "
                 f"operation: the parameter {piece.owners[0][1]}, after the forward and before its backward",
                 "optimizer.step() after the backward, or fully_shard(..., reshard_after_forward=False)")
        self.unit.fetch()
        return wrap(array_at(piece.values, place, dtype))


class Unit:
    """The parameters of some modules that are made whole and cut together."""

    def __init__(self, modules, mesh, policy, placement_of, ignored, reshard=None):
        self.mesh, self.policy, self.group = mesh, policy, mesh.get_group(-1 % mesh.ndim)
        self.whole, self.depth, self.running, self.sync, self.divisor = False, 0, None, True, mesh.size()
        self.reshard = reshard          # whether values go after a forward; None: unless it is the outermost one
        self.fetched, self.saving = False, None
        self.awaited = 0                # gradients that are still to come to leaves whose values went
        owners = {}
        inside = {owner for module in modules for unit in units_of(module) for piece in unit.pieces
                  for owner in piece.owners}
        for module in modules:
            for layer in module.modules():
                for name, p in layer._parameters.items():
                    if p is not None and (layer, name) not in inside and p not in ignored:
                        owners.setdefault(p, []).append((layer, name))
        self.pieces = []
        self.begin_alike(list(owners), [b for module in modules for b in module.buffers()])
        for p, found in owners.items():
            placement = placement_of(p) if placement_of is not None else None
            piece = Piece(found, p, mesh, 0 if placement is None else placement.dim % p.dim())
            part = piece.part_of((p._owed.local if piece.inner else p).detach(), self.group.rank())
            piece.sharded = Parameter(spread(part, piece.layout), requires_grad=p.requires_grad)
            piece.show(piece.sharded)
            self.pieces.append(piece)

    def begin_alike(self, parameters, buffers):
        """All ranks start with the values of the mesh's first."""
        own = [t._owed.local if isinstance(t, DTensor) else t for t in [*parameters, *buffers]]
        own = [t for t in own if not t.is_meta]
        for m in range(self.mesh.ndim if own else 0):
            if self.mesh.size(m) > 1:
                spread_values(own, self.mesh.get_group(m), 0, "fully_shard's parameters")

    def kinds(self, dtype_of):
        for dtype in dict.fromkeys(dtype_of(piece) for piece in self.pieces):
            yield [piece for piece in self.pieces if dtype_of(piece) == dtype]

    def cast(self, t, dtype):
        return t if dtype is None or not t.is_floating_point() else t.to(dtype)

    def fetch(self):
        """Bring the whole values from all ranks, where they are not."""
        if self.fetched:
            return
        kind = self.policy.param_dtype if self.policy is not None else None
        parts = {}
        with no_grad():
            for piece in self.pieces:       # what stands there may have been replaced, by load_state_dict or to_empty
                parts[id(piece)] = self.cast(piece.sharded._owed.local, kind)
            for alike in self.kinds(lambda piece: parts[id(piece)]._form.dtype):
                own = wrap(np.concatenate([piece.flat(parts[id(piece)], piece.size) for piece in alike]))
                rows = wrap(np.empty((self.group.size(), own.numel()), own._form.dtype))
                collectives.all_gather_into_tensor(rows, own, self.group)
                start = 0
                for piece in alike:
                    flat = rows._array[:, start:start + piece.size].reshape(-1)
                    piece.values = piece.unflat(flat, piece.rows[0])
                    start += piece.size
        self.fetched = True

    def release(self):
        """Let go of them; what the graph has saved of them is gathered again when it is wanted."""
        for piece in self.pieces:
            piece.values = None
        self.fetched = False

    def gather(self):
        """Put leaves with all values in the parameters' place."""
        if self.whole:
            return
        for piece in self.pieces:
            module, name = piece.owners[0]
            piece.sharded = module._parameters[name]
            piece.version = piece.sharded._owed.local._writes()
        self.release()
        self.fetch()
        with no_grad():
            for piece in self.pieces:
                leaf = piece.leaf(piece.sharded.requires_grad)
                if leaf.requires_grad:
                    leaf.register_post_accumulate_grad_hook(self.arrived(piece))
                piece.show(leaf)
        self.whole = True

    def cut(self):
        """Put the DTensors back. Where the graph has asked the unit for what it saved, the leaves' values go."""
        for piece in self.pieces if self.whole else ():
            module, name = piece.owners[0]
            if self.saving is not None:
                piece.empty(module._parameters[name])
                self.awaited += piece.sharded.requires_grad
            piece.show(piece.sharded)
        self.whole, self.saving = False, None
        self.release()

    def keep(self):
        """Take over what was written to the leaves."""
        with no_grad():
            for piece in self.pieces if self.whole else ():
                leaf = piece.owners[0][0]._parameters[piece.owners[0][1]]
                leaf = (leaf._owed.local if piece.inner else leaf).detach()
                piece.sharded._owed.local.copy_(piece.part_of(leaf, self.group.rank()))

    def enter(self):
        """A forward begins, maybe inside another one."""
        self.gather()
        self.depth += 1
        outermost = not active.units
        active.units.append(self)
        wanted = not outermost if self.reshard is None else self.reshard
        if self.depth == 1 and wanted and is_grad_enabled() and not any([piece.inner for piece in self.pieces]):
            self.saving = Saving(self)
            self.saving.__enter__()

    def leave(self, made):
        """It ends; the graph has the leaves that the backward needs."""
        self.depth -= 1
        active.units.remove(self)
        if not self.depth:
            if self.saving is not None:
                self.saving.__exit__()
            self.cut()
        for t in leaves(made):
            if isinstance(t, Tensor) and t.requires_grad and t.grad_fn is not None:
                t.register_hook(self.begin)

    def arrived(self, piece):
        def hook(leaf):
            self.begin()
            piece.came.append(leaf)
            self.awaited -= 1
            if self.awaited == 0 and not self.whole:        # nothing of this unit is left to do
                self.release()
        return hook

    def begin(self, grad=None):
        """A backward through the module begins."""
        run = local.run
        if run is None or not run.accumulate:
            return
        if self.running is not run:
            self.running = run
            run.callbacks.append(self.finish)
        if self.awaited and not self.fetched:
            self.fetch()

    def finish(self):
        """The backward's end: every rank gets its part of the mean gradient."""
        self.running, self.awaited = None, 0
        if not self.whole:
            self.release()
        with no_grad():
            for piece in self.pieces:
                self.collect(piece)
            if not self.sync:
                return
            used = wrap(np.array([piece.waiting is not None for piece in self.pieces], np.int8))
            for m in range(self.mesh.ndim):
                collectives.all_reduce(used, ReduceOp.MAX, self.mesh.get_group(m))
            self.pieces, everything = [p for p, flag in zip(self.pieces, used.tolist()) if flag], self.pieces
            try:
                for alike in self.kinds(self.sent_dtype):
                    self.exchange(alike)
            finally:
                self.pieces = everything

    def collect(self, piece):
        """Add up the gradients that came to a parameter's leaves, each once: it may be in several forwards."""
        for leaf in {id(leaf): leaf for leaf in piece.came}.values():
            grad, leaf.grad = leaf.grad, None
            if grad is not None:
                grad = redistributed(grad, piece.inner.placements)._owed.local if piece.inner else grad
                grad = grad.to(self.sent_dtype(piece))
                piece.waiting = grad if piece.waiting is None else piece.waiting + grad
        piece.came = []

    def sent_dtype(self, piece):
        """In what gradients travel."""
        policy, own = self.policy, piece.sharded.dtype
        kind = policy and (policy.reduce_dtype or policy.param_dtype)
        return kind if kind is not None and own.is_floating_point else own

    def exchange(self, alike):
        """This rank's parts of the mean gradients, into the DTensors' own."""
        n, kind, rank = self.group.size(), self.sent_dtype(alike[0]), self.group.rank()
        blank = wrap(np.zeros(0, np.float32)).to(kind)._form.dtype
        rows = []
        for piece in alike:
            grad, piece.waiting = piece.waiting, None
            rows.append(np.zeros((n, piece.size), blank) if grad is None else
                        piece.flat(grad, n * piece.size).reshape(n, piece.size))
        table = wrap(np.concatenate(rows, axis=1))
        made = wrap(np.empty(table.shape[1], table._form.dtype))
        collectives.reduce_scatter_tensor(made, table / self.divisor, ReduceOp.SUM, self.group)
        for m in range(self.mesh.ndim - 1):
            collectives.all_reduce(made, group=self.mesh.get_group(m))
        start = 0
        for piece in alike:
            part = wrap(piece.unflat(made._array[start:start + piece.size], piece.own_rows(rank)))
            part = part.to(piece.sharded.dtype)
            new, old = spread(part, piece.layout), piece.sharded.grad
            piece.sharded.grad = new if old is None else old + new
            start += piece.size


class UnshardHandle:
    """What `unshard(async_op=True)` gives; everything is there already.

    >>> from weft.distributed.fsdp import UnshardHandle
    >>> UnshardHandle().wait()
    """

    def wait(self):
        """Nothing to wait for.

        >>> from weft.distributed.fsdp import UnshardHandle
        >>> UnshardHandle().wait()
        """


class FSDPModule:
    """What a module is too, once `fully_shard` has cut it.

    >>> import weft
    >>> from weft.distributed.fsdp import FSDPModule, fully_shard
    >>> net = fully_shard(weft.nn.Linear(3, 2))
    >>> isinstance(net, FSDPModule), isinstance(net, weft.nn.Linear), net.weight.placements
    (True, True, (Shard(dim=0),))
    >>> net.unshard()
    >>> type(net.weight).__name__
    'Parameter'
    >>> net.reshard()
    >>> weft.distributed.destroy_process_group()
    """

    def unshard(self, async_op=False):
        """Make the parameters whole, until `reshard` or the end of the next forward.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.unshard()
        >>> type(net.weight).__name__
        'Parameter'
        >>> weft.distributed.destroy_process_group()
        """
        self._unit.gather()
        return UnshardHandle() if async_op else None

    def reshard(self):
        """Cut them again.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.unshard()
        >>> net.reshard()
        >>> net.weight.placements
        (Shard(dim=0),)
        >>> weft.distributed.destroy_process_group()
        """
        self._unit.cut()

    def set_requires_gradient_sync(self, requires_gradient_sync, *, recurse=True):
        """Whether backwards exchange gradients; without, they add up on each rank, whole.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.set_requires_gradient_sync(False)
        >>> net(weft.ones(1, 3)).sum().backward()
        >>> net.bias.grad is None
        True
        >>> weft.distributed.destroy_process_group()
        """
        for unit in units_of(self) if recurse else [self._unit]:
            unit.sync = bool(requires_gradient_sync)

    def set_reshard_after_forward(self, reshard_after_forward, recurse=True):
        """Whether whole values are let go after a forward, and gathered again for the backward.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.set_reshard_after_forward(True)
        >>> net(weft.ones(1, 3)).sum().backward()
        >>> net.bias.grad.full_tensor()
        tensor([1., 1.])
        >>> weft.distributed.destroy_process_group()
        """
        for unit in units_of(self) if recurse else [self._unit]:
            unit.reshard = bool(reshard_after_forward)

    def set_gradient_divide_factor(self, factor):
        """By what the sum of all ranks' gradients is divided.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.set_gradient_divide_factor(2.0)
        >>> net(weft.ones(1, 3)).sum().backward()
        >>> net.bias.grad.full_tensor()
        tensor([0.5000, 0.5000])
        >>> weft.distributed.destroy_process_group()
        """
        self._unit.divisor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def _unchanged(self, *args, **kwargs):
        """A setting of when things are fetched, summed and freed, which weft decides; the results are the same.

        >>> import weft
        >>> net = weft.distributed.fsdp.fully_shard(weft.nn.Linear(3, 2))
        >>> net.set_modules_to_forward_prefetch([])
        >>> weft.distributed.destroy_process_group()
        """

    set_modules_to_forward_prefetch = set_modules_to_backward_prefetch = set_is_last_backward = _unchanged
    set_reshard_after_backward = set_post_optim_event = _unchanged
    set_unshard_in_backward = set_requires_all_reduce = _unchanged


CLASSES = {}        # of modules that are cut, by the class that they had


def default_mesh():
    """All ranks, once for a job."""
    if GroupMember.WORLD is None:
        init_process_group()
    everybody = GroupMember.WORLD
    if not hasattr(everybody, "whole_mesh"):
        everybody.whole_mesh = init_device_mesh("cpu", (everybody.size(),))
    return everybody.whole_mesh


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=None,
                offload_policy=None, ignored_params=None):
    """Cut a module's parameters, in place, except for those of modules inside it that are cut already: they become
    DTensors, `Shard(0)` over the mesh (of a mesh of two dimensions the first keeps copies). Call it before the
    optimizer is made. reshard_after_forward: whole values are let go after the forward and gathered again in the
    backward; None: in all modules but the outermost.

    >>> import weft
    >>> from weft.distributed.fsdp import fully_shard
    >>> net = fully_shard(weft.nn.Linear(3, 2))
    >>> net.weight.shape, net.weight.placements, net.state_dict()["weight"].full_tensor().shape
    (torch.Size([2, 3]), (Shard(dim=0),), torch.Size([2, 3]))
    >>> weft.distributed.destroy_process_group()
    """
    modules = list(module) if isinstance(module, (list, tuple)) else [module]
    mesh = default_mesh() if mesh is None else mesh_of(mesh, "fully_shard")
    if mesh.ndim > 2:
        fail(ValueError, f"fully_shard: a mesh of {mesh.ndim} dimensions", "one for copies, one to cut")
    for one in modules:
        if not isinstance(one, Module) or isinstance(one, FSDPModule):
            fail(ValueError, f"fully_shard: {type(one).__name__} is not a module that can be cut, or is cut already")
    unit = Unit(modules, mesh, mp_policy, shard_placement_fn, set(ignored_params or ()), reshard_after_forward)
    for one in modules:
        one._unit = unit
        watch(one, unit)
        kind = type(one)
        if kind not in CLASSES:
            CLASSES[kind] = type("FSDP" + kind.__name__, (FSDPModule, kind), {"__module__": kind.__module__})
        one.__class__ = CLASSES[kind]
    return module


def watch(module, unit):
    """The hooks around a module's forward and its state."""
    policy = unit.policy

    def before(module, args, kwargs):
        unit.enter()
        if policy is None or policy.param_dtype is None or not policy.cast_forward_inputs:
            return None
        return mapped(lambda x: unit.cast(x, policy.param_dtype) if isinstance(x, Tensor) else x, (args, kwargs))

    def after(module, args, made):
        unit.leave(made)
        if policy is None or policy.output_dtype is None:
            return None
        return mapped(lambda x: unit.cast(x, policy.output_dtype) if isinstance(x, Tensor) else x, made)
    module.register_forward_pre_hook(before, prepend=True, with_kwargs=True)
    module.register_forward_hook(after, always_call=True)
    module.register_state_dict_pre_hook(lambda *rest: unit.cut())
    module.register_load_state_dict_pre_hook(lambda *rest: unit.cut())


def units_of(model):
    return list(dict.fromkeys(m._unit for m in model.modules() if isinstance(m, FSDPModule)))


def register_fsdp_forward_method(module, method_name):
    """Let another method of a cut module have whole parameters too, as its forward does.

    >>> import weft
    >>> from weft.distributed.fsdp import fully_shard, register_fsdp_forward_method
    >>> net = fully_shard(weft.nn.Linear(3, 2))
    >>> net.twice = lambda x: 2 * (x @ net.weight.T)
    >>> register_fsdp_forward_method(net, "twice")
    >>> net.twice(weft.zeros(1, 3))
    tensor([[0., 0.]], grad_fn=<MulBackward0>)
    >>> weft.distributed.destroy_process_group()
    """
    if not isinstance(module, FSDPModule):
        return
    plain, unit = getattr(module, method_name), module._unit

    def wrapped(*args, **kwargs):
        unit.enter()
        made = None
        try:
            made = plain(*args, **kwargs)
        finally:
            unit.leave(made)
        return made
    setattr(module, method_name, wrapped)
