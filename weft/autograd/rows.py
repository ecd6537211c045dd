# compiled
"""The gradient of a table, kept as the few rows that were used.

`nn.Embedding` reads some rows of a table of thousands, and so does `table[i]`. Its gradient is zero in all others, and
PyTorch writes those zeros, adds them and takes them to the optimizer for every lookup. Here such a gradient is an
ordinary dense tensor whose values are owed (`Tensor._owed` is `Rows`): whoever reads it has the dense values made,
once. The engine adds rows to rows, and what knows of them (SGD, Adagrad, clipping, zero_grad) leaves the rest of the
table alone.

The sums are those of dense gradients, bit for bit: rows that occur twice in one lookup are added up first, then lookup
after lookup.
"""
import functools
import threading

import numpy as np

from weft.core.modes import ANOMALY, GRAD_OFF, GRADIENTS, TAKE, WATCH
from weft.core.runtime import mode_bits, pure_fields
from weft.core.seam import Taker
from weft.core.spec import stand_in
from weft.kernels import fast
from weft.kernels.rows import copied_row
from weft.tensor.tensor import Tensor, wrap

SEAM = WATCH | TAKE
LOOKED_AT = SEAM | ANOMALY | GRADIENTS      # somebody wants to see the values of every gradient
SMALL = 1 << 16         # bytes of a table that is filled in less time than its rows are kept
FEW = 4                 # a lookup is one of few rows if the table has this many times more
KINDS = "fd"
FEW_NUMBERS = 1000      # that are compared by a set; more are sorted
NUMBERS, MOST_NUMBERS = {}, 20000       # a row's number -> an array of it alone, which nobody writes to
_lock = threading.Lock()


class _Keeper(Taker):
    """Who owes the values of all such gradients."""

    def settle(self, promise):
        with _lock:         # several threads may read one gradient
            if promise.array is None:
                promise.array = promise.dense()
                promise.clear()


KEEPER = _Keeper()


class Rows:
    """What a table's gradient is until somebody reads it: lookups, each (numbers of rows, their gradients).

    numbers: (n,) of int64; gradients: (n, width), which nobody else holds.
    """

    readable, with_graph = True, False

    def __init__(self, shape, dtype, lookups, count, apart):
        self.owner, self.array = KEEPER, None
        self.shape, self.dtype = shape, dtype
        self.lookups = lookups
        self.count = count      # of numbers in all lookups
        self.apart = apart      # no number occurs twice in any of the lookups

    def value(self):
        """The values; they are computed where they aren't there yet."""
        if self.array is None:
            KEEPER.settle(self)
        return self.array

    def copy(self):
        """The same gradient, to which others don't add."""
        return Rows(self.shape, self.dtype, list(self.lookups), self.count, self.apart)

    def add(self, other):
        """Add the lookups of another gradient."""
        self.lookups += other.lookups
        self.count += other.count
        self.apart = self.apart and other.apart
        if self.count * FEW > self.shape[0]:
            self.join()
            if self.count * FEW > self.shape[0]:
                KEEPER.settle(self)

    def join(self):
        """(numbers, gradients) with every number once: the only lookup from now on."""
        with _lock:
            if len(self.lookups) != 1 or not self.apart:
                self.lookups, self.apart = [joined(self.lookups, self.shape[1], self.dtype)], True
                self.count = len(self.lookups[0][0])
            return self.lookups[0]

    def clear(self):
        """No row is left."""
        self.lookups, self.count, self.apart = [], 0, True

    def own_part(self):
        """The gradients of all rows, each row once: an array that may be changed in place."""
        numbers, part = self.join()
        self.lookups = [(numbers, part.copy())]
        return self.lookups[0][1]

    def dense(self):
        """The table with zeros where no row was used."""
        made = np.zeros(self.shape, self.dtype)
        for numbers, part in self.lookups if self.apart else map(summed, self.lookups):
            add_rows(made, numbers, part)
        return made

    def add_to(self, table):
        """Add these rows to an array."""
        add_rows(table, *self.join())


def joined(lookups, width, dtype):
    """Lookups as one, with every number once."""
    if not lookups:
        return np.zeros(0, np.int64), np.zeros((0, width), dtype)
    if len(lookups) == 1:
        return summed(lookups[0])
    lookups = [summed(lookup) for lookup in lookups]
    numbers, parts = zip(*lookups)
    return _sum_alike(np.concatenate(numbers), np.concatenate(parts))


def summed(lookup):
    """A lookup with the gradients of equal numbers added up, in their order."""
    return lookup if len(lookup[0]) == 1 else _sum_alike(*lookup)


def _sum_alike(numbers, part):
    if len(numbers) <= FEW_NUMBERS and len(set(numbers.tolist())) == len(numbers):
        return numbers, part
    unique, which = np.unique(numbers, return_inverse=True)
    if len(unique) == len(numbers):
        return numbers, part
    made = np.zeros((len(unique), part.shape[1]), part.dtype)
    add_rows(made, which, part)
    return unique, made


