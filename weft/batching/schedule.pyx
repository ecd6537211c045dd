# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""Which entries of a level run together, and in which order: `groups_of`. `schedule.py` is the plain twin.

Two ways are tried and the cheaper is taken, by what groups of each kind were measured to take. *By agenda*, as Neubig,
Goldberg and Dyer (2017) do it: of all kinds that have ready entries the one with the least average depth of what is
left of it, so that kinds are waited for until as many as possible of them can run at once. *By depth*: all of one kind
and one depth.
"""
from cython.operator cimport dereference
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport realloc
from libcpp.pair cimport pair
from libcpp.set cimport set as ordered
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from libcpp.algorithm cimport sort
from weft.batching.kinds cimport Kind
from weft.batching.table cimport Row, Table

cdef double ALONE = 3e-5        # what an entry by itself is taken to cost, in seconds


cdef class Members:
    """The entries of a level, numbered from 0. group: -1 for one that never runs in a batch."""
    cdef vector[int] entries, group, depth, left, begins, consumers
    cdef vector[double] costs       # of each group


cdef Members members_of(Table table, int level):
    cdef Members made = Members()
    cdef vector[int] at = vector[int](table.n + 1, -1)
    cdef unordered_map[uint64_t, int] known
    cdef int e, i, k, source, m
    cdef Kind kind
    for e in range(table.n):
        if table.rows[e].level != level or table.rows[e].ran:
            continue
        at[e] = <int>made.entries.size()
        made.entries.push_back(e)
        made.depth.push_back(table.rows[e].depth)
        kind = <Kind>table.kinds[e]
        k = -1
        if kind.single is None:
            if known.count(table.rows[e].key):
                k = known[table.rows[e].key]
            else:
                k = known[table.rows[e].key] = <int>made.costs.size()
                made.costs.push_back(kind.cost)
        made.group.push_back(k)
    m = <int>made.entries.size()
    made.left.assign(m, 0)
    made.begins.assign(m + 1, 0)
    for k in range(m):
        e = made.entries[k]
        for i in range(table.rows[e].start, table.rows[e + 1].start):
            source = table.inputs[i]
            if source >= 0 and at[table.cells[source].of] >= 0:
                made.left[k] += 1
                made.begins[at[table.cells[source].of] + 1] += 1
    for k in range(m):
        made.begins[k + 1] += made.begins[k]
    made.consumers.assign(made.begins[m], 0)
    cdef vector[int] filled = vector[int](made.begins)
    for k in range(m):
        e = made.entries[k]
        for i in range(table.rows[e].start, table.rows[e + 1].start):
            source = table.inputs[i]
            if source >= 0 and at[table.cells[source].of] >= 0:
                source = at[table.cells[source].of]
                made.consumers[filled[source]] = k
                filled[source] += 1
    return made


cdef double by_agenda(Members m, vector[int]& order, vector[int]& stops):
    """Fill the order of the members and where each group stops; what it costs."""
    cdef int n = <int>m.entries.size(), groups = <int>m.costs.size(), k, g, i, j
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
            for j in range(m.begins[k], m.begins[k + 1]):
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
    cdef int n = <int>m.entries.size(), k, i, deepest = 0
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
    cdef int n = <int>m.entries.size(), k
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
    """(start, stop) of each group in the table's order, which is filled with the entries of this level."""
    cdef Members m = members_of(table, level)
    cdef vector[int] order, stops
    cdef int k, n = <int>m.entries.size()
    if cost_by_depth(m) * 1.000001 < by_agenda(m, order, stops):     # sums of the same costs are the same
        order.clear()
        stops.clear()
        by_depth(m, order, stops)
    cdef void* room = realloc(table.order, (n + 1) * sizeof(int))
    if room == NULL:
        raise MemoryError()
    table.order = <int*>room
    for k in range(n):
        table.order[k] = m.entries[order[k]]
    found, start = [], 0
    for k in range(<int>stops.size()):
        found.append((start, stops[k]))
        start = stops[k]
    return found
