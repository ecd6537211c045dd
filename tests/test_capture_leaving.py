"""Graphs that leave a captured function: what stands outside (loss, backward, hooks, writes) finds what eager gives."""
import copy
import re
import threading
import warnings

import numpy as np
import pytest
from test_capture import same

import weft
from weft import nn
from weft.nn import functional as F


def both(make, use, calls=6):
    """What `use(function, i)` gives with the function itself and with the captured one; the captured one."""
    results = []
    for wrap in (lambda f: f, weft.jit.capture):
        weft.manual_seed(0)
        function = wrap(make())
        weft.manual_seed(1)
        got = []
        for i in range(calls):
            try:
                got.append(use(function, i))
            except (RuntimeError, ValueError, TypeError) as error:
                got.append((type(error), str(error).split("\n")[0]))
        results.append(got)
    same(*results)
    return function


def outside(forward, use, leaves=None, calls=6, whole=True):
    """A function of x and two parameters; `use(outputs, w, b, i)` is the program around it."""
    def make():
        w, b = weft.randn(3, 3, requires_grad=True), weft.randn(3, requires_grad=True)

        def function(x):
            return forward(x, w, b)
        function.leaves = w, b
        return function

    def around(function, i):
        w, b = getattr(function, "function", function).leaves
        w.grad = b.grad = None
        result = use(function(weft.full((2, 3), float(i) + 0.5)), w, b, i)
        return result, w.grad if w.grad is None else w.grad.clone(), b.grad if b.grad is None else b.grad.clone()
    captured = both(make, around, calls)
    assert not whole or "as it is" not in captured.explain(), captured.explain()
    return captured


def mlp(x, w, b):
    return F.linear(F.linear(x, w, b).relu(), w).tanh()


def test_the_backward_of_a_captured_forward_stands_outside():
    def use(y, w, b, i):
        y.square().mean().backward()
        return y.detach()
    outside(mlp, use)


def test_the_loss_may_be_part_of_the_function():
    outside(lambda x, w, b: mlp(x, w, b).square().sum(), lambda loss, w, b, i: loss.backward())


def test_only_some_outputs_get_gradients():
    def forward(x, w, b):
        h = F.linear(x, w, b)
        return h.relu(), h.tanh(), h.detach(), h.argmax(1)

    def use(outs, w, b, i):
        loss = outs[0].sum() if i % 3 == 0 else outs[1].sum() if i % 3 == 1 else outs[0].sum() + outs[1].sum()
        loss.backward()
        return outs[2:]
    outside(forward, use, calls=9)


@pytest.mark.parametrize("retain", [True, False])
def test_a_second_backward_outside(retain):
    def use(y, w, b, i):
        loss = y.sum()
        loss.backward(retain_graph=retain)
        loss.backward()
        return y.detach()
    outside(mlp, use, whole=False)


def test_a_second_backward_through_what_saves_nothing_is_allowed():
    def use(y, w, b, i):
        y.sum().backward()
        y.sum().backward()
    outside(lambda x, w, b: x + b - 1, use)


def test_two_outputs_one_after_the_other():
    def forward(x, w, b):
        return (x * b).exp(), (x @ w).exp()

    def use(outs, w, b, i):
        outs[0].sum().backward()
        outs[1].sum().backward()
    outside(forward, use)

    def shared(x, w, b):
        h = (x @ w).exp()
        return h * b, h + 1
    outside(shared, use, whole=False)


def test_gradients_of_gradients():
    def use(y, w, b, i):
        first, = weft.autograd.grad(y.square().sum(), w, create_graph=True)
        (first.square().sum() + y.sum()).backward()
        return first.detach()
    outside(mlp, use, whole=False)


def test_gradients_of_some_inputs():
    def use(y, w, b, i):
        return weft.autograd.grad(y.sum(), [b, w][i % 2])
    outside(mlp, use)


def test_hooks_retained_gradients_and_values_in_the_middle():
    def forward(x, w, b):
        h = F.linear(x, w, b)
        return h, h.relu()

    def use(outs, w, b, i):
        h, y = outs
        seen = []
        if i % 3 == 0:
            h.retain_grad()
        if i % 3 == 1:
            h.register_hook(lambda g: seen.append(g.clone()) or g * 2)
        if i % 3 == 2:
            return weft.autograd.grad(y.sum(), h)
        y.sum().backward()
        return seen, h.grad if i % 3 == 0 else None
    outside(forward, use, whole=False)


