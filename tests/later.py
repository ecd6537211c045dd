"""A taker for tests: it owes what every op gives, until somebody needs a value."""
import weft
from weft.core.seam import Aside, Taker


class Later(Taker):
    """Answers every op that doesn't write, and runs them all, in order, when a value is needed."""

    def __init__(self):
        self.pending, self.taken, self.flushes = [], [], 0      # taken: the names of the ops

    def takes(self, op, values):
        return not op.writes

    def take(self, op, values, outputs, many):
        self.taken.append(op.name)
        self.pending.append((op, list(values), [t._owed for t in outputs]))

    def writing(self, tensor):
        self.run()

    def read(self, tensor, how):
        self.run()

    def settle(self, promise):
        self.run()
        assert promise.array is not None

    def run(self):
        pending, self.pending = self.pending, []
        self.flushes += bool(pending)
        with Aside(), weft.no_grad():
            for op, values, outputs in pending:
                made = op.compute(values)
                for promise, real in zip(outputs, made if isinstance(made, tuple) else (made,), strict=True):
                    promise.array = real._array

    def stop(self):
        self.run()
        super().stop()
