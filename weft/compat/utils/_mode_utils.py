"""torch.utils._mode_utils: what programs with modes of their own ask."""
from weft.core.modes import no_override as no_dispatch


def all_same_mode(modes):
    """Whether all of them are one mode."""
    return all(mode == modes[0] for mode in modes)


__all__ = ["all_same_mode", "no_dispatch"]
