"""Run by tests/test_mpi.py under mpiexec: every collective with every type, strided, empty, async, in groups."""
import sys

import weft
import weft.distributed as dist
from weft.distributed import ReduceOp

DTYPES = [weft.float32, weft.float64, weft.float16, weft.bfloat16, weft.int8, weft.int16, weft.int32, weft.int64, weft.uint8,
          weft.bool, weft.complex64, weft.complex128]


def fails(kind, words, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except kind as error:
        assert all(word in str(error) for word in words), str(error)
        return str(error)
    raise AssertionError(f"{f} raised nothing")


def reductions(rank, size):
    for dtype in DTYPES:
        own = (weft.arange(6).reshape(2, 3) % 3 + rank).to(dtype)
        every = weft.stack([(weft.arange(6).reshape(2, 3) % 3 + r).to(dtype) for r in range(size)])
        wide = every.to(weft.complex128 if dtype.is_complex else weft.float64)
        expected = {ReduceOp.SUM: wide.sum(0), ReduceOp.PRODUCT: wide.prod(0)}
        if not dtype.is_complex:
            expected.update({ReduceOp.MIN: wide.amin(0), ReduceOp.MAX: wide.amax(0)})
        if dtype.is_floating_point or dtype.is_complex:
            expected[ReduceOp.AVG] = wide.mean(0)
        for op, value in expected.items():
            for tensor in (own.clone(), own.t().contiguous().t(), weft.stack([own, own], -1)[..., 1]):
                for async_op in (False, True):
                    x = tensor.clone() if tensor.is_contiguous() else weft.stack([tensor, tensor], -1)[..., 0]
                    work = dist.all_reduce(x, op, async_op=async_op)
                    if async_op:
                        assert work.wait() and work.is_completed()
                    value_ = value.to(dtype)
                    assert x.dtype == dtype and weft.equal(x, value_), (dtype, op, x, value_)
            x = own.clone()
            dist.reduce(x, size - 1, op)
            assert weft.equal(x, value.to(dtype) if rank == size - 1 else own), (dtype, op)
            parts = [own + i if dtype != weft.bool else own for i in range(size)]
            out = weft.zeros(2, 3, dtype=dtype)
            dist.reduce_scatter(out, parts, op)
            if op == ReduceOp.SUM and dtype != weft.bool:
                assert weft.equal(out, (wide.sum(0) + size * rank).to(dtype)), (dtype, out)
        x = weft.empty(0, 3, dtype=dtype)
        dist.all_reduce(x)
        assert x.shape == (0, 3)
    for op, value in ((ReduceOp.BAND, 1), (ReduceOp.BOR, 3), (ReduceOp.BXOR, 2 if size == 2 else None)):
        x = weft.tensor([1 if rank else 3])
        dist.all_reduce(x, op)
        assert value is None or x.item() == value
    x = weft.ones(3) * (rank + 1)
    dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
    assert x.tolist() == [0.5 * size * (size + 1) / 2] * 3
    fails(RuntimeError, ["BAND", "float32"], dist.all_reduce, x, ReduceOp.BAND)
    fails(RuntimeError, ["MIN", "complex64"], dist.all_reduce, weft.ones(1, dtype=weft.complex64), ReduceOp.MIN)
    fails(ValueError, ["no ReduceOp"], dist.all_reduce, x, "median")
    zero = weft.tensor(float(rank))
    dist.all_reduce(zero)
    assert zero.shape == () and zero.item() == size * (size - 1) / 2
    lists = [weft.ones(2) * rank, weft.ones(3, 1) * rank]
    dist.all_reduce_coalesced(lists)
    assert lists[1][2].item() == lists[0][0].item() == size * (size - 1) / 2
    parameter = weft.nn.Parameter(weft.ones(2))
    (parameter * parameter).sum().backward()
    dist.all_reduce(parameter.grad)
    assert parameter.grad.tolist() == [2.0 * size] * 2
    x = weft.ones(2, requires_grad=True)
    y = x * 3
    z = y * y
    dist.all_reduce(y.detach())
    fails(RuntimeError, ["modified"], z.sum().backward)


def moves(rank, size):
    for dtype in DTYPES:
        own = (weft.arange(4).reshape(2, 2) % 2 + rank).to(dtype)
        every = [(weft.arange(4).reshape(2, 2) % 2 + r).to(dtype) for r in range(size)]
        x = own.clone().t()
        dist.broadcast(x, size - 1)
        assert weft.equal(x, every[-1].t()), (dtype, x)
        got = [weft.zeros(2, 2, dtype=dtype).t() for _ in range(size)]
        dist.all_gather(got, own)
        assert all(map(weft.equal, got, every))
        big = weft.zeros(2 * size, 2, dtype=dtype)
        dist.all_gather_into_tensor(big, own)
        assert weft.equal(big, weft.cat(every))
        got = [weft.zeros(2, 2, dtype=dtype) for _ in range(size)] if rank == 1 else None
        dist.gather(own, got, dst=1)
        assert got is None or all(map(weft.equal, got, every))
        x = weft.zeros(2, 2, dtype=dtype)
        dist.scatter(x, every if rank == 1 else None, src=1)
        assert weft.equal(x, own)
        got = [weft.zeros(2, 2, dtype=dtype) for _ in range(size)]
        dist.all_to_all(got, [own for _ in range(size)])
        assert all(map(weft.equal, got, every))
        x = weft.zeros(size, 2, dtype=dtype)
        dist.all_to_all_single(x, own[:1].expand(size, 2))
        assert weft.equal(x, weft.cat([e[:1] for e in every]))
        other, previous = (rank + 1) % size, (rank - 1) % size
        x = weft.zeros(2, 2, dtype=dtype)
        sending = dist.isend(own.t(), other, tag=3)
        assert dist.recv(x, previous, tag=3) == previous and sending.wait()
        assert weft.equal(x, every[previous].t())
    sizes = [r + 1 for r in range(size)]
    got = [weft.zeros(n) for n in sizes]
    dist.all_gather(got, weft.full((rank + 1,), float(rank)))
    assert [g.tolist() for g in got] == [[float(r)] * (r + 1) for r in range(size)]
    out, given = weft.zeros(size * (rank + 1)), weft.full((sum(sizes),), float(rank))
    dist.all_to_all_single(out, given, [rank + 1] * size, sizes)
    assert out.tolist() == [float(r) for r in range(size) for _ in range(rank + 1)]
    empty = weft.zeros(size, 0)
    dist.all_gather_into_tensor(empty, weft.zeros(1, 0))
    # large messages in both directions, and from anybody
    big, came = weft.full((300_000,), float(rank)), weft.zeros(300_000)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, big, other), dist.P2POp(dist.irecv, came, previous)])
    assert all(work.wait() for work in works) and came[-1].item() == previous
    if rank == 0:
        came = [weft.zeros(200_000) for _ in range(size - 1)]
        ranks = [dist.recv(t) for t in came]
        assert sorted(ranks) == list(range(1, size)) and [t[0].item() for t in came] == ranks
    else:
        dist.send(weft.full((200_000,), float(rank)), 0)
    if rank == 0:
        dist.send_object_list([{"a": 1}, "b"], 1)
    elif rank == 1:
        things = [None, None]
        assert dist.recv_object_list(things, 0) == 0 and things == [{"a": 1}, "b"]


