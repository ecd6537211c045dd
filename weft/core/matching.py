# compiled, hot
"""Where a captured step meets the road of an op: `apply` asks this thread's Matcher before anything else."""
from weft.core.runtime import matcher, pure_fields

NOTHING = object()      # the answer for an op that only writes


class Matcher:
    """Follows a recorded path while the program runs again; `weft.jit.match` has the real one. knows_calls: whether it
    answers calls as they were written, before an op has bound its arguments.
    """

    def match(self, op, values, bits):
        """What the op gives, as promises, if it is the next one of the path; None if it must run."""
        raise NotImplementedError

    def drops_grad(self, tensor):
        """A tensor's gradient was taken away; whether nobody else has to be told."""
        return False

    def match_call(self, op, x, y, z, bits):
        """The same for op(x, y, z); `NOTHING` stands for what was not given."""

    def learn_call(self, op, x, y, z, made):
        """It was not known, and gave this."""


def match(op, values, bits):
    """Ask this thread's matcher; there is none when the bit comes back from where it was kept (a custom Function)."""
    asked = matcher()
    return None if asked is None else asked.match(op, values, bits)


def drops_grad(tensor):
    """Tell this thread's matcher that a tensor's gradient was taken away; whether that is all."""
    asked = matcher()
    return asked is not None and asked.drops_grad(tensor)


def match_call(op, x, y, z, bits):
    """Ask it about a call as it was written."""
    asked = matcher()
    return None if asked is None or not asked.knows_calls else asked.match_call(op, x, y, z, bits)


def learn_call(op, x, y, z, made):
    """Tell it what became of one that it did not know."""
    asked = matcher()
    if asked is not None and asked.knows_calls:
        asked.learn_call(op, x, y, z, made)


pure_fields(Matcher, knows_calls=False)
