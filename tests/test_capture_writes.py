"""Captured steps that write to what they made: activations in place, `x += y`, gradients that add up."""
import warnings

import numpy as np
import pytest
from test_capture import agree, same

import weft
from weft import nn
from weft.nn import functional as F


def whole(captured):
    """Captured from end to end: one path, no break, and what runs is a graph."""
    assert captured.explain().count("\n") == 0 and captured.graphs(), captured.explain()
    return captured


def training(forward, layers, after=lambda parameters: None, batches=1, optimizer=weft.optim.SGD):
    """A maker of steps: `forward(layers, x)`, its loss backward once for each batch, then `after` and the optimizer."""
    def make():
        made = layers()
        parameters = list(made.parameters())
        opt = optimizer(parameters, lr=0.01)
        inputs = [weft.randn(6, 4) for _ in range(batches)]

        def step():
            opt.zero_grad()
            losses = []
            for x in inputs:
                losses.append(forward(made, x).square().mean())
                losses[-1].backward()
            after(parameters)
            opt.step()
            return [losses[-1].detach(), *[p.detach().clone() for p in parameters], *[p.grad for p in parameters]]
        return step
    return make


def residual(layers, x):
    h = layers[0](x)
    h += x
    h.relu_()
    z = layers[1](h)
    z *= 2
    return z.add_(h).clamp_(-1, 1).sub_(0.5)


def test_activations_and_residuals_in_place_are_part_of_the_graph():
    net = lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 8), nn.SiLU(inplace=True),
                                nn.Linear(8, 4), nn.Hardtanh(inplace=True))
    whole(agree(training(lambda layers, x: layers(x), net)))
    captured = whole(agree(training(residual, lambda: nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)))))
    assert "# add, relu" in str(captured.graphs()[-1])


def test_gradients_are_scaled_and_clipped_in_place():
    def after(parameters):
        nn.utils.clip_grad_norm_(parameters, 0.5)
        for p in parameters:
            p.grad.mul_(0.5)
    whole(agree(training(lambda layers, x: layers(x), lambda: nn.Linear(4, 4), after)))


@pytest.mark.parametrize("optimizer", [weft.optim.SGD, weft.optim.Adam])
def test_several_batches_before_a_step(optimizer):
    after = lambda parameters: nn.utils.clip_grad_norm_(parameters, 0.5)
    whole(agree(training(lambda layers, x: layers(x).relu_(), lambda: nn.Linear(4, 4), after, 3, optimizer)))


@pytest.mark.parametrize("replay", [False, True])
def test_gradients_that_add_up_over_calls(replay):
    def make():
        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
        count = [0]

        def micro(x):
            net(x).mean().backward()

        def step():
            used = micro if not captured else captured[0]
            used(weft.full((2, 4), count[0] / 7))
            count[0] += 1
            grads = [p.grad for p in net.parameters()]
            found = [g.clone() for g in grads]
            if count[0] % 4 == 0:
                net.zero_grad()
            return [*found, *[g is p.grad for g, p in zip(grads, net.parameters())]]
        captured = []
        step.use = lambda: captured.append(weft.jit.capture(micro, replay=replay))
        step.captured = captured
        return step
    weft.manual_seed(0)
    plain = make()
    weft.manual_seed(0)
    followed = make()
    followed.use()
    for _ in range(14):
        same(plain(), followed())
    assert not followed.captured[0].breaks and (followed.captured[0].replayed > 6) == replay


def test_one_tensor_as_the_gradient_of_two_leaves_adds_up_twice():
    def make():
        a, b = weft.ones(3, requires_grad=True), weft.ones(3, requires_grad=True)

        def step(i):
            a.grad = b.grad = weft.zeros(3)
            (a * 2 + b * float(i)).sum().backward()
            return a.grad.clone(), b.grad.clone(), a.grad is b.grad
        return step
    agree(make, 5, lambda i: (i % 2,))


