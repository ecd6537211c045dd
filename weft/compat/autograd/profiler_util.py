"""torch.autograd.profiler_util: the events of a profile; they stand in weft.profiler."""
from weft.profiler.events import (
    DeviceType as DeviceType, EventList as EventList, FunctionEvent as FunctionEvent,
    FunctionEventAvg as FunctionEventAvg, Interval as Interval,
)
