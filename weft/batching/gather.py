# compiled, -O3
"""Bringing one input of many entries together, and its gradient back to where it came from.

`Made` is an array with the values of many entries, one row for each. A `Route` says of which rows of which arrays, and
of which tensors from outside, a stacked input was made.
"""
from math import gcd, prod

import numpy as np

from weft.core.runtime import pure_fields
from weft.kernels import fast
from weft.kernels.codes import BINARY
from weft.kernels.native import binary, binary_into
from weft.ops.create.constants import all_zeros, uninitialised

ADD = BINARY["add"]
UP_TO = np.arange(1024)


class Made:
    """Values of one output of a group: (entries, ...). starts, shapes: where entries are of unequal length, the element
    of the array at which the piece of each begins (numbers, one more for the end), and its shape; None elsewhere; unit:
    they are multiples of it. graph: whether they have a history, which is the `Tape` that ran it; grad: the sum so far;
    own: nobody else holds that array; foreign: the values may lie in memory that the program writes to.
    """

    def piece(self, row):
        """One entry's values."""
        if self.starts is None:
            return self.array[row, ...]
        return self.array.reshape(-1)[self.starts[row]:self.starts[row + 1]].reshape(self.shapes[row])

    def begins(self, rows, unit):
        """The numbers of the units at which the pieces of these rows begin."""
        return rows * (self.unit // unit) if self.starts is None else self.starts[rows] // unit

    def run_of(self, row, n, route):
        """The elements of n rows in a row, which a Joined is to know of."""
        if row == 0 and n == (len(self.array) if self.starts is None else len(self.shapes)):
            route.parts.append((self, None, None))
            return self.array
        elements = slice(row * self.unit, (row + n) * self.unit) if self.starts is None else \
            slice(self.starts[row], self.starts[row + n])
        route.parts.append((self, None, elements))
        return self.array.reshape(-1)[elements]

    def add(self, grad):
        """Add a gradient of all of it."""
        if self.grad is None:
            self.grad, self.own = grad, False
        elif self.own:
            add_into(self.grad, grad)
        else:
            self.grad, self.own = sum_of(self.grad, grad), True

    def buffer(self):
        """The gradient so far as an array that may be written to."""
        if self.grad is None:
            self.grad = all_zeros(*self.form)
        elif not self.own:
            self.grad = self.grad.copy()
        self.own = True
        return self.grad

    def flat_buffer(self):
        """The same, with one dimension."""
        whole = self.buffer()
        if not whole.flags.c_contiguous:
            whole = self.grad = np.ascontiguousarray(whole)
        return whole.reshape(-1)

    def add_row(self, row, grad):
        """Add a gradient of one entry's values."""
        if self.starts is not None:
            add_into(self.flat_buffer()[self.starts[row]:self.starts[row + 1]], grad.reshape(-1))
            return
        if self.form[0][0] == 1:
            self.add(grad[None])
        else:
            add_into(self.buffer()[row, ...], grad)


class Route:
    """parts: (made, places in the stack, rows) each: None for all, a slice or an array of numbers; outside: (place,
    number of the parent) each. shared: all entries have the same one, which is not stacked."""

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
            if rows is None:
                made.add(grad)
            elif type(rows) is slice:
                add_into(made.buffer()[rows], grad)
            else:
                add_rows(made.buffer(), rows, grad, range_of(len(rows)) if places is None else places)
        for place, at in self.outside:
            if at >= 0:
                add_parent(parents, at, grad[place, ...])


class Joined(Route):
    """The Route of rows of many entries below each other, cut into units of so many elements. parts: (made, numbers of
    units of all of it, units in the made array) each, where None is all in order and slices are of elements; outside:
    ((elements, a shape), number of the parent) each.
    """

    def back(self, grad, parents):
        flat = grad.reshape(-1)
        for made, places, units in self.parts:
            if not made.wants:
                continue
            if units is None:
                made.add(grad.reshape(made.form[0]))
            elif type(units) is slice:
                add_into(made.flat_buffer()[units], flat)
            else:
                add_rows(made.flat_buffer().reshape(-1, self.unit), units, flat.reshape(-1, self.unit),
                         range_of(len(units)) if places is None else places)
        for (place, shape), at in self.outside:
            if at >= 0:
                add_parent(parents, at, flat[place].reshape(shape))


def add_parent(parents, at, grad):
    """parents: [gradient, whether it is nobody else's, ...] each."""
    held = parents[at]
    if held[0] is None:
        held[0] = grad
    elif held[1]:
        add_into(held[0], grad)
    else:
        held[0], held[1] = sum_of(held[0], grad), True


def sum_of(a, b):
    found = binary(ADD, a, b)
    return np.asarray(np.add(a, b)) if found is None else found


def add_into(target, grad):
    if not binary_into(ADD, target, grad):
        np.add(target, grad, out=target)


def add_rows(target, rows, grad, places):
    """target[rows[i]] += grad[places[i]]; a row may occur several times."""
    if not fast.rows_add(target, rows, grad, places):
        np.add.at(target, rows, grad[places])


def copy_rows(target, places, array, rows):
    """target[places[i]] = array[rows[i]]."""
    if not fast.rows_copy(target, places, array, rows):
        target[places] = array[rows]


def range_of(n):
    """The numbers up to n."""
    global UP_TO
    if n > len(UP_TO):
        UP_TO = np.arange(2 * n)
    return UP_TO[:n]


def stacked(table, start, stop, slot, tape):
    """(array, Route, whether it is a stack) of input number `slot` of the entries order[start:stop]; a tensor from
    outside that all share is given as it is.
    """
    array, rows, route = sourced(table, start, stop, slot, tape)
    return array if rows is None else take(array, rows), route, not route.shared


def sourced(table, start, stop, slot, tape):
    """(array, rows, Route) of an input, where rows says which ones of the array they are, None for all."""
    route = Route.__new__(Route)
    route.parts, route.outside, route.shared = [], [], False
    found = table.sources(start, stop, slot, tape.first_made)
    if len(found) == 1:
        route.shared = True
        return one(found[0], route, table, tape), None, route
    if has_pieces(found, table):
        array, route, _ = joined(table, start, stop, slot, None, tape)
        return array, None, route
    if len(found) == 3:
        return mixed(stop - start, found[1], found[2], route, table, tape), None, route
    made, rows = table.mades[found[0]], found[1]
    array = made.array
    if type(rows) is not int:
        route.parts.append((made, None, rows))
        return array, rows, route
    if rows == 0 and stop - start == len(array):
        rows = None
    else:
        rows = slice(rows, rows + stop - start)
        array = array[rows]
    route.parts.append((made, None, rows))
    return array, None, route


def one(number, route, table, tape):
    """The array or tensor that all entries share."""
    if number >= 0 and table.made_of(number) >= tape.first_made:
        made, row = table.mades[table.made_of(number)], table.row_of(number)
        route.parts.append((made, None, row))
        return made.piece(row)
    source = tape.source(number)
    route.outside.append((0, tape.number(source)))
    return tape.tensor(source)


def has_pieces(found, table):
    """Whether values come from entries of unequal length, as `Table.sources` has found them."""
    if len(found) == 2:
        made = table.mades[found[0]]
        return made.starts is not None
    for number, _, _ in found[1]:
        made = table.mades[number]
        if made.starts is not None:
            return True
    return False


def joined(table, start, stop, slot, trail, tape):
    """(all rows of an input of many entries below each other, their Joined, the number of rows of each); slot: -1 is
    all inputs, those of an entry behind each other; trail: the shape of a row, None where each entry is one.
    """
    route = Joined.__new__(Joined)
    route.parts, route.outside, route.shared = [], [], False
    form = table.kind_of(table.entry_at(start)).slots[max(slot, 0)].like._form
    if trail is None:
        trail, counts = form.shape, np.ones(stop - start, np.int64)
    else:
        counts = table.counts(start, stop, slot)
    n = len(counts)
    found, size, rows = table.sources(start, stop, slot, tape.first_made), prod(trail), int(counts.sum())
    pieces, outside = [], []
    if len(found) == 3:
        pieces, outside = found[1], found[2]
    elif len(found) == 2:
        made = table.mades[found[0]]
        if type(found[1]) is int:
            return made.run_of(found[1], n, route).reshape((rows, *trail)), route, counts
        pieces = [(found[0], None, found[1])]
    elif found[0] >= 0 and table.made_of(found[0]) >= tape.first_made:
        pieces = [(table.made_of(found[0]), None, np.full(n, table.row_of(found[0])))]
    else:
        outside = [(i, found[0]) for i in range(n)]
    if not pieces:
        return all_outside(outside, counts * size, route, table, tape).reshape((rows, *trail)), route, counts
    unit = size
    for number, _, _ in pieces:
        made = table.mades[number]
        unit = gcd(unit, made.unit)
    unit = route.unit = unit or 1
    lengths = counts * (size // unit)
    ends = lengths.cumsum()
    begins, out = ends - lengths, uninitialised((rows * size // unit, unit), form.dtype)
    for number, places, own in pieces:
        made = table.mades[number]
        units = spans(made.begins(own, unit), lengths if places is None else lengths[places])
        at = None if places is None else spans(begins[places], lengths[places])
        copy_rows(out, range_of(len(units)) if at is None else at, made.array.reshape(-1, unit), units)
        route.parts.append((made, at, units))
    flat = out.reshape(-1)
    for place, number in outside:
        source = tape.source(number)
        array, parent = tape.array(source), tape.number(source)
        elements = slice(begins[place] * unit, ends[place] * unit)
        flat[elements] = array.reshape(-1)
        if parent >= 0:
            route.outside.append(((elements, array.shape), parent))
    return out.reshape((rows, *trail)), route, counts


def all_outside(outside, sizes, route, table, tape):
    """The elements of tensors from outside, one behind the other, as `joined` has them."""
    arrays, at = [], 0
    for (_, number), size in zip(outside, sizes.tolist()):
        source = tape.source(number)
        array, parent = tape.array(source), tape.number(source)
        arrays.append(array.reshape(-1))
        if parent >= 0:
            route.outside.append(((slice(at, at + size), array.shape), parent))
        at += size
    return np.concatenate(arrays)


def spans(begins, lengths):
    """The numbers begins[i], begins[i] + 1, ..., of which there are lengths[i], for one i after the other."""
    ends = lengths.cumsum()
    return np.repeat(begins - ends + lengths, lengths) + range_of(int(ends[-1]))


def take(array, rows):
    out = uninitialised((len(rows), *array.shape[1:]), array.dtype)
    copy_rows(out, range_of(len(rows)), array, rows)
    return out


def mixed(n, pieces, outside, route, table, tape):
    """Rows of several arrays, and tensors from outside."""
    arrays = []
    for place, number in outside:
        source = tape.source(number)
        arrays.append(tape.array(source))
        at = tape.number(source)
        if at >= 0:
            route.outside.append((place, at))
    out = None if pieces or not arrays else fast.stacked(arrays, 0)
    if out is not None:
        return out
    if arrays:
        out = uninitialised((n, *arrays[0].shape), arrays[0].dtype)
        for (place, _), array in zip(outside, arrays):
            out[place] = array
    for number, places, rows in pieces:
        made = table.mades[number]
        if out is None:
            out = uninitialised((n, *made.array.shape[1:]), made.array.dtype)
        copy_rows(out, places, made.array, rows)
        route.parts.append((made, places, rows))
    return out


pure_fields(Made, array=None, form=None, starts=None, shapes=None, unit=0, grad=None, graph=False,
            own=False, wants=False, foreign=False)
pure_fields(Route, parts=None, outside=None, shared=False)
pure_fields(Joined, unit=0)
