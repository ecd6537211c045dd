"""Static optimisation, fusion: a chain of elementwise ops becomes one pass over memory."""
import weft

weft.manual_seed(0)


def chain(x):
    return ((x * 2 + 1).tanh() * x).exp() - 1


fast = weft.compile(chain)
x = weft.randn(1000)
results = [fast(x) for _ in range(5)]
graph = fast.graphs()[-1]
print("ops written: 6, steps that run:", len(graph.steps))
print("the same bits as without:", all(weft.equal(result, chain(x)) for result in results))
