"""Sample documents of graphs and runs, as weft.graph(...).to_dict() gives them; made without weft, always the same."""
import math
import random

FILE = "/home/ada/project/train.py"


def stats(rng, size, scale=1.0, nan=0, inf=0):
    """Statistics of numbers that look like a normal distribution."""
    counts = [int(size / 13 * math.exp(-((i - 15.5) / 5.5) ** 2 / 2) * rng.uniform(0.85, 1.15) + 0.5)
              for i in range(32)]
    low, high = -3 * scale * rng.uniform(0.9, 1.1), 3 * scale * rng.uniform(0.9, 1.1)
    norm = "nan" if nan or inf else scale * math.sqrt(size)
    return {"min": low, "max": high, "mean": "nan" if nan else rng.gauss(0, 0.02) * scale, "std": "nan" if nan
            else scale, "norm": norm, "nan": nan, "inf": inf, "zero": 0.0,
            "histogram": {"low": low, "high": high, "counts": counts}}


class Sample:
    """A graph in the making: nodes are given in the order in which they run."""

    def __init__(self, title, iteration=None, seed=0):
        self.rng = random.Random(seed)
        self.nodes, self.edges, self.modules = [], [], {}
        self.title, self.iteration, self.calls = title, iteration, {}

    def add(self, op, parents=(), shape=(32, 64), module="", kind="op", name=None, line=10, source=None, call=None,
            gradient=1e-2, stats_too=True, **more):
        size = math.prod(shape)
        node = {"id": len(self.nodes) + 1, "op": op, "kind": kind, "name": name, "module": module,
                "call": self.calls.get(module, 0) if call is None else call, "file": FILE if kind == "op" else None,
                "line": line if kind == "op" else None, "source": (source or f"x = {op}(x)") if kind == "op" else None,
                "shape": list(shape), "dtype": "float32", "bytes": 4 * size, "saved_bytes": 4 * size if kind == "op"
                and op != "view" else 0, "time": self.rng.uniform(0.5, 1.5) * 1e-6 * (1 + size / 400) if kind == "op"
                else None, "time_backward": self.rng.uniform(1, 2) * 1e-6 * (1 + size / 400) if kind == "op" else None,
                "values": stats(self.rng, size) if stats_too else None,
                "grad": stats(self.rng, size, gradient / math.sqrt(size)) if gradient is not None and stats_too
                else None, "failed": False, "error": None, **more}
        self.nodes.append(node)
        self.edges += [[p, node["id"]] for p in parents]
        return node["id"]

    def parameter(self, name, shape, module="", gradient=1e-2):
        return self.add("parameter", shape=shape, kind="parameter", name=name, module=module, gradient=gradient)

    def linear(self, x, path, n, m, batch=32, line=20, gradient=1e-2):
        """A Linear module called on x."""
        short = path.split(".", 1)[1]
        self.modules[path] = {"kind": "Linear", "repr": f"Linear(in_features={n}, out_features={m}, bias=True)"}
        w = self.parameter(f"{short}.weight", (m, n), path, gradient)
        b = self.parameter(f"{short}.bias", (m,), path, gradient)
        return self.add("linear", (x, w, b), (batch, m), path, line=line, source=f"x = self.{short.split('.')[-1]}(x)",
                        gradient=gradient)

    def document(self):
        return {"format": "weft-graph", "version": 1, "title": self.title, "iteration": self.iteration,
                "nodes": self.nodes, "edges": self.edges, "modules": self.modules}


def mlp(iteration=None, seed=0, depth=2):
    """Net(fc1, relu, fc2) and a loss."""
    made = Sample("mlp", iteration, seed)
    made.modules["Net"] = {"kind": "Net", "repr": "Net()"}
    x = made.add("input", kind="input", name="x", shape=(32, 784), gradient=None)
    y = made.add("input", kind="input", name="target", shape=(32,), gradient=None)
    for i in range(1, depth + 1):
        x = made.linear(x, f"Net.fc{i}", 784 if i == 1 else 128, 10 if i == depth else 128, line=18 + i)
        if i < depth:
            x = made.add("relu", (x,), (32, 128), "Net", line=18 + i, source=f"x = F.relu(self.fc{i}(x))")
    made.add("cross_entropy", (x, y), (), "", line=41, source="loss = F.cross_entropy(model(x), target)", gradient=1.0)
    return made.document()


