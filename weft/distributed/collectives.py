"""What all processes of a group do together with tensors. Each is a generator of requests, see `work`."""
import warnings

import numpy as np

from weft.distributed import world
from weft.distributed.buffers import Received, as_bytes, joined, keep_list, need_list, need_tensor, parts, sent
from weft.distributed.groups import group_or_world
from weft.distributed.reduce_op import ReduceOp
from weft.distributed.reduce_op import reduction as reduction_of
from weft.distributed.work import CHECK, Call, Work, finish, gather_texts, perform

__all__ = ["all_reduce", "all_reduce_coalesced", "reduce", "broadcast", "all_gather", "all_gather_into_tensor",
           "all_gather_coalesced", "gather", "scatter", "reduce_scatter", "reduce_scatter_tensor", "all_to_all",
           "all_to_all_single"]


def member(group, who):
    """The group of a call; None, and a warning, for a process outside of it."""
    found = group_or_world(group)
    if found is None:
        warnings.warn(f"Running {who} on global rank {group_or_world(None).rank()} which does not belong to the given "
                      "group.", stacklevel=3)
    return found


def root_of(group, rank, group_rank, who, name, default=0):
    """A group's number of the process that a call names by its number among all, or in the group."""
    if group_rank is not None:
        if rank is not None:
            raise ValueError(f"{who}: can't specify both {name} and group_{name}")
        if not 0 <= group_rank < group.size():
            raise ValueError(f"{who}: group_{name}={group_rank} in a group of {group.size()}")
        return group_rank
    rank = default if rank is None else rank
    if rank not in group.ranks:
        raise ValueError(f"{who}: rank {rank} is not in a group of " +
                         ("one process" if group.size() == 1 else f"the ranks {group.ranks}"))
    return group.ranks.index(rank)


def describe(tensor, *words):
    return " ".join([tensor.dtype.name, str(list(tensor.shape)), *words])


def start(call, steps, async_op, results):
    """perform(), whose Work knows what it fills."""
    made = perform(call, steps, async_op)
    if isinstance(made, Work):
        made._result = results
    return made


def in_mpi(array, reduction):
    MPI = world.started.mpi
    return [array, getattr(MPI, reduction.type)] if MPI else [array]


def operation(reduction):
    return getattr(world.started.mpi, reduction.operation) if world.started.mpi else None


def in_place():
    return world.started.mpi.IN_PLACE if world.started.mpi else None


def reduce_flat(group, array, reduction):
    """Steps that leave the reduction of all ranks' flat arrays in each of them."""
    reduction.prepare(array)
    if reduction.half and group.size() > 1:
        yield from reduce_halves(group, array, reduction)
        return
    if not reduction.half:
        yield group.main.Iallreduce(in_place(), in_mpi(array, reduction), operation(reduction))
    reduction.settle(array)


def reduce_on_board(call, array, reduction):
    """The same through the memory that all share; False, and nothing is done, where that isn't the way for all."""
    board = call.group.board
    if board is None or not board.takes(array.nbytes):
        return False
    step = board.slot // array.itemsize
    for start in range(0, max(1, array.size), step):
        part = array[start:start + step]
        rows = board.rows(array.dtype, part.size)
        rows[board.rank] = part
        reduction.prepare(rows[board.rank])
        if start == 0:
            call.announce(on_board=1)
            if not call.compare():
                return False        # another rank's is under way, by MPI
        else:
            finish(board.arrive(start), call)
        reduction.join(rows, part)
        board.turn = 1 - board.turn
    if not reduction.half:
        reduction.settle(array)
    return True


