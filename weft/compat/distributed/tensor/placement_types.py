"""How a tensor is spread over processes."""
from weft._absent import absent_classes
from weft.distributed.placements import Partial as Partial
from weft.distributed.placements import Placement as Placement
from weft.distributed.placements import Replicate as Replicate
from weft.distributed.placements import Shard as Shard

absent_classes("_StridedShard", globals())
