"""torch.nn.parallel: models on several devices, of which there is one, and in several processes."""
from weft._absent import absent_functions as _functions
from weft.nn.parallel import scatter_gather as scatter_gather
from weft.nn.parallel.data_parallel import DataParallel as DataParallel
from weft.nn.parallel.data_parallel import data_parallel as data_parallel
from weft.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
_functions("gather parallel_apply replicate scatter", globals(),
           "there is one device, on which the module runs as it is")
