"""Attention over a sequence that is spread over ranks."""
from weft._absent import absent_functions as _functions

_functions("context_parallel context_parallel_unshard set_rotate_method", globals(),
           "spread the batch or the heads: distribute_tensor(x, mesh, [Shard(0)])")
