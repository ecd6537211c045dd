"""torch.distributed.tensor.experimental: there is no DTensor, layers have parts."""
from weft._absent import absent_functions as _functions

_functions("context_parallel implicit_replication local_map register_sharding", globals())
