"""`memory()`: what is alive when, which lines made it, and what the peak is made of.

Every array that an op makes is noted with the user's line and module, and its end by a weak reference; so the figures
are of what really was alive, whoever held it. What no op made (parameters, data) is noted when an op first reads it.
"""
import weakref
from time import perf_counter

import numpy as np
from numpy._core.multiarray import get_handler_name

from weft.core.modes import local
from weft.core.runtime import running, user_code, user_offset
from weft.core.seam import Watcher, title_of
from weft.kernels.blocks import block_bytes
from weft.kernels.fast import base as allocator
from weft.profiler.memory_report import by_group, export, report
from weft.profiler.places import Places
from weft.tensor.tensor import Tensor

OUTSIDE = "given from outside"


class Block:
    """One array's memory: what made it, where, how many bytes, from when to when (counted in changes; `died` None:
    still there).
    """

    __slots__ = ("op", "kind", "module", "code", "offset", "shape", "bytes", "born", "died", "made", "place")

    def __init__(self, op, kind, module, code, offset, shape, size, born, made):
        self.op, self.kind, self.module, self.code, self.offset, self.shape = op, kind, module, code, offset, shape
        self.bytes, self.born, self.made = size, born, made
        self.died = self.place = None

    def __repr__(self):
        return f"<Block {self.bytes} bytes of {self.op} {list(self.shape)} {self.place or ''}>"


