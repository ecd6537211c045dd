"""Large tensors: products, elementwise, reductions, norms, convolutions, attention, recurrent layers, sorting and
indexing.
"""
import math

from rows import Inputs, Row, forward_and_backward

M4 = 4 << 20        # 4 M elements


# products and elementwise

def matmul(n):
    def make(T):
        new = Inputs(T)
        a, b = new.normal(n, n), new.normal(n, n)
        return lambda: a @ b
    return Row(f"matmul {n}", make, 1.0, "matmul", flops=2 * n ** 3)


def elementwise(name, function, reads):
    def make(T):
        new = Inputs(T)
        inputs = [new.normal(M4) for _ in range(reads)]
        return lambda: function(T, *inputs)
    return Row(f"{name}, 4 M floats", make, 0.8, "elementwise", bytes=4 * M4 * (reads + 1))


ELEMENTWISE = [
    elementwise("add", lambda T, x, y: x + y, 2),
    elementwise("exp", lambda T, x: x.exp(), 1),
    elementwise("tanh", lambda T, x: x.tanh(), 1),
    elementwise("gelu", lambda T, x: T.nn.functional.gelu(x), 1),
]


# layers that reduce; build(T, new, grad) -> (function, leaves)

def unary(shape, function):
    def build(T, new, grad):
        x = new.normal(*shape, grad=grad)
        return (lambda: function(T, x)), [x]
    return build


def layer_norm(T, new, grad):
    x, w, b = new.normal(2048, 1024, grad=grad), new.normal(1024, grad=grad), new.normal(1024, grad=grad)
    return (lambda: T.nn.functional.layer_norm(x, (1024,), w, b)), [x, w, b]


def batch_norm(T, new, grad):
    x, w, b = new.normal(32, 64, 32, 32, grad=grad), new.normal(64, grad=grad), new.normal(64, grad=grad)
    mean, var = T.zeros(64), T.ones(64)
    return (lambda: T.nn.functional.batch_norm(x, mean, var, w, b, True)), [x, w, b]


def cross_entropy(T, new, grad):
    x, labels = new.normal(512, 10000, grad=grad), new.integers(10000, 512)
    return (lambda: T.nn.functional.cross_entropy(x, labels)), [x]


def embedding(T, new, grad):
    table, words = new.normal(30000, 256, grad=grad), new.integers(30000, 64, 64)
    return (lambda: T.nn.functional.embedding(words, table)), [table]


def layer(name, build, n, factor=2.5):
    """n: the elements that the forward reads and writes."""
    return forward_and_backward(name, build, 0.8, "layers", bytes=4 * n, factor=factor)


LAYERS = [
    *layer("sum, 4 M", unary((M4,), lambda T, x: x.sum()), M4, 2),
    *layer("softmax (2048, 1024)", unary((2048, 1024), lambda T, x: x.softmax(-1)), 2 * 2048 * 1024),
    *layer("log_softmax (2048, 1024)", unary((2048, 1024), lambda T, x: x.log_softmax(-1)), 2 * 2048 * 1024),
    *layer("layer_norm (2048, 1024)", layer_norm, 2 * 2048 * 1024),
    *layer("batch_norm (32, 64, 32, 32)", batch_norm, 2 * 32 * 64 * 1024),
    *layer("cross_entropy (512, 10000)", cross_entropy, 512 * 10000, 3),
    *layer("embedding (30000, 256), 64x64 words", embedding, 2 * 64 * 64 * 256, 4),
    *layer("max_pool2d 2x2 (32, 64, 32, 32)", unary((32, 64, 32, 32), lambda T, x: T.nn.functional.max_pool2d(x, 2)),
           1.25 * 32 * 64 * 1024),
]


# convolutions

def convolution(x_shape, w_shape, goal=0.8, transposed=False, memory=False, **options):
    """Two rows. w_shape: (out, in / groups, *kernel), or for a transposed one (in, out, *kernel)."""
    dims = len(x_shape) - 2
    function = f"conv{'_transpose' if transposed else ''}{dims}d"
    stride, padding, kernel = options.get("stride", 1), options.get("padding", 0), w_shape[2:]
    spatial = (math.prod(x_shape[2:]) if transposed else math.prod((s + 2 * padding - k) // stride + 1
                                                                   for s, k in zip(x_shape[2:], kernel)))
    flops = 2 * x_shape[0] * spatial * math.prod(w_shape)
    out = w_shape[1] if transposed else w_shape[0]
    scale = (w_shape[0 if transposed else 1] * math.prod(kernel)) ** -0.5

    def build(T, new, grad):
        x, w, b = new.normal(*x_shape, grad=grad), new.normal(*w_shape, grad=grad,
                                                              scale=scale), new.normal(out, grad=grad)
        conv = getattr(T.nn.functional, function)
        return (lambda: conv(x, w, b, **options)), [x, w, b]
    kind = "depthwise " if options.get("groups", 1) > 1 else ""
    more = f" /{stride}" if stride > 1 else ""
    name = f"{function} {kind}{'x'.join(map(str, kernel))}{more} {x_shape}->{out}".replace(", ", ",")
    return forward_and_backward(name, build, goal, "conv", flops=flops, memory=memory)


