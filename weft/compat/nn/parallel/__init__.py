"""torch.nn.parallel: models on several devices; here there is one."""
from weft._absent import absent_functions as _functions
from weft.distributed.data_parallel import DistributedDataParallel as DistributedDataParallel
from weft.nn.parallel.data_parallel import DataParallel as DataParallel
from weft.nn.parallel.data_parallel import data_parallel as data_parallel

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]
_functions("gather parallel_apply replicate scatter", globals(),
           "there is one device, on which the module runs as it is")
