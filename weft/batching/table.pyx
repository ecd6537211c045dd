# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""What an `autobatch` region has recorded, as a table of numbers: tensors and promises that the program drops are gone
at once, and what is left of an op is a line of some 60 bytes.

An *entry* is one call of an op. Its inputs are numbers: n for value number n, ~k for `outsides[k]`. A *value* is one
output of an entry; once it has run it is row `row` of `mades[made]`. `table.py` beside this file is the plain twin.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memset
from libcpp.vector cimport vector
cimport numpy as cnp
import numpy as np
from weft.batching.kinds cimport Kind
from weft.core.runtime cimport pointer_hash

cnp.import_array()

cdef long _serial = 0
cdef int MOST_KEPT = 1 << 17

cpdef bint same_bytes(object a, object b) except -1:
    """Whether two contiguous arrays of one size have the same bits."""
    return memcmp(cnp.PyArray_DATA(<cnp.ndarray>a), cnp.PyArray_DATA(<cnp.ndarray>b),
                  cnp.PyArray_NBYTES(<cnp.ndarray>a)) == 0


cdef struct Spare:
    Row* rows
    Cell* cells
    int* inputs
    int room

cdef Spare _spare
_spare.room = 0


@cython.no_gc_clear         # the table knows where a promise is until it is no more
@cython.freelist(2048)
cdef class Value:
    """The promise of one output. table, number: which one it is (table None: it has run); made, row: where its values
    are then; node: its history then.
    """
    readable = True
    with_graph = True       # whoever settles a tensor lets the owner do it: its history is owed, too

    def __dealloc__(self):
        if self.table is not None:
            self.table.cells[self.number].promise = NULL

    def value(self):
        """The values; they are computed where they aren't there yet."""
        if self.array is None:
            self.array = self.owner.array_of(self)
        return self.array


