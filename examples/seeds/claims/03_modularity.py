"""Modularity: parts are built and tested alone, put together, shared, exchanged, and found by name."""
import weft
from weft import nn

weft.manual_seed(0)

encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU())
print("alone:", tuple(encoder(weft.ones(2, 6)).shape))

heads = nn.ModuleDict({"age": nn.Linear(8, 1), "kind": nn.Linear(8, 3)})
model = nn.ModuleDict({"encoder": encoder, "heads": heads})
features = model["encoder"](weft.randn(5, 6))
print({name: tuple(head(features).shape) for name, head in heads.items()})

model["encoder"] = nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 8))     # another encoder, the same heads
print({name: tuple(head(model["encoder"](weft.randn(5, 6))).shape) for name, head in heads.items()})

# one part used twice is one set of weights: its gradient is the sum over both uses
twice = encoder(weft.ones(1, 6)).sum() + encoder(weft.ones(1, 6)).sum()
once = encoder(weft.ones(1, 6)).sum()
doubled, = weft.autograd.grad(twice, encoder[0].weight)
single, = weft.autograd.grad(once, encoder[0].weight)
print("shared:", weft.equal(doubled, 2 * single))
print([name for name, _ in model.named_parameters()])
