"""torch.nn.parallel.scatter_gather: a batch in parts, one for each replica, and the results' way back."""
from weft.core.pytree import is_namedtuple
from weft.ops.shape.join import cat, stack
from weft.tensor.tensor import Tensor

__all__ = ["scatter", "scatter_kwargs", "gather"]


def scatter(inputs, target_gpus, dim=0):
    """The parts of a structure of tensors, cut along `dim`; other values are in every part.

    >>> import weft
    >>> weft.nn.parallel.scatter_gather.scatter((weft.arange(3), "all"), [0, 1])
    [(tensor([0, 1]), 'all'), (tensor([2]), 'all')]
    """
    if isinstance(inputs, Tensor):
        return inputs.chunk(len(target_gpus), dim)
    if is_namedtuple(inputs):
        return [type(inputs)(*part) for part in zip(*[scatter(value, target_gpus, dim) for value in inputs])]
    if isinstance(inputs, (tuple, list)) and inputs:
        kind = tuple if isinstance(inputs, tuple) else list
        return [kind(part) for part in zip(*[scatter(value, target_gpus, dim) for value in inputs])]
    if isinstance(inputs, dict) and inputs:
        return [type(inputs)(part) for part in zip(*[scatter(item, target_gpus, dim) for item in inputs.items()])]
    return [inputs for _ in target_gpus]


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """The parts of a call's arguments: tuples, and as many dicts.

    >>> import weft
    >>> weft.nn.parallel.scatter_gather.scatter_kwargs((weft.arange(2),), {"scale": 3}, [0, 1])
    (((tensor([0]),), (tensor([1]),)), ({'scale': 3}, {'scale': 3}))
    """
    tuples = list(scatter(inputs, target_gpus, dim)) if inputs else []
    dicts = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    count = max(len(tuples), len(dicts))
    tuples += [()] * (count - len(tuples))
    dicts += [{} for _ in range(count - len(dicts))]
    return tuple(tuples), tuple(dicts)


def gather(outputs, target_device, dim=0):
    """One structure of those of all replicas: tensors are joined along `dim`, numbers to a vector.

    >>> import weft
    >>> weft.nn.parallel.scatter_gather.gather([{"y": weft.zeros(1)}, {"y": weft.ones(2)}], "cpu")
    {'y': tensor([0., 1., 1.])}
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        return cat(list(outputs), dim) if first.dim() else stack(list(outputs))
    if first is None:
        return None
    if isinstance(first, dict):
        if any([len(made) != len(first) for made in outputs]):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((k, gather([made[k] for made in outputs], target_device, dim)) for k in first)
    parts = [gather(values, target_device, dim) for values in zip(*outputs, strict=True)]
    return type(first)._make(parts) if is_namedtuple(first) else type(first)(parts)
