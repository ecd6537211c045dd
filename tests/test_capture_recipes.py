"""Training recipes of other people's programs, whole: captured, they give what they give as they are, to the bit."""
import copy

import numpy as np
import pytest

import weft
from weft import nn
from weft.distributions import Categorical

F = nn.functional
CALLS = 10


def mlp(features=4, outputs=2):
    return nn.Sequential(nn.Linear(features, 16), nn.Tanh(), nn.Linear(16, outputs))


def batches(outputs=2):
    return [(weft.randn(8, 4), weft.randn(8, outputs)) for _ in range(CALLS)]


def loss_read_before_its_backward(captured):
    model, data = mlp(), batches()
    optimizer = weft.optim.Adam(model.parameters())

    @captured
    def step(i):
        loss = F.mse_loss(model(data[i][0]), data[i][1])
        seen = loss.item()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        return seen, loss.detach()
    return step, model


def losses_that_are_not_finite_are_left_out(captured):
    model, data = mlp(), batches()
    optimizer = weft.optim.SGD(model.parameters(), 0.1)
    data[4][0][0, 0] = float("nan")

    @captured
    def step(i):
        optimizer.zero_grad()
        loss = F.mse_loss(model(data[i][0]), data[i][1])
        if not weft.isfinite(loss):
            return None
        loss.backward()
        optimizer.step()
        return loss.detach()
    return step, model


def gradient_taken_twice_after_a_read(captured):
    model, data = mlp(), batches()

    @captured
    def step(i):
        x = data[i][0].requires_grad_()
        y = model(x).square().sum()
        seen = y.item()
        first, = weft.autograd.grad(y, x, create_graph=True)
        second, = weft.autograd.grad(first.sum(), x)
        return seen, first.detach(), second
    return step, model


def dropout_before_a_read(captured):
    model, data = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 2)), batches()
    optimizer = weft.optim.AdamW(model.parameters())

    @captured
    def step(i):
        loss = F.mse_loss(model(data[i][0]), data[i][1])
        seen = loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return seen
    return step, model


def proximal_policy(captured):
    policy, values, data = mlp(), mlp(outputs=1), batches(1)
    optimizer = weft.optim.Adam([*policy.parameters(), *values.parameters()])

    @captured
    def step(i):
        x, gain = data[i]
        with weft.no_grad():
            actions = Categorical(logits=policy(x)).sample()
        chosen = Categorical(logits=policy(x))          # looks at its arguments' values
        loss = -(chosen.log_prob(actions) * gain[:, 0]).mean() - 0.01 * chosen.entropy().mean() \
            + F.mse_loss(values(x), gain)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return actions, loss.item()
    return step, policy


def two_networks_against_each_other(captured):
    maker, judge, data = mlp(3, 4), mlp(4, 1), batches()
    of_maker, of_judge = weft.optim.Adam(maker.parameters()), weft.optim.Adam(judge.parameters())

    @captured
    def step(i):
        made = maker(weft.randn(8, 3))
        of_judge.zero_grad()
        (F.softplus(judge(made.detach())).mean() + F.softplus(-judge(data[i][0])).mean()).backward()
        of_judge.step()
        of_maker.zero_grad()
        loss = F.softplus(-judge(made)).mean()
        loss.backward()
        of_maker.step()
        return loss.item()
    return step, maker


def averaged_weights_and_a_schedule(captured):
    model, data = mlp(), batches()
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = weft.optim.AdamW(model.parameters())
    schedule = weft.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=20)

    @captured
    def step(i):
        optimizer.zero_grad()
        F.huber_loss(model(data[i][0]), data[i][1]).backward()
        optimizer.step()
        schedule.step()
        with weft.no_grad():
            for kept, now in zip(average.parameters(), model.parameters()):
                kept.lerp_(now, 0.1)
        return average(data[i][0]), schedule.get_last_lr()
    return step, average


