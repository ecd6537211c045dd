"""Edits of a model while it trains: insert, append, remove and replace modules; freeze, unfreeze; tie and untie
parameters.

The optimizer finds the edit by itself at its next step (weft/optim/follow.py). `widen` and `prune_units`, which change
sizes, are in `resize.py` and exported here. Every function checks first and edits then: an error leaves the model as it
was.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.ReLU(), weft.nn.Linear(3, 1))
    >>> optimizer = weft.optim.Adam(net.parameters())
    >>> insert(net, "2", weft.nn.BatchNorm1d(3))
    BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)
    >>> widen(net, "0", 8)
    >>> net[3]
    Linear(in_features=8, out_features=1, bias=True)
"""
import fnmatch

from weft.nn.edits import EDITS, first_ones, note_origin
from weft.nn.module import Module
from weft.nn.modules.container import ModuleDict, ModuleList, Sequential
from weft.nn.modules.linear import Identity
from weft.nn.parameter import Parameter
from weft.nn.utils.resize import prune_units, resize_embedding, widen

__all__ = ["append", "freeze", "insert", "is_frozen", "prune_units", "remove", "replace", "resize_embedding", "tie",
           "unfreeze", "untie", "widen"]


# modules

def _parent(model, path):
    """(the module above, the last name) of a path."""
    if not isinstance(path, str) or not path:
        raise ValueError(f"a path names a module inside of the model, like 'encoder.2'; got {path!r}")
    above, _, name = path.rpartition(".")
    return model.get_submodule(above), name


def _position(container, name, last):
    """An index into a container, from the front; `last` is the greatest that is allowed."""
    try:
        index = int(name)
    except ValueError:
        names = list(container._modules)
        if name in names:
            return names.index(name)
        raise IndexError(f"{type(container).__name__} has no module '{name}'\n  fix: it has "
                         f"{', '.join(names) or 'none'}") from None
    index += len(container) if index < 0 else 0
    if not 0 <= index <= last:
        raise IndexError(f"{type(container).__name__} of {len(container)} modules has no position {name}")
    return index


def _check_module(module):
    if not isinstance(module, Module):
        raise TypeError(f"expected a module, got {type(module).__name__}")


def _mark_clean(module):
    """Its parameters come from nowhere, whatever names they get."""
    for p in module.parameters():
        note_origin(p, None)


def _found(model, path):
    """(parent, name in it, the module there or None); in a Sequential or ModuleList a negative number counts from the
    end.
    """
    parent, name = _parent(model, path)
    if isinstance(parent, (Sequential, ModuleList)):
        name = list(parent._modules)[_position(parent, name, len(parent) - 1)]
    return parent, name, parent._modules.get(name)


def insert(model, path, module):
    """Put a module in before the one at `path` of a Sequential or ModuleList, whose rest moves up by one; elsewhere,
    under a new name.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.Linear(3, 1))
    >>> _ = weft.nn.utils.surgery.insert(net, "1", weft.nn.ReLU())
    >>> [type(layer).__name__ for layer in net]
    ['Linear', 'ReLU', 'Linear']
    """
    _check_module(module)
    parent, name = _parent(model, path)
    if isinstance(parent, (Sequential, ModuleList)):
        index = _position(parent, name, len(parent))
        _mark_clean(module)
        parent.insert(index, module)
    else:
        if hasattr(parent, name):
            raise KeyError(f"{type(parent).__name__} already has '{name}'\n  fix: replace(model, '{path}', module)")
        parent._check_name("module", name, parent._modules)
        _mark_clean(module)
        parent.add_module(name, module)
    return module


def append(model, path, module):
    """Add a module at the end of the Sequential or ModuleList at `path`; "" is the model itself.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3))
    >>> _ = weft.nn.utils.surgery.append(net, "", weft.nn.ReLU())
    >>> net[1]
    ReLU()
    """
    _check_module(module)
    container = model.get_submodule(path)
    if not isinstance(container, (Sequential, ModuleList)):
        raise TypeError(f"append: '{path}' is a {type(container).__name__}, not a Sequential or ModuleList\n  fix: "
                        f"insert it under a name")
    _mark_clean(module)
    container.append(module)
    return module


def remove(model, path, identity=False):
    """Take the module at `path` out, and give it back; in a Sequential or ModuleList the rest moves down. `identity`
    leaves an Identity.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.Dropout(), weft.nn.Linear(3, 1))
    >>> weft.nn.utils.surgery.remove(net, "1")
    Dropout(p=0.5, inplace=False)
    >>> len(net)
    2
    """
    parent, name, module = _found(model, path)
    if module is None:
        raise AttributeError(f"{type(parent).__name__} has no module '{name}'\n  fix: it has "
                             f"{', '.join(parent._modules) or 'none'}")
    if identity:
        setattr(parent, name, Identity())
    elif isinstance(parent, (Sequential, ModuleList)):
        del parent[list(parent._modules).index(name)]
    elif isinstance(parent, ModuleDict):
        del parent[name]
    else:
        delattr(parent, name)
    return module


