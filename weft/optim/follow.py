"""How an optimizer follows a model whose parameters change while it trains.

An optimizer that was given a model's parameters remembers the model and which parameter is which. It doesn't matter
whether it was given `model.parameters()`, a list or a filter of them, or several groups: the model is found through the
modules that there are. When modules were edited since the last step, it looks again:

- a parameter that is still there keeps its state, bit for bit, whatever it is called now;
- one that replaced another takes over that one's state and place: as noted by `nn.utils.surgery` (which rows and
  columns are left, see
  `nn/edits.py`), otherwise because it stands in the same module under the same name, otherwise because it has the full
  name of one whose module is gone.
  State tensors are taken over index by index, see `optim/carry.py`; if the number of dimensions changed, it starts
  clean;
- a new one starts clean, in the group that follows its part of the model; among several groups of one model in the one
  that holds the
  parameters of the nearest part of the model, and of these the same kind (name and number of dimensions);
- a removed one is dropped together with its state;
- what was left out when the optimizer was made stays out; and if that was trainable, new parameters are left out too:
  they may be
  another optimizer's.
"""
import weakref

from weft.core.modes import no_grad
from weft.nn.edits import EDITS, Homes, origin_of
from weft.optim.carry import carry, carry_flat, compose

SOURCE = "_follows"
EAGER = 8           # up to so many groups, their models are found at once; for more, at the first step


class Source:
    """A module, weakly, and what was seen of it: the parameters by name and by place, and which of them an optimizer
    holds.
    """

    def __init__(self, module=None, recurse=True):
        self.module = (lambda: None) if module is None else weakref.ref(module)
        self.recurse = recurse
        self.groups = []            # the numbers of the groups that follow it
        self.names, self.places = {}, {}        # name -> parameter; (id of the owner, name in it) -> parameter
        self.owners = {}            # id -> weak reference: an id alone may be that of a newer module
        self.left_out = set()       # ids
        # frozen parameters that were taken out of an optimizer which moves all it has: id -> (p, group)
        self.resting = {}
        self.takes_new = True
        self.is_found = None        # for those that didn't say where they come from: whether that is known yet
        self.seen = -1

    def look(self):
        """(names, places) as they are now, or None when the module is gone."""
        module = self.module()
        if module is None:
            return None
        names, places = {}, {}
        for path, owner in module.named_modules() if self.recurse else [("", module)]:
            for name, p in owner._parameters.items():
                if p is not None:
                    names[f"{path}.{name}" if path else name] = p
                    places[id(owner), name] = p
        return names, places

    def has_owner(self, p, now):
        """Whether a module that held a parameter is still in the model (under another name): then what has its name now
        is not its heir.
        """
        present = {place[0] for _, place, _ in now.values()}
        return any(q is p and place[0] in present and self.owners[place[0]]() is not None
                   for place, q in self.places.items())

    def keep(self, found, optimizer):
        """Remember what was seen."""
        self.names, self.places = found
        self.owners = {id(m): weakref.ref(m) for m in (self.module().modules() if self.recurse else [self.module()])}
        held = _held(optimizer, self.groups)
        self.left_out = {id(p) for p in self.names.values() if id(p) not in held and id(p) not in self.resting}
        self.seen = EDITS.count


def source_of(params):
    """The source of what a Module's parameters() gave; for anything else one that has yet to be found."""
    module = getattr(params, "module", None)
    return Source(module, params.recurse) if module is not None and hasattr(params, "recurse") else Source()


def begin(optimizer, index, source):
    """Follow the model of the parameters in group `index`, if they are a model's."""
    if optimizer._sources:
        _look_again(optimizer)
    source.groups.append(index)
    optimizer._sources[index] = source
    ids = {id(p) for p in optimizer.param_groups[index]["params"]}
    if _is_whole(source, ids):
        source.keep(source.look(), optimizer)
        return
    source.is_found = False
    if len(optimizer.param_groups) <= EAGER:
        _find(optimizer)


