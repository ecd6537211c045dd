"""Generated programs that live for many calls: layers with state, optimizers that change, tensors kept from earlier
calls, parameters that are replaced or frozen, modes, hooks that come and go, inner captured functions, errors, sizes of
zero, inputs that lie oddly or want gradients. Captured against the program itself: results, gradients, weights, states,
versions and random numbers, after every call.
"""
import warnings

import numpy as np
import pytest
from test_capture_leaving import near

import weft
from weft import nn
from weft.nn import functional as F

LINES = [
    # layers with parameters and state
    "x = net(x)", "x = net[0](x)", "x = F.linear(x, net[0].weight.t())", "x = norm(x) if len(x) > 1 else x", "x = drop(x)",
    "x = cell(x, keep[-1] if keep and keep[-1].shape == x.shape else None)", "x = x + table(i2).sum(0)",
    "x = lstm(x[None])[0][0]", "x = attn(x[None], x[None], x[None], need_weights=False)[0][0]",
    "for _ in range(2):\n        x = net(x)", "h = x\n    for t in range(5):\n        h = cell(x, h)\n    x = h",
    "x = F.conv1d(x[None], kernel, padding=1)[0] if len(x) == 3 else x", "x = inner(x)", "x = inner(x, n % 2)",
    "x = F.normalize(x, dim=1)", "x = x.relu_() if x.grad_fn is not None and n % 3 == 0 else x * 1",
    # what lives on
    "keep.append(x.detach())", "keep.append(x); keep[:] = keep[-2:]", "keep[:] = [k.detach() for k in keep]",
    "x = x + sum([k.detach().mean() for k in keep])", "x = x * weft.stack([k.mean() for k in keep]).sum() if keep else x",
    "ring[n % 4] = x.detach().mean()", "ring[n % 4:].mul_(0.5)", "ring = ring.clone(); ring.add_(x.detach().sum())",
    "ring.copy_(ring.flip(0))", "ring.zero_(); ring.index_add_(0, i2, x.detach().mean(0)[:2])", "ring.fill_(0.5)",
    "v = ring[1:]; ring.index_fill_(0, i2, float(n)); x = x + v.sum()", "ring.masked_fill_(ring > 1, 0.25)",
    "mean.copy_(x.detach()[:3] if len(x) > 2 else mean.t())", "mean.index_copy_(0, i2[:1] + n % 3, x.detach().mean(0)[None])",
    "mean.scatter_(1, (mean > 0).long(), 0.5); x = x @ mean", "mean.index_put_((i2, i2), ring[:2])", "x = x + mean.zero_().add(1)",
    "with weft.no_grad(): net[2].weight.copy_(mean).mul_(0.1)", "with weft.no_grad(): w[0].copy_(mean[1] * 0.1)",
    "old = mean.clone(); mean.fill_(float(n)); x = x + (mean - old)", "u = mean * 2; mean.zero_(); x = x + u + mean",
    "with weft.no_grad(): mean.lerp_(net[0].weight, 0.1)",
    "with weft.no_grad(): mean.mul_(0.9).add_(net[0].weight, alpha=0.1)", "count += 1", "x = x * count",
    "count.add_(len(x))", "x = x + weft.full((), float(n))", "x = x + weft.tensor([n, 1.0, 2.0])",
    "x = x + weft.as_tensor(np.float32(n))", "x = x + weft.from_numpy(array)", "array += 1",
    # the program changes
    "if n == 3:\n        net[0].weight = nn.Parameter(net[0].weight.detach() * 0.5)",
    "if n == 4:\n        net[1] = nn.Tanh()", "net[0].weight.requires_grad_(n % 3 != 1)", "net.train(n % 2 == 0)",
    "if n == 2:\n        net.load_state_dict({k: v * 0.9 for k, v in net.state_dict().items()})",
    "if n == 5:\n        opt.state.clear()", "opt.param_groups[0]['lr'] = 0.01 / (1 + n)", "schedule.step()",
    "if n == 4:\n        opt.load_state_dict(copy.deepcopy(opt.state_dict()))", "drop.p = 0.1 * (n % 3)", "norm.train(n % 3 > 0)",
    "if n == 3:\n        handles.append(net[0].register_forward_hook(lambda m, a, out: out * 2))",
    "if n == 5 and handles:\n        handles.pop().remove()",
    "if n == 2:\n        handles.append(net[0].weight.register_hook(lambda g: g * 0.5))",
    "net[0].weight.data.clamp_(-0.5, 0.5)", "if n % 4 == 2:\n        net[0].bias.data = net[0].bias.data + 0.1",
    "weft.set_default_dtype(weft.float64)\n    x = x + weft.ones(3).to(x.dtype) / 3\n    weft.set_default_dtype(weft.float32)",
    # gradients in the middle
    "with weft.no_grad():\n        x2 = net(x).argmax(1)\n    out.append(x2)",
    "with weft.inference_mode():\n        out.append(x.detach().clone().sum().item())",
    "g, = weft.autograd.grad(net(x).sum(), net[0].weight, allow_unused=True) if net[0].weight.requires_grad else (None,)"
    "\n    out.append(g)",
    "z = x.detach().requires_grad_(); net(z).sum().backward(); x = x + z.grad",
    "z = x.detach().clone().requires_grad_()\n    g, = weft.autograd.grad(net(z).tanh().sum(), z, create_graph=True)\n"
    "    x = x + g.norm()", "net.zero_grad(set_to_none=n % 2 == 0)",
    "if net[0].bias.grad is not None:\n        net[0].bias.grad.mul_(0.5)", "nn.utils.clip_grad_norm_(weights, 0.5)",
    "nn.utils.clip_grad_value_(weights, 0.1)", "for p in weights:\n        p.grad = None if n % 3 else p.grad",
    "x = weft.utils.checkpoint.checkpoint(net, x, use_reentrant=False)", "x = Twice.apply(x)",
    # sizes, types, values, errors
    "x = x[:n % 4]", "x = x[x.detach().sum(1) > 0]", "x = weft.cat([x, x[:0]])", "x = x.t().contiguous().t()",
    "x = x.expand(2, *x.shape)[n % 2]", "x = x.to(weft.float64).to(weft.float32)", "x = x.bfloat16().float()",
    "x = weft.view_as_real(weft.view_as_complex(weft.cat([x, x], 1)[:, :4].reshape(-1, 2).contiguous()) * 1j).reshape(-1, 4)"
    "[:, :3]", "if len(x) and float(x.detach()[0, 0]) > 0:\n        x = x * 2",
    "if n == 4:\n        raise ValueError('four')", "try:\n        out.append(x @ weft.ones(5, 5))\n    except RuntimeError:\n"
    "        x = x - 1", "if n % 5 == 4:\n        return [x.sum(), *out]", "out.append(repr(x.detach().shape))",
    "out.append(x.detach().tolist())", "x = weft.where(weft.rand(x.shape) < 0.5, x, x.neg())",
    "x = x + weft.randn(3, generator=generator)", "x = x[weft.randperm(len(x))]", "weft.manual_seed(n)",
    "x = x + weft.bernoulli(weft.full((3,), 0.5))", "x = x.clamp(min=-float(n))", "x = x.sum(n % 2, keepdim=True) + x",
    "x.requires_grad_() if x.grad_fn is None and not x.requires_grad else None", "out.append((x._version, x.is_leaf))",
    # who looks on, aliases of views, versions
    "with weft.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):\n        x = net(x)",
    "with weft.check_numerics():\n        x = net(x).tanh()", "with weft.profiler.memory():\n        x = net(x)",
    "with weft.autograd.forward_ad.dual_level():\n        d = weft.autograd.forward_ad\n        z = d.make_dual(x.detach(), "
    "weft.ones_like(x.detach()))\n        out.append(d.unpack_dual(net(z).tanh())[1].detach())",
    "x = weft.func.vmap(lambda r: r * 2 + w[0].detach(), randomness='same')(x) if len(x) else x",
    "y = x * 2; y[:1].detach().add_(1); x = x + y; out.append(y._version)",
    "y = x * 2; z = y.square(); y.view(-1)[1:].detach().mul_(0.5); x = x + z",
    "weft._foreach_mul_([ring[1:], mean.t()], 0.5); out.append((ring._version, mean._version))",
    "y = x.detach() + 1; weft._foreach_add_([y[:1].detach(), y], 1); out.append((y._version, y[:1]._base is y))",
    "out.append((x.t()._is_view(), x._is_view(), ring[1:]._base is ring))", "out.append(net[0].weight._version)",
    "x = copy.deepcopy(x.detach()) + x", "del x0", "x = x0 + x if 'x0' in locals() and x0.shape == x.shape else x",
]
ENDS = [
    "", "loss = x.square().mean(); opt.zero_grad(); loss.backward(); opt.step(); out.append(loss.detach())",
    "loss = x.square().mean(); loss.backward()\n    if n % 2:\n        opt.step(); opt.zero_grad()",
    "loss = x.square().mean() + sum([p.square().sum() for p in weights]); opt.zero_grad(); loss.backward(); opt.step(); "
    "out.append(loss.item())",
    "x.sum().backward(retain_graph=True); x.square().sum().backward(); opt.step(); opt.zero_grad(set_to_none=False)",
    "def closure():\n        opt.zero_grad(); loss = net(x.detach()).square().mean(); loss.backward(); return loss\n"
    "    out.append(opt.step(closure))",
    "weft.autograd.backward([x.sum(), net(x.detach()).mean()]); opt.step()",
    "x.mean().backward(inputs=[p for p in weights if p.requires_grad]); opt.step(); opt.zero_grad()",
]
OPTIMIZERS = [
    lambda p: weft.optim.SGD(p, 0.01), lambda p: weft.optim.SGD(p, 0.1, momentum=0.1, nesterov=True),
    lambda p: weft.optim.Adam(p, 0.01), lambda p: weft.optim.AdamW(p, 0.01, weight_decay=0.01, amsgrad=True),
    lambda p: weft.optim.RMSprop(p, 0.01), lambda p: weft.optim.Adagrad(p, 0.01), lambda p: weft.optim.Adam(p, weft.tensor(0.01)),
]


