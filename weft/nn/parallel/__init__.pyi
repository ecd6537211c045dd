"""torch.nn.parallel: a model on several threads, and in several processes."""
# made by tools/stubs.py

from weft.nn.parallel.parallel_apply import parallel_apply as parallel_apply
from weft.nn.parallel.replicate import replicate as replicate
from weft.nn.parallel.data_parallel import data_parallel as data_parallel
from weft.nn.parallel.data_parallel import DataParallel as DataParallel
from weft.distributed.data_parallel import DistributedDataParallel as DistributedDataParallel
from weft.nn.parallel.scatter_gather import gather as gather
from weft.nn.parallel.scatter_gather import scatter as scatter
