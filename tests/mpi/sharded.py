"""Run under mpiexec: ZeroRedundancyOptimizer, meshes, tensor parallel layers and pipelines against one process."""
import contextlib
import copy

import weft
import weft.distributed as dist
from weft import nn
from weft.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from weft.distributed.fsdp import FSDPModule, FullStateDictConfig, MixedPrecisionPolicy, StateDictType, fully_shard
from weft.distributed.fsdp import FullyShardedDataParallel as FSDP
from weft.distributed.fsdp.wrap import ModuleWrapPolicy
from weft.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from weft.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from weft.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInputOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)
from weft.nn.parallel import DistributedDataParallel as DDP


def close(a, b, what, tolerance=1e-6):
    assert a.shape == b.shape and (a - b).abs().max() <= tolerance, (what, a, b)


def zero(rank, size):
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    alone = copy.deepcopy(net)
    model = DDP(net)
    groups = lambda m: [{"params": m[0].parameters(), "lr": 0.05}, {"params": m[2].parameters()}]      # noqa: E731
    own = dist.optim.ZeroRedundancyOptimizer(groups(net), weft.optim.Adam, lr=0.01)
    plain = weft.optim.Adam(groups(alone), lr=0.01)
    schedules = [weft.optim.lr_scheduler.StepLR(o, 2, 0.5) for o in (own, plain)]
    for step in range(6):
        x = weft.randn(4 * size, 4, generator=weft.Generator().manual_seed(step))
        own.zero_grad(), plain.zero_grad()
        model(x[rank * 4:rank * 4 + 4]).pow(2).mean().backward()
        alone(x).pow(2).mean().backward()
        own.step(), plain.step()
        for schedule in schedules:
            schedule.step()
        for p, q in zip(net.parameters(), alone.parameters()):
            close(p, q, ("zero", step), 1e-5)
        if step == 3:
            own.consolidate_state_dict(to=0)
            kept = [own.state_dict() if rank == 0 else None]
            dist.broadcast_object_list(kept)
            assert len(kept[0]["state"]) == 4 and kept[0]["state"].keys() == plain.state_dict()["state"].keys()
            close(kept[0]["state"][0]["exp_avg"], plain.state_dict()["state"][0]["exp_avg"], "state")
            plain.load_state_dict(kept[0])
            own = dist.optim.ZeroRedundancyOptimizer(groups(net), weft.optim.Adam, lr=0.01)
            own.load_state_dict(plain.state_dict())
            assert own.param_groups[0]["lr"] == plain.param_groups[0]["lr"]
            schedules = [weft.optim.lr_scheduler.StepLR(o, 2, 0.5) for o in (own, plain)]
    assert size == 1 or len(own.optim.state) < 4        # the others are elsewhere


def mesh(rank, size):
    two = dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("data", "model"))
    assert two.get_coordinate() == [0, rank] and two["model"].size() == size and two.get_local_rank("model") == rank
    assert two["model"].get_group().ranks == list(range(size)) and two["data"].get_group().size() == 1
    try:
        two.get_group()
        raise AssertionError
    except RuntimeError as error:
        assert "2 dimensions" in str(error)
    return two["model"]


