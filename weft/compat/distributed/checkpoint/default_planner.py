"""torch.distributed.checkpoint.default_planner: PyTorch's place for the options of saving and loading."""
from weft._absent import absent_classes as _classes
from weft.distributed.saving.planner import DefaultLoadPlanner as DefaultLoadPlanner
from weft.distributed.saving.planner import DefaultSavePlanner as DefaultSavePlanner

_classes("_EmptyStateDictLoadPlanner", globals(), "torch.distributed.checkpoint.format_utils.dcp_to_torch_save")
