"""einsum: parse, take diagonals, then contract pair by pair as batched matrix products."""
import functools
import math

from weft.core.errors import fail
from weft.ops.core.registry import op
from weft.tensor.tensor import Tensor

# A label is a letter, a number (sublist form), or ("...", k): the k-th of the ellipsis dimensions, counted from the
# right.


def _refuse(what, fix=None):
    fail(RuntimeError, f"einsum(): {what}", fix)


# reading

def _letters(text, whole):
    """The labels of one operand; an ellipsis stays `...` for now."""
    labels, i = [], 0
    while i < len(text):
        c = text[i]
        if c == ".":
            if text[i:i + 3] != "..." or ... in labels:
                _refuse(f"found '.' in '{text}' that is not part of any ellipsis" if text[i:i + 3] != "..." else
                        f"found '.' in '{text}' for which an ellipsis was already found")
            labels.append(...)
            i += 3
            continue
        if not (c.isascii() and c.isalpha()):
            _refuse(f"invalid subscript given at index {whole.find(c)} in the equation string, subscripts must be in "
                    f"[a-zA-Z]")
        labels.append(c)
        i += 1
    return labels


@functools.lru_cache(maxsize=1024)
def _parse(equation, ndims):
    """(labels of each operand, labels of the output) of an equation for operands of so many dimensions."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = [_letters(term, text) for term in left.split(",")]
    if len(terms) != len(ndims):
        kind = "more" if len(ndims) > len(terms) else "fewer"
        _refuse(f"{kind} operands were provided than specified in the equation ({len(ndims)} and {len(terms)})")
    return _expand_ellipsis(terms, _letters(right, text) if arrow else None, ndims)


def _parse_sublists(args):
    """einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    operands, terms = list(args[0:len(args) - len(args) % 2:2]), [list(s) for s in args[1::2]]
    out = list(args[-1]) if len(args) % 2 else None
    for labels in [*terms, *([out] if out is not None else [])]:
        for label in labels:
            if label is not ... and not (isinstance(label, int) and 0 <= label < 52):
                fail(ValueError, f"einsum(): subscript in subscript list is not within the valid range [0, 52): "
                     f"{label}",
                     "number the dimensions from 0 to 51, or write ...")
    return operands, terms, out


def _order(label):
    """Where an implicit output puts a label: the ellipsis first, capitals before small letters."""
    return (0, -label[1]) if isinstance(label, tuple) else (1, label)


def _expand_ellipsis(terms, out, ndims):
    """Replace `...` by labels of its own, one per dimension."""
    widest, made = 0, []
    for k, (labels, ndim) in enumerate(zip(terms, ndims)):
        extra = ndim - (len(labels) - (... in labels))
        if extra < 0 or extra and ... not in labels:
            _refuse(f"the number of subscripts in the equation ({len(labels) - (... in labels)}) does not match the "
                    f"number of dimensions ({ndim}) for operand {k}" + ("" if ... in labels
                                                                        else " and no ellipsis was given"))
        widest = max(widest, extra if ... in labels else 0)
        made.append(_replace(labels, extra))
    if out is None:
        every = [label for labels in made for label in labels]
        out = sorted({label for label in every if every.count(label) == 1 or isinstance(label, tuple)}, key=_order)
    else:
        out = _replace(out, widest)
    for label in out:
        if not any(label in labels for labels in made):
            _refuse(f"output subscript {label} does not appear in the equation for any input operand")
        if out.count(label) > 1:
            _refuse(f"output subscript {label} appears more than once in the output")
    return made, out


def _replace(labels, count):
    made = []
    for label in labels:
        made += [("...", k) for k in range(count - 1, -1, -1)] if label is ... else [label]
    return made


# contracting

def _merge_repeats(t, labels, k):
    """Take the diagonal where one operand has a label twice."""
    labels = list(labels)
    for label in list(dict.fromkeys(labels)):
        while labels.count(label) > 1:
            i = labels.index(label)
            j = labels.index(label, i + 1)
            a, b = t._form.shape[i], t._form.shape[j]
            if a != b:
                _refuse(f"subscript {label} is repeated for operand {k} but the sizes don't match, {b} != {a}")
            t = t.diagonal(dim1=i, dim2=j)
            labels = [x for at, x in enumerate(labels) if at not in (i, j)] + [label]
    return t, labels