def reduce_halves(group, array, reduction):
    """MPI has no half types: every rank gets a slice of all, reduces it in float32, and gives it to all again."""
    size, n = group.size(), array.size
    share = -(-n // size)
    padded = np.zeros(share * size, array.dtype)
    padded[:n] = array
    collected = np.empty((size, share), array.dtype)
    even = [share] * size
    yield group.main.Ialltoallv(parts(padded, even), parts(collected.reshape(-1), even))
    own = reduction.fold(collected)
    yield group.second.Iallgatherv(as_bytes(own), parts(padded, even))
    array[:] = padded[:n]


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """The tensor becomes the sum, or another reduction, of all ranks' tensors.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.all_reduce(x)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "all_reduce")
    found = member(group, "all_reduce")
    if found is None:
        return None
    reduction = reduction_of(op, tensor._form.dtype, found.size())
    call = Call(found, "all_reduce", describe(tensor, reduction.kind.name))
    call.two_steps = reduction.half
    if found.board is not None and not async_op and found.board.takes(tensor._form.nbytes):
        target = Received(tensor, filled=True)
        if reduce_on_board(call, target.array, reduction):
            return target.keep()
    return start(call, _all_reduce(found, tensor, reduction), async_op, [tensor])


def _all_reduce(group, tensor, reduction):
    target = Received(tensor, filled=True)
    yield from reduce_flat(group, target.array, reduction)
    target.keep()


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    """all_reduce of several tensors of one type, at once.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = [weft.ones(2), weft.zeros(1)]
    >>> _ = weft.distributed.all_reduce_coalesced(x)
    >>> x
    [tensor([1., 1.]), tensor([0.])]
    >>> weft.distributed.destroy_process_group()
    """
    need_list(tensors, "all_reduce_coalesced", "tensors")
    found = member(group, "all_reduce_coalesced")
    if found is None or not tensors:
        return None
    if len({t.dtype for t in tensors}) > 1:
        raise ValueError("all_reduce_coalesced: tensors of several types\n  fix: one call for each type")
    reduction = reduction_of(op, tensors[0]._form.dtype, found.size())
    shapes = " ".join(str(list(t.shape)) for t in tensors)
    call = Call(found, "all_reduce_coalesced", f"{tensors[0].dtype.name} {shapes} {reduction.kind.name}")
    call.two_steps = reduction.half
    return start(call, _coalesced(found, list(tensors), reduction), async_op, list(tensors))


def _coalesced(group, tensors, reduction):
    flat = joined(tensors, tensors[0]._form.dtype)
    yield from reduce_flat(group, flat, reduction)
    keep_list(flat, tensors)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """The tensor of rank `dst` becomes the sum, or another reduction, of all ranks' tensors.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.reduce(x, dst=0)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "reduce")
    found = member(group, "reduce")
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "reduce", "dst")
    reduction = reduction_of(op, tensor._form.dtype, found.size())
    call = Call(found, "reduce", describe(tensor, reduction.kind.name, f"dst={found.ranks[root]}"))
    call.two_steps = reduction.half
    return start(call, _reduce(found, tensor, root, reduction), async_op, [tensor])


