"""Values in nested tuples, lists and dicts: taken apart into leaves and put together again."""
from collections import OrderedDict, defaultdict


def is_namedtuple(value):
    """Whether a value is an instance of a class made by namedtuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def children(tree):
    """The values one level down, or None for a leaf."""
    if type(tree) in (list, tuple) or is_namedtuple(tree):
        return list(tree)
    if type(tree) in (dict, OrderedDict, defaultdict):
        return list(tree.values())
    return None


def rebuilt(tree, values):
    """A tree's uppermost level with other values."""
    if is_namedtuple(tree):
        return type(tree)(*values)
    if type(tree) in (list, tuple):
        return type(tree)(values)
    made = dict(zip(tree, values))
    if isinstance(tree, defaultdict):
        return defaultdict(tree.default_factory, made)
    return type(tree)(made)


def leaves(tree):
    """All leaves, from left to right."""
    below = children(tree)
    return [tree] if below is None else [leaf for value in below for leaf in leaves(value)]


def mapped(function, tree, *others):
    """A tree of function(leaf, the same leaf of the others); the others may have more below a leaf."""
    below = children(tree)
    if below is None:
        return function(tree, *others)
    beside = [children(other) for other in others]
    return rebuilt(tree, [mapped(function, *values) for values in zip(below, *beside)])


def filled(tree, values):
    """A tree of the same structure with these leaves."""
    rest = iter(values)
    return mapped(lambda _: next(rest), tree)


def same_structure(one, other):
    """Whether two trees differ in their leaves only."""
    a, b = children(one), children(other)
    if a is None or b is None:
        return a is None and b is None
    if type(one) is not type(other) or len(a) != len(b) or isinstance(one, dict) and list(one) != list(other):
        return False
    return all(same_structure(x, y) for x, y in zip(a, b))


def spread(prefix, tree):
    """The leaves of a prefix (a tree that ends earlier), each repeated for all the leaves of `tree` below it; None if
    it doesn't fit.
    """
    above, below = children(prefix), children(tree)
    if above is None:
        return [prefix] * len(leaves(tree))
    if below is None or len(above) != len(below) or isinstance(prefix, dict) != isinstance(tree, dict):
        return None
    parts = [spread(p, t) for p, t in zip(above, below)]
    return None if any(part is None for part in parts) else [leaf for part in parts for leaf in part]