cdef class Table:
    """kinds: those that its entries have, each once; places: (code, module) for entries that follow each other;
    mades: the arrays of all groups that ran; tapes: the `Tape` of each level, while they run: it holds the table, so
    they would not go before the garbage collector comes; crossing: values that were asked for by number after they ran.
    """

    def __cinit__(self):
        global _serial
        _serial += 1
        self.serial = _serial
        self.kinds, self.places, self.outsides, self.mades, self.tapes = [], [(None, None)], [], [], []
        self.numbers, self.crossing = {}, {}

    def __dealloc__(self):
        if self.room > 64 and self.room <= MOST_KEPT and _spare.room == 0:
            _spare.rows, _spare.cells, _spare.inputs, _spare.room = self.rows, self.cells, self.inputs, self.room
        else:
            free(self.rows)
            free(self.cells)
            free(self.inputs)
        free(self.order)

    # recording

    cpdef int outside(self, object source) except -1:
        """The number of a tensor from outside, or of a value that ran earlier."""
        found = self.numbers.get(pointer_hash(source))
        if found is None:
            found = self.numbers[pointer_hash(source)] = len(self.outsides)
            self.outsides.append(source)
        return found

    cpdef int put(self, int source) except -1:
        """One more input of the entry that is noted next."""
        if self.n_inputs == self.room_inputs:
            self.make_room()
        self.inputs[self.n_inputs] = source
        self.n_inputs += 1
        return 0

    cpdef int note(self, Kind kind, long long free, unsigned long long key, bint graph, object code, int offset,
                   object module) except -1:
        """An entry with the inputs that were put; the number of its first value."""
        cdef int k, first = self.n_values
        if self.n + 1 >= self.room or first + kind.n_outs > self.room_values:
            self.make_room()
            while first + kind.n_outs > self.room_values:
                self.make_room()
        cdef Row* row = &self.rows[self.n]
        row.first, row.free, row.key, row.graph, row.offset = first, free, key, graph, offset
        row.level, row.ran, row.kind = -1, False, <void*>kind
        for k in range(kind.n_outs):
            self.cells[first + k].of = self.n
            self.cells[first + k].made = -1
            self.cells[first + k].promise = NULL
        self.n_values += kind.n_outs
        self.n += 1
        self.rows[self.n].start = self.n_inputs
        if kind.table != self.serial:
            kind.table = self.serial
            self.kinds.append(kind)
        if code is not self.code or module is not self.module:
            self.code, self.module = code, module
            self.places.append((code, module))
        row.place = <int>len(self.places) - 1
        return first

    cpdef int take_back(self, int n_inputs) except -1:
        """Forget the inputs that were put after there were so many."""
        self.n_inputs = n_inputs
        return 0

    cpdef Value promised(self, int number, object owner, Py_hash_t form, bint wants):
        """The promise of a value."""
        cdef Value v = Value.__new__(Value)
        v.owner, v.form, v.wants, v.table, v.number = owner, form, wants, self, number
        self.cells[number].promise = <void*>v
        return v

    cpdef object promise(self, int number, Value v):
        """v stands for a value as long as anybody holds it."""
        v.table, v.number = self, number
        self.cells[number].promise = <void*>v

    def holder(self, int number):
        """The promise of a value, None where nobody holds it."""
        return None if self.cells[number].promise == NULL else <Value>self.cells[number].promise

    cdef int make_room(self) except -1:
        cdef int room = 2 * self.room + 64
        if self.room == 0 and _spare.room > 0:      # the memory of one that is gone: fresh pages cost more than what is
            self.rows, self.cells, self.inputs, self.room = _spare.rows, _spare.cells, _spare.inputs, _spare.room
            self.room_values = self.room_inputs = 2 * self.room         # written there
            self.rows[0].start = 0
            _spare.room = 0
            return 0
        cdef void* rows = realloc(self.rows, room * sizeof(Row))
        if rows != NULL:
            self.rows = <Row*>rows
        cdef void* cells = realloc(self.cells, 2 * room * sizeof(Cell))
        if cells != NULL:
            self.cells = <Cell*>cells
        cdef void* inputs = realloc(self.inputs, 2 * room * sizeof(int))
        if inputs != NULL:
            self.inputs = <int*>inputs
        if rows == NULL or cells == NULL or inputs == NULL:
            raise MemoryError()
        if self.room == 0:
            self.rows[0].start = 0
        self.room = room
        self.room_values = self.room_inputs = 2 * room
        return 0

    # what others ask

    cpdef list inputs_of(self, int entry):
        return [self.inputs[i] for i in range(self.rows[entry].start, self.rows[entry + 1].start)]

    cpdef Kind kind_of(self, int entry):
        return <Kind>self.rows[entry].kind

    cpdef int first_of(self, int entry) except -1:
        return self.rows[entry].first

    def entry_of(self, int number):
        return self.cells[number].of

    def free_of(self, int entry):
        return self.rows[entry].free

    cpdef bint is_graph(self, int entry) except -1:
        return self.rows[entry].graph

    def code_of(self, int entry):
        return self.places[self.rows[entry].place][0]

    def module_of(self, int entry):
        return self.places[self.rows[entry].place][1]

    def offset_of(self, int entry):
        return self.rows[entry].offset

    cpdef int made_of(self, int number) except -2:
        return self.cells[number].made

    cpdef Py_ssize_t row_of(self, int number) except -1:
        return self.cells[number].row

    def is_far(self, int number):
        """Whether somebody outside its chain needs a value, as the schedule has found."""
        return self.cells[number].far

    def held(self):
        """The numbers of the values that somebody can still ask for."""
        return [k for k in range(self.n_values) if self.cells[k].promise != NULL]

    cpdef int entry_at(self, int place) except -1:
        return self.order[place]

    cpdef list group(self, int start, int stop):
        """The entries order[start:stop]."""
        return [self.order[i] for i in range(start, stop)]

    def is_one_kind(self, int start, int stop):
        """Whether the entries order[start:stop] are all of one kind."""
        cdef int i
        for i in range(start + 1, stop):
            if self.rows[self.order[i]].kind != self.rows[self.order[start]].kind:
                return False
        return True

    def by_kind(self, int start, int stop):
        """Put the entries order[start:stop] in the order of their kinds; (start, stop) of each kind."""
        cdef int i
        cdef dict known = {}
        for i in range(start, stop):
            known.setdefault(<size_t>self.rows[self.order[i]].kind, []).append(self.order[i])
        found = []
        for own in known.values():
            found.append((start, start + len(own)))
            for entry in own:
                self.order[start] = entry
                start += 1
        return found

    def entries(self, int start, int stop):
        """The entries order[start:stop] as an array."""
        made = cnp.PyArray_EMPTY(1, [stop - start], cnp.NPY_INT32, 0)
        cdef int32_t* to = <int32_t*>cnp.PyArray_DATA(made)
        cdef int i
        for i in range(start, stop):
            to[i - start] = self.order[i]
        return made

    def counts(self, int start, int stop, int slot):
        """How many rows input number `slot` of each of the entries order[start:stop] has; -1: each of their inputs."""
        cdef int i
        cdef list found = []
        for i in range(start, stop):
            own = (<Kind>self.rows[self.order[i]].kind).counts
            if slot >= 0:
                found.append(own[slot])
            else:
                found += own
        return np.array(found, np.int64)

    def is_held(self, int start, int stop, int first):
        """Whether somebody can still ask for an output from number `first` on of the entries order[start:stop]."""
        cdef int i, k
        cdef Row* row
        for i in range(start, stop):
            row = &self.rows[self.order[i]]
            for k in range(first, (<Kind>row.kind).n_outs):
                if self.cells[row.first + k].promise != NULL:
                    return True
        return False

    def frees(self, int start, int stop):
        """The free indices of the entries order[start:stop]."""
        made = cnp.PyArray_EMPTY(1, [stop - start], cnp.NPY_INT64, 0)
        cdef int64_t* to = <int64_t*>cnp.PyArray_DATA(made)
        cdef int i
        for i in range(start, stop):
            to[i - start] = self.rows[self.order[i]].free
        return made

    # which entries run

    def select(self, list roots, bint whole):
        """Give what these values depend on its level and depth; how many levels there are. whole: all in one; else a
        value that is held and wants a gradient ends one.
        """
        cdef vector[char] need = vector[char](self.n + 1, 0)
        cdef int e, i, source, other, level, depth, at, levels = 0
        cdef Row* row
        for root in roots:
            need[self.cells[<int>root].of] = 1
        for e in range(self.n - 1, -1, -1):
            row = &self.rows[e]
            row.level = -1
            if not need[e] or row.ran:
                need[e] = 0
                continue
            for i in range(row.start, self.rows[e + 1].start):
                source = self.inputs[i]
                if source >= 0:
                    need[self.cells[source].of] = 1
        for e in range(self.n):
            if not need[e]:
                continue
            row = &self.rows[e]
            level = depth = 0
            for i in range(row.start, self.rows[e + 1].start):
                source = self.inputs[i]
                if source < 0 or self.cells[source].made >= 0:
                    continue
                other = self.cells[source].of
                at = self.rows[other].level
                if not whole and self.cells[source].promise != NULL and (<Value>self.cells[source].promise).wants:
                    at += 1
                if at > level:
                    level, depth = at, 0
                if self.rows[other].level == level and self.rows[other].depth >= depth:
                    depth = self.rows[other].depth + 1
            row.level, row.depth = level, depth
            if level >= levels:
                levels = level + 1
        return levels

    def behind(self, list numbers, list entries, int first_made, int last_made):
        """What these values depend on: those of `entries`, each once; the numbers of what they take that doesn't lie in
        mades[first_made:last_made].
        """
        cdef vector[char] inside = vector[char](self.n + 1, 0)
        cdef vector[int] ahead
        cdef int e, i, source
        cdef list seen = []
        cdef set others = set()
        for e in entries:
            inside[e] = 1
        for source in numbers:
            ahead.push_back(source)
        while ahead.size():
            e = self.cells[ahead.back()].of
            ahead.pop_back()
            if not inside[e]:
                continue
            inside[e] = 0
            seen.append(e)
            for i in range(self.rows[e].start, self.rows[e + 1].start):
                source = self.inputs[i]
                if source >= 0 and first_made <= self.cells[source].made < last_made:
                    ahead.push_back(source)
                else:
                    others.add(source)
        return seen, others

    # while they run

    cpdef tuple sources(self, int start, int stop, int slot, int first_made):
        """Where input number `slot` of the entries order[start:stop] comes from (-1: all of their inputs): (its
        number,) where it is the same for all; (made, row) where it is rows from `row` on of one array, (made, rows)
        where it is others; else (None, [(made, places, rows) each], [(place, number) each of what is not in
        mades[first_made:]]).
        """
        cdef vector[int] all = given(self, start, stop, slot)
        cdef int i, made, only = all[0], source, n = <int>all.size()
        cdef bint same = True, running = True
        for i in range(1, n):
            if all[i] != only:
                same = False
                break
        if same:
            return (only,)
        made = self.cells[only].made if only >= 0 else -1
        cdef Py_ssize_t begin = self.cells[only].row if only >= 0 else 0
        for i in range(n):
            source = all[i]
            if source < 0 or self.cells[source].made != made or made < first_made:
                return mixed(self, all, first_made)
            if self.cells[source].row != begin + i:
                running = False
        if running:
            return made, begin
        rows = cnp.PyArray_EMPTY(1, [n], cnp.NPY_INT64, 0)
        cdef int64_t* to = <int64_t*>cnp.PyArray_DATA(rows)
        for i in range(n):
            to[i] = self.cells[all[i]].row
        return made, rows

    cpdef list place(self, int start, int stop, int made, list mades, bint is_stack, object node):
        """The entries order[start:stop] have run: their values are rows of `mades`, which have the numbers from `made`
        on. The promises that are still held, which know it now.
        """
        cdef int i, k, number, n_outs = <int>len(mades)
        cdef Row* row
        cdef Cell* cell
        cdef Value v
        held = []
        for i in range(start, stop):
            row = &self.rows[self.order[i]]
            row.ran = True
            for k in range(n_outs):
                cell = &self.cells[row.first + k]
                cell.made = made + k
                cell.row = i - start if is_stack else 0
                if cell.promise != NULL:
                    v = <Value>cell.promise
                    cell.promise = NULL
                    v.table, v.made, v.row = None, mades[k], cell.row
                    if v.wants:
                        v.node = node
                    held.append(v)
        return held

    def place_chains(self, int start, int n, int length, list far, list mades, object nobody, object node):
        """The same for n chains, whose entries order[start:start + n * length] are: far has the (entry of the chain,
        output) of each of `mades`. All other values are in none, `nobody`.
        """
        cdef int i, j, k, f, number, made = <int>len(self.mades)
        cdef Row* row
        cdef Cell* cell
        cdef Value v
        for j in range(length):
            k = (<Kind>self.rows[self.order[start + j * n]].kind).n_outs
            for i in range(start + j * n, start + j * n + n):
                row = &self.rows[self.order[i]]
                row.ran = True
                for number in range(row.first, row.first + k):
                    self.cells[number].made = made
        self.mades.append(nobody)
        held = []
        for f in range(<int>len(far)):
            j, k = far[f]
            self.mades.append(mades[f])
            for i in range(n):
                cell = &self.cells[self.rows[self.order[start + j * n + i]].first + k]
                cell.made, cell.row = made + 1 + f, i
                if cell.promise != NULL:
                    v = <Value>cell.promise
                    cell.promise = NULL
                    v.table, v.made, v.row = None, mades[f], i
                    if v.wants:
                        v.node = node
                    held.append(v)
        return held

    # afterwards

    def rest(self, Table into, object owner):
        """Note in another table what has not run and can still be asked for."""
        cdef vector[char] need = vector[char](self.n + 1, 0)
        cdef vector[int] renamed = vector[int](self.n_values + 1, -1)
        cdef int e, i, k, first, source, left = 0
        cdef Row* row
        cdef Kind kind
        for e in range(self.n - 1, -1, -1):
            row = &self.rows[e]
            if row.ran:
                need[e] = 0
                continue
            kind = <Kind>row.kind
            for k in range(kind.n_outs):
                if self.cells[row.first + k].promise != NULL:
                    need[e] = 1
            if need[e]:
                left += 1
                for i in range(row.start, self.rows[e + 1].start):
                    if self.inputs[i] >= 0:
                        need[self.cells[self.inputs[i]].of] = 1
        for e in range(self.n if left else 0):
            if not need[e]:
                continue
            row = &self.rows[e]
            kind = <Kind>row.kind
            for i in range(row.start, self.rows[e + 1].start):
                source = self.inputs[i]
                if source < 0:
                    into.put(~into.outside(self.outsides[~source]))
                elif self.cells[source].made >= 0:
                    into.put(~into.outside(owner.carried(self, source)))
                else:
                    into.put(renamed[source])
            first = into.note(kind, row.free, row.key, row.graph, self.code_of(e), row.offset,
                              self.module_of(e))
            for k in range(kind.n_outs):
                renamed[row.first + k] = first + k
                if self.cells[row.first + k].promise != NULL:
                    into.promise(first + k, <Value>self.cells[row.first + k].promise)
                    self.cells[row.first + k].promise = NULL
        return left


