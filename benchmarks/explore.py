"""Products of the shapes that models have: weft's time over that of the better of NumPy (OpenBLAS) and PyTorch.

    python benchmarks/explore.py [--only SUBSTRING] [--threads 1,2] [--quick] [--json PATH] [--svg PATH]

Prints the median and the ten worst at each number of threads; --svg draws all of them as a heat map. --only takes
products whose family, name or sizes ("64 x 9216 x 128") contain it, --quick every sixth.
"""
import argparse
import json
import statistics
import time

import numpy as np
import torch
from heat import draw
from measure import by_turns
from shapes import all_products

import weft


def operands(product):
    """(A, B) as arrays that lie as the product says, small whole numbers so that every library's sums are exact."""
    rng = np.random.default_rng(product.m + product.k + product.n)

    def made(rows, columns, turned):
        lead = (product.stack,) if product.stack > 1 else ()
        shape = (*lead, columns, rows) if turned else (*lead, rows, columns)
        array = rng.integers(-4, 5, shape).astype(np.float32)
        return array.swapaxes(-1, -2) if turned else array
    return made(product.m, product.k, product.layout[0] == "t"), made(product.k, product.n, product.layout[1] == "t")


def calls(a, b):
    """The product by weft, NumPy and PyTorch, on operands of the same strides."""
    ours = [weft.from_numpy(x) for x in (a, b)]
    theirs = [torch.from_numpy(x) for x in (a, b)]
    return [lambda: ours[0] @ ours[1], lambda: a @ b, lambda: theirs[0] @ theirs[1]]


def measure(product, threads, seconds):
    """Its figures; an error where weft's result isn't right."""
    functions = calls(*operands(product))
    found, exact = functions[0]().numpy(), functions[2]().numpy()
    if not np.array_equal(found, exact):
        raise AssertionError(f"{product}: weft's product differs from PyTorch's by {np.abs(found - exact).max()}")
    clock = time.thread_time if threads == 1 else time.perf_counter
    times = by_turns(functions, seconds, rounds=10, pause=0.001, clock=clock)
    operations = 2.0 * product.stack * product.m * product.k * product.n
    rates = [operations / t / 1e9 for t in times]
    return {**product._asdict(), "label": str(product), "threads": threads, "weft": rates[0], "numpy": rates[1],
            "torch": rates[2], "ratio": times[0] / min(times[1:])}


def summary(results, threads, worst=10):
    """Lines: the median and the worst."""
    rows = sorted((r for r in results if r["threads"] == threads), key=lambda r: -r["ratio"])
    ratios = [r["ratio"] for r in rows]
    over = sum(r > 1.05 for r in ratios)
    lines = [f"{threads} thread{'s' if threads > 1 else ''}: {len(rows)} products, median "
             f"{statistics.median(ratios):.2f}, worst {ratios[0]:.2f}, {over} above 1.05",
             f"  {'ratio':>5}  {'weft':>7} {'numpy':>7} {'torch':>7} GFLOP/s"]
    for r in rows[:worst]:
        lines.append(f"  {r['ratio']:5.2f}  {r['weft']:7.1f} {r['numpy']:7.1f} {r['torch']:7.1f}  {r['label']}  "
                     f"({r['what']})")
    return lines


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="products whose family, name or sizes contain this")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, such as 1,2")
    parser.add_argument("--quick", action="store_true", help="every sixth product, in less time")
    parser.add_argument("--seconds", type=float, help="for each product and number of threads")
    parser.add_argument("--json", help="keep the figures in this file")
    parser.add_argument("--svg", help="draw the heat map into this file")
    return parser.parse_args()


def main():
    given = options()
    chosen = [p for p in all_products() if given.only is None or given.only in f"{p.family} {p.what} {p}"]
    if given.quick:
        chosen = chosen[::6]
    if not chosen:
        raise SystemExit(f"no product's family, name or sizes contain {given.only!r}")
    seconds = given.seconds or (0.1 if given.quick else 0.2)
    counts = [int(n) for n in given.threads.split(",")]
    results = []
    for threads in counts:
        weft.set_num_threads(threads)       # NumPy's OpenBLAS too
        torch.set_num_threads(threads)
        results += [measure(product, threads, seconds) for product in chosen]
        print("\n".join(summary(results, threads)), flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if given.svg:
        with open(given.svg, "w", encoding="utf-8") as file:
            file.write(draw(results))


if __name__ == "__main__":
    main()
