"""How a tensor is spread over processes: none is."""
from weft._absent import absent_classes

absent_classes("Partial Placement Replicate Shard _StridedShard", globals())
