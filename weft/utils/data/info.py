"""What a worker knows of itself."""
import threading
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """The worker's number, how many there are, its seed, its dataset, and its own generators where it is a thread."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


_process = [None]               # of a worker process
_thread = threading.local()     # of a worker thread


def get_worker_info():
    """The worker that this code runs in, None in the main process.

    A thread's worker has `rng`, its own generators: `torch_generator`, from which weft draws there, `random_generator`
    and `numpy_generator`, since Python's and NumPy's global ones belong to all threads.

    >>> import weft
    >>> weft.utils.data.get_worker_info() is None
    True
    """
    return getattr(_thread, "info", None) or _process[0]


def set_process_info(info):
    _process[0] = info


def set_thread_info(info):
    _thread.info = info
