"""Questions about sizes that PyTorch may not know while it traces; here they are plain numbers."""


class GuardOnDataDependentSymNode(RuntimeError):
    """A question about a size that isn't known."""


def guard_or_false(a):
    """A condition, which is known."""
    return bool(a)


guard_or_true = guard_size_oblivious = statically_known_true = guard_or_false


def is_symbolic(val):
    """Whether a size isn't known: never."""
    return False


def free_symbols(val):
    """No unknown sizes."""
    return set()


free_unbacked_symbols = free_symbols
