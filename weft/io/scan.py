"""Which globals a checkpoint names, without building anything."""
from weft.io.archive import Archive, is_zip
from weft.io.errors import CheckpointFileError, bad, cut
from weft.io.known import GLOBALS
from weft.io.machine import LONGEST_NAME, STOP, TABLE, Machine, full_name
from weft.io.safe import user_globals
from weft.io.source import open_source

TEXTS = {ord("X"), 0x8c, 0x8d, ord("U"), ord("T")}
PUTS, GETS = {ord("q"), ord("r"), 0x94}, {ord("h"), ord("j")}


def get_unsafe_globals_in_checkpoint(f):
    """The names in a checkpoint that `load` would refuse.

    >>> import weft
    >>> import fractions
    >>> weft.save(fractions.Fraction(1, 3), "third.pt")
    >>> weft.serialization.get_unsafe_globals_in_checkpoint("third.pt")
    ['fractions.Fraction']
    """
    source = open_source(f)
    try:
        return unsafe_names(source)
    except CheckpointFileError as error:
        raise error.named(source.name) from None
    finally:
        source.close()


def unsafe_names(source):
    """The names in a checkpoint that are neither known nor allowed by the user."""
    data, pickles = _pickles(source)
    allowed = {*GLOBALS, *user_globals()}
    return sorted({name for name in _names(data, pickles) if name not in allowed})


def _pickles(source):
    if is_zip(source):
        return Archive(source).read("data.pkl"), 1
    return source.everything(), 4


def _names(data, pickles):
    at, found = 0, set()
    for _ in range(pickles):
        at = _scan(data, at, found)
    return found


def _scan(data, at, found):
    """Read one pickle's instructions from `at`, add the globals that it names to `found`, and give its end."""
    m = Machine(data, at, find=None, stored=None)
    texts = []              # the last two texts that were pushed; None for one that is too long for a name
    while m.at < m.end:
        code = data[m.at]
        m.at += 1
        if code == STOP:
            return m.at
        if code == ord("c"):
            module = m.line()
            found.add(full_name(module, m.line()))
            continue
        row = TABLE[code]
        if row is None:
            raise bad(f"the pickle in it has the instruction {code} at byte {m.at - 1}, which no checkpoint needs")
        value = None if row[0] is None else row[0](m)
        if code in TEXTS:
            texts = [*texts[-1:], value.decode("utf-8", "replace") if len(value) <= LONGEST_NAME else None]
        elif code in PUTS:
            m.stack = texts[-1:] or [None]
            m.remember(len(m.memo) + len(m.apart) if value is None else value)
        elif code in GETS:
            known = m.memo[value] if value < len(m.memo) else m.apart.get(value)
            texts = [*texts[-1:], known]
        elif code == 0x93 and len(texts) == 2 and None not in texts:
            found.add(full_name(*texts))
    raise cut("the pickle in it ends before its last instruction")
