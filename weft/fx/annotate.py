"""Types for proxies."""
from weft.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val, type):
    """Write a type on a value: on its node where it is a proxy."""
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(f"Tried to annotate a value that already had a type on it! Existing type is "
                               f"{val.node.type} and new type is {type}. This could happen if you tried to annotate a "
                               f"function parameter value (in which case you should use the type slot on the function "
                               f"signature) or you called annotate on the same value twice")
        val.node.type = type
    return val
