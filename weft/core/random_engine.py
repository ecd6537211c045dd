"""The Mersenne Twister under a `Generator`, made with NumPy's; `kernels/rng.pyx` has one in C++ with the same face.

An engine hands out plain streams of bits and uniforms. What else it may know how to draw, whole distributions at once,
this one declines with None, so that the NumPy code of `random.py` and `random_math.py` runs.
"""
from __future__ import annotations

import math

import numpy as np

f32, f64 = np.float32, np.float64
MASK24, UNIT24 = np.array(0xFFFFFF, np.uint32), np.array(2.0**-24, f32)  # arrays: a Python number costs a microsecond
BLOCK = 1 << 15  # numbers made at a time, so that the intermediate arrays stay in the cache


class Engine:
    """A Mersenne Twister with its kept second normal."""

    def __init__(self):
        self._bits = None  # NumPy's twister, made at the first draw: importing numpy.random takes 20 ms
        self._seed, self._stale = 0, True
        self.rewound = True  # seeded, and not drawn from yet
        self.normal = None  # the second of two normals, kept for later

    # the state

    def seed(self, seed: int) -> None:
        """Restart from the low 32 bits of a seed."""
        if not 0 <= seed < 1 << 64:
            raise OverflowError(f"a seed is a number of 64 bits, not {seed}")
        self._seed, self._stale, self.rewound = seed & 0xFFFFFFFF, True, True
        self.normal = None

    @property
    def fresh(self) -> bool:
        """Seeded, and nothing made of the seed yet."""
        return self._stale

    def _twister(self):
        if self._bits is None:
            from numpy.random import MT19937  # heavy, only without the native engine
            self._bits = MT19937(0)
        if self._stale:
            self._bits._legacy_seeding(self._seed)
            self._stale = False
        return self._bits

    def get(self) -> tuple[np.ndarray, int]:
        """(the 624 words, the place of the next one)"""
        state = self._twister().state["state"]
        return state["key"], state["pos"]

    def set(self, key: np.ndarray, at: int) -> None:
        """Go on from such a state."""
        if np.shape(key) != (624,) or not 0 <= at <= 624:
            raise ValueError(f"a twister has 624 words and a place in them, not {np.shape(key)} and {at}")
        self._twister().state = {"bit_generator": "MT19937", "state": {"key": np.asarray(key, np.uint32),
                                                                       "pos": int(at)}}

    # plain streams

    def raw(self, n: int) -> np.ndarray:
        """The next n 32-bit numbers, in 64-bit words."""
        if self.rewound:
            self._twister()
            self.rewound = n == 0
        return self._bits.random_raw(n)

    def bits32(self, n: int) -> np.ndarray:
        """The next n numbers below 2**32."""
        if n <= BLOCK:
            return self.raw(n).astype(np.uint32)
        return self._in_blocks(n, np.uint32, self.bits32)

    def bits64(self, n: int) -> np.ndarray:
        """The next n numbers below 2**64, the high word drawn first."""
        if n > BLOCK:
            return self._in_blocks(n, np.uint64, self.bits64)
        words = self.raw(2 * n)
        high = words[0::2] << 32
        high |= words[1::2]
        return high

    def floats(self, n: int) -> np.ndarray:
        """The next n float32 numbers in [0, 1), of 24 bits."""
        if n > BLOCK:
            return self._in_blocks(n, f32, self.floats)
        bits = self.raw(n).astype(np.uint32)
        bits &= MASK24
        values = bits.view(np.int32).astype(f32)
        values *= UNIT24
        return values

    def doubles(self, n: int) -> np.ndarray:
        """The next n float64 numbers in [0, 1), of 53 bits."""
        if n > BLOCK:
            return self._in_blocks(n, f64, self.doubles)
        bits = self.bits64(n).view(np.int64)
        bits &= (1 << 53) - 1
        values = bits.astype(f64)
        values *= 2.0**-53
        return values

    def _in_blocks(self, n, dtype, draw):
        values = np.empty(n, dtype)
        for start in range(0, n, BLOCK):
            values[start:start + BLOCK] = draw(min(BLOCK, n - start))
        return values

    def normals(self, n: int) -> np.ndarray:
        """The next n float64 normals of the serial path, two at a time, the second one kept for later."""
        if n < 0:
            raise ValueError("negative dimensions are not allowed")
        kept = [] if self.normal is None or n == 0 else [self.normal]
        pairs = (n - len(kept) + 1) // 2
        values = np.empty(len(kept) + 2 * pairs)
        values[:len(kept)] = kept
        if pairs:
            u = self.doubles(2 * pairs)
            radius = np.sqrt(-2.0 * np.log1p(-u[1::2]))
            theta = (2.0 * math.pi) * u[0::2]
            values[len(kept)::2] = radius * np.cos(theta)
            values[len(kept) + 1::2] = radius * np.sin(theta)
        if n:
            self.normal = float(values[n]) if len(values) > n else None
        return values[:n]

    # whole distributions: a native engine's affair

    def narrow(self, values: np.ndarray, out: np.ndarray) -> None:
        """Write float32 numbers into memory of a half type."""
        out[...] = values

    def _declined(self, *_):
        return None

    uniform = normal_fill = integers = permutation = chances = chances_by = transformed = poisson = gamma = binomial = (
        _declined)