def copy_sources(optimizer, made, memo):
    """Let a copy of an optimizer follow the copies of the models; `memo` is deepcopy's."""
    for source in dict.fromkeys(optimizer._sources.values()):
        module = memo.get(id(source.module()))
        own = Source(module, source.recurse)
        own.groups, own.is_found, own.takes_new = list(source.groups), source.is_found, source.takes_new
        own.resting = {id(memo[key]): (memo[key], number) for key, (_, number) in source.resting.items() if key in memo}
        if module is not None:
            own.keep(own.look(), made)
        if module is not None or own.is_found is False:
            made._sources.update(dict.fromkeys(own.groups, own))


def _is_whole(source, ids):
    """Whether these are all parameters of the source's module."""
    found = source.look()
    return found is not None and {id(p) for p in found[0].values()} == ids


# groups that didn't say where they come from

def _find(optimizer):
    """Find the models of groups that came as lists: one for all of them if they are all of its parameters, else one for
    each that is whole, and one for the rest."""
    groups, homes = optimizer.param_groups, Homes()
    numbers = [i for i, s in optimizer._sources.items() if s.is_found is not None and i < len(groups)]
    for i in numbers:
        del optimizer._sources[i]
    rest = ([] if _together(optimizer, homes, numbers, True)
            else [i for i in numbers if not _together(optimizer, homes, [i], True)])
    if rest and not _together(optimizer, homes, rest, False):
        for i in rest:
            _together(optimizer, homes, [i], False)


def _together(optimizer, homes, numbers, whole):
    """Follow one model with these groups; whether they have one in common, and `whole` if they hold all of it."""
    params = [p for i in numbers for p in optimizer.param_groups[i]["params"]]
    home = homes.of(params) if params else None
    if home is None or whole and {id(p) for p in params} != homes.held(home):
        return False
    made = Source(home)
    made.is_found, made.groups = True, list(numbers)
    made.keep(made.look(), optimizer)
    made.takes_new = not any(p.requires_grad for p in made.names.values() if id(p) in made.left_out)
    optimizer._sources.update(dict.fromkeys(numbers, made))
    return True


# looking again

def update(optimizer):
    """Take note of what was edited since the last look."""
    count = EDITS.count
    for source in optimizer._sources.values():
        if source.seen != count:
            break
    else:
        return
    if any(source.is_found is False for source in optimizer._sources.values()):
        _find(optimizer)
    _look_again(optimizer)


def _look_again(optimizer):
    """Take note of what was edited in the models that are known."""
    count = EDITS.count
    sources = [s for s in dict.fromkeys(optimizer._sources.values()) if s.seen != count and s.is_found is not False]
    for source in sorted(sources, key=lambda s: len(s.names)):      # parts before the whole
        found = source.look()
        if found is None:
            continue
        same = found[0].keys() == source.names.keys() and all(found[0][name] is p for name, p in source.names.items())
        if not same or optimizer.flat:
            _change(optimizer, source, *found)
        source.keep(found, optimizer)


def _held(optimizer, groups=None):
    """id -> group number of the parameters in these groups, or in all."""
    numbers = range(len(optimizer.param_groups)) if groups is None else groups
    return {id(p): i for i in numbers if i < len(optimizer.param_groups) for p in optimizer.param_groups[i]["params"]}


def _change(optimizer, source, names, places):
    held = _held(optimizer) | {key: number for key, (_, number) in source.resting.items()}
    now = {}                        # id -> (name, place, parameter), in the model's order
    for (name, p), place in zip(names.items(), places):
        now.setdefault(id(p), (name, place, p))
    before = {i: list(optimizer.param_groups[i]["params"]) for i in source.groups}
    old_rank = {}
    for rank, p in enumerate(source.names.values()):
        old_rank.setdefault(id(p), rank)
    origins, joined = {}, {i: [] for i in source.groups}
    for key, (name, place, p) in now.items():
        if key in held or key in source.left_out:
            continue
        old, maps = _origin(p, name, place, source, now, old_rank)
        if old is not None and (id(old) in source.left_out or id(old) not in held):
            continue
        number = held[id(old)] if old is not None else _group_for(optimizer, source, name, p)
        if number is not None and number in joined:
            joined[number].append(p)
            if old is not None:
                origins[key] = (old, maps)
    for number in source.groups:
        if number < len(optimizer.param_groups):
            _regroup(optimizer, source, number, before[number], joined[number], now, old_rank, origins)
    _carry_states(optimizer, source, before, now, origins)


