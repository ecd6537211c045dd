"""Where a plan's values lie: one block of memory, in which those that are there at the same time lie side by side.

A segment's first run notes what each kernel makes (`Segment.notes`). From then on values that only kernels read have
their places: `Block` has arrays for them and for all views of them, so that a run takes one piece of memory and makes
no array but those that the program gets. What a segment doesn't make, or hands to something else than a kernel, has
memory of its own as before. So have large values: beside their work an array costs nothing, and what is let go after
its last reader serves gradients and other values that the block doesn't have.
"""
from weft.jit.kinds import VALUE
from weft.jit.path import numbers_in
from weft.jit.segment import PACKED, STRIDED, TUPLED, VIEWED, Block, lowest_places
from weft.kernels.blocks import LARGE

ALIGNED = 64
MOST = 4000         # values; finding their places takes longer by the square of it (4000: 0.1 s)


class Value:
    """An array that a kernel made. cell; how it lies; begin, end: the first and the last instruction that needs it;
    first: the value that was first where this one lies.
    """

    def __init__(self, cell, lies, at):
        self.cell, (self.shape, self.dtype, self.strides, self.address, self.bytes) = cell, lies
        self.begin = self.end = at
        self.first = self


class Survey:
    """What the notes of a plan's segments say. values: {cell: the Value that it is, or is a view of}; views: [(cell,
    how it lies, Value)]; lists: {cell of a list: cells of its items}; outside: Values that others may get; readers:
    {(Value, instruction): how many of its arguments are that value, or views of it}.
    """

    def __init__(self, plan):
        self.plan, self.values, self.views, self.lists, self.outside = plan, {}, [], {}, set()
        self.readers = {}
        self.offers, self.made_before = [], []      # (segment, place in its code, cells); (segment, place, cell)
        before = 0
        for part in plan.parts:
            if part.segment is None:
                for step in part.instructions:
                    self.hand_out(numbers_in(step.step.args, VALUE))
            else:
                for note in part.segment.notes:
                    self.add(part.segment, before, *note)
            before += len(part.instructions)
        self.hand_out(plan.filled)
        self.take_over()

    def hand_out(self, cells):
        self.outside.update([self.values[k] for k in cells if k in self.values])

    def read(self, cells, at):
        """The Values that a call reads, itself or in a list."""
        found = []
        for k in cells:
            if k in self.lists:
                found += self.read(self.lists[k], at)
            elif k in self.values:
                value = self.values[k]
                value.end = at
                self.readers[value, at] = self.readers.get((value, at), 0) + 1
                found.append(value)
        return found

    def add(self, segment, before, i, place, args, made, lies, new):
        at, what = before + i, segment.what(place)
        read = self.read(args, at)
        if what in (PACKED, TUPLED):
            self.lists[made[0]] = args
            return
        for k, cell in enumerate(made):
            if lies[k] is None:
                continue
            if k in new:
                self.values[cell] = Value(cell, lies[k], at)
                continue
            of = next((v for v in read if v.address <= lies[k][3] < v.address + max(v.bytes, 1)), None)
            if of is None:
                continue
            self.values[cell] = of
            if what in (VIEWED, STRIDED):
                self.views.append((cell, lies[k], of))
                self.made_before.append((segment, place, cell))
        if any([k >= 0 for k in new]):
            self.offers.append((segment, place, [made[k] if k >= 0 else None for k in new]))

    def take_over(self):
        """Results of elementwise steps lie where an input was that nobody reads afterwards (`reuse.taken_over`), and of
        which the step reads no view besides.
        """
        at = 0
        for part in self.plan.parts:
            for taken in part.taken:
                for out, source in taken.items():
                    value, old = self.values.get(out), self.values.get(source)
                    if value is not None and old is not None and value.cell == out and old.cell == source \
                            and not {value, old} & self.outside and old.end == value.begin == at \
                            and value.bytes == old.bytes < LARGE and self.readers[old, at] == 1:
                        value.first = old.first
                at += 1


def placed(plan):
    """Give a plan's values their places; its segments were noted. Gives the block, or None where there is none."""
    survey = Survey(plan)
    for part in plan.parts:
        if part.segment is not None:
            part.segment.notes = None
    inside = [v for v in dict.fromkeys(survey.values.values()) if v not in survey.outside and 0 < v.bytes < LARGE]
    leaders = {}
    for v in inside:
        begin, end = leaders.get(v.first, (v.first.begin, v.first.end))
        leaders[v.first] = begin, max(end, v.end)
    if not 0 < len(leaders) <= MOST:
        return None
    rounded = [-(-v.bytes // ALIGNED) * ALIGNED for v in leaders]
    offsets, size = lowest_places(rounded, *map(list, zip(*leaders.values())))
    offset_of = dict(zip(leaders, offsets))
    block, arrays = Block(size), {}
    for v in inside:
        arrays[v.cell] = block.array(v.shape, v.dtype, v.strides, offset_of[v.first])
    inside = set(inside)
    for cell, (shape, dtype, strides, address, _), of in survey.views:
        if of in inside:
            arrays[cell] = block.array(shape, dtype, strides, offset_of[of.first] + address - of.address)
    for segment, place, cells in survey.offers:
        if any([cell in arrays for cell in cells]):
            segment.offer(place, block, [arrays.get(cell) for cell in cells])
            for cell in cells:          # it makes as many arrays as it was seen to: none takes over memory by itself
                if cell in plan.programs:
                    program, which = plan.programs[cell]
                    plan.cells[program][which] = -1
    for segment, place, cell in survey.made_before:
        if cell in arrays:
            segment.make_before(place, block)
    for cell, array in arrays.items():
        plan.cells[cell] = array
    for part in plan.parts:
        if part.segment is not None:
            part.segment.never_drop(set(arrays))
    return block
