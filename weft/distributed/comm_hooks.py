"""How DistributedDataParallel's gradients may be exchanged: as they are, in half the bytes, or as products of low rank.

A hook takes its state and a bucket, and gives something with `wait()`: the bucket's new values.
"""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.distributed import collectives
from weft.distributed.groups import group_or_world
from weft.distributed.work import Later
from weft.ops.random.generators import Generator
from weft.tensor.names import FUNCTIONS


def _mean_of(tensor, group):
    """Begin to average a tensor over all ranks; it is written to."""
    tensor.div_(group.size())
    return collectives.all_reduce(tensor, group=group, async_op=True).get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group, bucket):
    """The mean of all ranks' gradients, as without a hook."""
    return _mean_of(bucket.buffer(), group_or_world(process_group))


def _compressed(dtype, process_group, bucket):
    buffer = bucket.buffer()
    return _mean_of(buffer.to(dtype), group_or_world(process_group)).then(lambda done: buffer.copy_(done.value()))


def fp16_compress_hook(process_group, bucket):
    """The mean, sent as float16."""
    return _compressed(dtypes.float16, process_group, bucket)


def bf16_compress_hook(process_group, bucket):
    """The mean, sent as bfloat16."""
    return _compressed(dtypes.bfloat16, process_group, bucket)


def _wrapper(dtype, hook):
    def wrapped(state, bucket):
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return hook(state, bucket).then(lambda done: buffer.copy_(done.value()))
    return wrapped


def fp16_compress_wrapper(hook):
    """Another hook on gradients cast to float16."""
    return _wrapper(dtypes.float16, hook)


def bf16_compress_wrapper(hook):
    """Another hook on gradients cast to bfloat16."""
    return _wrapper(dtypes.bfloat16, hook)


def noop_hook(_, bucket):
    """No exchange at all: what a step costs without it."""
    buffer = bucket.buffer()
    return Later(lambda: buffer)


class PowerSGDState:
    """What PowerSGD keeps between steps: the error that was not sent, and where the last step's search ended."""

    def __init__(self, process_group, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2,
                 use_error_feedback=True, warm_start=True, orthogonalization_epsilon=0, random_seed=0,
                 compression_stats_logging_frequency=10_000, batch_tensors_with_same_shape=False):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled: the "
                             "first step's buckets are not yet those of the next ones")
        self.process_group, self.rank, self.start = process_group, matrix_approximation_rank, start_powerSGD_iter
        self.least, self.epsilon = min_compression_rate, orthogonalization_epsilon
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.seed, self.iter = random_seed, 0
        self.errors, self.starts = {}, {}       # bucket -> what was not sent; (bucket, number) -> the last q

    def pays(self, rows, columns):
        """Whether the two factors are so much smaller than the matrix."""
        rank = min(rows, columns, self.rank)
        return (rows + columns) * rank * self.least < rows * columns


def orthonormal(p, epsilon):
    """Columns of length 1 at right angles, by Gram-Schmidt, in place."""
    for i in range(p.shape[1]):
        column = p[:, i:i + 1]
        column /= column.norm() + (epsilon or 1e-8)
        if i + 1 < p.shape[1]:
            rest = p[:, i + 1:]
            rest -= column @ (column.mT @ rest)


def powerSGD_hook(state, bucket):
    """The mean of gradients as products of two thin matrices: one step of a power iteration for each weight, in which
    only the factors are sent; what they miss is added to the next step's gradients.
    """
    group = group_or_world(state.process_group)
    if not _begun(state, bucket):
        return _mean_of(bucket.buffer(), group)
    buffer, index = bucket.buffer(), bucket.index()
    given = _with_error(state, index, buffer)
    matrices, plain = [], []
    for number, grad in enumerate(bucket.gradients()):
        matrix = grad.reshape(grad.shape[0], -1) if grad.dim() else grad.reshape(1, 1)
        if grad.dim() > 1 and state.pays(*matrix.shape):
            matrices.append((number, matrix))
        else:
            plain.append(grad)
    _send_plain(plain, group)
    _approximate(state, index, matrices, group)
    if state.use_error_feedback:
        state.errors[index] = given - buffer
        for grad in plain:          # these were sent whole
            _clear(state.errors[index], buffer, grad)
    return Later(lambda: buffer)


def batched_powerSGD_hook(state, bucket):
    """The same for a whole bucket as one square matrix: fewer and larger products, and a coarser mean."""
    group = group_or_world(state.process_group)
    if not _begun(state, bucket):
        return _mean_of(bucket.buffer(), group)
    buffer, index = bucket.buffer(), bucket.index()
    given = _with_error(state, index, buffer)
    side = math.ceil(math.sqrt(buffer.numel()))
    square = buffer.new_zeros(side * side)
    square[:buffer.numel()].copy_(buffer)
    _approximate(state, index, [(0, square.view(side, side))], group)
    buffer.copy_(square[:buffer.numel()])
    if state.use_error_feedback:
        state.errors[index] = given - buffer
    return Later(lambda: buffer)


def _begun(state, bucket):
    """Whether the first steps, whose gradients are sent whole, are over."""
    if bucket.is_last():
        state.iter += 1
    return state.iter >= state.start + bucket.is_last()


def _with_error(state, index, buffer):
    """Add what the last step did not send; a copy of that, where what is missed now is to be kept."""
    if not state.use_error_feedback:
        return None
    if index in state.errors:
        buffer += state.errors[index]
    return buffer.clone()


def _approximate(state, index, matrices, group):
    """Replace matrices [(number, matrix)] by the mean of all ranks', as products of two thin ones."""
    qs = [_start(state, index, number, matrix) for number, matrix in matrices]
    ps = [matrix @ q for (_, matrix), q in zip(matrices, qs)]
    _mean_all(ps, group)
    for p in ps:
        orthonormal(p, state.epsilon)
    qs = [matrix.mT @ p for (_, matrix), p in zip(matrices, ps)]
    _mean_all(qs, group)
    for (number, matrix), p, q in zip(matrices, ps, qs):
        matrix.copy_(p @ q.mT)
        state.starts[index, number] = q


def _start(state, index, number, matrix):
    """Where the search begins: the last step's end, or the same random directions on all ranks."""
    rank = min(*matrix.shape, state.rank)
    if state.warm_start and (index, number) in state.starts:
        q = state.starts[index, number].clone()
    else:
        generator = Generator().manual_seed(state.seed + state.iter)
        q = FUNCTIONS["randn"](matrix.shape[1], rank, dtype=matrix.dtype, generator=generator)
    orthonormal(q, state.epsilon)
    return q


def _mean_all(tensors, group):
    if tensors:
        collectives.all_reduce_coalesced(tensors, "avg", group)


def _send_plain(grads, group):
    if grads:
        flat = FUNCTIONS["cat"]([g.reshape(-1) for g in grads])
        collectives.all_reduce(flat, "avg", group)
        start = 0
        for g in grads:
            g.copy_(flat[start:start + g.numel()].reshape(g.shape))
            start += g.numel()


def _clear(errors, buffer, grad):
    """No error at a gradient's place in the buffer."""
    start = (grad.data_ptr() - buffer.data_ptr()) // grad.element_size()
    errors._array[start:start + grad.numel()] = np.zeros((), errors._array.dtype)
