"""Run under mpiexec: gradients through collectives, to second order, against the same computation in one process."""
import weft
import weft.distributed as dist
from weft.distributed import functional as F


def inputs(size):
    return [weft.linspace(0.5 + r, 1.5 + r, 2 * size, dtype=weft.float64).reshape(size, 2) for r in range(size)]


def ones(f, size):
    """Losses of all ranks together in this one process: f(list of all ranks' x) -> list of outputs; gradients and theirs."""
    xs = [x.requires_grad_() for x in inputs(size)]
    loss = sum((y ** 3).sum() * (r + 1) for r, y in enumerate(f(xs))) + sum((x ** 3).sum() * 0 for x in xs)
    grads = weft.autograd.grad(loss, xs, create_graph=True)
    seconds = weft.autograd.grad(sum((g ** 2).sum() for g in grads), xs)
    return grads, seconds


def check(name, own, whole, rank, size):
    x = inputs(size)[rank].requires_grad_()
    loss = (own(x) ** 3).sum() * (rank + 1)
    grad, = weft.autograd.grad(loss, x, create_graph=True)
    second, = weft.autograd.grad((grad ** 2).sum(), x)
    grads, seconds = ones(whole, size)
    weft.testing.assert_close(grad, grads[rank], msg=lambda m: f"{name}: {m}")
    weft.testing.assert_close(second, seconds[rank], msg=lambda m: f"{name} twice: {m}")


def main():
    dist.init_process_group("mpi")
    rank, size = dist.get_rank(), dist.get_world_size()
    every, cat, op = range(size), weft.cat, dist.ReduceOp
    check("all_reduce", F.all_reduce, lambda xs: [sum(xs)] * size, rank, size)
    check("avg", lambda x: F.all_reduce(x, op.AVG), lambda xs: [sum(xs) / size] * size, rank, size)
    check("max", lambda x: F.all_reduce(x, op.MAX), lambda xs: [weft.stack(xs).amax(0)] * size, rank, size)
    check("product", lambda x: F.all_reduce(x, op.PRODUCT), lambda xs: [weft.stack(xs).prod(0)] * size, rank, size)
    check("broadcast", lambda x: F.broadcast(x, 1), lambda xs: [xs[1] for _ in every], rank, size)
    check("reduce", lambda x: F.reduce(x, 1), lambda xs: [sum(xs) if r == 1 else xs[r] * 0 for r in every], rank, size)
    check("all_gather", lambda x: cat(F.all_gather(x)), lambda xs: [cat(xs)] * size, rank, size)
    check("gather", lambda x: cat(F.gather(x, 1)), lambda xs: [cat(xs) if r == 1 else cat(xs) * 0 for r in every], rank, size)
    check("scatter", lambda x: F.scatter(list(x), 1), lambda xs: [xs[1][r] for r in every], rank, size)
    check("reduce_scatter", lambda x: F.reduce_scatter(x[0], list(x)), lambda xs: [sum(x[r] for x in xs) for r in every],
          rank, size)
    check("all_to_all", lambda x: weft.stack(F.all_to_all(list(x), list(x))),
          lambda xs: [weft.stack([x[r] for x in xs]) for r in every], rank, size)
    check("all_to_all_single", lambda x: F.all_to_all_single(x, x), lambda xs: [cat([x[r:r + 1] for x in xs]) for r in every],
          rank, size)
    if rank == 0:
        print("all right", size)


main()
