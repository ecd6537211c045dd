"""Animated GIF files from arrays."""
import struct

import numpy as np

LARGE = 4_000_000       # pixels from which the codes stay literal: an eighth more than one byte for each, but at once
CLEAR, END = 256, 257


def gif(frames, fps=4):
    """An endless GIF of frames: (time, height, width, 3) of uint8."""
    _, height, width, _ = frames.shape
    palette, indices = _paint(frames)
    delay = max(2, round(100 / fps))    # hundredths of a second; browsers slow down what is below 2
    parts = [b"GIF89a", struct.pack("<HHBBB", width, height, 0xF7, 0, 0), palette.tobytes(),
             b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00"]
    encode = _literal if indices.size > LARGE else _lzw
    for frame in indices:
        parts.append(struct.pack("<4BHBB", 0x21, 0xF9, 4, 0, delay, 0, 0))
        parts.append(struct.pack("<BHHHHBB", 0x2C, 0, 0, width, height, 0, 8))
        parts.append(_blocks(encode(frame.reshape(-1))))
    return b"".join([*parts, b"\x3B"])


def _paint(frames):
    """(palette of 256 colours, index of each pixel): exact where there are at most 256 colours, else 6 x 7 x 6 levels,
    dithered.
    """
    wide = frames.astype(np.uint32)
    colors, indices = np.unique(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2], return_inverse=True)
    palette = np.zeros((256, 3), np.uint8)
    if colors.size <= 256:
        palette[:colors.size] = np.stack([colors >> 16, colors >> 8 & 255, colors & 255], 1)
        return palette, indices.reshape(frames.shape[:3]).astype(np.uint8)
    levels = np.array([6, 7, 6])
    grid = np.stack(np.meshgrid(*(np.arange(n) for n in levels), indexing="ij"), -1).reshape(-1, 3)
    palette[:len(grid)] = np.round(grid * (255 / (levels - 1)))
    spread = (_bayer(frames.shape[1:3]) - 0.5)[..., None]                       # (H, W, 1), in -0.5 .. 0.5
    chosen = np.clip(np.round(frames * ((levels - 1) / 255) + spread * 0.9), 0, levels - 1).astype(np.uint16)
    return palette, (chosen[..., 0] * 42 + chosen[..., 1] * 6 + chosen[..., 2]).astype(np.uint8)


def _bayer(sizes):
    """Ordered thresholds in 0 .. 1, repeated over an area."""
    tile = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 + 1 / 32
    return tile[np.arange(sizes[0])[:, None] % 4, np.arange(sizes[1]) % 4]


def _lzw(pixels):
    """Compressed codes of growing width, packed from the lowest bit."""
    made, held, n_held, width = bytearray(), CLEAR, 9, 9
    table, free = {}, END + 1
    pixels = pixels.tolist()
    prefix = pixels[0]
    for pixel in pixels[1:]:
        key = prefix << 8 | pixel
        known = table.get(key)
        if known is not None:
            prefix = known
            continue
        held |= prefix << n_held
        n_held += width
        table[key] = free
        if free == 1 << width:
            width += 1
        free += 1
        prefix = pixel
        if free == 4096:
            held |= CLEAR << n_held
            n_held += width
            table, free, width = {}, END + 1, 9
        while n_held >= 8:
            made.append(held & 255)
            held >>= 8
            n_held -= 8
    held |= prefix << n_held | END << n_held + _width_after(free, width)[0]
    n_held += sum(_width_after(free, width))
    return bytes(made) + held.to_bytes((n_held + 7) // 8, "little")


def _width_after(free, width):
    """The widths of the last code and of the end, whose reader adds one more entry between them."""
    return width, width + (free == 1 << width and width < 12)


def _literal(pixels):
    """Codes of nine bits, one for each pixel, cleared before the table would widen them."""
    step = 254
    n = -(-pixels.size // step)
    codes = np.full((n, step + 1), CLEAR, np.uint16)
    flat = np.zeros(n * step, np.uint16)
    flat[:pixels.size] = pixels
    codes[:, 1:] = flat.reshape(n, step)
    codes = np.append(codes.reshape(-1)[:pixels.size + n], END)
    bits = codes[:, None] >> np.arange(9) & 1
    return np.packbits(bits.astype(np.uint8).reshape(-1), bitorder="little").tobytes()


def _blocks(content):
    """Data in blocks of at most 255 bytes."""
    return b"".join(bytes((len(content[i:i + 255]),)) + content[i:i + 255] for i in range(0, len(content), 255)) + b"\0"
