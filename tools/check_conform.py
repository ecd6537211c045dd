"""Runs shared/tools/conform.py on ops, modules and optimizers and fails when an entry falls short that isn't known to.

    python tools/check_conform.py ../shared/tools/conform.py
"""
import json
import subprocess
import sys
import tempfile

# entry -> why weft's answer is kept; docs/differences.md says more
KNOWN = {
    "as_strided_scatter": "PyTorch's own gradient fails its gradcheck; weft's is the true one",
    "logcumsumexp": "PyTorch's float32 gradient is off by 3e-3",
    "matrix_exp": "PyTorch's float32 result is off by more than conform's tolerance; weft computes in float64",
    "LBFGS": "chaotic in float32 with a rate of 1: torch leaves itself by 0.6 if the start moves by 1e-7; equal to "
    "1e-6 in float64",
}


def main():
    script, fresh = sys.argv[1], 0
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([sys.executable, script, "all", "--json", report.name], check=True, stdout=subprocess.DEVNULL)
        with open(report.name) as file:
            found = json.load(file)
    for kind, entries in found.items():
        short = {name: said for name, said in entries.items() if said != "ok"}
        for name, said in short.items():
            print(f"{name}: {said}" + (f" (known: {KNOWN[name]})" if name in KNOWN else ""))
        print(f"conform: {len(entries) - len(short)} of {len(entries)} {kind}")
        fresh += len(set(short) - set(KNOWN))
    return 1 if fresh else 0


if __name__ == "__main__":
    sys.exit(main())
