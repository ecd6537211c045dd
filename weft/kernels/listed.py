"""Arrays of lists of Python numbers: the plain twin takes none, so NumPy makes them."""


def listed(data, floats, want):
    """The array of a list of numbers, or None."""
    return None
