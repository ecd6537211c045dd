"""What torch.compile makes of modules in PyTorch (here modules stay as they are), and other ways to call it."""
from functools import partial

from weft.compiler import compile
from weft.jit.captured import Capture
from weft.nn.module import Module


class OptimizedModule(Module):
    """The class of PyTorch's compiled modules: no module of weft's is one."""


def is_dynamo_supported():
    """Whether functions can be compiled: yes, `weft.compile` does."""
    return True


def optimize(backend="inductor", *, nopython=False, guard_export_fn=None, guard_fail_fn=None, guard_filter_fn=None,
             disable=False, dynamic=None):
    """Decorator: `weft.compile`."""
    return partial(compile, backend=backend, disable=disable)


def optimize_assert(backend, **options):
    """The same."""
    return partial(compile, backend=backend)


class ExplainOutput:
    """What `explain` found: graphs, graph_count, graph_break_count, op_count, break_reasons; printed, it is
    `Capture.explain()` of one call.
    """

    def __init__(self, capture):
        self.text, self.break_reasons = capture.explain(), list(capture.breaks)
        self.graphs, self.op_count = [], 0
        event = capture.root
        while event.children:
            event = event.children[0]
            if event.reason is None:
                self.op_count += len(event.body.steps) if event.body is not None else int(event.op is not None)
        self.graph_count = int(self.op_count > 0)
        self.graph_break_count = len(self.break_reasons)

    def __str__(self):
        return (f"Graph Count: {self.graph_count}\nGraph Break Count: {self.graph_break_count}\n"
                f"Op Count: {self.op_count}\n{self.text}")

    __repr__ = __str__


def explain(f, *extra_args, **extra_kwargs):
    """`explain(f)(*args)` calls f once and tells what of it was recorded, and where and why the rest was not."""
    def inner(*args, **kwargs):
        capture = Capture(f.forward if isinstance(f, Module) else f)
        capture(*args, **kwargs)
        return ExplainOutput(capture)
    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner
