"""Protocol buffers' wire format: what event files are made of, encoded and read without the protobuf package.

A message is bytes: the fields' encodings, one after the other. `text(1, "loss") + double(2, 0.5)` is a message.
"""
import struct

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(value):
    """An integer in groups of seven bits, the lowest first; negative ones as 64 bits, so in ten bytes."""
    value &= 0xFFFFFFFFFFFFFFFF
    if value < 0x80:
        return bytes((value,))
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _key(field, kind):
    return varint(field << 3 | kind)


def integer(field, value):
    """int32, int64, uint32, uint64, bool and enum."""
    return _key(field, VARINT) + varint(int(value))


def double(field, value):
    return _key(field, FIXED64) + struct.pack("<d", value)


def single(field, value):
    """A float32; what is too great for it becomes inf, as in protobuf."""
    with np.errstate(over="ignore"):
        return _key(field, FIXED32) + np.float32(value).astype("<f4").tobytes()


def data(field, value):
    """Bytes, or a message inside this one."""
    return _key(field, BYTES) + varint(len(value)) + value


def text(field, value):
    return data(field, value.encode("utf-8", "surrogatepass"))


def doubles(field, values):
    """A packed list of doubles."""
    return data(field, np.asarray(values, "<f8").tobytes())


def singles(field, values):
    """A packed list of float32."""
    with np.errstate(over="ignore"):
        return data(field, np.asarray(values, "<f4").tobytes())


def integers(field, values):
    """A packed list of integers."""
    return data(field, b"".join(varint(int(v)) for v in values))


def read(message):
    """(field, value) of each field of a message: integers, or bytes as they stand there."""
    at, end = 0, len(message)
    while at < end:
        key, at = _read_varint(message, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _read_varint(message, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind)
            if kind == BYTES:
                size, at = _read_varint(message, at)
            if size is None or at + size > end:
                raise ValueError(f"not a protocol buffer: a field of kind {kind} at byte {at} of {end}")
            value, at = message[at:at + size], at + size
        yield key >> 3, value


def _read_varint(message, at):
    value = shift = 0
    while True:
        if at >= len(message) or shift > 63:
            raise ValueError(f"not a protocol buffer: an integer without end at byte {at} of {len(message)}")
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