def tensor_parallel(rank, size, mesh):
    """Layers cut by columns and rows, from a seed that differs between ranks; sizes that no number of ranks divides."""
    for plan in ({"0": ColwiseParallel(), "2": RowwiseParallel()}, {"0": ColwiseParallel(output_layouts=Replicate())},
                 {"2": RowwiseParallel(input_layouts=Replicate())},
                 {"0": ColwiseParallel(use_local_output=False)},
                 {"0": ColwiseParallel(input_layouts=Shard(0)), "2": RowwiseParallel(output_layouts=Shard(0))}):
        weft.manual_seed(rank)      # parallelize_module takes rank 0's
        net = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, size + 1))
        parallelize_module(net, mesh, plan)
        weft.manual_seed(0)
        alone = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, size + 1))
        for ours, plain in zip(net, alone):
            if not any([isinstance(p, DTensor) for p in ours.parameters()]):
                ours.load_state_dict(plain.state_dict())
        if "0" in plan and not plan["0"].use_local_output:
            net = net[:2]
            alone = alone[:2]
        x = weft.randn(2 * size, 4, generator=weft.Generator().manual_seed(1))
        y = alone(x)
        y.pow(2).sum().backward()
        cut = "2" in plan and plan["2"].output_layouts[0] == Shard(0)
        given = x[2 * rank:2 * rank + 2] if "0" in plan and plan["0"].input_layouts[0] == Shard(0) else x
        made = net(given.clone().requires_grad_())
        assert isinstance(made, DTensor) == (len(net) == 2)
        whole = made if isinstance(made, DTensor) else DTensor.from_local(made, mesh, [Shard(0) if cut else Replicate()])
        close(whole.full_tensor(), y, plan, 1e-5)
        whole.pow(2).sum().backward()
        for (name, p), q in zip(net.named_parameters(), alone.parameters()):
            assert isinstance(p, DTensor) == (name[0] in plan), name
            close(p.grad.full_tensor() if name[0] in plan else p.grad, q.grad, (plan, name), 1e-4)
    for style in (ColwiseParallel(output_layouts=Replicate()), RowwiseParallel(input_layouts=Replicate()),
                  RowwiseParallel(input_layouts=Replicate(), use_local_output=False)):
        for words in (4 * size + 1, 1):
            weft.manual_seed(0)
            table = nn.Embedding(words, 2 * size, padding_idx=words // 2)
            alone = copy.deepcopy(table)
            parallelize_module(table, mesh, style)
            x = weft.tensor([[0, 3], [4 * size, 2]]) % words
            made = table(x)
            made = made.full_tensor() if isinstance(made, DTensor) else made
            close(made, alone(x), style)
            made.pow(2).sum().backward()
            alone(x).pow(2).sum().backward()
            close(table.weight.grad.full_tensor(), alone.weight.grad, style)
    if size > 1:
        try:
            table(weft.tensor([words]))
            raise AssertionError
        except IndexError as error:
            assert "out of range" in str(error)


def sequence_parallel(rank, size, mesh):
    """A block of a transformer, its sequence cut between the products; keyword inputs; tuples."""
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(6), nn.Linear(6, 8), nn.Linear(8, 6)

        def forward(self, x, *, scale):
            return x + self.down(self.up(self.norm(x)).relu()) * scale, scale
    weft.manual_seed(0)
    net = Block()
    alone = copy.deepcopy(net)
    x = weft.randn(2, 3 * size, 6, generator=weft.Generator().manual_seed(1))
    parallelize_module(net, mesh, {
        "": PrepareModuleInputOutput(
            input_layouts=Replicate(), desired_input_layouts=Shard(1), use_local_input=True,
            input_kwarg_layouts={"scale": Replicate()}, desired_input_kwarg_layouts={"scale": Replicate()},
            output_layouts=(Shard(1), None), desired_output_layouts=(Replicate(), None)),
        "norm": SequenceParallel(), "up": ColwiseParallel(input_layouts=Shard(1)), "down": RowwiseParallel(output_layouts=Shard(1))})
    ours, plain = weft.optim.AdamW(net.parameters(), lr=0.1, foreach=True), weft.optim.AdamW(alone.parameters(), lr=0.1)
    for _ in range(3):
        for model, optimizer in ((net, ours), (alone, plain)):
            optimizer.zero_grad()
            made, two = model(x, scale=weft.tensor(2.0))
            assert float(two) == 2
            made.pow(2).mean().backward()
            optimizer.step()
    for (name, p), q in zip(net.named_parameters(), alone.parameters()):
        close(p.full_tensor(), q, name, 1e-4)
    logits = distribute_tensor(weft.randn(5, 4 * size, generator=weft.Generator().manual_seed(2)), mesh, [Shard(1)])
    with loss_parallel():
        loss = nn.functional.cross_entropy(logits, weft.tensor([0, 1, 2, 3, 0]))
    close(loss.full_tensor(), nn.functional.cross_entropy(logits.full_tensor(), weft.tensor([0, 1, 2, 3, 0])), "loss")


def pipeline(rank, size):
    weft.manual_seed(0)
    layers = [nn.Sequential(nn.Linear(5, 5), nn.Tanh()) for _ in range(size)]
    alone = copy.deepcopy(nn.Sequential(*layers))
    for kind in (ScheduleGPipe, Schedule1F1B):
        stage = PipelineStage(layers[rank], rank, size)
        schedule = kind(stage, 4, loss_fn=nn.functional.mse_loss)
        schedule.eval(*([weft.ones(4, 5)] if rank == 0 else []))
        layers[rank].zero_grad(), alone.zero_grad()
        for rows in (8, 12):        # the second one adds to the first one's gradients
            x = weft.randn(rows, 5, generator=weft.Generator().manual_seed(rows))
            y, losses = x.flip(0), []
            made = schedule.step(*([x] if rank == 0 else []), target=y if rank == size - 1 else None, losses=losses)
            out = alone(x)
            nn.functional.mse_loss(out, y).backward()
            if rank == size - 1:
                close(made, out, kind)
                assert len(losses) == 4
        for p, q in zip(layers[rank].parameters(), alone[rank].parameters()):
            close(p.grad, q.grad, kind)


class Tied(nn.Module):
    """A table that is used twice, a layer that is called twice, an odd number of rows, a frozen parameter."""

    def __init__(self):
        super().__init__()
        self.table, self.layer, self.out = nn.Embedding(7, 3), nn.Linear(3, 3), nn.Linear(3, 7)
        self.out.weight = self.table.weight
        self.unused, self.frozen = nn.Linear(2, 2), nn.Parameter(weft.ones(5), requires_grad=False)

    def forward(self, words):
        h = self.layer(self.layer(self.table(words)).tanh())
        return self.out(h) * self.frozen.sum()


def fully_sharded(rank, size):
    """Layers cut one by one, or a whole model: equal to one process, also where gradients add up, with and without an
    exchange; states as DTensors, to and from.
    """
    words = weft.arange(4 * size).reshape(2 * size, 2) % 7
    own = words[2 * rank:2 * rank + 2]
    for kind in ("layers", "whole", "by columns"):
        weft.manual_seed(rank)
        net = Tied()
        weft.manual_seed(0)
        alone = Tied()
        if kind == "layers":
            fully_shard(net.layer)
        fully_shard(net, shard_placement_fn=(lambda p: Shard(p.dim() - 1)) if kind == "by columns" else None)
        assert isinstance(net, Tied) and isinstance(net, FSDPModule) and type(net).__name__ == "FSDPTied"
        assert net.out.weight is net.table.weight and net.table.weight.placements == (Shard(int(kind == "by columns")),)
        ours, plain = weft.optim.Adam(net.parameters(), lr=0.05), weft.optim.Adam(alone.parameters(), lr=0.05)
        for step in range(4):
            ours.zero_grad(), plain.zero_grad()
            for k in range(3):          # gradients add up
                net.set_requires_gradient_sync(step % 2 == 0 or k == 2)
                (net(own + 0) * (k + 1)).pow(2).mean().backward()
                (alone(words) * (k + 1)).pow(2).mean().backward()
                assert isinstance(net.layer.weight, DTensor)
            norms = [nn.utils.clip_grad_norm_(m.parameters(), 1.0) for m in (net, alone)]
            close(norms[0], norms[1], (kind, "norm"), 1e-4 * float(norms[1]))
            ours.step(), plain.step()
            with weft.no_grad():
                close(net(words), alone(words), (kind, step), 1e-4)
        assert net.unused.weight.grad is None and net.frozen.grad is None
        net.unshard()
        assert not isinstance(net.table.weight, DTensor) and net.out.weight is net.table.weight
        state = net.state_dict()        # cuts again
        for name, value in alone.state_dict().items():
            close(state[name].full_tensor(), value, (kind, name), 1e-4)
        whole = get_optimizer_state_dict(net, ours, options=StateDictOptions(full_state_dict=True))
        close(whole["state"]["layer.weight"]["exp_avg"], plain.state[alone.layer.weight]["exp_avg"], kind, 1e-4)
        with weft.device("meta"):
            again = fully_shard(Tied())
        other = weft.optim.Adam(again.parameters(), lr=0.01)
        set_model_state_dict(again, {name: t.full_tensor() for name, t in state.items()})
        other = weft.optim.Adam(again.parameters(), lr=0.01)
        set_optimizer_state_dict(again, other, whole)
        for m, o in ((again, other), (net, ours)):
            m.set_requires_gradient_sync(True)
            o.zero_grad()
            m(words).pow(2).sum().backward()
            o.step()
        for name, value in net.state_dict().items():
            close(again.state_dict()[name].full_tensor(), value.full_tensor(), ("loaded", kind, name), 1e-5)


def older_class(rank, size):
    """FullyShardedDataParallel: names and states as PyTorch has them."""
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Sequential(nn.Linear(7, 3), nn.Linear(3, 3)))
    alone = copy.deepcopy(net)
    model = FSDP(net, auto_wrap_policy=ModuleWrapPolicy({nn.Sequential}))
    assert type(net[2]).__name__ == "FSDPSequential" and list(model.state_dict()) == list(alone.state_dict())
    own, plain = weft.optim.Adam(model.parameters(), lr=0.05), weft.optim.Adam(alone.parameters(), lr=0.05)
    x = weft.randn(4 * size, 4, generator=weft.Generator().manual_seed(1))
    for step in range(3):
        own.zero_grad(), plain.zero_grad()
        with model.no_sync() if step else contextlib.nullcontext():
            model(x[4 * rank:4 * rank + 4]).pow(2).mean().backward()
        model(x[4 * rank:4 * rank + 4]).pow(2).mean().backward()
        (2 * alone(x).pow(2).mean()).backward()
        close(model.clip_grad_norm_(0.1), nn.utils.clip_grad_norm_(alone.parameters(), 0.1), "norm", 1e-5)
        own.step(), plain.step()
    for name, value in model.state_dict().items():
        close(value, alone.state_dict()[name], name, 1e-4)
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True)):
        assert len(model.state_dict()) == (6 if rank == 0 else 0)
    with FSDP.summon_full_params(model), weft.no_grad():
        model.module[0].weight.add_(1)
    close(model.state_dict()["0.weight"], alone[0].weight + 1, "written", 1e-4)
    model.load_state_dict(alone.state_dict())
    whole = FSDP.optim_state_dict(model, own)
    close(whole["state"]["2.1.weight"]["exp_avg"], plain.state_dict()["state"][4]["exp_avg"], "moments", 1e-5)
    other = weft.optim.Adam(model.parameters(), lr=0.01)
    other.load_state_dict(FSDP.optim_state_dict_to_load(model, other, whole))
    assert other.param_groups[0]["lr"] == 0.05 and isinstance(other.state[model.module[0].weight]["exp_avg"], DTensor)


