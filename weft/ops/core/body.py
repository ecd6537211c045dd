# compiled
"""All that an op's class body says, and what follows from it. `registry.op` fills it in; `apply.Op` adds the roads."""
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

    def slot_names(self):
        return (*self.names, *(self.outputs or ("out",)))

    def __repr__(self):
        return f"<op {self.name}>"


pure_fields(Body, general=None, autocast=None)
