"""Writes PyTorch's zip archives, byte for byte laid out as PyTorch does: stored members whose data starts at multiples
of 64.
"""
import struct
import zlib

ALIGN = 64
WIDE = 0xFFFFFFFF       # from here on numbers need 64 bits
DATE = 0                # no time: the same data gives the same file
FOLDER = "archive"
UTF8, SUM_FOLLOWS = 0x800, 0x8


class ArchiveWriter:
    """Writes members one after another; needs nothing but `write`."""

    def __init__(self, write):
        self._write, self.at, self.entries = write, 0, []

    def write(self, data):
        self._write(data)
        self.at += len(data)

    def add(self, name, data):
        """A member of the given bytes (anything with the buffer interface, in one dimension of bytes)."""
        name, data = f"{FOLDER}/{name}".encode(), memoryview(data).cast("B")
        place, size = self.at, len(data)
        wide = place >= WIDE or size >= WIDE
        flags = UTF8 | (SUM_FOLLOWS if size else 0)
        extra = self._padding(name, place, size, wide)
        self.write(struct.pack("<4s5H3L2H", b"PK\3\4", 0, flags, 0, DATE, DATE, 0, 0, 0, len(name), len(extra)) + name
                   + extra)
        crc = self._data(data)
        if size:
            self.write(struct.pack("<4sLQQ" if wide else "<4sLLL", b"PK\7\x08", crc, size, size))
        self.entries.append((name, flags, crc, size, place))
        return crc

    def _data(self, data):
        crc = 0
        for start in range(0, len(data), 1 << 24):      # a piece is summed while it is in the cache
            piece = data[start:start + (1 << 24)]
            crc = zlib.crc32(piece, crc)
            self.write(piece)
        return crc

    def _padding(self, name, place, size, wide):
        """An extra field of the length that brings the data to a multiple of 64; PyTorch's has the tag FB."""
        fields = b""
        if wide:
            numbers = ([size, size] if size >= WIDE else []) + ([place] if place >= WIDE else [])
            fields = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers)
        start = place + 30 + len(name) + len(fields) + 4
        gap = -start % ALIGN
        return fields + struct.pack("<2sH", b"FB", gap) + b"Z" * gap

    def finish(self):
        """The list of members, and the end."""
        start = self.at
        for name, flags, crc, size, place in self.entries:
            numbers = [n for n in (size, size, place) if n >= WIDE]
            extra = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
            small = [min(n, WIDE) for n in (size, size, place)]
            self.write(struct.pack("<4s6H3L5H2L", b"PK\1\2", 0, 0, flags, 0, DATE, DATE, crc, small[0], small[1],
                                   len(name), len(extra), 0, 0, 0, 0, small[2]) + name + extra)
        size, count = self.at - start, len(self.entries)
        if start >= WIDE or size >= WIDE or count >= 0xFFFF:
            here = self.at
            self.write(struct.pack("<4sQHHLLQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start))
            self.write(struct.pack("<4sLQL", b"PK\6\7", 0, here, 1))
        self.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, min(count, 0xFFFF), min(count, 0xFFFF), min(size, WIDE),
                               min(start, WIDE), 0))

    def identity(self):
        """A number of 40 digits that is the same for the same members and data."""
        names = zlib.crc32(b"\0".join(e[0] for e in self.entries))
        sums = zlib.crc32(struct.pack(f"<{len(self.entries)}L", *[e[2] for e in self.entries]))
        return f"{names:020d}{sums:020d}".encode()
