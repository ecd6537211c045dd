"""Arguments for the derived tests that a tuple of ints (a random floating tensor of that shape) doesn't say.

    samples = [((3, 2), ints(3, 2, below=3)), ((4,), size(2, 2)), (matrix(3, "positive"),)]

A layer's class has `_samples` of (arguments, settings, inputs): those of its constructor, where a tuple is a tuple and
only what is made here becomes a tensor, and the inputs of a call as above, with a dict of keywords as the last one if
there are any; None for a container that can't be called. An optimizer's or a schedule's `_samples` are dicts of
options. `_eval_differs`, `_reads_values`, `_takes_half` and `_takes_complex` say what else such a class does otherwise
than most.

    _samples = [((3, 2), {}, [(4, 3)]), ((3, 2), {"bias": False}, [(3,)])]
"""


class Make:
    """How a test makes one argument: what kind of tensor (or value), its shape, and options."""

    __slots__ = ("kind", "shape", "options")

    def __init__(self, kind, shape, /, **options):
        self.kind, self.shape, self.options = kind, shape, options

    def __repr__(self):
        return f"{self.kind}{self.shape}"


def ints(*shape, below, start=0, dtype="int64"):
    """Random integers from `start` up to, not including, `below`."""
    return Make("ints", shape, below=below, start=start, dtype=dtype)


def bools(*shape):
    """Random truth values, some of both kinds where there are at least two."""
    return Make("bools", shape)


def complexes(*shape):
    """Random complex numbers."""
    return Make("complexes", shape)


def floats(*shape, low=0.3, high=0.9):
    """Random floating numbers between bounds."""
    return Make("floats", shape, low=low, high=high)


def matrix(n, kind="regular", batch=()):
    """A square matrix (or a stack): `regular`, `symmetric`, `positive` (definite), `lower`, `upper`."""
    return Make("matrix", (*batch, n, n), kind=kind)


def data(values, dtype=None):
    """A tensor of exactly these values."""
    return Make("data", (), values=values, dtype=dtype)


def size(*lengths):
    """A tuple of ints that means sizes, dimensions or a window, not a tensor."""
    return Make("size", lengths)


def given(value):
    """Any value, as it is."""
    return Make("given", (), value=value)


def fixed(*shape, matrix=None):
    """A random floating tensor for which no gradient is wanted (running statistics, weights of classes), or such a
    matrix of a kind.
    """
    return Make("fixed", shape, matrix=matrix)


def built(function):
    """What `function(torch)` gives, called anew for every test; `torch` is weft, or PyTorch in comparisons."""
    return Make("built", (), function=function)
