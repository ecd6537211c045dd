"""Tensors in what users pass around: tuples, lists and dicts, nested as they like."""
from weft.tensor.tensor import Tensor


def tensors_in(value):
    """The tensors in nested tuples, lists and dicts, from left to right."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            waiting.extend(reversed(value))
        elif isinstance(value, dict):
            waiting.extend(reversed(list(value.values())))
