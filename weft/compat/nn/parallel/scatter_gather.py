"""torch.nn.parallel.scatter_gather: what brings a batch to several devices and back; here there is one."""
from weft._absent import absent_functions as _functions

_functions("gather scatter scatter_kwargs", globals(), "weft runs on one device, which takes the whole batch")
