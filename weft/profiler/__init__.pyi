"""torch.profiler: where time and memory go, by op, line and module."""
# made by tools/stubs.py

from weft.core.ranges import record_function as record_function
from weft.profiler.events import DeviceType as DeviceType
from weft.profiler.memory import memory as memory
from weft.profiler.profiler import ProfilerActivity as ProfilerActivity
from weft.profiler.profiler import kineto_available as kineto_available
from weft.profiler.profiler import profile as profile
from weft.profiler.profiler import supported_activities as supported_activities
from weft.profiler.schedules import ProfilerAction as ProfilerAction
from weft.profiler.schedules import schedule as schedule
from weft.profiler.schedules import tensorboard_trace_handler as tensorboard_trace_handler
from weft.profiler.summary import summary as summary