@pytest.mark.parametrize("line", [
    "z = x.detach(); x.add_(1)", "z = x[0]; x.add_(1)", "z = x.view(-1); z.mul_(2)", "z = x.t(); x.mul_(2)",
    "z = x.unbind(); x.add_(1)", "z = x.numpy(); x.add_(1); z = z.sum()", "z = x; x += 1", "z = x.expand(2, 3, 3); x.add_(1)",
    "z = x.view(weft.int32); x.add_(1)", "x[0] = 5; z = x", "z = x.sum().item(); x.add_(1)", "z = x.data; x.add_(1)",
    "z = x.reshape(3, 3); x.add_(1)", "z = x.contiguous(); x.add_(1)", "x.add_(x); z = x.storage()[0]",
    "weft.add(x, 1, out=x); z = x", "x.t_(); z = x.stride()", "z = weft._foreach_add([x], 1); x.mul_(2)",
    "z = [x]; weft._foreach_add_(z, 1)"])
def test_what_shares_memory_sees_the_write(line):
    def make():
        scope = {"weft": weft}
        exec(f"def step(y):\n    with weft.no_grad():\n        x = y * 2\n        {line}\n    return x, z\n", scope)
        return scope["step"]
    agree(make, 5, lambda i: (weft.arange(9.0).view(3, 3) + i,))


@pytest.mark.parametrize("line", ["y = x.exp(); x.add_(1); y = y + x", "y = x * x; x.add_(1)", "y = x.sigmoid(); y.mul_(2)",
                                  "y = x.tanh_(); y.relu_()", "y = x * 2; x.relu_()", "y = x.exp(); y.zero_()"])
def test_overwritten_values_that_a_gradient_needs(line):
    """Refused, or right, as it is without capture: in the call that is recorded, and in those that follow."""
    def make():
        scope = {"weft": weft, "w": weft.ones(3, requires_grad=True)}
        exec(f"def step(k):\n    w.grad = None\n    x = w * k\n    {line}\n    try:\n        (x.sum() + y.sum()).backward()\n"
             f"    except RuntimeError as error:\n        return str(error).split(' in ')[0].split(', line')[0]\n"
             f"    return w.grad.clone(), x.detach(), y.detach()\n", scope)
        return scope["step"]
    agree(make, 5, lambda i: (weft.full((3,), float(i % 2)),))


def test_a_view_is_not_detached_in_place():
    w = weft.ones(3, 3, requires_grad=True)

    @weft.jit.capture
    def step():
        x = (w * 2).t()
        with pytest.raises(RuntimeError, match="detach views"):
            x.detach_()
    for _ in range(4):
        step()


def test_a_branch_after_a_write_finds_the_history():
    def make():
        w = weft.randn(3, 3, requires_grad=True)

        def step(i):
            x = weft.ones(3, 3) @ w
            y = x + 1
            x.mul_(y)               # its gradient needs what x was
            if i % 3 == 2:
                y = y + x.sum().mul_(2)
            (x.square().mean() + y.sigmoid().mean()).backward()
            return w.grad.clone(), x, y
        return step
    agree(make, 9, lambda i: (i,))


def test_a_value_that_a_gradient_needs_was_written_to_and_the_wrong_gradient_came_of_it():
    """The error of the recorded call came once; later calls counted the write before the node saw the version."""
    def make():
        w, scale = weft.randn(3, requires_grad=True), weft.ones(3)

        def step(i):
            w.grad = None
            y = (w * scale).exp()
            scale.mul_(2)
            if i % 3 == 2:
                y = y + 1
            try:
                y.sum().backward()
            except RuntimeError as error:
                return str(error).split(" at version")[0]
            return w.grad
        return step
    agree(make, 9, lambda i: (i,))


def test_arguments_that_overlap_are_told_from_others():
    def make():
        w = weft.randn(3, requires_grad=True)

        def step(a, b):
            w.grad = None
            y = (w * a).exp()
            b.mul_(2)
            try:
                y.sum().backward()
            except RuntimeError as error:       # a was saved
                return str(error).split(" at version")[0]
            return w.grad, b
        return step

    def arguments(i):
        whole = weft.arange(6.0) + i
        return [(whole[:3].clone(), whole[3:].clone()), (whole[:3].clone(), whole.clone()), (whole[:3], whole[:3]),
                (whole[:3], whole)][i % 4 if i > 5 else i % 2]
    agree(make, 16, arguments)


# generated programs

