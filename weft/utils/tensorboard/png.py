"""PNG files from arrays, by zlib alone."""
import struct
import zlib

import numpy as np

COLOR = {1: 0, 2: 4, 3: 2, 4: 6}        # channels -> PNG's colour type: grey, grey and alpha, RGB, RGBA
LARGE = 4 << 20                         # bytes from which speed counts more than size


def png(image):
    """A PNG file of an image: (height, width, channels) of uint8."""
    height, width, channels = image.shape
    raw = image.reshape(height, width * channels)
    rows = np.empty((height, 1 + width * channels), np.uint8)
    rows[:, 0] = 2                      # the filter "up": each row less the one above
    rows[0, 1:] = raw[0]
    np.subtract(raw[1:], raw[:-1], out=rows[1:, 1:])
    head = struct.pack(">IIBBBBB", width, height, 8, COLOR[channels], 0, 0, 0)
    packed = zlib.compress(rows, _level(rows))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _level(rows):
    """How hard to compress: well what is small, quickly what is large, not at all what is large and noise."""
    if rows.nbytes <= LARGE:
        return 6
    middle = rows[len(rows) // 2:][:max(1, (1 << 18) // rows.shape[1])]
    return 1 if len(zlib.compress(middle, 1)) < 0.9 * middle.nbytes else 0


def _chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(content, zlib.crc32(kind)))
