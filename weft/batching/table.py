"""The plain twin of `table.pyx`, which says what this is about: lists in place of C's arrays."""
import itertools
import weakref

import numpy as np

from weft.core.runtime import pure_fields

SERIALS = itertools.count(1)


def same_bytes(a, b):
    """Whether two contiguous arrays of one size have the same bits."""
    return a.tobytes() == b.tobytes()


class Value:
    """The promise of one output. table, number: which one it is (table None: it has run); made, row: where its values
    are then; node: its history then.
    """

    readable = True
    with_graph = True       # whoever settles a tensor lets the owner do it: its history is owed, too

    def value(self):
        """The values; they are computed where they aren't there yet."""
        if self.array is None:
            self.array = self.owner.array_of(self)
        return self.array


class Table:
    """kinds, codes, modules: one for each entry; mades: the arrays of all groups that ran; tapes: those of the levels,
    while they run; crossing: values that were asked for by number after they ran."""

    def __init__(self):
        self.serial, self.n, self.numbers, self.crossing = next(SERIALS), 0, {}, {}
        self.kinds, self.codes, self.modules, self.outsides, self.mades, self.tapes = [], [], [], [], [], []
        self.starts, self.inputs, self.firsts, self.free, self.keys = [0], [], [], [], []
        self.graph, self.offsets, self.levels, self.depths, self.ran = [], [], [], [], []
        self.of, self.made, self.row, self.promises, self.order = [], [], [], [], []

    # recording

    def outside(self, source):
        """The number of a tensor from outside, or of a value that ran earlier."""
        found = self.numbers.setdefault(id(source), len(self.outsides))
        if found == len(self.outsides):
            self.outsides.append(source)
        return found

    def put(self, source):
        """One more input of the entry that is noted next."""
        self.inputs.append(source)

    def note(self, kind, free, key, graph, code, offset, module):
        """An entry with the inputs that were put; the number of its first value."""
        first = len(self.of)
        for column, value in ((self.firsts, first), (self.free, free), (self.keys, key), (self.graph, graph),
                              (self.offsets, offset), (self.levels, -1), (self.depths, 0), (self.ran, False),
                              (self.starts, len(self.inputs)), (self.kinds, kind), (self.codes, code),
                              (self.modules, module)):
            column.append(value)
        for _ in range(kind.n_outs):
            self.of.append(self.n)
            self.made.append(-1)
            self.row.append(0)
            self.promises.append(None)
        self.n += 1
        return first

    @property
    def n_inputs(self):
        return len(self.inputs)

    def take_back(self, n_inputs):
        """Forget the inputs that were put after there were so many."""
        del self.inputs[n_inputs:]

    def promised(self, number, owner, form, wants):
        """The promise of a value."""
        v = Value()
        v.owner, v.form, v.wants = owner, form, wants
        self.promise(number, v)
        return v

    def promise(self, number, v):
        """v stands for a value as long as anybody holds it."""
        v.table, v.number = self, number
        self.promises[number] = weakref.ref(v)

    def holder(self, number):
        """The promise of a value, None where nobody holds it."""
        found = self.promises[number]
        return None if found is None else found()

    # what others ask

    def inputs_of(self, entry):
        return self.inputs[self.starts[entry]:self.starts[entry + 1]]

    def kind_of(self, entry):
        return self.kinds[entry]

    def first_of(self, entry):
        return self.firsts[entry]

    def entry_of(self, number):
        return self.of[number]

    def free_of(self, entry):
        return self.free[entry]

    def is_graph(self, entry):
        return self.graph[entry]

    def code_of(self, entry):
        return self.codes[entry]

    def module_of(self, entry):
        return self.modules[entry]

    def offset_of(self, entry):
        return self.offsets[entry]

    def made_of(self, number):
        return self.made[number]

    def row_of(self, number):
        return self.row[number]

    def held(self):
        """The numbers of the values that somebody can still ask for."""
        return [k for k in range(len(self.of)) if self.holder(k) is not None]

    def entry_at(self, place):
        return self.order[place]

    def group(self, start, stop):
        """The entries order[start:stop]."""
        return self.order[start:stop]

    def is_one_kind(self, start, stop):
        """Whether the entries order[start:stop] are all of one kind."""
        return len({id(self.kinds[e]) for e in self.order[start:stop]}) == 1

    def by_kind(self, start, stop):
        """Put the entries order[start:stop] in the order of their kinds; (start, stop) of each kind."""
        known, found, order = {}, [], []
        for e in self.order[start:stop]:
            known.setdefault(id(self.kinds[e]), []).append(e)
        for own in known.values():
            found.append((start + len(order), start + len(order) + len(own)))
            order += own
        self.order = [*self.order[:start], *order, *self.order[stop:]]
        return found

    def entries(self, start, stop):
        """The entries order[start:stop] as an array."""
        return np.array(self.order[start:stop], np.int32)

    def counts(self, start, stop, slot):
        """How many rows input number `slot` of each of the entries order[start:stop] has; -1: each of their inputs."""
        own = [self.kinds[e].counts for e in self.order[start:stop]]
        return np.array([n for counts in own for n in (counts if slot < 0 else counts[slot:slot + 1])], np.int64)

    def is_held(self, start, stop, first):
        """Whether somebody can still ask for an output from number `first` on of the entries order[start:stop]."""
        return any([self.holder(self.firsts[e] + k) is not None for e in self.order[start:stop]
                    for k in range(first, self.kinds[e].n_outs)])

    def frees(self, start, stop):
        """The free indices of the entries order[start:stop]."""
        return np.array([self.free[e] for e in self.order[start:stop]], np.int64)

    # which entries run

    def select(self, roots, whole):
        """Give what these values depend on its level and depth; how many levels there are. whole: all in one; else a
        value that is held and wants a gradient ends one.
        """
        need, levels = {self.of[root] for root in roots}, 0
        self.levels = [-1] * self.n
        for e in range(self.n - 1, -1, -1):
            if e in need and not self.ran[e]:
                need.update([self.of[s] for s in self.inputs_of(e) if s >= 0])
        for e in range(self.n):
            if e not in need or self.ran[e]:
                continue
            level = depth = 0
            for s in self.inputs_of(e):
                if s < 0 or self.made[s] >= 0:
                    continue
                other = self.of[s]
                held = None if whole else self.holder(s)
                at = self.levels[other] + (held is not None and held.wants)
                if at > level:
                    level, depth = at, 0
                if self.levels[other] == level and self.depths[other] >= depth:
                    depth = self.depths[other] + 1
            self.levels[e], self.depths[e] = level, depth
            levels = max(levels, level + 1)
        return levels

    def behind(self, numbers, entries, first_made, last_made):
        """What these values depend on: those of `entries`, each once; the numbers of what they take that doesn't lie in
        mades[first_made:last_made].
        """
        inside, ahead, seen, others = set(entries), list(numbers), [], set()
        while ahead:
            entry = self.of[ahead.pop()]
            if entry not in inside:
                continue
            inside.remove(entry)
            seen.append(entry)
            for source in self.inputs_of(entry):
                if source >= 0 and first_made <= self.made[source] < last_made:
                    ahead.append(source)
                else:
                    others.add(source)
        return seen, others

    # while they run

    def sources(self, start, stop, slot, first_made):
        """Where input number `slot` of the entries order[start:stop] comes from (-1: all of their inputs): (its
        number,) where it is the same for all; (made, row) where it is rows from `row` on of one array, (made, rows)
        where it is others; else (None, [(made, places, rows) each], [(place, number) each of what is not in
        mades[first_made:]]).
        """
        found = [number for e in self.order[start:stop]
                 for number in (self.inputs_of(e) if slot < 0 else [self.inputs[self.starts[e] + slot]])]
        if all([s == found[0] for s in found]):
            return (found[0],)
        mades = [self.made[s] if s >= 0 and self.made[s] >= first_made else -1 for s in found]
        rows = [self.row[s] if s >= 0 else 0 for s in found]
        if mades[0] >= 0 and all([made == mades[0] for made in mades]):
            if rows == list(range(rows[0], rows[0] + len(rows))):
                return mades[0], rows[0]
            return mades[0], np.array(rows, np.int64)
        pieces = {}
        for i, made in enumerate(mades):
            if made >= 0:
                pieces.setdefault(made, []).append(i)
        return (None, [(made, np.array(places, np.int64), np.array([rows[i] for i in places], np.int64))
                       for made, places in pieces.items()], [(i, found[i]) for i, made in enumerate(mades) if made < 0])

    def place(self, start, stop, made, mades, is_stack, node):
        """The entries order[start:stop] have run: their values are rows of `mades`, which have the numbers from `made`
        on. The promises that are still held, which know it now.
        """
        held = []
        for i, e in enumerate(self.order[start:stop]):
            self.ran[e] = True
            for k, one in enumerate(mades):
                number = self.firsts[e] + k
                self.made[number], self.row[number] = made + k, i if is_stack else 0
                v = self.holder(number)
                if v is not None:
                    self.promises[number] = None
                    v.table, v.made, v.row = None, one, self.row[number]
                    if v.wants:
                        v.node = node
                    held.append(v)
        return held

    # afterwards

    def rest(self, into, owner):
        """Note in another table what has not run and can still be asked for."""
        need, renamed = set(), {}
        for e in range(self.n - 1, -1, -1):
            outs = range(self.firsts[e], self.firsts[e] + self.kinds[e].n_outs)
            if not self.ran[e] and (e in need or any([self.holder(k) is not None for k in outs])):
                need.add(e)
                need.update([self.of[s] for s in self.inputs_of(e) if s >= 0])
        left = sorted([e for e in need if not self.ran[e]])
        for e in left:
            for s in self.inputs_of(e):
                if s < 0:
                    into.put(~into.outside(self.outsides[~s]))
                elif self.made[s] >= 0:
                    into.put(~into.outside(owner.carried(self, s)))
                else:
                    into.put(renamed[s])
            first = into.note(self.kinds[e], self.free[e], self.keys[e], self.graph[e], self.codes[e],
                              self.offsets[e], self.modules[e])
            for k in range(self.kinds[e].n_outs):
                renamed[self.firsts[e] + k] = first + k
                v = self.holder(self.firsts[e] + k)
                if v is not None:
                    into.promise(first + k, v)
        return len(left)


pure_fields(Value, owner=None, table=None, number=0, array=None, form=0, wants=False, made=None, row=0,
            node=None, cut=None)
