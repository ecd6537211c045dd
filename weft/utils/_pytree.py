"""Trees of values: nested lists, tuples, named tuples and dicts, taken apart and put together again, as many programs
do with PyTorch's own.
"""
import dataclasses
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any

from weft.core.pytree import is_namedtuple

__all__ = ["TreeSpec", "LeafSpec", "register_pytree_node", "tree_flatten", "tree_unflatten", "tree_leaves",
           "tree_iter", "tree_structure", "tree_map", "tree_map_", "tree_map_only", "tree_all", "tree_any",
           "tree_is_leaf", "tree_map_only_", "tree_all_only", "tree_any_only", "tree_flatten_with_path",
           "tree_leaves_with_path", "tree_map_with_path", "keystr", "key_get", "is_namedtuple_class",
           "is_namedtuple_instance", "is_structseq_class", "is_structseq_instance", "treespec_dumps", "treespec_loads",
           "treespec_pprint", "arg_tree_leaves", "register_dataclass"]

# type -> (flatten: the values and what is needed besides them, unflatten)
_KINDS = {
    list: (lambda t: (t, None), lambda values, _: list(values)),
    tuple: (lambda t: (list(t), None), lambda values, _: tuple(values)),
    dict: (lambda t: (list(t.values()), list(t)), lambda values, keys: dict(zip(keys, values, strict=True))),
    OrderedDict: (lambda t: (list(t.values()), list(t)), lambda values,
                  keys: OrderedDict(zip(keys, values, strict=True))),
    defaultdict: (lambda t: (list(t.values()), [t.default_factory, list(t)]),
                  lambda values, kept: defaultdict(kept[0], zip(kept[1], values, strict=True))),
    deque: (lambda t: (list(t), t.maxlen), lambda values, length: deque(values, maxlen=length)),
}
_WITH_KEYS = {}         # type -> flatten to pairs (key, value), for classes that were registered with one
_NAMED = (lambda t: (list(t), type(t)), lambda values, kind: kind(*values))


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Let a class be a node: flatten_fn(x) gives (values, context), unflatten_fn(values, context) the object."""
    if cls in _KINDS:
        raise ValueError(f"{cls} is already registered as pytree node. Overwriting the previous registration.")
    _KINDS[cls] = flatten_fn, unflatten_fn
    if flatten_with_keys_fn is not None:
        _WITH_KEYS[cls] = flatten_with_keys_fn


_register_pytree_node = register_pytree_node
PyTree = Context = Any      # for annotations
SUPPORTED_NODES = _KINDS


def _get_node_type(tree):
    """The class by which a tree's uppermost level is taken apart."""
    return namedtuple if is_namedtuple(tree) else type(tree)


def _dict_flatten(d):
    return list(d.values()), list(d)


class _Key:
    """How a value is reached from the one above it."""

    def __init__(self, key):
        self.key = self.idx = self.name = key

    def get(self, parent):
        """The value."""
        return parent[self.key]

    def __eq__(self, other):
        return type(self) is type(other) and self.key == other.key

    def __hash__(self):
        return hash((type(self), self.key))

    def __repr__(self):
        return f"{type(self).__name__}({self.key!r})"

    def __str__(self):
        return f"[{self.key!r}]"


class MappingKey(_Key):
    """A key of a dict."""


class SequenceKey(_Key):
    """A place in a list or tuple."""


class GetAttrKey(_Key):
    """An attribute."""

    def get(self, parent):
        return getattr(parent, self.key)

    def __str__(self):
        return f".{self.key}"


def _dict_flatten_with_keys(d):
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def _dict_unflatten(values, context):
    return dict(zip(context, values, strict=True))


class TreeSpec:
    """The shape of a tree without its leaves."""
    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, children_specs
        self.num_leaves = sum(c.num_leaves for c in children_specs) if type is not None else 1
        self.num_children = len(children_specs)

    def is_leaf(self):
        return self.type is None

    def children(self):
        return list(self.children_specs)

    def unflatten(self, leaves):
        return tree_unflatten(leaves, self)

    def __eq__(self, other):
        return (isinstance(other, TreeSpec) and (self.type, self.context,
                                                 self.children_specs) == (other.type, other.context,
                                                                          other.children_specs))

    def __hash__(self):
        return hash((self.type, repr(self.context), self.num_leaves))

    def __repr__(self):
        return ("*" if self.is_leaf()
                else f"TreeSpec({self.type.__name__}, {self.context}, [{', '.join(map(repr, self.children_specs))}])")


