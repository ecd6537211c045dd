"""Reads PyTorch's zip archives: stored members only, each inside the file, none over another."""
import struct
import zlib
from typing import NamedTuple

from weft.io.errors import AGAIN, bad, cut

END, END64, LOCATOR64 = b"PK\5\6", b"PK\6\6", b"PK\6\7"
ENTRY, LOCAL = struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
LONGEST_COMMENT = 65535 + 22


class Member(NamedTuple):
    """Where a member's bytes lie."""

    start: int
    size: int
    crc: int
    packed: bool = False


def is_zip(source):
    return source.size >= 4 and source.read(0, 4) == b"PK\3\4"


class Archive:
    """The members of a zip file by name, without the folder that all of them are in."""

    def __init__(self, source):
        self.source = source
        self.members = _without_folder(_members(source))

    def __contains__(self, name):
        return name in self.members

    def member(self, name):
        found = self.members.get(name)
        if found is None:
            raise bad(f"the archive has no member {name[:80]!r}")
        if found.packed:
            raise bad(f"member {name[:80]!r} of the archive is compressed; checkpoints are stored as they are, since a "
                      f"compressed member "
                      "can be made to fill any memory",
                      "unpack it and pack it again with `zip -0 -r`, or save it again with torch.save")
        return found

    def read(self, name):
        """A member's bytes, if they are what was written."""
        found = self.member(name)
        data = self.source.read(found.start, found.size)
        _check(name, found, data)
        return data

    def array(self, name):
        """The same as a new array."""
        found = self.member(name)
        made = self.source.array(found.start, found.size)
        _check(name, found, made)
        return made


def _check(name, member, data):
    # a sum of 0 is PyTorch's mark for "not computed" (set_crc32_options)
    if member.crc and zlib.crc32(data) != member.crc:
        raise bad(f"the bytes of member {name[:80]!r} are not those that were written (their CRC-32 differs)",
                  AGAIN + "; if it was changed on purpose (MAP_SHARED), mmap=True reads it as it is")


def _members(source):
    """Every member of the central directory, checked against its local header."""
    start, size, count, top = _directory_place(source)
    data = source.read(start, size)
    found, at = {}, 0
    for _ in range(count):
        if at + ENTRY.size > size:
            raise bad("the archive's list of members is shorter than it says")
        fields = ENTRY.unpack_from(data, at)
        names = at + ENTRY.size
        more = names + fields[10]
        at = more + fields[11] + fields[12]
        if fields[0] != b"PK\1\2" or at > size:
            raise bad("the archive's list of members is damaged")
        name = data[names:more].decode("utf-8", "replace")
        if name in found:
            raise bad(f"the archive has two members called {name[:80]!r}")
        found[name] = _member(source, name, fields, data[more:more + fields[11]], start)
    _check_apart(found, start)
    return found


def _directory_place(source):
    """Start, size and number of entries of the central directory, and where it ends."""
    tail_size = min(source.size, LONGEST_COMMENT)
    tail = source.read(source.size - tail_size, tail_size)
    at = tail.rfind(END)
    if at < 0 or at + 22 > len(tail):
        raise cut("it begins like a zip archive but has no end: it is cut off, or still being written")
    _, disk, _, _, count, size, start, comment = struct.unpack("<4s4H2LH", tail[at:at + 22])
    top = source.size - tail_size + at
    if disk not in (0, 0xFFFF) or at + 22 + comment > len(tail):
        raise bad("the end of the archive is damaged")
    if top >= 20 and source.read(top - 20, 4) == LOCATOR64:
        where = struct.unpack("<4sLQL", source.read(top - 20, 20))[2]
        if where + 56 > top or source.read(where, 4) != END64:
            raise bad("the end of the archive is damaged")
        count, size, start = struct.unpack("<QQQ", source.read(where + 32, 24))
        top = where
    if start + size > top or count * ENTRY.size > size:
        raise bad("the archive's list of members doesn't lie in the file")
    return start, size, count, top


def _member(source, name, fields, extra, top):
    method, crc, packed, size, at, flags = fields[4], fields[7], fields[8], fields[9], fields[16], fields[3]
    size, packed, at = _wide(extra, size, packed, at)
    if flags & 0x2041:
        raise bad(f"member {name[:80]!r} of the archive is encrypted", "unpack it with its password first")
    if at + LOCAL.size > top:
        raise bad(f"member {name[:80]!r} of the archive doesn't lie in the file")
    local = LOCAL.unpack(source.read(at, LOCAL.size))
    start = at + LOCAL.size + local[9] + local[10]
    if local[0] != b"PK\3\4" or local[3] != method or start + packed > top:
        raise bad(f"member {name[:80]!r} of the archive (of {packed} bytes) doesn't lie in the file")
    if source.read(at + LOCAL.size, local[9]).decode("utf-8", "replace") != name:
        raise bad(f"member {name[:80]!r} of the archive has another name in its own header")
    return Member(start, packed, crc, bool(method) or packed != size)


def _wide(extra, size, packed, at):
    """The 64-bit numbers that stand for those that are too large for 32 bits."""
    place = 0
    while place + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, place)
        if tag == 1:
            body = extra[place + 4:place + 4 + length]
            numbers = iter(struct.unpack(f"<{len(body) // 8}Q", body[:len(body) // 8 * 8]))
            size, packed, at = (next(numbers, n) if n == 0xFFFFFFFF else n for n in (size, packed, at))
        place += 4 + length
    return size, packed, at


def _check_apart(members, top):
    last, before = 0, None
    for name, member in sorted(members.items(), key=lambda item: item[1].start):
        if member.start < last:
            raise bad(f"members {before[:80]!r} and {name[:80]!r} of the archive lie over each other")
        last, before = member.start + member.size, name


def _without_folder(members):
    """PyTorch puts everything into one folder, named like the file."""
    if not members:
        raise bad("the archive is empty")
    folder, slash, _ = next(iter(members)).partition("/")
    if not slash:
        return members
    folder += slash
    return {name.removeprefix(folder): member for name, member in members.items() if name.startswith(folder)}
