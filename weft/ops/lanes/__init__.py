"""Ops on many examples at once, for functions that are written for one: what `vmap` runs on."""
from weft.ops.lanes import index, layers, matrices, sequences, shapes  # noqa: F401
from weft.ops.lanes.taker import Lanes, NeedsLoop

__all__ = ["Lanes", "NeedsLoop"]
