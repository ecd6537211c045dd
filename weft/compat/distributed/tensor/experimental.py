"""torch.distributed.tensor.experimental: weft runs one process, so no tensor is spread over several."""
from weft._absent import absent_functions as _functions

_functions("context_parallel implicit_replication local_map register_sharding", globals())