def objects(rank, size):
    got = [None] * size
    dist.all_gather_object(got, {"rank": rank, "text": "x" * (rank + 1)})
    assert [g["rank"] for g in got] == list(range(size)) and got[-1]["text"] == "x" * size
    things = [rank, "of", rank] if rank else [weft.ones(2), "settings", None]
    dist.broadcast_object_list(things)
    assert things[1] == "settings" and things[0].tolist() == [1, 1]
    got = [None] * size if rank == 0 else None
    dist.gather_object(rank * 10, got)
    assert got is None or got == [10 * r for r in range(size)]
    own = [None]
    dist.scatter_object_list(own, [f"task {r}" for r in range(size)] if rank == 0 else None)
    assert own == [f"task {rank}"]


def groups(rank, size):
    some = dist.new_group(list(range(size - 1)))
    if rank == size - 1:
        assert some is dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(some) == -1
    else:
        x = weft.ones(1)
        dist.all_reduce(x, group=some)
        assert x.item() == size - 1 == some.size() and dist.get_process_group_ranks(some) == list(range(size - 1))
    last = dist.new_group([size - 1, 0])
    if last is not dist.GroupMember.NON_GROUP_MEMBER:
        x = weft.tensor([float(rank)])
        dist.broadcast(x, size - 1, group=last)
        assert x.item() == size - 1 and dist.get_global_rank(last, 1) == size - 1
        dist.broadcast(x, group_src=0, group=last)
        fails(ValueError, ["rank 7"], dist.broadcast, x, 7, group=last)
    own, every = dist.new_subgroups(1)
    assert own.size() == 1 and len(every) == size and dist.get_rank(own) == 0
    local = dist.new_group([rank], use_local_synchronization=True)
    assert local.size() == 1
    dist.barrier()
    assert dist.barrier(async_op=True).wait()
    dist.monitored_barrier()


