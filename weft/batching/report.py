"""What became of the ops of an `autobatch` region, and whether it pays."""
from collections import Counter

from weft.core.seam import title_of

BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Report:
    """What a region has done so far: print it.

    >>> import weft
    >>> w = weft.ones(2, 2, requires_grad=True)
    >>> with weft.autobatch() as region:
    ...     loss = sum((weft.ones(2) * k @ w).sum() for k in range(4))
    ...     loss.backward()
    >>> region.report().sizes[4]
    4
    """

    def __init__(self):
        self.sizes = Counter()          # how many ops a group had -> how many groups
        self.together = Counter()       # op -> how many of its calls ran in groups
        self.singly = Counter()         # op -> how many ran by themselves
        self.reasons = {}               # op -> why it never runs in a group
        self.early = Counter()          # what asked for values before the end -> how often
        self.batched_seconds = self.plain_seconds = None     # for the same number of ops
        self.off = None                 # why it stands aside now

    def batched(self, kind, n):
        """A group has run."""
        self.sizes[n] += 1
        self.together[kind.op] += n

    def chained(self, kinds, ops, n):
        """So many chains of these kinds have run; ops: how many there are of each op."""
        if n == 1:
            for kind in kinds:
                self.alone(kind, 1)
            return
        self.sizes[n] += len(kinds)
        for op, count in ops.items():
            self.together[op] += count * n

    def alone(self, kind, n):
        """Ops have run one by one."""
        self.sizes[1] += n
        self.singly[kind.op] += n
        if kind.single is not None:
            self.reasons[kind.op] = kind.single

    def asked(self, how):
        """Somebody needed values."""
        self.early[plain(how)] += 1

    @property
    def batched_share(self):
        """The part of all ops that ran together with others.

        >>> import weft
        >>> w = weft.ones(2, requires_grad=True)
        >>> with weft.autobatch() as region:
        ...     kept = [w * k.exp() for k in weft.ones(4, requires_grad=True).unbind()]
        >>> round(region.report().batched_share, 2)
        0.89
        """
        together = self.together.total()
        return together / max(1, together + self.singly.total())

    @property
    def gain(self):
        """How many times faster than one by one, None where that was not measured (see `autobatch`).

        >>> import weft
        >>> weft.autobatch().report().gain is None
        True
        """
        if not self.batched_seconds or not self.plain_seconds:
            return None
        return self.plain_seconds / self.batched_seconds

    def __str__(self):
        together, singly = self.together.total(), self.singly.total()
        groups = sum(self.sizes.values()) - self.sizes[1]
        lines = [f"autobatch: {together} ops ran as {groups} groups, {singly} by themselves"]
        if groups:
            lines.append("  ops in a group:   " + self._histogram())
        alone = Counter()
        for op, n in self.singly.items():
            alone[plain(title_of(op)), self.reasons.get(op, "no other like it was ready at the same time")] += n
        for (name, why), n in alone.most_common(8):
            lines.append(f"  not batched:      {name}, {times(n)}: {why}")
        if len(alone) > 8:
            lines.append(f"  not batched:      {len(alone) - 8} other ops")
        for how, n in self.early.most_common(8):
            lines.append(f"  values needed by: {how}, {times(n)}")
        lines.append(f"  gain:             {self._gain()}")
        if self.off:
            lines.append(f"  off:              {self.off}")
        return "\n".join(lines)

    def _gain(self):
        if self.gain is None:
            return "not measured"
        return f"{self.gain:.2f} times faster" if self.gain >= 1 else f"none, {1 / self.gain:.2f} times slower"

    def _histogram(self):
        found = []
        for low, high in zip(BOUNDS[1:], [*BOUNDS[2:], 2 ** 62]):
            n = sum(count for size, count in self.sizes.items() if low <= size < high)
            if n:
                found.append(f"{low}-{high - 1}: {n}" if high < 2 ** 62 else f"{low} and more: {n}")
        return ", ".join(found)


def plain(name):
    """A name as users know it.

    >>> from weft.batching.report import plain
    >>> plain("_index_mask"), plain("log_softmax")
    ('index mask', 'log_softmax')
    """
    return name.strip("_").replace("_", " ") if name.startswith("_") else name


def times(n):
    """n times, in words.

    >>> from weft.batching.report import times
    >>> times(1), times(3)
    ('once', '3 times')
    """
    return "once" if n == 1 else f"{n} times"


class Trial:
    """Whether a region pays, from runs with and without it: five of them, then as the better was, and again later.

    Time is counted for each op that records a graph, of which a run with the region and one without have the same
    number; where no graph is recorded, groups of fewer than two ops say that there is nothing to gain. What trials cost
    (the time that the worse of the two took longer) is kept below a hundredth of all time: the more is between the two,
    the later they are tried again.
    """

    PLAN = (True, True, False, True, False)     # the first one is not compared: kinds of ops are learned in it
    SLOWER = 1.03                               # with what trials cost it is still less than 1.05
    HOPELESS = 1.4                              # so much slower that the other runs of the plan are not needed
    PATIENCE = 200                              # runs after which it is tried again at the earliest
    SHARE = 0.01                                # of all time, for trials

    def __init__(self):
        self.runs, self.best, self.choice, self.trial = 0, {True: None, False: None}, True, []
        self.spent = self.lost = self.last = 0.0        # seconds: in all runs, by all trials, by the last one

    def wants(self):
        """Whether the next run is with the region."""
        if self.runs < len(self.PLAN):
            return self.PLAN[self.runs]
        return self.choice

    def ran(self, inside, seconds, ops, report):
        """A run has ended."""
        self.runs += 1
        self.spent += seconds
        if self.runs <= len(self.PLAN) and ops:
            cost = seconds / ops
            self.trial.append((seconds, ops))
            if self.runs > 1 and (self.best[inside] is None or cost < self.best[inside]):
                self.best[inside] = cost
        if self.runs < len(self.PLAN) and self.is_hopeless():
            self.runs = len(self.PLAN)
        if self.runs == len(self.PLAN):
            self.decide(report)
        elif self.runs > self.PATIENCE and self.lost + self.last <= self.SHARE * self.spent:
            self.runs, self.best, self.trial = 1, {True: None, False: None}, []

    def is_hopeless(self):
        batched, plain = self.best[True], self.best[False]
        return batched is not None and plain is not None and batched > plain * self.HOPELESS

    def decide(self, report):
        batched, plain = self.best[True], self.best[False]
        report.batched_seconds, report.plain_seconds, report.off = batched, plain, None
        if batched is None or plain is None:
            groups = sum(report.sizes.values())
            self.choice = not groups or (report.together.total() + report.singly.total()) / groups >= 2
            if not self.choice:
                report.off = "fewer than two ops ran at once, on average"
            return
        self.choice = batched <= plain * self.SLOWER
        better = min(batched, plain)
        self.last = sum(max(0.0, seconds - better * ops) for seconds, ops in self.trial)
        self.lost += self.last
        if not self.choice:
            report.off = f"it took {batched / plain:.2f} times as long as without"