def add_rows(table, numbers, part):
    """table[numbers[i]] += part[i], one after the other."""
    if len(numbers) and not fast.embedding_backward(part, numbers, None, None, table, -1):
        np.add.at(table, numbers, part)


def rows_behind(grad):
    """The Rows of a gradient that nobody has read yet, or None."""
    owed = grad._owed
    return owed if type(owed) is Rows and owed.array is None and type(grad) is Tensor else None


def as_tensor(rows):
    """A tensor whose values are owed as `rows`."""
    t = wrap(_form(rows.shape, rows.dtype))
    t._owed = rows
    return t


@functools.lru_cache(maxsize=64)
def _form(shape, dtype):
    return stand_in(shape, dtype)


def pays(shape, count, dtype):
    """Whether the gradient of a lookup of `count` rows is to be kept as rows."""
    bits = mode_bits()
    return (bits & GRAD_OFF and not bits & LOOKED_AT and count * FEW <= shape[0] and dtype.char in KINDS
            and shape[0] * shape[1] * dtype.itemsize > SMALL)


def of_lookup(shape, numbers, part, padding_idx):
    """The gradient of a table as the rows of a lookup. part: (n, width), an array of its own; row `padding_idx` gets
    none.
    """
    numbers = numbers.astype(np.int64, copy=False)
    if padding_idx >= 0:
        kept = numbers != padding_idx
        if not kept.all():
            numbers, part = numbers[kept], part[kept]
    return as_tensor(Rows(shape, part.dtype, [(numbers, part)], len(numbers), len(numbers) == 1))


def of_rows(shape, numbers, grad):
    """The gradient of a table of which these rows were read, None where it is not to be kept as rows. numbers: of any
    sign and shape; grad: (*numbers.shape, width).
    """
    form = grad._form
    if len(shape) != 2 or form.ndim != numbers.ndim + 1 or not pays(shape, numbers.size, form.dtype):
        return None
    numbers = numbers.reshape(-1)
    part = grad._array.reshape(-1, shape[1]).copy()
    return of_lookup(shape, np.where(numbers < 0, numbers + shape[0], numbers), part, -1)


def of_row(shape, number, grad):
    """The same for one row. grad: (width,)."""
    if len(shape) != 2 or not pays(shape, 1, grad._form.dtype):
        return None
    part = copied_row(grad._array)
    if part is None:
        part = grad._array.copy().reshape(1, shape[1])
    number %= shape[0]
    numbers = NUMBERS.get(number)
    if numbers is None:
        numbers = np.array([number])
        if len(NUMBERS) < MOST_NUMBERS:
            NUMBERS[number] = numbers
    return as_tensor(Rows(shape, part.dtype, [(numbers, part)], 1, True))


def added(a, b, own=False):
    """The sum of two gradients of which at least one is kept as rows, None where neither is; own: nobody else holds the
    first one, so it may become the sum.
    """
    mine, other = rows_behind(a), rows_behind(b)
    if mine is None and other is None:
        return None
    if mine is not None and other is not None:
        if not own:
            a = as_tensor(mine.copy())
        a._owed.add(other)
        return a
    dense = a if own and other is not None else (b if other is None else a).clone()
    (mine or other).add_to(dense._array)
    return dense


def accumulated(total, grad):
    """Whether a gradient was added to a leaf's in place, one of them being rows; else an op has to do it."""
    held, new = rows_behind(total), rows_behind(grad)
    if new is None or not total._form.flags.writeable and held is None:
        return False
    if held is not None:
        new.join()      # what a backward gives is summed up before it is added to the gradients of those before
        held.add(new)
    elif total._owed is None and total._view_of is None:
        new.add_to(total._form)
    else:
        return False
    total._own_memory_record().mark()
    return True


def keeps_rows(grads):
    """Whether any of these gradients is kept as rows, and nobody looks on."""
    return any([grad._owed is not None for grad in grads]) and not mode_bits() & SEAM \
        and any([rows_behind(grad) is not None for grad in grads])


def nonzero_parts(grads, to_change=False):
    """Gradients as tensors of which zeros may be missing: of those that are kept as rows the rows. to_change: what is
    written to them is written to the gradients.
    """
    found = []
    for grad in grads:
        rows = rows_behind(grad)
        if rows is not None and to_change:
            grad._own_memory_record().mark()
        found.append(grad if rows is None else wrap(rows.own_part() if to_change else rows.join()[1]))
    return found


def zero(grad):
    """Make a leaf's gradient zero in place, outside of any graph."""
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    if not keeps_rows([grad]):
        grad.zero_()
        return
    grad._owed.clear()
    grad._own_memory_record().mark()


pure_fields(Rows, owner=None, array=None, shape=(), dtype=None, lookups=None, count=0, apart=True)
