"""torch.nn.parallel: a model on several threads, and in several processes."""
from weft.nn.parallel import scatter_gather as scatter_gather
from weft.nn.parallel.data_parallel import DataParallel as DataParallel
from weft.nn.parallel.data_parallel import data_parallel as data_parallel
from weft.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel
from weft.nn.parallel.parallel_apply import parallel_apply as parallel_apply
from weft.nn.parallel.replicate import replicate as replicate
from weft.nn.parallel.scatter_gather import gather as gather
from weft.nn.parallel.scatter_gather import scatter as scatter

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply", "replicate",
           "scatter"]
