"""How a data-parallel step would grow to 1,024 ranks: a model of what benchmarks/distributed.py measured.

    python benchmarks/growth.py             # from benchmarks/distributed.json

A step of n ranks takes the time of one rank without exchange, measured, plus what of the exchange the backward doesn't
hide. The exchange of S bytes is a ring's: 2 (n - 1) / n x S / bandwidth, and 2 log2(n) messages' latency for each
bucket. Two bounds are printed: nothing hidden, and all but the last bucket hidden behind the backward (two thirds of a
step). It is a model: no such network was there to be measured.
"""
import json
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# bytes per second, seconds
NETWORKS = {"10 Gbit/s, 20 us": (10e9 / 8, 20e-6), "100 Gbit/s, 3 us": (100e9 / 8, 3e-6)}
RANKS = (8, 64, 256, 1024)
BUCKET, FIRST = 25 * 2**20, 2**20       # bytes, as DistributedDataParallel has them


def exchange(n, size, bandwidth, latency):
    """Seconds of an all_reduce of `size` bytes over n ranks."""
    return 2 * (n - 1) / n * size / bandwidth + 2 * math.log2(n) * latency


def step(n, alone, size, bandwidth, latency):
    """(with nothing hidden, with all hidden that can be) seconds of a step."""
    buckets = [min(FIRST, size)]
    while sum(buckets) < size:
        buckets.append(min(BUCKET, size - sum(buckets)))
    times = [exchange(n, b, bandwidth, latency) for b in buckets]
    hidden = min(sum(times[:-1]), alone * 2 / 3)
    return alone + sum(times), alone + sum(times) - hidden


def main():
    found = json.loads((HERE / "distributed.json").read_text())["1"]
    names = [name.removeprefix("alone ") for name in found if name.startswith("alone ")]
    print("| efficiency at n ranks (nothing hidden - all that can be) | " + " | ".join(map(str, RANKS)) + " |")
    print("| --- |" + " --- |" * len(RANKS))
    for network, (bandwidth, latency) in NETWORKS.items():
        for name in names:
            alone, size = found[f"alone {name}"], found[f"bytes {name}"]
            cells = [[alone / t for t in step(n, alone, size, bandwidth, latency)] for n in RANKS]
            shown = " | ".join(f"{a:.0%} - {b:.0%}" for a, b in cells)
            print(f"| {name} ({size / 1e6:.1f} MB, {alone * 1e3:.1f} ms alone), {network} | {shown} |")


if __name__ == "__main__":
    main()
