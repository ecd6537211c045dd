"""torch.nn.parallel: models on several devices; here there is one."""
# made by tools/stubs.py

from weft.nn.parallel.data_parallel import data_parallel as data_parallel
from weft.nn.parallel.data_parallel import DataParallel as DataParallel
from weft.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
