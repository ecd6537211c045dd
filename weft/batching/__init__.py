"""Automatic batching."""
from weft.batching.region import autobatch

__all__ = ["autobatch"]
