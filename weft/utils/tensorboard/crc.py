"""CRC-32C (Castagnoli), which every record of an event file carries, quick enough for big images.

The register of a CRC is linear in the data once it starts at zero: leading zero bytes don't count, and the CRCs of two
parts can be joined by moving the first one on over the second one's length. So NumPy works on many short lanes at a
time, and joins them by halves.
"""
import numpy as np

POLY = 0x82F63B78       # reflected
LANE = 64               # words of 4 bytes in a lane
MOST = 4096             # lanes at a time: 1 MB
SMALL = 768             # bytes up to which a plain loop is quicker


def _byte_table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> 1) ^ np.where(table & 1, np.uint32(POLY), np.uint32(0))
    return table


_BYTE = _byte_table()
_BYTE_LIST = _BYTE.tolist()
_tables = {}            # number of bytes to move on over -> (table of the low 16 bits, table of the high 16 bits)


def crc32c(data):
    """The CRC-32C of bytes."""
    if len(data) <= SMALL:
        return _step(0xFFFFFFFF, data) ^ 0xFFFFFFFF
    return _blocks(data) ^ 0xFFFFFFFF


def masked_crc32c(data):
    """The CRC as records hold it: rotated and shifted by a constant, so that a CRC of data with CRCs inside is
    harmless.
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _step(register, data):
    table = _BYTE_LIST
    for byte in data:
        register = table[(register ^ byte) & 0xFF] ^ register >> 8
    return register


def _blocks(data):
    """The register after data of many blocks; the first one is what doesn't fill a whole one."""
    lanes = 1
    while lanes < MOST and lanes * LANE * 4 < len(data):
        lanes *= 2
    size = lanes * LANE * 4
    first = len(data) % size or size
    register = _first(data[:first], size)
    for start in range(first, len(data), size):
        register = int(_move(np.array([register], np.uint32),
                             size)[0]) ^ _block(np.frombuffer(data, "<u4", size // 4, start))
    return register


def _first(data, size):
    """The register after the first block, which is filled up to `size` with zeros in front."""
    if len(data) < 4:
        return _step(0xFFFFFFFF, data)
    padded = np.zeros(size, np.uint8)
    own = padded[size - len(data):]
    own[:] = np.frombuffer(data, np.uint8)
    # starting at ones is starting at zero with the first four bytes inverted
    own[:4] ^= 0xFF
    return _block(padded.view("<u4"))


def _block(words):
    """The register after a block of words, from zero; a power of two lanes."""
    low, high = _table(4)
    # (LANE, lanes): a step takes one word of every lane
    columns = np.ascontiguousarray(words.reshape(-1, LANE).T)
    state = np.zeros(columns.shape[1], np.uint32)
    for column in columns:
        state ^= column
        state = low[state & 0xFFFF] ^ high[state >> 16]
    size = LANE * 4
    while state.size > 1:
        state = _move(state[0::2], size) ^ state[1::2]
        size *= 2
    return int(state[0])


def _move(state, size):
    """The registers after `size` more zero bytes."""
    low, high = _table(size)
    return low[state & 0xFFFF] ^ high[state >> 16]


def _table(size):
    """Tables that move a register on over `size` zero bytes, 16 bits of it each."""
    made = _tables.get(size)
    if made is None:
        units = np.uint32(1) << np.arange(32, dtype=np.uint32)
        if size <= 4:
            for _ in range(size):
                units = _BYTE[units & 0xFF] ^ units >> 8
        else:                                       # sizes are 4 times a power of two
            half = size // 2
            units = _move(_move(units, half), half)
        made = _tables[size] = _spread(units[:16]), _spread(units[16:])
    return made


def _spread(units):
    """The images of all 16-bit numbers, given those of the 16 powers of two."""
    table = np.zeros(1, np.uint32)
    for unit in units:
        table = np.concatenate([table, table ^ unit])
    return table
