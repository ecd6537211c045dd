"""Sparse tensors: the numbers that are there, and where they stand. Loaded when a program first makes one.

`parts` is what such a tensor holds, `tensor` the class and its own methods, `bridge` the way of gradients between a
sparse tensor and its values; the other files have the rules for ops that are given one (`rules` has the table).
"""
from weft.ops.sparse import arithmetic, create, functions, matrices, reduce, shapes  # noqa: F401  (the rules)
