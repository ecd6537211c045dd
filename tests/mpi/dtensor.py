"""Run under mpiexec: DTensors against one process: every placement of every operand, gradients, training."""
import copy
import itertools
import sys

import weft
import weft.distributed as dist
import weft.nn.functional as F
from weft import nn
from weft.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
    init_device_mesh,
)


def close(a, b, what, tolerance=1e-5):
    assert a.shape == b.shape and (a.numel() == 0 or (a - b).abs().max() <= tolerance), (what, a, b)


def drawn(*shape, seed=0):
    return weft.randn(shape, generator=weft.Generator().manual_seed(seed + 17 * len(shape)), dtype=weft.float64)


def words(*shape):
    return (weft.arange(shape[0] * shape[-1]).reshape(shape) * 7) % 5


LABELS = weft.tensor([0, 3, 2, -100, 1, 4, 0])
# functions, and the shapes of what they take; sizes that no number of ranks divides are among them
OPS = [
    (lambda a, b: a * b + a / (b * b + 2) - 2 * b, (5, 4), (5, 4)),
    (lambda a, b: (a - b).exp().clamp(max=3), (3, 5, 4), (5, 1)),
    (lambda a: a.neg().mul(2).div(3).relu() + 1, (7, 3)),
    (lambda a: weft.where(a > 0, a, a * 0.1), (7,)),
    (lambda a, b: a @ b, (6, 5), (5, 4)),
    (lambda a, b: a @ b, (2, 6, 5), (5, 4)),
    (lambda a, b: weft.matmul(a, b), (6, 5), (5,)),
    (lambda a, b: weft.bmm(a, b), (4, 3, 5), (4, 5, 2)),
    (lambda a, b: a @ b, (4, 1, 3, 5), (2, 5, 2)),
    (lambda a, b, c: F.linear(a, b, c), (3, 4, 5), (6, 5), (6,)),
    (lambda a, b, c: weft.addmm(c, a, b, beta=2, alpha=3), (3, 4), (4, 5), (5,)),
    (lambda a: a.sum(), (5, 4)),
    (lambda a: a.sum(0, keepdim=True), (5, 4)),
    (lambda a: a.mean((0, 2)), (5, 4, 3)),
    (lambda a: a.amax(1), (5, 4)),
    (lambda a: a.max(0).values, (5, 4)),
    (lambda a: a.var(0), (5, 4)),
    (lambda a: a.std(), (5, 4)),
    (lambda a: a.norm() + weft.linalg.vector_norm(a, 3) + a.norm(dim=1).sum(), (5, 4)),
    (lambda a: a.softmax(-1) + a.log_softmax(0), (5, 4)),
    (lambda a: a.cumsum(1), (5, 4)),
    (lambda a: a.sort(0).values + a.topk(5, 0).values, (5, 4)),
    (lambda a, b, c: F.layer_norm(a, (4,), b, c), (5, 3, 4), (4,), (4,)),
    (lambda a, b, c: F.conv2d(a, b, c, padding=1), (4, 2, 5, 5), (3, 2, 3, 3), (3,)),
    (lambda a: F.max_pool2d(a, 2), (4, 2, 4, 4)),
    (lambda a: F.gelu(a.transpose(0, 1)).permute(1, 0).T, (5, 4)),
    (lambda a: a.unsqueeze(1).expand(5, 2, 4).flatten(1).reshape(-1, 4), (5, 4)),
    (lambda a: a.view(6, 2, 4).unflatten(0, (2, 3)).squeeze(), (12, 4)),
    (lambda a: a.reshape(12, 2, 2).reshape(48), (12, 4)),
    (lambda a: a[1:, :] * 2 + a[0] + a[..., None, 1][:4] + a[:, 2].sum(), (5, 4)),
    (lambda a: a[[0, 2]], (5, 4)),
    (lambda a, b: weft.cat([a, b]).sum(0) + weft.stack([a, a], 1).sum((0, 1)), (5, 4), (3, 4)),
    (lambda a: sum(part.sum() * i for i, part in enumerate(a.chunk(2, 1))) + a.split(2)[0].sum() * a.select(1, 0), (5, 4)),
    (lambda a, b, c: F.scaled_dot_product_attention(a, b, c, is_causal=True), (2, 4, 3, 5), (2, 4, 3, 5), (2, 4, 3, 5)),
    (lambda a, b: F.mse_loss(a, b) + F.smooth_l1_loss(a, b, reduction="sum"), (5, 4), (5, 4)),
    (lambda a: weft.linalg.inv(a @ a.T + weft.linalg.inv(a @ a.T)).diagonal(), (4, 4)),      # no rule: whole
]


