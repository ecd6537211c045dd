"""torch.distributed._tensor.device_mesh: an older place of names of torch.distributed.tensor."""
from weft.distributed.device_mesh import DeviceMesh as DeviceMesh
from weft.distributed.device_mesh import init_device_mesh as init_device_mesh
