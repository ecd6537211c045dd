"""PyTorch's CPU random numbers, made with NumPy: the same seed gives the same numbers.

Every function draws from a `Generator` and either returns a new array or fills `out`, in memory order as PyTorch does.
The numbers follow PyTorch 2.13 on x86: one Mersenne Twister drawn serially, and fused multiply-adds where its AVX2
build has them.
"""
from __future__ import annotations

import functools
import math
import operator
import os
import threading

import numpy as np

from .modes import TAKE, local
from .random_engine import BLOCK, Engine
from .random_math import (
    binomial,
    box_muller32,
    box_muller64,
    cast,
    dirichlet,
    fail,
    fma32,
    fma64,
    is_float,
    need_float,
    poisson,
    standard_gamma,
    swapped,
    swapped_at_once,
)
from .runtime import mode_bits

__all__ = ["Generator", "default_generator", "install", "in_memory_order", "uniform", "rand", "rrelu_noise", "normal",
           "normal_like", "randint", "randperm", "bernoulli", "dropout_mask", "exponential", "cauchy", "geometric",
           "log_normal", "multinomial", "poisson", "standard_gamma", "dirichlet", "binomial"]

f32, f64 = np.float32, np.float64
FLOAT64, INT64 = np.dtype(f64), np.dtype(np.int64)
STATE = np.dtype([("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("key", "<u8", 624),
                  ("normal_x", "<f8"), ("normal_y", "<f8"), ("normal_rho", "<f8"), ("normal_valid", "<i4"),
                  ("pad", "<i4"),
                  ("float_normal", "<f4"), ("float_valid", "u1"), ("tail", "V3")])  # 5056 bytes
DEFAULT_SEED = 67280421310721
DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
C_NAMES = {"float64": "double", "float32": "float", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
           "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
           "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int", "bool": "bool"}


# ---- the generator ----

def about_to_look():
    """Draws that somebody in this thread still owes come before a look at a generator's state, and before a new one."""
    if mode_bits() & TAKE:
        local.taker.drawing()


class Generator:
    """A Mersenne Twister with PyTorch's seeding, byte state and cached second normal."""

    def __init__(self, seed: int = DEFAULT_SEED):
        self.lock = threading.RLock()
        self.device = None  # set by the tensor layer
        self.engine = engine_type()
        self._reset(seed)

    def _reset(self, seed):
        about_to_look()
        self._seed, self._float_normal = seed, None
        self.engine.seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Restart from a seed in [-2**63, 2**64); a negative one stands for 2**64 + seed.

        >>> import weft
        >>> g = weft.Generator().manual_seed(0)
        >>> weft.rand(2, generator=g)
        tensor([0.4963, 0.7682])
        >>> weft.rand(2, generator=g.manual_seed(0))
        tensor([0.4963, 0.7682])
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = operator.index(seed)
        if not -2**63 <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        with self.lock:
            self._reset(seed % 2**64)
        return self

    def seed(self) -> int:
        """Restart from a seed that the operating system gives, and return it.

        >>> import weft
        >>> g = weft.Generator()
        >>> g.seed() == g.initial_seed()
        True
        """
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed this generator was last started from.

        >>> import weft
        >>> weft.Generator().manual_seed(7).initial_seed()
        7
        """
        return self._seed

    def get_state(self) -> np.ndarray:
        """The state as the 5056 bytes that PyTorch's get_state gives."""
        about_to_look()
        record = np.zeros(1, STATE)
        with self.lock:
            key, at = self.engine.get()
            record["seed"], record["seeded"], record["key"] = self._seed, 1, key
            record["left"] = 625 - at
            record["next"] = 0 if self.engine.rewound else at
            if self.engine.normal is not None:
                record["normal_y"], record["normal_valid"] = self.engine.normal, 1
            if self._float_normal is not None:
                record["float_normal"], record["float_valid"] = self._float_normal, 1
        return record.view(np.uint8)

    def set_state(self, state: np.ndarray) -> None:
        """Continue from bytes that get_state gave, here or in PyTorch."""
        if not isinstance(state, np.ndarray):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG "
                               f"state size to be {state.size}")
        record = np.ascontiguousarray(state).reshape(-1).view(STATE)[0]
        if not (record["seeded"] and 0 < record["left"] <= 624 and record["next"] <= 624):
            raise RuntimeError("Invalid mt19937 state")
        about_to_look()
        with self.lock:
            self._seed = int(record["seed"])
            self.engine.set(record["key"].astype(np.uint32), int(625 - record["left"]))
            self.engine.rewound = bool(record["left"] == 1 and record["next"] == 0)
            self.engine.normal = float(record["normal_y"]) if record["normal_valid"] else None
            self._float_normal = float(record["float_normal"]) if record["float_valid"] else None

    def clone_state(self) -> Generator:
        """A new generator that will draw the same numbers."""
        clone = type(self)()
        clone.device = self.device
        clone.set_state(self.get_state())
        return clone

    def __getstate__(self):
        return {"state": self.get_state(), "device": self.device}

    def __setstate__(self, saved):
        Generator.__init__(self)
        self.device = saved["device"]
        self.set_state(saved["state"])

    # Plain streams: the caller holds the lock if it draws more than once.

    def bits32(self, n: int) -> np.ndarray:
        """The next n numbers below 2**32.

        >>> import weft
        >>> weft.Generator().manual_seed(0).bits32(2)
        array([2357136044, 2546248239], dtype=uint32)
        """
        return self.engine.bits32(n)

    def bits64(self, n: int) -> np.ndarray:
        """The next n numbers below 2**64, the high word drawn first.

        >>> import weft
        >>> weft.Generator().manual_seed(0).bits64(2)
        array([10123822223749065263, 13192915183495924928], dtype=uint64)
        """
        return self.engine.bits64(n)

    def bits53(self, n: int) -> np.ndarray:
        """The next n numbers below 2**53, as int64.

        >>> import weft
        >>> weft.Generator().manual_seed(0).bits53(2)
        array([8737460674931247, 6375474555112640])
        """
        bits = self.engine.bits64(n).view(np.int64)
        bits &= (1 << 53) - 1
        return bits

    def floats(self, n: int) -> np.ndarray:
        """The next n float32 numbers in [0, 1), of 24 bits.

        >>> import weft
        >>> weft.Generator().manual_seed(0).floats(2)
        array([0.4962566, 0.7682218], dtype=float32)
        """
        with self.lock:
            return self.engine.floats(n)

    def doubles(self, n: int) -> np.ndarray:
        """The next n float64 numbers in [0, 1), of 53 bits.

        >>> import weft
        >>> weft.Generator().manual_seed(0).doubles(2)
        array([0.970053  , 0.70781986])
        """
        with self.lock:
            return self.engine.doubles(n)

    def normals(self, n: int) -> np.ndarray:
        """The next n float64 normals of the serial path, two at a time, the second one kept for later.

        >>> import weft
        >>> weft.Generator().manual_seed(0).normals(2).round(3)
        array([ 1.541, -0.293])
        """
        with self.lock:
            return self.engine.normals(n)


