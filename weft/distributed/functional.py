"""Collectives through which gradients flow: each gives new tensors, and its backward is another collective.

The loss is the sum of all ranks' losses. All ranks must run the backward, in the same order.
"""
from weft.autograd.function import Function
from weft.core.processes import processes
from weft.distributed import collectives
from weft.distributed.groups import GroupMember, group_or_world
from weft.distributed.reduce_op import ReduceOp, named
from weft.tensor.names import FUNCTIONS

__all__ = ["all_reduce", "broadcast", "reduce", "all_gather", "gather", "scatter", "reduce_scatter", "all_to_all",
           "all_to_all_single"]


def _like(tensor):
    """Contiguous zeros of a tensor's shape and type."""
    return FUNCTIONS["zeros"](tensor.shape, dtype=tensor.dtype)


def _size(group):
    return group_or_world(group).size()


class _Sum(Function):
    @staticmethod
    def forward(ctx, group, op, tensor):
        ctx.group, ctx.op = group, op
        made = tensor.detach().clone()
        collectives.all_reduce(made, op, group)
        return made

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, _Sum.apply(ctx.group, ctx.op, grad_out)


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """The reduction of all ranks' tensors, on every rank.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2, requires_grad=True)
    >>> weft.distributed.functional.all_reduce(x).sum().backward()
    >>> x.grad
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    op = named(op)
    if op in (ReduceOp.SUM, ReduceOp.AVG):
        return _Sum.apply(group, op, tensor)
    whole = FUNCTIONS["stack"](list(all_gather(tensor, group)))
    if op == ReduceOp.PRODUCT:
        return whole.prod(0)
    if op in (ReduceOp.MIN, ReduceOp.MAX):
        return whole.amin(0) if op == ReduceOp.MIN else whole.amax(0)
    raise RuntimeError(f"all_reduce: ReduceOp.{op.name} has no gradient\n  fix: weft.distributed.all_reduce")


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group = src, group
        made = tensor.detach().clone()
        collectives.broadcast(made, src, group)
        return made

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, reduce(grad_out, ctx.src, group=ctx.group)


def broadcast(tensor, src, group=None):
    """The tensor of rank `src`, on every rank.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.broadcast(weft.ones(2), 0)
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    return _Broadcast.apply(src, group, tensor)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        made = tensor.detach().clone()
        collectives.reduce(made, dst, ReduceOp.SUM, group)
        found = group_or_world(group)
        return made if found.global_rank() == dst else _like(made)

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, broadcast(grad_out, ctx.dst, ctx.group)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """The sum of all ranks' tensors on rank `dst`, zeros elsewhere.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.reduce(weft.ones(2), 0)
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    if named(op) != ReduceOp.SUM:
        raise RuntimeError(f"reduce: ReduceOp.{named(op).name} has no gradient here\n  fix: all_reduce")
    return _Reduce.apply(dst, group, tensor)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        made = [_like(tensor) for _ in range(_size(group))]
        collectives.all_gather(made, tensor.detach(), group)
        return tuple(made)

    @staticmethod
    def backward(ctx, *grads):
        return None, reduce_scatter(_like(grads[0]), list(grads), group=ctx.group)


def all_gather(tensor, group=None):
    """Every rank's tensor, on every rank.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.all_gather(weft.ones(2))
    (tensor([1., 1.]),)
    >>> weft.distributed.destroy_process_group()
    """
    return _AllGather.apply(group, tensor)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, op, group, *tensors):
        ctx.op, ctx.group = op, group
        made = _like(tensors[group_or_world(group).rank()])
        collectives.reduce_scatter(made, [t.detach() for t in tensors], op, group)
        return made

    @staticmethod
    def backward(ctx, grad_out):
        parts = all_gather(grad_out, ctx.group)
        n = len(parts) if ctx.op == ReduceOp.AVG else 1
        return None, None, *(part / n if n > 1 else part for part in parts)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """The sum of all ranks' tensors at this rank's place in their lists; `output` gives its shape.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.reduce_scatter(weft.zeros(2), [weft.ones(2)])
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    op = named(op)
    if op not in (ReduceOp.SUM, ReduceOp.AVG):
        raise RuntimeError(f"reduce_scatter: ReduceOp.{op.name} has no gradient\n  fix: SUM or AVG")
    return _ReduceScatter.apply(op, group, *input_list)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, group, shapes, *tensors):
        ctx.group, ctx.shapes = group, [t.shape for t in tensors]
        made = [FUNCTIONS["empty"](shape, dtype=tensors[0].dtype) for shape in shapes]
        collectives.all_to_all(made, [t.detach() for t in tensors], group)
        return tuple(made)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, *_AllToAll.apply(ctx.group, ctx.shapes, *grads)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """Rank i's `input_tensor_list[j]` comes to rank j, at place i; `output_tensor_list` gives the shapes.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.all_to_all([weft.zeros(2)], [weft.ones(2)])
    (tensor([1., 1.]),)
    >>> weft.distributed.destroy_process_group()
    """
    return _AllToAll.apply(group, [t.shape for t in output_tensor_list], *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """`input` cut along the first dimension, a part for each rank, and what comes from them; `output` gives the shape.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.all_to_all_single(weft.zeros(2), weft.ones(2))
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    n = _size(group)
    inputs = input.split(list(input_split_sizes) if input_split_sizes else input.shape[0] // n)
    outputs = output.detach().split(list(output_split_sizes) if output_split_sizes else output.shape[0] // n)
    return FUNCTIONS["cat"](list(all_to_all(list(outputs), list(inputs), group)))


def gather(tensor, dst=0, group=None):
    """Every rank's tensor on rank `dst`, zeros elsewhere.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.gather(weft.ones(2))
    (tensor([1., 1.]),)
    >>> weft.distributed.destroy_process_group()
    """
    return _Gather.apply(dst, group, tensor)


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        made = [_like(tensor) for _ in range(_size(group))]
        there = group_or_world(group).global_rank() == dst
        collectives.gather(tensor.detach(), made if there else None, dst, group)
        return tuple(made)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, scatter(list(grads), ctx.dst, ctx.group)


def scatter(tensors, src=0, group=None):
    """This rank's tensor of rank `src`'s list; the others' lists give shape and type.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.functional.scatter([weft.ones(2)])
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    return _Scatter.apply(src, group, *tensors)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        found = group_or_world(group)
        made = _like(tensors[found.rank()])
        there = found.global_rank() == src
        collectives.scatter(made, [t.detach() for t in tensors] if there else None, src, group)
        return made

    @staticmethod
    def backward(ctx, grad_out):
        return None, None, *gather(grad_out, ctx.src, ctx.group)


def _size_of(group):
    return 1 if group is None and GroupMember.WORLD is None else _size(group)


processes.sum_over = lambda tensor, group: all_reduce(tensor, group=group)       # SyncBatchNorm's
processes.size_of = _size_of
