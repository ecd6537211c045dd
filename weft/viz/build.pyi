"""`weft.graph(...)`: the graph of a result, or of a call."""
# made by tools/stubs.py
from typing import Any, Callable
from weft.viz.graph import Graph

def graph(what: Any, *args: Any, title: str | None = None, values: bool = True, gradients: bool = False, **kwargs: Any) -> Graph: ...
def of_call(function: Callable[..., Any], args: Any, kwargs: Any, title: str, values: bool, gradients: Any) -> Any: ...
