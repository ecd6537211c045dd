"""What an op costs beyond its arithmetic: weft beside PyTorch, on tensors of 8x8.

    python benchmarks/overhead.py [--json FILE]

Each row is measured in one run, by turns, best of nine; `ratio` is weft's time over PyTorch's, `goal` the most it may be.
"""
import argparse
import json
import subprocess
import sys

import torch
from measure import pair

import weft


def inputs(lib):
    rng = torch.Generator().manual_seed(0)
    x, y = (torch.rand(8, 8, generator=rng).tolist() for _ in range(2))
    x, y = (lib.tensor(v, requires_grad=True) for v in (x, y))
    return {"x": x, "y": y, "p": x.detach(), "q": y.detach(), "s": lib.tensor(1.5), "i": lib.tensor([0, 2, 5]), "lib": lib}


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


ROWS = [
    # (name, statement, goal)
    ("a + b, with gradient", lambda x, y, **_: x + y, 0.20),
    ("a + b, no gradient", lambda p, q, **_: p + q, 0.35),
    ("a * 2.0, with gradient", lambda x, **_: x * 2.0, 0.35),
    ("21 small ops, forward and backward", lambda x, y, **_: chain(x, y), 0.18),
    ("x.t()", lambda x, **_: x.t(), 0.35),
    ("x.transpose(0, 1)", lambda x, **_: x.transpose(0, 1), 0.35),
    ("x.view(4, 16)", lambda x, **_: x.view(4, 16), 0.35),
    ("x.reshape(-1)", lambda x, **_: x.reshape(-1), 0.35),
    ("x.unsqueeze(0)", lambda x, **_: x.unsqueeze(0), 0.35),
    ("x.expand(4, 8, 8)", lambda x, **_: x.expand(4, 8, 8), 0.35),
    ("x.sum()", lambda x, **_: x.sum(), 0.35),
    ("x.sum(1)", lambda x, **_: x.sum(1), 0.35),
    ("x.mean()", lambda x, **_: x.mean(), 0.35),
    ("x.max()", lambda x, **_: x.max(), 0.35),
    ("x.argmax(1)", lambda x, **_: x.argmax(1), 0.35),
    ("x[0]", lambda x, **_: x[0], 0.35),
    ("x[1:3]", lambda x, **_: x[1:3], 0.35),
    ("x[:, 1]", lambda x, **_: x[:, 1], 0.35),
    ("x[2, 3]", lambda x, **_: x[2, 3], 0.35),
    ("x[index]", lambda x, i, **_: x[i], 0.35),
    ("x @ y", lambda x, y, **_: x @ y, 0.35),
    ("x @ y, no gradient", lambda p, q, **_: p @ q, 0.35),
    ("s.item()", lambda s, **_: s.item(), 0.35),
    ("x.exp()", lambda x, **_: x.exp(), None),
    ("x > 0", lambda p, **_: p > 0, None),
    ("torch.cat([x, y])", lambda x, y, lib, **_: lib.cat([x, y]), None),
    ("x.softmax(1)", lambda x, **_: x.softmax(1), None),
    ("torch.zeros(8, 8)", lambda lib, **_: lib.zeros(8, 8), None),
    ("x.detach()", lambda x, **_: x.detach(), None),
]


def import_seconds(name):
    """The best of five cold interpreters importing a module, less the interpreter itself."""
    command = [sys.executable, "-c", f"import time; t = time.perf_counter(); import {name}; print(time.perf_counter() - t)"]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(5))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="keep the figures in this file")
    parser.add_argument("--only", help="rows whose name contains this")
    options = parser.parse_args()
    torch.set_num_threads(2)
    ours, theirs = inputs(weft), inputs(torch)
    rows = []
    print(f"{'8x8 float32':38s} {'weft us':>9s} {'torch us':>9s} {'ratio':>6s} {'goal':>6s}")
    for name, function, goal in ROWS:
        if options.only and options.only not in name:
            continue
        mine, other = pair(lambda f=function: f(**ours), lambda f=function: f(**theirs))
        show(rows, name, mine * 1e6, other * 1e6, goal)
    if not options.only:
        show(rows, "import (ms)", import_seconds("weft") * 1e3, import_seconds("torch") * 1e3, 0.10)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"core": "plain" if weft._pure.PURE else "compiled", "torch": torch.__version__, "rows": rows}, file, indent=1)


def show(rows, name, mine, other, goal):
    ratio = mine / other
    mark = "" if goal is None else f"{goal:6.2f}" + ("" if ratio <= goal else "  over")
    print(f"{name:38s} {mine:9.2f} {other:9.2f} {ratio:6.2f} {mark}", flush=True)
    rows.append({"name": name, "weft": mine, "torch": other, "ratio": ratio, "goal": goal})


if __name__ == "__main__":
    main()
