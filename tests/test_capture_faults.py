"""Faults of capture that were found by trying to break it, each with the program that did."""
import dataclasses
import functools

import numpy as np
import pytest

import weft
from weft.nn import functional as F


def both(make, calls, **how):
    """`make()` gives a function, and what it changes; called `calls` times, as it is and captured."""
    results = []
    for captured in (False, True):
        weft.manual_seed(0)
        function, changed = make()
        function = weft.jit.capture(function, **how) if captured else function
        given = [function(weft.randn(4, 3)) for _ in range(calls)]
        results.append([(t.detach().clone(), t._version) for t in
                        [*given, *changed, *[t.grad for t in changed if t.grad is not None]]])
    for (a, version), (b, other) in zip(*results, strict=True):
        assert weft.equal(a, b) and version == other
    return function


def trained(optimizer):
    """A step with a scheduler, which changes the rate after every third one."""
    w, b = weft.randn(3, 3, requires_grad=True), weft.zeros(3, requires_grad=True)
    chosen = optimizer([w, b])
    schedule = weft.optim.lr_scheduler.StepLR(chosen, 3, 0.5)

    def step(x):
        chosen.zero_grad()
        loss = (x @ w + b).square().mean()
        loss.backward()
        chosen.step()
        schedule.step()
        return loss
    return step, [w, b]


@pytest.mark.parametrize("optimizer", [
    lambda ps: weft.optim.SGD(ps, lr=0.1, momentum=0.9, dampening=0.1),
    lambda ps: weft.optim.SGD(ps, lr=0.1, weight_decay=0.1),
    lambda ps: weft.optim.AdamW(ps, lr=0.01, weight_decay=0.01),
    lambda ps: weft.optim.Adadelta(ps, lr=0.9, rho=0.9),
])
def test_two_numbers_that_are_one_object_were_both_the_learning_rate(optimizer):
    both(lambda: trained(optimizer), 8)


@pytest.mark.parametrize("optimizer", [weft.optim.Adam, weft.optim.AdamW, weft.optim.SGD, weft.optim.Adadelta])
def test_a_learning_rate_that_is_a_tensor_stayed_what_it_was_first(optimizer):
    both(lambda: trained(lambda ps: optimizer(ps, lr=weft.tensor(0.01))), 8)


@pytest.mark.parametrize("optimizer", [weft.optim.Adam, weft.optim.SGD])
def test_a_fused_optimizer_took_the_step_that_a_scaler_leaves_out(optimizer):
    def make():
        w = weft.ones(3, 3, requires_grad=True)
        chosen = optimizer([w], lr=0.1, fused=True)
        chosen.grad_scale = weft.ones(())
        count = [0]

        def step(x):
            chosen.zero_grad()
            loss = (x @ w).sum()
            loss.backward()
            count[0] += 1
            chosen.found_inf = weft.tensor(float(count[0] % 3 == 0))
            chosen.step()
            return loss
        return step, [w]
    both(make, 8)


def test_a_replayed_step_did_not_count_its_writes():
    def make():
        w, mean = weft.randn(3, 3, requires_grad=True), weft.zeros(3, 3)

        def step(x):
            w.grad = None
            loss = (x @ w).square().mean()
            loss.backward()
            weft.nn.utils.clip_grad_norm_([w], 0.1)
            with weft.no_grad():
                w.sub_(0.1 * w.grad)
                mean.mul_(0.9).add_(w, alpha=0.1)
                return (loss * 2).add_(1).mul_(2)
        return step, [w, mean]
    assert both(make, 8, replay=True).replayed > 3


@pytest.mark.parametrize("line", ["e.add_(1)", "e.mul_(x)", "e[0] = x[0]", "e.copy_(x)", "e.relu_()"])
def test_an_expanded_tensor_was_written_to_while_it_was_recorded(line):
    def make():
        def step(x):
            e = (x[:1] * 2).expand(4, 3)
            try:
                exec(line, {"e": e, "x": x})
            except RuntimeError as error:
                assert "single memory location" in str(error)
                return x * 2
            return e * 1
        return step, []
    both(make, 4)


def test_a_memory_budget_made_two_values_again_before_each_other_for_ever():
    def make():
        w = weft.randn(3, 64, requires_grad=True)

        def step(x):
            w.grad = None
            given = F.softmax(x.detach() @ w.detach(), 1)
            loss = F.kl_div(F.log_softmax(x @ w, 1), given, reduction="batchmean")
            loss.backward()
            return loss + w.grad.sum()
        return step, [w]
    for budget in (0.0, 0.1, 0.3, 0.5, 0.8):
        both(make, 3, memory_budget=budget)