cdef vector[int] given(Table table, int start, int stop, int slot):
    """Input number `slot` of each of the entries order[start:stop]; -1: all inputs of the first, of the next, ..."""
    cdef vector[int] found
    cdef int i, k
    found.reserve(stop - start)
    for i in range(start, stop):
        if slot >= 0:
            found.push_back(table.inputs[table.rows[table.order[i]].start + slot])
            continue
        for k in range(table.rows[table.order[i]].start, table.rows[table.order[i] + 1].start):
            found.push_back(table.inputs[k])
    return found


cdef tuple mixed(Table table, vector[int]& all, int first_made):
    cdef int i, k, source, made, n = <int>all.size()
    cdef vector[int] which = vector[int](n), count
    cdef list pieces = [], outside = [], known = []
    cdef dict numbers = {}
    for i in range(n):
        source = all[i]
        made = table.cells[source].made if source >= 0 else -1
        if made < first_made or made < 0:
            outside.append((i, source))
            which[i] = -1
            continue
        found = numbers.get(made)
        if found is None:
            found = numbers[made] = len(known)
            known.append(made)
            count.push_back(0)
        which[i] = found
        count[<int>found] += 1
    cdef vector[int64_t*] places, rows          # where the next one of each array is noted
    for k in range(<int>len(known)):
        at = cnp.PyArray_EMPTY(1, [count[k]], cnp.NPY_INT64, 0)
        to = cnp.PyArray_EMPTY(1, [count[k]], cnp.NPY_INT64, 0)
        places.push_back(<int64_t*>cnp.PyArray_DATA(at))
        rows.push_back(<int64_t*>cnp.PyArray_DATA(to))
        pieces.append((known[k], at, to))
    for i in range(n):
        k = which[i]
        if k >= 0:
            places[k][0], rows[k][0] = i, table.cells[all[i]].row
            places[k] += 1
            rows[k] += 1
    return None, pieces, outside
