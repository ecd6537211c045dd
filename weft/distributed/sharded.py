"""Models of which every rank keeps a part: parameters, gradients and the optimizer's state are cut in equal pieces.

Between steps a parameter is this rank's piece, one-dimensional; the forward of its module makes it whole again, the end
of the backward gives every rank its piece of the mean gradient and lets the rest go. Optimizers that work element by
element need not know of it.
"""
import numpy as np

from weft.core.modes import is_grad_enabled, local, no_grad
from weft.core.pytree import leaves
from weft.distributed import collectives, objects
from weft.distributed.buffers import sent
from weft.distributed.data_parallel import spread
from weft.distributed.groups import GroupMember, ProcessGroup, group_or_world
from weft.distributed.reduce_op import ReduceOp
from weft.nn.module import Module
from weft.tensor.tensor import Tensor, wrap

__all__ = ["FullyShardedDataParallel", "fully_shard"]


class Piece:
    """One parameter: its whole shape, and how many elements each rank has."""

    def __init__(self, p, size):
        self.p, self.shape, self.numel = p, tuple(p.shape), p.numel()
        self.each = -(-self.numel // size)
        self.grad = None        # this rank's part of gradients from before, while the parameter is whole
        self.used = False


class Unit:
    """The parameters of a module that are made whole and cut together."""

    def __init__(self, module, group, reshard):
        self.group, self.reshard = group, reshard
        own = [p for p in dict.fromkeys(module.parameters()) if not getattr(p, "_in_unit", False)]
        self.pieces = [Piece(p, group.size()) for p in own]
        self.whole, self.running, self.sync = True, None, True
        for p in own:
            p._in_unit = True
            if p.requires_grad:
                p.register_post_accumulate_grad_hook(self.came)
        self.of = {id(piece.p): piece for piece in self.pieces}
        spread([*own, *module.buffers()], group, 0) if group.size() > 1 else None
        self.cut()

    def kinds(self):
        for dtype in dict.fromkeys(piece.p._form.dtype for piece in self.pieces):
            yield [piece for piece in self.pieces if piece.p._form.dtype == dtype]

    def cut(self):
        """Keep this rank's part of each parameter."""
        if not self.whole:
            return
        rank = self.group.rank()
        with no_grad():
            for piece in self.pieces:
                flat = np.zeros(piece.each * self.group.size(), piece.p._form.dtype)
                flat[:piece.numel] = sent(piece.p)
                piece.p.data = wrap(flat[rank * piece.each:(rank + 1) * piece.each].copy())
        self.whole = False

    def gather(self):
        """Make the parameters whole."""
        if self.whole:
            return
        with no_grad():
            for alike in self.kinds():
                own = wrap(np.concatenate([sent(piece.p) for piece in alike]))
                rows = wrap(np.empty((self.group.size(), own.numel()), own._form.dtype))
                collectives.all_gather_into_tensor(rows, own, self.group)
                start = 0
                for piece in alike:
                    flat = rows._array[:, start:start + piece.each].reshape(-1)[:piece.numel]
                    piece.grad, piece.p.grad = piece.p.grad, None
                    piece.p.data = wrap(flat.reshape(piece.shape).copy())
                    start += piece.each
        self.whole = True

    def begin(self, grad=None):
        """A backward through the module begins."""
        run = local.run
        if run is not None and run.accumulate and self.running is not run:
            self.gather()
            self.running = run
            run.callbacks.append(self.finish)

    def came(self, p):
        self.begin()
        self.of[id(p)].used = True

    def finish(self):
        """The backward's end: every rank gets its part of the mean gradient."""
        self.running = None
        flags = wrap(np.array([piece.used for piece in self.pieces], np.int8))
        collectives.all_reduce(flags, ReduceOp.MAX, self.group)
        fresh = {id(piece.p): piece.p.grad for piece in self.pieces}
        used = {id(piece.p): bool(flag) for piece, flag in zip(self.pieces, flags.tolist())}
        for piece in self.pieces:
            piece.p.grad, piece.used = None, False
        kept = {id(piece.p): piece.grad for piece in self.pieces}
        self.cut()
        with no_grad():
            for alike in self.kinds():
                parts = self.mean_parts(alike, fresh)
                start = 0
                for piece in alike:
                    part, old = parts[start:start + piece.each], kept[id(piece.p)]
                    start += piece.each
                    if used[id(piece.p)]:
                        piece.p.grad = wrap(part.copy()) if old is None else old + wrap(part)
                    else:
                        piece.p.grad = old
                    piece.grad = None

    def mean_parts(self, alike, fresh):
        """This rank's parts of the mean gradients, one after the other."""
        size, rows = self.group.size(), []
        for piece in alike:
            row = np.zeros((size, piece.each), piece.p._form.dtype)
            if fresh[id(piece.p)] is not None:
                row.reshape(-1)[:piece.numel] = sent(fresh[id(piece.p)])
            rows.append(row)
        table = wrap(np.concatenate(rows, axis=1))
        made = wrap(np.empty(table.shape[1], table._form.dtype))
        collectives.reduce_scatter_tensor(made, table / size, ReduceOp.SUM, self.group)
        return made._array


def fully_shard(module, *, mesh=None, reshard_after_forward=None, shard_placement_fn=None, mp_policy=None,
                offload_policy=None, ignored_params=None):
    """Cut a module's parameters, in place, except for those of modules inside it that are cut already. Call it before
    the optimizer is made. `state_dict` has whole parameters on all ranks, which all must ask for it.

    >>> import weft
    >>> from weft.distributed.fsdp import fully_shard
    >>> weft.distributed.init_process_group("gloo")
    >>> net = fully_shard(weft.nn.Linear(3, 2))
    >>> net.weight.shape, net.state_dict()["weight"].shape
    (torch.Size([6]), torch.Size([2, 3]))
    >>> weft.distributed.destroy_process_group()
    """
    for name, value in (("shard_placement_fn", shard_placement_fn), ("mp_policy", mp_policy),
                        ("offload_policy", offload_policy), ("ignored_params", ignored_params)):
        if value is not None:
            raise NotImplementedError(f"weft has no fully_shard({name}=...)\n  fix: leave it out")
    alone = mesh is None and GroupMember.WORLD is None
    unit = Unit(module, ProcessGroup() if alone else group_or_world(mesh), reshard_after_forward)
    module._unit = unit
    module.register_forward_pre_hook(lambda m, args: unit.gather())
    module.register_forward_hook(lambda m, args, made: after_forward(unit, made), always_call=True)
    module.register_state_dict_pre_hook(lambda m, prefix, keep_vars: unit.gather())
    module.register_state_dict_post_hook(lambda m, state, prefix, notes: copied(unit, state))
    module.register_load_state_dict_pre_hook(lambda m, *rest: unit.gather())
    module.register_load_state_dict_post_hook(lambda m, keys: put_back(unit))
    return module


def after_forward(unit, made):
    """Without gradients nothing needs the whole parameters any longer."""
    wanted = [t for t in leaves(made) if isinstance(t, Tensor) and t.requires_grad and t.grad_fn is not None]
    if not is_grad_enabled() or not wanted:
        put_back(unit)
    for t in wanted:
        t.register_hook(unit.begin)


def put_back(unit):
    """Cut the parameters again; their gradients are those of before."""
    was = unit.whole
    unit.cut()
    for piece in unit.pieces if was else ():
        piece.p.grad, piece.grad = piece.grad, None


def copied(unit, state):
    """Whole values of their own for a state_dict; then the parameters are cut again."""
    for name, value in state.items():
        if isinstance(value, Tensor):
            state[name] = value.detach().clone()
    put_back(unit)


def units_of(model):
    return [m._unit for m in model.modules() if getattr(m, "_unit", None) is not None]


class FullyShardedDataParallel(Module):
    """A model that is cut as `fully_shard` does it, as a whole.

    Shape: what its module takes and gives.

    >>> import weft
    >>> from weft.distributed.fsdp import FullyShardedDataParallel
    >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
    >>> net(weft.ones(1, 3)).shape
    torch.Size([1, 2])
    """

    def __init__(self, module, process_group=None, sharding_strategy=None, cpu_offload=None, auto_wrap_policy=None,
                 backward_prefetch=None, mixed_precision=None, ignored_modules=None, param_init_fn=None, device_id=None,
                 sync_module_states=False, forward_prefetch=False, limit_all_gathers=True, use_orig_params=True,
                 ignored_states=None, device_mesh=None):
        super().__init__()
        for name, value in (("cpu_offload", cpu_offload), ("mixed_precision", mixed_precision),
                            ("ignored_modules", ignored_modules), ("ignored_states", ignored_states),
                            ("auto_wrap_policy", auto_wrap_policy)):
            if value is not None:
                raise NotImplementedError(f"weft has no FullyShardedDataParallel({name}=...)\n  fix: leave it out; "
                                          "fully_shard(layer) cuts layers one by one")
        group = device_mesh if device_mesh is not None else process_group
        self.module = fully_shard(module, mesh=group)

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    @staticmethod
    def optim_state_dict(model, optim):
        """An optimizer's whole state, by the parameters' names; all ranks ask for it, and any number can load it.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
        >>> FullyShardedDataParallel.optim_state_dict(net, optimizer)["param_groups"][0]["params"]
        ['module.weight', 'module.bias']
        """
        names, pieces = names_and_pieces(model)
        state = {}
        for p, values in optim.state.items():
            unit, piece = pieces[id(p)]
            state[names[id(p)]] = {key: whole_value(unit, piece, value) for key, value in values.items()}
        order = [names[id(p)] for group in optim.param_groups for p in group["params"]]
        groups = [{**group, "params": [order[i] for i in group["params"]]}
                  for group in optim.state_dict()["param_groups"]]
        return {"state": state, "param_groups": groups}

    @staticmethod
    def optim_state_dict_to_load(model, optim, optim_state_dict):
        """This rank's part of a whole state, for `optim.load_state_dict`.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
        >>> whole = FullyShardedDataParallel.optim_state_dict(net, optimizer)
        >>> optimizer.load_state_dict(FullyShardedDataParallel.optim_state_dict_to_load(net, optimizer, whole))
        """
        names, pieces = names_and_pieces(model)
        order = [p for group in optim.param_groups for p in group["params"]]
        made = optim.state_dict()
        made["state"] = {}
        for i, p in enumerate(order):
            values = optim_state_dict["state"].get(names[id(p)])
            if values is not None:
                made["state"][i] = {key: part_of(*pieces[id(p)], value) for key, value in values.items()}
        for group, given in zip(made["param_groups"], optim_state_dict["param_groups"]):
            group.update({k: v for k, v in given.items() if k != "params"})
        return made


def names_and_pieces(model):
    names = {id(p): name for name, p in model.named_parameters()}
    return names, {id(piece.p): (unit, piece) for unit in units_of(model) for piece in unit.pieces}


def whole_value(unit, piece, value):
    """A part of the optimizer's state, such as a moment, in the parameter's shape; a number as it is."""
    if not isinstance(value, Tensor) or value.numel() != piece.each or value.dim() == 0:
        return value
    every = [None] * unit.group.size()
    objects.all_gather_object(every, value.detach().clone(), unit.group) if len(every) > 1 else None
    rows = [value] if len(every) == 1 else every
    return wrap(np.concatenate([sent(t) for t in rows])[:piece.numel].reshape(piece.shape))


def part_of(unit, piece, value):
    if not isinstance(value, Tensor) or tuple(value.shape) != piece.shape or value.dim() == 0:
        return value
    flat = np.zeros(piece.each * unit.group.size(), value._form.dtype)
    flat[:piece.numel] = sent(value)
    return wrap(flat[unit.group.rank() * piece.each:][:piece.each].copy())
