"""What is said to a tracer."""


def wrap(fn_or_name):
    """Say that a function is not to be looked into; it comes back as it is."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    return fn_or_name