def replace(model, path, module, state="follow"):
    """Put a module in the place of another, which is given back.

    With state="follow" the optimizer's state of equally named parameters is taken over, cut or padded with zeros to the
    new shapes; with state="clean" the new module starts as new ones do.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.ReLU())
    >>> weft.nn.utils.surgery.replace(net, "1", weft.nn.GELU())
    ReLU()
    >>> net[1]
    GELU(approximate='none')
    """
    _check_module(module)
    if state not in ("follow", "clean"):
        raise ValueError(f"state must be 'follow' or 'clean', not {state!r}")
    parent, name, before = _found(model, path)
    if before is None:
        raise AttributeError(f"{type(parent).__name__} has no module '{name}'\n  fix: insert(model, '{path}', module)")
    if state == "clean":
        _mark_clean(module)
    else:
        old = dict(before.named_parameters())
        for key, p in module.named_parameters():
            if key in old and old[key] is not p:
                fits = old[key].dim() == p.dim()
                note_origin(p, old[key] if fits else None, first_ones(old[key].shape, p.shape) if fits else None)
    setattr(parent, name, module)
    return before


# frozen parts

def _chosen(model, patterns):
    """(modules, parameters) at these paths, which may hold * and ?; all of the model when there are none."""
    modules, params = dict(model.named_modules()), dict(model.named_parameters(remove_duplicate=False))
    if not patterns:
        return list(modules.values()), list(params.values())
    chosen, single = [], []
    for pattern in patterns:
        roots = [name for name in modules if name == pattern or name and fnmatch.fnmatchcase(name, pattern)]
        own = [name for name in params if fnmatch.fnmatchcase(name, pattern)]
        if not roots and not own:
            raise AttributeError(f"'{pattern}' is no module or parameter of this {type(model).__name__}\n"
                                 f"  fix: one of {', '.join(list(modules)[1:8])} ...")
        for root in roots:
            chosen += modules[root].modules()
            single += modules[root].parameters()
        single += [params[name] for name in own]
    return chosen, single


def freeze(model, *paths, stats=True):
    """Stop training of the modules and parameters at these paths (all, if none are given): they stay as they are, bit
    for bit.

    Gradients are dropped, so that no weight decay or momentum moves them; with `stats`, layers with running statistics
    are put, and stay through `train()`, in evaluation mode. The optimizer keeps their state for the time after
    `unfreeze`.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> weft.nn.utils.surgery.freeze(layer)
    Linear(in_features=2, out_features=1, bias=True)
    >>> layer.weight.requires_grad
    False
    """
    modules, params = _chosen(model, paths)
    for p in params:
        p.requires_grad_(False)
        p.grad = None
    for module in modules if stats else ():
        if any(b is not None for b in module._buffers.values()):
            module.__dict__["_frozen"] = True
            module.training = False
    EDITS.count += 1
    return model


def unfreeze(model, *paths):
    """Train them again; layers with statistics take the mode of their model.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> weft.nn.utils.surgery.freeze(layer)
    Linear(in_features=2, out_features=1, bias=True)
    >>> weft.nn.utils.surgery.unfreeze(layer)
    Linear(in_features=2, out_features=1, bias=True)
    >>> layer.weight.requires_grad
    True
    """
    modules, params = _chosen(model, paths)
    for p in params:
        if p.is_floating_point() or p.is_complex():
            p.requires_grad_(True)
    for module in modules:
        if module.__dict__.pop("_frozen", None):
            module.training = model.training
    EDITS.count += 1
    return model


def is_frozen(model, path=""):
    """Whether nothing at a path is trained.

    >>> import weft
    >>> weft.nn.utils.surgery.is_frozen(weft.nn.Linear(2, 1))
    False
    """
    _, params = _chosen(model, [path] if path else [])
    return not any(p.requires_grad for p in params)


# shared parameters

def _place(model, path):
    above, _, name = path.rpartition(".")
    owner = model.get_submodule(above)
    if not isinstance(owner._parameters.get(name), Parameter):
        raise AttributeError(f"{type(owner).__name__} has no parameter '{name}'\n  fix: it has "
                             f"{', '.join(owner._parameters) or 'none'}")
    return owner, name


def tie(model, path, other):
    """Let `other` be the same parameter as the one at `path`; its own values and its state in the optimizer are
    dropped.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Embedding(10, 4), weft.nn.Linear(4, 10, bias=False))
    >>> _ = weft.nn.utils.surgery.tie(net, "0.weight", "1.weight")
    >>> net[0].weight is net[1].weight
    True
    """
    (owner, name), (place, key) = _place(model, path), _place(model, other)
    kept, dropped = owner._parameters[name], place._parameters[key]
    if kept.shape != dropped.shape:
        raise ValueError(f"tie: {path} is {tuple(kept.shape)}, {other} is {tuple(dropped.shape)}; tied parameters have "
                         f"one shape")
    if kept is not dropped:
        setattr(place, key, kept)
    return kept


def untie(model, path):
    """Give the parameter at `path` a copy of its own, with a copy of the state that the shared one has in the
    optimizer.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Embedding(10, 4), weft.nn.Linear(4, 10, bias=False))
    >>> _ = weft.nn.utils.surgery.tie(net, "0.weight", "1.weight")
    >>> _ = weft.nn.utils.surgery.untie(net, "1.weight")
    >>> net[0].weight is net[1].weight
    False
    """
    owner, name = _place(model, path)
    shared = owner._parameters[name]
    if sum(p is shared for module in model.modules() for p in module._parameters.values()) < 2:
        raise ValueError(f"untie: {path} is not shared with another module of this {type(model).__name__}")
    made = Parameter(shared.detach().clone(), requires_grad=shared.requires_grad)
    note_origin(made, shared)
    setattr(owner, name, made)
    return made
