# compiled, -O3
"""Which entries run, and which of them together.

What a value depends on runs in *levels*: a tensor that the program still holds ends one, since its history must be a
node of its own (somebody may ask for its gradient). Within a level, all entries of one kind whose inputs are there run
as one group; which kind is next is decided as Neubig, Goldberg and Dyer (2017) do it, by the least average depth of what
is left of each kind, so that kinds are waited for until as many as possible of them can run at once.
"""
from weft.batching.record import Entry, Outside, Value
from weft.core.runtime import pointer_hash
from weft.kernels.native import references


def needed(values, mark):
    """The entries that have not run and that these values depend on, in the order in which they were recorded."""
    stack, found = [], []
    for v in values:
        if not v.entry.done and v.entry.mark != mark:
            v.entry.mark = mark
            stack.append(v.entry)
    while stack:
        entry = stack.pop()
        found.append(entry)
        for source in entry.inputs:
            if isinstance(source, Value):
                other = source.entry
                if not other.done and other.mark != mark:
                    other.mark = mark
                    stack.append(other)
    found.sort(key=number)
    return found


def number(entry):
    return entry.nr


def let_go(entries):
    """Note which values the program can still ask for; the tensors of all others are dropped, the newest first: a view
    holds its source.
    """
    for i in range(len(entries) - 1, -1, -1):
        entry = entries[i]
        for v in entry.made:
            if v.out is not None:
                t = v.out
                if references(t) <= 2:      # the value and this line
                    v.out = None
                t = None
            # a detached one has no tensor here: more hold the value than its entry, this line, and those that use it
            v.held = v.out is not None or references(v) > 2 + v.uses


def levels_of(entries, whole):
    """Entries by level; `whole`: all in one."""
    made = []
    for entry in entries:
        level = 0
        depth = 0
        if not whole:
            for source in entry.inputs:
                if isinstance(source, Value):
                    v = source
                    if not v.entry.done:
                        at = v.entry.level + (1 if v.held and v.wants else 0)
                        if at > level:
                            level = at
        for source in entry.inputs:
            if isinstance(source, Value):
                v = source
                if not v.entry.done and v.entry.level == level and v.entry.depth >= depth:
                    depth = v.entry.depth + 1
        entry.level = level
        entry.depth = depth
        while len(made) <= level:
            made.append([])
        made[level].append(entry)
    return made


def key_of(entry):
    """What entries that run together have in common."""
    kind = entry.kind
    if kind.single is not None:
        return -entry.nr - 1
    key = [pointer_hash(kind), entry.wants]
    for source in entry.inputs:
        if isinstance(source, Outside):
            key.append(source.share)
        else:
            key.append(0)
    return tuple(key)


def groups_of(entries, level):
    """The entries of a level as groups, in the order in which they run."""
    numbers = {}        # key -> number of the kind
    ready, depths, counts = [], [], []
    for entry in entries:
        key = key_of(entry)
        known = numbers.get(key)
        if known is None:
            known = numbers[key] = len(ready)
            ready.append([])
            depths.append(0)
            counts.append(0)
        k = known
        entry.key = known
        depths[k] += entry.depth
        counts[k] += 1
        entry.left = 0
        entry.consumers = None
        for source in entry.inputs:
            if isinstance(source, Value):
                other = source.entry
                if not other.done and other.level == level:
                    entry.left += 1
                    if other.consumers is None:
                        other.consumers = []
                    other.consumers.append(entry)
        if entry.left == 0:
            ready[k].append(entry)
    groups, waiting = [], len(entries)
    while waiting:
        best = -1
        least = 0.0
        for k in range(len(ready)):
            if ready[k]:
                mean = depths[k] / counts[k]
                if best < 0 or mean < least:
                    best = k
                    least = mean
        group = ready[best]
        ready[best] = []
        groups.append(group)
        waiting -= len(group)
        counts[best] -= len(group)
        for entry in group:
            depths[best] -= entry.depth
        for entry in group:
            if entry.consumers is not None:
                for other in entry.consumers:
                    other.left -= 1
                    if other.left == 0:
                        ready[other.key].append(other)
                entry.consumers = None
    return groups
