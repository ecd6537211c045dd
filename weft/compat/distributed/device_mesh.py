"""torch.distributed.device_mesh: weft runs one process, so there is no mesh of devices."""
from weft._absent import absent_classes, absent_functions

absent_classes("DeviceMesh", globals())
absent_functions("init_device_mesh", globals())
