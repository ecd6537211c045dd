"""Distributed: every process has a part of the data; the gradients are those of all of it.

    weft launch -n 2 examples/seeds/claims/14_distributed.py        # with `pip install "weft[mpi]"`
    python examples/seeds/claims/14_distributed.py                  # the same program alone: a group of one
"""
import weft
import weft.distributed as dist
from weft import nn, optim
from weft.nn.parallel import DistributedDataParallel

dist.init_process_group()
weft.manual_seed(0)
net = DistributedDataParallel(nn.Linear(4, 1))
optimizer = optim.SGD(net.parameters(), lr=0.1)

x = weft.randn(32, 4)
y = x.sum(1, keepdim=True)
mine = slice(dist.get_rank(), None, dist.get_world_size())      # every n-th row
for _ in range(100):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x[mine]), y[mine])
    loss.backward()
    optimizer.step()

if dist.get_rank() == 0:
    print("weights:", [round(value, 2) for value in net.module.weight[0].tolist()])
dist.destroy_process_group()
