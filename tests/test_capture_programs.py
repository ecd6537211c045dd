"""Generated programs of another kind: views with writes in place, types that mix, branches on values, lists of tensors,
reductions along dimensions, writes by index, sizes that change from call to call. Captured against the program itself,
with its backward inside or outside; errors are results, too.
"""
import re
import warnings

import numpy as np
import pytest
from test_capture_leaving import near

import weft
from weft.nn import functional as F

LINES = [
    # views and writes in place
    "v = x[1:]; v.mul_(2)", "v = x.t(); x = (v + 1).t()", "x[0] = y[-1]", "x[:, 1] = 0.5", "x[..., -1] += 1",
    "y[x > 0] = 0.25", "y = y.clone(); y[::2] = x[::2].detach()", "x = x.clone(); x.t()[0] = 3",
    "x.view(-1)[2] = 1.5", "x.narrow(1, 0, 2).add_(y.narrow(1, 1, 2))",
    "a, b = x.split([1, x.shape[0] - 1]); b.add_(a)", "x.diagonal().fill_(0.5)",
    "y = y.clone(); y.index_put_((i2, i2), x[i2, i2])", "y = y.index_add(0, i2, x[:2])",
    "x = x.index_fill(1, i2, 0.1)", "x = x.scatter(0, i2[None].expand(2, 2), 0.3)", "y.index_copy_(0, i2, x[i2])",
    "x = x.masked_scatter(x > 1, y)", "v = x.expand(2, *x.shape); y = y + v.sum(0)",
    "u = x.unbind(1); y = y + u[0].unsqueeze(1)", "x = x.unfold(1, 2, 1).sum(-1); x = F.pad(x, (0, 1))",
    "x = x.movedim(0, 1).contiguous().t()", "k = x.detach(); k.clamp_(-1, 1)", "s.add_(x.detach().sum())",
    "s[0] = float(n)", "v = s.view(1, 2); v.mul_(0.5)", "with weft.no_grad(): w.mul_(0.99)",
    "with weft.no_grad(): w[0] -= 0.01", "w.data.add_(0.01)",
    # types
    "x = (x.double() * y).to(x.dtype)", "y = y + x.detach().int()", "x = x + (y > 0)",
    "x = x * weft.tensor(2, dtype=weft.int64)", "y = y + n", "x = x / (n + 1)", "x = x.half().float() + 0",
    "c = (x > y).sum(); x = x + c", "x = weft.where(x > 0, x, 1)", "y = y ** 2", "x = x + weft.arange(x.shape[1])",
    "q = weft.cat([x.detach().long(), (y > 0).long()]); y = y + q.sum()", "x = x.bfloat16().to(weft.float32)",
    "y = y * True", "x = x - weft.tensor(0.5, dtype=weft.float64)",
    # values that are read
    "x = x * 2 if (y.detach() > 1).any() else x + 1",
    "m = weft.arange(x.shape[0]) > n % 3\n        x = x * 2 if m.all() else x * m[:, None]",
    "out.append(int((x.detach() > 0).sum()))", "out.append(s.tolist())", "y = y * 0.5 if s.sum() > 3 else y",
    "k = int(s[0].item()) % 2; x = x[:, k:k + 1] + x",
    "while float(y.detach().abs().max()) > 50:\n            y = y * 0.5", "out.append(bool((i2 > 0).all()))",
    "assert x.detach().isfinite().all() or True", "out.append(len(x.nonzero()))",
    # lists, reductions, shapes
    "h = [x * k for k in range(3)]; x = weft.stack(h).mean(0)",
    "h = []\n        for r in x:\n            h.append(r.tanh())\n        x = weft.stack(h)",
    "x = sum(x.chunk(2, 1)[0].unbind(1)).unsqueeze(1) + x", "out.extend(weft.split(x, 2))",
    "x = x - x.amax(1, keepdim=True)", "y = y + x.std(0)", "x = x * x.prod(1, keepdim=True).sigmoid()",
    "y = y + x.logsumexp(0)", "x = x.cumsum(0) / x.shape[0]", "y, j = y.sort(1); out.append(j)",
    "t = x.topk(2, 1); y = y + t.values.sum()", "x = x + x.max(0).values", "y = y.flip(0)", "x = x.roll(1, 0)",
    "x = weft.einsum('ij,jk->ik', x, w)", "y = (x[:, None] - y[None]).square().sum(-1).mean() + y",
    "x = x.repeat(2, 1)[:x.shape[0]]", "x = x.flatten().view(x.shape)",
    "z = {'a': x, 'b': (y, [x])}; x = z['b'][1][0] + z['a']", "x, y = y, x",
    "x = F.linear(x, w) if n % 2 else x @ w", "x = weft.cat([x, y], 1)[:, :3]", "y = y.new_zeros(y.shape) + y",
    "x = F.softmax(x, n % 2)", "x = F.layer_norm(x, x.shape[1:])", "x = F.dropout(x, 0.2)",
    "x = x.norm(dim=1, keepdim=True) + x", "y = y.var(1, keepdim=True) + x", "out.append(x.argmin(1))",
    "if n == 3:\n            raise ValueError('three')", "if n % 4 == 1:\n            return [x, y, *out]",
    "try:\n            x = x @ weft.ones(7, 7)\n        except RuntimeError:\n            x = x + 1",
    "x = weft.utils.checkpoint.checkpoint(lambda t: (t * 2).tanh(), x, use_reentrant=False)",
    "count[0] += 1; x = x * (1 + count[0] % 2)",
]
INSIDE = [
    "", "loss = total([x, y]); loss.backward(); out.append(w.grad)",
    "loss = total([x, y]); loss.backward(); opt.step(); opt.zero_grad()",
    "g, = weft.autograd.grad(total([x]), w, allow_unused=True); out.append(g)",
    "total([x]).backward(); total([y * 2 + (w * 0).sum()]).backward()",
]


