"""Automatic batching: programs for one example at a time run as batches."""
from weft.batching.region import autobatch as autobatch
from weft.batching.report import Report as Report

__all__ = ["Report", "autobatch"]
