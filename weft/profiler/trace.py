"""A profile as a Chrome trace: for chrome://tracing, Perfetto and TensorBoard."""
import gzip
import json
import os
import socket
import time


def write(path, events, metadata=None):
    """Write the trace; a path that ends in .gz is compressed."""
    text = json.dumps(document(events, metadata))
    opened = (gzip.open(path, "wt", encoding="utf-8") if os.fspath(path).endswith(".gz")
              else open(path, "w", encoding="utf-8"))
    with opened as file:
        file.write(text)


def document(events, metadata=None):
    """The trace as a JSON object."""
    process = os.getpid()
    threads = sorted({event.thread for event in events} | {event.thread for event in events.module_ranges})
    entries = [_meta(process, 0, "process_name", "python"), _meta(process, 0, "process_labels", "CPU", "labels")]
    entries += [_meta(process, thread, "thread_name", f"thread {thread}") for thread in threads]
    shown = [*(e for e in events if not e.is_python_function), *events.module_ranges]
    entries += [_slice(process, event) for event in sorted(shown, key=lambda e: (e.time_range.start, -e.time_range.end,
                                                                                 e.order))]
    entries += _arrows(process, events)
    if events._profile_memory:
        entries += _memory(process, events)
    about = {key: _parsed(value) for key, value in (metadata or {}).items()}
    return {"schemaVersion": 1, "deviceProperties": [], "host_name": socket.gethostname(), "displayTimeUnit": "ms",
            "baseTimeNanoseconds": time.time_ns() - time.perf_counter_ns(), **about, "traceEvents": entries,
            "traceName": "weft"}


def _meta(process, thread, name, value, key="name"):
    return {"ph": "M", "name": name, "pid": process, "tid": thread, "ts": 0, "args": {key: value}}


def _parsed(value):
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def _slice(process, event):
    kind = ("python_function" if event.is_python_function else "user_annotation" if event.is_user_annotation
            else "cpu_op")
    args = {"External id": event.id, "Module": event.module, "Source": event.source,
            "Sequence number": event.sequence_nr, "Input Dims": event.input_shapes, "Output Dims": event.output_shapes,
            "Flops": event.flops, "Bytes": event.self_cpu_memory_usage, "Args": event.args}
    args = {key: value for key, value in args.items() if value not in ("", [], None, 0, -1) or key == "External id"}
    if len(event.stack) > 1:
        args["Call stack"] = ";".join(event.stack)
    return {"ph": "X", "cat": kind, "name": event.trace_name, "pid": process, "tid": event.thread,
            "ts": event.time_range.start, "dur": event.time_range.end - event.time_range.start, "args": args}


def _arrows(process, events):
    """From each forward op to the node of the backward that it made."""
    forward = {e.sequence_nr: e for e in events if e.sequence_nr >= 0 and not e.in_backward}
    for node in events:
        made_by = forward.get(node.sequence_nr) if node.fwd_thread is not None else None
        if made_by is not None:
            both = {"id": node.sequence_nr, "pid": process, "cat": "fwdbwd", "name": "fwdbwd"}
            yield {"ph": "s", "tid": made_by.thread, "ts": made_by.time_range.start, **both}
            yield {"ph": "f", "bp": "e", "tid": node.thread, "ts": node.time_range.start, **both}


def _memory(process, events):
    """What was allocated so far, as a curve."""
    total = 0
    for event in events:
        if event.self_cpu_memory_usage:
            total += event.self_cpu_memory_usage
            yield {"ph": "C", "name": "allocated bytes", "pid": process, "tid": event.thread,
                   "ts": event.time_range.end, "args": {"bytes": total}}