class LeafSpec(TreeSpec):
    """The shape of a leaf."""
    def __init__(self):
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def _kind(tree, is_leaf=None):
    """(type, its flatten and unflatten) of a node, or None for a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return None
    if type(tree) in _KINDS:
        return type(tree), _KINDS[type(tree)]
    return (type(tree), _NAMED) if is_namedtuple(tree) else None


def tree_is_leaf(tree, is_leaf=None):
    return _kind(tree, is_leaf) is None


def _take(tree, leaves, is_leaf):
    found = _kind(tree, is_leaf)
    if found is None:
        leaves.append(tree)
        return _LEAF
    values, context = found[1][0](tree)
    return TreeSpec(found[0], context, [_take(value, leaves, is_leaf) for value in values])


def tree_flatten(tree, is_leaf=None):
    """(the leaves from left to right, the spec).

    >>> tree_flatten({"a": [1, 2]})
    ([1, 2], TreeSpec(dict, ['a'], [TreeSpec(list, None, [*, *])]))
    """
    leaves = []
    return leaves, _take(tree, leaves, is_leaf)


def _build(leaves, spec):
    if spec.is_leaf():
        return next(leaves)
    unflatten = (_KINDS.get(spec.type) or _NAMED)[1]
    return unflatten([_build(leaves, child) for child in spec.children_specs], spec.context)


def tree_unflatten(leaves, treespec):
    """A tree of a spec with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got "
                        f"item of type {type(treespec)}.")
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to "
                         f"a pytree that holds {treespec.num_leaves} items ({treespec}).")
    return _build(iter(leaves), treespec)


def tree_leaves(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def _up_to(tree, spec):
    """The values of a tree where a spec has its leaves; there may be more below them."""
    if spec.is_leaf():
        return [tree]
    found = _kind(tree)
    values, context = found[1][0](tree) if found else ([], None)
    if found is None or found[0] is not spec.type or len(values) != len(spec.children_specs):
        raise ValueError(f"Node type mismatch; expected {spec.type} with {len(spec.children_specs)} children, but got "
                         f"{type(tree)}")
    if spec.type in (dict, OrderedDict):
        if set(context) != set(spec.context):
            raise ValueError(f"Node keys mismatch; expected {spec.context}, but got {context}")
        values = [tree[key] for key in spec.context]
    return [leaf for value, child in zip(values, spec.children_specs, strict=True) for leaf in _up_to(value, child)]


def tree_map(func, tree, *rests, is_leaf=None):
    """A tree of func(leaf, the same place of the other trees)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(map(func, leaves, *(_up_to(rest, spec) for rest in rests)), spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    """func(leaf, ...) for every leaf; the tree itself comes back."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for values in zip(leaves, *(_up_to(rest, spec) for rest in rests), strict=True):
        func(*values)
    return tree


def tree_map_only(type_or_types, func=None, tree=None, is_leaf=None):
    """tree_map on the leaves of a type (or types, or for which a function is true); others stay."""
    if func is None:
        return lambda function: (lambda leaf: function(leaf) if _is(leaf, type_or_types) else leaf)
    return tree_map(lambda leaf: func(leaf) if _is(leaf, type_or_types) else leaf, tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types, func=None, tree=None, is_leaf=None):
    """func(leaf) for every leaf of a type; the tree itself comes back."""
    return tree_map_(lambda leaf: func(leaf) if _is(leaf, type_or_types) else leaf, tree, is_leaf=is_leaf)


def _is(leaf, wanted):
    return isinstance(leaf, wanted) if isinstance(wanted, (type, tuple)) else bool(wanted(leaf))


def tree_all(pred, tree, is_leaf=None):
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, type_or_types))


# leaves with the way to them

def _keyed(tree, kind):
    """(key, value) of what a node holds."""
    if kind in _WITH_KEYS:
        return _WITH_KEYS[kind](tree)[0]
    if is_namedtuple(tree):
        return [(GetAttrKey(name), value) for name, value in zip(tree._fields, tree, strict=True)]
    if issubclass(kind, dict):
        return [(MappingKey(key), value) for key, value in tree.items()]
    if issubclass(kind, (list, tuple, deque)):
        return [(SequenceKey(i), value) for i, value in enumerate(tree)]
    raise ValueError(f"a {kind.__name__} was registered without flatten_with_keys_fn, which says how its values are "
                     "reached")


def _paths(tree, path, is_leaf):
    found = _kind(tree, is_leaf)
    if found is None:
        yield path, tree
        return
    for key, value in _keyed(tree, found[0]):
        yield from _paths(value, (*path, key), is_leaf)


