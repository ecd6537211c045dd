# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""Which entries of a level run together, and in which order: `groups_of`. `schedule.py` is the plain twin.

Two ways are tried and the cheaper is taken, by what groups of each kind were measured to take. *By agenda*, as Neubig,
Goldberg and Dyer (2017) do it: of all kinds that have ready entries the one with the least average depth of what is
left of it, so that kinds are waited for until as many as possible of them can run at once. *By depth*: all of one kind
and one depth.

What was scheduled is kept: `known_groups` compares a table with the ones of before, number by number, and takes over
the schedule of one that was alike. That is one pass over some 30 bytes for each entry.
"""
from cython.operator cimport dereference
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport realloc
from libc.string cimport memcpy
from libcpp.pair cimport pair
from libcpp.set cimport set as ordered
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from libcpp.algorithm cimport sort
from weft.batching.kinds cimport Kind
from weft.batching.table cimport Row, Table

cdef double ALONE = 3e-5        # what an entry by itself is taken to cost, in seconds
cdef double CHAIN = 4e-5        # and a group of chains
cdef int LONGEST = 48           # entries of a chain

cdef int FEWEST = 128           # entries of a table whose schedule is kept
MOST_WORDS = 1 << 21            # of all that are kept, 16 MB
cdef long _hits = 0
KNOWN = {}                      # hash of what a table says -> Known, the one that was of use last at the end

cdef struct Chain:              # entries[start:stop] of a level, as they were recorded
    int start, stop
    uint64_t key                # the same for chains of the same ops on the same shapes, joined in the same way
    uint64_t loose              # the same for those whose numbers of rows differ, too


cdef class Members:
    """What is scheduled of a level, numbered from 0: entries[begins[k]:begins[k + 1]], a single one or a chain. group:
    -1 for one that never runs in a batch; keys: of each group that of its chains, 0 for single entries.
    """
    cdef vector[int] entries, begins, group, depth, left, starts, consumers
    cdef vector[double] costs       # of each group
    cdef vector[uint64_t] keys


cdef inline uint64_t mixed(uint64_t key, uint64_t more) noexcept:
    """A hash of a hash and one more number."""
    key = (key ^ more) * <uint64_t>0xBF58476D1CE4E5B9
    key = (key ^ (key >> 27)) * <uint64_t>0x94D049BB133111EB
    return key ^ (key >> 31)


cdef vector[Chain] chains_of(Table table, vector[int]& entries, vector[int]& at):
    """Stretches of entries that follow each other, each but the first of which has an input from within; at: the place
    of each entry of the table among these, or -1. A stretch that follows another one is joined to it by an entry that
    needs both. Since stretches follow each other as they were recorded, none waits for itself.
    """
    cdef vector[Chain] found, open
    cdef vector[int] within = vector[int](entries.size(), -1)      # which of the open ones
    cdef int n = <int>entries.size(), k, e, i, j, source, low, high, last
    cdef bint links
    for k in range(n + 1):
        links = k < n and (<Kind>table.rows[entries[k]].kind).link is not None
        last = <int>open.size() - 1
        if not links or last >= 0 and table.rows[entries[k]].graph != table.rows[entries[open[last].start]].graph:
            for i in range(<int>open.size()):
                if open[i].stop > open[i].start + 1:
                    found.push_back(open[i])
            for i in range(open[0].start if last >= 0 else k, k):
                within[i] = -1
            open.clear()
            last = -1
        if not links:
            continue
        e, low, high = entries[k], last + 1, -1
        for i in range(table.rows[e].start, table.rows[e + 1].start):
            source = table.inputs[i]
            if source < 0 or at[table.cells[source].of] < 0:
                continue
            j = within[at[table.cells[source].of]]
            if j >= 0:
                low, high = min(low, j), max(high, j)
        if high == last and low == last - 1 and last >= 1 and k + 1 - open[low].start <= LONGEST:
            for i in range(open[last].start, k):
                within[i] = low
            open.pop_back()
            last = high = low
        if last >= 0 and high == last and k + 1 - open[last].start <= LONGEST:
            open[last].stop = k + 1
        else:
            open.push_back(Chain(k, k + 1, 0, 0))
            last += 1
        within[k] = last
    return found


cdef void sign(Table table, vector[int]& entries, vector[int]& at, Chain& chain):
    """Fill in the key."""
    cdef unordered_map[int, int] numbers
    cdef uint64_t key = chain.stop - chain.start
    cdef int k, e, i, source, place
    for k in range(chain.start, chain.stop):
        e = entries[k]
        key = mixed(key, table.rows[e].key)
        for i in range(table.rows[e].start, table.rows[e + 1].start):
            source = table.inputs[i]
            place = at[table.cells[source].of] if source >= 0 else -1
            if place >= chain.start and place < chain.stop:
                source -= table.rows[entries[place]].first
                key = mixed(key, (<uint64_t>(place - chain.start + 1) << 32) + source)
            else:
                if not numbers.count(source):
                    numbers[source] = <int>numbers.size()
                key = mixed(key, numbers[source])
        for i in range(table.rows[e].first, table.rows[e].first + (<Kind>table.rows[e].kind).n_outs):
            key = mixed(key, table.cells[i].far)
    chain.loose = key | 1
    for k in range(chain.start, chain.stop):
        if (<Kind>table.rows[entries[k]].kind).rows is not None:
            key = mixed(key, <uint64_t><size_t>table.rows[entries[k]].kind)
    chain.key = key | 1


cdef Members members_of(Table table, int level):
    cdef Members made = Members()
    cdef vector[int] at = vector[int](table.n + 1, -1)
    cdef unordered_map[uint64_t, int] known, counts, loose
    cdef int e, i, k, source, m, n
    cdef Kind kind
    for e in range(table.n):
        if table.rows[e].level == level and not table.rows[e].ran:
            at[e] = <int>made.entries.size()
            made.entries.push_back(e)
    n = <int>made.entries.size()
    cdef vector[Chain] chains = chains_of(table, made.entries, at)
    cdef vector[int] chain = vector[int](n, -1)                 # which one each entry is in
    for k in range(<int>chains.size()):
        for i in range(chains[k].start, chains[k].stop):
            chain[i] = k
    if not chains.empty():
        for i in range(table.n_values):
            table.cells[i].far = table.cells[i].promise != NULL
        for e in range(table.n):
            k = chain[at[e]] if at[e] >= 0 else -1
            for i in range(table.rows[e].start, table.rows[e + 1].start):
                source = table.inputs[i]
                if source >= 0 and (k < 0 or at[table.cells[source].of] < 0 or chain[at[table.cells[source].of]] != k):
                    table.cells[source].far = True
    for k in range(<int>chains.size()):
        sign(table, made.entries, at, chains[k])
        counts[chains[k].key] += 1
        loose[chains[k].loose] += 1
    k = 0
    while k < n:                # `at` is of the members from here on
        e, i = made.entries[k], chain[k]
        made.begins.push_back(k)
        m = k + 1
        kind = <Kind>table.rows[e].kind
        if i >= 0 and counts[chains[i].key] > 1 and 4 * counts[chains[i].key] > loose[chains[i].loose]:
            m = chains[i].stop
            if known.count(chains[i].key):
                made.group.push_back(known[chains[i].key])
            else:
                known[chains[i].key] = <int>made.costs.size()
                made.group.push_back(<int>made.costs.size())
                made.costs.push_back(CHAIN)
                made.keys.push_back(chains[i].key)
        elif kind.single is not None:
            made.group.push_back(-1)
        elif known.count(table.rows[e].key):
            made.group.push_back(known[table.rows[e].key])
        else:
            known[table.rows[e].key] = <int>made.costs.size()
            made.group.push_back(<int>made.costs.size())
            made.costs.push_back(kind.cost)
            made.keys.push_back(0)
        while k < m:
            at[made.entries[k]] = <int>made.begins.size() - 1
            k += 1
    m = <int>made.begins.size()
    made.begins.push_back(n)
    made.left.assign(m, 0)
    made.depth.assign(m, 0)
    made.starts.assign(m + 1, 0)
    for k in range(m):
        for n in range(made.begins[k], made.begins[k + 1]):
            e = made.entries[n]
            for i in range(table.rows[e].start, table.rows[e + 1].start):
                source = at[table.cells[table.inputs[i]].of] if table.inputs[i] >= 0 else -1
                if source >= 0 and source != k:
                    made.left[k] += 1
                    made.starts[source + 1] += 1
                    made.depth[k] = max(made.depth[k], made.depth[source] + 1)
    for k in range(m):
        made.starts[k + 1] += made.starts[k]
    made.consumers.assign(made.starts[m], 0)
    cdef vector[int] filled = vector[int](made.starts)
    for k in range(m):
        for n in range(made.begins[k], made.begins[k + 1]):
            e = made.entries[n]
            for i in range(table.rows[e].start, table.rows[e + 1].start):
                source = at[table.cells[table.inputs[i]].of] if table.inputs[i] >= 0 else -1
                if source >= 0 and source != k:
                    made.consumers[filled[source]] = k
                    filled[source] += 1
    return made


cdef double by_agenda(Members m, vector[int]& order, vector[int]& stops):
    """Fill the order of the members and where each group stops; what it costs."""
    cdef int n = <int>m.group.size(), groups = <int>m.costs.size(), k, g, i, j
    cdef vector[vector[int]] ready = vector[vector[int]](groups)
    cdef vector[double] depth = vector[double](groups, 0.0)
    cdef vector[int] count = vector[int](groups, 0), left = vector[int](m.left), loose, now
    cdef ordered[pair[double, int]] agenda
    cdef double cost = 0.0
    for k in range(n):
        g = m.group[k]
        if g >= 0:
            depth[g] += m.depth[k]
            count[g] += 1
    for k in range(n):
        if left[k] == 0:
            g = m.group[k]
            if g < 0:
                loose.push_back(k)
            else:
                if ready[g].empty():
                    agenda.insert(pair[double, int](depth[g] / count[g], g))
                ready[g].push_back(k)
    while not loose.empty() or not agenda.empty():
        now.clear()
        if not loose.empty():
            now.push_back(loose.back())
            loose.pop_back()
            cost += ALONE
        else:
            g = dereference(agenda.begin()).second
            agenda.erase(agenda.begin())
            now.swap(ready[g])
            count[g] -= <int>now.size()
            cost += m.costs[g]
            for i in range(<int>now.size()):
                depth[g] -= m.depth[now[i]]
        for i in range(<int>now.size()):
            k = now[i]
            order.push_back(k)
            for j in range(m.starts[k], m.starts[k + 1]):
                left[m.consumers[j]] -= 1
                if left[m.consumers[j]] == 0:
                    g = m.group[m.consumers[j]]
                    if g < 0:
                        loose.push_back(m.consumers[j])
                    else:
                        if ready[g].empty():
                            agenda.insert(pair[double, int](depth[g] / count[g], g))
                        ready[g].push_back(m.consumers[j])
        stops.push_back(<int>order.size())
    return cost


cdef double cost_by_depth(Members m):
    """What groups of all entries of one kind and one depth would cost."""
    cdef int n = <int>m.group.size(), k, i, deepest = 0
    cdef vector[int] last = vector[int](m.costs.size(), -1), begins, sorted_by
    cdef double cost = 0.0
    for k in range(n):
        deepest = max(deepest, m.depth[k])
    begins.assign(deepest + 2, 0)
    sorted_by.assign(n, 0)
    for k in range(n):
        begins[m.depth[k] + 1] += 1
    for k in range(deepest + 1):
        begins[k + 1] += begins[k]
    for k in range(n):
        sorted_by[begins[m.depth[k]]] = k
        begins[m.depth[k]] += 1
    for i in range(n):
        k = sorted_by[i]
        if m.group[k] < 0:
            cost += ALONE
        elif last[m.group[k]] != m.depth[k]:
            last[m.group[k]] = m.depth[k]
            cost += m.costs[m.group[k]]
    return cost


cdef void by_depth(Members m, vector[int]& order, vector[int]& stops):
    cdef int n = <int>m.group.size(), k
    cdef vector[pair[int64_t, int]] keys = vector[pair[int64_t, int]](n)
    for k in range(n):
        keys[k].first = (<int64_t>m.depth[k] << 32) + m.group[k] + 1
        keys[k].second = k
    sort(keys.begin(), keys.end())
    for k in range(n):
        order.push_back(keys[k].second)
        if k + 1 == n or keys[k + 1].first != keys[k].first or m.group[keys[k].second] < 0:
            stops.push_back(k + 1)


def groups_of(Table table, int level):
    """(start, stop) of each group in the table's order, which is filled with the entries of this level; or (start,
    stop, length, key) of a group of chains: first the first entries of all of them, then the second ones, and so on.
    """
    cdef Members m = members_of(table, level)
    cdef vector[int] order, stops
    cdef int k, i, j, g, start = 0, n = 0, length
    if cost_by_depth(m) * 1.000001 < by_agenda(m, order, stops):     # sums of the same costs are the same
        order.clear()
        stops.clear()
        by_depth(m, order, stops)
    cdef void* room = realloc(table.order, (m.entries.size() + 1) * sizeof(int))
    if room == NULL:
        raise MemoryError()
    table.order = <int*>room
    found = []
    for k in range(<int>stops.size()):
        i = order[start]
        length, g = m.begins[i + 1] - m.begins[i], m.group[i]
        for j in range(length):
            for i in range(start, stops[k]):
                table.order[n] = m.entries[m.begins[order[i]] + j]
                n += 1
        j = n - length * (stops[k] - start)
        if length > 1:
            found.append((j, n, length, m.keys[g]))
        else:
            found.append((j, n))
        start = stops[k]
    return found


# schedules that are kept

cdef class Known:
    """A schedule: what the table said, all its numbers; order and groups, as `groups_of` gave them; far: a bit for each
    value that somebody outside its chain needs; kinds: those of the entries, so that no others get their addresses.
    """
    cdef vector[uint64_t] said, far
    cdef vector[int] order
    cdef list groups, kinds

    def words(self):
        return self.said.size() + self.far.size() + self.order.size() // 2


cdef void say(Table table, vector[uint64_t]& said):
    """All that a schedule depends on: the entries' kinds, keys and levels, what they are given, and which values
    somebody holds.
    """
    cdef int e, k, inputs = (table.n_inputs + 1) // 2
    cdef Row* row
    said.assign(3 * table.n + inputs + (table.n_values + 63) // 64 + 2, 0)
    cdef uint64_t* to = said.data()
    for e in range(table.n):
        row = &table.rows[e]
        to[0], to[1] = row.key, <uint64_t><size_t>row.kind
        to[2] = (<uint64_t>row.start << 32) | (<uint64_t>(row.level + 1) << 3) | (row.graph != 0) | \
            (<uint64_t>(row.ran != 0) << 1) | (<uint64_t>((<Kind>row.kind).single is not None) << 2)
        to += 3
    to[0], to[1] = <uint64_t>table.n_inputs, <uint64_t>table.n_values
    memcpy(to + 2, table.inputs, table.n_inputs * sizeof(int))
    to += 2 + inputs
    for k in range(table.n_values):
        to[k >> 6] |= <uint64_t>(table.cells[k].promise != NULL) << (k & 63)


cdef uint64_t hash_of(vector[uint64_t]& said) noexcept:
    cdef uint64_t key = said.size()
    cdef size_t i
    for i in range(said.size()):
        key = (key ^ said[i]) * <uint64_t>0x9E3779B97F4A7C15
        key ^= key >> 32
    return key


cdef object take_over(Known known, Table table):
    """The groups of a schedule, whose order the table gets."""
    cdef int k
    cdef void* room = realloc(table.order, (known.order.size() + 1) * sizeof(int))
    if room == NULL:
        raise MemoryError()
    table.order = <int*>room
    memcpy(table.order, known.order.data(), known.order.size() * sizeof(int))
    for k in range(table.n_values):
        table.cells[k].far = (known.far[k >> 6] >> (k & 63)) & 1
    return known.groups


cdef void keep(uint64_t key, vector[uint64_t]& said, Table table, list groups):
    """Keep a schedule; those that were of no use for the longest time go."""
    cdef Known known = Known()
    cdef int k, n = groups[len(groups) - 1][1]
    known.said.swap(said)
    known.order.assign(table.order, table.order + n)
    known.far.assign((table.n_values + 63) // 64, 0)
    for k in range(table.n_values):
        known.far[k >> 6] |= <uint64_t>(table.cells[k].far != 0) << (k & 63)
    known.groups, known.kinds = groups, table.kinds.copy()
    KNOWN[key] = known
    words = sum([one.words() for one in KNOWN.values()])
    while words > MOST_WORDS:
        words -= KNOWN.pop(next(iter(KNOWN))).words()


def known_groups(Table table):
    """`groups_of(table, 0)` of a table that is one level, looked up where one was alike before."""
    global _hits
    if table.n < FEWEST:
        return groups_of(table, 0)
    cdef vector[uint64_t] said
    say(table, said)
    cdef uint64_t key = hash_of(said)
    cdef Known known = KNOWN.pop(key, None)
    if known is not None:
        if known.said == said:
            KNOWN[key] = known
            _hits += 1
            return take_over(known, table)      # else it goes: another one has its hash
    groups = groups_of(table, 0)
    if groups:
        keep(key, said, table, groups)
    return groups


def hits():
    """How often a schedule was found."""
    return _hits
