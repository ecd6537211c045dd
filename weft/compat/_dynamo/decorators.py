"""What a program tells the compiler about a tensor or a function: nobody listens, and nothing depends on it."""
from contextlib import contextmanager


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    """A size that may change: all may."""


def mark_unbacked(t, index, hint_override=None, strict=False, specialize_on=None, shape_id=None, min=None, max=None):
    """A size that a compiler may not look at: it is as good as any."""


def mark_static(t, index=None):
    """A size that stays."""


def mark_static_address(t, guard=True):
    """Memory that stays."""


maybe_mark_dynamic = mark_static


def graph_break(msg=""):
    """There is no graph to break."""


@contextmanager
def error_on_graph_break(error_on_graph_break):
    """There is no graph to break; also a decorator."""
    yield


def nonstrict_trace(traceable_fn):
    """The function: what it does is followed as it runs."""
    return traceable_fn


skip_frame = graph_break
dont_skip_tracing = disable_nested_graph_breaks = nonstrict_trace