def tree_flatten_with_path(tree, is_leaf=None):
    """((the keys that lead to a leaf, the leaf) for each, the spec).

    >>> [(keystr(path), leaf) for path, leaf in tree_flatten_with_path({"a": [1, 2]})[0]]
    [("['a'][0]", 1), ("['a'][1]", 2)]
    """
    return list(_paths(tree, (), is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None):
    return list(_paths(tree, (), is_leaf))


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """A tree of func(path, leaf, the same place of the other trees)."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    others = [_up_to(rest, spec) for rest in rests]
    return tree_unflatten([func(path, leaf, *more) for (path, leaf), *more in zip(pairs, *others, strict=True)], spec)


def keystr(kp):
    """A path as text: "['a'][0]"."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """The value to which a path leads."""
    for key in kp:
        obj = key.get(obj)
    return obj


# kinds of tuples

def is_namedtuple_class(cls):
    """Whether a class is one that collections.namedtuple or typing.NamedTuple made, or below one."""
    return (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
            and all(isinstance(field, str) for field in cls._fields) and callable(getattr(cls, "_make", None)))


def is_namedtuple_instance(obj):
    """Whether it is a tuple with names."""
    return is_namedtuple_class(type(obj))


def is_structseq_class(cls):
    """Whether a class is a tuple with names that C code made, as time.struct_time is."""
    counts = [getattr(cls, f"n_{name}", None) for name in ("sequence_fields", "fields", "unnamed_fields")]
    return isinstance(cls, type) and tuple in cls.__bases__ and all(isinstance(n, int) for n in counts)


def is_structseq_instance(obj):
    """Whether it is such a tuple."""
    return is_structseq_class(type(obj))


is_structseq, _is_namedtuple_instance = is_structseq_instance, is_namedtuple_instance
PyTreeSpec = TreeSpec
_namedtuple_flatten, _namedtuple_unflatten = _NAMED
_list_flatten, _list_unflatten = _KINDS[list]
_tuple_flatten, _tuple_unflatten = _KINDS[tuple]
_ordereddict_flatten, _ordereddict_unflatten = _odict_flatten, _odict_unflatten = _KINDS[OrderedDict]
_defaultdict_flatten, _defaultdict_unflatten = _KINDS[defaultdict]
_deque_flatten, _deque_unflatten = _KINDS[deque]


def arg_tree_leaves(*args, **kwargs):
    """The leaves of all arguments of a call."""
    return tree_leaves((args, kwargs))


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Let a dataclass be a node: its fields are the children, those that are None are left out."""
    if field_names is None:
        if not dataclasses.is_dataclass(cls):
            raise ValueError("field_names must be specified with a list of all fields used to initialize the class, as "
                             "it is not a dataclass.")
        field_names = [f.name for f in dataclasses.fields(cls) if f.init and f.name not in (drop_field_names or ())]

    def flatten(obj):
        there = [name for name in field_names if getattr(obj, name) is not None]
        return [getattr(obj, name) for name in there], [there, [n for n in field_names if n not in there]]

    def unflatten(values, context):
        there, absent = context
        return cls(**dict(zip(there, values)), **dict.fromkeys(absent))

    def with_keys(obj):
        values, context = flatten(obj)
        return [(GetAttrKey(name), value) for name, value in zip(context[0], values)], context
    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name,
                         flatten_with_keys_fn=with_keys)


# specs as text

_WRITTEN = {kind: f"{kind.__module__}.{kind.__qualname__}" for kind in (list, tuple, dict, OrderedDict, deque)}


def treespec_dumps(treespec, protocol=None):
    """A spec of lists, tuples, dicts and deques as JSON, for treespec_loads."""
    def plain(spec):
        if spec.is_leaf():
            return None
        if spec.type not in _WRITTEN:
            raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
        return {"type": _WRITTEN[spec.type], "context": spec.context, "children": list(map(plain, spec.children_specs))}
    return json.dumps([1, plain(treespec)])


def treespec_loads(serialized):
    """The spec that treespec_dumps wrote."""
    kinds = {name: kind for kind, name in _WRITTEN.items()}

    def made(spec):
        if spec is None:
            return LeafSpec()
        return TreeSpec(kinds[spec["type"]], spec["context"], list(map(made, spec["children"])))
    version, spec = json.loads(serialized)
    if version != 1:
        raise ValueError(f"Unknown protocol {version}. Available protocols: [1]")
    return made(spec)


def treespec_pprint(treespec):
    """A spec as the tree of stars that it describes."""
    class Star:
        def __repr__(self):
            return "*"
    return repr(tree_unflatten([Star() for _ in range(treespec.num_leaves)], treespec))
