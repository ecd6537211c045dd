"""One-call updates of lists of arrays, in place: the C++ kernel where it takes them, else the NumPy reference below it.

Each takes the lists of an optimizer (parameters, gradients, states; None for a state that isn't kept) and its numbers:

    adam(params, grads, exp_avgs, exp_avg_sqs, None, steps, lr, beta1, beta2, weight_decay, eps, maximize, decoupled)

Step counts are those of this update (1 for the first): numbers, or arrays of one. The references take PyTorch's
single-tensor steps in their order; half types are computed in float32 and rounded when stored, as the kernels do.
"""
import math

import numpy as np

from weft.kernels import fast


def _working(array):
    """The array itself, or a float32 copy of a half type."""
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def _number(step):
    return step if isinstance(step, (int, float)) else step.item()


def _scalar(like, value):
    """A number in the type that is computed in, so that it doesn't change it."""
    return like.dtype.type(value)


def _rows(*lists):
    """Item by item the working arrays of lists, None for a list that isn't there; all but the gradients (list 1) are
    stored back.
    """
    for i in range(len(lists[0])):
        given = [None if one is None else one[i] for one in lists]
        work = [None if a is None else _working(a) for a in given]
        yield work
        for k, (place, made) in enumerate(zip(given, work)):
            if made is not place and k != 1:
                place[...] = made


def _gradient(p, g, weight_decay, maximize):
    g = -g if maximize else g
    return g + p * _scalar(p, weight_decay) if weight_decay != 0 else g


def _lerp(m, g, weight):
    """m moved towards g, in place."""
    if abs(weight) < 0.5:
        m += _scalar(m, weight) * (g - m)
    else:
        m[...] = g - (g - m) * (_scalar(m, 1) - _scalar(m, weight))


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, eps, maximize,
         decoupled):
    """Adam; AMSGrad with `max_exp_avg_sqs`; AdamW with `decoupled`."""
    if fast.adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, eps,
                 maximize, decoupled):
        return
    with np.errstate(all="ignore"):
        for (p, g, m, v, top), step in zip(_rows(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs), steps):
            step = _number(step)
            if decoupled and weight_decay != 0:
                p *= _scalar(p, 1 - lr * weight_decay)
            g = _gradient(p, g, 0 if decoupled else weight_decay, maximize)
            _lerp(m, g, 1 - beta1)
            v *= _scalar(v, beta2)
            v += _scalar(v, 1 - beta2) * g * g
            if top is not None:
                np.maximum(top, v, out=top)
            root = np.sqrt(v if top is None else top) / _scalar(v, math.sqrt(1 - beta2 ** step)) + _scalar(v, eps)
            p -= _scalar(p, lr / (1 - beta1 ** step)) * (m / root)


def sgd(params, grads, buffers, lr, momentum, dampening, weight_decay, nesterov, maximize, first):
    """SGD; `buffers` is None without momentum; with `first` they hold nothing yet, and get the gradients."""
    if fast.sgd(params, grads, buffers, lr, momentum, dampening, weight_decay, nesterov, maximize, first):
        return
    with np.errstate(all="ignore"):
        for p, g, buffer in _rows(params, grads, buffers):
            g = _gradient(p, g, weight_decay, maximize)
            if buffer is not None:
                buffer[...] = g if first else buffer * _scalar(p, momentum) + _scalar(p, 1 - dampening) * g
                g = g + _scalar(p, momentum) * buffer if nesterov else buffer
            p -= _scalar(p, lr) * g


def rmsprop(params, grads, square_avgs, grad_avgs, buffers, lr, alpha, eps, weight_decay, momentum, maximize):
    """RMSprop; centered with `grad_avgs`; `buffers` is None without momentum."""
    if fast.rmsprop(params, grads, square_avgs, grad_avgs, buffers, lr, alpha, eps, weight_decay, momentum, maximize):
        return
    with np.errstate(all="ignore"):
        for p, g, square, mean, buffer in _rows(params, grads, square_avgs, grad_avgs, buffers):
            g = _gradient(p, g, weight_decay, maximize)
            square *= _scalar(p, alpha)
            square += _scalar(p, 1 - alpha) * g * g
            spread = square
            if mean is not None:
                _lerp(mean, g, 1 - alpha)
                spread = square - mean * mean
            moved = g / (np.sqrt(spread) + _scalar(p, eps))
            if buffer is not None:
                buffer *= _scalar(p, momentum)
                buffer += moved
                moved = buffer
            p -= _scalar(p, lr) * moved


def adagrad(params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize):
    """Adagrad."""
    if fast.adagrad(params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize):
        return
    with np.errstate(all="ignore"):
        for (p, g, total), step in zip(_rows(params, grads, sums), steps):
            g = _gradient(p, g, weight_decay, maximize)
            total += g * g
            p -= _scalar(p, lr / (1 + (_number(step) - 1) * lr_decay)) * (g / (np.sqrt(total) + _scalar(p, eps)))


def sums_of_squares(arrays):
    """A float64 array: for each of the real arrays the sum of its squares, accumulated in double."""
    found = fast.sums_of_squares(arrays)
    if found is not None:
        return found
    wide = [a.astype(np.float64) for a in arrays]
    return np.array([np.sum(a * a) for a in wide], np.float64)


def unscale(arrays, factor):
    """Multiply all in place; whether one of them held an inf or a NaN."""
    found = fast.unscale(arrays, factor)
    if found is not None:
        return found
    odd = False
    with np.errstate(all="ignore"):
        for a in arrays:
            odd = odd or not np.isfinite(a).all()
            a *= _scalar(a, factor)
    return bool(odd)