def precision(rank, size):
    """Computed in bfloat16, gradients summed in float32; and copies of the model beside its cuts (a mesh of two)."""
    weft.manual_seed(0)
    net = nn.Linear(4, 3)
    alone = copy.deepcopy(net).to(weft.bfloat16)
    fully_shard(net, mp_policy=MixedPrecisionPolicy(weft.bfloat16, weft.float32, weft.float32))
    x = weft.randn(size, 4, generator=weft.Generator().manual_seed(1))
    made = net(x[rank:rank + 1])
    assert made.dtype == weft.float32 and net.weight.dtype == weft.float32
    made.sum().backward()
    alone(x.to(weft.bfloat16)).float().sum().div(size).backward()
    close(net.weight.grad.full_tensor(), alone.weight.grad.float(), "bfloat16", 0.02)
    if size % 2:
        return
    two = dist.init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("copies", "cut"))
    net = nn.Linear(4, 3)
    fully_shard(net, mesh=two)
    assert net.weight.placements == (Replicate(), Shard(0))
    net(x[rank:rank + 1]).pow(2).sum().backward()
    plain = nn.Linear(4, 3)
    plain.load_state_dict({name: t.full_tensor() for name, t in net.state_dict().items()})
    plain(x).pow(2).sum().div(size).backward()
    close(net.weight.grad.full_tensor(), plain.weight.grad, "copies", 1e-5)