def _reduce(group, tensor, root, reduction):
    own = sent(tensor).copy()
    if reduction.half:
        yield from reduce_flat(group, own, reduction)
    else:
        reduction.prepare(own)
        result = np.empty_like(own)
        yield group.main.Ireduce(in_mpi(own, reduction), in_mpi(result, reduction), operation(reduction), root)
        own = result
        reduction.settle(own)
    if group.rank() == root:
        keep_list(own, [tensor])


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """The tensor becomes that of rank `src`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.broadcast(x, src=0)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "broadcast")
    found = member(group, "broadcast")
    if found is None:
        return None
    root = root_of(found, src, group_src, "broadcast", "src")
    call = Call(found, "broadcast", f"{tensor.dtype.name} {tensor.numel()} elements src={found.ranks[root]}")
    return start(call, _broadcast(found, tensor, root), async_op, [tensor])


def _broadcast(group, tensor, root):
    if group.rank() == root:
        yield group.main.Ibcast(as_bytes(sent(tensor)), root)
        return
    target = Received(tensor)
    yield group.main.Ibcast(as_bytes(target.array), root)
    target.keep()


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Every rank's tensor comes to every rank, into the list; shapes may differ where all lists agree on them.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [weft.zeros(2)]
    >>> _ = weft.distributed.all_gather(parts, weft.ones(2))
    >>> parts
    [tensor([1., 1.])]
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "all_gather")
    need_list(tensor_list, "all_gather", "tensor_list")
    found = member(group, "all_gather")
    if found is None:
        return None
    fits(tensor_list, tensor, found, "all_gather", "tensor_list")
    sizes = [t.numel() for t in tensor_list]
    call = Call(found, "all_gather", f"{tensor.dtype.name} {sizes} elements")
    return start(call, _all_gather(found, sent(tensor), tensor_list, sizes), async_op, list(tensor_list))


def fits(tensors, own, group, who, name):
    """A list has a place for each rank, of one type, and for this one of the right size."""
    if len(tensors) != group.size():
        raise ValueError(f"{who}: {name} has {len(tensors)} tensors for a group of " +
                         ("one process" if group.size() == 1 else f"{group.size()} processes"))
    for i, t in enumerate(tensors):
        if t.dtype != own.dtype:
            raise ValueError(f"{who}: Invalid usage of tensors with different dtypes: {name}[{i}] is {t.dtype}, the "
                             f"tensor {own.dtype}")
    if tensors[group.rank()].numel() != own.numel():
        raise ValueError(f"{who}: {name}[{group.rank()}] has the shape {list(tensors[group.rank()].shape)}, and this "
                         f"rank's tensor {list(own.shape)}")


def _all_gather(group, own, tensors, sizes):
    everything = np.empty(sum(sizes), own.dtype)
    yield group.main.Iallgatherv(as_bytes(own), parts(everything, sizes))
    keep_list(everything, tensors)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Every rank's tensor comes to every rank, one after the other in `output_tensor`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> everything = weft.zeros(2)
    >>> _ = weft.distributed.all_gather_into_tensor(everything, weft.ones(2))
    >>> everything
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(output_tensor, "all_gather_into_tensor", "output_tensor")
    need_tensor(input_tensor, "all_gather_into_tensor", "input_tensor")
    found = member(group, "all_gather_into_tensor")
    if found is None:
        return None
    whole(output_tensor, input_tensor, found, "all_gather_into_tensor", "output_tensor")
    call = Call(found, "all_gather_into_tensor", describe(input_tensor))
    return start(call, _gather_whole(found, output_tensor, input_tensor), async_op, [output_tensor])


def whole(big, small, group, who, name):
    if big.numel() != small.numel() * group.size() or big.dtype != small.dtype:
        raise ValueError(f"{who}: {name} has {big.numel()} elements of {big.dtype}\n  fix: {group.size()} times the "
                         f"other tensor's {small.numel()}, of {small.dtype}")


def _gather_whole(group, output, own):
    target = Received(output)
    yield group.main.Iallgatherv(as_bytes(sent(own)), parts(target.array, [own.numel()] * group.size()))
    target.keep()


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False):
    """all_gather of several tensors: `output_tensor_lists[rank][i]` becomes that rank's `input_tensor_list[i]`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [[weft.zeros(1), weft.zeros(2)]]
    >>> _ = weft.distributed.all_gather_coalesced(parts, [weft.ones(1), weft.ones(2)])
    >>> parts
    [[tensor([1.]), tensor([1., 1.])]]
    >>> weft.distributed.destroy_process_group()
    """
    works = [all_gather([row[i] for row in output_tensor_lists], tensor, group, async_op)
             for i, tensor in enumerate(input_tensor_list)]
    return works[-1] if works else None


def list_at_root(given, tensor, group, root, who, side):
    """The list of tensors that the root of a gather or scatter gives, and nobody else; None elsewhere."""
    name = f"{who}_list"
    if group.rank() != root:
        if given:
            raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{side} ranks.")
        return None
    if not given:
        raise ValueError(f"Argument ``{name}`` must be specified on {side} rank.")
    need_list(given, who, name)
    fits(given, tensor, group, who, name)
    if len({t.numel() for t in given}) > 1:
        raise ValueError(f"{who}: the tensors of {name} must have one shape")
    return list(given)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """Every rank's tensor comes to rank `dst`, into its list.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [weft.zeros(2)]
    >>> _ = weft.distributed.gather(weft.ones(2), parts)
    >>> parts
    [tensor([1., 1.])]
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "gather")
    found = member(group, "gather")
    if found is None:
        return None
    root = root_of(found, dst, group_dst, "gather", "dst")
    tensors = list_at_root(gather_list, tensor, found, root, "gather", "destination")
    call = Call(found, "gather", describe(tensor, f"dst={found.ranks[root]}"))
    return start(call, _gather(found, tensor, tensors, root), async_op, tensors or [])