def _origin(p, name, place, source, now, known):
    """(the parameter that p came from, maps), as noted, or by its place or name; (None, None) for a new one."""
    origin, maps = origin_of(p), None
    while origin is not None:
        if origin.old is None:
            return None, None
        old, maps = origin.old(), compose(maps, origin.maps)
        if old is not None and id(old) in known:
            return old, maps
        origin = origin.before
    owner = source.owners.get(place[0])
    old = source.places.get(place) if owner is not None and owner() is not None else None
    if old is not None and id(old) not in now:
        return old, None
    old = source.names.get(name)
    if old is not None and id(old) not in now and not source.has_owner(old, now):
        return old, None
    return None, None


def _group_for(optimizer, source, name, p):
    """The group that a new parameter goes to, or None."""
    if not source.takes_new or not optimizer.takes(p):
        return None
    if len(source.groups) == 1:
        return source.groups[0]
    held = _held(optimizer, source.groups)
    part, kind = name.split(".")[:-2], (name.rpartition(".")[2], p.dim())
    best, chosen = None, source.groups[0]
    for other, q in source.names.items():
        if id(q) in held:
            shared = 0
            for a, b in zip(part, other.split(".")[:-2]):
                if a != b:
                    break
                shared += 1
            rank = (shared, (other.rpartition(".")[2] == kind[0]) + (q.dim() == kind[1]))
            if best is None or rank > best:
                best, chosen = rank, held[id(q)]
    return chosen


def _regroup(optimizer, source, number, before, joined, now, old_rank, origins):
    """Give a group its parameters: in the model's order if they were so before, else replaced in place and new ones
    last.
    """
    group = optimizer.param_groups[number]
    replaced = {}
    for p in joined:
        if id(p) in origins:
            replaced.setdefault(id(origins[id(p)][0]), []).append(p)
    for key, (p, home) in list(source.resting.items()):
        if home == number and key in now and p.requires_grad:
            joined.append(p)
            del source.resting[key]
        elif key not in now:
            del source.resting[key]
    # what a module doesn't have now stays only if it never was that module's
    after = []
    for p in before:
        if id(p) in now or id(p) not in old_rank:
            after.append(p)
        else:
            after += replaced.get(id(p), [])
    there = {id(p) for p in after}
    after += [p for p in joined if id(p) not in there]
    if optimizer.flat:
        for p in after:
            if not p.requires_grad:
                source.resting[id(p)] = (p, number)
        after = [p for p in after if p.requires_grad]
    ranks = [old_rank[id(p)] for p in before if id(p) in old_rank]
    if len(ranks) == len(before) and ranks == sorted(ranks):
        order = {key: i for i, key in enumerate(now)}
        after.sort(key=lambda p: order[id(p)])
    group["params"] = after
    if "param_names" in group:
        old_names = {id(p): name for p, name in zip(before, group["param_names"])}
        group["param_names"] = [now[id(p)][0] if id(p) in now else old_names[id(p)] for p in after]


def _carry_states(optimizer, source, before, now, origins):
    """Move states to their new parameters; drop those of parameters that are gone."""
    state = optimizer.state
    if optimizer.flat:
        old, new = before[source.groups[0]], optimizer.param_groups[source.groups[0]]["params"]
        if old and new and old[0] in state and list(map(id, old)) != list(map(id, new)):
            state[new[0]] = carry_flat(state.pop(old[0]), old, new, lambda p: origins.get(id(p)))
        return
    groups = _held(optimizer)
    for key, (old, maps) in origins.items():
        p = now[key][2]
        if old in state and not state.get(p):
            fresh = {}
            if hasattr(optimizer, "start"):
                with no_grad():
                    optimizer.start(p, fresh, optimizer.param_groups[groups[key]])
            carried = carry(state[old], old, p, maps, fresh)
            if carried:
                state[p] = carried
    for params in before.values():
        for p in params:
            if id(p) not in groups:
                state.pop(p, None)
