"""Run under mpiexec: who waits for whom, in numbers, in TensorBoard's files and on the graph page."""
import sys
import time

import weft
import weft.distributed as dist

dist.init_process_group("mpi")
rank, size = dist.get_rank(), dist.get_world_size()
net = weft.nn.Linear(3, 1)
folder = sys.argv[1]
writer = weft.utils.tensorboard.SummaryWriter(folder) if rank == 0 else None
pace = dist.Pace(every=2, writer=writer)
with weft.viz.watch(net) as run:
    for step in range(4):
        time.sleep(0.2 if rank == 1 else 0)     # the others wait for it
        loss = net(weft.ones(5, 3)).sum()
        loss.backward()
        dist.all_reduce(net.weight.grad)
        made = pace.step(5)
        assert bool(made) == (rank == 0 and step % 2 == 1), made
        if made:
            slow, quick = made["waiting %, rank 1"], made["waiting %, rank 0"]
            assert len(made) == 2 * size and 0 <= slow <= 100 and 0 < quick <= 100, made
            assert 0 < made["examples per second, rank 1"] < 25, made       # 5 examples take 0.2 s at least
names = {name for entry in run.to_dict()["metrics"] for name in entry["values"]}
assert (f"waiting %, rank {size - 1}" in names) == (rank == 0), names
if rank == 0:
    writer.close()
    print("all right", size)
