"""Who looks on inside a captured function, and what views and aliases of its values know: as without capture."""
import pytest

import weft
from weft import nn
from weft.autograd import forward_ad
from weft.autograd.numerics import NumericError
from weft.utils._python_dispatch import TorchDispatchMode
from weft.utils.flop_counter import FlopCounterMode


class Shown(TorchDispatchMode):
    """A mode that keeps the names of ops."""

    def __init__(self):
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def profiled():
    return weft.profiler.profile(), lambda p: sorted(e.key for e in p.key_averages())


def counted():
    return FlopCounterMode(display=False), lambda mode: mode.get_total_flops()


def measured():
    return weft.profiler.memory(), lambda report: report.peak > 0


def drawn():
    return weft.viz.record(), lambda found: len(found.nodes)


def dispatched():
    return Shown(), lambda mode: mode.names


@pytest.mark.parametrize("how", [weft.jit.capture, weft.compile])
@pytest.mark.parametrize("make", [profiled, counted, measured, drawn, dispatched])
def test_who_came_inside_a_captured_function_saw_nothing(make, how):
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh())

    def step(x):
        y = x * 2
        scope, seen = make()
        with scope:
            loss = model(y).sum()
            loss.backward()
        return seen(scope), loss.detach()
    captured = how(step)
    x = weft.randn(2, 3)
    expected, loss = step(x)
    assert expected
    for _ in range(5):
        model.zero_grad()
        found, again = captured(x)
        assert found == expected and weft.equal(loss, again)
    assert "somebody looks on" in captured.explain()


def test_tangents_were_lost_in_a_captured_function():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh())

    def step(x):
        with forward_ad.dual_level():
            value, tangent = forward_ad.unpack_dual(model(forward_ad.make_dual(x, weft.ones_like(x))))
        return value.detach(), tangent.detach(), model(x).detach()
    captured, x = weft.jit.capture(step), weft.randn(2, 3)
    for _ in range(4):
        assert all(map(weft.equal, captured(x), step(x)))


def test_hooks_of_saved_tensors_inside_a_captured_function_had_no_values_or_were_not_called():
    w, seen = weft.randn(3, 3, requires_grad=True), []

    def pack(t):
        seen.append(float(t.detach().clone().sum()))
        return t

    def step(x):
        with weft.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            loss = (x @ w).tanh().exp().sum()
        w.grad = None
        loss.backward()
        return w.grad
    captured, x = weft.jit.capture(step), weft.randn(2, 3)
    expected, known = step(x), list(seen)
    for _ in range(4):
        seen.clear()
        assert weft.equal(captured(x), expected) and seen == known and len(known) == 3
    assert "hooks of saved tensors" in captured.explain()


@pytest.mark.parametrize("scope", ["mode", "vmap"])
def test_a_hook_of_saved_tensors_was_given_those_that_nobody_had_answered_yet(scope):
    w, seen = weft.ones(3, 3, requires_grad=True), []

    def function(x):
        with weft.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.detach() * 2) or t, lambda t: t):
            return (x @ w).tanh().sum()
    if scope == "mode":
        with Shown():
            function(weft.ones(2, 3)).backward()
        assert weft.equal(seen[-1], 2 * weft.full((2, 3), 3.0).tanh()) and w.grad is not None
    else:
        assert weft.func.vmap(function)(weft.ones(2, 3)).shape == (2,) and seen


def test_numbers_that_are_not_finite_were_not_seen_inside_a_captured_function():
    @weft.jit.capture
    def step(x):
        with weft.check_numerics():
            return (x * 2).log()
    for n in (1.0, 2.0, 3.0):
        assert step(weft.tensor([n])).item() == weft.tensor(2 * n).log().item()
    with pytest.raises(NumericError, match="log made Inf"):
        step(weft.tensor([0.0]))


def test_anomaly_detection_inside_a_captured_function_tells_of_nan():
    w = weft.ones(2, requires_grad=True)

    @weft.jit.capture
    def step(x):
        w.grad = None
        with weft.autograd.detect_anomaly(check_nan=True):
            ((x * w).sqrt() * 0).sum().backward()
        return w.grad
    for _ in range(3):
        assert step(weft.ones(2)).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="nan"):
        step(weft.zeros(2))