def program(seed):
    """A function of some of these lines, with a backward or without."""
    rng = np.random.default_rng([19, seed])
    lines = [LINES[i] for i in rng.integers(len(LINES), size=rng.integers(2, 12))]
    end = INSIDE[rng.integers(len(INSIDE))]
    return ("def total(found):\n    return sum([t.float().square().mean() for t in found])\n"
            "def function(n, x):\n    out = []\n    if True:\n        y = x * 0.5\n        x = F.linear(x, w)\n        "
            + "\n        ".join(lines) + f"\n        {end or 'pass'}\n    return [x, y, *out]\n")


def ran(function, scope, n, x):
    """What a call and a backward of what it gives do."""
    try:
        given = function(n, x)
    except Exception as error:
        return type(error), re.sub("^[a-z_]+: ", "", str(error)).split("\n")[0]
    tensors = [t for t in given if isinstance(t, weft.Tensor) and t.requires_grad and t.grad_fn is not None]
    try:
        if tensors:
            scope["total"](tensors).backward()
    except RuntimeError as error:
        given.append(re.sub("^[a-z_]+: ", "", str(error)).split("\n")[0].split(" of ")[0].split(":")[0])
    return [t.detach().clone() if isinstance(t, weft.Tensor) else t for t in given], \
        None if scope["w"].grad is None else scope["w"].grad.clone(), scope["w"].detach().clone(), scope["s"].clone()


def check(seeds):
    for seed in seeds:
        results, source = [], program(seed)
        rng = np.random.default_rng([23, seed])
        sizes = [3] * 8 if seed % 3 else [int(n) for n in rng.integers(3, 6, size=8)]
        kinds = [np.float32] * 8 if seed % 4 else [[np.float32, np.float64][k] for k in rng.integers(2, size=8)]
        inputs = [rng.standard_normal((n, 3)).astype(kind) for n, kind in zip(sizes, kinds)]
        for captured in (False, True):
            weft.manual_seed(seed)
            scope = {"weft": weft, "F": F, "w": weft.randn(3, 3, requires_grad=True), "s": weft.zeros(2),
                     "i2": weft.tensor([0, 2]), "count": [0]}
            scope["opt"] = [weft.optim.SGD, weft.optim.Adam][seed % 2]([scope["w"]], lr=0.01)
            exec(source, scope)
            function = scope["function"]
            if captured:
                function = weft.jit.capture(function, memory_budget=[None, 0.5][seed % 2])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given = [weft.from_numpy(x) if seed % 5 == 0 else weft.tensor(x) for x in inputs]
                results.append([ran(function, scope, n, given[n]) for n in range(8)] + [weft.rand(2), scope["count"]])
        try:
            near(*results)
        except AssertionError:
            print(seed, source, sizes, kinds, function.explain(), sep="\n")
            raise


@pytest.mark.parametrize("block", range(8))
def test_generated_programs_of_views_types_reads_and_lists(block):
    check(range(20 * block, 20 * block + 20))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_generated_programs_of_views_types_reads_and_lists(block):
    check(range(100 * block, 100 * block + 100))
