"""A module called with other parameters and buffers than its own."""
import warnings
from contextlib import contextmanager

from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

__all__ = ["functional_call"]


def _all_names(module):
    return dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))


def _with_tied(module, given):
    """What is given, under all the names that the module has for one tensor."""
    tied = {}
    for name, tensor in _all_names(module).items():
        tied.setdefault(id(tensor), []).append(name)
    full = dict(given)
    for names in tied.values():
        values = [given[name] for name in names if name in given]
        if len(names) > 1 and values:
            if any(value is not values[0] for value in values):
                raise ValueError(f"functional_call got multiple values for keys {sorted(names)}, which are tied. "
                                 f"Consider using tie_weights=False")
            full.update(dict.fromkeys(names, values[0]))
    return full


def _check_names(module, given):
    own = _all_names(module)
    parts = [(f"{what} key(s): {', '.join(map(repr, names))}.") for what, names in (
        ("Unexpected", sorted(given.keys() - own.keys())), ("Missing", sorted(own.keys() - given.keys()))) if names]
    if parts:
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(parts))


def _place(module, path, value):
    """(the dict that holds it, the name in it) of a parameter, a buffer, or a new attribute."""
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    above, _, name = path.rpartition(".")
    owner = module.get_submodule(above)
    for held in (owner._parameters, owner._buffers):
        if name in held:
            return held, name
    if not isinstance(owner.__dict__.get(name), (Tensor, type(None))):
        raise TypeError(f"attribute `{name}`: {owner.__dict__[name]} is not an instance of torch.Tensor")
    return owner._parameters if isinstance(value, Parameter) else owner.__dict__, name


_NOTHING = object()


def _put(place, value):
    """Put a value in a place; what was there."""
    held, name = place
    before = held.get(name, _NOTHING)
    if value is _NOTHING:
        held.pop(name, None)
    else:
        held[name] = value
    return before


@contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False):
    """Within this the module has other values; then its own again, whatever happened, and the dict has what became of
    the others.
    """
    given = _with_tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        _check_names(module, given)
    places = {name: _place(module, name, value) for name, value in given.items()}
    before = {name: _put(place, given[name]) for name, place in places.items()}
    try:
        yield
    finally:
        after = {name: _put(places[name], value) for name, value in reversed(before.items())}
        for name in parameters_and_buffers:
            if after[name] is not _NOTHING and after[name] is not parameters_and_buffers[name]:
                parameters_and_buffers[name] = after[name]


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """The older place of weft.func.functional_call.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> values = {'weight': weft.ones(1, 2), 'bias': weft.zeros(1)}
    >>> weft.nn.utils.stateless.functional_call(layer, values, (weft.ones(1, 2),))
    tensor([[2.]])
    """
    warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0. Please use "
                  "`torch.func.functional_call` instead which is a drop-in replacement.", FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