def _gather(group, tensor, tensors, root):
    own = sent(tensor)
    if tensors is None:
        yield group.main.Igatherv(as_bytes(own), None, root)
        return
    everything = np.empty(own.size * group.size(), own.dtype)
    yield group.main.Igatherv(as_bytes(own), parts(everything, [own.size] * group.size()), root)
    keep_list(everything, tensors)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """Every rank gets its tensor of rank `src`'s list.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.zeros(2)
    >>> _ = weft.distributed.scatter(x, [weft.ones(2)])
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(tensor, "scatter")
    found = member(group, "scatter")
    if found is None:
        return None
    root = root_of(found, src, group_src, "scatter", "src")
    tensors = list_at_root(scatter_list, tensor, found, root, "scatter", "source")
    call = Call(found, "scatter", describe(tensor, f"src={found.ranks[root]}"))
    return start(call, _scatter(found, tensor, tensors, root), async_op, [tensor])


def _scatter(group, tensor, tensors, root):
    target, given = Received(tensor), None
    if tensors is not None:
        given = parts(joined(tensors, target.array.dtype), [tensor.numel()] * group.size())
    yield group.main.Iscatterv(given, as_bytes(target.array), root)
    target.keep()


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Every rank gets the sum, or another reduction, of all ranks' tensors at its place in their lists.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.zeros(2)
    >>> _ = weft.distributed.reduce_scatter(x, [weft.ones(2)])
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(output, "reduce_scatter", "output")
    need_list(input_list, "reduce_scatter", "input_list")
    found = member(group, "reduce_scatter")
    if found is None:
        return None
    fits(input_list, output, found, "reduce_scatter", "input_list")
    flat, sizes = joined(input_list, output._form.dtype), [t.numel() for t in input_list]
    return _begin_reduce_scatter("reduce_scatter", found, output, flat, sizes, op, async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """Every rank gets its part of the sum, or another reduction, of all ranks' `input`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.zeros(2)
    >>> _ = weft.distributed.reduce_scatter_tensor(x, weft.ones(2))
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(output, "reduce_scatter_tensor", "output")
    need_tensor(input, "reduce_scatter_tensor", "input")
    found = member(group, "reduce_scatter_tensor")
    if found is None:
        return None
    whole(input, output, found, "reduce_scatter_tensor", "input")
    return _begin_reduce_scatter("reduce_scatter_tensor", found, output, sent(input).copy(),
                                 [output.numel()] * found.size(), op, async_op)


def _begin_reduce_scatter(who, group, output, flat, sizes, op, async_op):
    reduction = reduction_of(op, output._form.dtype, group.size())
    call = Call(group, who, f"{output.dtype.name} {sizes} elements {reduction.kind.name}")
    return start(call, _reduce_scatter(group, output, flat, sizes, reduction), async_op, [output])


