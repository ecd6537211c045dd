"""torch.cpu: the one device that there is."""
from weft.cpu import amp as amp
from weft.cpu.device import (
    current_device as current_device,
)
from weft.cpu.device import (
    device_count as device_count,
)
from weft.cpu.device import (
    is_available as is_available,
)
from weft.cpu.device import (
    synchronize as synchronize,
)
