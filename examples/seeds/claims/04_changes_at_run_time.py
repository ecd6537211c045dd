"""Changes at run time: layers are widened, inserted and removed while training; the optimizer keeps what it learnt."""
import weft
from weft import nn, optim
from weft.nn.utils import surgery

weft.manual_seed(0)

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = optim.Adam(net.parameters(), lr=0.02)
x = weft.randn(64, 4)
y = (x[:, :1] * x[:, 1:2]).tanh()


def train(steps):
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


first = train(60)
before, moments = net(x), optimizer.state[net[0].weight]["exp_avg"].clone()
surgery.widen(net, "0", 32)
print("it computes the same:", weft.allclose(net(x), before, atol=1e-6))
second = train(150)
print("old units kept their moments:", moments.shape, "->", optimizer.state[net[0].weight]["exp_avg"].shape)
surgery.insert(net, "2", nn.Linear(32, 32))
third = train(150)
surgery.remove(net, "2")
surgery.prune_units(net, "0", amount=0.5)
fourth = train(150)
print("shapes now:", [tuple(parameter.shape) for parameter in net.parameters()])
print("better than the narrow net:", max(second, third, fourth) < first)
