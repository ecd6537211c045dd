"""torch.distributed.tensor: how tensors are spread over ranks; there is no DTensor, layers have parts."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.core.namespace import parts as _parts
from weft.distributed.device_mesh import DeviceMesh as DeviceMesh
from weft.distributed.device_mesh import init_device_mesh as init_device_mesh
from weft.distributed.tensor.placement_types import Partial as Partial
from weft.distributed.tensor.placement_types import Placement as Placement
from weft.distributed.tensor.placement_types import Replicate as Replicate
from weft.distributed.tensor.placement_types import Shard as Shard

_FIX = "torch.distributed.tensor.parallel.parallelize_module spreads layers, fully_shard and DDP whole models"
_classes("DTensor", globals(), _FIX)
_functions("distribute_module distribute_tensor", globals(), _FIX)
__getattr__, __dir__ = _parts(globals(), "experimental parallel placement_types")
