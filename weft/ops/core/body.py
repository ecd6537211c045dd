# compiled
"""All that an op's class body says, and what follows from it. `registry.op` fills it in; `apply.Op` adds the roads."""
import collections
import inspect

from weft.core.operation import Operation
from weft.core.runtime import pure_fields


class _Missing:
    def __repr__(self):
        return "<required>"


MISSING = _Missing()    # the default of a parameter that has none
SHAPE = 10000           # slots from here on stand for the shape of parameter slot - SHAPE
SHAPE_SLOT = SHAPE      # the same for Python, which can't see a C integer


class Body(Operation):
    """What is known of an op: its functions, its parameters, its rules, its effects.

    A *slot* is the number of a parameter; outputs come after the parameters.
    """

    @property
    def signature(self):
        """`(x, dim=None)`, for messages."""
        return str(inspect.signature(self.forward or self.compose))

    @property
    def returns(self):
        """The named tuple of its outputs, made when it is first asked for; None for one output, or a list of them."""
        if self.made_returns is None and self.returns_as is not None:
            self.made_returns = return_type(self.returns_as, self.outputs or ("values", "indices"))
        return self.made_returns

    def together(self, outs):
        """Its outputs as the caller gets them."""
        made = self.made_returns if self.made_returns is not None else self.returns
        return tuple(outs) if made is None else made(*outs)

    def slot_names(self):
        return (*self.names, *(self.outputs or ("out",)))

    def __repr__(self):
        return f"<op {self.name}>"


pure_fields(Body, general=None, autocast=None, made_returns=None, returns_as=None)

RETURNS = {}        # PyTorch's name of a return type ("linalg_svd") -> the named tuple


def return_type(name, outputs):
    """The named tuple of several outputs, printed as PyTorch prints it."""
    if name in RETURNS:
        return RETURNS[name]
    made = RETURNS[name] = collections.namedtuple(name, outputs)

    def __repr__(self):
        return f"torch.return_types.{name}(\n" + ",\n".join([f"{n}={v!r}" for n, v in zip(self._fields, self)]) + ")"

    def __reduce__(self):
        return returned, (name, self._fields, tuple(self))
    made.__repr__, made.__reduce__ = __repr__, __reduce__
    return made


def returned(name, outputs, values):
    """What a pickled result is read as."""
    return return_type(name, outputs)(*values)