def surgery_and_frozen_layers(captured):
    model, data = mlp(), batches()
    box = [weft.optim.SGD(model.parameters(), 0.1)]

    @captured
    def inner(i):
        loss = F.mse_loss(model(data[i][0]), data[i][1])
        box[0].zero_grad()
        loss.backward()
        box[0].step()
        return loss.detach()

    def step(i):
        if i == 4:
            model.insert(1, nn.LayerNorm(16))
            box[0] = weft.optim.Adam(model.parameters())
        if i == 7:
            model[0].requires_grad_(False)
        return inner(i)
    return step, model


def a_captured_part_after_a_break(captured):
    model, data = mlp(), batches()
    part = captured(lambda x: model(x).tanh() * 2)

    @captured
    def step(i):
        model.zero_grad()
        first = model(data[i][0]).square().mean()
        seen = first.item()
        with weft.no_grad():
            aside = part(data[i][0]).sum()
        loss = first + part(data[i][0]).mean()
        loss.backward()
        return seen, aside, [p.grad for p in model.parameters()]
    return step, model


RECIPES = [loss_read_before_its_backward, losses_that_are_not_finite_are_left_out, gradient_taken_twice_after_a_read,
           dropout_before_a_read, proximal_policy, two_networks_against_each_other, averaged_weights_and_a_schedule,
           surgery_and_frozen_layers, a_captured_part_after_a_break]


def leaves_of(result):
    if isinstance(result, (list, tuple)):
        return [leaf for one in result for leaf in leaves_of(one)]
    return [result.detach().clone().numpy() if isinstance(result, weft.Tensor) else result]


def calls(recipe, captured):
    weft.manual_seed(0)
    step, model = recipe(captured)
    results = [leaves_of(step(i)) for i in range(CALLS)]
    return [*results, leaves_of([*model.state_dict().values(), weft.rand(2)])]


@pytest.mark.parametrize("how", [weft.jit.capture, weft.compile])
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.__name__)
def test_recipe(recipe, how):
    for one, two in zip(calls(recipe, lambda f: f), calls(recipe, how), strict=True):
        for a, b in zip(one, two, strict=True):
            assert np.array_equal(a, b, equal_nan=True) if a is not None else b is None


def test_after_a_break_ops_run_without_being_watched():
    """The rest of a call that had left its path went through the seam op by op."""
    seen = []

    def step(x):
        y = x * 2
        y.sum().item()
        seen.append(weft.core.runtime.mode_bits() & weft.core.modes.WATCH)
        return y + 1
    captured = weft.jit.capture(step)
    for _ in range(4):
        captured(weft.ones(2, requires_grad=True))
    assert seen[0] and not any(seen[1:])
    assert not weft.core.runtime.mode_bits() & (weft.core.modes.WATCH | weft.core.modes.TAKE)


def test_calls_that_leave_their_path_are_timed():
    """A function that left its path on every call was never compared with itself as it is, so it never turned off."""
    def step(x):
        y = x * 2
        weft.dropout(y, 0.5, True).sum().item()
        return y
    captured = weft.compile(step)
    for _ in range(30):
        captured(weft.ones(2, requires_grad=True))
    assert not captured.gauges.get(0)       # a verdict was reached, whichever


def test_errors_of_owed_ops_name_the_op():
    """An elementwise op whose shapes don't fit, of values that were owed, said so without its name."""
    def step(x):
        return x * 2 + weft.ones(3, 1)
    messages = []
    for function in (step, weft.jit.capture(step)):
        with pytest.raises(RuntimeError) as error:
            function(weft.ones(2, 4))
        messages.append(str(error.value).split("\n")[0])
    assert messages[0] == messages[1] and messages[0].startswith("add: shapes [2, 4], [3, 1]")


def test_an_error_behind_a_read_leaves_the_rest_of_the_graph():
    """The program goes on after it caught the error: what came before has its values and its graph."""
    w, table = weft.ones(3, requires_grad=True), weft.arange(4.0)

    def step(i):
        w.grad = None
        y = w * 2
        z = y * table[weft.tensor([i % 5])]             # out of range for 4
        try:
            z.sum().item()
        except IndexError:
            pass
        y.sum().backward()
        return w.grad
    captured = weft.jit.capture(step)
    for i in (0, 1, 2, 3, 4, 0, 4):
        assert captured(i).tolist() == [2, 2, 2]
