"""torch.autograd.profiler_util: the events of a profile; they stand in weft.profiler."""
from weft.profiler.events import (
    DeviceType as DeviceType,
)
from weft.profiler.events import (
    EventList as EventList,
)
from weft.profiler.events import (
    FunctionEvent as FunctionEvent,
)
from weft.profiler.events import (
    FunctionEventAvg as FunctionEventAvg,
)
from weft.profiler.events import (
    Interval as Interval,
)