engine_type = Engine  # what new generators draw from


def install(native) -> None:
    """Draw from another kind of engine from now on, the default generator from where it stands."""
    global engine_type
    engine_type = native
    gen = default_generator
    with gen.lock:
        old, gen.engine = gen.engine, native()
        if getattr(old, "fresh", False):  # not even made yet, so there is nothing to carry over
            gen.engine.seed(gen._seed)
            return
        gen.engine.set(*old.get())
        gen.engine.rewound, gen.engine.normal = old.rewound, old.normal


default_generator = Generator(int.from_bytes(os.urandom(8), "little"))


def set_default(generator) -> Generator:
    """Let all draw from this generator where none is named; it starts from the old one's seed."""
    global default_generator
    seed, default_generator = default_generator.initial_seed(), generator
    return generator.manual_seed(seed)


_thread = threading.local()         # .generator: what a thread draws from that was given one of its own
_some_have_their_own = False


def draw_from(generator) -> None:
    """Let this thread draw from a generator of its own wherever it names none (a loader's worker threads do)."""
    global _some_have_their_own
    _thread.generator, _some_have_their_own = generator, True


def current() -> Generator:
    """What this thread draws from where no generator is named."""
    return getattr(_thread, "generator", default_generator) if _some_have_their_own else default_generator



