"""From what a recorder noted to events: names, times, nesting, lines, modules, operations."""
import threading

from weft.core.seam import title_of
from weft.profiler.events import EventList, FunctionEvent
from weft.profiler.flops import GRADIENTS, Shape, flops
from weft.profiler.log import END_FUNCTION, END_NODE, END_RANGE, FUNCTION, NODE, OP, RANGE
from weft.profiler.places import Places, chain_of

BACKWARD, USER = 1, 7       # PyTorch's RecordScope: BACKWARD_FUNCTION, USER_SCOPE


def resolve(recorder, with_flops=False, with_modules=False):
    """The events of a recorder's log, in the order of their beginnings."""
    maker = _Maker(recorder, with_flops)
    for entry in recorder.log:
        maker.take(entry)
    maker.close_all(recorder.log[-1][0] if recorder.log else 0)
    events = EventList(maker.events, profile_memory=recorder.memory, with_flops=with_flops)
    events.module_ranges = maker.module_events()
    if with_modules:
        events.extend(events.module_ranges)
    for event in events:
        event.id = 0
    nest(events)
    maker.give_forward_lines()
    return events


class _Open:
    """Something that has begun."""

    __slots__ = ("kind", "key", "start", "entry")

    def __init__(self, kind, key, start, entry):
        self.kind, self.key, self.start, self.entry = kind, key, start, entry


class _Maker:
    def __init__(self, recorder, with_flops):
        self.recorder, self.with_flops = recorder, with_flops
        self.places = Places()
        self.open, self.events = [], []
        self.thread = threading.get_native_id()
        self.spans = {}             # id of a running module -> [running, start, end]
        self.backward_depth = 0

    def take(self, entry):
        time, kind = entry[0], entry[1]
        if kind == OP:
            self.op(entry[8], time, entry)
        elif kind == END_FUNCTION:
            self.close(time, FUNCTION, entry[2], entry)
        elif kind == END_NODE:
            self.close(time, NODE, entry[2], entry)
        elif kind == END_RANGE:
            self.close(time, RANGE, entry[2], entry)
        else:
            if kind == NODE:
                self.backward_depth += 1
            self.open.append(_Open(kind, entry[3] if kind == NODE else entry[2], time, entry))

    def close(self, time, kind, key, entry):
        """End the innermost open thing of this kind and key, and with it all that has begun inside and didn't end."""
        at = next((i for i in range(len(self.open) - 1, -1, -1) if self.open[i].kind == kind
                   and self.open[i].key == key), None)
        if at is None:
            return                      # it began before the recording
        while len(self.open) > at + 1:
            self.finish(self.open.pop(), time, None)
        self.finish(self.open.pop(), time, entry)

    def close_all(self, time):
        while self.open:
            self.finish(self.open.pop(), time, None)

    def finish(self, begun, time, entry):
        if begun.kind == NODE:
            self.backward_depth -= 1
            self.node(begun, time)
        elif begun.kind == RANGE:
            self.range(begun, time)
        elif entry is not None:
            self.op(begun.start, time, entry)

    def event(self, name, start, end, code, offset, running, **more):
        event = FunctionEvent(0, name, self.thread, start / 1000, end / 1000, **more)
        event.module = self.places.path(running)
        event.place = self.places.line(code, offset)
        frame = self.places.frame(code, offset)
        event.stack = [frame] if frame else []
        self.events.append(event)
        return event

    def op(self, start, end, entry):
        _, kind, op, seq, code, offset, running, details = entry[:8]
        name = "aten::" + title_of(op) if kind == OP else title_of(op)
        if self.backward_depth and op.name in GRADIENTS:
            name += "_backward"
        event = self.event(name, start, end, code, offset, running, sequence_nr=seq)
        event.in_backward = self.backward_depth > 0
        if details is not None:
            values, outs, made, frames = details
            if self.recorder.shapes:
                event.input_shapes = [list(v) if isinstance(v, Shape) else [list(e) for e in v if isinstance(e, Shape)]
                                      if isinstance(v, tuple) else [] for v in values]
            event.output_shapes = [list(o) for o in outs]
            event.cpu_memory_usage = made if self.recorder.memory else 0
            if frames is not None:
                event.stack = [self.places.frame(*f) for f in frames]
            if self.with_flops:
                event.flops = flops(op, values, outs)
        if not event.in_backward:
            self.span(running, start, end)

    def node(self, begun, end):
        _, _, name, seq, code, offset, running = begun.entry
        event = self.event(name, begun.start, end, code, offset, running, sequence_nr=seq, scope=BACKWARD)
        event.fwd_thread, event.in_backward = self.thread, True

    def range(self, begun, end):
        _, _, _, name, args, code, offset, running = begun.entry
        shown = "ProfilerStep*" if name.startswith("ProfilerStep#") else name
        event = self.event(shown, begun.start, end, code, offset, running, scope=USER, is_user_annotation=True)
        event.trace_name, event.args = name, args
        if not self.backward_depth:
            self.span(running, begun.start, end)

    def span(self, running, start, end):
        """Let the running module's range, and those around it, cover this time."""
        while hasattr(running, "caller"):
            span = self.spans.get(id(running))
            if span is None:
                self.spans[id(running)] = [running, start, end]
            else:
                span[1], span[2] = min(span[1], start), max(span[2], end)
            running = running.caller

    def module_events(self):
        """A range for each call of a module: from its first op to its last."""
        made = []
        for running, start, end in self.spans.values():
            event = FunctionEvent(0, "nn.Module: " + self.places.path(running), self.thread, start / 1000, end / 1000,
                                  scope=USER, is_python_function=True)
            event.module, event.kind, event.depth = self.places.path(running), running.kind, len(chain_of(running))
            made.append(event)
        return sorted(made, key=lambda e: (e.time_range.start, e.depth))

    def give_forward_lines(self):
        """What runs in a node's backward belongs to the forward line and module of that node."""
        forward = {e.sequence_nr: e for e in self.events if e.sequence_nr >= 0 and not e.in_backward}
        for event in self.events:
            if event.in_backward:
                node = event
                while node is not None and node.scope != BACKWARD:
                    node = node.cpu_parent
                if node is not None:
                    source = forward.get(node.sequence_nr, node)
                    event.module, event.place, event.stack = node.module, node.place, source.stack


def nest(events):
    """Sort events by their beginnings, number them, and make each a child of the innermost one that it lies in."""
    events.sort(key=lambda e: (e.time_range.start, -e.time_range.end, e.order))
    inside = []
    for number, event in enumerate(events):
        event.id = number
        event.cpu_parent, event.cpu_children = None, []
        while inside and (event.time_range.start >= inside[-1].time_range.end > inside[-1].time_range.start
                          or event.time_range.end > inside[-1].time_range.end):
            inside.pop()
        if inside:
            event.cpu_parent = inside[-1]
            inside[-1].cpu_children.append(event)
        inside.append(event)
    settle(events)


def settle(events):
    """Own times, and the bytes of what holds other events: those of all inside."""
    for event in reversed(events):          # children come after their parents
        event.self_cpu_time_total = max(0.0, event.cpu_time_total - sum([c.cpu_time_total for c in event.cpu_children]))
        event.self_cpu_memory_usage = event.cpu_memory_usage
        event.cpu_memory_usage += sum([c.cpu_memory_usage for c in event.cpu_children])


