"""Flexibility: the graph is what the program did; an `if` and a `while` on values make another one for every input."""
import weft
from weft import nn

weft.manual_seed(0)


class Halving(nn.Module):
    """Goes through one layer until the state is small: how often, the data decides."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4, bias=False)
        nn.init.eye_(self.layer.weight)

    def forward(self, x):
        while x.norm() > 1:
            x = self.layer(x) / 2
        return x if x.sum() > 0 else -x


net = Halving()
for size in (1.0, 3.0, 40.0):
    x = weft.full((4,), size / 2)
    out = net(x)
    steps = weft.graph(out).find(op="linear") if out.grad_fn is not None else []
    if out.requires_grad:
        net.zero_grad()
        out.sum().backward()
        print(f"|x| = {size}: {len(steps)} passes, gradient {net.layer.weight.grad.sum():.3f}")
    else:
        print(f"|x| = {size}: 0 passes, no graph at all")
