"""Run under mpiexec with 1 to 4 ranks: DistributedDataParallel equals one process on the joined batch."""
import copy

import weft
import weft.distributed as dist
from weft import nn
from weft.nn.parallel import DistributedDataParallel as DDP

EACH = 6        # examples per rank and step


class Net(nn.Module):
    """Tied weights, a branch that is used now and then, buffers, a parameter that nobody uses, one that is frozen."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.tied = nn.Linear(5, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.tied.weight = self.second.weight
        self.seldom, self.last = nn.Linear(8, 8), nn.Linear(8, 3)
        self.never = nn.Parameter(weft.ones(4))
        self.frozen = nn.Parameter(weft.ones(8), requires_grad=False)
        self.register_buffer("seen", weft.zeros(2))
        self.wide = nn.Parameter(weft.ones(3, dtype=weft.float64))

    def forward(self, x, seldom):
        h = self.tied(self.second(self.first(x).tanh()).tanh()) * self.frozen
        if seldom:
            h = h + self.seldom(h)
        return self.last(h) * self.wide.float()


def batch(step, size):
    g = weft.Generator().manual_seed(100 + step)
    return weft.randn(EACH * size, 5, generator=g), weft.randn(EACH * size, 3, generator=g)


def same(got, expected, what, tolerance=1e-6):
    got, expected = dict(got), dict(expected)
    for name, value in expected.items():
        other = got[name]
        assert (other is None) == (value is None), (what, name, other, value)
        if value is not None:
            assert (other - value).abs().max() <= tolerance, (what, name, (other - value).abs().max())


def grads(net):
    return {name: p.grad for name, p in net.named_parameters()}


def twin_steps(rank, size, cap, passes=1, accumulate=1, steps=20):
    """The same steps in parallel and, on the whole batch, alone."""
    weft.manual_seed(0 if rank == 0 else 5)         # DDP gives all ranks rank 0's parameters
    net = Net()
    model = DDP(net, bucket_cap_mb=cap)
    alone = copy.deepcopy(net)
    optimizers = [weft.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in (net, alone)]
    for step in range(steps):
        x, y = batch(step, size)
        own = slice(rank * EACH, rank * EACH + EACH)
        seldom = step % 3 == 1
        for k in range(accumulate):
            quiet = model.no_sync() if k < accumulate - 1 else weft.enable_grad()
            with quiet:
                loss = sum(((model(x[own] + k, seldom) - y[own]) ** 2).mean() for _ in range(passes))
                loss.backward()
            sum(((alone(x + k, seldom) - y) ** 2).mean() for _ in range(passes)).backward()
        same(grads(net), grads(alone), ("gradients", step))
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=step % 2 == 0)
        same(net.named_parameters(), alone.named_parameters(), ("parameters", step))
    if size > 1:
        assert model.reducer.learnt and (cap != 0.0001 or len(model.reducer.buckets) > 4)
    return model


def different_branches(rank, size):
    """Ranks that use other parameters; one that nobody uses keeps None."""
    weft.manual_seed(1)
    net = Net()
    model = DDP(net)
    alone = copy.deepcopy(net)
    for step in range(3):
        x, _ = batch(step, size)
        net.zero_grad(), alone.zero_grad()
        model(x[rank * EACH:rank * EACH + EACH], rank == 0).pow(2).sum().backward()
        sum(alone(x[r * EACH:r * EACH + EACH], r == 0).pow(2).sum() for r in range(size)).div(size).backward()
        same(grads(net), grads(alone), ("branches", step), 1e-5)
    assert net.never.grad is None


def held_gradients(rank, size):
    """A .grad that somebody holds is written to; gradients of one step stay as they are in the next."""
    net = nn.Linear(2, 1)
    model = DDP(net)
    model(weft.full((1, 2), float(rank))).sum().backward()
    first = net.weight.grad
    kept = first.clone()
    net.zero_grad()
    model(weft.ones(1, 2)).sum().backward()
    assert weft.equal(first, kept) and abs(kept[0, 0].item() - (size - 1) / 2) < 1e-6
    held = net.weight.grad
    net.zero_grad(set_to_none=False)
    model(weft.full((1, 2), float(rank))).sum().backward()
    assert net.weight.grad is held and weft.equal(held, kept)


def buffers(rank, size):
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    net[1].running_mean.fill_(float(rank))
    model = DDP(net)
    assert net[1].running_mean.tolist() == [0, 0, 0]
    net[1].running_mean.fill_(float(rank + 1))
    model.eval()
    model(weft.ones(2, 3))
    assert net[1].running_mean.tolist() == [1, 1, 1]
    assert list(model.state_dict())[0] == "module.0.weight"
    bare = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    bare.load_state_dict(model.state_dict())
    model.load_state_dict(bare.state_dict())
    assert weft.equal(bare[0].weight, net[0].weight)


def uneven(rank, size):
    """join: rank r has r + 1 batches; equal to one process whose loss leaves the finished ranks out."""
    weft.manual_seed(2)
    net = nn.Sequential(nn.Linear(5, 3))
    model = DDP(net)
    alone = copy.deepcopy(net)
    optimizer, other = (weft.optim.SGD(m.parameters(), lr=0.1) for m in (net, alone))
    with model.join():
        for step in range(rank + 1):
            optimizer.zero_grad()
            x, y = batch(step, size)
            ((model(x[rank * EACH:rank * EACH + EACH]) - y[rank * EACH:rank * EACH + EACH]) ** 2).mean().backward()
            optimizer.step()
    for step in range(size):
        other.zero_grad()
        x, y = batch(step, size)
        parts = [((alone(x[r * EACH:r * EACH + EACH]) - y[r * EACH:r * EACH + EACH]) ** 2).mean() for r in range(step, size)]
        (sum(parts) / size).backward()
        other.step()
    same(net.named_parameters(), alone.named_parameters(), "join")
    try:
        with model.join(throw_on_early_termination=True):
            for _ in range(1 if rank == 0 else 2):
                model(weft.ones(1, 5)).sum().backward()
        assert size == 1
    except RuntimeError as error:
        assert "exhausted inputs" in str(error)


def batch_norm_over_ranks(rank, size):
    weft.manual_seed(3)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(12, 2)))
    alone = copy.deepcopy(net)
    alone[1] = nn.BatchNorm2d(3)
    model = DDP(net)
    g = weft.Generator().manual_seed(9)
    for step in range(3):
        x = weft.randn(size * EACH, 2, 2, 2, generator=g)
        net.zero_grad(), alone.zero_grad()
        model(x[rank * EACH:rank * EACH + EACH]).pow(2).mean().backward()
        alone(x).pow(2).mean().backward()
        same(grads(net), grads(alone), ("SyncBatchNorm", step), 2e-6)
        same(net.named_buffers(), alone.named_buffers(), ("running", step))
    # ranks with other numbers of examples
    cut = size + 1
    x = weft.randn(cut, 2, 2, 2, generator=g)
    net.zero_grad(), alone.zero_grad()
    own = x[rank:rank + 1] if rank < size - 1 else x[size - 1:]
    (model(own).pow(2).sum() * size).backward()
    alone(x).pow(2).sum().backward()
    same(grads(net), grads(alone), "uneven SyncBatchNorm", 2e-5)


def hooks(rank, size):
    from weft.distributed.algorithms.ddp_comm_hooks import default_hooks
    from weft.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
    for hook, state, tolerance in ((default_hooks.allreduce_hook, None, 1e-6), (default_hooks.fp16_compress_hook, None, 2e-3),
                                   (default_hooks.bf16_compress_hook, None, 2e-2),
                                   (default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook), None, 2e-3),
                                   (power.powerSGD_hook, power.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2,
                                                                             min_compression_rate=0.5), 1e-4),
                                   (power.batched_powerSGD_hook, power.PowerSGDState(None, matrix_approximation_rank=7,
                                                                                     start_powerSGD_iter=2), 1e-4)):
        weft.manual_seed(4)
        net = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3))
        model = DDP(net)
        alone = copy.deepcopy(net)
        model.register_comm_hook(state, hook)
        for step in range(4):
            x, _ = batch(step, size)
            net.zero_grad(), alone.zero_grad()
            model(x[rank * EACH:rank * EACH + EACH]).pow(2).mean().backward()
            alone(x).pow(2).mean().backward()
            same(grads(net), grads(alone), (str(hook), step), tolerance)
    # a low rank loses something, keeps the error, and makes it good later
    weft.manual_seed(4)
    weight = nn.Linear(20, 20, bias=False)
    model = DDP(weight)
    model.register_comm_hook(power.PowerSGDState(None, 1, start_powerSGD_iter=2), power.powerSGD_hook)
    x = weft.randn(20, 20, generator=weft.Generator().manual_seed(7))
    total = weft.zeros(20, 20)
    for _ in range(200):
        weight.zero_grad()
        (model(x) * weft.eye(20)).sum().backward()
        total += weight.weight.grad
    assert (total / 200 - x).abs().max() < 0.35, (total / 200 - x).abs().max()


def mistakes(rank, size):
    try:
        DDP(nn.Linear(3 if rank else 2, 1))
        assert size == 1
    except RuntimeError as error:
        assert "is not that of rank 0" in str(error) and "weight" in str(error)
    try:
        model = DDP(nn.Linear(2, 1))
        if rank == 0:
            model(weft.ones(1, 2)).sum().backward()
        else:
            dist.barrier()
        assert size == 1
    except RuntimeError as error:
        assert "DistributedDataParallel(bucket 0 of 1" in str(error) and "barrier()" in str(error)


def main():
    dist.init_process_group("mpi")
    rank, size = dist.get_rank(), dist.get_world_size()
    twin_steps(rank, size, None)
    twin_steps(rank, size, 0.0001)
    twin_steps(rank, size, 0.0001, passes=2, accumulate=3, steps=7)
    different_branches(rank, size)
    held_gradients(rank, size)
    buffers(rank, size)
    uneven(rank, size)
    batch_norm_over_ranks(rank, size)
    hooks(rank, size)
    mistakes(rank, size)
    if rank == 0:
        print("all right", size)


if __name__ == "__main__":
    main()
