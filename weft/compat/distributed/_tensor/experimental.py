"""torch.distributed._tensor.experimental: an older name of torch.distributed.tensor.experimental."""
from weft.distributed.tensor.experimental import implicit_replication as implicit_replication
