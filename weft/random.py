"""The global random state: seeds, saving and restoring, a scope that leaves it as it was."""
import contextlib

from weft.ops.random.generators import default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

__all__ = ["set_rng_state", "get_rng_state", "manual_seed", "seed", "initial_seed", "fork_rng", "default_generator"]


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    """Inside, draw as ever; afterwards the global state is what it was before.

    >>> import weft
    >>> with weft.random.fork_rng():
    ...     _ = weft.rand(3)
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)
