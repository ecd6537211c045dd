"""Run under mpiexec: ZeroRedundancyOptimizer, meshes, tensor parallel layers and pipelines against one process."""
import copy

import weft
import weft.distributed as dist
from weft import nn
from weft.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from weft.distributed.tensor import Replicate, Shard
from weft.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
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
    for plan in ({"0": ColwiseParallel(), "2": RowwiseParallel()}, {"0": ColwiseParallel(output_layouts=Replicate())},
                 {"2": RowwiseParallel(input_layouts=Replicate())},
                 {"0": ColwiseParallel(input_layouts=Shard(0)), "2": RowwiseParallel(output_layouts=Shard(0))}):
        weft.manual_seed(rank)      # parallelize_module takes rank 0's
        net = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, size))
        parallelize_module(net, mesh, plan)
        weft.manual_seed(0)
        alone = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, size))
        x = weft.randn(2 * size, 4, generator=weft.Generator().manual_seed(1))
        y = alone(x)
        y.pow(2).sum().backward()
        cut = [isinstance(style.output_layouts, Shard) for style in plan.values()][-1] and "2" in plan
        given = x[2 * rank:2 * rank + 2] if "0" in plan and isinstance(plan["0"].input_layouts, Shard) else x
        given = given.clone().requires_grad_()
        made = net(given)
        close(made, y[2 * rank:2 * rank + 2] if cut else y, plan)
        if cut:         # the whole loss, as every rank sees it
            made = weft.distributed.tensor_parallel._Join.apply(mesh.get_group(), 0, made)
        made.pow(2).sum().backward()
        for name, p in net.named_parameters():
            whole = dict(alone.named_parameters())[name].grad
            part = whole
            if "0." in name and "0" in plan:
                part = whole.chunk(size, 0)[rank]
            elif name == "2.weight" and "2" in plan:
                part = whole.chunk(size, 1)[rank]
            close(p.grad, part, (plan, name), 1e-5)
    for style in (ColwiseParallel(output_layouts=Replicate()), RowwiseParallel(input_layouts=Replicate())):
        weft.manual_seed(0)
        table = nn.Embedding(4 * size, 2 * size)
        alone = copy.deepcopy(table)
        parallelize_module(table, mesh, style)
        words = weft.tensor([[0, 3], [4 * size - 1, 2]])
        close(table(words), alone(words), style)
        table(words).pow(2).sum().backward()
        alone(words).pow(2).sum().backward()
        close(table.weight.grad, alone.weight.grad.chunk(size, 1 if isinstance(style, ColwiseParallel) else 0)[rank], style)
    try:
        parallelize_module(nn.Linear(4, size + 1), mesh, ColwiseParallel())
        assert size == 1
    except ValueError as error:
        assert "can't be divided" in str(error)


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


def fully_sharded(rank, size):
    """Layers cut one by one, or a whole model: equal to one process; state in whole, to and from."""
    from weft.distributed.fsdp import FullyShardedDataParallel as FSDP
    from weft.distributed.fsdp import fully_shard
    for kind in ("layers", "whole"):
        weft.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 3), nn.Linear(3, 3))
        alone = copy.deepcopy(net)
        if kind == "layers":
            fully_shard(net[0])
            model = fully_shard(net)
        else:
            model = FSDP(net)
        prefix = "" if kind == "layers" else "module."
        own, plain = weft.optim.Adam(model.parameters(), lr=0.05), weft.optim.Adam(alone.parameters(), lr=0.05)
        assert net[0].weight.shape == (-(-28 // size),)
        for step in range(6):
            x = weft.randn(4 * size, 4, generator=weft.Generator().manual_seed(step))
            own.zero_grad(), plain.zero_grad()
            for k in range(2):          # gradients add up
                h = model[:3] if kind == "layers" and step == 0 else None
                assert h is None or len(h) == 3
                model(x[rank * 4:rank * 4 + 4] + k).pow(2).mean().backward()
                alone(x + k).pow(2).mean().backward()
            own.step(), plain.step()
            with weft.no_grad():
                close(model(x), alone(x), (kind, step), 1e-5)
            assert net[0].weight.shape == (-(-28 // size),) == net[0].weight.grad.shape
        state = model.state_dict()
        for name, value in alone.state_dict().items():
            close(state[prefix + name], value, (kind, name), 1e-5)
        whole = FSDP.optim_state_dict(model, own)
        close(whole["state"][prefix + "0.weight"]["exp_avg"], plain.state_dict()["state"][0]["exp_avg"], kind, 1e-5)
        again = nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.Linear(7, 3), nn.Linear(3, 3))
        again = fully_shard(again) if kind == "layers" else FSDP(again)
        other = weft.optim.Adam(again.parameters(), lr=0.01)
        again.load_state_dict(state)
        other.load_state_dict(FSDP.optim_state_dict_to_load(again, other, whole))
        for m, o in ((again, other), (model, own)):
            o.zero_grad()
            m(weft.ones(2, 4)).pow(2).sum().backward()
            o.step()
        for name, value in model.state_dict().items():
            close(again.state_dict()[name], value, ("loaded", kind, name))


def main():
    dist.init_process_group("mpi")
    rank, size = dist.get_rank(), dist.get_world_size()
    zero(rank, size)
    tensor_parallel(rank, size, mesh(rank, size))
    pipeline(rank, size)
    fully_sharded(rank, size)
    if rank == 0:
        print("all right", size)


main()
