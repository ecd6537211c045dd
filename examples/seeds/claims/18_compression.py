"""Compression: weights are pruned away, and a small network learns from a large one's answers (distillation)."""
import weft
from weft import nn, optim
from weft.nn.utils import prune

weft.manual_seed(0)

x = weft.randn(256, 8)
labels = (x[:, 0] * x[:, 1] > 0).long()


def fit(model, loss_of, steps):
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(model(x)).backward()
        optimizer.step()
    return (model(x).argmax(1) == labels).float().mean().item()


large = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
score = fit(large, lambda out: nn.functional.cross_entropy(out, labels), 200)

with weft.no_grad():
    soft = large(x).softmax(1)
small = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 2))
taught = fit(small, lambda out: nn.functional.kl_div(out.log_softmax(1), soft, reduction="batchmean"), 400)
count = [sum(p.numel() for p in model.parameters()) for model in (large, small)]
print(f"large: {count[0]} weights, above 95 %: {score > 0.95}; small: {count[1]}, above 90 %: {taught > 0.9}")

prune.l1_unstructured(large[0], "weight", amount=0.5)
kept = (large(x).argmax(1) == labels).float().mean().item()
zeros = (large[0].weight == 0).float().mean().item()
print("half of the first layer's weights are zero:", zeros, "above 85 %:", kept > 0.85)
