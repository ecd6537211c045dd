"""Results in dataclasses (such as those of transformers): opened up into lists, so that a replay fills in the tensors
of its own call, and closed again.
"""
import copy
import dataclasses

from weft.core.pytree import children, leaves, mapped, rebuilt
from weft.tensor.tensor import Tensor


class Shell:
    """A dataclass's instance without the tensors in its fields."""

    def __init__(self, whole):
        self.names = [field.name for field in dataclasses.fields(whole)]
        self.frozen = type(whole).__dataclass_params__.frozen
        self.empty = self.around([() if any([isinstance(leaf, Tensor) for leaf in leaves(value)]) else value
                                  for value in self.values_of(whole)], whole)

    def values_of(self, whole):
        return [getattr(whole, name) for name in self.names]

    def around(self, values, like=None):
        """An instance with these values in its fields."""
        made = copy.copy(self.empty if like is None else like)
        for name, value in zip(self.names, values):
            (object.__setattr__ if self.frozen else setattr)(made, name, value)
        return made


def opened(tree):
    """A tree in which every dataclass's instance is a list: its Shell, then what its fields have."""
    return mapped(opened_leaf, tree)


def opened_leaf(leaf):
    if not dataclasses.is_dataclass(leaf) or isinstance(leaf, type):
        return leaf
    shell = Shell(leaf)
    return [shell, *[opened(value) for value in shell.values_of(leaf)]]


def closed(tree):
    """The way back."""
    below = children(tree)
    if below is None:
        return tree
    if type(tree) is list and below and type(below[0]) is Shell:
        return below[0].around([closed(value) for value in below[1:]])
    return rebuilt(tree, [closed(value) for value in below])
