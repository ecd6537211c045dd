"""torch.distributed.optim: optimizers of several processes."""
from weft._absent import absent_classes as _classes
from weft.distributed.rpc.optimizer import DistributedOptimizer as DistributedOptimizer
from weft.distributed.zero import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

_classes("PostLocalSGDOptimizer", globals(),
         "ZeroRedundancyOptimizer, or an optimizer of torch.optim with DistributedDataParallel")
