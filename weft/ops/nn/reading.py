"""Values that a composed op decides by in Python: whoever looks on is told that they are read."""
from weft.core.errors import fail
from weft.core.modes import WATCH
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read


def values_of(t, who):
    """The array of a tensor whose values decide a shape, or whether the arguments are refused."""
    if mode_bits() & WATCH:
        tell_read(t, who)
    if t._on_meta:
        fail(NotImplementedError, f"{who}: what it gives depends on values, which a tensor on the meta device doesn't "
             f"have", "give it a tensor with values")
    return t._array
