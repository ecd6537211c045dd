"""torch.distributed.tensor.debug: looking at how tensors are spread."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions

_classes("CommDebugMode", globals(), "weft.profiler shows what ran; x.placements how it is spread")
_functions("visualize_sharding", globals(), "x.placements and x.to_local().shape")
