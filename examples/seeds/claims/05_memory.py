"""Memory: freed at once, reused, not kept where no gradient is wanted, and recomputed instead of kept if one likes."""
import weakref

import weft
from weft import nn
from weft.utils.checkpoint import checkpoint_sequential

weft.manual_seed(0)

net = nn.Sequential(*[part for _ in range(8) for part in (nn.Linear(256, 256), nn.Tanh())])
x = weft.randn(512, 256)

# no_grad: nothing is kept for a backward
print("kept for backward:", weft.graph(net(x).sum()).saved_bytes > 0)
with weft.no_grad():
    print("under no_grad a graph is made:", net(x).grad_fn is not None)

# del: gone at once, no collector has to come
loss = net(x).sum()
node = weakref.ref(loss.grad_fn)
del loss
print("the graph is gone:", node() is None)

# reuse: after a first round all further results lie in memory that was used before
net(x).sum().backward()
before = weft.memory.stats()
for _ in range(3):
    net(x).sum().backward()
after = weft.memory.stats()
asked, met = (after[key] - before[key] for key in ("requests", "hits"))
print("nearly all met by memory that was used before:", met >= 0.9 * asked)


# checkpointing: the middle is computed again in the backward; the same gradients from less memory
def grads_and_peak(run):
    net.zero_grad()
    weft.memory.reset_peak()
    start = weft.memory.stats()["in_use"]
    run().sum().backward()
    return [p.grad.clone() for p in net.parameters()], weft.memory.stats()["peak"] - start


plain, most = grads_and_peak(lambda: net(x))
again, less = grads_and_peak(lambda: checkpoint_sequential(net, 4, x, use_reentrant=False))
same = all(weft.equal(a, b) for a, b in zip(plain, again))
print("the same gradients:", same, "| less memory:", less < most or most == 0)