def _lengths(terms, operands):
    """The length of every label, 1 giving way."""
    found = {}
    for k, (labels, t) in enumerate(zip(terms, operands)):
        for label, n in zip(labels, t._form.shape):
            seen = found.get(label, 1)
            if n != 1 and seen != 1 and n != seen:
                _refuse(f"subscript {label if not isinstance(label, tuple) else '...'} has size {n} for operand {k} "
                        f"which does not broadcast with previously seen size {seen}",
                        "check the shapes against the equation")
            found[label] = n if seen == 1 else seen
    return found


def _reduce(t, labels, keep, lengths):
    """Sum what nobody else needs, and drop dimensions of length 1 that the others broadcast."""
    summed = [i for i, label in enumerate(labels) if label not in keep]
    drop = [i for i, label in enumerate(labels) if label in keep and t._form.shape[i] == 1 and lengths[label] != 1]
    if summed:
        t = t.sum(summed, keepdim=True)
    for i in sorted(drop + summed, reverse=True):
        t = t.squeeze(i)
    gone = set(drop + summed)
    return t, [label for i, label in enumerate(labels) if i not in gone]


def _arranged(t, labels, groups):
    """The tensor with its labels in the order of the groups, each group one dimension."""
    order = [labels.index(label) for group in groups for label in group]
    if order != list(range(len(order))):
        t = t.permute(*order)
    if all(len(group) == 1 for group in groups):
        return t
    sizes, at = [], 0
    for group in groups:
        sizes.append(math.prod(t._form.shape[at:at + len(group)]))
        at += len(group)
    return t.reshape(*sizes)


def _contract(a, la, b, lb, keep, out):
    """Multiply two operands, sum the labels that neither the output nor another operand needs; the product lies in the
    output's order.
    """
    place = {label: i for i, label in enumerate(out)}
    if _swapped(la, lb, place):
        a, la, b, lb = b, lb, a, la
    shared = [label for label in la if label in lb]
    batch = [label for label in shared if label in keep]
    summed = [label for label in shared if label not in keep]
    only_a = [label for label in la if label not in lb]
    only_b = [label for label in lb if label not in la]
    for labels in (batch, only_a, only_b):
        labels.sort(key=lambda label: place.get(label, len(place)))
    if not summed and not (only_a and only_b and batch):
        return _multiply(a, la, b, lb, batch + only_a + only_b)
    size = dict(zip(la, a._form.shape)) | dict(zip(lb, b._form.shape))
    lead = [[label] for label in batch]
    if not only_a and not only_b and not batch:
        made = _arranged(a, la, [summed]) @ _arranged(b, lb, [summed])
        return made, []
    left = _arranged(a, la, [*lead, only_a, summed] if only_a or batch else [summed])
    right = _arranged(b, lb, [*lead, summed, only_b] if only_b or batch else [summed])
    made = left @ right
    labels = batch + only_a + only_b
    shape = [size[label] for label in labels]
    return (made if list(made._form.shape) == shape else made.reshape(*shape)), labels


def _swapped(la, lb, place):
    """Whether the second operand's own labels come first in the output."""
    def first(own, other):
        return min((place.get(label, len(place)) for label in own if label not in other), default=None)
    first_a, first_b = first(la, lb), first(lb, la)
    return first_a is not None and first_b is not None and first_b < first_a


def _multiply(a, la, b, lb, labels):
    """An elementwise product of operands brought to common labels."""
    return _aligned(a, la, labels) * _aligned(b, lb, labels), labels


def _aligned(t, own, labels):
    order = [own.index(label) for label in labels if label in own]
    if order != list(range(len(order))):
        t = t.permute(*order)
    first = next((i for i, label in enumerate(labels) if label in own), len(labels))
    for i, label in enumerate(labels):
        if label not in own and i > first:
            t = t.unsqueeze(i - first)
    return t


def _cheapest_pair(operands, out, lengths):
    """The pair whose contraction leaves the least memory beyond what it frees."""
    best = None
    for i in range(len(operands)):
        for j in range(i + 1, len(operands)):
            rest = set(out).union(*(labels for k, (_, labels) in enumerate(operands) if k not in (i, j)))
            la, lb = operands[i][1], operands[j][1]
            made = math.prod(lengths[label] for label in set(la) | set(lb) if label in rest)
            score = made - operands[i][0]._form.size - operands[j][0]._form.size
            if best is None or score < best[0]:
                best = (score, i, j)
    return best[1], best[2]


# What an equation comes down to depends on the operands' shapes only: it is worked out once, and noted.

