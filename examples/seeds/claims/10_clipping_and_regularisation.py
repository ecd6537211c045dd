"""Stability: gradients that explode are clipped, those that vanish are seen, weights are kept small."""
import weft
from weft import nn, optim

weft.manual_seed(0)


def rolled_out(gain, steps=40):
    """A recurrence of `steps` steps, whose gradient grows or shrinks by `gain` in each."""
    weight = nn.Parameter(weft.eye(3) * gain)
    state = weft.ones(3)
    for _ in range(steps):
        state = weight @ state
    return weight, state.sum()


for gain in (0.5, 1.0, 2.0):
    weight, loss = rolled_out(gain)
    loss.backward()
    before = weight.grad.norm().item()
    total = nn.utils.clip_grad_norm_([weight], max_norm=1.0)
    print(f"gain {gain}: norm {before:.1e}, clipped {weight.grad.norm().item():.1e}, returned {total.item():.1e}")

# a gradient that isn't finite is an error that names the parameter, if one asks for it
layer = nn.Linear(2, 1)
(layer(weft.ones(1, 2)) * float("inf")).sum().backward()
try:
    nn.utils.clip_grad_norm_(layer.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print("refused:", "non-finite" in str(error))

# L2 by the optimizer, L1 by the loss
for decay, l1 in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.05)):
    weft.manual_seed(0)
    layer = nn.Linear(20, 1)
    optimizer = optim.SGD(layer.parameters(), lr=0.05, weight_decay=decay)
    x = weft.randn(30, 20)
    y = x[:, :1]
    for _ in range(200):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(layer(x), y) + l1 * layer.weight.abs().sum()
        loss.backward()
        optimizer.step()
    near_zero = (layer.weight.abs() < 0.01).sum().item()
    print(f"L2 {decay}, L1 {l1}: |w| {layer.weight.norm().item():.2f}, near zero {near_zero}")
