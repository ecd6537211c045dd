# compiled, -O3
"""Which entries run, and which of them together.

What a value depends on runs in *levels*: a tensor that the program still holds ends one, since its history must be a
node of its own (somebody may ask for its gradient). Within a level, all entries of one kind whose inputs are there run
as one group; which kind is next is decided as Neubig, Goldberg and Dyer (2017) do it, by the least average depth of
what is left of each kind, so that kinds are waited for until as many as possible of them can run at once.
"""
from weft.batching.record import Value
from weft.core.runtime import pure_fields
from weft.kernels.native import references


class Group:
    """Entries of one kind: those that are ready, and how many are left, with the sum of their depths."""


def entry_of(value):
    """The call that a value will be an output of; what has run does not know it any more."""
    return value if value.of is None else value.of


def needed(pending, values, mark):
    """Those of the pending entries that these values depend on, in order."""
    stack, count = [], 0
    for v in values:
        if v.made is None:
            entry = entry_of(v)
            if entry.mark != mark:
                entry.mark = mark
                stack.append(entry)
    while stack:
        entry = stack.pop()
        count += 1
        for source in entry.inputs:
            if isinstance(source, Value):
                v = source
                if v.made is None:
                    other = entry_of(v)
                    if other.mark != mark:
                        other.mark = mark
                        stack.append(other)
    if count == len(pending):
        return list(pending)
    found = []
    for entry in pending:
        if entry.mark == mark:
            found.append(entry)
    return found


def note_held(entries, lists):
    """Note which values the program can still ask for: others hold them than these `lists`, this loop, and the entries
    that use them.
    """
    for entry in entries:
        own = 1 + lists + entry.uses
        if entry.more is not None:
            own += len(entry.more)
            for v in entry.more:
                v.held = references(v) > 2 + v.uses
            v = None
        entry.held = references(entry) > own


def levels_of(entries, whole):
    """Entries by level; `whole`: all in one."""
    made = []
    for entry in entries:
        level = 0
        depth = 0
        for source in entry.inputs:
            if isinstance(source, Value):
                v = source
                if v.made is None:
                    other = entry_of(v)
                    at = other.level + (1 if not whole and v.held and v.wants else 0)
                    if at > level:
                        level = at
                        depth = 0
                    if other.level == level and other.depth >= depth:
                        depth = other.depth + 1
        entry.level = level
        entry.depth = depth
        while len(made) <= level:
            made.append([])
        made[level].append(entry)
    return made


def groups_of(entries, level):
    """The entries of a level as groups, in the order in which they run."""
    by_key, groups = {}, []
    loose = []          # ready ones that never run in a batch
    for entry in entries:
        group = None
        if entry.kind.single is None:
            group = by_key.get(entry.key)
            if group is None:
                group = by_key[entry.key] = Group.__new__(Group)
                group.ready = []
                groups.append(group)
            group.depth += entry.depth
            group.count += 1
        entry.group = group
        entry.left = 0
        entry.consumers = None
        for source in entry.inputs:
            if isinstance(source, Value):
                v = source
                if v.made is None:
                    other = entry_of(v)
                    if other.level == level:
                        entry.left += 1
                        if other.consumers is None:
                            other.consumers = []
                        other.consumers.append(entry)
        if entry.left == 0:
            (loose if group is None else group.ready).append(entry)
    found, waiting = [], len(entries)
    while waiting:
        if loose:
            ready = [loose.pop()]
            waiting -= 1
            found.append(ready)
            wake(ready, loose)
            continue
        best = None
        least = 0.0
        for group in groups:
            if len(group.ready):
                mean = group.depth / group.count
                if best is None or mean < least:
                    best = group
                    least = mean
        ready = best.ready
        best.ready = []
        found.append(ready)
        waiting -= len(ready)
        best.count -= len(ready)
        if best.count == 0:
            groups.remove(best)
        for entry in ready:
            best.depth -= entry.depth
        wake(ready, loose)
    return found


def wake(ready, loose):
    """Entries have run: those that waited for nothing else are ready."""
    for entry in ready:
        entry.group = None
        if entry.consumers is not None:
            for other in entry.consumers:
                other.left -= 1
                if other.left == 0:
                    group = other.group
                    if group is None:
                        loose.append(other)
                    else:
                        group.ready.append(other)
            entry.consumers = None


pure_fields(Group, ready=None, depth=0.0, count=0)
