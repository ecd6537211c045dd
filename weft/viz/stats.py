"""What there is to say about the numbers in an array: range, mean, norm, how many are not finite, a histogram."""
import math
from dataclasses import asdict, dataclass

import numpy as np

BINS = 32
COUNTED = 10_000        # values that a histogram of more than twice as many counts


@dataclass(frozen=True)
class Stats:
    """The statistics of an array's finite values, and how many there are of the others."""

    min: float
    max: float
    mean: float
    std: float
    norm: float
    nan: int            # how many
    inf: int            # how many
    zero: float         # share of zeros, 0 to 1
    histogram: dict     # low, high, counts

    def to_dict(self):
        """As in a graph document: numbers that JSON hasn't are strings."""
        return {k: v if isinstance(v, (dict, int)) else plain(v) for k, v in asdict(self).items()}

    @staticmethod
    def from_dict(made):
        """The reverse of to_dict; None stays None."""
        return None if made is None else Stats(**{k: float(v) if isinstance(v, str) else v for k, v in made.items()})

    def __str__(self):
        bad = "".join(f", {n:,} {what}" for n, what in ((self.nan, "NaN"), (self.inf, "Inf")) if n)
        return f"{self.min:.3g} .. {self.max:.3g}, mean {self.mean:.3g}, std {self.std:.3g}, norm {self.norm:.3g}{bad}"


def plain(number):
    """A number as JSON takes it: NaN and the infinities as strings."""
    return (number if number is None or math.isfinite(number) else "nan" if number != number else "inf" if number > 0
            else "-inf")


def stats(array):
    """The statistics of an array; None for one that is empty or holds no numbers."""
    values = _real(array)
    if values is None or not values.size:
        return None
    total, nan, inf = values.size, 0, 0
    finite = np.isfinite(values)
    if not finite.all():
        nan = int(np.count_nonzero(np.isnan(values)))
        inf = total - nan - int(np.count_nonzero(finite))
        values = values[finite]
    if not values.size:
        nothing = math.nan
        return Stats(nothing, nothing, nothing, nothing, math.nan if nan else math.inf, nan, inf, 0.0,
                     {"low": 0.0, "high": 0.0, "counts": [0] * BINS})
    low, high = float(values.min()), float(values.max())
    mean, norm = float(values.mean(dtype=np.float64)), norm_of(values)
    std = (math.sqrt(max(norm * norm / values.size - mean * mean, 0.0)) if norm < 1e150
           else float(values.std(dtype=np.float64)))
    if std < 1e-3 * abs(mean):      # too much was cancelled
        std = float(values.std(dtype=np.float64))
    zero = 1 - np.count_nonzero(values) / total if nan + inf == 0 else (values.size - np.count_nonzero(values)) / total
    return Stats(low, high, mean, std, norm, nan, inf, float(zero), histogram(values, low, high))


def norm_of(values):
    """The Euclidean norm of a flat real array, summed in double precision."""
    if values.dtype == np.float64:
        top = float(np.abs(values).max()) if values.size else 0.0
        scaled = values / top if top > 1e100 or 0 < top < 1e-100 else values
        return float(math.sqrt(np.dot(scaled, scaled))) * (top if scaled is not values else 1.0)
    return math.sqrt(float(np.einsum("i,i->", values, values, dtype=np.float64, casting="unsafe")))


def histogram(values, low, high):
    """32 bins of equal width between low and high; of very many values some that lie evenly apart are counted, for all.
    """
    width = high - low
    apart = next_prime(values.size // COUNTED) if values.size > 2 * COUNTED else 1      # in step with hardly any shape
    values = values[::apart]
    if not 0 < width < math.inf or not math.isfinite(BINS / width):
        counts = [0] * BINS
        counts[BINS // 2] = int(values.size) * apart
        return {"low": low, "high": high, "counts": counts}
    if not 1e-36 < width < 1e38:        # beyond what single precision can hold
        values = values.astype(np.float64)
    at = ((values - low) * (BINS / width)).astype(np.int64)
    counts = np.bincount(np.clip(at, 0, BINS - 1, out=at), minlength=BINS)
    return {"low": low, "high": high, "counts": [int(n) * apart for n in counts]}


def next_prime(number):
    """The smallest prime that is not smaller."""
    while any(number % divisor == 0 for divisor in range(2, math.isqrt(number) + 1)):
        number += 1
    return number


def _real(array):
    """The values as flat real numbers: magnitudes of complex ones, halves widened; None for what is not numbers."""
    kind = array.dtype.kind
    if kind == "c":
        return np.abs(array).ravel()
    if kind in "biu":
        return array.ravel().astype(np.float64)
    if kind not in "fV":
        return None
    flat = array.ravel()
    return flat if flat.dtype in (np.float32, np.float64) else flat.astype(np.float32)
