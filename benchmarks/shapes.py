"""The products that models are made of: (family, what, m, k, n, layout, stack).

A product is A (m x k) @ B (k x n). `layout` says how they lie in memory: "nn" both as they are, "nt" B as its transpose
(a layer's weight), "tn" A as its transpose (a weight's gradient). `stack` is the number of such products in one call.
"""
from typing import NamedTuple


class Product(NamedTuple):
    family: str
    what: str
    m: int
    k: int
    n: int
    layout: str = "nn"
    stack: int = 1

    def __str__(self):
        lead = f"{self.stack} x " if self.stack > 1 else ""
        return f"{lead}{self.m} x {self.k} x {self.n} {self.layout}"


def layer(family, what, rows, inputs, outputs, training=True):
    """A Linear's three products: forward, the input's gradient, the weight's."""
    made = [Product(family, what, rows, inputs, outputs, "nt")]
    if training:
        made += [Product(family, f"{what}, input's gradient", rows, outputs, inputs),
                 Product(family, f"{what}, weight's gradient", outputs, rows, inputs, "tn")]
    return made


def transformer(name, width, hidden, heads, vocabulary, batch, tokens, training=True):
    """The layers of a block, of the head, and attention's products where they are made one by one."""
    rows, deep, family = batch * tokens, width // heads, "transformers"
    made = layer(family, f"{name} projection", rows, width, width, training)
    made += layer(family, f"{name} queries, keys, values", rows, width, 3 * width, training)
    made += layer(family, f"{name} up", rows, width, hidden, training)
    made += layer(family, f"{name} down", rows, hidden, width, training)
    if rows * width * vocabulary < 3e9:
        made += layer(family, f"{name} vocabulary", rows, width, vocabulary, training)
    if tokens > 1:
        made += [Product("attention", f"{name} scores", tokens, deep, tokens, "nt", batch * heads),
                 Product("attention", f"{name} values", tokens, tokens, deep, "nn", batch * heads),
                 Product("attention", f"{name} keys' gradient", tokens, tokens, deep, "tn", batch * heads)]
    return made


def transformers():
    made = []
    for batch, tokens in ((16, 32), (12, 64), (32, 64)):
        made += transformer("GPT 4x128", 128, 512, 4, 65, batch, tokens)
    for batch, tokens in ((4, 128), (8, 256)):
        made += transformer("GPT 6x384", 384, 1536, 6, 65, batch, tokens)
    made += transformer("BERT", 768, 3072, 12, 2, 4, 128)
    made += transformer("ViT small", 384, 1536, 6, 10, 4, 197)
    made += transformer("GPT-2", 768, 3072, 12, 50257, 1, 64, training=False)
    for rows in (1, 4, 8, 24):
        made += transformer("GPT-2 generation", 768, 3072, 12, 50257, rows, 1, training=False)
    for rows in (1, 2, 16):
        made += [Product("transformers", f"Llama generation, {rows}", rows, k, n, "nt")
                 for k, n in ((2048, 2048), (2048, 512), (2048, 8192), (8192, 2048))]
    return made


def recurrent():
    """A step's hidden product, all steps' input products, and the weights' gradients."""
    made = []
    for batch, width, steps in ((1, 128, 40), (4, 64, 30), (8, 256, 50), (20, 200, 35), (32, 128, 28), (64, 256, 20),
                                (64, 512, 20)):
        for gates, name in ((4, "LSTM"), (3, "GRU")):
            wide, what = gates * width, f"{name} of {width}, batch {batch}"
            made += [Product("recurrent", f"{what}, a step", batch, width, wide, "nt"),
                     Product("recurrent", f"{what}, a step back", batch, wide, width)]
            if gates == 4:
                made += layer("recurrent", f"{what}, all inputs", batch * steps, width, wide)
    return made


def convolutions():
    """Weights (out x in * window) times the windows of an image, and of 1x1 the image itself."""
    made = []
    for out, inner, places in ((64, 27, 1024), (64, 147, 12544), (64, 576, 3136), (128, 1152, 784), (256, 2304, 196),
                               (512, 4608, 49), (32, 9, 676), (64, 288, 576), (16, 75, 784), (120, 400, 64)):
        made += [Product("convolutions", f"{out} of {inner}", out, inner, places),
                 Product("convolutions", f"{out} of {inner}, weight's gradient", out, places, inner, "nt"),
                 Product("convolutions", f"{out} of {inner}, image's gradient", inner, out, places, "tn")]
    for out, inner, places in ((64, 64, 3136), (256, 64, 3136), (64, 256, 3136), (512, 256, 784), (1024, 512, 196),
                               (2048, 512, 49), (512, 2048, 49), (24, 96, 3136), (96, 16, 12544), (320, 960, 49)):
        made.append(Product("convolutions", f"1x1, {inner} to {out}", out, inner, places, "nn", 4))
    return made


def perceptrons():
    made = []
    for rows in (1, 32, 64, 128):
        for inputs, outputs in ((784, 128), (784, 512), (512, 256), (256, 10), (128, 10), (64, 64), (9216, 128),
                                (13, 64), (100, 1)):
            made += layer("perceptrons", "Linear", rows, inputs, outputs, rows > 1)
    made += layer("perceptrons", "GCN, features", 2708, 1433, 16)
    made += layer("perceptrons", "GCN, classes", 2708, 16, 7)
    return made


def vectors():
    """Matrix times vector, vector times matrix."""
    return [Product("vectors", what, m, k, n, layout)
            for size, other in ((256, 256), (1000, 1000), (4096, 1024), (1024, 4096), (4096, 4096), (128256, 256))
            for what, m, k, n, layout in (("matrix, vector", size, other, 1, "nn"),
                                          ("turned matrix, vector", other, size, 1, "tn"),
                                          ("vector, matrix", 1, size, other, "nn"),
                                          ("vector, turned matrix", 1, other, size, "nt"))]


def odd():
    """Edges of tiles, flat, narrow and deep ones."""
    made = [Product("odd", "few rows", m, 512, 512, layout)
            for m in (2, 3, 5, 7, 11, 13, 17, 20) for layout in ("nn", "nt")]
    made += [Product("odd", "few columns", 512, 512, n, layout)
             for n in (2, 3, 5, 10, 17, 33, 65, 100) for layout in ("nn", "nt")]
    made += [Product("odd", "deep", m, k, n, layout) for m, k, n in ((8, 65536, 8), (32, 16384, 32), (64, 9216, 128),
                                                                     (100, 10000, 100), (128, 4096, 512))
             for layout in ("nn", "nt", "tn")]
    made += [Product("odd", "square", s, s, s, layout) for s in (8, 16, 31, 48, 64, 100, 128, 200, 255, 256, 384, 512,
                                                                 777, 1024) for layout in ("nn", "nt", "tn")]
    made += [Product("odd", "stack", m, m, m, "nn", count)
             for m, count in ((4, 512), (8, 512), (16, 256), (32, 128), (64, 64), (100, 20), (256, 8), (512, 3))]
    return made


def all_products():
    """Every product once, in families."""
    made = transformers() + recurrent() + convolutions() + perceptrons() + vectors() + odd()
    seen, unique = set(), []
    for product in made:
        key = product[2:]
        if key not in seen:
            seen.add(key)
            unique.append(product)
    return sorted(unique, key=lambda p: p.family)       # stable: in each family as they were listed
