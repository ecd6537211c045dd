"""What a replay must notice, or what must not be replayed: states that are replaced, gradients that are others, modes and
hooks of modules, seeds, writes through views."""
import pytest

import weft
from weft import nn


def mlp():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


def copies(value):
    if isinstance(value, (list, tuple)):
        return [copies(v) for v in value]
    return value.detach().clone() if isinstance(value, weft.Tensor) else value


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return weft.equal(a, b) if isinstance(a, weft.Tensor) else a == b


def ran(make, captured):
    """Fourteen calls of `make(captured)`, a function of the call's number and an input, which also gives its state."""
    weft.manual_seed(0)
    function, model = make(captured)
    return [[*copies([function(i, weft.randn(8, 4))]), *copies(list(model.state_dict().values()))] for i in range(14)]


def replayed(make):
    """The captured functions, after they did what the program does as it is."""
    functions = []

    def captured(function):
        functions.append(weft.jit.capture(function, replay=True))
        return functions[-1]
    plain = ran(make, lambda function: function)
    for n, (a, b) in enumerate(zip(plain, ran(make, captured), strict=True)):
        assert same(a, b), (n, [one.explain() for one in functions])
    return functions


def a_state_that_is_replaced(captured):
    kept = [weft.zeros(8, 4)]

    @captured
    def step(x):
        kept[0] = (kept[0] + x).tanh()
        return kept[0] * 2
    return lambda i, x: step(x), nn.Identity()


def a_state_of_a_module(captured):
    model = nn.Linear(4, 4)
    model.last = weft.zeros(8, 4)

    @captured
    def step(x):
        y = model(x).detach()
        model.last = model.last * 0.5 + y
        return y + model.last
    return lambda i, x: step(x), model


def seeds_inside(captured):
    @captured
    def step(x):
        weft.manual_seed(3)
        return x + weft.rand(8, 4)
    return lambda i, x: (step(x), weft.rand(1)), nn.Identity()


@pytest.mark.parametrize("make", [a_state_that_is_replaced, a_state_of_a_module, seeds_inside])
def test_what_was_replayed_with_the_state_of_the_first_call(make):
    function, = replayed(make)
    assert function.replayed == 0 and "not replayed: " in function.explain()


def test_an_update_was_replayed_with_the_gradients_of_the_first_call():
    def make(captured):
        model = mlp()
        optimizer = weft.optim.SGD(model.parameters(), 0.1, momentum=0.9)

        @captured
        def part(x):
            loss = model(x).square().mean()
            loss.backward()
            return loss.detach()

        @captured
        def update():
            optimizer.step()
            optimizer.zero_grad()
        return lambda i, x: (part(x), part(x + 1), update()), model
    part, update = replayed(make)
    assert part.replayed > 8 and update.replayed == 0


@pytest.mark.parametrize("change", ["model.train(i % 3 != 0)", "model.eval() if i == 7 else None",
                                    "[p.requires_grad_(i < 6 or k > 1) for k, p in enumerate(model.parameters())]",
                                    "model[0].register_forward_hook(lambda m, a, y: y * 2) if i == 7 else None",
                                    "handle.remove() if i == 7 else None",
                                    "model.append(nn.Tanh()) if i == 7 else None"])
def test_modes_hooks_and_leaves_that_change_were_not_noticed(change):
    def make(captured):
        model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.BatchNorm1d(8), nn.Linear(8, 2))
        scope = {"model": model, "nn": nn, "handle": model[3].register_forward_pre_hook(lambda m, a: (a[0] * 0.5,))}
        optimizer = weft.optim.SGD(model.parameters(), 0.1)

        @captured
        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        def call(i, x):
            eval(change, {**scope, "i": i})
            return step(x)
        return call, model
    function, = replayed(make)
    assert function.replayed >= 3


def test_writes_to_views_of_what_lies_outside_were_not_counted():
    def make(captured):
        buffer = weft.zeros(8, 4)

        @captured
        def step(x):
            y = x * 2
            weft._foreach_add_([buffer[1:], buffer.t()[2:], y.detach()], 1)
            return x + buffer, y

        def call(i, x):
            made, y = step(x)
            return made, y, buffer._version, y._version, buffer
        return call, nn.Identity()
    function, = replayed(make)
    assert function.replayed == 12
