# compiled, -O3
"""Bringing one input of many entries together, and its gradient back to where it came from.

`Made` is an array with the values of many entries, one row for each (or all for one). A `Route` says of which rows of
which arrays, and of which tensors from outside, a stacked input was made.
"""
import numpy as np

from weft.batching.record import Value
from weft.core.runtime import pointer_hash, pure_fields
from weft.kernels import fast
from weft.kernels.codes import BINARY
from weft.kernels.native import binary_into, references

ADD = BINARY["add"]


class Made:
    """Values of one output of a group: (entries, ...), or for a single entry (...). grad: the sum so far; own: nobody
    else holds that array."""

    def add(self, grad):
        """Add a gradient of all of it."""
        if self.grad is None:
            self.grad, self.own = grad, False
        elif self.own:
            add_into(self.grad, grad)
        else:
            self.grad, self.own = np.asarray(np.add(self.grad, grad)), True

    def buffer(self):
        """The gradient so far as an array that may be written to."""
        if self.grad is None:
            self.grad = np.zeros(*self.form)
        elif not self.own:
            self.grad = self.grad.copy()
        self.own = True
        return self.grad

    def add_row(self, row, grad):
        """Add a gradient of one entry's values."""
        if row < 0:
            self.add(grad)
        else:
            add_into(self.buffer()[row, ...], grad)


class Route:
    """parts: (made, places in the stack, rows) each, a slice or an array of numbers; outside: (place, number of the
    parent) each. shared: all entries have the same one, which is not stacked."""

    def wants(self):
        """Whether anybody waits for the gradient."""
        for made, _, _ in self.parts:
            if made.wants:
                return True
        for _, at in self.outside:
            if at >= 0:
                return True
        return False

    def back(self, grad, parents):
        """Send a gradient on its way; parents: the gradients of tensors from outside."""
        if self.shared:
            for made, _, row in self.parts:
                made.add_row(row, grad)
            for _, at in self.outside:
                add_parent(parents, at, grad)
            return
        for made, places, rows in self.parts:
            if not made.wants:
                continue
            piece = grad if places is None else grad[places, ...]
            if rows is None:
                made.add(piece)
            elif type(rows) is slice:
                add_into(made.buffer()[rows], piece)
            else:
                add_rows(made.buffer(), rows, piece)
        for place, at in self.outside:
            if at >= 0:
                add_parent(parents, at, grad[place, ...])


def add_parent(parents, at, grad):
    """parents: [gradient, whether it is nobody else's] each."""
    held = parents[at]
    if held[0] is None:
        held[0] = grad
    elif held[1]:
        add_into(held[0], grad)
    else:
        held[0], held[1] = np.asarray(np.add(held[0], grad)), True


def add_into(target, grad):
    if not binary_into(ADD, target, grad):
        np.add(target, grad, out=target)


def add_rows(target, rows, grad):
    """target[rows[i]] += grad[i]; a row may occur several times."""
    n = target.shape[0]
    if target.ndim > 1 and target.size:
        flat = target.reshape(n, -1)
        if fast.embedding_backward(np.ascontiguousarray(grad).reshape(len(rows), -1), rows, None, None, flat, -1):
            return
    np.add.at(target, rows, grad)


def stacked(entries, at, parents):
    """(array, Route, whether it is a stack) of input number `at` of each entry; a tensor from outside that all share is
    given as it is. parents: the `Tape`, which counts the tensors from outside that want a gradient.
    """
    n = len(entries)
    first = entries[0].inputs[at]
    same = True
    for i in range(1, n):
        entry = entries[i]
        if entry.inputs[at] is not first:
            same = False
            break
    route = Route.__new__(Route)
    route.parts, route.outside, route.shared = [], [], same
    if same:
        return one(first, route, parents), route, False
    sources = [entry.inputs[at] for entry in entries]
    only = all_in_one(sources, parents.node)
    if only is not None:
        return rows_of(only, sources, route), route, True
    return mixed(sources, route, parents), route, True


