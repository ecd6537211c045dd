"""What a run keeps: lists that stay bounded, in which a reader finds what is new."""
from bisect import bisect_right


class Series:
    """Entries with rising numbers; more than `most`, and every second of the older half is let go."""

    def __init__(self, most):
        self.most, self.numbers, self.entries = most, [], []

    def add(self, number, entry):
        self.numbers.append(number)
        self.entries.append(entry)
        if len(self.entries) > self.most:
            half = len(self.entries) // 2
            self.numbers[:half], self.entries[:half] = self.numbers[:half:2], self.entries[:half:2]

    def since(self, number):
        """The entries whose numbers are greater."""
        return self.entries[bisect_right(self.numbers, number):]


class Graphs:
    """The graphs of a run by iteration, at most `keep` of them and `nodes` nodes in all.

    Let go are first those that look like the graph before them, and of these the one whose neighbours are nearest in
    time; the first, the newest, failed ones and the first with NaN or infinity stay.
    """

    def __init__(self, keep, nodes):
        self.keep, self.nodes, self.kept = keep, nodes, []

    def add(self, entry):
        self.kept.append(entry)
        while len(self.kept) > 3 and (len(self.kept) > self.keep or sum(e.size for e in self.kept) > self.nodes):
            del self.kept[self.least()]

    def least(self):
        """The position of the graph that tells least."""
        broken = next((at for at, entry in enumerate(self.kept) if entry.trouble), None)

        def worth(at):
            before, entry, after = self.kept[at - 1:at + 2]
            # of the steps around the first with NaN, the one before it tells too: there all was well
            return (entry.failed or at == broken, broken is not None and at == broken - 1, entry.shape != before.shape,
                    after.iteration - before.iteration, -at)
        return min(range(1, len(self.kept) - 1), key=worth)

    def find(self, number):
        return next((entry for entry in self.kept if entry.number == number), None)
