"""Calls and a process group in the same processes, which meet at one address, in either order: rpc_with_group.py PORT."""
import os
import sys

import weft
import weft.distributed as dist
from weft.distributed import rpc


def work(rank, port, order):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=port)
    begin = {"group": lambda: dist.init_process_group("gloo", rank=rank, world_size=2),
             "calls": lambda: rpc.init_rpc(f"worker{rank}", rank=rank, world_size=2)}
    for name in order:
        begin[name]()
    x = weft.ones(3)
    dist.all_reduce(x)
    assert rpc.rpc_sync(1 - rank, weft.add, (x, 1))[0] == 3
    rpc.shutdown()
    dist.all_reduce(x)
    dist.destroy_process_group()
    rpc.init_rpc(f"again{rank}", rank=rank, world_size=2)
    assert rpc.rpc_sync(f"again{1 - rank}", abs, (-2,)) == 2
    rpc.shutdown()
    print(f"all right {rank}\n", end="", flush=True)


if __name__ == "__main__":
    for order in (("group", "calls"), ("calls", "group")):
        weft.multiprocessing.spawn(work, args=(sys.argv[1], order), nprocs=2)