LINES = ["x.add_(1)", "x.mul_(y)", "x += y", "x.relu_()", "F.relu(x, inplace=True)", "y.sub_(x)", "y = y + 1; y.mul_(0.5)", "x.sigmoid_()",
         "z = x.detach(); x.add_(1); y = y + z", "v = x[0]; x.mul_(2); y = y + v", "v = x.view(-1); v.add_(1)",
         "v = x.t(); v.mul_(2); y = y + v", "x[0] = 1", "x[:, 1] += y[:, 0]", "x.clamp_(-2, 2)", "x.zero_()", "y.fill_(0.5)",
         "x.copy_(y)", "x.masked_fill_(y > 0, 0.25)", "x = x * y", "y = x + 1", "x = x @ w", "y = y.detach() + x",
         "x = x.exp().clamp(max=5)", "y = x.softmax(-1)", "out.append(x)", "out.append(x.detach())", "out.append(float(y.sum()))",
         "x.div_(1 + y.abs())", "with weft.no_grad(): x.add_(0.5)", "with weft.no_grad(): y = x * 2; y.add_(1)", "x.add_(x)",
         "x.addcmul_(y, y, value=0.1)", "x = x.t().clone(memory_format=weft.preserve_format); x.add_(y)",
         "y.add_(1); out.append(y); y = y.tanh()", "x = F.dropout(x, 0.3, True, inplace=True)", "state.mul_(0.9).add_(x.detach())",
         "y = y + state", "(x.square().mean()).backward(retain_graph=True)", "x.sum().backward(retain_graph=True)",
         "w.grad.mul_(0.5) if w.grad is not None else None", "x = F.linear(x, w, b).relu_()", "g1 = w.grad", "b.grad = None",
         "y = y.half().float(); y.add_(x.detach())", "x.t_()", "x.lerp_(y, 0.3)", "x, y = y, x", "x = x.clone(); x[1] = y[0]",
         "weft.add(x, y, out=x) if not x.requires_grad else None", "k = x.sum(); k.mul_(2); y = y + k", "x.requires_grad_()",
         "x.detach_()", "x = F.hardtanh(x, -1, 1, True)", "x = x.reshape(9).add_(1).reshape(3, 3)",
         "u, v = x.chunk(2); y = y + u.sum(); x.add_(1)", "x = x * 1", "y = -(-y)", "x = x.t().t()", "y = y - 0.0",
         "x = x.double().float()", "y = y.view(-1).view(3, 3)", "y = x.mean(); y = y.expand(3, 3) * 1", "out.append(y * 1)"]
ENDS = ["pass", "w.grad = None", "opt.zero_grad()", "opt.step(); opt.zero_grad()", "opt.step()"]


def program(seed):
    """A step of some of these lines, one of them in every third call only; errors are results, too."""
    rng = np.random.default_rng([11, seed])
    lines = [LINES[i] for i in rng.integers(len(LINES), size=rng.integers(2, 12))]
    lines += [f"if i % 3 == 2:\n            {LINES[rng.integers(len(LINES))]}",
              "loss = x.square().mean() + y.sigmoid().mean()", "loss.backward()", ENDS[rng.integers(len(ENDS))]]
    return ("def step(i, x):\n    out = []\n    try:\n        y = x * 0.5\n        x = x @ w\n        " + "\n        ".join(lines)
            + "\n    except Exception as error:\n        return type(error), str(error).split(' of ')[0].split('\\n')[0]\n"
            + "    return (loss.detach(), w.grad if w.grad is None else w.grad.clone(), w.detach().clone(), out, x.detach(),"
            + " y.detach(), state.clone())\n")


