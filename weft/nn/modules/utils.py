"""PyTorch's helpers of layers: numbers repeated to tuples, prefixes of names."""
from collections.abc import Iterable
from itertools import repeat

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    """A function from one number, or n of them, to a tuple of n."""
    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))
    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """The elements in reverse, each n times."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """Sizes, those that are None by their defaults."""
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [default if given is None else given for given, default in zip(out_size, defaults[-len(out_size):])]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Take a prefix, as wrappers add it, off the names of a state_dict, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix):]] = state_dict.pop(key)
    notes = getattr(state_dict, "_metadata", None)
    for key in list(notes or ()):
        if key and (key == prefix.rstrip(".") or key.startswith(prefix)):
            notes[key[len(prefix):]] = notes.pop(key)


def factory_kwargs(kwargs):
    """The keyword arguments of a layer that are for its parameters: device, dtype, memory_format.

    >>> import weft
    >>> weft.nn.factory_kwargs({"dtype": weft.float64, "factory_kwargs": {"device": "cpu"}})
    {'device': 'cpu', 'dtype': torch.float64}
    """
    if kwargs is None:
        return {}
    simple = ("device", "dtype", "memory_format")
    unknown = kwargs.keys() - {*simple, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in simple:
        if name in kwargs and name in found:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        if name in kwargs:
            found[name] = kwargs[name]
    return found
