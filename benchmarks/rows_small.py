"""What an op costs beyond its arithmetic: tensors of 8x8."""
from rows import Inputs, Row


def chain(x, y):
    """21 small ops forward, then backward."""
    h = x
    for _ in range(4):
        h = h * y
        h = h + x
        h = h.tanh()
        h = h - y
        h = h * 0.5
    x.grad = y.grad = None
    h.sum().backward()
    return x.grad, y.grad


ROWS_8X8 = [
    # (statement, goal, name)
    ("x + y", 0.20, "x + y, with gradient"),
    ("p + q", 0.35, "x + y, no gradient"),
    ("x * 2.0", 0.35, None),
    ("chain(x, y)", 0.18, "21 small ops, fwd+bwd"),
    ("x.t()", 0.35, None),
    ("x.transpose(0, 1)", 0.35, None),
    ("x.view(4, 16)", 0.35, None),
    ("x.reshape(-1)", 0.35, None),
    ("x.unsqueeze(0)", 0.35, None),
    ("x.expand(4, 8, 8)", 0.35, None),
    ("x.sum()", 0.35, None),
    ("x.sum(1)", 0.35, None),
    ("x.mean()", 0.35, None),
    ("x.max()", 0.35, None),
    ("x.argmax(1)", 0.35, None),
    ("x[0]", 0.35, None),
    ("x[1:3]", 0.35, None),
    ("x[:, 1]", 0.35, None),
    ("x[2, 3]", 0.35, None),
    ("x[i]", 0.35, "x[index tensor]"),
    ("x @ y", 0.35, None),
    ("p @ q", 0.35, "x @ y, no gradient"),
    ("s.item()", 0.35, None),
    ("x.exp()", None, None),
    ("x.tanh()", None, None),
    ("p > 0", None, None),
    ("T.cat([x, y])", None, None),
    ("x.softmax(1)", None, None),
    ("T.zeros(8, 8)", None, None),
    ("x.detach()", None, None),
    ("x.clone()", None, None),
]


def make_statement(statement):
    def make(T):
        new = Inputs(T)
        x, y = new.uniform(8, 8, grad=True), new.uniform(8, 8, grad=True)
        names = {"x": x, "y": y, "p": x.detach(), "q": y.detach(), "s": T.tensor(1.5), "i": T.tensor([0, 2, 5]),
                 "T": T, "chain": chain}
        exec("def run(x=x, y=y, p=p, q=q, s=s, i=i, T=T, chain=chain): return " + statement, names)
        return names["run"]
    return make


ROWS = [Row(name or statement, make_statement(statement), goal, "8x8", small=True)
        for statement, goal, name in ROWS_8X8]
