"""torch.distributed.tensor: weft runs one process, so no tensor is spread over several."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.distributed.device_mesh import DeviceMesh as DeviceMesh
from weft.distributed.device_mesh import init_device_mesh as init_device_mesh
from weft.distributed.tensor.placement_types import Partial as Partial
from weft.distributed.tensor.placement_types import Placement as Placement
from weft.distributed.tensor.placement_types import Replicate as Replicate
from weft.distributed.tensor.placement_types import Shard as Shard

_classes("DTensor", globals())
_functions("distribute_module distribute_tensor", globals())
