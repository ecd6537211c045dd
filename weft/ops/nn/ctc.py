"""The CTC loss: how improbable a label sequence is, over all its alignments with the time steps."""
import numpy as np

from weft.core.errors import fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.kernels import fast
from weft.ops.core.registry import NOGRAD, op
from weft.ops.core.samples import data, fixed, size
from weft.ops.nn.loss_margin import reduction_of
from weft.ops.nn.pool_window import need_tensor
from weft.tensor.tensor import Tensor, needs_grad, wrap

# the reference, for one sample: places are the labels with blanks around them, _ a _ b _

def _places(labels, blank):
    """The labels with blanks, and for each place log 1 or log 0: whether it may be reached from two places before."""
    places = np.full(2 * len(labels) + 1, blank)
    places[1::2] = labels
    over = np.full(len(places), -np.inf)
    over[3::2] = np.where(places[3::2] == places[1:-2:2], -np.inf, 0)
    return places, over


def _shifted(row, n):
    """A row moved by n places, with log 0 where nothing came."""
    made = np.full_like(row, -np.inf)
    if n < len(row):
        made[n:] = row[:len(row) - n]
    return made


def _step(row, over, emit):
    return np.logaddexp(np.logaddexp(row, _shifted(row, 1)), _shifted(row, 2) + over) + emit


def _forwards(probs, places, over):
    """alpha (steps, places): the probability of having come to a place at a step, with what was emitted there."""
    alpha = np.full((len(probs), len(places)), -np.inf, probs.dtype)
    if len(probs):
        alpha[0, :2] = probs[0, places[:2]]
    for t in range(1, len(probs)):
        alpha[t] = _step(alpha[t - 1], over, probs[t, places])
    return alpha


def _backwards(probs, places):
    """beta (steps, places): the same from the end; the sequence read backwards is one as well."""
    labels = places[1::2][::-1]
    turned, over = _places(labels, places[0])
    return _forwards(probs[::-1], turned, over)[::-1, ::-1]


def _loss(alpha):
    if not len(alpha):
        return 0 if alpha.shape[1] == 1 else np.inf
    return -np.logaddexp.reduce(alpha[-1, -2:])


# the ops

@op
class _ctc_loss:
    """The losses (N), and alpha (N, T, 2S + 1) with `keep`: log_probs (T, N, C), targets (N, S), steps and lengths (N).
    """
    method, outputs, nondiff, node_name = False, "losses alpha", "alpha", "CtcLossBackward0"

    def forward(x, targets, steps, lengths, blank, zero_infinity, keep):
        x = np.ascontiguousarray(x)
        found = fast.ctc(x, targets, steps, lengths, blank, keep)
        if found is not None:
            return found
        losses = np.zeros(x.shape[1], x.dtype)
        alpha = np.full((x.shape[1], x.shape[0], 2 * targets.shape[1] + 1) if keep else (0, 0, 0), -np.inf, x.dtype)
        with np.errstate(all="ignore"):
            for n in range(x.shape[1]):
                places, over = _places(targets[n, :lengths[n]], blank)
                made = _forwards(x[:steps[n], n], places, over)
                losses[n] = _loss(made)
                if keep:
                    alpha[n, :steps[n], :len(places)] = made
        return losses, alpha

    def shape(x, targets, steps, lengths, blank, zero_infinity, keep):
        t, n, _ = x.shape
        return ((n,), x.dtype), ((n, t, 2 * targets.shape[1] + 1) if keep else (0, 0, 0), x.dtype)

    def grad_x(g, x, targets, steps, lengths, losses, alpha, blank, zero_infinity):
        return _ctc_loss_grad(g, x, targets, steps, lengths, losses, alpha, blank, zero_infinity)
    samples = [(fixed(4, 2, 3), data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1]), 0, False, True),
               (fixed(4, 2, 3), data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1]), 0, False, False)]


