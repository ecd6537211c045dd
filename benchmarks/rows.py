"""What is measured, as data. A row is written once, over a module T that is weft or torch: their API is the same.

    Row("matmul 1024", make, goal=1.0, flops=2 * 1024 ** 3)     # make(T) prepares the data and gives the function that
    is timed

The function gives its results, which are compared once between the two. Groups of rows stand in rows_*.py.
"""
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Row:
    name: str
    make: Callable[[Any], Callable[[], Any]]
    goal: float | None = None       # the most that weft's time may be, over torch's (DESIGN.md section 10)
    group: str = ""
    flops: float = 0                # of one call, multiplications and additions counted apart
    bytes: float = 0                # that one call has to read and write
    small: bool = False             # measured once, at the most threads: there is nothing to share
    memory: bool = False            # its peak memory is measured too
    check: bool = True              # compare the results


class Inputs:
    """Random data, the same for every module: `new = Inputs(T); x = new.normal(3, 4, grad=True)`."""

    def __init__(self, T, seed=0):
        self.T, self.rng = T, np.random.default_rng(seed)

    def _tensor(self, array, grad=False):
        t = self.T.tensor(array)
        return t.requires_grad_() if grad else t

    def normal(self, *shape, grad=False, scale=1.0):
        return self._tensor((scale * self.rng.standard_normal(shape)).astype(np.float32), grad)

    def uniform(self, *shape, grad=False):
        return self._tensor(self.rng.random(shape, np.float32), grad)

    def integers(self, high, *shape):
        return self._tensor(self.rng.integers(0, high, shape))


def with_backward(new, forward, leaves):
    """forward() and its backward, with a random gradient; gives the leaves' gradients."""
    grad_out = new.normal(*forward().shape)

    def run():
        for leaf in leaves:
            leaf.grad = None
        forward().backward(grad_out)
        return [leaf.grad for leaf in leaves]
    return run


def forward_and_backward(name, build, goal, group, flops=0, bytes=0, factor=3, memory=False, small=False):
    """Two rows of one thing. build(T, new, grad) gives (function, leaves); the backward costs `factor - 1` forwards."""
    def only(T):
        return build(T, Inputs(T), False)[0]

    def both(T):
        new = Inputs(T)
        return with_backward(new, *build(T, new, True))
    return [Row(name, only, goal, group, flops, bytes, small),
            Row(name + ", fwd+bwd", both, goal, group, factor * flops, factor * bytes, small, memory)]


def all_rows():
    """Every row, in the table's order."""
    import rows_capture
    import rows_data
    import rows_kernels
    import rows_models
    import rows_packages
    import rows_small
    import rows_training
    return [*rows_small.ROWS, *rows_models.ROWS, *rows_training.ROWS, *rows_capture.ROWS, *rows_packages.ROWS,
            *rows_data.ROWS, *rows_kernels.ROWS]
