"""What a dotted path leads to: `layers.0.weight` of a module."""
import weft
from weft.nn import Module


def found_at(root, path):
    """What stands at a path; AttributeError names the first part that isn't there."""
    for part in path.split("."):
        root = getattr(root, part)
    return root


def is_at(root, path):
    """Whether a path leads somewhere."""
    try:
        found_at(root, path)
    except AttributeError:
        return False
    return True


def put_at(root, path, value):
    """Let a path lead to a value, with plain modules on the way; a tensor that is no parameter becomes a buffer."""
    *way, name = path.split(".")
    for part in way:
        if not hasattr(root, part):
            setattr(root, part, Module())
        root = getattr(root, part)
    if isinstance(value, weft.Tensor) and not isinstance(value, weft.nn.Parameter):
        root.register_buffer(name, value)
    else:
        setattr(root, name, value)
