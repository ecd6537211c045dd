"""Seeing what runs: the graph as an object, as text, as a picture and as a page; recording of steps and runs."""
import importlib as _importlib

from weft.viz.graph import Graph as Graph
from weft.viz.graph import Node as Node
from weft.viz.record import record as record

# imported when first used
_LAZY = {"watch": "recorder", "log": "recorder", "Run": "run", "html": "page", "show": "page", "Server": "server"}


def __getattr__(name):
    if name in _LAZY:
        return getattr(_importlib.import_module("weft.viz." + _LAZY[name]), name)
    raise AttributeError(f"module 'weft.viz' has no attribute '{name}'; it has {', '.join(__dir__())}")


def __dir__():
    return sorted({"Graph", "Node", "record", *_LAZY})
