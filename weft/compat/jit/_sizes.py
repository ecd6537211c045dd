"""Sizes that a program reads while it is traced: numbers that know where they come from, so that
`x.view(x.size(0), -1)` holds for other sizes than the example's. Sums, products and the like of them are such numbers,
too; whatever else is done with one (a float, a branch, a `range`) takes the example's value.
"""
import operator

import weft
from weft.utils._pytree import tree_map

ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "floordiv": operator.floordiv,
              "mod": operator.mod, "neg": operator.neg}


def extent(tensor, dim):
    """One size of a tensor: a node of a trace calls it."""
    return tensor.shape[dim]


def combined(name, *numbers):
    """Arithmetic with sizes: a node of a trace calls it."""
    return ARITHMETIC[name](*numbers)


class TracedSize(int):
    """An int that knows its node: `make()` puts that into the graph, when it is first needed."""

    def __new__(cls, value, make):
        made = super().__new__(cls, value)
        made.make, made.made = make, None
        return made

    @property
    def node(self):
        if self.made is None:
            self.made = self.make()
        return self.made

    def __reduce__(self):
        return int, (int(self),)


def _operator(name, swapped):
    def apply(self, *other):
        found = getattr(int, f"__{'r' if swapped else ''}{name}__")(self, *other)
        if found is NotImplemented:
            return found
        both = (*other, self) if swapped else (self, *other)
        graph = self.make.graph
        return TracedSize(found, Making(graph, combined, (name, *both)))
    return apply


for _name in ARITHMETIC:
    setattr(TracedSize, f"__{_name}__", _operator(_name, False))
    if _name != "neg":
        setattr(TracedSize, f"__r{_name}__", _operator(_name, True))


class Making:
    """Puts a call into a graph when it is called."""

    def __init__(self, graph, function, args):
        self.graph, self.function, self.args = graph, function, args

    def __call__(self):
        return self.graph.call_function(self.function, tuple([a.node if isinstance(a, TracedSize) else a
                                                              for a in self.args]))


def sizes_of(shape, graph, node):
    """A tensor's shape, of numbers that know the tensor's node."""
    return tuple.__new__(weft.Size, [TracedSize(n, Making(graph, extent, (node, i))) for i, n in enumerate(shape)])


def changed(tree, change):
    """A tree of arguments with `change(size)` for every such number, also in slices."""
    def leaf(value):
        if isinstance(value, TracedSize):
            return change(value)
        if isinstance(value, slice):
            return slice(leaf(value.start), leaf(value.stop), leaf(value.step))
        return tuple([leaf(v) for v in value]) if isinstance(value, weft.Size) else value
    return tree_map(leaf, tree)
