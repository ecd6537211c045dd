"""Keeping what nodes say of themselves (their meta) while a graph is run and traced again."""
import contextlib

__all__ = ["preserve_node_meta", "has_preserved_node_meta", "set_current_meta", "get_current_meta", "annotate",
           "format_stack"]

_current = {"on": False, "meta": {}}


@contextlib.contextmanager
def preserve_node_meta(enable=True):
    """Inside `with`, nodes that are made take over the current meta."""
    before = dict(_current)
    _current["on"] = enable
    try:
        yield
    finally:
        _current.update(before)


def has_preserved_node_meta():
    return _current["on"]


@contextlib.contextmanager
def set_current_meta(node, pass_name=""):
    """Inside `with`, the current meta is this node's."""
    before = _current["meta"]
    if _current["on"]:
        _current["meta"] = dict(node.meta)
    try:
        yield
    finally:
        _current["meta"] = before


def get_current_meta():
    return _current["meta"]


@contextlib.contextmanager
def annotate(annotation_dict):
    """Inside `with`, the current meta has these in its `custom`."""
    before = _current["meta"]
    _current["meta"] = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        _current["meta"] = before


def format_stack():
    """The stack that the current meta tells of, as lines."""
    return [_current["meta"].get("stack_trace", "")] if _current["on"] else []
