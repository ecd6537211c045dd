"""The plain twin of `schedule.pyx`, which says what this is about."""
FEWEST = 128                    # entries of a table whose schedule is kept
MOST_WORDS = 1 << 21            # numbers of all that are kept
KNOWN, HITS = {}, 0             # what a table says -> (order, groups); how often one was found


def groups_of(table, level):
    """(start, stop) of each group in the table's order, which is filled with the entries of this level."""
    entries = [e for e in range(table.n) if table.levels[e] == level and not table.ran[e]]
    group, costs = {}, {}
    for e in entries:
        kind = table.kind_of(e)
        group[e] = None if kind.single is not None else table.keys[e]
        costs.setdefault(group[e], 3e-5 if group[e] is None else kind.cost)
    by_depth, best = _by_depth(table, entries, group), _by_agenda(table, entries, group)
    cost, other = (sum(costs[group[members[0]]] for members in way) for way in (by_depth, best))
    if cost * 1.000001 < other:     # sums of the same costs are the same
        best = by_depth
    table.order, found = [], []
    for members in best:
        found.append((len(table.order), len(table.order) + len(members)))
        table.order += members
    return found


def _by_depth(table, entries, group):
    """Lists of entries, all of one kind and one depth."""
    numbers, found = {}, {}
    for e in entries:
        g = numbers.setdefault(group[e], len(numbers)) if group[e] is not None else -1
        found.setdefault((table.depths[e], g, e if g < 0 else 0), []).append(e)
    return [found[key] for key in sorted(found)]


def _by_agenda(table, entries, group):
    """Lists of entries: the kind with the least average depth of what is left of it first."""
    inside, left, consumers = set(entries), {}, {}
    members, ready, loose, numbers = {}, {}, [], {}
    for e in entries:
        sources = [table.of[s] for s in table.inputs_of(e) if s >= 0 and table.of[s] in inside]
        left[e] = len(sources)
        for s in sources:
            consumers.setdefault(s, []).append(e)
        if group[e] is not None:
            numbers.setdefault(group[e], len(numbers))
            members.setdefault(group[e], set()).add(e)

    def wake(e):
        if group[e] is None:
            loose.append(e)
        else:
            ready.setdefault(group[e], []).append(e)
    for e in entries:
        if left[e] == 0:
            wake(e)
    found = []
    while loose or ready:
        if loose:
            now = [loose.pop()]
        else:
            best = min(ready, key=lambda g: (sum(table.depths[e] for e in members[g]) / len(members[g]), numbers[g]))
            now = ready.pop(best)
            members[best] -= set(now)
        found.append(now)
        for e in now:
            for other in consumers.get(e, ()):
                left[other] -= 1
                if left[other] == 0:
                    wake(other)
    return found


def known_groups(table):
    """`groups_of(table, 0)` of a table that is one level, looked up where one was alike before."""
    global HITS
    if table.n < FEWEST:
        return groups_of(table, 0)
    said = (tuple(table.keys), tuple([(kind, kind.single is None) for kind in table.kinds]), tuple(table.inputs),
            tuple(table.starts), tuple(table.levels), tuple(table.graph), tuple(table.ran),
            tuple([table.holder(k) is not None for k in range(len(table.of))]))
    known = KNOWN.pop(said, None)
    if known is None:
        groups = groups_of(table, 0)
        known = table.order, groups, 4 * table.n + len(table.inputs)
    else:
        HITS += 1
    KNOWN[said] = known
    words = sum([one[2] for one in KNOWN.values()])
    while words > MOST_WORDS:
        words -= KNOWN.pop(next(iter(KNOWN)))[2]
    table.order = known[0]
    return known[1]


def hits():
    """How often a schedule was found."""
    return HITS
