"""JAX and tinygrad on some rows, where they are installed. Their API is not PyTorch's, so these are written out.

    make("jax", "matmul 1024") -> the function that is timed, or None

And whole training steps in all ways that there are: PyTorch as it is and under torch.compile, jax.jit (steps_jax.py),
weft as it is, captured and replayed; each in a process of its own on so many cores, with the time until it was ready.

    python benchmarks/others.py [--threads 1] [--seconds 3] [--rounds 2] [--jax PYTHON] [WAY ...]
        --jax: an interpreter that has jax, if not this one; WAY: some of them only, as "torch.compile"
"""
import argparse
import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time

import numpy as np

NAMES = ("jax", "tinygrad")
M4 = 4 << 20
# row's name -> (kind, sizes of the inputs)
SHARED = {
    "matmul 256": ("matmul", [(256, 256)] * 2), "matmul 1024": ("matmul", [(1024, 1024)] * 2),
    "matmul 2048": ("matmul", [(2048, 2048)] * 2), "add, 4 M floats": ("add", [(M4,)] * 2),
    "exp, 4 M floats": ("exp", [(M4,)]), "tanh, 4 M floats": ("tanh", [(M4,)]), "gelu, 4 M floats": ("gelu", [(M4,)]),
    "softmax (2048, 1024)": ("softmax", [(2048, 1024)]), "x + y, no gradient": ("add", [(8, 8)] * 2),
    "conv2d 3x3 (32,64,32,32)->64": ("conv", [(32, 64, 32, 32), (64, 64, 3, 3)]),
}


def _arrays(shapes):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(s).astype(np.float32) for s in shapes]


def _jax(kind, shapes):
    jax = importlib.import_module("jax")
    jnp = jax.numpy
    functions = {
        "matmul": lambda a, b: a @ b, "add": lambda a, b: a + b, "exp": jnp.exp, "tanh": jnp.tanh,
        "gelu": lambda x: jax.nn.gelu(x, approximate=False), "softmax": lambda x: jax.nn.softmax(x, -1),
        "conv": lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))}
    inputs = [jnp.asarray(a) for a in _arrays(shapes)]
    compiled = jax.jit(functions[kind])
    return lambda: compiled(*inputs).block_until_ready()


def _tinygrad(kind, shapes):
    tinygrad = importlib.import_module("tinygrad")
    functions = {
        "matmul": lambda a, b: a @ b, "add": lambda a, b: a + b, "exp": lambda x: x.exp(), "tanh": lambda x: x.tanh(),
        "gelu": lambda x: x.gelu(), "softmax": lambda x: x.softmax(-1), "conv": lambda x, w: x.conv2d(w, padding=1)}
    inputs = [tinygrad.Tensor(a).realize() for a in _arrays(shapes)]
    compiled = tinygrad.TinyJit(lambda *given: functions[kind](*given).realize())
    device = tinygrad.Device[tinygrad.Device.DEFAULT]

    def run():
        out = compiled(*inputs)
        device.synchronize()
        return out
    for _ in range(3):      # the third call is the first that is captured
        run()
    return run


MAKERS = {"jax": _jax, "tinygrad": _tinygrad}


def installed():
    """{name: version} of those that can be imported and can add two arrays (tinygrad wants a C compiler of its own
    choice).
    """
    return {name: importlib.metadata.version(name) for name in NAMES if make(name, "x + y, no gradient") is not None}


def make(library, row_name):
    """The function of a row in a library; None where it isn't written or can't be made."""
    if row_name not in SHARED:
        return None
    try:
        run = MAKERS[library](*SHARED[row_name])
        run()
        return run
    except Exception:       # absent, or present and broken: not this benchmark's matter
        return None


# whole steps

STEPS = ("MLP 4-64-64-2, Adam step", "LSTMCell over 64 steps in a loop, Adam step",
         "MNIST CNN, batch 64, training step", "GPT 4 layers of 128, batch 12, length 64, training step")
WAYS = ("torch", "torch.compile", "jax.jit", "weft", "weft captured", "weft replayed")


def step_of(way, number, threads):
    """The step of a row, not yet called."""
    if way == "jax.jit":
        return importlib.import_module("steps_jax").make(number)
    import rows_models
    import rows_training
    from rows_capture import cell_loop
    makers = (rows_models.mlp_step, cell_loop, rows_training.mnist, rows_training.gpt(4, 128, 4, 12, 64))
    T = importlib.import_module(way.split(".")[0].split()[0])
    T.set_num_threads(threads)
    run = makers[number](T)
    if way in ("weft", "torch"):
        return run
    return T.compile(run, replay=True) if way == "weft replayed" else T.compile(run)


def timed(run, seconds):
    """The best time of a call within so many seconds."""
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def child(way, number, threads, seconds):
    """Print (seconds until the step is as quick as it gets, seconds of a call) of one step."""
    run = step_of(way, number, threads)
    start = time.perf_counter()
    calls = 4 if way in ("torch.compile", "jax.jit") else 12
    for _ in range(calls):
        run()
    ready = time.perf_counter() - start
    best = timed(run, seconds)
    print(json.dumps([max(0.0, ready - calls * best), best]))


def in_process(way, number, options):
    """What `child` prints in a new process; None where that way isn't to be had."""
    python = options.jax if way == "jax.jit" else sys.executable
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
    cores = sorted(os.sched_getaffinity(0))[:options.threads]
    made = subprocess.run([python, os.path.abspath(__file__), "--child", way, str(number), str(options.threads),
                           str(options.seconds)], capture_output=True, text=True, env=environment,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if made.returncode:
        print(f"{way}, {STEPS[number]}: {made.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(made.stdout.strip().splitlines()[-1])


def main():
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description="Training steps in all ways that there are.")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each, in each round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--jax", default=sys.executable, help="an interpreter that has jax")
    parser.add_argument("ways", nargs="*", default=WAYS, metavar="WAY")
    options = parser.parse_args()
    print(f"{options.threads} threads; milliseconds a step, over torch's, seconds until it was ready")
    for number, name in enumerate(STEPS):
        found = {}
        for _ in range(options.rounds):
            for way in options.ways:
                got = in_process(way, number, options)
                if got is not None:
                    before = found.get(way, got)
                    found[way] = [min(got[0], before[0]), min(got[1], before[1])]
        print(name)
        for way, (ready, best) in found.items():
            ratio = f"{best / found['torch'][1]:6.2f}" if "torch" in found else ""
            print(f"  {way:15s} {best * 1e3:10.3f} ms {ratio} {ready:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