def every_op(mesh, every):
    """every: 1 for all ways to spread the operands, n for one in n of them."""
    placements = [Replicate(), Shard(0), Shard(1), Shard(-1)]
    for number, (f, *shapes) in enumerate(OPS):
        options = [[p for p in placements if not p.is_shard() or len(s) > p.dim and (p.dim >= 0 or len(s) > 2)]
                   for s in shapes]
        combos = itertools.product(*[itertools.product(o, repeat=mesh.ndim) for o in options])
        for combo in list(combos)[number % every::every]:
            plain = [drawn(*s, seed=i).requires_grad_() for i, s in enumerate(shapes)]
            ours = [distribute_tensor(t.detach().clone().requires_grad_(), mesh, p) for t, p in zip(plain, combo)]
            expected, made = f(*plain), f(*ours)
            assert isinstance(made, DTensor) and made.shape == expected.shape, (number, combo)
            close(made.full_tensor(), expected, (number, combo))
            weight = drawn(*expected.shape, seed=9)
            (expected * weight).sum().backward()
            (made * distribute_tensor(weight, mesh, (Replicate(),) * mesh.ndim)).sum().backward()
            for t, p in zip(ours, plain):
                assert t.grad.placements == t.placements and t.grad.shape == t.shape
                close(t.grad.full_tensor(), p.grad, (number, combo, "grad"))


def summands(rank, size, mesh):
    local = drawn(3, 4, seed=rank).requires_grad_()
    total = sum(drawn(3, 4, seed=r) for r in range(size))
    x = DTensor.from_local(local, mesh, [Partial()])
    for f in (lambda t: t * 2, lambda t: -t + t, lambda t: t.sum(0), lambda t: t @ t.T, lambda t: t.exp(),
              lambda t: t.redistribute(mesh, [Shard(1)]), lambda t: t.clone() + 1, lambda t: t / 4 - t):
        close(f(x).full_tensor(), f(total) if "redistribute" not in f.__code__.co_names else total, f.__code__)
    assert (x * 2 + x).placements == (Partial(),) and (x + 1).placements == (Replicate(),)
    (x * x).sum().backward()
    close(local.grad, 2 * total, "the gradient of a summand is the whole one")
    most = DTensor.from_local(weft.tensor([float(rank), -float(rank)]), mesh, [Partial("max")])
    assert most.full_tensor().tolist() == [size - 1.0, 0.0]
    again = DTensor.from_local(weft.ones(2), mesh, [Replicate()]).redistribute(mesh, [Partial()])
    assert again.full_tensor().tolist() == [1.0, 1.0]
    close(x.sum().full_tensor(), total.sum(), "sum")


