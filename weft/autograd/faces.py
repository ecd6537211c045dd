"""How a node looks to those who walk the graph, where PyTorch has other nodes for what is one op here.

A node is what runs; its face is what `name()`, `next_functions` and `_saved_...` show of it. An op that PyTorch makes
of several steps (linear: a product, with a transposed weight, and two views) shows them as parts: they can be walked,
but only the node itself runs. A face is made when somebody asks for it; recording and running know nothing of it.
"""
import weakref

from weft.autograd.graph import PARTS, Node
from weft.core.errors import fail
from weft.tensor.tensor import Tensor


class Face:
    """A node's name, its parents (pairs of node or leaf and number; None: its own), and what it saved, by PyTorch's
    names: values, or functions that give them (None: its own).
    """

    def __init__(self, name, parents=None, saved=None):
        self.name, self.parents, self.saved = name, parents, saved


class Part(Node):
    """A step of PyTorch's that the op of another node does, too."""

    def name(self):
        return self.shown.name

    def _face(self):
        return self.shown

    def _shown(self):
        return self

    def register_hook(self, hook):
        """Refuse: a part never runs by itself."""
        fail(RuntimeError, f"{self.name()} is a part of {self.owner}, which runs as one: it takes no hooks",
             f"register the hook on the node of {self.owner}, or on a tensor")

    register_prehook = register_hook


def part(owner, place, name, parents, saved=None):
    """A part of a node, one object for each `place` as long as anybody holds it."""
    held = owner.note("parts", weakref.WeakValueDictionary)
    made = held.get(place)
    if made is None:
        cls = PARTS.get(name)
        if cls is None:
            cls = PARTS.setdefault(name, type(name, (Part,), {"__module__": "builtins", "__doc__": Part.__doc__}))
        made = held[place] = cls()
        made.seq, made.n_outputs, made.owner = owner.seq, 1, owner.own_name()
        made.shown = Face(name, parents, saved or {})
    return made


def kept(node):
    """{own name: value} of what a node saved; shapes as `<name>_shape`. Empty after a backward freed it, or a write
    changed it: its name must be had all the same.
    """
    if node.plan is None or node.saved is None:
        return {}
    try:
        saved = node.unpack() if node.plan.n_saved else ()
    except RuntimeError:
        return {}
    return dict(zip(node._own_names(), saved, strict=True))


def product_saved(first, second, a, b, needs):
    """PyTorch's entries for the product of a and b, under two names: each is saved for the other's gradient, its sizes
    always, its strides for its own. `needs`: whether each needs a gradient.
    """
    found = {}
    for name, value, own, other in ((first, a, needs[0], needs[1]), (second, b, needs[1], needs[0])):
        there = isinstance(value, Tensor)
        found |= {name: value if other else None, f"{name}_sym_sizes": tuple(value.shape) if there else (),
                  f"{name}_sym_strides": value.stride() if own and there else ()}
    return found


def product_face(node):
    """A product of two matrices."""
    saved = kept(node)
    needs = [edge[0] is not None for edge in node.edges()]
    return Face("MmBackward0", saved=product_saved("self", "mat2", saved.get("x"), saved.get("mat2", saved.get("y")),
                                                   needs))