# ---- arrays in and out ----

def in_memory_order(array: np.ndarray) -> np.ndarray:
    """The view of an array whose rows follow memory, which is the order PyTorch fills it in."""
    return array.transpose(sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis])))


def _request(shape, dtype, out):
    if out is None:
        return math.prod(shape), np.dtype(dtype)
    return out.size, out.dtype


def _deliver(values, shape, dtype, out):
    if out is None:
        return cast(values, dtype).reshape(shape)
    if out.flags.c_contiguous:
        out.reshape(-1)[...] = cast(values, out.dtype)
        return out
    target = in_memory_order(out)
    target[...] = cast(values, out.dtype).reshape(target.shape)
    return out


def _as_real(function, gen, shape, dtype, out, *parameters):
    real = np.dtype(f32 if dtype.itemsize == 8 else f64)
    if out is None:
        return function(gen, (*shape, 2), real, *parameters).view(dtype).reshape(shape)
    parts = np.ndarray((*out.shape, 2), real, out, 0, (*out.strides, real.itemsize)) if out.flags.c_contiguous else \
        np.lib.stride_tricks.as_strided(out.view(), (*out.shape, 1), (*out.strides, dtype.itemsize)).view(real)
    function(gen, (), real, *parameters, out=parts)
    return out


@functools.cache
def _limits(dtype):
    if dtype.kind == "V":
        return -3.3895313892515355e38, 3.3895313892515355e38
    if dtype.kind == "f":
        return float(np.finfo(dtype).min), float(np.finfo(dtype).max)
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), min(int(np.iinfo(dtype).max), 2**63 - 1))


# ---- uniform ----

PIECE = 1 << 16     # halves made at a time


def uniform(gen, shape=(), dtype=f32, low=0.0, high=1.0, out=None) -> np.ndarray:
    """Uniform in [low, high); real and imaginary part each for complex dtypes."""
    made = gen.engine.uniform(shape, dtype, low, high, out)
    if made is not None:
        return made
    n, dtype = _request(shape, dtype, out)
    if dtype.kind == "c":
        return _as_real(uniform, gen, shape, dtype, out, low, high)
    need_float(dtype, "check_uniform_bounds")
    if low != 0.0 or high != 1.0:
        _check_uniform(dtype, low, high)
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    with gen.lock:
        if dtype.itemsize > 2:
            values = _uniforms(gen, n, dtype, low, high)
        else:
            straight = out is not None and out.flags.c_contiguous
            values = out.reshape(-1) if straight else np.empty(n, dtype)
            for start in range(0, n, PIECE):        # the float32 numbers that they are made of stay in the cache
                _narrow_uniforms(gen, values[start:start + PIECE], low, high)
            if straight:
                return out
    return _deliver(values, shape, dtype, out)


def _narrow_uniforms(gen, part, low, high):
    """Fill a piece of half memory: float32 numbers, rounded; those that rounding brings to the open end become low."""
    values = gen.engine.uniform(part.shape, np.dtype(f32), low, high, None)
    if values is None:
        values = fma32(gen.floats(part.size), f32(high) - f32(low), f32(low))
    gen.engine.narrow(values, part)
    reached = values >= _least_reaching(float(high), part.dtype)
    if reached.any():
        part[reached] = low


@functools.lru_cache(64)
def _least_reaching(high, dtype):
    """The least float32 number that a half type rounds to `high`."""
    top = cast(np.array(high, f64), dtype)
    bits = int(top.view(np.uint16))
    below = np.array(bits - 1 if top > 0 else bits + 1 if top < 0 else 0x8001, np.uint16).view(dtype)
    middle = f32((float(below) + float(top)) / 2)
    return middle if cast(np.array(middle), dtype) == top else np.nextafter(middle, f32(math.inf))


def _uniforms(gen, n, dtype, low, high):
    values = gen.doubles(n) if dtype == FLOAT64 else gen.floats(n)
    if low == 0.0 and high == 1.0:
        return values
    values = fma64(values, high - low, float(low)) if dtype == FLOAT64 else \
        fma32(values, f32(high) - f32(low), f32(low))
    values = cast(values, dtype)
    reached = values == cast(np.array(high, f64), dtype)  # rounding may reach the open end
    if reached.any():
        values[reached] = low
    return values