@op
class _ctc_loss_grad:
    """The gradient of the losses, as PyTorch has it: by the unnormalised scores of which log_probs are the log_softmax.
    """
    method = False

    def forward(x, log_probs, targets, steps, lengths, losses, alpha, blank, zero_infinity):
        log_probs = np.ascontiguousarray(log_probs)
        found = fast.ctc_grad(np.ascontiguousarray(x), log_probs, targets, steps, lengths, losses, alpha, blank,
                              zero_infinity)
        if found is not None:
            return found
        grad = np.zeros_like(log_probs)
        with np.errstate(all="ignore"):
            for n in range(log_probs.shape[1]):
                at, probs = steps[n], log_probs[:steps[n], n]
                if np.isposinf(losses[n]):
                    grad[:at, n] = 0 if zero_infinity else np.nan
                    continue
                places, _ = _places(targets[n, :lengths[n]], blank)
                ahead = alpha[n, :at, :len(places)]
                behind = _backwards(probs, places)
                share = np.exp(ahead + behind + losses[n] - probs[:, places])
                share[np.isneginf(ahead) | np.isneginf(behind)] = 0
                grad[:at, n] = np.exp(probs)
                np.subtract.at(grad[:, n], (np.arange(at)[:, None], places), share)
                grad[:at, n] *= x[n]
        return grad

    def shape(x, log_probs, targets, steps, lengths, losses, alpha, blank, zero_infinity):
        return log_probs.shape, log_probs.dtype
    why_no_samples = "its losses and alpha are what _ctc_loss made of the same log_probs; see tests/test_ctc_kernels.py"


def _lengths(values, name):
    """Lengths as a vector of int64."""
    if isinstance(values, Tensor):
        if values._form.dtype.kind not in "iu":
            fail(RuntimeError, f"ctc_loss(): {name} must be integral", f"give {name}.long()")
        return values.long().reshape((-1,)).contiguous()
    if not isinstance(values, (tuple, list)):
        fail(TypeError, f"ctc_loss(): {name} must be a tensor or a tuple of ints, not {type(values).__name__}")
    return wrap(np.array(values, np.int64).reshape(-1))


def _check(log_probs, targets, steps, lengths, blank):
    """Refuse shapes and types that don't fit."""
    shape, given = log_probs._form.shape, targets._form.shape
    if len(shape) != 3:
        fail(RuntimeError, f"ctc_loss(): Expected 3-dimensional tensor, but got {len(shape)}-dimensional tensor for "
             f"log_probs",
             "give (T, N, C) or (T, C)")
    if log_probs._form.dtype.char not in "fd":
        fail(NotImplementedError, f"\"ctc_loss\" not implemented for '{log_probs.dtype}'", "give float32 or float64")
    _, n, c = shape
    if 0 in shape:
        fail(RuntimeError, "ctc_loss(): log_probs tensor must not be empty")
    if not 0 <= blank < c:
        fail(RuntimeError, f"ctc_loss(): blank must be in label range, got {blank} of {c} labels",
             "the blank counts as a label")
    for name, values in (("input_lengths", steps), ("target_lengths", lengths)):
        if values._form.size != n:
            fail(RuntimeError, f"ctc_loss(): {name} must be of size batch_size, {n}, got {values._form.size}")
    if len(given) not in (1, 2):
        fail(RuntimeError, f"ctc_loss(): Expected 1 to 2 dimensions, but got {len(given)}-dimensional targets",
             "give (N, S), or all targets one after the other")
    if len(given) == 2 and given[0] != n:
        fail(RuntimeError, f"ctc_loss(): Expected targets to have size {n} at dimension 0, but got size {given[0]}")