def places(mesh):
    x = drawn(7, 3)
    t = distribute_tensor(x, mesh, [Shard(0)])
    again = DTensor.from_local(t.to_local(), mesh, [Shard(0)], shape=(7, 3))
    close(again.full_tensor(), x, "from_local with a shape")
    for other in (Replicate(), Shard(1), Shard(-1), Shard(0)):
        close(t.redistribute(placements=[other]).full_tensor(), x, other)
    y = copy.deepcopy(t)
    with weft.no_grad():
        y.add_(1).mul_(t).clamp_(min=0)
        y[0:1]
    close(y.full_tensor(), ((x + 1) * x).clamp(min=0), "in place")
    close(t.full_tensor(), x, "deepcopy has memory of its own")
    assert weft.zeros_like(t).placements == (Shard(0),) and weft.ones_like(t).full_tensor().sum() == 21
    weft.manual_seed(3)
    z = weft.zeros_like(t).normal_()
    weft.manual_seed(3)
    close(z.full_tensor(), weft.zeros(7, 3, dtype=weft.float64).normal_(), "all ranks draw one tensor")
    close(weft.distributed.tensor.full((2, 3), 2.0, device_mesh=mesh, placements=[Shard(1)]).full_tensor(),
          weft.full((2, 3), 2.0), "full")
    assert t.sum().item() == t.sum().full_tensor().item() and "Shard(dim=0)" in repr(t)
    for wrong, kind, text in ((lambda: t + x, RuntimeError, "mixed"), (lambda: t.numpy(), NotImplementedError, "full_tensor"),
                              (lambda: distribute_tensor(x, mesh, [Shard(2)]), ValueError, "Shard(0) to Shard(1)"),
                              (lambda: t.resize_(3), NotImplementedError, "no rule"),
                              (lambda: weft.add(t, t, out=weft.zeros_like(t)), NotImplementedError, "out=")):
        try:
            wrong()
            raise AssertionError(text)
        except kind as error:
            assert text in str(error), error


def training(rank, size, mesh):
    def partition(name, module, mesh):
        cuts = {"0": {"weight": Shard(0), "bias": Shard(0)}, "3": {"weight": Shard(1), "bias": Replicate()}}.get(name, {})
        for key, placement in cuts.items():
            whole = getattr(module, key)
            module.register_parameter(key, nn.Parameter(distribute_tensor(whole.detach(), mesh, [placement])))
    for kind, options in ((weft.optim.AdamW, {}), (weft.optim.SGD, {"momentum": 0.9, "nesterov": True}),
                          (weft.optim.RMSprop, {}), (weft.optim.Adagrad, {})):
        weft.manual_seed(0)
        alone = nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.Tanh(), nn.Linear(7, 5)).double()
        net = distribute_module(copy.deepcopy(alone), mesh, partition,
                                lambda m, given, mesh: tuple(distribute_tensor(t, mesh, [Shard(0)]) for t in given))
        ours, plain = kind(net.parameters(), lr=0.05, **options), kind(alone.parameters(), lr=0.05, **options)
        for step in range(4):
            x = drawn(7, 5, seed=step)
            losses = []
            for model, optimizer in ((net, ours), (alone, plain)):
                optimizer.zero_grad()
                made = model(x)
                target = distribute_tensor(LABELS, mesh, [Shard(0)]) if model is net else LABELS
                loss = F.cross_entropy(made, target)
                loss.backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                optimizer.step()
                losses.append((loss.full_tensor() if model is net else loss, norm))
            close(losses[0][0], losses[1][0], ("loss", step))
            close(losses[0][1], losses[1][1], ("norm", step))
        for (name, p), q in zip(net.named_parameters(), alone.parameters()):
            close(p.full_tensor(), q, (kind, name))
            state = ours.state[p]
            assert all(v.placements == p.placements for v in state.values() if isinstance(v, DTensor))
            assert size == 1 or not state or any(isinstance(v, DTensor) for v in state.values())
        saved = alone.state_dict()
        net.load_state_dict(saved)      # a whole state


def main():
    dist.init_process_group()
    rank, size = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh("cpu", (size,))
    thorough = "all" in sys.argv
    every_op(mesh, 1 if thorough else 8)
    summands(rank, size, mesh)
    places(mesh)
    training(rank, size, mesh)
    if size in (2, 4):
        every_op(init_device_mesh("cpu", (2, size // 2)), 3 if thorough else 40)
    dist.barrier()
    if rank == 0:
        print("all right", size, flush=True)


main()
