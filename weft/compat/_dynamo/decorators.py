"""What a program tells the compiler about a tensor: nobody listens, and nothing depends on it."""


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    """A size that may change: all may."""


def mark_static(t, index=None):
    """A size that stays."""


def mark_static_address(t, guard=True):
    """Memory that stays."""


maybe_mark_dynamic = mark_static


def graph_break(msg=""):
    """There is no graph to break."""
