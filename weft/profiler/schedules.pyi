"""Which steps a profiler records, and what becomes of them."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any, Callable
from weft._typing import Path

class ProfilerAction(Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3

def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Callable[[int], ProfilerAction]: ...
def tensorboard_trace_handler(dir_name: Path, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False) -> Callable[[Any], None]: ...