def works(rank, size):
    """Several under way, waited for in other orders on other ranks; halves take two steps."""
    xs = [weft.full((1000,), float(i + rank), dtype=dtype) for i, dtype in enumerate(
        [weft.float32, weft.float16, weft.bfloat16, weft.float16, weft.float64])]
    pending = [dist.all_reduce(x, async_op=True) for x in xs]
    order = list(range(5)) if rank % 2 else [3, 4, 1, 0, 2]
    for i in order:
        pending[i].wait()
    total = size * (size - 1) / 2
    assert [x[7].item() for x in xs] == [size * i + total for i in range(5)]
    x = weft.ones(3) * rank
    assert dist.all_reduce(x, async_op=True).get_future().then(lambda f: f.value()[0] + 1).wait()[0].item() == total + 1
    for i in range(200):        # nobody waits for these
        dist.isend(weft.full((3,), float(i)), (rank + 1) % size)
    for i in range(200):
        y = weft.zeros(3)
        dist.recv(y, (rank - 1) % size)
        assert y[0].item() == i


def boards(rank, size):
    """What goes through memory that ranks share: any size, and the same bits on all ranks; calls that others make async."""
    board = dist.group.WORLD.board
    assert weft._pure.PURE == (board is None)
    slot = board.slot if board is not None else 4096
    for dtype, n in [(weft.float32, slot // 4 + k) for k in (-1, 0, 1)] + [(weft.float64, slot // 2 + 3), (weft.float16, slot + 5)]:
        values = weft.arange(n) % 7
        x = (values + rank).to(dtype)
        dist.all_reduce(x, ReduceOp.AVG if dtype == weft.float16 else ReduceOp.SUM)
        total = values * size + size * (size - 1) // 2
        assert weft.equal(x, (total / size if dtype == weft.float16 else total).to(dtype)), (dtype, n)
    x = weft.rand(1000, generator=weft.Generator().manual_seed(rank))
    dist.all_reduce(x)
    every = [weft.empty(1000) for _ in range(size)]
    dist.all_gather(every, x)
    assert all(weft.equal(other, x) for other in every)
    for turn in range(50):      # a rank's own way of waiting is its own affair
        x, way = weft.ones(10) * turn, (turn + rank) % 3
        work = dist.all_reduce(x, async_op=way == 0)
        other = dist.barrier(async_op=way == 1)
        for one in (work, other):
            assert one is None or one.wait()
        assert weft.equal(x, weft.ones(10) * turn * size)
    many = [dist.all_reduce(weft.ones(1), async_op=True) for _ in range(5000)]      # more than a line of the board remembers
    assert all(work.result()[0].item() == size for work in many)


def mistakes(rank, size):
    """Every mismatch is an error on all ranks that names them and their lines, and the group still works after it."""
    text = fails(RuntimeError, ["rank 0: all_reduce(float32 [2] SUM)", "all_reduce(float32 [3] SUM)", "collectives.py:"],
                 dist.all_reduce, weft.ones(2 if rank == 0 else 3))
    assert ("rank 1" if size == 2 else "ranks 1, 2") in text
    fails(RuntimeError, ["float64", "float32"], dist.all_reduce, weft.ones(2, dtype=weft.float64 if rank else weft.float32))
    fails(RuntimeError, ["SUM", "MAX"], dist.all_reduce, weft.ones(2), ReduceOp.MAX if rank else ReduceOp.SUM)
    fails(RuntimeError, ["barrier()", "broadcast("], *([dist.barrier] if rank else [dist.broadcast, weft.ones(1), 0]))
    fails(RuntimeError, ["src=0", "src=1"], dist.broadcast, weft.ones(1), 1 if rank else 0)
    fails(RuntimeError, ["all_gather_object", "all_reduce"],
          *([dist.all_reduce, weft.ones(1)] if rank else [dist.all_gather_object, [None] * size, 1]))
    fails(RuntimeError, ["rank 0 sends 2 elements to rank 1, which expects 1", "collectives.py:"], dist.all_to_all_single,
          weft.zeros(size), weft.zeros(size + (rank == 0)), None, [1, 2] + [1] * (size - 2) if rank == 0 else None)
    if rank == 0:
        dist.send(weft.ones(3), 1)
    elif rank == 1:
        fails(RuntimeError, ["rank 0 sends float32 [3], rank 1 expects float32 [2]", "collectives.py:"], dist.recv,
              weft.ones(2), 0)
    x = weft.ones(1)
    dist.all_reduce(x)
    assert x.item() == size


def main():
    dist.init_process_group("mpi")
    rank, size = dist.get_rank(), dist.get_world_size()
    assert dist.is_available() and dist.get_backend() == "mpi" and size == int(sys.argv[1])
    for part in (reductions, moves, objects, groups, works, boards, mistakes):
        part(rank, size)
        dist.barrier()
    dist.destroy_process_group()
    dist.init_process_group("gloo")     # again, in the same processes
    dist.barrier()
    if rank == 0:
        print("all right", size)


main()
