"""Lists and dicts that can't be changed: a node's arguments, so that its graph always knows who uses whom."""
from weft.core.errors import message
from weft.utils._pytree import register_pytree_node

__all__ = ["immutable_list", "immutable_dict"]


def _refuse(name):
    def method(self, *args, **kwargs):
        raise TypeError(message(f"{type(self).__name__!r} object does not support mutation ({name})",
                                "to change a node's arguments, make new ones and assign them: node.args = new_args, "
                                "node.kwargs = new_kwargs"))
    method.__name__ = name
    return method


def _frozen(*names):
    return {name: _refuse(name) for name in names}


class immutable_list(list):
    """A list that refuses to be changed.

    >>> from weft.fx.immutable_collections import immutable_list
    >>> immutable_list([1, 2]) == [1, 2]
    True
    """
    locals().update(_frozen("__delitem__", "__iadd__", "__imul__", "__setitem__", "append", "clear", "extend",
                            "insert", "pop", "remove", "reverse", "sort"))

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), (tuple(self),)


class immutable_dict(dict):
    """A dict that refuses to be changed.

    >>> from weft.fx.immutable_collections import immutable_dict
    >>> immutable_dict(a=1) == {"a": 1}
    True
    """
    locals().update(_frozen("__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault",
                            "update"))

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return type(self), (dict(self),)


register_pytree_node(immutable_list, lambda tree: (list(tree), None), lambda values, _: immutable_list(values))
register_pytree_node(immutable_dict, lambda tree: (list(tree.values()), list(tree)),
                     lambda values, keys: immutable_dict(zip(keys, values, strict=True)))