def test_hooks_on_leaves_outside():
    def use(y, w, b, i):
        seen = []
        handle = w.register_hook(lambda g: seen.append(g.clone()) or g * 3)
        after = b.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.clone()))
        y.sum().backward()
        handle.remove()
        after.remove()
        return seen
    outside(mlp, use)


def test_the_graph_that_left_is_shown_as_it_would_be():
    def use(y, w, b, i):
        names, node = [], y.sum().grad_fn
        while node is not None:
            names.append((node.name(), "test_capture_leaving" in str(getattr(node, "line", ""))))
            node = node.next_functions[0][0] if node.next_functions else None
        return names, y.grad_fn.name()
    outside(mlp, use, whole=False)


@pytest.mark.parametrize("line", ["y.add_(1)", "y.relu_()", "y.mul_(y.detach())", "y[0] = 0", "y.view(-1).mul_(2)", "y.t_()", "v = y[1]; v.exp_()",
                                  "y.detach().add_(1)", "w.data.mul_(2)", "w.detach().add_(1)", "x = y.detach_()", "y.data.add_(1)",
                                  "with weft.no_grad(): w.mul_(1)", "y.requires_grad_()", "y.zero_()"])
@pytest.mark.parametrize("forward", ["x @ w + b", "(x @ w).exp()", "(x @ w + b).relu_()", "(x @ w).tanh().view(-1)", "w.t() * b",
                                     "(x @ w).sigmoid().t()", "((x @ w).exp_() * b).add_(1)"])
def test_writes_after_the_function(line, forward):
    def use(y, w, b, i):
        exec(line, {"weft": weft}, {"y": y, "w": w, "b": b})
        (y * 2).sum().backward()
        return y.detach()
    outside(eval("lambda x, w, b: " + forward), use, calls=4, whole=False)


@pytest.mark.parametrize("forward", ["h = (x @ w).exp(); return h * b, h.detach()", "h = (x @ w).exp(); v = h[0]; return v * b, v.detach()",
                                     "h = (x @ w).relu_(); h.exp_(); return h * b, h.detach()", "h = x @ w; h.exp_(); return h + 1, h.detach()",
                                     "h = (x @ w).exp(); return h * b, h.data", "h = (x @ w).sigmoid_(); return h, h.detach()[0]"])
def test_writes_to_what_shares_memory_with_a_saved_value(forward):
    scope = {}
    exec(f"def forward(x, w, b):\n    {forward}\n", scope)

    def use(outs, w, b, i):
        outs[1].add_(1)
        outs[0].sum().backward()
        return outs[1].detach(), outs[1]._version
    outside(scope["forward"], use, calls=4, whole=False)


def test_a_view_of_what_leaves_is_a_view():
    def forward(x, w, b):
        h = x @ w
        return h.view(-1), h

    def use(outs, w, b, i):
        v, h = outs
        if i % 2:
            v.mul_(2)
        h.exp().sum().backward()
        return v.detach(), v._base is h
    outside(forward, use, whole=False)


def test_inputs_that_have_a_graph():
    def use(function, i):
        w, b = function_leaves(function)
        w.grad = b.grad = None
        x = weft.full((2, 3), 0.1 * i) @ w
        y = function(x.relu() if i % 2 else x)
        y.sum().backward()
        return w.grad.clone(), b.grad.clone(), y.detach()

    def function_leaves(function):
        return getattr(function, "function", function).leaves

    def make():
        w, b = weft.randn(3, 3, requires_grad=True), weft.randn(3, requires_grad=True)

        def function(x):
            return F.linear(x, w, b).tanh()
        function.leaves = w, b
        return function
    captured = both(make, use)
    assert "as it is" not in captured.explain()

    def views(function, i):
        w, b = function_leaves(function)
        w.grad = b.grad = None
        x = (weft.full((2, 4), 0.1 * i) @ w.repeat(2, 1)[:4, :])[:, :3].t().reshape(2, 3)
        y = function(x)
        y.sum().backward()
        return w.grad.clone(), y.detach()
    both(make, views)


def test_a_backward_inside_through_a_graph_made_outside():
    def make():
        w = weft.randn(3, requires_grad=True)

        def function(x):
            w.grad = None
            (x * w).exp().sum().backward()
            return w.grad.clone()
        function.w = w
        return function

    def use(function, i):
        w = getattr(function, "function", function).w
        return function(w * (i + 1) * 0.3)
    both(make, use)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.out = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(16, 3)
        self.drop = nn.Dropout(0.25)

    def forward(self, x):
        return self.out(self.drop(F.max_pool2d(F.relu(self.norm(self.conv(x)), inplace=True), 2).flatten(1)))


def block():
    return nn.Sequential(nn.Embedding(7, 8), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 3))


