"""torch.distributed.optim: optimizers of several processes."""
from weft._absent import absent_classes as _classes
from weft.distributed.zero import ZeroRedundancyOptimizer as ZeroRedundancyOptimizer

_classes("DistributedOptimizer PostLocalSGDOptimizer", globals(),
         "ZeroRedundancyOptimizer, or an optimizer of torch.optim with DistributedDataParallel")
