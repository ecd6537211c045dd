"""torch.cpu: the one device that there is."""
# made by tools/stubs.py

from weft.cpu.device import Event as Event
from weft.cpu.device import Stream as Stream
from weft.cpu.device import StreamContext as StreamContext
from weft.cpu.device import current_device as current_device
from weft.cpu.device import current_stream as current_stream
from weft.cpu.device import device_count as device_count
from weft.cpu.device import is_available as is_available
from weft.cpu.device import is_initialized as is_initialized
from weft.cpu.device import set_device as set_device
from weft.cpu.device import stream as stream
from weft.cpu.device import synchronize as synchronize
