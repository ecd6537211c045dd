# compiled, hot
"""Where the user's program was: a code object, an offset in it and the nn module that ran; read only when asked."""
from weft.core.runtime import pure_fields, running, user_code, user_offset


class Place:
    """A line of the user's program, kept as cheaply as can be; `core.errors.where` makes text of it."""

    def move_here(self):
        """Take the user's line that is running now instead."""
        self.code = user_code()
        self.lasti = user_offset()
        self.module = running()


pure_fields(Place, code=None, lasti=0, module=None)


def here():
    """The user's line that is running now."""
    made = Place.__new__(Place)
    made.move_here()
    return made


def at(code, lasti=-1, module=None):
    """A place that was found elsewhere."""
    made = Place.__new__(Place)
    made.code = code
    made.lasti = lasti
    made.module = module
    return made
