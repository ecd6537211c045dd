"""Static optimisation, sharing: what is written twice is computed once; and values kept on purpose, a cache."""
import weft
from weft import nn
from weft.nn.utils import parametrize, parametrizations

weft.manual_seed(0)


def twice(x, w):
    return (x @ w).relu().sum() + (x @ w).tanh().sum()


fast = weft.compile(twice)
x, w = weft.randn(8, 8), weft.randn(8, 8)
for _ in range(5):
    result = fast(x, w)
text = str(fast.graphs()[-1])
print("products written: 2, run:", text.count("mm("))
print(weft.equal(result, twice(x, w)))

# a cache: inside the block the normalised weight is computed once, however often it is used
layer = parametrizations.weight_norm(nn.Linear(8, 8))
print("outside:", layer.weight is layer.weight)
with parametrize.cached():
    print("in the block:", layer.weight is layer.weight)
