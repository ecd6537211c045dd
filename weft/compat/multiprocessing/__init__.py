"""torch.multiprocessing: Python's, where tensors that are sent share their memory with the receiver."""
from multiprocessing import *  # noqa: F403
from multiprocessing import reduction as reduction

from weft.core.namespace import parts as _parts
from weft.multiprocessing import reductions as reductions
from weft.multiprocessing.reductions import get_all_sharing_strategies as get_all_sharing_strategies
from weft.multiprocessing.reductions import get_sharing_strategy as get_sharing_strategy
from weft.multiprocessing.reductions import set_sharing_strategy as set_sharing_strategy
from weft.multiprocessing.spawn import ProcessContext as ProcessContext
from weft.multiprocessing.spawn import ProcessExitedException as ProcessExitedException
from weft.multiprocessing.spawn import ProcessRaisedException as ProcessRaisedException
from weft.multiprocessing.spawn import SpawnContext as SpawnContext
from weft.multiprocessing.spawn import spawn as spawn
from weft.multiprocessing.spawn import start_processes as start_processes

reductions.init_reductions()
__getattr__, __dir__ = _parts(globals(), "reductions")