CONVOLUTIONS = [
    *convolution((32, 64, 32, 32), (64, 64, 3, 3), 0.6, padding=1, memory=True),
    *convolution((32, 128, 16, 16), (128, 128, 3, 3), 0.6, padding=1),
    *convolution((64, 1, 28, 28), (32, 1, 3, 3), 0.6),
    *convolution((64, 32, 26, 26), (64, 32, 3, 3), 0.6),
    *convolution((8, 64, 56, 56), (64, 64, 3, 3), 0.6, padding=1),
    *convolution((32, 256, 14, 14), (256, 256, 1, 1)),
    *convolution((32, 32, 28, 28), (64, 32, 5, 5), padding=2),
    *convolution((8, 3, 112, 112), (64, 3, 7, 7), stride=2, padding=3),
    *convolution((32, 128, 28, 28), (128, 1, 3, 3), padding=1, groups=128),
    *convolution((32, 64, 512), (128, 64, 5), padding=2),
    *convolution((32, 64, 16, 16), (64, 32, 4, 4), transposed=True, stride=2, padding=1),
]


# attention and recurrent layers

def attention(shape, memory=False):
    batch, heads, length, width = shape

    def build(T, new, grad):
        q, k, v = (new.normal(*shape, grad=grad) for _ in range(3))
        return (lambda: T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)), [q, k, v]
    name = f"attention {shape} causal".replace(", ", ",")
    return forward_and_backward(name, build, 0.8, "attention, rnn", flops=4 * batch * heads * length * length * width,
                                factor=3.5, memory=memory)


def recurrent(kind, gates, memory=False, length=35, batch=20, size=200, layers=2):
    def build(T, new, grad):
        x = new.normal(length, batch, size, grad=grad)
        state = [T.zeros(layers, batch, size) for _ in range(2)]
        weights = [new.normal(*shape, grad=grad, scale=size ** -0.5) for _ in range(layers)
                   for shape in ((gates * size, size), (gates * size, size), (gates * size,), (gates * size,))]
        hx = state if kind == "lstm" else state[0]
        function = getattr(T, kind)
        return (lambda: function(x, hx, weights, True, layers, 0.0, True, False, False)[0]), [x, *weights]
    flops = 2 * layers * length * batch * 2 * gates * size * size
    return forward_and_backward(f"{kind} 2 layers, length {length}, batch {batch}, {size}", build, 0.8,
                                "attention, rnn", flops=flops, memory=memory)


SEQUENCES = [*attention((12, 4, 64, 32)), *attention((16, 6, 256, 64), memory=True),
             *recurrent("lstm", 4, memory=True), *recurrent("gru", 3)]


# sorting and indexing

def indexing(name, prepare):
    """prepare(T, new) -> function"""
    return Row(name, lambda T: prepare(T, Inputs(T)), None, "sort, index")


def sort(T, new):
    x = new.normal(1 << 20)
    return lambda: T.sort(x)[0]


def topk(T, new):
    x = new.normal(1024, 1024)
    return lambda: T.topk(x, 10)[0]


def gather(T, new):
    x, index = new.normal(4096, 512), new.integers(512, 4096, 512)
    return lambda: T.gather(x, 1, index)


def index_add(T, new):
    x, index, source = new.normal(4096, 256), new.integers(4096, 16384), new.normal(16384, 256)
    return lambda: T.index_add(x, 0, index, source)


SORTING = [indexing("sort 1 M", sort), indexing("topk 10 of (1024, 1024)", topk),
           indexing("gather (4096, 512)", gather), indexing("index_add (16384, 256) into 4096", index_add)]

ROWS = [*(matmul(n) for n in (256, 1024, 2048)), *ELEMENTWISE, *LAYERS, *CONVOLUTIONS, *SEQUENCES, *SORTING]