def _check_uniform(dtype, low, high):
    least, most = _limits(dtype)
    least <= low <= most or fail(f"from is out of bounds for {C_NAMES[dtype.name]}")
    least <= high <= most or fail(f"to is out of bounds for {C_NAMES[dtype.name]}")
    low <= high or fail(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    high - low <= most or fail(f"uniform_ expects to-from <= std::numeric_limits<{dtype.name}>::max(), but found "
                               f"to={high:g} and from={low:g} which result in to-from to exceed the limit")


def rand(gen, shape=(), dtype=f32, out=None) -> np.ndarray:
    """Uniform in [0, 1)."""
    return uniform(gen, shape, dtype, 0.0, 1.0, out)


def rrelu_noise(gen, x, lower, upper) -> np.ndarray:
    """The slopes of a randomized leaky ReLU: one draw for every x <= 0, in order, and 1 elsewhere."""
    noise = np.ones(x.shape, x.dtype)
    negative = x <= 0
    with gen.lock:
        draws = gen.doubles(int(negative.sum()))
    lower, upper = (float(bound if x.dtype == FLOAT64 else f32(bound)) for bound in (lower, upper))
    noise[negative] = cast(draws * (upper - lower) + lower, x.dtype)
    return noise


# ---- normal ----

def normal(gen, shape=(), dtype=f32, mean=0.0, std=1.0, out=None) -> np.ndarray:
    """Normal numbers: 16 or more into contiguous memory by the block path, others by the serial path."""
    made = gen.engine.normal_fill(shape, dtype, mean, std, out)
    if made is not None:
        return made
    n, dtype = _request(shape, dtype, out)
    std >= 0 or fail(f"normal expects std >= 0.0, but found std {std:g}")
    if dtype.kind == "c":
        return _as_real(normal, gen, shape, dtype, out, mean, std / math.sqrt(2))
    need_float(dtype, "normal_kernel_cpu")
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    with gen.lock:
        if n >= 16 and (out is None or out.flags.c_contiguous):
            if dtype.itemsize == 2:
                return _narrow_normals(gen, shape, n, dtype, mean, std, out)
            values = _normal_blocks(gen, n, dtype, mean, std)
        else:
            values = fma64(gen.normals(n), float(std), float(mean))
    return _deliver(values, shape, dtype, out)


def normal_like(gen, mean, std, dtype=None) -> np.ndarray:
    """Normal numbers with an array as mean, as std, or as both."""
    if not isinstance(std, np.ndarray):
        noise = normal(gen, mean.shape, dtype or mean.dtype, 0.0, std)
        return (noise + mean).astype(noise.dtype, copy=False)
    std.dtype.kind != "c" or fail("normal expects standard deviation to be non-complex")
    std.size == 0 or std.min() >= 0 or fail("normal expects all elements of std >= 0.0")
    leader = mean if isinstance(mean, np.ndarray) else std
    noise = normal(gen, np.broadcast_shapes(np.shape(mean), std.shape), dtype or leader.dtype)
    scaled = (noise * std).astype(noise.dtype, copy=False)
    mean = mean if isinstance(mean, np.ndarray) else cast(np.array(mean, f64), noise.dtype)
    return (scaled + mean).astype(noise.dtype, copy=False)


def _normal_blocks(gen, n, dtype, mean, std):
    """n >= 16 normals from groups of 16 uniforms; a last incomplete group is replaced by 16 new ones that overlap."""
    wide = dtype == FLOAT64
    draw, box_muller = (gen.doubles, box_muller64) if wide else (gen.floats, box_muller32)
    values, whole = np.empty(n, f64 if wide else f32), n - n % 16
    for start in range(0, whole - BLOCK, BLOCK):
        box_muller(draw(BLOCK), mean, std, values[start:start + BLOCK])
    start = (whole - 1) // BLOCK * BLOCK
    if n % 16 == 0:
        box_muller(draw(whole - start), mean, std, values[start:])
        return values
    uniforms = np.concatenate((draw(n - start)[:whole - start], draw(16)))
    box_muller(uniforms, mean, std, uniforms)
    values[start:whole], values[n - 16:] = uniforms[:-16], uniforms[-16:]
    return values


def _narrow_normals(gen, shape, n, dtype, mean, std, out):
    """The same in half precision, which doesn't draw for the places that are replaced: float32 numbers, a piece that
    stays in the cache at a time.
    """
    values, whole = np.empty(n, dtype) if out is None else out.reshape(-1), n - n % 16
    for start in range(0, whole, PIECE):
        part = values[start:min(start + PIECE, whole)]
        gen.engine.narrow(_sixteens(gen, part.size, mean, std), part)
    if whole < n:
        gen.engine.narrow(_sixteens(gen, 16, mean, std), values[n - 16:])
    return values.reshape(shape) if out is None else out


def _sixteens(gen, n, mean, std):
    """n float32 normals, whole groups of 16."""
    made = gen.engine.normal_fill((n,), np.dtype(f32), mean, std, None)
    if made is None:
        made = np.empty(n, f32)
        box_muller32(gen.floats(n), mean, std, made)
    return made


# ---- integers ----

def randint(gen, shape=(), dtype=np.int64, low=None, high=None, out=None) -> np.ndarray:
    """Integers in [low, high); without high up to the dtype's largest, without both its whole non-negative range."""
    if out is None and dtype == INT64 and type(low) is type(high) is int and -2**63 <= low < high <= 2**63 - 1:
        made = gen.engine.integers(shape, dtype, low, high - low, high - low >= 1 << 28, None)
        if made is not None:
            return made
    n, dtype = _request(shape, dtype, out)
    if low is None and high is None:
        low, span, wide = _whole_range(dtype)
    elif high is None and low == -2**63:
        low, span, wide = _all_64_bits(dtype)
    else:
        low, span = _integer_range(dtype, 0 if low is None else int(low), high)
        wide = span >= 1 << 28  # 64 bits each once 32 would favour the small ones
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    made = gen.engine.integers(shape, dtype, low, span % 2**64, wide, out)
    if made is not None:
        return made
    with gen.lock:
        values = _modulo(gen, n, low, span, wide)
    return _deliver(values, shape, dtype, out)


def _modulo(gen, n, low, span, wide):
    """Draws modulo span plus low, as int64."""
    if not wide:
        values = (gen.bits32(n) % np.uint32(span)).astype(np.int64)
    else:
        bits = gen.bits64(n)
        values = (bits if span >= 2**64 else bits % np.uint64(span)).view(np.int64)
    if low:
        values += low  # wraps, as in C
    return values


def _all_64_bits(dtype):
    dtype.name in ("int64", "float64", "float32", "bfloat16") or fail(
        "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16")
    return 0, 1 << 64, True


def _whole_range(dtype):
    """(low, span, whether 64 bits are drawn) of all that a dtype holds from 0 on."""
    if dtype.kind not in "bifV" and dtype != np.uint8:
        raise NotImplementedError(f'"random_kernel_cpu" not implemented for \'{dtype.name}\'')
    if dtype.kind == "b":
        return 0, 2, False
    return 0, (1 << DIGITS[dtype.name]) + 1 if is_float(dtype) else _limits(dtype)[1] + 1, dtype.itemsize == 8


def _integer_range(dtype, low, high):
    """The checked (low, high - low) of an integer draw, moved inwards to what a float dtype can hold."""
    dtype.kind != "c" or fail("check_random_bounds handles only integral, floating-point and boolean types")
    floating = is_float(dtype)
    if high is None:
        last = 1 << DIGITS[dtype.name] if floating else _limits(dtype)[1]
        low = _inwards(low, dtype, 1) if floating else low
    else:
        high = int(high)
        low < high or fail(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
        if floating:
            low, high = _inwards(low, dtype, 1), _inwards(high, dtype, -1)
            low < high or fail(f"random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                               f"but got from={low} >= to={high}")
        last = high - 1
    least, most = _limits(dtype)
    least <= low <= most or fail(f"from is out of bounds for {C_NAMES[dtype.name]}")
    least <= last <= most or fail(f"to - 1 is out of bounds for {C_NAMES[dtype.name]}")
    return low, last - low + 1


def _inwards(bound, dtype, step):
    """A bound moved by one representable number if rounding would otherwise carry a draw over it."""
    near = int(cast(np.array(bound + step, np.int64), dtype))
    near = near if -2**63 <= near < 2**63 else -2**63  # what x86 makes of a double too large for an int64
    crossed = near < bound if step > 0 else near >= bound
    return near + step * (1 << (abs(bound + step).bit_length() - DIGITS[dtype.name])) if crossed else bound


def randperm(gen, n, dtype=np.int64) -> np.ndarray:
    """A random order of 0 .. n - 1 (Fisher and Yates, from the front)."""
    dtype = np.dtype(dtype)
    n >= 0 or fail(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype.kind not in "ifV" and dtype != np.uint8:
        raise NotImplementedError(f'"randperm" not implemented for \'{dtype.name}\'')
    if dtype.kind == "f":
        most = (1 << DIGITS[dtype.name]) + 1
        n <= most or fail(f"n cannot be greater than {most} for {dtype.name} type.")
    elif dtype.kind in "iu":
        n <= _limits(dtype)[1] + 1 or fail(f"value cannot be converted to type {dtype.name}_t without overflow")
    if n < 2:
        return np.zeros(n, dtype)
    order = gen.engine.permutation(n)
    if order is not None:
        return cast(order, dtype)
    with gen.lock:
        partners = gen.bits32(n - 1) % np.arange(n, 1, -1) + np.arange(n - 1)
    return cast(swapped(partners) if n < 5000 else swapped_at_once(partners), dtype)


# ---- yes or no ----

def bernoulli(gen, p, shape=None, dtype=f32, out=None) -> np.ndarray:
    """1 with probability p, else 0; p is a number, or an array that broadcasts to the shape."""
    if isinstance(p, np.ndarray):
        return _bernoulli_array(gen, p, p.shape if shape is None else shape, dtype, out)
    n, dtype = _request(shape or (), dtype, out)
    0 <= p <= 1 or fail(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    threshold = math.ceil(p * 2.0**53)
    made = gen.engine.chances(shape or (), dtype, threshold, out)
    if made is not None:
        return made
    with gen.lock:
        values = gen.bits53(n) < threshold
    return _deliver(values, shape or (), dtype, out)


def _bernoulli_array(gen, p, shape, dtype, out):
    if out is not None and out.shape == p.shape and gen.engine.chances_by(p, out) is not None:
        return out
    n, dtype = _request(shape, dtype, out)
    need_float(p.dtype, "bernoulli_tensor_cpu_p_")
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    ((p >= 0) & (p <= 1)).all() or fail("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    wide = p.dtype == FLOAT64
    with gen.lock:
        draws = gen.doubles(n) if wide else gen.floats(n)
    if out is None or out.flags.c_contiguous:
        p = np.broadcast_to(p, shape if out is None else out.shape).reshape(-1)
    else:
        order = sorted(range(out.ndim), key=lambda axis: -abs(out.strides[axis]))
        p = np.broadcast_to(p, out.shape).transpose(order).reshape(-1)
    return _deliver(draws < (p if wide else p.astype(f32)), shape, dtype, out)


def dropout_mask(gen, shape, p, out=None) -> np.ndarray:
    """Which elements a dropout with probability p keeps, as bool."""
    return bernoulli(gen, 1.0 - p, shape, bool, out)


# ---- other distributions with one draw per number ----

def exponential(gen, shape=(), dtype=f32, rate=1.0, out=None) -> np.ndarray:
    """Exponential numbers."""
    n, dtype = _request(shape, dtype, out)
    rate > 0 or fail(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
    is_float(dtype) or fail("Exponential distribution is a continuous probability distribution. "
                            f"dtype must be a floating point but you specified {dtype.name}")
    return _transformed(gen, n, lambda u: -1.0 / rate * np.log1p(-u), ("exponential", shape, dtype, rate, 0.0, out))


def cauchy(gen, shape=(), dtype=f32, median=0.0, sigma=1.0, out=None) -> np.ndarray:
    """Cauchy numbers."""
    n, dtype = _request(shape, dtype, out)
    sigma > 0 or fail(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    is_float(dtype) or fail("Cauchy distribution is a continuous probability distribution. "
                            f"dtype must be a floating point but you specified {dtype.name}")
    return _transformed(gen, n, lambda u: fma64(np.tan(math.pi * (u - 0.5)), float(sigma), float(median)),
                        ("cauchy", shape, dtype, median, sigma, out))


def geometric(gen, shape=(), dtype=f32, p=0.5, out=None) -> np.ndarray:
    """How many tries until the first success of probability p."""
    n, dtype = _request(shape, dtype, out)
    0 < p < 1 or fail(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    return _transformed(gen, n, lambda u: np.ceil(np.log(u) / math.log1p(-p)), ("geometric", shape, dtype, p, 0.0, out))


def log_normal(gen, shape=(), dtype=f32, mean=1.0, std=2.0, out=None) -> np.ndarray:
    """Numbers whose logarithm is normal."""
    n, dtype = _request(shape, dtype, out)
    std > 0 or fail(f"log_normal_ expects std > 0.0, but found std={std:g}")
    need_float(dtype, "log_normal_cpu")
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    made = gen.engine.transformed("log_normal", shape, dtype, mean, std, out)
    if made is not None:
        return made
    return _deliver(np.exp(fma64(gen.normals(n), float(std), float(mean))), shape, dtype, out)


def _transformed(gen, n, transform, request):
    """A float64 function of uniforms: by the engine, which knows it by name, or block by block."""
    made = gen.engine.transformed(*request)
    if made is not None:
        return made
    _, shape, dtype, _, _, out = request
    if n == 0:
        return np.empty(shape, dtype) if out is None else out
    values = np.empty(n, f64)
    with gen.lock, np.errstate(divide="ignore"):
        for start in range(0, n, BLOCK):
            values[start:start + BLOCK] = transform(gen.doubles(min(BLOCK, n - start)))
    return _deliver(values, shape, dtype, out)


# ---- choosing ----

def multinomial(gen, probs, num_samples, replacement=False) -> np.ndarray:
    """Indices drawn by the weights of each row: a race of exponentials, or a search in the running sum."""
    probs.ndim in (1, 2) or fail("prob_dist must be 1 or 2 dim")
    is_float(probs.dtype) or fail(f"multinomial only supports floating-point dtypes for input, got: {probs.dtype.name}")
    num_samples > 0 or fail("cannot sample n_sample <= 0 samples")
    replacement or num_samples <= probs.shape[-1] or fail("cannot sample n_sample > prob_dist.size(-1) samples without "
                                                          "replacement")
    probs.shape[-1] <= 1 << 24 or fail("number of categories cannot exceed 2^24")
    if probs.ndim == 2 and len(probs) == 0:
        return np.empty((0, num_samples), np.int64)
    if replacement and num_samples > 1:
        return _multinomial_search(gen, probs, num_samples)
    ((probs >= 0) & (probs < np.inf)).all() or fail("probability tensor contains either `inf`, `nan` or element < 0")
    (probs > 0).any(-1).all() or fail("invalid multinomial distribution (sum of probabilities <= 0)")
    race = probs / exponential(gen, out=np.empty_like(probs))
    if num_samples == 1:
        return race.astype(f64).argmax(-1, keepdims=True)
    return np.argsort(-race.astype(f64), -1, kind="stable")[..., :num_samples]


def _multinomial_search(gen, probs, num_samples):
    not (probs < 0).any() or fail("invalid multinomial distribution (encountering probability entry < 0)")
    (probs < np.inf).all() or fail("invalid multinomial distribution (encountering probability entry = infinity or "
                                   "NaN)")
    rows = probs.reshape(-1, probs.shape[-1])
    sums = np.cumsum(rows, -1, dtype=f64 if probs.dtype == FLOAT64 else f32)
    (sums[:, -1] > 0).all() or fail("invalid multinomial distribution (sum of probabilities <= 0)")
    sums /= sums[:, -1:].copy()
    sums[:, -1] = 1
    with gen.lock:
        draws = gen.doubles(len(rows) * num_samples).reshape(len(rows), num_samples)
    chosen = [np.searchsorted(row, draw) for row, draw in zip(sums.astype(f64), draws)]
    return np.array(chosen, np.int64).reshape(*probs.shape[:-1], num_samples)
