"""Debugging: print and breakpoint() work anywhere, the graph can be looked at, and an error names the line."""
import weft
from weft import nn

weft.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        h = self.first(x)
        print("in the middle:", tuple(h.shape), "finite" if h.isfinite().all() else "not finite")
        return self.second(h.clamp(max=0).log())        # the fault: log of 0 and below


net = Net()
with weft.check_numerics():
    try:
        net(weft.ones(2, 3)).sum().backward()
    except Exception as error:
        text = str(error)
print("named:", [word for word in ("log", "net", "02_debugging.py") if word in text])

# the graph as an object: every node knows its op and its line
net.second = nn.Linear(4, 1)
loss = (net.second(net.first(weft.ones(2, 3)).tanh()) ** 2).mean()
print([node.op for node in weft.graph(loss).ops])

# backward, one node at a time
for step in loss.backward_steps():
    print(step.name(), [tuple(grad.shape) for grad in step.grad_out])
