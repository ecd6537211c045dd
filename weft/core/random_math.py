"""The arithmetic that PyTorch's native x86 build does between the raw draws and the numbers, step for step.

Also the rejection samplers, which draw a number of times that nobody knows beforehand. PyTorch 2.13 takes nothing from
MKL's own generators any more (older ones did for `bernoulli_` and `exponential_`), so neither does this.
"""
from __future__ import annotations

import math

import numpy as np

f32, f64 = np.float32, np.float64
LARGEST = 1 << 15  # uniforms drawn in advance at a time


# ---- shared by both files ----

def cast(values, dtype):
    if dtype.itemsize == 2 and dtype.kind in "fV" and values.dtype.itemsize == 8:
        values = values.astype(f32)  # a half is made from a float in C, never from a double
    return values if values.dtype == dtype else values.astype(dtype)


def is_float(dtype):
    return dtype.kind == "f" or dtype.kind == "V"  # bfloat16 comes from ml_dtypes as kind V


def need_float(dtype, kernel):
    if not is_float(dtype):
        raise NotImplementedError(f'"{kernel}" not implemented for \'{dtype.name}\'')


def fail(message):
    """Used as `condition or fail(...)`, so that the message is built only when it is needed."""
    raise RuntimeError(message)


# ---- fused multiply-add, which the AVX2 build of PyTorch uses wherever a product is added to something ----

LOW29, BIT28 = np.array(0x1FFFFFFF), np.array(0x10000000)


def fma32(a, b, c):
    """a * b + c in float32 with a single rounding."""
    exact, c = a * f64(b), f64(c)  # 48 bits
    total = exact + c
    halfway = (total.view(np.int64) & LOW29) == BIT28  # rounded once already: the lost part decides
    if halfway.any():
        part = total - exact
        lost = (exact - (total - part)) + (c - part)
        total = np.where(halfway & (lost != 0), np.nextafter(total, np.copysign(np.inf, lost)), total)
    return total.astype(f32)


def fma64(a, b, c):
    """a * b + c in float64 with a single rounding."""
    if b == 1:
        return a + c
    product = a * b
    if c == 0 or not (abs(b) < 1e290 and abs(c) < 1e290):
        return product + c
    high_a = a * 134217729.0
    high_a = high_a - (high_a - a)
    high_b = b * 134217729.0
    high_b = high_b - (high_b - b)
    low_a, low_b = a - high_a, b - high_b
    lost_product = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    total = product + c
    part = total - product
    lost_sum = (product - (total - part)) + (c - part)
    return total + (lost_product + lost_sum)


# ---- sixteen normals from sixteen uniforms ----

def box_muller64(u, mean, std, out):
    u, out = u.reshape(-1, 2, 8), out.reshape(-1, 2, 8)
    radius = np.sqrt(-2.0 * np.log(1.0 - u[:, 0]))
    theta = (2.0 * math.pi) * u[:, 1]
    out[:, 0] = fma64(radius * np.cos(theta), float(std), float(mean))
    out[:, 1] = fma64(radius * np.sin(theta), float(std), float(mean))


def box_muller32(u, mean, std, out):
    u, out = u.reshape(-1, 2, 8), out.reshape(-1, 2, 8)
    radius = _log32((f32(1) - u[:, 0]).reshape(-1))
    radius *= f32(-2)
    np.sqrt(radius, out=radius)
    sine, cosine = _sincos32((f32(2 * math.pi) * u[:, 1]).reshape(-1))
    mean, std = f32(mean), f32(std)
    for half, values in ((0, cosine), (1, sine)):
        values *= radius
        if mean == 0:
            values *= std
            values += mean  # -0 becomes 0
        else:
            values = fma32(values, std, mean)
        out[:, half] = values.reshape(-1, 8)


# Cephes' single-precision logarithm, sine and cosine: polynomials whose every step is one fused multiply-add.
def _rounded(*numbers):
    return [np.array(f32(number), f64) for number in numbers]


