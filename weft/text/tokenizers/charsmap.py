"""sentencepiece's table of normalised letters: a trie (a double array of 32-bit units) and the texts that it leads
to."""
import base64
import binascii
import struct
import unicodedata

from weft.core.errors import fail

_ALONE = {"Cc", "Cf", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"


class CharsMap:
    """Replaces what the table has: a letter with the marks behind it if that is there as a whole, otherwise letter by
    letter."""

    def __init__(self, encoded):
        try:
            raw = base64.b64decode(encoded or "", validate=True)
            size, = struct.unpack_from("<I", raw)
            if size % 4 or 4 + size > len(raw):
                raise ValueError(f"a trie of {size} bytes in {len(raw)}")
        except (binascii.Error, struct.error, ValueError, TypeError) as error:
            fail(ValueError, f"the table of normalised letters can't be read: {error}", fix="look at the file")
        self._units = struct.unpack_from(f"<{size // 4}I", raw, 4)
        self._texts = raw[4 + size:]
        self._known = {}

    def _find(self, key):
        """The text of the shortest beginning of a key (bytes) that is in the trie, or None."""
        units, place = self._units, 0
        if not units:
            return None
        place = _offset(units[0])
        for byte in key:
            place ^= byte
            if byte == 0 or place >= len(units) or units[place] & 0x800000ff != byte:
                return None
            unit = units[place]
            place ^= _offset(unit)
            if unit >> 8 & 1:
                if place >= len(units):
                    return None
                start = units[place] & 0x7fffffff
                end = self._texts.find(b"\0", start)
                return self._texts[start:end if end >= 0 else None].decode("utf8", "replace")
        return None

    def _replaced(self, cluster):
        key = cluster.encode("utf8", "surrogatepass")
        found = self._find(key) if len(key) < 6 else None
        if found is not None:
            return found
        return "".join(letter if (one := self._find(letter.encode("utf8", "surrogatepass"))) is None else one
                       for letter in cluster)

    def __call__(self, text):
        made, start = [], 0
        while start < len(text):
            end = _cluster_end(text, start)
            cluster = text[start:end]
            found = self._known.get(cluster)
            if found is None:
                found = self._replaced(cluster)
                if len(self._known) < 100_000:
                    self._known[cluster] = found
            made.append(found)
            start = end
        return "".join(made)


def _cluster_end(text, start):
    """Where a letter ends with the marks behind it; nothing joins a control letter but \\n a \\r."""
    end = start + 1
    if text[start] == "\r":
        return end + text.startswith("\n", end)
    if unicodedata.category(text[start]) in _ALONE and text[start] not in _JOINERS:
        return end
    while end < len(text) and not text[end].isascii() and (
            text[end] in _JOINERS or unicodedata.category(text[end])[0] == "M"):
        end += 1
    return end


def _offset(unit):
    return unit >> 10 << ((unit & 1 << 9) >> 6)
