"""Tensors whose values are not one array (sparse ones, those of several ranks): what their classes have in common.

What such a tensor is made of stands where others have the promise of their values (`Tensor._owed`), and its class gives
a rule for every op (`_answer`).
"""
import copy

from weft.core.errors import fail
from weft.tensor.pickling import attributes_of, set_attributes
from weft.tensor.tensor import Tensor


class Composed(Tensor):
    """A subclass has `_answer(func, args, kwargs)`, its rule for an op, and `no_data`, the error that another kind of
    tensor can't be its data: (type, what, fix).
    """

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """The rule of this class, unless a program's own class is among the arguments."""
        for kind in types:
            if kind is not cls and not issubclass(cls, kind):
                return NotImplemented
        return cls._answer(func, args, kwargs or {})

    @property
    def data(self):
        """The same parts, outside the graph."""
        return self.detach()

    @data.setter
    def data(self, value):
        if not isinstance(value, type(self)):
            fail(*self.no_data)
        self._take(value)

    def _take(self, other):
        """Become what another of its class is, in this object."""
        self._form, self._owed, self._memory_record = other._form, other._owed, other._memory_record

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            fail(RuntimeError, "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                 "protocol at the moment.", "copy a computed tensor with detach().clone()", at="")
        made = memo[id(self)] = self.detach().clone()
        made._wants_grad = self._wants_grad
        if self._grad is not None:
            made._grad = copy.deepcopy(self._grad, memo)
        set_attributes(made, copy.deepcopy(attributes_of(self), memo))
        return made

    def __iter__(self):
        return iter([self.select(0, i) for i in range(len(self))])

    def __array__(self, *args, **kwargs):
        return self.numpy()