LOG = _rounded(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
               -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
COS_SIN = [np.array(_rounded(*pair)).reshape(2, 1) for pair in (
    (2.443315711809948e-5, -1.9515295891e-4), (-1.388731625493765e-3, 8.3321608736e-3),
    (4.166664568298827e-2, -1.6666654611e-1))]
QUARTER_PI = _rounded(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
LN2_LOW, LN2_HIGH = _rounded(-2.12194440e-4, 0.693359375)
ONE, HALF, SQRT_HALF, EIGHTH_TURN = (np.array(number, f32) for number in (1, 0.5, 0.707106781186547524,
                                                                          1.27323954473516))


def _polynomial32(coefficients, x):
    """A polynomial at the float64 copy of a float32 x, rounded to float32 after every step."""
    total = coefficients[0] * x
    total += coefficients[1]
    rounded = total.astype(f32)
    for coefficient in coefficients[2:]:
        np.multiply(rounded, x, total)
        np.add(total, coefficient, total)
        rounded[...] = total
    return rounded


def _log32(x):
    """The natural logarithm of positive, normal float32 numbers."""
    bits = x.view(np.int32)
    exponent = (bits >> 23) - 126
    bits &= 0x7FFFFF
    bits |= 0x3F000000  # x is now in [0.5, 1)
    small = x < SQRT_HALF
    exponent -= small
    np.add(x, x, x, where=small)  # exact, as is the next step
    x -= ONE
    e, square = exponent.astype(f64), x * x
    y = _polynomial32(LOG, x.astype(f64))
    y *= x
    total = y.astype(f64)
    total *= square
    total += (e * LN2_LOW).astype(f32)
    y[...] = total
    y -= square * HALF
    y += x
    e *= LN2_HIGH
    e += y
    return e.astype(f32)


def _sincos32(x):
    """Sine and cosine of float32 numbers in [0, 2 pi]."""
    octant = (x * EIGHTH_TURN).astype(np.int32)
    octant += 1
    octant &= ~1
    turns = octant.astype(f64)
    for part in QUARTER_PI:
        x[...] = turns * part + x
    z = x * x
    factor, addend = np.empty((2, len(x))), np.empty((2, len(x)))
    factor[0], factor[1], addend[1] = z, x, x
    np.multiply(factor[0], -0.5, addend[0])
    values = _polynomial32(COS_SIN, factor[0])
    values *= z
    factor *= values
    factor += addend
    values[...] = factor
    cosine, sine = values
    cosine += ONE
    swap = (octant & 2) != 0
    first, second = np.where(swap, cosine, sine), np.where(swap, sine, cosine)
    first.view(np.int32)[...] ^= (octant & 4) << 29
    second.view(np.int32)[...] ^= (~(octant - 2) & 4) << 29
    return first, second


# ---- a permutation from its swaps ----

def swapped(partners):
    """0 .. n - 1 after each place i in turn was swapped with place partners[i] >= i."""
    order = list(range(len(partners) + 1))
    for i, j in enumerate(partners.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order, np.int64)


def swapped_at_once(partners):
    """The same without a loop over places.

    What place i holds when its turn comes was put there by the last earlier swap with it, from what that swap's place
    held, and so on back to a place nobody touched: `source` follows these chains by doubling, which takes log(log n)
    rounds or so.
    """
    n = len(partners) + 1
    partners = np.append(partners, n - 1)  # the last place swaps with itself
    shift = n.bit_length()
    keys = np.sort((partners << shift) | np.arange(n))
    partner, place = keys >> shift, keys & ((1 << shift) - 1)  # grouped by partner, in order of time
    earlier = np.full(n, -1)  # for each place, the last earlier one with the same partner
    same = partner[1:] == partner[:-1]
    earlier[place[1:][same]] = place[:-1][same]
    source = np.arange(n)
    last = np.append(~same, True)
    toucher = np.where(place == partner, earlier[place], place)[last]
    source[partner[last]] = np.where(toucher < 0, partner[last], toucher)
    while True:
        further = source[source]
        if np.array_equal(further, source):
            break
        source = further
    return np.where(earlier < 0, partners, source[earlier])


# ---- rejection samplers: how much each number draws depends on the draws, so these run one number after the other ----

class _Ahead:
    """Uniforms drawn in advance from a locked generator; what is left over is given back at the end."""

    def __init__(self, gen):
        self.gen = gen

    def __enter__(self):
        self.gen.lock.acquire()
        self.engine = self.gen.engine
        self.start, self.rewound = self.engine.get(), self.engine.rewound
        self.drawn, self.waiting = 0, []
        return self

    def uniform(self):
        if not self.waiting:
            count = min(64 + self.drawn, LARGEST)
            self.waiting = self.engine.doubles(count)[::-1].tolist()
            self.drawn += count
        return self.waiting.pop()

    def normal(self):
        value = self.engine.normal
        if value is not None:
            self.engine.normal = None
            return value
        u1, u2 = self.uniform(), self.uniform()
        radius, theta = math.sqrt(-2.0 * math.log1p(-u2)), (2.0 * math.pi) * u1
        self.engine.normal = radius * math.sin(theta)
        return radius * math.cos(theta)

    def __exit__(self, *_):
        self.engine.set(*self.start)
        self.engine.rewound = self.rewound
        self.engine.doubles(self.drawn - len(self.waiting))
        self.gen.lock.release()


def poisson(gen, rate) -> np.ndarray:
    """Poisson counts for an array of rates, in its dtype."""
    need_float(rate.dtype, "poisson_cpu")
    (rate >= 0).all() or fail("invalid Poisson rate, expected rate to be non-negative")
    counts = gen.engine.poisson(rate.astype(f64).reshape(-1))
    if counts is None:
        with _Ahead(gen) as ahead:
            counts = [_poisson_one(r, ahead.uniform) for r in rate.astype(f64).reshape(-1).tolist()]
    return cast(np.array(counts, f64), rate.dtype).reshape(rate.shape)


def standard_gamma(gen, alpha) -> np.ndarray:
    """Gamma numbers of scale 1 for an array of shapes, in its dtype (float32 or float64)."""
    if alpha.dtype not in (f32, f64):
        raise NotImplementedError(f'"gamma_cpu" not implemented for \'{alpha.dtype.name}\'')
    flat = alpha.reshape(-1)
    with np.errstate(divide="ignore"):
        inverse = np.where(flat < 1, 1 / flat, 0).astype(f64)  # what follows is in the dtype first, as in C
    d = (np.where(flat < 1, flat + 1, flat) - f32(1 / 3)).astype(f64)
    values = gen.engine.gamma(inverse, d)
    if values is None:
        with _Ahead(gen) as ahead:
            values = [_gamma_one(power, d_one, ahead) for power, d_one in zip(inverse.tolist(), d.tolist())]
    return np.maximum(cast(np.array(values, f64), alpha.dtype), np.finfo(alpha.dtype).tiny).reshape(alpha.shape)


def dirichlet(gen, alpha) -> np.ndarray:
    """Dirichlet vectors along the last axis, in alpha's dtype (float32 or float64)."""
    if alpha.dtype not in (f32, f64):
        raise NotImplementedError(f'"dirichlet" not implemented for \'{alpha.dtype.name}\'')
    gammas = standard_gamma(gen, alpha.astype(f64))
    values = (gammas / gammas.sum(-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(values, np.finfo(alpha.dtype).tiny, np.nextafter(one, alpha.dtype.type(0)))


def binomial(gen, count, prob) -> np.ndarray:
    """How many of count tries succeed, for arrays of counts and probabilities of one float dtype."""
    for name, given in (("count", count), ("prob", prob)):
        if not is_float(given.dtype):
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {given.dtype.name}")
    if count.dtype not in (f32, f64):
        raise NotImplementedError(f'"binomial_cpu" not implemented for \'{count.dtype.name}\'')
    count, prob = np.broadcast_arrays(count, prob.astype(count.dtype))
    few = np.where(prob > 0.5, 1 - prob, prob)
    product, rest = count * few, 1 - few  # rounded to the dtype, as in C
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = (count, prob, few, product, np.sqrt(product * rest), few / rest, np.floor((count + 1) * few),
                   np.log1p(-few))
    values = gen.engine.binomial(columns)
    if values is None:
        with _Ahead(gen) as ahead:
            values = [_binomial_one(ahead.uniform, *row)
                      for row in zip(*(column.reshape(-1).tolist() for column in columns))]
    return np.array(values, count.dtype).reshape(count.shape)


# ---- one number by rejection ----

def _poisson_one(rate, uniform):
    if rate == 0:
        return 0
    if rate < 10:
        count, product, floor = 0, uniform(), math.exp(-rate)
        while product > floor:
            count, product = count + 1, product * uniform()
        return count
    b = 0.931 + 2.53 * math.sqrt(rate)  # Hoermann's transformed rejection
    a = -0.059 + 0.02483 * b
    log_inverse_alpha, accept = math.log(1.1239 + 1.1328 / (b - 3.4)), 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= accept:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        if (v == 0 or math.log(v) + log_inverse_alpha - math.log(a / (us * us) + b) <= -rate + k * math.log(rate)
            - math.lgamma(k + 1)):
            return k


def _gamma_one(power, d, ahead):
    """Marsaglia and Tsang's rejection; a power > 0 boosts a shape below 1."""
    if power == math.inf:
        return 0.0
    if not d > 0:
        return math.nan
    scale = math.pow(1 - ahead.uniform(), power) if power else 1.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = ahead.normal()
        y = 1.0 + c * x
        if y <= 0:
            continue
        v, u, xx = y * y * y, 1 - ahead.uniform(), x * x
        if u < 1.0 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


SQUEEZE = float(f32(0.0331))


def _binomial_one(uniform, count, prob, few, product, stddev, odds, mode, log_rest):
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if prob != prob or count != count:
        return math.nan
    successes = (_btrs(uniform, count, few, product, stddev, odds, mode) if product >= 10
                 else _inversion(uniform, count, log_rest))
    return successes if prob <= 0.5 else count - successes


def _inversion(uniform, count, log_rest):
    """Count the geometric gaps that fit into count tries."""
    total = successes = 0
    while True:
        u = uniform()
        total += math.ceil(math.log(u) / log_rest) if u else math.inf
        if total > count:
            return successes
        successes += 1


def _btrs(uniform, count, few, product, stddev, odds, mode):
    """Hoermann's transformed rejection with squeeze."""
    b = 1.15 + 2.53 * stddev
    a = -0.0873 + 0.0248 * b + 0.01 * few
    c, accept, alpha = product + 0.5, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * stddev
    while True:
        u, v = uniform() - 0.5, uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= accept:
            return k
        bound = ((mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
                 + (count + 1) * math.log((count - mode + 1) / (count - k + 1))
                 + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
                 + _stirling_tail(mode) + _stirling_tail(count - mode) - _stirling_tail(k) - _stirling_tail(count - k))
        if v == 0 or math.log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


TAILS = (0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
         0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287)


def _stirling_tail(k):
    """What Stirling's formula misses of log k!."""
    if k < 10:
        return TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
