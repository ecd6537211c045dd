"""How fast every rank is, and how much of its time it waits for the others: in TensorBoard and on the graph page."""
import time

from weft.core.processes import processes
from weft.distributed import objects
from weft.distributed.groups import GroupMember, group_or_world

__all__ = ["Pace"]


class Pace:
    """Counts a training loop's examples; every `every` steps all ranks' figures come together on the first one, which
    logs them: examples per second and the share of the time spent waiting for other ranks. All ranks make one, and call
    `step` as often. writer: a SummaryWriter, on rank 0.

    >>> import weft
    >>> pace = weft.distributed.Pace()
    >>> sorted(pace.step(32))
    ['examples per second, rank 0', 'waiting %, rank 0']
    """

    def __init__(self, every=1, writer=None, group=None):
        if every < 1:
            raise ValueError(f"Pace: every={every}\n  fix: a number of steps, 1 or more")
        self.every, self.writer = every, writer
        self.group = group_or_world(group) if group is not None or GroupMember.WORLD is not None else None
        self.steps = 0
        self._begin()

    def _begin(self):
        self._examples, self._since, self._waited = 0, time.perf_counter(), processes.waited

    def step(self, examples=1):
        """A step with so many examples is over. On rank 0, every `every` steps, {name: number} of all ranks, which are
        logged with `writer` and on the graph page that is being recorded; else nothing.

        >>> import weft
        >>> pace = weft.distributed.Pace(every=2)
        >>> pace.step(32), len(pace.step(32))
        ({}, 2)
        """
        self.steps += 1
        self._examples += examples
        if self.steps % self.every:
            return {}
        passed = max(time.perf_counter() - self._since, 1e-9)
        own = (self._examples / passed, 100 * (processes.waited - self._waited) / passed)
        every, ranks = [own], [processes.rank]
        if self.group is not None and self.group.size() > 1:
            every, ranks = [None] * self.group.size(), self.group.ranks
            objects.all_gather_object(every, own, self.group)
        self._begin()       # what the exchange took is nobody's
        if processes.rank != ranks[0]:
            return {}
        made = {}
        for kind, what in enumerate(("examples per second", "waiting %")):
            numbers = {f"rank {rank}": figures[kind] for rank, figures in zip(ranks, every)}
            made.update({f"{what}, {name}": number for name, number in numbers.items()})
            if self.writer is not None:
                self.writer.add_scalars(f"ranks/{what}", numbers, self.steps)
        from weft.viz.recorder import log  # only where there are figures
        log(**made)
        return made
