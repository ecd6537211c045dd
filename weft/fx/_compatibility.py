"""PyTorch marks with this what it promises to keep; here it only notes it."""

_BACK_COMPAT_OBJECTS = {}
_MARKED_WITH_COMPATIBILITY = {}


def compatibility(is_backward_compatible):
    """Decorator: note whether a function will stay as it is."""
    def mark(function):
        _MARKED_WITH_COMPATIBILITY[function] = None
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS[function] = None
        return function
    return mark