@pytest.mark.parametrize("text", ["(x @ w).tanh() @ w.detach()", "((x @ w.detach()).tanh() + 1) @ w", "x @ w * w.data.sum()",
                                  "(x * w[0].detach()) @ w + w.detach()[1] * w[2]"])
def test_a_detached_weight_got_a_gradient_where_the_graph_left(text):
    results = []
    for captured in (False, True):
        weft.manual_seed(0)
        w = weft.randn(3, 3, requires_grad=True)
        scope = {"w": w}
        exec(f"def function(x):\n    return {text}", scope)
        function = weft.jit.capture(scope["function"]) if captured else scope["function"]
        results.append([])
        for _ in range(4):
            loss = function(weft.randn(4, 3)).square().sum()
            results[-1].append((loss, *weft.autograd.grad(loss, w)))
    for made, captured in zip(*results):
        for a, b in zip(made, captured):
            assert weft.allclose(a, b, rtol=1e-6, atol=1e-6 * float(a.detach().abs().max()))


@dataclasses.dataclass
class Made:
    """What a model gives."""

    value: object
    more: object = None
    count: int = 0


@dataclasses.dataclass(frozen=True)
class Fixed:
    """One that can't be changed."""

    value: object


class Bag:
    """An object of which nothing is known."""

    def __init__(self, value):
        self.value = value


def test_a_replayed_result_in_a_dataclass_was_that_of_the_first_call():
    @functools.partial(weft.jit.capture, replay=True)
    def function(x):
        return Made(x * 2, [Fixed(x + 1), {"sum": x.sum()}], 3), "text"
    for n in range(6):
        made, text = function(weft.full((2,), float(n)))
        assert type(made) is Made and made.value.tolist() == [2.0 * n] * 2 and made.count == 3 and text == "text"
        assert made.more[0] == Fixed(made.more[0].value) and made.more[0].value.tolist() == [n + 1.0] * 2
        assert made.more[1]["sum"].item() == 2 * n
    assert function.replayed == 4


def test_a_replayed_result_in_an_object_was_that_of_the_first_call():
    @functools.partial(weft.jit.capture, replay=True)
    def function(x):
        return Bag(x * 2)
    for n in range(5):
        assert function(weft.full((2,), float(n))).value.tolist() == [2.0 * n] * 2
    assert function.replayed == 0 and "it gives a Bag, in which there may be tensors" in function.explain()


def test_arguments_of_a_replayed_function_that_have_tensors_or_arrays_in_them():
    @functools.partial(weft.jit.capture, replay=True)
    def function(batch, k, zero):
        return batch.value * 2 if hasattr(batch, "value") else weft.from_numpy(batch) * 2 + zero
    for n in range(5):
        assert function(Made(weft.full((2,), float(n))), 1, 0.0).tolist() == [2.0 * n] * 2
        assert function(np.full(2, n, np.float32), 1, 0.0).tolist() == [2.0 * n] * 2
        assert function(Fixed(weft.full((2,), float(n))), np.ones(3), 0.0).tolist() == [2.0 * n] * 2


@pytest.mark.parametrize("grad", [True, False])
def test_a_list_that_is_changed_after_it_was_given_to_an_op_is_what_it_was(grad):
    def make():
        w = weft.randn(4, 3, requires_grad=grad)

        def step(x):
            x = x * w
            found, picked, sizes, pair = [x], [0], [4, 3], [x, w]
            for _ in range(3):
                found.append(1.5 * weft.cat(found, 1))
            found.reverse()
            column = x[:, picked]
            wide = x.expand(sizes) + 0.0
            both = weft.stack(pair)
            picked[0], sizes[0], pair[0] = 1, 9, weft.zeros(4, 3)
            return weft.cat([weft.cat(found, 1), column, wide, *both], 1)
        return step, []
    both(make, 5)


@pytest.mark.parametrize("region", ["captured", "batched"])
def test_a_numpy_array_that_is_changed_after_it_was_given_to_an_op_is_what_it_was(region):
    def step(x):
        scale, rows, mask, row = np.full((4, 3), 2.0, np.float32), np.array([0, 1]), np.eye(4, 3) > 0, np.ones(3, "f")
        y, picked, masked = x * scale, x[rows], x[mask]
        z = scale + x
        y[0] = row
        scale[:], rows[:], mask[:], row[:] = 5.0, 3, True, 9.0
        return weft.cat([y, z, picked, masked[:, None].expand(-1, 3)])
    captured = weft.jit.capture(step)
    for _ in range(4):
        x = weft.randn(4, 3)
        if region == "captured":
            found = captured(x)
        else:
            with weft.autobatch():
                found = step(x)
        assert weft.equal(found, step(x))
