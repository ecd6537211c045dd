"""Taking a tree apart by the spec of another one."""
from weft.utils._pytree import _up_to as _leaves_up_to

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree, spec, exact_structural_match=False):
    """The values of a tree where a spec has its leaves."""
    return _leaves_up_to(pytree, spec)