class Twice(weft.autograd.Function):
    """A custom Function."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def program(seed):
    """A function of some of these lines."""
    rng = np.random.default_rng([29, seed])
    lines = [LINES[i] for i in rng.integers(len(LINES), size=rng.integers(2, 10))]
    return ("def function(n, x):\n    global count, ring, keep\n    out, x0 = [], x\n    x = x @ w\n    "
            + "\n    ".join(lines) + f"\n    {ENDS[rng.integers(len(ENDS))] or 'pass'}\n    return [x, *out]\n")


def world(seed):
    """All that a program may use."""
    import copy
    weft.manual_seed(seed)
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=seed % 2 == 0), nn.Linear(3, 3, bias=False))
    scope = {
        "weft": weft, "nn": nn, "F": F, "np": np, "copy": copy, "Twice": Twice, "net": net, "norm": nn.BatchNorm1d(3),
        "drop": nn.Dropout(0.2), "cell": nn.GRUCell(3, 3), "table": nn.Embedding(5, 3), "lstm": nn.LSTM(3, 3),
        "attn": nn.MultiheadAttention(3, 1, batch_first=True), "kernel": weft.randn(3, 3, 3), "i2": weft.tensor([0, 2]),
        "w": weft.randn(3, 3, requires_grad=True), "keep": [], "ring": weft.zeros(4), "mean": weft.zeros(3, 3),
        "count": weft.zeros(()), "array": np.ones(3, np.float32), "handles": [],
        "generator": weft.Generator().manual_seed(seed)}
    scope["weights"] = [scope["w"], *[p for name in ("net", "norm", "cell", "table", "lstm", "attn")
                                      for p in scope[name].parameters()]]
    scope["opt"] = OPTIMIZERS[seed % len(OPTIMIZERS)](scope["weights"])
    scope["schedule"] = weft.optim.lr_scheduler.StepLR(scope["opt"], 2, 0.5)
    return scope


def given(seed, n, rng):
    """The input of call n: mostly of one size, some lie oddly, some want a gradient."""
    rows = 3 if seed % 3 else int(rng.integers(0, 5))
    x = weft.tensor(rng.standard_normal((3, rows) if seed % 7 == 0 else (rows, 3)).astype(np.float32))
    x = x.t() if seed % 7 == 0 else x
    return x.requires_grad_() if seed % 5 == 0 else x


def seen(value):
    """A value as it is now."""
    if isinstance(value, weft.Tensor):
        return [value.detach().clone(), value.is_inference() or value._version, value.requires_grad]
    if isinstance(value, dict):
        return [[str(k), seen(v)] for k, v in value.items()]
    if isinstance(value, float):
        return weft.tensor(value, dtype=weft.float64)
    return [seen(v) for v in value] if isinstance(value, (list, tuple)) else value


def lived(function, scope, seed):
    """What eight calls do, each with a backward of what it gives."""
    found, rng = [], np.random.default_rng([31, seed])
    for n in range(8):
        x = given(seed, n, rng)
        try:
            made = function(n, x)
            found.append(seen(made))
            left = [t for t in made if isinstance(t, weft.Tensor) and t.requires_grad and t.grad_fn is not None]
            if left and seed % 2:
                sum([t.float().square().sum() for t in left]).backward()
        except (RuntimeError, ValueError, IndexError, NameError, TypeError) as error:
            found.append([type(error), str(error).split("\n")[0].split(": ")[-1][:12]])
        weft.set_default_dtype(weft.float32)
        found.append(seen([scope["weights"], [p.grad for p in scope["weights"]], x.grad, scope["norm"].state_dict(),
                           scope["opt"].state_dict()["state"], scope["keep"], scope["ring"], scope["mean"],
                           scope["count"]]))
    return [*found, weft.get_rng_state()]


def check(seeds):
    for seed in seeds:
        source, results = program(seed), []
        for captured in (False, True):
            scope = world(seed)
            exec(source, scope)

            def inner(x, k=1, w=scope["w"]):
                return (x * k + 1).tanh() @ w.detach()
            wrap = [weft.jit.capture, weft.compile][seed % 2] if captured else lambda function: function
            scope["inner"] = wrap(inner)
            function = scope["function"]
            if captured:
                function = weft.jit.capture(function, memory_budget=[None, 0.5, 0.0][seed % 3])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(lived(function, scope, seed))
        try:
            near(*results)
        except AssertionError:
            print(seed, source, function.explain(), sep="\n")
            raise


@pytest.mark.parametrize("block", range(8))
def test_generated_programs_that_live_on(block):
    check(range(25 * block, 25 * block + 25))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_generated_programs_that_live_on(block):
    check(range(100 * block, 100 * block + 100))
