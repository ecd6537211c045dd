"""The global random state: seeds, saving and restoring, a scope that leaves it as it was."""
# made by tools/stubs.py
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any
from weft.ops.random.generators import DefaultGenerator as DefaultGenerator

default_generator: DefaultGenerator
from weft import get_rng_state as get_rng_state
from weft import initial_seed as initial_seed
from weft import manual_seed as manual_seed
from weft import seed as seed
from weft import set_rng_state as set_rng_state
def fork_rng(devices: Iterable[Any] | None = None, enabled: bool = True, _caller: str = 'fork_rng', _devices_kw: str = 'devices', device_type: str = 'cuda') -> AbstractContextManager[Any]: ...