def _reduce_scatter(group, output, flat, sizes, reduction):
    reduction.prepare(flat)
    target, own = Received(output), sizes[group.rank()]
    if reduction.half:
        collected = np.empty((group.size(), own), flat.dtype)
        yield group.main.Ialltoallv(parts(flat, sizes), parts(collected.reshape(-1), [own] * group.size()))
        target.array[:] = reduction.fold(collected)
    else:
        yield group.main.Ireduce_scatter(in_mpi(flat, reduction), in_mpi(target.array, reduction), sizes,
                                         operation(reduction))
        reduction.settle(target.array)
    target.keep()


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Rank i's `input_tensor_list[j]` comes to rank j's `output_tensor_list[i]`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [weft.zeros(2)]
    >>> _ = weft.distributed.all_to_all(parts, [weft.ones(2)])
    >>> parts
    [tensor([1., 1.])]
    >>> weft.distributed.destroy_process_group()
    """
    need_list(output_tensor_list, "all_to_all", "output_tensor_list")
    need_list(input_tensor_list, "all_to_all", "input_tensor_list")
    found = member(group, "all_to_all")
    if found is None:
        return None
    outputs, inputs = list(output_tensor_list), list(input_tensor_list)
    for name, tensors in (("output_tensor_list", outputs), ("input_tensor_list", inputs)):
        if len(tensors) != found.size():
            raise ValueError(f"all_to_all: {name} has {len(tensors)} tensors for a group of {found.size()} processes")
    if len({t.dtype for t in outputs + inputs}) > 1:
        raise ValueError("all_to_all: Invalid usage of tensors with different dtypes")
    call = Call(found, "all_to_all", inputs[0].dtype.name)
    counts = [t.numel() for t in inputs], [t.numel() for t in outputs]
    agree(call, *counts)
    return start(call, _all_to_all(found, joined(inputs, None), *counts, outputs), async_op, outputs)


def _all_to_all(group, flat, sizes, out_sizes, outputs):
    everything = np.empty(sum(out_sizes), flat.dtype)
    yield group.main.Ialltoallv(parts(flat, sizes), parts(everything, out_sizes))
    keep_list(everything, outputs)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Every rank's `input` is cut along the first dimension, a part for each rank; the parts that come make `output`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.zeros(2)
    >>> _ = weft.distributed.all_to_all_single(x, weft.ones(2))
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    need_tensor(output, "all_to_all_single", "output")
    need_tensor(input, "all_to_all_single", "input")
    found = member(group, "all_to_all_single")
    if found is None:
        return None
    if output.dtype != input.dtype:
        raise ValueError(f"all_to_all_single: the output is {output.dtype}, the input {input.dtype}")
    counts = (split(input, input_split_sizes, found.size(), "input"),
              split(output, output_split_sizes, found.size(), "output"))
    call = Call(found, "all_to_all_single", input.dtype.name)
    agree(call, *counts)
    return start(call, _all_to_all(found, sent(input), *counts, [output]), async_op, [output])


def split(tensor, sizes, n, name):
    """How many elements go to each rank."""
    rows = tensor.shape[0] if tensor.dim() else 1
    if not sizes:
        if rows % n:
            raise RuntimeError(f"all_to_all_single: the {name}'s {rows} rows can't be divided by {n} processes\n"
                               f"  fix: give {name}_split_sizes")
        sizes = [rows // n] * n
    if len(sizes) != n or sum(sizes) != rows:
        raise RuntimeError(f"all_to_all_single: {name}_split_sizes={list(sizes)} for {rows} rows and {n} processes")
    row = tensor.numel() // rows if rows else 0
    return [size * row for size in sizes]


def agree(call, sizes, out_sizes):
    """What rank i sends to j is what j expects from i; else all ranks raise, with the lines of both."""
    group = call.group
    if not CHECK or group.size() == 1:
        return
    call.announce()
    call.compare()
    own, n = np.array(sizes + out_sizes, np.int64), group.size()
    table = np.empty((n, 2, n), np.int64)
    finish(group.heads.Iallgatherv(as_bytes(own), parts(table.reshape(-1), [2 * n] * n)), call)
    wrong = np.argwhere(table[:, 0, :] != table[:, 1, :].T)
    if len(wrong):
        i, j = wrong[0].tolist()
        texts = gather_texts(group, str(call))
        raise RuntimeError(f"{call.name}: rank {group.ranks[i]} sends {table[i, 0, j]} elements to rank "
                           f"{group.ranks[j]}, which expects {table[j, 1, i]}\n  rank {group.ranks[i]}: {texts[i]}\n"
                           f"  rank {group.ranks[j]}: {texts[j]}\n  fix: make both sizes the same")