def check_programs(seeds):
    for seed in seeds:
        source = program(seed)

        def make(source=source, optimizer=[weft.optim.SGD, weft.optim.Adam][seed % 2]):
            scope = {"weft": weft, "F": F, "w": weft.randn(3, 3, requires_grad=True), "b": weft.zeros(3, requires_grad=True),
                     "state": weft.zeros(3, 3)}
            scope["opt"] = optimizer([scope["w"], scope["b"]], lr=0.01)
            exec(source, scope)
            return scope["step"]
        inputs = [weft.randn(3, 3) for _ in range(3)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            agree(make, 7, lambda i, inputs=inputs: (i, inputs[i % 3].clone()), memory_budget=[None, 0][seed % 2])


@pytest.mark.parametrize("block", range(4))
def test_generated_programs_that_write(block):
    check_programs(range(25 * block, 25 * block + 25))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_many_generated_programs_that_write(block):
    check_programs(range(100 * block, 100 * block + 100))


FILLS = {
    "index_copy_": "buffer.index_copy_(0, i, x[:2] * 2)", "zero_": "buffer.zero_(); buffer.add_(x)",
    "fill_": "buffer.fill_(2.5); y = y + buffer", "copy_": "buffer.copy_(x); y = y * buffer",
    "scatter_": "buffer.scatter_(1, (x > 0).long(), y)", "index_add_": "buffer.index_add_(0, i, y[:2], alpha=2)",
    "index_put_": "buffer.index_put_((i, i), x[0, :2], accumulate=True)", "masked_fill_": "buffer.masked_fill_(x > 0, 0.5)",
    "a view made before": "v = buffer[1:]; buffer.copy_(x); y[1:] = y[1:] + v",
    "read before and after": "a = buffer * 2; buffer.copy_(x); b = buffer * 2; y = y + a - b",
    "of its own": "buffer.copy_(buffer.flip(0) + x)", "of its transpose": "buffer.copy_(buffer.t())",
    "another type": "count.copy_(x[0]); y = y + count", "broadcast": "buffer.copy_(x[0]); y = y + buffer.sum(0)",
}


@pytest.mark.parametrize("replay", [False, True])
@pytest.mark.parametrize("name", FILLS)
def test_buffers_that_an_op_fills_are_part_of_the_graph(name, replay):
    results = []
    for captured in (False, True):
        scope = {"buffer": weft.zeros(3, 3), "count": weft.zeros(3, dtype=weft.int64), "i": weft.tensor([2, 0])}
        exec(f"def function(x):\n    y = x + 1\n    {FILLS[name]}\n    return y, buffer.sum()", scope)
        function = weft.jit.capture(scope["function"], replay=replay) if captured else scope["function"]
        weft.manual_seed(0)
        results.append([])
        for _ in range(6):
            made = function(weft.randn(3, 3))
            results[-1] += [t.clone() for t in (*made, scope["buffer"], scope["count"])]
            results[-1].append(weft.tensor([scope["buffer"]._version, scope["count"]._version]))
    for a, b in zip(*results, strict=True):
        assert weft.equal(a, b), (a, b)
    if name != "a view made before":
        assert not function.breaks and (function.replayed > 3) is replay, function.explain()


def test_a_buffer_is_filled_where_a_graph_has_to_do_with_it_as_ever():
    w = weft.randn(3, 3, requires_grad=True)
    results = []
    for captured in (False, True):
        buffer = weft.zeros(3, 3)

        def function(x):
            own = buffer.detach().clone()       # noqa: B023
            own.copy_(x @ w)
            buffer.copy_((x @ w).detach())      # noqa: B023
            with weft.no_grad():
                buffer.index_copy_(0, weft.tensor([1]), (x @ w)[:1])        # noqa: B023
            return (own * (x @ w)).sum() + buffer.sum()     # noqa: B023
        call = weft.jit.capture(function) if captured else function
        weft.manual_seed(0)
        results.append([])
        for _ in range(5):
            loss = call(weft.randn(3, 3))
            results[-1] += [loss.detach(), *weft.autograd.grad(loss, w), buffer.clone()]
    for a, b in zip(*results, strict=True):
        assert weft.allclose(a, b, rtol=1e-6, atol=1e-5)


def test_a_buffer_that_numpy_sees_too_is_filled_at_once():
    array = np.zeros(3, np.float32)
    buffer = weft.from_numpy(array)

    @weft.jit.capture
    def function(x):
        buffer.copy_(x * 2)
        return array.sum(), x.sum()
    for n in range(4):
        assert function(weft.full((3,), float(n)))[0] == 6 * n


def test_a_write_that_fails_while_it_is_recorded_ends_the_path():
    buffer = weft.zeros(3)

    @weft.jit.capture
    def function(x, i):
        try:
            buffer.index_copy_(0, i, x)
        except IndexError:
            return x * 2
        return x * 3
    for _ in range(3):
        assert function(weft.ones(1), weft.tensor([7])).tolist() == [2.0] and buffer._version == 0
    assert "it failed" in function.explain()
