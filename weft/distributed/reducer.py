"""Sums a model's gradients over all ranks while the backward still runs.

Every parameter's hook puts its gradient into a bucket; a bucket that is full is sent, in the same order on all ranks.
At the end of the backward what no gradient came for is sent too, so that unused parameters need no flag. After the
first backward the buckets are made anew, in the order in which the gradients came.
"""
import numpy as np

from weft.core.modes import local, no_grad
from weft.distributed import collectives
from weft.distributed.buckets import divide, total
from weft.distributed.reduce_op import ReduceOp
from weft.distributed.work import Call, Work, perform
from weft.tensor.tensor import wrap

MB = 1024 * 1024
FIRST = MB          # bytes of the first bucket


class Reducer:
    """The buckets of a model's parameters, and what of them is under way."""

    def __init__(self, params, group, cap_mb):
        self.group, self.cap = group, int((25 if cap_mb is None else cap_mb) * MB)
        self.params = list(params)
        self.scale = 1 / group.size()
        self.sync, self.learnt = True, False
        self.hook = self.state = None           # a communication hook
        self.used = set()                       # ids of parameters that got a gradient since the last exchange
        self.order = []                         # parameters as their gradients came, in the first backward
        self.running = None                     # the engine's run whose end we wait for
        self.next = 0                           # the bucket to be sent next
        self.build(self.params[::-1])
        self.handles = [p.register_post_accumulate_grad_hook(self.ready) for p in self.params]

    def build(self, order):
        self.buckets = divide(order, min(FIRST, self.cap), self.cap)
        self.place = {id(p): (bucket, i) for bucket in self.buckets for i, p in enumerate(bucket.params)}

    def begin(self):
        """A backward through the model's outputs begins: its end is where gradients are exchanged."""
        run = local.run
        if self.sync and run is not None and run.accumulate and self.running is not run:
            self.running = run
            run.callbacks.append(self.finish)
            self.next = 0
            for bucket in self.buckets:
                bucket.flat = bucket.work = None
                bucket.missing = set(range(len(bucket.params)))

    def ready(self, p):
        """A parameter's gradient is complete."""
        self.used.add(id(p))
        if not self.sync:
            return
        self.begin()
        if not self.learnt:
            self.order.append(p)
        bucket, i = self.place[id(p)]
        if i not in bucket.missing:
            return
        bucket.put(i, p._grad, self.factor(), 1)
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self.send(self.buckets[self.next])
        if self.next:
            self.poll()

    def factor(self):
        return 1 if self.hook is not None else self.scale

    def poll(self):
        """MPI moves on only when somebody asks."""
        for bucket in self.buckets[:self.next]:
            if isinstance(bucket.work, Work):
                bucket.work._poll()

    def send(self, bucket):
        self.next = bucket.index + 1
        if self.hook is not None:
            bucket.work = self.hook(self.state, GradBucket(bucket, self.next == len(self.buckets)))
            return
        reduction = total(bucket.dtype, self.group.size())
        call = Call(self.group, "DistributedDataParallel", f"bucket {bucket.index} of {len(self.buckets)}, "
                    f"{bucket.flat.size} {bucket.dtype.name} elements")
        call.two_steps = reduction.half
        if self.at_the_end(bucket):
            bucket.work = OnBoard(call, bucket.flat, reduction)
            return
        call.announce()
        bucket.work = Work(call, collectives.reduce_flat(self.group, bucket.flat, reduction))

    def at_the_end(self, bucket):
        """Whether a bucket goes through memory that all ranks share: copying takes this process's own time, which can't
        be hidden behind the backward.
        """
        board = self.group.board
        return board is not None and board.takes(bucket.flat.nbytes)

    def finish(self):
        """The backward is at its end: send the rest, wait for all, hand the gradients out."""
        self.running = None
        with no_grad():
            for bucket in self.buckets[self.next:]:
                for i in sorted(bucket.missing):
                    p = bucket.params[i]
                    bucket.put(i, p._grad, self.factor(), int(id(p) in self.used))
                self.send(bucket)
            if self.hook is not None:
                self.share_flags()
            for bucket in self.buckets:
                self.collect(bucket)
        self.used.clear()
        if not self.learnt:
            self.learn()

    def collect(self, bucket):
        values = bucket.work.wait()
        if self.hook is None:
            bucket.keep()
            return
        if isinstance(values, (list, tuple)):
            values = values[0]
        bucket.keep(values._array.reshape(-1).astype(bucket.dtype, copy=False))

    def share_flags(self):
        """Under a hook, which sees gradients only, the flags travel by themselves."""
        flags = wrap(np.concatenate([bucket.flat[bucket.size:] for bucket in self.buckets]).astype(np.float32))
        collectives.all_reduce(flags, ReduceOp.MAX, self.group)
        start = 0
        for bucket in self.buckets:
            bucket.flat[bucket.size:] = flags._array[start:start + len(bucket.params)]
            start += len(bucket.params)

    def learn(self):
        """Make the buckets anew, in the order in which rank 0's gradients came."""
        self.learnt = True
        numbers = {id(p): i for i, p in enumerate(self.params)}
        seen = [numbers[id(p)] for p in self.order]
        rest = [i for i in range(len(self.params)) if i not in set(seen)]
        order = wrap(np.array(seen + rest[::-1], np.int64))
        collectives.broadcast(order, self.group.ranks[0], self.group)
        self.build([self.params[i] for i in order.tolist()])
        self.order = []

    def shadow(self):
        """Take part in the others' exchange without gradients of one's own, for a rank whose inputs have ended."""
        self.next = 0
        with no_grad():
            for bucket in self.buckets:
                bucket.prepare()
                self.send(bucket)
            if self.hook is not None:
                self.share_flags()
            for bucket in self.buckets:
                bucket.work.wait()
                bucket.flat = bucket.work = None
        if not self.learnt:
            self.learn()


class OnBoard:
    """A bucket's exchange through memory that all ranks share, when it is waited for."""

    def __init__(self, call, flat, reduction):
        self.call, self.flat, self.reduction = call, flat, reduction

    def wait(self):
        if not collectives.reduce_on_board(self.call, self.flat, self.reduction):
            perform(self.call, collectives.reduce_flat(self.call.group, self.flat, self.reduction), False)


class GradBucket:
    """What a communication hook is given: the gradients of some parameters, one after the other."""

    def __init__(self, bucket, last):
        self._bucket, self._last = bucket, last
        self._buffer = wrap(bucket.flat[:bucket.size])

    def index(self):
        return self._bucket.index

    def buffer(self):
        return self._buffer

    def set_buffer(self, buffer):
        self._buffer = buffer

    def gradients(self):
        return [wrap(self._bucket.slot(i)) for i in range(len(self._bucket.params))]

    def parameters(self):
        return list(self._bucket.params)

    def is_last(self):
        return self._last
