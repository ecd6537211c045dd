"""torch._logging: what a compiler would tell about its work. weft's capture tells it when asked: `f.explain()`."""


def set_logs(**settings):
    """Accepted; nothing is logged."""


def get_logging_state():
    """Nothing that could be put back."""
    return {}
