"""torch.distributed.tensor.parallel: layers spread over ranks."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.distributed.tensor_parallel import *  # noqa: F403

_classes("PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput SequenceParallel", globals(),
         "ColwiseParallel and RowwiseParallel take input_layouts and output_layouts")
_functions("loss_parallel", globals(), "gather the logits: ColwiseParallel(output_layouts=Replicate())")
