"""Adaptive rates: Adam and Adagrad scale every weight's step by its own gradients, where SGD has one rate for all."""
import weft
from weft import nn, optim

scales = weft.tensor([100.0, 1.0, 0.01])        # a badly scaled bowl: sum of scales * w**2


def run(make, steps=200):
    weight = nn.Parameter(weft.ones(3))
    optimizer = make([weight])
    for _ in range(steps):
        optimizer.zero_grad()
        (scales * weight ** 2).sum().backward()
        optimizer.step()
    return [round(value, 3) for value in weight.tolist()]


print("SGD    ", run(lambda p: optim.SGD(p, lr=0.005)))
print("Adagrad", run(lambda p: optim.Adagrad(p, lr=0.5)))
print("Adam   ", run(lambda p: optim.Adam(p, lr=0.05)))

# a rate that follows the loss: halved whenever it stops falling
weight = nn.Parameter(weft.tensor(1.0))
optimizer = optim.SGD([weight], lr=1.2)          # too large: it jumps from side to side
scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
rates = []
for _ in range(12):
    optimizer.zero_grad()
    loss = weight ** 2
    loss.backward()
    optimizer.step()
    scheduler.step(loss.item())
    rates.append(round(optimizer.param_groups[0]["lr"], 3))
print("rates", sorted(set(rates), reverse=True), "loss falls:", loss.item() < 1)
