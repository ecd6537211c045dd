"""torch.profiler: where time and memory go, by op, line and module."""
from weft.core.ranges import record_function
from weft.profiler.events import DeviceType
from weft.profiler.memory import memory
from weft.profiler.profiler import ProfilerActivity, kineto_available, profile, supported_activities
from weft.profiler.schedules import ProfilerAction, schedule, tensorboard_trace_handler
from weft.profiler.summary import summary

__all__ = ["DeviceType", "ProfilerAction", "ProfilerActivity", "kineto_available", "memory", "profile",
           "record_function", "schedule", "summary", "supported_activities", "tensorboard_trace_handler"]
