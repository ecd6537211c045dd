"""How an optimizer follows a model whose parameters change while it trains.

`model.parameters()` and `model.named_parameters()` know their model. An optimizer that was given one of them remembers the model and, by
name, which parameter is which. When modules were edited since its last step it looks again:

- a parameter that is still there keeps its state, bit for bit;
- one that was replaced under its name (a layer was widened, pruned, exchanged) takes over the state of the old one: every tensor of the
  state that had the old shape is cut or padded with zeros to the new one, numbers and step counts are kept; if the number of dimensions
  changed, it starts clean;
- a new one starts clean, in the group that follows its part of the model;
- a removed one is dropped together with its state.
"""
import weakref

from weft.core.modes import no_grad
from weft.nn.edits import EDITS
from weft.tensor.tensor import Tensor

SOURCE = "_follows"


class Source:
    """A module, weakly, and the parameters that it had when it was last looked at, by name."""

    def __init__(self, module, recurse=True):
        self.module, self.recurse = weakref.ref(module), recurse
        self.known = {}
        self.seen = -1

    def now(self):
        """The parameters by name, or None when the module is gone."""
        module = self.module()
        return None if module is None else dict(module.named_parameters(recurse=self.recurse))


def source_of(params):
    """The source of what a Module's parameters() gave; None for anything else."""
    module = getattr(params, "module", None)
    return Source(module, params.recurse) if module is not None and hasattr(params, "recurse") else None


def begin(optimizer, index, source):
    """Follow the model with group `index`, if the group holds all of its parameters."""
    named = source.now()
    group = optimizer.param_groups[index]
    if named is None or {id(p) for p in named.values()} != {id(p) for p in group["params"]}:
        return
    source.known, source.seen = named, EDITS.count
    optimizer._sources[index] = source


def copy_sources(optimizer, made, memo):
    """Let a copy of an optimizer follow the copies of the models; `memo` is deepcopy's."""
    for index, source in optimizer._sources.items():
        module = memo.get(id(source.module()))
        if module is not None:
            begin(made, index, Source(module, source.recurse))


def update(optimizer):
    """Take note of what was edited since the last look."""
    for index, source in optimizer._sources.items():
        if source.seen != EDITS.count:
            source.seen = EDITS.count
            named = source.now()
            if named is not None and list(map(id, named.values())) != list(map(id, source.known.values())):
                _change(optimizer, optimizer.param_groups[index], source.known, named)
                source.known = named


def _change(optimizer, group, old, new):
    staying = {id(p) for p in new.values()}
    for name, p in new.items():
        before = old.get(name)
        if before is not None and before is not p and id(before) not in staying and before in optimizer.state and p not in optimizer.state:
            carried = carry(optimizer.state[before], before, p)
            if carried:
                optimizer.state[p] = carried
    for p in old.values():
        if id(p) not in staying:
            optimizer.state.pop(p, None)
    group["params"] = list({id(p): p for p in new.values()}.values())
    if "param_names" in group:
        by_id = {}
        for name, p in new.items():
            by_id.setdefault(id(p), name)
        group["param_names"] = [by_id[id(p)] for p in group["params"]]
    optimizer._edited()


def carry(state, old, new):
    """The state of a parameter for the one that replaces it; empty when they have nothing in common."""
    if old.dim() != new.dim() or old.dtype != new.dtype:
        return {}
    return {key: _fitted(value, new) if isinstance(value, Tensor) and value.shape == old.shape and value.dim() else _copied(value)
            for key, value in state.items()}


def _copied(value):
    return value.clone() if isinstance(value, Tensor) else value


def _fitted(value, like):
    """A tensor cut, or padded with zeros, to another's shape."""
    if value.shape == like.shape:
        return value.clone()
    with no_grad():
        made = value.new_zeros(like.shape)
        part = tuple(slice(0, min(a, b)) for a, b in zip(value.shape, like.shape))
        made[part] = value[part]
    return made
