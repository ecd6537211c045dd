# compiled, -O3
"""Which kernels an op's function calls: found out once, by watching, so that a plan calls them without the function.

A *steady* op (its body says so) calls the same kernels with the same numbers whatever its tensors' values are. When
such a step runs for the first time, `watched` notes the calls; `lowered` turns them into `Call`s whose arguments are
cells: the step's own arguments, what earlier calls gave, views of either. What can't be put that way (an array that
NumPy made, a kernel that didn't take its arguments) leaves the step as it is. What a step's calls give is compared with
what its function gave, to the bit, before they are used; a step like an earlier one of its plan (`likeness`: the layers
of a network are alike) takes over what was found out for that.
"""
import threading

import numpy as np
from numpy import ndarray

from weft.core.runtime import pure_fields
from weft.kernels import fast, native
from weft.kernels.native import address, strided
from weft.kernels.native import call as call_list
from weft.tensor.calls import call_arrays
from weft.tensor.storage import owner

PLAIN = (int, float, bool, str, type(None), np.dtype)
MOST_CALLS = 12
watching = threading.Lock()


class Call:
    """A kernel's call. function: None for a view, or for what is always the same; template: its arguments, into whose
    `places` what stands in `cells` is put; n_made: how many cells it adds.
    """


def call(function, template, sources, n_made):
    made = Call.__new__(Call)
    made.function, made.template, made.n_made = function, template, n_made
    made.places, made.cells = [i for i, _ in sources], [cell for _, cell in sources]
    return made


class Untold(Exception):
    """Why calls can't be put as Calls."""


def watched(function, args):
    """(what `function(*args)` gives, the calls that were taken: how things lie decides that); None for the calls where
    another thread watches.
    """
    if not watching.acquire(blocking=False):
        return function(*args), None
    notes = []
    try:
        fast.watch(lambda *note: notes.append(note))
        native.watch(lambda *note: notes.append(note))
        made = function(*args)
    finally:
        native.watch(None)
        fast.watch(None)
        watching.release()
    return made, [note for note in notes if note[2] is not None]


class Lowering:
    """Puts the calls of one step as Calls. given: the step's arguments; fixed: positions of those that never change."""

    def __init__(self, given, fixed):
        self.calls, self.cells, self.held = [], {}, []
        self.fixed = {id(v) for i, v in enumerate(given) if i in fixed}
        self.n = len(given)
        self.lists = {}             # ids of a list's items -> the cell that has such a list
        for i, v in enumerate(given):
            if isinstance(v, ndarray) or type(v) is float:
                self.cells.setdefault(id(v), i)
            elif isinstance(v, (list, tuple)) and any([isinstance(item, ndarray) for item in v]):
                self.lists.setdefault(tuple(map(id, v)), i)
        self.held += given

    def add(self, function, args, made):
        if made is False or len(self.calls) >= MOST_CALLS:
            raise Untold
        template, sources = [], []
        for i, v in enumerate(args):
            if id(v) in self.fixed:
                template.append(v)
                continue
            cell = self.cell_of(v)
            template.append(v if cell is None else None)
            if cell is not None:
                sources.append((i, cell))
        results = made if isinstance(made, tuple) else (made,)
        self.calls.append(call(function, template, sources, len(results)))
        for k, v in enumerate(results):
            if isinstance(v, ndarray):
                self.cells.setdefault(id(v), self.n + k)
        self.n += len(results)
        self.held += [*results, args]

    def cell_of(self, v):
        """The cell that holds an argument now; None for one that stays as it is."""
        if id(v) in self.cells:
            return self.cells[id(v)]
        if isinstance(v, ndarray):
            return self.view(v)
        if isinstance(v, PLAIN) or isinstance(v, (list, tuple)) and all([isinstance(item, PLAIN) for item in v]):
            return None
        if isinstance(v, (list, tuple)) and tuple(map(id, v)) in self.lists:
            return self.lists[tuple(map(id, v))]
        raise Untold

    def view(self, v):
        """The cell of a view of what another cell holds, or of an array without elements."""
        if not v.size:
            return self.added(v, call(None, [v], [], 1))
        memory = owner(v)
        for known in self.held:
            if isinstance(known, ndarray) and id(known) in self.cells and owner(known) is memory \
                    and known.dtype == v.dtype and known.size:
                offset = address(v) - address(known)
                return self.added(v, call(None, [None, v.shape, v.strides, offset], [(0, self.cells[id(known)])], 1))
        raise Untold

    def added(self, v, made):
        """The cell of an array that a Call without a kernel puts there."""
        self.calls.append(made)
        self.cells[id(v)] = self.n
        self.held.append(v)
        self.n += 1
        return self.n - 1


