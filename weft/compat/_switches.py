"""Modules of switches: `patch`, as PyTorch's config modules have it."""
import contextlib


def settings(switches):
    """`patch` of a module of switches (its globals): other values inside `with`, or while a function runs."""
    @contextlib.contextmanager
    def patch(changes=None, value=None, **named):
        changed = {**({changes: value} if isinstance(changes, str) else changes or {}), **named}
        before = {name: switches[name] for name in changed if name in switches}
        switches.update(changed)
        try:
            yield
        finally:
            for name in changed:
                switches.pop(name, None)
            switches.update(before)
    return patch
