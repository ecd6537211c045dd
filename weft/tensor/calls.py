"""The twin of calls.pyx in plain Python: a kernel on its tensors' arrays, and the public function of an op."""
from weft.tensor.tensor import Tensor


def call_arrays(function, values, n_positional, names):
    """`function` on the values, tensors replaced by their arrays; the last ones go by the keywords `names`."""
    arrays = [v.array if isinstance(v, Tensor) else v for v in values]
    if n_positional == len(arrays):
        return function(*arrays)
    return function(*arrays[:n_positional], **dict(zip(names, arrays[n_positional:])))


def make_function(op, missing):
    """The public function of an op, which is also its method."""
    if op.unary_code >= 0:
        def function(*args, **kwargs):
            return op.call1(args[0]) if len(args) == 1 and not kwargs else op.call(args, kwargs)
    elif op.binary_code >= 0:
        def function(*args, **kwargs):
            return op.call2(args[0], args[1]) if len(args) == 2 and not kwargs else op.call(args, kwargs)
    else:
        def function(*args, **kwargs):
            return op.call(args, kwargs)
    return function
