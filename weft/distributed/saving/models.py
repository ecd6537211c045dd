"""States of models and optimizers by parameters' names, alike for bare, data-parallel and sharded models."""
from dataclasses import dataclass

from weft.core.errors import fail
from weft.core.modes import no_grad
from weft.distributed import objects
from weft.distributed.dtensor.make import DTensor, drawn
from weft.distributed.groups import get_rank, get_world_size, is_initialized
from weft.tensor.tensor import Tensor

__all__ = ["StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict",
           "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict"]


@dataclass
class StateDictOptions:
    """full_state_dict: DTensors become whole tensors. ignore_frozen_params: parameters without gradients are left out.
    strict: loading wants all keys, and no others. broadcast_from_rank0: what is loaded is rank 0's.
    flatten_optimizer_state_dict: one flat dict for the optimizer's state.

    >>> from weft.distributed.checkpoint.state_dict import StateDictOptions
    >>> StateDictOptions(full_state_dict=True).strict
    True
    """
    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


# what wrappers call the module that they wrap
WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def clean(name, known=()):
    """A parameter's name without what wrappers put into it; one that is known is right as it is."""
    return name if name in known else ".".join([part for part in name.split(".") if part not in WRAPPERS] or [name])


def bare(model):
    """The model inside of wrappers whose only part it is."""
    while type(model).__name__ in ("DistributedDataParallel", "FullyShardedDataParallel", "DataParallel"):
        model = model.module
    return model


def names(model):
    """{id of a parameter: its name}"""
    return {id(p): name for name, p in bare(model).named_parameters()}


def whole(value):
    return value.full_tensor() if isinstance(value, DTensor) else value


def get_model_state_dict(model, *, submodules=None, options=None):
    """A model's state by names that don't depend on how it is wrapped; parameters are DTensors where they are spread.

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_model_state_dict
    >>> list(get_model_state_dict(weft.nn.Linear(2, 1)))
    ['weight', 'bias']
    """
    options = options or StateDictOptions()
    if submodules is not None:
        fail(NotImplementedError, "get_model_state_dict(submodules=...)", "ask for the state of each of them")
    model = bare(model)
    state = model.state_dict()
    if options.ignore_frozen_params:
        frozen = {name for name, p in model.named_parameters() if not p.requires_grad}
        state = {name: value for name, value in state.items() if name not in frozen}
    with no_grad():
        return {name: whole(v) if options.full_state_dict else v for name, v in state.items()}


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """The state of one or more optimizers, by the parameters' names; states that don't exist yet are begun.

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_optimizer_state_dict
    >>> net = weft.nn.Linear(2, 1)
    >>> sorted(get_optimizer_state_dict(net, weft.optim.Adam(net.parameters()))["state"])
    ['bias', 'weight']
    """
    options = options or StateDictOptions()
    made = {"state": {}, "param_groups": []}
    for optimizer in listed(optimizers):
        begin(optimizer)
        one = one_state(model, optimizer)
        made["state"].update(one["state"])
        made["param_groups"].extend(one["param_groups"])
    if options.full_state_dict:
        made["state"] = {name: {k: whole(v) for k, v in values.items()} for name, values in made["state"].items()}
    return flattened(made) if options.flatten_optimizer_state_dict else made


def listed(optimizers):
    return list(optimizers) if isinstance(optimizers, (list, tuple, set)) else [optimizers]


def begin(optimizer):
    """Give an optimizer that has made no step the state of its first: a step at rate 0, with gradients of zero."""
    if optimizer.state or any([p.grad is not None for group in optimizer.param_groups for p in group["params"]]):
        return
    rates = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = Tensor.new_zeros(group["lr"], ()) if isinstance(group["lr"], Tensor) else 0.0
        for p in group["params"]:
            p.grad = p.detach().clone().zero_() if p.requires_grad else None
    optimizer.step()
    for group, rate in zip(optimizer.param_groups, rates):
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def one_state(model, optimizer):
    known = names(model)
    order = [known[id(p)] for group in optimizer.param_groups for p in group["params"]]
    plain = optimizer.state_dict()
    return {"state": {order[i]: dict(values) for i, values in plain["state"].items()},
            "param_groups": [{**g, "params": [order[i] for i in g["params"]]} for g in plain["param_groups"]]}


def flattened(state):
    """state.<name>.<key> and param_groups.<name>.<key>, flat."""
    made = {f"state.{name}.{key}": v for name, values in state["state"].items() for key, v in values.items()}
    for group in state["param_groups"]:
        for name in group["params"]:
            made.update({f"param_groups.{name}.{key}": v for key, v in group.items() if key != "params"})
    return made