@pytest.mark.parametrize("make, given", [(Net, lambda: weft.randn(5, 1, 6, 6)), (block, lambda: weft.randint(0, 7, (5, 4)))])
def test_a_compiled_module_is_trained_as_ever(make, given):
    results = []
    for compiled in (False, True):
        weft.manual_seed(0)
        net = make()
        optimizer = weft.optim.Adam(net.parameters(), lr=1e-3)
        if compiled:
            net = weft.compile(net)
            net._compiled_call_impl.gauges = {}
        weft.manual_seed(1)
        got = []
        for _ in range(8):
            out = net(given())
            loss = F.cross_entropy(out.reshape(-1, 3), weft.randint(0, 3, (out.numel() // 3,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            got.append(loss.detach())
        results.append([got, [p.detach() for p in net.parameters()], list(net.buffers())])
    same(*results)
    assert "as it is" not in net._compiled_call_impl.explain(), net._compiled_call_impl.explain()


def test_a_compiled_part_of_a_model():
    results = []
    for compiled in (False, True):
        weft.manual_seed(0)
        first, middle, last = nn.Linear(4, 8), nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8)), nn.Linear(8, 2)
        call = weft.jit.capture(middle) if compiled else middle
        optimizer = weft.optim.SGD([*first.parameters(), *middle.parameters(), *last.parameters()], lr=0.1)
        for _ in range(6):
            loss = last(call(first(weft.randn(3, 4)).relu())).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        results.append([loss.detach(), *[p.detach() for p in (*first.parameters(), *middle.parameters())]])
    same(*results)
    assert "as it is" not in call.explain()


def test_saved_values_are_let_go_after_the_backward():
    w = weft.randn(64, 64, requires_grad=True)

    @weft.jit.capture
    def forward(x):
        return (x @ w).exp().sin()
    for _ in range(4):
        y = forward(weft.ones(2, 64))
        node = y._made_by
        y.sum().backward()
    assert type(node).__name__ == "Leaving" and node.given == [None] * len(node.given)


def test_a_deep_copy_and_threads_find_the_graph():
    w = weft.ones(3, requires_grad=True)
    forward = weft.jit.capture(lambda x: (x * w).exp())
    results = []

    def work():
        for i in range(20):
            g, = weft.autograd.grad(forward(weft.full((3,), i * 0.1)).sum(), w)
            results.append((i, g.tolist()))
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 80
    for i, g in results:
        x = weft.full((3,), i * 0.1)
        assert g == (x * (x * w.detach()).exp()).tolist()
    assert copy.deepcopy(w).tolist() == [1, 1, 1]


# generated programs

INSIDE = ["x = x * y", "y = x + 1", "x = x.relu()", "x = x @ w", "y = x.sum(1, keepdim=True) + y", "x = x.view(-1).view(x.shape)", "y = y.detach() + x",
          "x = x.sigmoid()", "x.add_(1)", "x.relu_()", "y = y + 1; y.mul_(0.5)", "x = x.t()", "y = y.t().contiguous()", "out.append(x)", "out.append(y)",
          "out.append(x[0])", "out.append(x.detach())", "out.append(y.view(-1))", "x = F.linear(x, w, b)", "x = F.dropout(x, 0.3)", "y = x.softmax(-1)",
          "state.mul_(0.9).add_(x.detach())", "y = y + state", "out.extend(x.chunk(3))", "x = x - x.mean(1, keepdim=True)", "x = F.layer_norm(x, (3,), g, b)",
          "with weft.no_grad(): y = x * 2", "with weft.no_grad(): out.append(x.t())", "out.append(x.argmax())", "x = weft.where(y > 0, x, y)",
          "y = weft.cat([x, y])[:x.shape[0]]", "x = F.embedding(index, x)", "y = y + float(y.detach().mean())", "x.mul_(y)", "x = x.exp().clamp(max=5)",
          "x = x.double().float()", "x = F.batch_norm(x, mean, var, g, b, True)", "x = weft.stack([x, y]).sum(0)", "x, y = y, x"]
AROUND = ["h = outs[k]; h.add_(1)", "h = outs[k]; h.mul_(2)", "outs[k].register_hook(lambda t: t * 2) if outs[k].requires_grad else None",
          "outs[k].retain_grad() if outs[k].requires_grad else None", "outs[k] = outs[k].exp()", "outs = [outs[k]]", "outs = outs[k:] or outs", "w.data.mul_(0.5)",
          "outs[k].view(-1).zero_()", "outs[k].detach().add_(1)", "pass", "pass", "pass", "seen.append(outs[k].requires_grad)", "total(outs).backward(retain_graph=True)",
          "seen.append(weft.autograd.grad(total(outs), [w, g], allow_unused=True, retain_graph=True))",
          "seen.append(weft.autograd.grad(total(outs), outs[k], allow_unused=True, retain_graph=True))",
          "q = weft.autograd.grad(total(outs), [w], create_graph=True, allow_unused=True)[0]; outs.append(q) if q is not None else None",
          "seen.append(outs[k].grad_fn.name() if outs[k].grad_fn is not None else None)", "x = x * g", "x = outs[k][:3, :3] if outs[k].dim() == 2 else x"]


def program(seed):
    """A function of some of these lines, one of them in every third call only, and a program around it."""
    rng = np.random.default_rng([13, seed])
    lines = [INSIDE[i] for i in rng.integers(len(INSIDE), size=rng.integers(2, 10))]
    lines.append(f"if i % 3 == 2:\n        {INSIDE[rng.integers(len(INSIDE))]}")
    around = [AROUND[i].replace("k", str(rng.integers(2)), 1) if "[k]" not in AROUND[i] else AROUND[i].replace("[k", f"[{rng.integers(2)}")
              for i in rng.integers(len(AROUND), size=rng.integers(0, 4))]
    before = ["pass", "x = x * g", "x = x @ w", "x = x[:, :]", "x = (x @ w).t()"][rng.integers(5)]
    return ("def function(i, x):\n    out = []\n    y = x * 0.5\n    x = F.linear(x, w, b) * g\n    " + "\n    ".join(lines)
            + "\n    return [x, y, *out]\n"
            + "def total(outs):\n    return sum([t.float().square().mean() for t in outs])\n"
            + "def use(f, i, x):\n    seen = []\n    w.grad = g.grad = b.grad = None\n    outs = []\n    try:\n        " + before
            + "\n        outs = f(i, x)\n        " + "\n        ".join(around) + "\n        total(outs).backward()\n"
            + "        outs.append(x)\n    except Exception as error:\n        seen.append((type(error), re.sub('^[a-z]+: ', '', str(error)).split(' of ')[0].split('\\n')[0]))\n"
            + "    return ([t.detach().clone() for t in outs], seen, [t.grad if t.grad is None else t.grad.clone() for t in (w, g, b)],\n"
            + "            state.clone(), mean.clone(), [t.grad for t in outs if t.requires_grad and not t.is_leaf])\n")


def near(a, b):
    """The same but for the order in which gradients of one tensor are added up: what comes from outside the function
    is added up first.
    """
    if isinstance(a, weft.Tensor):
        assert a.dtype == b.dtype and a.shape == b.shape and a.stride() == b.stride() and a.requires_grad == b.requires_grad
        a, b = a.detach().numpy(), b.detach().numpy()
        assert np.array_equal(np.isfinite(a), np.isfinite(b))
        a, b = a[np.isfinite(a)], b[np.isfinite(b)]
        assert np.allclose(a, b, rtol=1e-5, atol=1e-5 * float(np.abs(a).max(initial=0)))
    elif isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b)
        for x, y in zip(a, b):
            near(x, y)
    else:
        assert a == b


