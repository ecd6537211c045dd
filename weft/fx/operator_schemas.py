"""Signatures of what a node calls, and its arguments in their order."""
import inspect
import typing

from weft.nn import Module

__all__ = ["ArgsKwargsPair", "get_signature_for_torch_op", "normalize_function", "normalize_module", "create_type_hint",
           "type_matches"]


class ArgsKwargsPair(typing.NamedTuple):
    """Positional and keyword arguments of a call."""
    args: tuple
    kwargs: dict


def get_signature_for_torch_op(op, return_schemas=False):
    """The signatures of a function, as a list, or None."""
    try:
        found = [inspect.signature(op)]
    except (TypeError, ValueError):
        found = None
    return (found, None) if return_schemas else found


def _arranged(signature, args, kwargs, only_keywords):
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        return ArgsKwargsPair(bound.args, dict(bound.kwargs))
    if only_keywords:
        return ArgsKwargsPair((), dict(bound.arguments))
    placed = tuple(bound.arguments[name] for name in list(bound.arguments)[:len(args)])
    return ArgsKwargsPair(placed, {name: value for name, value in bound.arguments.items()
                                   if name not in list(bound.arguments)[:len(args)]})


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """The arguments of a call by the function's signature, defaults included; None where it has none."""
    found = get_signature_for_torch_op(target)
    return None if not found else _arranged(found[0], args, kwargs or {}, normalize_to_only_use_kwargs)


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """The arguments of a module's call by the signature of its forward."""
    module = root.get_submodule(target)
    if not isinstance(module, Module):
        return None
    return _arranged(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)


def create_type_hint(x):
    """The type of a list or tuple of types: List[int] for [int, int]."""
    if not isinstance(x, (list, tuple)):
        return x
    inside = [create_type_hint(value) for value in x]
    if not inside:
        return list[typing.Any] if isinstance(x, list) else tuple[typing.Any, ...]
    common = next((kind for kind in inside
                   if all(isinstance(k, type) and isinstance(kind, type) and issubclass(k, kind) for k in inside)),
                  typing.Any)
    return list[common] if isinstance(x, list) else tuple[common, ...]


def type_matches(signature_type, argument_type):
    """Whether an argument of a type may stand where a signature has another."""
    if signature_type is argument_type or signature_type is typing.Any:
        return True
    origin = typing.get_origin(signature_type)
    if origin is typing.Union:
        return any(type_matches(one, argument_type) for one in typing.get_args(signature_type))
    if origin is list:
        one = typing.get_args(signature_type)[0]
        is_list = typing.get_origin(argument_type) in (list, tuple)
        given = typing.get_args(argument_type) if is_list else (argument_type,)
        return all(a is ... or type_matches(one, a) for a in given)
    if signature_type is float and argument_type is int or signature_type is complex and argument_type in (int, float):
        return True
    return isinstance(signature_type, type) and isinstance(argument_type, type) and issubclass(argument_type,
                                                                                              signature_type)