def lowered(notes, given, fixed, made):
    """(the Calls, the cells of the results) that do what was noted, or None; without notes: views of what was given."""
    results = made if isinstance(made, (tuple, list)) else () if made is None else (made,)
    lowering = Lowering(given, fixed)
    try:
        for note in notes:
            lowering.add(*note)
        if not results and not notes or not all([isinstance(v, ndarray) for v in results]):
            return None
        found = [lowering.cell_of(v) if notes else lowering.view(v) for v in results]
    except Untold:
        return None
    return lowering.calls, found


def same_bits(a, b):
    """Whether two arrays are the same in every respect."""
    return a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides and a.tobytes() == b.tobytes()


def call_forward(op, ready):
    """An op's function on arrays."""
    return call_arrays(op.forward, ready, op.n_positional, op.kw_names)


def run_calls(calls, cells, results):
    """Run Calls on the cells, to which what they give is added, and put the cells `results` into a list; None where a
    kernel doesn't take its arguments this time.
    """
    for one in calls:
        now = one
        args = list(now.template)
        for i in range(len(now.places)):
            args[now.places[i]] = cells[now.cells[i]]
        if now.function is None:
            cells.append(strided(args[0], args[1], args[2], args[3]) if now.places else args[0])
            continue
        made = call_list(now.function, args)
        if made is None or made is False:
            return None
        if type(made) is tuple:
            cells += made
        else:
            cells.append(made)
    return [cells[k] for k in results]


def try_kernels(now, ready):
    """Run an instruction's function while it is watched, and note its kernels in the instruction if they do the same;
    gives what the function gave.
    """
    now.tried = True
    fixed = set(range(len(ready))) - {i for i, _ in now.sources} - set(now.free)
    like = None if now.op.writes else likeness(now, ready, fixed)
    if like is not None and like in now.known:
        now.calls, now.cells = now.known[like]
        made = None if now.calls is None else run_calls(now.calls, list(ready), now.cells)
        return call_forward(now.op, ready) if made is None else made
    for i in now.free:
        ready[i] = ready[i] * 1.0       # an object of its own, by which it is known: `lr=0.1, weight_decay=0.1` is one
    made, notes = watched(call_forward, (now.op, ready))
    found = lowered(notes, ready, fixed, made) if notes is not None else None
    if found is None or now.op.writes and (len(found[0]) != 1 or reads_numbers(now, ready, found[0])):
        return made
    now.calls, now.cells = found
    if not now.op.writes and notes:
        again = run_calls(now.calls, list(ready), now.cells)
        if again is None or not all(map(same_bits, again, arrays_of(made))):
            now.calls = None
    if like is not None:
        now.known[like] = now.calls, now.cells
    return made


def likeness(now, ready, fixed):
    """What tells an instruction's arguments from others for which its function may call other kernels: numbers, how
    arrays lie, and where they lie to each other. None where an array is a constant, which a Call may hold.
    """
    found, begins = [now.op], {}        # begins: of memory that was seen -> (its number, the first array's address)
    try:
        for i, v in enumerate(ready):
            found.append("free" if i in now.free else outline(v, begins, i in fixed))
    except Untold:
        return None
    return tuple(found)


def outline(v, begins, is_fixed):
    if isinstance(v, ndarray):
        if is_fixed:
            raise Untold
        at = address(v)
        number, first = begins.setdefault(id(owner(v)), (len(begins), at))
        return v.shape, v.strides, v.dtype, number, at - first
    if type(v) in (list, tuple):
        return type(v), *[outline(item, begins, is_fixed) for item in v]
    if isinstance(v, PLAIN):
        return type(v), repr(v)
    raise Untold


def note_views(now, ready, made):
    """Note in an instruction that it gave views of its arguments, if it did."""
    now.tried = True
    found = lowered([], ready, set(), made)
    if found is not None:
        now.calls, now.cells = found


def reads_numbers(now, ready, calls):
    """Whether a number or an array that an op is given doesn't reach its kernel as it is: a learning rate that is a
    tensor, a flag by which the step is left out.
    """
    used = {cell for one in calls for cell in one.cells}
    return not used.issuperset([*now.free, *[i for i, v in enumerate(ready) if isinstance(v, ndarray)]])


def arrays_of(made):
    """What a function gave, as a list."""
    return list(made) if isinstance(made, (tuple, list)) else [made]


pure_fields(Call, function=None, template=None, places=None, cells=None, n_made=1)
