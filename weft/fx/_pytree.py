"""Taking a tree apart by the spec of another one; a proxy in a container's place is indexed instead."""
from collections import OrderedDict

from weft.fx.proxy import Proxy
from weft.utils._pytree import LeafSpec, TreeSpec, _up_to, tree_structure

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]

SUPPORTED_NODES = {}        # type of container -> function of (container, spec) that gives its parts


def register_pytree_flatten_spec(cls, flatten_fn_spec, flatten_fn_exact_match_spec=None):
    """How a container of a registered class is taken apart while it is traced: `flatten_fn_spec(container, spec)`."""
    SUPPORTED_NODES[cls] = flatten_fn_spec


def tree_flatten_spec(pytree, spec, exact_structural_match=False):
    """The values of a tree where a spec has its leaves."""
    if spec.is_leaf():
        return [pytree]
    try:
        parts = _parts(pytree, spec) if isinstance(pytree, Proxy) else _up_to(pytree, _shallow(spec))
    except ValueError as error:
        raise RuntimeError(f"the argument has the structure {tree_structure(pytree)}, it was traced with {spec}: "
                           f"{error}") from None
    return [leaf for part, child in zip(parts, spec.children_specs, strict=True)
            for leaf in tree_flatten_spec(part, child, exact_structural_match)]


def _parts(proxy, spec):
    if spec.type in SUPPORTED_NODES:
        return SUPPORTED_NODES[spec.type](proxy, spec)
    if spec.type in (dict, OrderedDict):
        return [proxy[key] for key in spec.context]
    return [proxy[i] for i in range(len(spec.children_specs))]


def _shallow(spec):
    """The spec with leaves in the place of what is deeper."""
    return TreeSpec(spec.type, spec.context, [LeafSpec() for _ in spec.children_specs])
