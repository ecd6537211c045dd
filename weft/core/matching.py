# compiled, hot
"""Where a captured step meets the road of an op: `apply` asks this thread's Matcher before anything else."""
from weft.core.runtime import matcher

NOTHING = object()      # the answer for an op that only writes


class Matcher:
    """Follows a recorded path while the program runs again; `weft.jit.match` has the real one."""

    def match(self, op, values, bits):
        """What the op gives, as promises, if it is the next one of the path; None if it must run."""
        raise NotImplementedError

    def drops_grad(self, tensor):
        """A tensor's gradient was taken away; whether nobody else has to be told."""
        return False


def match(op, values, bits):
    """Ask this thread's matcher; there is none when the bit comes back from where it was kept (a custom Function)."""
    asked = matcher()
    return None if asked is None else asked.match(op, values, bits)


def drops_grad(tensor):
    """Tell this thread's matcher that a tensor's gradient was taken away; whether that is all."""
    asked = matcher()
    return asked is not None and asked.drops_grad(tensor)
