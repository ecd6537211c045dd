"""torch.distributed.elastic.multiprocessing: processes that a launcher starts."""
from weft._absent import absent_functions as _functions
from weft.distributed.elastic.multiprocessing.errors import record as record

_functions("start_processes", globals(), "weft launch -n 4 program.py, or torch.multiprocessing.spawn")