def one(source, route, parents):
    """The array that all entries share."""
    if isinstance(source, Value):
        v = source
        if v.made is not None and v.node is parents.node:
            made = v.made
            route.parts.append((made, None, v.row))
            return made.array if v.row < 0 else made.array[v.row, ...]
    tensor = parents.tensor(source)
    route.outside.append((0, parents.number(source)))
    return tensor


def all_in_one(sources, node):
    """The Made that holds all of these values as rows; None where there are several, or other sources."""
    found = None
    for source in sources:
        if not isinstance(source, Value):
            return None
        v = source
        if v.made is None or v.row < 0 or v.node is not node or found is not None and v.made is not found:
            return None
        found = v.made
    return found


def rows_of(made, sources, route):
    """Rows of one array: the array itself, a range of it, or a copy."""
    v = sources[0]
    start = v.row
    n = len(sources)
    for i in range(1, n):
        v = sources[i]
        if v.row != start + i:
            rows = np.array([s.row for s in sources])
            route.parts.append((made, None, rows))
            return take(made.array, rows)
    if start == 0 and n == len(made.array):
        route.parts.append((made, None, None))
        return made.array
    rows = slice(start, start + n)
    route.parts.append((made, None, rows))
    return made.array[rows]


def take(array, rows):
    if array.ndim > 1 and array.flags.c_contiguous and array.size:
        found = fast.embedding(array.reshape(len(array), -1), rows)
        if found is not None:
            return found.reshape((len(rows), *array.shape[1:]))
    return array.take(rows, 0)


def mixed(sources, route, parents):
    """Rows of several arrays, and tensors from outside."""
    by_made, out = {}, None
    n = len(sources)
    for i in range(n):
        source = sources[i]
        inside = False
        if isinstance(source, Value):
            v = source
            inside = v.made is not None and v.node is parents.node
        if inside:
            made = v.made
            known = by_made.get(pointer_hash(made))
            if known is None:
                known = by_made[pointer_hash(made)] = (made, [], [])
            known[1].append(i)
            known[2].append(v.row)
        else:
            array = parents.array(source)
            if out is None:
                out = np.empty((n, *array.shape), array.dtype)
            out[i] = array
            at = parents.number(source)
            if at >= 0:
                route.outside.append((i, at))
    for made, places, rows in by_made.values():
        if rows[0] < 0:
            if out is None:
                out = np.empty((n, *made.array.shape), made.array.dtype)
            for i in places:
                out[i] = made.array
                route.parts.append((made, i, None))
            continue
        if out is None:
            out = np.empty((n, *made.array.shape[1:]), made.array.dtype)
        count = len(places)
        numbers = np.array(places) if places[count - 1] - places[0] != count - 1 else slice(places[0],
                                                                                            places[0] + count)
        rows = np.array(rows)
        out[numbers] = take(made.array, rows)
        route.parts.append((made, numbers, rows))
    return out


def place(entries, mades, node, is_stack):
    """Note where the values of entries that ran are."""
    i = 0
    for entry in entries:
        row = i if is_stack else -1
        entry.made, entry.node, entry.row = mades[0], node, row
        if entry.more is not None:
            for k in range(len(entry.more)):
                v = entry.more[k]
                v.made, v.node, v.row, v.of = mades[k + 1], node, row, None
        i += 1


def still_held(entries):
    """Values of entries that ran which others hold than those entries: the program, or what has not run yet. The
    entries let go of their inputs.
    """
    for entry in entries:
        entry.uses = 0
        if entry.more is not None:
            for v in entry.more:
                v.uses = 0
    for entry in entries:
        for source in entry.inputs:
            if isinstance(source, Value):
                v = source
                v.uses += 1
    v = source = None
    found = []
    for entry in entries:
        own = 2 + entry.uses            # the list, this loop, those who use it
        if entry.more is not None:
            for v in entry.more:
                if references(v) > 2 + v.uses:
                    found.append(v)
            v = None
        if references(entry) > own:
            found.append(entry)
    for entry in entries:
        entry.inputs = None
    return found


pure_fields(Made, array=None, form=None, grad=None, own=False, wants=False)
pure_fields(Route, parts=None, outside=None, shared=False)
