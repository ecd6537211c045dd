"""torch.distributed.optim: optimizers of several processes, to be compared with."""
from weft._absent import absent_classes as _classes

_classes("DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer", globals(),
         "one process needs an optimizer of torch.optim")
