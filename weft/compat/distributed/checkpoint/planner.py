"""torch.distributed.checkpoint.planner: plans of saving and loading, which weft needs none of."""
from weft.distributed.checkpoint import LoadPlan as LoadPlan
from weft.distributed.checkpoint import LoadPlanner as LoadPlanner
from weft.distributed.checkpoint import ReadItem as ReadItem
from weft.distributed.checkpoint import SavePlan as SavePlan
from weft.distributed.checkpoint import SavePlanner as SavePlanner
from weft.distributed.checkpoint import WriteItem as WriteItem
