"""torch.distributed.tensor: tensors spread over the ranks of a mesh."""
from weft.core.namespace import parts as _parts
from weft.distributed.device_mesh import DeviceMesh as DeviceMesh
from weft.distributed.device_mesh import init_device_mesh as init_device_mesh
from weft.distributed.dtensor.make import *  # noqa: F403
from weft.distributed.tensor.placement_types import Partial as Partial
from weft.distributed.tensor.placement_types import Placement as Placement
from weft.distributed.tensor.placement_types import Replicate as Replicate
from weft.distributed.tensor.placement_types import Shard as Shard

__getattr__, __dir__ = _parts(globals(), "debug experimental parallel placement_types")
