"""Switches that are set for a while."""
from contextlib import contextmanager


def flags_of(names):
    """`with flags(enabled=False):` for a module's globals; what isn't given stays."""
    @contextmanager
    def flags(**wanted):
        before = {name: names[name] for name in wanted if name in names}
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise TypeError(f"flags() got an unexpected keyword argument '{unknown[0]}'")
        names.update({name: value for name, value in wanted.items() if value is not None})
        try:
            yield
        finally:
            names.update(before)
    return flags