def block(made, x, path, line, width=256, gradient=1e-2):
    """An encoder block: attention and a feed-forward part, each with a skip connection."""
    made.modules[path] = {"kind": "EncoderLayer", "repr": f"EncoderLayer(d_model={width}, nhead=8)"}
    short = path.split(".", 1)[1]

    def norm(x, name):
        made.modules[f"{path}.{name}"] = {"kind": "LayerNorm", "repr": f"LayerNorm(({width},))"}
        w = made.parameter(f"{short}.{name}.weight", (width,), f"{path}.{name}", gradient)
        b = made.parameter(f"{short}.{name}.bias", (width,), f"{path}.{name}", gradient)
        return made.add("layer_norm", (x, w, b), (32, 64, width), f"{path}.{name}", line=line + 1, gradient=gradient,
                        source=f"h = self.{name}(x)")
    attention, shape = f"{path}.attn", (32, 64, width)
    made.modules[attention] = {"kind": "Attention", "repr": "Attention(heads=8)"}
    h = norm(x, "norm1")
    q, k, v = (made.linear(h, f"{attention}.{n}", width, width, 2048, line + 10, gradient) for n in "qkv")
    q, k, v = (made.add("view", (t,), (32, 8, 64, width // 8), attention, line=line + 11,
                        source="q = q.view(B, H, T, -1)", gradient=gradient) for t in (q, k, v))
    scores = made.add("matmul", (q, k), (32, 8, 64, 64), attention, line=line + 12, source="scores = q @ k.mT",
                      gradient=gradient)
    weights = made.add("softmax", (scores,), (32, 8, 64, 64), attention, line=line + 13,
                       source="weights = scores.softmax(-1)", gradient=gradient)
    mixed = made.add("matmul", (weights, v), (32, 8, 64, width // 8), attention, line=line + 14,
                     source="mixed = weights @ v", gradient=gradient)
    out = made.linear(mixed, f"{attention}.out", width, width, 2048, line + 15, gradient)
    x = made.add("add", (x, out), shape, path, line=line + 2, source="x = x + self.attn(h)", gradient=gradient)
    h = norm(x, "norm2")
    h = made.linear(h, f"{path}.mlp.fc1", width, 4 * width, 2048, line + 20, gradient)
    made.modules[f"{path}.mlp"] = {"kind": "MLP", "repr": "MLP()"}
    h = made.add("gelu", (h,), (32, 64, 4 * width), f"{path}.mlp", line=line + 21, source="h = F.gelu(self.fc1(h))",
                 gradient=gradient)
    h = made.linear(h, f"{path}.mlp.fc2", 4 * width, width, 2048, line + 22, gradient)
    return made.add("add", (x, h), shape, path, line=line + 3, source="x = x + self.mlp(h)", gradient=gradient)


def transformer(blocks=6, iteration=None, seed=0, vanishing=False, title="gpt-small"):
    """Embeddings, blocks in a list (three levels of modules), a head and a loss; with vanishing gradients if asked."""
    made = Sample(title, iteration, seed)
    made.modules |= {"GPT": {"kind": "GPT", "repr": f"GPT(layers={blocks})"},
                     "GPT.embed": {"kind": "Embedding", "repr": "Embedding(5000, 256)"},
                     "GPT.norm": {"kind": "LayerNorm", "repr": "LayerNorm((256,))"}}
    tokens = made.add("input", kind="input", name="tokens", shape=(32, 64), gradient=None)
    target = made.add("input", kind="input", name="target", shape=(32, 64), gradient=None)
    rate = (lambda i: 10.0 ** (-2 - 1.6
                               * (blocks - i))) if vanishing else (lambda i: 10.0 ** (-1.2 - 0.1 * min(blocks - i, 12)))
    table = made.parameter("embed.weight", (5000, 256), "GPT.embed", rate(0))
    x = made.add("embedding", (tokens, table), (32, 64, 256), "GPT.embed", line=31, source="x = self.embed(tokens)",
                 gradient=rate(0))
    for i in range(blocks):
        x = block(made, x, f"GPT.blocks.{i}", 50, gradient=rate(i))
    x = made.add("layer_norm", (x,), (32, 64, 256), "GPT.norm", line=35, source="x = self.norm(x)")
    x = made.linear(x, "GPT.head", 256, 5000, 2048, 36)
    made.add("cross_entropy", (x, target), (), "", line=70,
             source="loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())", gradient=1.0)
    return made.document()


def large(count=10000, seed=0):
    """At least so many nodes: a deep transformer."""
    made = transformer(blocks=max(1, count // 33 + 1), seed=seed, title=f"large, {count} nodes")
    return made


def flat(count=10000, seed=0):
    """So many ops in a loop without any module."""
    made = Sample("a loop by hand", None, seed)
    w = made.parameter("w", (16, 16))
    h = made.add("input", kind="input", name="h0", shape=(1, 16), gradient=None)
    while len(made.nodes) < count:
        a = made.add("matmul", (h, w), (1, 16), line=12, source="h = h @ w", stats_too=False)
        h = made.add("tanh", (a,), (1, 16), line=13, source="h = h.tanh()", stats_too=False)
    return made.document()


def failing(seed=0):
    """A step that failed in the second block: what ran so far, and the node that did not."""
    made = Sample("gpt-small", 12, seed)
    made.modules["GPT"] = {"kind": "GPT", "repr": "GPT()"}
    x = made.add("input", kind="input", name="tokens", shape=(32, 64, 256), gradient=None)
    x = block(made, x, "GPT.blocks.0", 50)
    h = made.linear(x, "GPT.blocks.1.attn.q", 256, 256, 2048, 60)
    k = made.linear(x, "GPT.blocks.1.attn.k", 256, 128, 2048, 60)
    for node in made.nodes:
        node["grad"] = None
    made.add("matmul", (h, k), (), "GPT.blocks.1.attn", line=62, source="scores = q @ k.mT", gradient=None,
             stats_too=False, failed=True,
             error="RuntimeError: matmul: the inner sizes differ, 256 and 128\n  in  GPT.blocks.1.attn (Attention), "
             "train.py:62: scores = q @ k.mT\n  fix: make k Linear(256, 256)")
    made.nodes[-1]["shape"] = None
    return made.document()


def ill(seed=0):
    """Gradients of all kinds: healthy, vanishing, exploding, not finite."""
    made = Sample("all kinds of gradients", 3, seed)
    made.modules["Net"] = {"kind": "Net", "repr": "Net()"}
    x = made.add("input", kind="input", name="x", shape=(32, 64), gradient=None)
    for i, rate in enumerate((1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.1, 10, 1e3, 1e5)):
        x = made.linear(x, f"Net.layer{i}", 64, 64, gradient=rate, line=20 + i)
        x = made.add("tanh", (x,), (32, 64), "Net", line=30 + i, gradient=rate)
    x = made.add("log", (x,), (32, 64), "Net", line=40, source="x = x.log()")
    made.nodes[-1]["grad"] = stats(made.rng, 2048, nan=64, inf=2)
    made.nodes[-1]["values"] = stats(made.rng, 2048, nan=64, inf=2)
    made.add("sum", (x,), (), "", line=41, source="loss = x.sum()", gradient=1.0)
    return made.document()


def tree(iteration, seed):
    """A network over a random binary tree: its structure differs in every iteration."""
    made, rng = Sample("tree-net", iteration, seed), random.Random(seed)
    made.modules |= {"TreeNet": {"kind": "TreeNet", "repr": "TreeNet(width=16)"}}
    leaf = made.parameter("leaf.weight", (1, 16))
    join = made.parameter("join.weight", (32, 16))

    def encode(depth):
        if depth == 0 or rng.random() < 0.28:
            return made.add("matmul", (leaf,), (1, 16), "TreeNet", line=12, source="return value @ self.leaf")
        left, right = encode(depth - 1), encode(depth - 1)
        both = made.add("cat", (left, right), (1, 32), "TreeNet", line=14, source="both = torch.cat([left, right], 1)")
        x = made.add("matmul", (both, join), (1, 16), "TreeNet", line=15, source="return (both @ self.join).tanh()")
        return made.add("tanh", (x,), (1, 16), "TreeNet", line=15, source="return (both @ self.join).tanh()")
    x = made.add("sum", (encode(3),), (), "TreeNet", line=16, source="return self.encode(tree).sum()")
    made.add("pow", (x,), (), "", line=30, source="loss = (net(tree) - total) ** 2", gradient=1.0)
    return made.document()


def run(graphs, title="tree-net", steps=300, error=None, seed=0):
    """A run of training around graphs: metrics, memory, histograms."""
    rng, every = random.Random(seed), max(1, steps // max(1, len(graphs)))
    for i, graph in enumerate(graphs):
        graph["iteration"] = i * every
    loss = [2.4 * math.exp(-i / 80) + 0.12 + rng.gauss(0, 0.05) * math.exp(-i / 200) for i in range(steps)]
    return {"format": "weft-run", "version": 1, "title": title, "graphs": graphs, "error": error,
            "metrics": [{"step": i, "time": i * 0.021,
                         "values": {"loss": v, "accuracy": min(0.99, 1 - v / 2.9 + rng.gauss(0, 0.01))}}
                        for i, v in enumerate(loss)],
            "memory": [{"step": i, "time": i * 0.021, "bytes": int(4e7 + 6e6 * math.sin(i / 9)),
                        "peak": int(5e7 + min(i, 40) * 1e5)} for i in range(0, steps, 3)],
            "histograms": [{"step": i, "name": name, "low": -0.4 - i / 900, "high": 0.4 + i / 700,
                            "counts": stats(rng, 512)["histogram"]["counts"]}
                           for i in range(0, steps, 10) for name in ("leaf.weight", "join.weight", "join.weight.grad")]}


def changing(count=30):
    """A run whose graph is another tree in each iteration."""
    return run([tree(i, i) for i in range(count)])


def odd(seed):
    """A graph with everything that can be odd: missing fields, modules that come and go, circles, edges to nowhere,
    numbers that are none.
    """
    rng = random.Random(seed)
    count = rng.choice([0, 1, 2, 5, 30, 120, 400])
    paths = ["", "A", "A.b", "A.b.c", "A.d", "B", "B.x.y.z", "A.b.c.d.e"]
    nothing = {"min": 0, "max": 0, "mean": "nan", "std": 0, "nan": 0, "inf": 0, "zero": 1,
               "histogram": {"low": 0, "high": 0, "counts": [0] * 32}}
    nodes = []
    for i in range(count):
        module = rng.choice(paths)
        nodes.append({"id": 2 * i + rng.randint(0, 1), "op": rng.choice(["linear", "add", "weird op", "", "x" * 60]),
                      "kind": rng.choice(["op"] * 6 + ["parameter", "buffer", "input", "output"]),
                      "name": rng.choice([None, "w", "a.b.w"]), "module": module, "call": rng.randint(0, 2),
                      "calls": [rng.randint(0, 1) for _ in module.split(".")] if module and rng.random() < 0.6
                      else None, "file": rng.choice([None, FILE]), "line": 3, "source": None,
                      "shape": rng.choice([None, [], [2, 3]]), "dtype": None, "bytes": rng.choice([0, 10]),
                      "saved_bytes": 0, "time": rng.choice([None, 0, 1e-6]), "time_backward": None, "values": None,
                      "grad": rng.choice([None, {**nothing, "norm": rng.choice([0, "inf", 1e-30, 1e30])}]),
                      "failed": rng.random() < 0.01, "error": None})
    edges = [[99999, 0]] if nodes else []
    for _ in range(int(1.4 * count)):
        a, b = rng.randrange(count), rng.randrange(count)
        edges.append([nodes[min(a, b) if rng.random() < 0.97 else a]["id"], nodes[max(a, b)]["id"]])
    return {"format": "weft-graph", "version": 1, "title": "odd", "iteration": seed, "nodes": nodes, "edges": edges,
            "modules": {"A": {"kind": "K", "repr": "K()"}}}