def both(rank, size):
    """Cut by tensor parallelism, and over other ranks by fully_shard: a mesh of two dimensions."""
    if size % 2:
        return
    mesh = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 5))
    alone = copy.deepcopy(net)
    parallelize_module(net, mesh["tp"], {"0": ColwiseParallel(output_layouts=Replicate()),
                                          "2": RowwiseParallel(input_layouts=Replicate())})
    fully_shard(net, mesh=mesh["dp"])
    assert net[0].weight.device_mesh.shape == (2, size // 2)
    ours, plain = weft.optim.Adam(net.parameters(), lr=0.05), weft.optim.Adam(alone.parameters(), lr=0.05)
    at = mesh["dp"].get_local_rank()
    for step in range(3):
        x = weft.randn(size, 4, generator=weft.Generator().manual_seed(step))       # two for each rank of "dp"
        ours.zero_grad(), plain.zero_grad()
        net(x[2 * at:2 * at + 2]).pow(2).mean().backward()
        alone(x).pow(2).mean().backward()
        norms = [nn.utils.clip_grad_norm_(m.parameters(), 0.5) for m in (net, alone)]
        close(norms[0], norms[1], "norm", 1e-5)
        ours.step(), plain.step()
    for name, value in alone.state_dict().items():
        close(net.state_dict()[name].full_tensor(), value, name, 1e-4)


def main():
    dist.init_process_group("mpi")
    rank, size = dist.get_rank(), dist.get_world_size()
    zero(rank, size)
    model = mesh(rank, size)
    tensor_parallel(rank, size, model)
    sequence_parallel(rank, size, model)
    pipeline(rank, size)
    fully_sharded(rank, size)
    older_class(rank, size)
    precision(rank, size)
    both(rank, size)
    if rank == 0:
        print("all right", size)


main()
