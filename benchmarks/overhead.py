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
    return {"x": x, "y": y, "p": x.detach(), "q": y.detach(), "s": lib.tensor(1.5), "i": lib.tensor([0, 2, 5]), "torch": lib, "chain": chain}


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
    # (statement, goal, name)
    ("x + y", 0.20, "x + y, with gradient"),
    ("p + q", 0.35, "x + y, no gradient"),
    ("x * 2.0", 0.35, None),
    ("chain(x, y)", 0.18, "21 small ops, forward and backward"),
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
    ("torch.cat([x, y])", None, None),
    ("x.softmax(1)", None, None),
    ("torch.zeros(8, 8)", None, None),
    ("x.detach()", None, None),
    ("x.clone()", None, None),
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
    for statement, goal, name in ROWS:
        if options.only and options.only not in (name or statement):
            continue
        mine, other = pair(statement, ours, theirs)
        show(rows, name or statement, mine * 1e6, other * 1e6, goal)
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
