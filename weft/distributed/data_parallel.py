"""DistributedDataParallel: the same model in every process, each with its own part of the batch."""
import contextlib

import numpy as np

from weft.core.modes import no_grad
from weft.core.pytree import leaves
from weft.distributed import collectives, objects
from weft.distributed.groups import GroupMember, group_or_world
from weft.distributed.reduce_op import ReduceOp
from weft.distributed.reducer import Reducer
from weft.nn.module import Module
from weft.tensor.tensor import Tensor, wrap

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Calls its module; in the backward the gradients of all ranks are averaged. Alone it is its module.

    Parameters and buffers start as rank 0's. Parameters that a step doesn't use need no flag.

    Shape: what its module takes and gives.

    >>> import weft
    >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
    >>> net(weft.ones(1, 3)).shape
    torch.Size([1, 2])
    """
    _wraps = True       # load_state_dict takes the bare module's keys too

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=True, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
                 param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None,
                 skip_all_reduce_unused_params=False):
        super().__init__()
        if not any(p.requires_grad for p in module.parameters()):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                               "requires a gradient.")
        for name, value in (("delay_all_reduce_named_params", delay_all_reduce_named_params),
                            ("param_to_hook_all_reduce", param_to_hook_all_reduce),
                            ("mixed_precision", mixed_precision)):
            if value is not None:
                raise NotImplementedError(f"weft has no DistributedDataParallel({name}=...)\n  fix: leave it out")
        self.module, self.dim, self.device_ids, self.output_device = module, dim, None, None
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.find_unused_parameters, self.broadcast_buffers = find_unused_parameters, broadcast_buffers
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._parts = [p for name, p in module.named_parameters() if name not in ignored]
        self._shared = [b for name, b in module.named_buffers() if name not in ignored]
        self._join = None
        group = device_mesh if device_mesh is not None else process_group
        found = group_or_world(group) if group is not None or GroupMember.WORLD is not None else None
        many = found is not None and found.size() > 1
        self.process_group, self.reducer = found, None
        if many:
            self._compare(module)
            if init_sync:
                spread([*self._parts, *self._shared], found, 0)
            self.reducer = Reducer([p for p in self._parts if p.requires_grad], found, bucket_cap_mb)

    def _compare(self, module):
        """All ranks must have the same parameters."""
        own = [(name, list(p.shape), p.dtype.name, p.requires_grad) for name, p in module.named_parameters()]
        every = [None] * self.process_group.size()
        objects.all_gather_object(every, own, self.process_group)
        for i, other in enumerate(every):
            if other != every[0]:
                wrong = next((pair for pair in zip(every[0], other) if pair[0] != pair[1]), (len(every[0]), len(other)))
                ranks = self.process_group.ranks
                raise RuntimeError(f"DistributedDataParallel: the model of rank {ranks[i]} is not that of rank "
                                   f"{ranks[0]}\n  rank {ranks[0]}: {wrong[0]}\n  rank {ranks[i]}: {wrong[1]}\n"
                                   "  fix: build the same model on all ranks (their values may differ)")

    @property
    def device(self):
        """Where the parameters are.

        >>> import weft
        >>> weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2)).device
        device(type='cpu')
        """
        return next(self.module.parameters()).device

    def forward(self, *inputs, **kwargs):
        if self.reducer is None:
            return self.module(*inputs, **kwargs)
        self.reducer.sync = self.require_backward_grad_sync
        root = 0
        if self._join is not None:
            root = self._join.announce(self.require_backward_grad_sync)
        if self.require_backward_grad_sync and self.broadcast_buffers and self._shared:
            spread(self._shared, self.process_group, root, "DistributedDataParallel's buffers")
        outputs = self.module(*inputs, **kwargs)
        for t in leaves(outputs):
            if isinstance(t, Tensor) and t.requires_grad and t.grad_fn is not None:
                t.register_hook(self._begin)
        return outputs

    def _begin(self, grad):
        self.reducer.begin()

    @contextlib.contextmanager
    def no_sync(self):
        """A region whose forwards' backwards exchange no gradients: they add up until the next one that does.

        >>> import weft
        >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
        >>> with net.no_sync():
        ...     net(weft.ones(1, 3)).sum().backward()
        >>> net.module.bias.grad
        tensor([1., 1.])
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state, hook):
        """Let `hook(state, bucket)` exchange the gradients; it gives a Future of the bucket's new values.

        >>> import weft
        >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
        >>> net.register_comm_hook(None, lambda state, bucket: None)
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self.reducer is None:
            return
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook, self.reducer.state = hook, state

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """A region in which ranks may have different numbers of batches: who has finished keeps the others company.

        >>> import weft
        >>> net = weft.nn.parallel.DistributedDataParallel(weft.nn.Linear(3, 2))
        >>> with net.join():
        ...     net(weft.ones(1, 3)).sum().backward()
        """
        if self.reducer is None or not enable:
            return contextlib.nullcontext()
        return Company(self, divide_by_initial_world_size, throw_on_early_termination)

    def _set_static_graph(self):
        self.static_graph = True

    def __getstate__(self):
        if self.reducer is not None:
            raise RuntimeError("DistributedDataParallel can't be pickled or copied while it belongs to a group\n"
                               "  fix: copy or save its .module")
        return self.__dict__


def spread(tensors, group, root, who="DistributedDataParallel's parameters"):
    """Give tensors rank `root`'s values (a number in the group), those of one type in one message."""
    with no_grad():
        for dtype in dict.fromkeys(t._form.dtype for t in tensors):
            alike = [t for t in tensors if t._form.dtype == dtype]
            flat = wrap(np.concatenate([np.ascontiguousarray(t._array).reshape(-1) for t in alike]))
            collectives.broadcast(flat, group=group, group_src=root)
            if group.rank() == root:
                continue
            start = 0
            for t in alike:
                t.detach().copy_(flat[start:start + t.numel()].reshape(t.shape))
                start += t.numel()