class memory(Watcher):
    """Watches memory between start() and stop(), or inside `with`, in this thread.

    >>> import weft
    >>> with weft.profiler.memory() as m:
    ...     x = weft.ones(1000, 1000)
    ...     y = (x * 2).sum()
    >>> m.peak >= 8_000_000
    True
    """

    def __init__(self):
        self.blocks = []            # every one that was seen
        self.timeline = []          # (seconds since the start, bytes alive) at every change
        self.peak = self.now = 0    # bytes, of all that was seen
        self.made_peak = self._made = 0     # of what was made while watching, by weft's own allocator
        self.allocator_peak = None  # the allocator's own count of the same; None without native kernels
        self._alive = {}            # id of an array that owns memory -> weak reference
        self._peak_at = -1
        self._nodes = []            # the nodes of a backward that are running
        self._stepping = None       # the name of the optimizer whose step is running
        self._handles, self._running = [], False

    # watching

    def start(self):
        if self._running:
            raise RuntimeError("this memory() is watching already")
        self.__init__()
        self._running, self._zero = True, perf_counter()
        if allocator is not None:
            allocator.reset_peak()
            self._in_use = self._seen_peak = allocator.memory_stats()["in_use"]
        self._handles = _watch_optimizers(self)
        return super().start()

    def stop(self):
        if not self._running:
            return
        super().stop()
        self._running = False
        for handle in self._handles:
            handle.remove()
        if allocator is not None:
            self.allocator_peak = allocator.memory_stats()["peak"] - self._in_use
        self._alive.clear()         # what ends from now on is no longer of interest
        places = Places()
        for block in self.blocks:
            block.place = places.line(block.code, block.offset)
            block.module = places.path(block.module)

    def before(self, op, values):
        for value in values:
            if isinstance(value, Tensor):
                self._seen(value)
            elif isinstance(value, (list, tuple)):
                for element in value:
                    if isinstance(element, Tensor):
                        self._seen(element)

    def _seen(self, t):
        if t._owed is None and id(t._form) not in self._alive:
            self._note(t._form, type(t).__name__.lower() if type(t) is not Tensor else OUTSIDE, "input", None, 0, None,
                      made=False)

    def after(self, op, values, outputs):
        if self._nodes:
            name, code, offset, module = self._nodes[-1]
            kind = "backward"
        else:
            name, code, kind = title_of(op), user_code(), "forward"
            offset, module = user_offset(), running()
            if self._stepping is not None:
                name, kind = f"{self._stepping}.step: state", "optimizer"
        for t in outputs:
            if t._owed is None:
                self._note(t._form, name, kind, code, offset, module)
        if allocator is not None:
            self._note_work(title_of(op), kind, code, offset, module)

    def _note_work(self, name, kind, code, offset, module):
        """Where the allocator's own peak has risen above what is there now, the kernel took memory for its work and
        gave it back.
        """
        stats = allocator.memory_stats()
        if stats["peak"] > self._seen_peak:
            self._seen_peak = stats["peak"]
            work = stats["peak"] - stats["in_use"]
            if work > 0:
                block = Block(f"work space of {name}", kind, module, code, offset, (), work, len(self.timeline), True)
                self.blocks.append(block)
                self._change(work, work)
                block.died = len(self.timeline)
                self._change(-work, -work)

    def backward_before(self, node, grad):
        self._nodes.append((node.own_name(), node.code, node.lasti, node.module))

    def backward_after(self, node, grad, grads):
        name, code, offset, module = (self._nodes.pop() if self._nodes else (node.own_name(), node.code, node.lasti,
                                                                             node.module))
        for g in grads:
            if isinstance(g, Tensor) and g._owed is None:
                self._note(g._form, name, "backward", code, offset, module)

    def _note(self, array, op, kind, code, offset, module, made=True):
        """An array is there; of a view, what it is a view of."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        key = id(array)
        if key in self._alive:
            return
        ours = allocator is not None and (get_handler_name(array) or "").startswith("weft")
        size = block_bytes(array.nbytes) if ours else array.nbytes
        block = Block(op, kind, module, code, offset, array.shape, size, len(self.timeline), made and ours)
        self.blocks.append(block)
        self._alive[key] = weakref.ref(array, lambda _, key=key, block=block: self._gone(key, block))
        self._change(size, size if block.made else 0)

    def _gone(self, key, block):
        if self._running and self._alive.pop(key, None) is not None:
            block.died = len(self.timeline)
            self._change(-block.bytes, -block.bytes if block.made else 0)

    def _change(self, size, made):
        self.now += size
        self._made += made
        self.made_peak = max(self.made_peak, self._made)
        if self.now > self.peak:
            self.peak, self._peak_at = self.now, len(self.timeline)
        self.timeline.append((perf_counter() - self._zero, self.now))

    # what was found

    @property
    def at_peak(self):
        """The blocks that were alive at the peak, the greatest first.

        >>> import weft
        >>> with weft.profiler.memory() as m:
        ...     x = weft.ones(1024)
        >>> m.at_peak[0].bytes
        4096
        """
        at = self._peak_at
        return sorted([b for b in self.blocks if b.born <= at and (b.died is None or b.died > at)],
                      key=lambda b: -b.bytes)

    def by(self, what="line"):
        """[(bytes, number of tensors, name)] of what was alive at the peak, by "line", "op", "module" or "kind".

        >>> import weft
        >>> with weft.profiler.memory() as m:
        ...     x = weft.ones(1024)
        >>> m.by("op")
        [(4096, 1, 'full')]
        """
        return by_group(self.at_peak, what)

    def report(self, by=None, limit=15):
        """The peak, and what was alive at it, as a table.

        >>> import weft
        >>> with weft.profiler.memory() as m:
        ...     x = weft.ones(1024)
        >>> m.report().splitlines()[0]
        'peak 4.00 KB in 1 tensors, ... s after the start; 4.00 KB at the end'
        """
        return report(self, by, limit)

    def __str__(self):
        return self.report()

    def to_dict(self):
        """Everything as plain data: peak, timeline, what was alive at the peak.

        >>> import weft
        >>> with weft.profiler.memory() as m:
        ...     x = weft.ones(1024)
        >>> m.to_dict()["peak"]
        4096
        """
        from weft.profiler.memory_report import document  # loaded when a report is asked for
        return document(self)

    def export(self, path):
        """Write the timeline to a file: .json, .svg or .html.

        >>> import weft
        >>> import os
        >>> with weft.profiler.memory() as m:
        ...     x = weft.ones(1024)
        >>> m.export("memory.svg")
        >>> os.path.exists("memory.svg")
        True
        """
        export(self, path)


def _watch_optimizers(watcher):
    """Note gradients and optimizers' state, which no op makes."""
    # heavy, and not needed before something is profiled
    from weft.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

    def gradients(optimizer, args, kwargs):
        watcher._stepping = type(optimizer).__name__
        for group in optimizer.param_groups if watcher in local.watchers else ():
            for p in group["params"]:
                watcher._seen(p)
                if isinstance(p.grad, Tensor):
                    watcher._note(p.grad._array, "gradient", "backward", None, 0, None)

    def state(optimizer, args, kwargs):
        watcher._stepping = None
        code, name = user_code(), f"{type(optimizer).__name__}.step: state"
        for entry in list(optimizer.state.values()) if watcher in local.watchers else ():
            for value in entry.values() if isinstance(entry, dict) else ():
                if isinstance(value, Tensor):
                    watcher._note(value._array, name, "optimizer", code, user_offset(), None)
    return [register_optimizer_step_pre_hook(gradients), register_optimizer_step_post_hook(state)]