@op
class _padded_targets:
    """The targets (N, S) or one after the other as (N, longest), blank beyond each one's length; all is checked."""
    method, tags, reads = False, NOGRAD, "x steps lengths"

    def forward(x, steps, lengths, blank, labels, most_steps):
        _check_lengths(x.shape, steps, lengths, most_steps)
        longest = int(lengths.max())
        inside = np.arange(longest) < lengths[:, None]
        made = np.full((len(lengths), longest), blank, np.int64)
        made[inside] = x.astype(np.int64) if x.ndim == 1 else x[:, :longest][inside]
        if made.size and (made.min() < 0 or made.max() >= labels):
            fail(RuntimeError, f"ctc_loss(): targets must be labels from 0 to {labels - 1}, got "
                 f"{made.min() if made.min() < 0 else made.max()}")
        return made
    samples = [(data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1]), 0, 3, 4),
               (data([1, 2, 2]), data([4, 3]), data([2, 1]), 0, 3, 4)]


def _check_lengths(given, steps, lengths, most_steps):
    """Refuse lengths that the log_probs and the targets, of shape `given`, don't have."""
    for name, values in (("input_lengths", steps), ("target_lengths", lengths)):
        if values.min() < 0:
            fail(RuntimeError, f"ctc_loss(): Expected {name} to have value at least 0, but got value {values.min()}")
    if steps.max() > most_steps:
        fail(RuntimeError, f"ctc_loss(): Expected input_lengths to have value at most {most_steps}, but got value "
             f"{steps.max()}")
    if len(given) == 1 and given[0] != lengths.sum():
        fail(RuntimeError, f"ctc_loss(): Expected targets to have size {lengths.sum()}, the sum of target_lengths, but "
             f"got size {given[0]}")
    if len(given) == 2 and given[1] < lengths.max():
        fail(RuntimeError, f"ctc_loss(): Expected targets to have size at least {lengths.max()} at dimension 1, but "
             f"got size {given[1]}")


@op
class ctc_loss:
    """The negative logarithm of the targets' probability under log_probs (T, N, C) or (T, C); with 'mean' divided by
    the targets' lengths.
    """
    autocast = "float32"
    names, method = "nn.functional.ctc_loss", False

    def compose(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
        need_tensor(log_probs, "ctc_loss")
        need_tensor(targets, "ctc_loss")
        reduction = reduction_of(reduction)
        if isinstance(input_lengths, Tensor) != isinstance(target_lengths, Tensor):
            fail(TypeError, "ctc_loss(): input_lengths and target_lengths must both be tensors or both be tuples of "
                 "ints")
        steps, lengths = _lengths(input_lengths, "input_lengths"), _lengths(target_lengths, "target_lengths")
        single = log_probs._form.ndim == 2
        if single:
            log_probs = log_probs.unsqueeze(1)
        _check(log_probs, targets, steps, lengths, blank)
        most_steps, _, labels = log_probs._form.shape
        padded = _padded_targets(targets, steps, lengths, blank, labels, most_steps)
        keep = mode_bits() & GRAD_OFF == 0 and needs_grad(log_probs)
        zero_infinity = bool(zero_infinity)
        losses = _ctc_loss(log_probs, padded, steps, lengths, blank, zero_infinity, keep)[0]
        if zero_infinity:
            losses = losses.masked_fill(losses.detach() == float("inf"), 0)
        if reduction == "mean":
            return (losses / lengths.clamp(min=1).to(losses.dtype)).mean()
        if reduction == "sum":
            return losses.sum()
        return losses.squeeze(0) if single else losses
    # no gradient: it is PyTorch's, by the scores whose log_softmax the log_probs are
    samples = [(fixed(4, 2, 3), data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1])),
               (fixed(4, 3), data([1, 2]), size(4), size(2), 0, "none"),
               (fixed(4, 2, 3), data([1, 2, 2]), size(4, 3), size(2, 1), 0, "sum", True)]


@op
class _plain_ctc_loss:
    """nn.functional.ctc_loss, whose reduction is a number (0: none, 1: mean, 2: sum)."""
    names, method = "ctc_loss", False

    def compose(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
        return ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity)
    samples = [(fixed(4, 2, 3), data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1])),
               (fixed(4, 2, 3), data([[1, 2], [2, 0]]), data([4, 3]), data([2, 1]), 0, 1)]
