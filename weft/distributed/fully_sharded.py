"""FullyShardedDataParallel: PyTorch's older class around a model that `fully_shard` cuts; its states are whole."""
import contextlib
from types import SimpleNamespace

from weft.core.errors import fail
from weft.distributed.dtensor.tensor import DTensor
from weft.distributed.groups import get_rank, group_or_world
from weft.distributed.mesh import DeviceMesh
from weft.distributed.sharded import fully_shard, units_of
from weft.nn.module import Module
from weft.nn.utils.clip_grad import clip_grad_norm_
from weft.tensor.tensor import Tensor

__all__ = ["FullyShardedDataParallel"]
INSIDE = "_fsdp_wrapped_module."
KEEP_NOTHING = ("FULL_SHARD", "HYBRID_SHARD")       # the strategies that let go of whole values after a forward


def whole(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def policy_of(precision):
    """MixedPrecision as fully_shard takes it: what it names, it names alike."""
    if precision is None or hasattr(precision, "output_dtype"):
        return precision
    return SimpleNamespace(param_dtype=precision.param_dtype, reduce_dtype=precision.reduce_dtype, output_dtype=None,
                           cast_forward_inputs=precision.cast_root_forward_inputs)


class FullyShardedDataParallel(Module):
    """A model that is cut as `fully_shard` does it, whole or by layers (auto_wrap_policy). Its `state_dict` has whole
    parameters by their own names, on all ranks, which all must ask for it (`state_dict_type` chooses DTensors, or only
    rank 0).

    Shape: what its module takes and gives.

    >>> import weft
    >>> from weft.distributed.fsdp import FullyShardedDataParallel
    >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
    >>> net(weft.ones(1, 3)).shape, list(net.state_dict())
    (torch.Size([1, 2]), ['weight', 'bias'])
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, module, process_group=None, sharding_strategy=None, cpu_offload=None, auto_wrap_policy=None,
                 backward_prefetch=None, mixed_precision=None, ignored_modules=None, param_init_fn=None, device_id=None,
                 sync_module_states=False, forward_prefetch=False, limit_all_gathers=True, use_orig_params=True,
                 ignored_states=None, device_mesh=None):
        super().__init__()
        ignored = {p for m in ignored_modules or () for p in m.parameters()}
        ignored |= {p for value in ignored_states or () for p in (value.parameters() if isinstance(value, Module)
                                                                  else [value])}
        if device_mesh is None and process_group is not None:
            ranks = group_or_world(process_group).ranks
            device_mesh = DeviceMesh("cpu", ranks, _groups=[process_group])
        options = {"mesh": device_mesh, "mp_policy": policy_of(mixed_precision), "ignored_params": ignored,
                   "reshard_after_forward": None if getattr(sharding_strategy, "name", "FULL_SHARD") in KEEP_NOTHING
                   else False}
        if auto_wrap_policy is not None:
            cut_layers(module, auto_wrap_policy, options)
        self._fsdp_wrapped_module = fully_shard(module, **options)
        self._chosen = ("FULL_STATE_DICT", False)
        self.register_state_dict_post_hook(lambda m, state, prefix, notes: self._saved(state, prefix))
        self.register_load_state_dict_pre_hook(lambda m, state, prefix, *rest: self._loaded(state, prefix))

    @property
    def module(self):
        """The model inside.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> FullyShardedDataParallel(weft.nn.Linear(3, 2)).module.in_features
        3
        >>> weft.distributed.destroy_process_group()
        """
        return self._fsdp_wrapped_module

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_fsdp_wrapped_module"), name)

    def forward(self, *inputs, **kwargs):
        return self._fsdp_wrapped_module(*inputs, **kwargs)

    def named_parameters(self, *args, **kwargs):
        """Parameters by the names that they have in the model.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> [name for name, p in FullyShardedDataParallel(weft.nn.Linear(3, 2)).named_parameters()]
        ['weight', 'bias']
        >>> weft.distributed.destroy_process_group()
        """
        for name, p in super().named_parameters(*args, **kwargs):
            yield name.replace(INSIDE, ""), p

    def _saved(self, state, prefix):
        kind, first_only = self._chosen
        for name in [name for name in state if name.startswith(prefix)]:
            value = state.pop(name)
            value = whole(value.detach()) if kind == "FULL_STATE_DICT" and isinstance(value, Tensor) else value
            if not first_only or get_rank() == 0:
                state[prefix + name[len(prefix):].replace(INSIDE, "")] = value

    def _loaded(self, state, prefix):
        for name in [name for name in state if name.startswith(prefix) and not name.startswith(prefix + INSIDE)]:
            state[prefix + INSIDE + name[len(prefix):]] = state.pop(name)

    @contextlib.contextmanager
    def no_sync(self):
        """A region whose backwards exchange no gradients: they add up until the next one that does.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> with net.no_sync():
        ...     net(weft.ones(1, 3)).sum().backward()
        >>> net.module.bias.grad is None
        True
        >>> weft.distributed.destroy_process_group()
        """
        self.module.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            self.module.set_requires_gradient_sync(True)

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        """Scale the gradients so that the norm of all ranks' is at most max_norm; what it was, as a plain tensor.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 1))
        >>> net(weft.ones(1, 3)).sum().backward()
        >>> net.clip_grad_norm_(1.0)
        tensor(2.)
        >>> weft.distributed.destroy_process_group()
        """
        return whole(clip_grad_norm_(list(self.parameters()), max_norm, norm_type))

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(module, recurse=True, writeback=True, rank0_only=False, offload_to_cpu=False,
                           with_grads=False):
        """A region in which the parameters are whole; what is written to them is kept.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> with FullyShardedDataParallel.summon_full_params(net):
        ...     type(net.module.weight).__name__
        'Parameter'
        >>> weft.distributed.destroy_process_group()
        """
        if with_grads:
            fail(NotImplementedError, "summon_full_params(with_grads=True)", "p.grad.full_tensor()")
        units = units_of(module)
        for unit in units:
            unit.gather()
        try:
            yield
        finally:
            for unit in units:
                unit.keep() if writeback else None
                unit.cut()

    @staticmethod
    def set_state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """What `state_dict` gives from now on: FULL_STATE_DICT whole tensors, SHARDED_STATE_DICT DTensors.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel, StateDictType
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> FullyShardedDataParallel.set_state_dict_type(net, StateDictType.SHARDED_STATE_DICT)
        >>> net.state_dict()["weight"].placements
        (Shard(dim=0),)
        >>> weft.distributed.destroy_process_group()
        """
        first_only = bool(getattr(state_dict_config, "rank0_only", False))
        for m in module.modules():
            if isinstance(m, FullyShardedDataParallel):
                m._chosen = (state_dict_type.name, first_only)

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """The same for a region.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel, StateDictType
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> with FullyShardedDataParallel.state_dict_type(net, StateDictType.SHARDED_STATE_DICT):
        ...     net.state_dict()["weight"].placements
        (Shard(dim=0),)
        >>> weft.distributed.destroy_process_group()
        """
        before = [(m, m._chosen) for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        FullyShardedDataParallel.set_state_dict_type(module, state_dict_type, state_dict_config)
        try:
            yield
        finally:
            for m, chosen in before:
                m._chosen = chosen

    @staticmethod
    def optim_state_dict(model, optim, optim_state_dict=None, group=None):
        """An optimizer's whole state, by the parameters' names; all ranks ask for it, and any number can load it.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
        >>> FullyShardedDataParallel.optim_state_dict(net, optimizer)["param_groups"][0]["params"]
        ['weight', 'bias']
        >>> weft.distributed.destroy_process_group()
        """
        from weft.distributed.saving.models import StateDictOptions, get_optimizer_state_dict  # it knows this class
        return get_optimizer_state_dict(model, optim, options=StateDictOptions(full_state_dict=True))

    full_optim_state_dict = optim_state_dict

    @staticmethod
    def optim_state_dict_to_load(model, optim, optim_state_dict, is_named_optimizer=False, load_directly=False,
                                 group=None):
        """This rank's part of a whole state, for `optim.load_state_dict`.

        >>> import weft
        >>> from weft.distributed.fsdp import FullyShardedDataParallel
        >>> net = FullyShardedDataParallel(weft.nn.Linear(3, 2))
        >>> optimizer = weft.optim.SGD(net.parameters(), lr=0.1)
        >>> whole = FullyShardedDataParallel.optim_state_dict(net, optimizer)
        >>> optimizer.load_state_dict(FullyShardedDataParallel.optim_state_dict_to_load(net, optimizer, whole))
        >>> weft.distributed.destroy_process_group()
        """
        from weft.distributed.saving.models import by_number  # it knows this class
        return by_number(model, optim, optim_state_dict)


def cut_layers(module, policy, options):
    """fully_shard for the layers of which a policy says so, the innermost first."""
    for layer in module.children():
        numel = sum([p.numel() for p in layer.parameters() if not isinstance(p, DTensor)])
        if policy(module=layer, recurse=True, nonwrapped_numel=numel):
            cut_layers(layer, policy, options)
            left = sum([p.numel() for p in layer.parameters() if not isinstance(p, DTensor)])
            if left and policy(module=layer, recurse=False, nonwrapped_numel=left):
                fully_shard(layer, **options)
