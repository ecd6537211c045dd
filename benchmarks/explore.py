"""Products of the shapes that models have: weft's time over that of the better of NumPy (OpenBLAS) and PyTorch.

    python benchmarks/explore.py [--only SUBSTRING] [--threads 1,2] [--quick] [--json PATH] [--svg PATH]

Prints the median and the ten worst at each number of threads; --svg draws all of them as a heat map. --only takes
products whose family, name or sizes ("64 x 9216 x 128") contain it, --quick every sixth. Each library has a process of
its own, which sleeps while it isn't its turn: threads that still spin would take a core from the others.
"""
import argparse
import json
import statistics

from child import Child
from heat import draw
from shapes import all_products

LIBRARIES = "weft", "numpy", "torch"


def measure(product, threads, seconds, children, rounds=4):
    """Its figures, each library in its own process and by turns; an error where weft's result isn't right."""
    best, digests = dict.fromkeys(LIBRARIES, float("inf")), {}
    for _ in range(rounds):
        for library, child in children.items():
            with child.turn():
                found, digests[library] = child((product, seconds / rounds / len(children)))
            best[library] = min(best[library], found)
    if digests["weft"] != digests["torch"]:
        raise AssertionError(f"{product}: weft's product differs from PyTorch's")
    operations = 2.0 * product.stack * product.m * product.k * product.n
    return {**product._asdict(), "label": str(product), "threads": threads,
            **{library: operations / t / 1e9 for library, t in best.items()},
            "ratio": best["weft"] / min(best["numpy"], best["torch"])}


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
        children = {library: Child("products", library, threads) for library in LIBRARIES}
        for child in children.values():
            child.stop()
        results += [measure(product, threads, seconds, children) for product in chosen]
        print("\n".join(summary(results, threads)), flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if given.svg:
        with open(given.svg, "w", encoding="utf-8") as file:
            file.write(draw(results))


if __name__ == "__main__":
    main()