class Company:
    """`join`: every forward tells who still has inputs; a rank that has none repeats the others' exchanges."""
    DONE, QUIET, ACTIVE = 0, 1, 2       # no inputs left; a forward under no_sync; one that exchanges gradients

    def __init__(self, model, divide_by_all, throw):
        self.model, self.divide_by_all, self.throw = model, divide_by_all, throw

    def __enter__(self):
        self.model._join = self
        return self

    def tell(self, state):
        """Every rank's state."""
        group = self.model.process_group
        every = [wrap(np.zeros(1, np.int64)) for _ in range(group.size())]
        collectives.all_gather(every, wrap(np.array([state], np.int64)), group)
        states = [t.item() for t in every]
        if self.throw and self.DONE in states:
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return states

    def announce(self, sync):
        """This rank's forward; the number of the first rank that has one."""
        states = self.tell(self.ACTIVE if sync else self.QUIET)
        active = len(states) - states.count(self.DONE)
        self.model.reducer.scale = 1 / (len(states) if self.divide_by_all else active)
        return next(i for i, s in enumerate(states) if s != self.DONE)

    def __exit__(self, kind, error, trace):
        model = self.model
        model._join = None
        if kind is not None:
            return
        last = model.process_group.rank()
        while True:
            states = self.tell(self.DONE)
            active = [i for i, s in enumerate(states) if s != self.DONE]
            if not active:
                break
            last = active[-1]
            model.reducer.scale = 1 / (len(states) if self.divide_by_all else len(active))
            if states[active[0]] == self.ACTIVE:
                if model.broadcast_buffers and model._shared:
                    spread(model._shared, model.process_group, active[0])
                model.reducer.shadow()
        # the parameters of those who came latest are the newest: all ranks see the same last round
        agreed = wrap(np.array([last if last != model.process_group.rank() else -1], np.int64))
        collectives.all_reduce(agreed, ReduceOp.MAX, model.process_group)
        root = int(agreed.item()) if agreed.item() >= 0 else 0
        spread([*model._parts, *model._shared], model.process_group, root)
        model.reducer.scale = 1 / model.process_group.size()