def check(seeds):
    for seed in seeds:
        results = []
        rng = np.random.default_rng([17, seed])
        sizes = [3] * 7 if seed % 2 else [int(n) for n in rng.integers(2, 6, size=7)]
        inputs = [weft.from_numpy(rng.standard_normal((n, 3)).astype(np.float32)).clone() for n in sizes]
        for captured in (False, True):
            weft.manual_seed(0)
            scope = {"re": re, "weft": weft, "F": F, "w": weft.randn(3, 3, requires_grad=True), "b": weft.zeros(3, requires_grad=True),
                     "g": weft.ones(3, requires_grad=True), "state": weft.zeros(3, 3), "index": weft.tensor([1, 0, 1]),
                     "mean": weft.zeros(3), "var": weft.ones(3)}
            exec(program(seed), scope)
            function = weft.jit.capture(scope["function"]) if captured else scope["function"]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append([scope["use"](function, i, inputs[i].clone()) for i in range(7)])
        try:
            near(*results)
        except AssertionError:
            print(seed, program(seed), sizes, function.explain(), *[[r[1] for r in result] for result in results], sep="\n")
            raise


@pytest.mark.parametrize("block", range(8))
def test_generated_functions_whose_graph_leaves(block):
    check(range(25 * block, 25 * block + 25))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_generated_functions_whose_graph_leaves(block):
    check(range(100 * block, 100 * block + 100))