class Noted:
    """A tensor whose ops are noted. number: its place among the operands and what was made of them; steps: (method,
    number, arguments, the number of an argument or -1).
    """

    def __init__(self, tensor, number, steps, count):
        self.tensor, self.number, self.steps, self.count = tensor, number, steps, count
        self._form = tensor._form

    def noted(self, method, *args, other=None, **kwargs):
        given = args if other is None else (other.tensor, *args)
        made = getattr(self.tensor, method)(*given, **kwargs)
        self.steps.append((method, self.number, args, kwargs, -1 if other is None else other.number))
        return Noted(made, self.count + len(self.steps) - 1, self.steps, self.count)

    def sum(self, *args, **kwargs):
        return self.noted("sum", *args, **kwargs)

    def squeeze(self, *args):
        return self.noted("squeeze", *args)

    def unsqueeze(self, *args):
        return self.noted("unsqueeze", *args)

    def permute(self, *args):
        return self.noted("permute", *args)

    def reshape(self, *args):
        return self.noted("reshape", *args)

    def diagonal(self, **kwargs):
        return self.noted("diagonal", **kwargs)

    def __matmul__(self, other):
        return self.noted("__matmul__", other=other)

    def __mul__(self, other):
        return self.noted("__mul__", other=other)


KNOWN = {}              # (equation, shapes) -> (steps, the number of the result)
MOST_KNOWN = 512


def _known(equation, operands):
    """The result of an equation that was worked out for such shapes before, else None."""
    found = KNOWN.get((equation, *[t._form.shape for t in operands]))
    if found is None:
        return None
    values = list(operands)
    for method, number, args, kwargs, other in found[0]:
        given = args if other < 0 else (values[other], *args)
        values.append(getattr(values[number], method)(*given, **kwargs))
    return values[found[1]]


def _worked_out(equation, terms, out, operands):
    """The result, and how it came about is known from then on."""
    steps = []
    made = _evaluate(terms, out, [Noted(t, k, steps, len(operands)) for k, t in enumerate(operands)])
    if len(KNOWN) >= MOST_KNOWN:
        KNOWN.clear()
    KNOWN[(equation, *[t._form.shape for t in operands])] = steps, made.number
    return made.tensor


@op
class einsum:
    """The sum of products that an equation such as 'bij,bjk->bik' describes."""
    method = False

    def compose(*args):
        if len(args) < 2:
            fail(ValueError, "einsum(): must specify the equation string and at least one operand, or at least one "
                 "operand and its subscripts list")
        text = isinstance(args[0], str)
        if text:
            operands = list(args[1:])
            if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
                operands = list(operands[0])
        else:
            operands, terms, out = _parse_sublists(args)
        for k, t in enumerate(operands):
            if not isinstance(t, Tensor):
                raise TypeError(f"einsum(): operand {k} must be Tensor, not {type(t).__name__}")
        if text:
            made = _known(args[0], operands)
            if made is not None:
                return made
        ndims = tuple([t._form.ndim for t in operands])
        if text:
            return _worked_out(args[0], *_parse(args[0], ndims), operands)
        return _evaluate(*_expand_ellipsis(terms, out, ndims), operands)

    def overridden(*args):
        listed = len(args) == 2 and isinstance(args[0], str) and isinstance(args[1], (list, tuple))
        return (args[0], *args[1]) if listed else args, {}
    samples = [("ij,jk->ik", (2, 3), (3, 4)), ("ii->i", (3, 3)), ("bij,bjk", (2, 2, 3), (2, 3, 2)),
               ("...i,i", (2, 3), (3,))]


def _evaluate(terms, out, operands):
    lengths = _lengths(terms, operands)
    work = [_merge_repeats(t, labels, k) for k, (t, labels) in enumerate(zip(operands, terms))]
    for k in range(len(work)):
        keep = set(out).union(*(labels for at, (_, labels) in enumerate(work) if at != k))
        work[k] = _reduce(*work[k], keep, lengths)
    while len(work) > 1:
        i, j = _cheapest_pair(work, out, lengths) if len(work) > 2 else (0, 1)
        keep = set(out).union(*(labels for k, (_, labels) in enumerate(work) if k not in (i, j)))
        (a, la), (b, lb) = work[i], work[j]
        # a label may be left alone by the operands contracted before
        a, la = _reduce(a, la, keep | set(lb), lengths)
        b, lb = _reduce(b, lb, keep | set(la), lengths)
        work[i] = _contract(a, la, b, lb, keep, out)
        del work[j]
    t, labels = work[0]
    if len(operands) == 1:
        t, labels = _reduce(t, labels, set(out), lengths)
    order = [labels.index(label) for label in out if label in labels]
    if order != list(range(len(order))):
        t = t.permute(*order)
    return t