def test_a_view_that_a_captured_function_made_did_not_know_what_it_is_a_view_of():
    def step(x):
        y = x * 2
        v, w = y[1:], y.view(2, 2)
        return v._base is y, w._is_view(), y._is_view(), w.detach()._is_view(), v.tolist()
    captured, x = weft.jit.capture(step), weft.arange(4.0)
    for _ in range(4):
        assert captured(x) == step(x) == (True, True, False, False, [2, 4, 6])


WRITES = ["v.detach().add_(1)", "d = v.detach(); d[0] = 5", "y.detach()[1:].zero_()",
          "d, e = v.detach(), y.detach(); d.add_(1); e.add_(1)", "v[0:].detach().fill_(3)",
          "weft._foreach_add_([v.detach()], 1)", "weft._foreach_mul_([y.detach(), v], 2)",
          "weft._foreach_add_([x.detach()[1:]], 1)", "weft._foreach_add_([x.detach()[1:].view(-1)], 1)"]


@pytest.mark.parametrize("asked", ["y._version, v._version, x._version", "y.tolist(), v.tolist(), x.tolist()", ""])
@pytest.mark.parametrize("needs", [True, False])
@pytest.mark.parametrize("line", WRITES)
def test_a_write_to_an_alias_of_a_view_was_not_counted_and_a_wrong_gradient_came_of_it(line, needs, asked):
    scope = {"weft": weft}
    exec("def step(x):\n    y = x * 2\n    v = y[1:]\n    z = (y * y * x).sum()\n    with weft.no_grad():\n"
         f"        {line}\n    return z, [{asked}], y, v", scope)
    step, captured = scope["step"], weft.jit.capture(scope["step"])
    for n in range(5):
        found = []
        for function in (step, captured):
            x = (weft.arange(4.0) + n).requires_grad_(needs)
            z, seen, y, v = function(x)
            found.append([y._version, v._version, x._version, seen, x.tolist(), y.tolist(), v.tolist()])
            if needs:
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    z.backward()
        assert found[0] == found[1] and max(found[0][:3]) > 0


def test_the_version_of_a_parameter_was_told_before_the_step_that_wrote_to_it_ran():
    p, q = weft.ones(2, requires_grad=True), weft.ones(2)
    optimizer = weft.optim.Adam([p])

    @weft.jit.capture
    def step():
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
        weft._foreach_add_([q], 1)
        return p._version, q._version
    assert [step() for _ in range(5)] == [(n, n) for n in range(1, 6)]


def test_a_function_whose_first_call_ended_at_something_else_was_never_captured():
    model = nn.Sequential(nn.LazyLinear(8), nn.ReLU())
    captured = weft.jit.capture(lambda x: model(x))
    for _ in range(5):
        captured(weft.ones(2, 3))
    assert captured.plans() and sum(captured.breaks.values()) == 1


def test_a_tensor_of_inference_mode_is_refused_where_a_gradient_needs_it():
    w = weft.ones(3, requires_grad=True)

    def step(x):
        return (w * x).sum()
    with weft.inference_mode():
        inside = weft.ones(3)
    captured = weft.jit.capture(step)
    for x in (*[weft.ones(3)] * 3, inside, weft.ones(3), inside):
        errors = []
        for function in (step, captured):
            try:
                errors.append(function(x).item())
            except RuntimeError as error:
                errors.append(str(error).split("\n")[0])
        assert errors[0] == errors[1] and (type(errors[0]) is str) == (x is inside)


def test_a_hook_that_takes_the_step_was_called_a_rule_that_looks_at_values():
    w = weft.ones(3, requires_grad=True)
    optimizer = weft.optim.SGD([w], 0.1)

    def update(p):
        optimizer.step()
        optimizer.zero_grad()
    w.register_post_accumulate_grad_hook(update)
    captured = weft.jit.capture(lambda x: (w * x).sum().backward())
    for _ in range(4):
        captured(weft.ones(3))
    assert weft.allclose(w, weft.full((3,), 0.6)) and list(captured.breaks) == ["a backward that runs hooks of leaves"]
