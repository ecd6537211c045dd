"""The form of a pass: a graph module in, and whether it was changed out."""
import abc
from typing import NamedTuple

__all__ = ["PassResult", "PassBase"]


class PassResult(NamedTuple):
    """A pass's graph module, and whether it changed it."""
    graph_module: object
    modified: bool


class PassBase(abc.ABC):
    """A pass: `call(graph_module)` gives a PassResult; `requires` and `ensures` check before and after."""

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """Do it."""

    def requires(self, graph_module):       # noqa: B027  (a subclass may leave it as it is)
        """Check what must hold before."""

    def ensures(self, graph_module):        # noqa: B027
        """Check what must hold after."""
