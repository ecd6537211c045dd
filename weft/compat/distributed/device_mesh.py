"""torch.distributed.device_mesh: PyTorch's place for meshes of ranks."""
from weft.distributed.mesh import DeviceMesh as DeviceMesh
from weft.distributed.mesh import init_device_mesh as init_device_mesh
