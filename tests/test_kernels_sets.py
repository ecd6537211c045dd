"""A small battery under each set of kernels that this processor can run, in processes of their own: all give what the
reference gives.
"""
import json
import os
import subprocess
import sys

import pytest

import weft
from weft._pure import PURE
from weft.kernels import fast

HOME = os.path.dirname(os.path.dirname(os.path.abspath(weft.__file__)))
ORDER = ("v2", "v3", "v4")

# sums over results are compared, so that a set may round in its own way
BATTERY = '''
import json
import numpy as np
import weft as torch
from weft.kernels import fast
F = torch.nn.functional

def data(*shape, dtype="float32", seed=0):
    return torch.from_numpy(np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(dtype))

found = {}
def note(name, *results):
    for i, r in enumerate(results):
        a = r.detach().numpy().astype("float64")
        weights = np.cos(np.arange(a.size)).reshape(a.shape)
        found[f"{name} {i}"] = [list(a.shape), float((a * weights).sum()), float(np.abs(a).sum())]

def both(name, call, *inputs):
    inputs = [x.requires_grad_() for x in inputs]
    out = call(*inputs)
    note(name, out, *torch.autograd.grad((out * torch.cos(torch.arange(out.numel(), dtype=out.dtype).reshape(out.shape))).sum(), inputs))

for dtype in ("float32", "float64"):
    for n in (7, 33, 40):
        x = data(2, 3, n, n + 5, dtype=dtype)
        both(f"max_pool2d {dtype} {n}", lambda x: F.max_pool2d(x, 2), x)
        both(f"max_pool2d 3 {dtype} {n}", lambda x: F.max_pool2d(x, 3, 2, 1), x)
        both(f"avg_pool2d {dtype} {n}", lambda x: F.avg_pool2d(x, 3, 2, 1), x)
        both(f"adaptive {dtype} {n}", lambda x: F.adaptive_avg_pool2d(x, 3) + F.adaptive_max_pool2d(x, 3), x)
        both(f"softmax {dtype} {n}", lambda x: x.softmax(-1) * x.log_softmax(-1), x)
        both(f"pointwise {dtype} {n}", lambda x: x.exp() + x.tanh() * x.sigmoid() - F.gelu(x) + F.silu(x), x)
        both(f"reduce {dtype} {n}", lambda x: x.sum(-1) * x.mean(-1) + x.amax(-1), x)
        both(f"matmul {dtype} {n}", lambda x, y: x @ y, x, data(n + 5, n, dtype=dtype))
    both(f"ctc {dtype}", lambda x: F.ctc_loss(x.log_softmax(-1), torch.tensor([[1, 2, 2], [3, 1, 0]]), (9, 8), (3, 2)), data(9, 2, 5, dtype=dtype))

# a training step
torch.manual_seed(0)
x, y = data(16, 6, seed=1), data(16, 2, seed=2)
weights = [data(6, 8, seed=3).requires_grad_(), data(8, 2, seed=4).requires_grad_()]
for _ in range(5):
    loss = (((x @ weights[0]).relu() @ weights[1] - y) ** 2).mean()
    grads = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        for w, g in zip(weights, grads):
            w -= 0.05 * g
note("training", loss, *weights)
print(json.dumps([fast.name, found]))
'''


def battery(chosen):
    made = subprocess.run([sys.executable, "-c", BATTERY], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": HOME, "WEFT_KERNELS": chosen})
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


@pytest.fixture(scope="module")
def reference():
    return battery("reference")[1]


def built(chosen):
    return any(name.startswith(f"_{chosen}.") for name in os.listdir(os.path.join(HOME, "weft", "kernels")))


@pytest.mark.skipif(PURE or fast.base is None, reason="the plain-Python core has no kernels")
@pytest.mark.parametrize("chosen", [*ORDER, "arm64"])
def test_every_set_gives_what_the_reference_gives(chosen, reference):
    best = fast.base.instruction_set()
    if chosen != best and (best not in ORDER or chosen not in ORDER or ORDER.index(chosen) > ORDER.index(best)):
        pytest.skip(f"this processor can't run {chosen}")
    if not built(chosen):
        pytest.skip(f"{chosen} wasn't built here")
    name, found = battery(chosen)
    assert name == chosen and found.keys() == reference.keys()
    for key, (shape, weighted, size) in found.items():
        want = reference[key]
        tolerance = (2e-4 if "float64" not in key else 1e-9) * (1 + want[2])
        assert shape == want[0] and abs(weighted - want[1]) <= tolerance and abs(size - want[2]) <= tolerance, key