def unflattened(model, optimizer, flat_state):
    known = names(model)
    made = {"state": {}, "param_groups": []}
    for group in optimizer.param_groups:
        own = [known[id(p)] for p in group["params"]]
        for name in own:
            start = f"state.{name}."
            made["state"][name] = {k[len(start):]: v for k, v in flat_state.items() if k.startswith(start)}
        start = f"param_groups.{own[0]}." if own else None
        made["param_groups"].append({"params": own, **{k[len(start):]: v for k, v in flat_state.items()
                                                       if start and k.startswith(start)}})
    return made


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """(the model's state, the optimizers' state)

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_state_dict
    >>> net = weft.nn.Linear(2, 1)
    >>> own, steps = get_state_dict(net, weft.optim.SGD(net.parameters(), lr=0.1))
    >>> steps["param_groups"][0]["params"]
    ['weight', 'bias']
    """
    return (get_model_state_dict(model, submodules=submodules, options=options),
            get_optimizer_state_dict(model, optimizers, options=options) if listed(optimizers) else {})


def from_first(state, options):
    """Rank 0's state on all ranks, where that is asked for."""
    if not options.broadcast_from_rank0 or not is_initialized() or get_world_size() == 1:
        return state
    kept = [state if get_rank() == 0 else None]
    objects.broadcast_object_list(kept, 0)
    return kept[0]


def set_model_state_dict(model, model_state_dict, *, options=None):
    """Load a model's state; whole tensors go into DTensors too.

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
    >>> net = weft.nn.Linear(2, 1)
    >>> set_model_state_dict(net, get_model_state_dict(weft.nn.Linear(2, 1)))
    <All keys matched successfully>
    """
    options = options or StateDictOptions()
    state, model = from_first(model_state_dict, options), bare(model)
    known = model.state_dict()
    state = {clean(name, known): value for name, value in state.items()}
    empty = any([isinstance(t, Tensor) and t.is_meta for t in known.values()])      # a model that was never filled
    if empty:
        state = {name: spread_like(value, known.get(name)) for name, value in state.items()}
    return model.load_state_dict(state, strict=options.strict, assign=empty)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """Load the state of one or more optimizers, by the parameters' names.

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_optimizer_state_dict, set_optimizer_state_dict
    >>> net = weft.nn.Linear(2, 1)
    >>> optimizer = weft.optim.Adam(net.parameters())
    >>> set_optimizer_state_dict(net, optimizer, get_optimizer_state_dict(net, optimizer))
    """
    options = options or StateDictOptions()
    state = from_first(optim_state_dict, options)
    for optimizer in listed(optimizers):
        given = state if "param_groups" in state else unflattened(model, optimizer, state)
        optimizer.load_state_dict(by_number(model, optimizer, given))


def by_number(model, optimizer, given):
    """A state by names as `optimizer.load_state_dict` takes it: by numbers, tensors spread as the optimizer's own."""
    known = names(model)
    begin(optimizer)
    made = optimizer.state_dict()
    order = [p for group in optimizer.param_groups for p in group["params"]]
    options = {name: group for group in given["param_groups"] for name in group["params"]}
    for i, p in enumerate(order):
        saved = given["state"].get(known[id(p)])
        if saved is not None:
            own = made["state"].get(i, {})
            made["state"][i] = {k: spread_like(v, own.get(k, p if getattr(v, "shape", ()) == p.shape else None))
                                for k, v in saved.items()}
    for group, own in zip(made["param_groups"], optimizer.param_groups):
        first = options.get(known[id(own["params"][0])], {}) if own["params"] else {}
        group.update({k: v for k, v in first.items() if k != "params"})
    return made


def spread_like(value, own):
    """A whole tensor spread as the one that it replaces."""
    if not isinstance(own, DTensor) or isinstance(value, DTensor):
        return value
    with no_grad():
        return drawn(lambda shape: value.detach().expand(shape), own._owed.layout)


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """Load the state of a model and of its optimizers.

    >>> import weft
    >>> from weft.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    >>> net = weft.nn.Linear(2, 1)
    >>> optimizer = weft.optim.Adam(net.parameters())
    >>> own, steps = get_state_dict(net, optimizer)
    >>> set_state_dict(net, optimizer, model_state_dict=own, optim_state_dict=steps)
    <All keys matched successfully>
    """
    if listed(optimizers):
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
