"""Optimizers: resuming, states, groups, names, hooks, own subclasses, copies, edits of the model."""
import copy
import functools
import math
import pickle

import pytest

import weft
from weft.optim import optimizer as base

OPTIONS = {
    "SGD": [dict(lr=0.1), dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
            dict(lr=1e-4, momentum=0.9, dampening=0.1, maximize=True)],
    "Adam": [dict(), dict(amsgrad=True, weight_decay=0.1)], "AdamW": [dict(), dict(amsgrad=True, betas=(0.8, 0.9))],
    "Adadelta": [dict(), dict(weight_decay=0.1)],
    "Adagrad": [dict(), dict(lr_decay=0.1, initial_accumulator_value=0.1)], "Adamax": [dict()],
    "ASGD": [dict(), dict(t0=30, lambd=0.1)], "NAdam": [dict(), dict(weight_decay=0.1, decoupled_weight_decay=True)],
    "RAdam": [dict()], "RMSprop": [dict(), dict(centered=True, momentum=0.9)], "Rprop": [dict()],
    "SparseAdam": [dict()], "Adafactor": [dict(), dict(weight_decay=0.1)], "Muon": [dict()],
    "LBFGS": [dict(max_iter=3), dict(max_iter=4, line_search_fn="strong_wolfe", history_size=5)],
}
CASES = [(name, options) for name, rows in OPTIONS.items() for options in rows]
case = pytest.mark.parametrize("name, options", CASES, ids=lambda v: v if isinstance(v, str)
                               else "-".join(f"{k}={x}" for k, x in v.items()))
every = pytest.mark.parametrize("name", OPTIONS)


def model_of(dtype=weft.float32, bias=True):
    weft.manual_seed(5)
    return weft.nn.Sequential(weft.nn.Linear(3, 4, bias=bias), weft.nn.Tanh(),
                              weft.nn.Linear(4, 2, bias=bias)).to(dtype)


def made(name, model, options):
    return getattr(weft.optim, name)(model.parameters(), **options)


def train(model, optimizer, steps, first=0):
    dtype = next(model.parameters()).dtype

    def closure(step):
        x = weft.tensor([[math.sin(step + i + k) for k in range(3)] for i in range(4)], dtype=dtype)
        optimizer.zero_grad()
        loss = (model(x) - x[:, :2]).square().mean()
        loss.backward()
        return loss
    for step in range(first, first + steps):
        optimizer.step(functools.partial(closure, step))


def bits(model):
    return [p.detach().double().numpy().tobytes() for p in model.parameters()]


def deep_equal(a, b):
    if isinstance(a, weft.Tensor):
        return a.dtype == b.dtype and weft.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(deep_equal(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(deep_equal(x, y) for x, y in zip(a, b))
    return a == b


# resuming

@case
@pytest.mark.parametrize("dtype", [weft.float32, weft.float64, weft.bfloat16], ids=str)
def test_a_hundred_steps_are_fifty_and_fifty(name, options, dtype):
    """Promise 11: bit for bit."""
    if name == "LBFGS" and dtype is weft.bfloat16:
        pytest.skip("a line search needs more than eight bits")
    bias = name != "Muon"
    model = model_of(dtype, bias)
    optimizer = made(name, model, options)
    train(model, optimizer, 50)
    saved = copy.deepcopy((model.state_dict(), optimizer.state_dict()))
    train(model, optimizer, 50, 50)
    again = model_of(dtype, bias)
    resumed = made(name, again, options)
    again.load_state_dict(saved[0])
    resumed.load_state_dict(saved[1])
    train(again, resumed, 50, 50)
    assert bits(again) == bits(model)
    assert deep_equal(resumed.state_dict(), optimizer.state_dict())


@every
def test_a_loaded_state_is_a_copy(name):
    model = model_of(bias=name != "Muon")
    optimizer = made(name, model, OPTIONS[name][-1])
    train(model, optimizer, 3)
    saved = copy.deepcopy(optimizer.state_dict())
    again = model_of(bias=name != "Muon")
    resumed = made(name, again, OPTIONS[name][-1])
    resumed.load_state_dict(optimizer.state_dict())
    train(again, resumed, 3)
    assert deep_equal(optimizer.state_dict(), saved)


@every
def test_copies_and_pickles_step_alike(name):
    model = model_of(bias=name != "Muon")
    optimizer = made(name, model, OPTIONS[name][-1])
    train(model, optimizer, 3)
    copies = [copy.deepcopy((model, optimizer)), pickle.loads(pickle.dumps((model, optimizer)))]
    train(model, optimizer, 4, 3)
    for other, second in copies:
        assert second.param_groups[0]["params"][0] is next(other.parameters())
        train(other, second, 4, 3)
        assert bits(other) == bits(model)


def test_a_copy_follows_the_copy_of_its_model():
    model = model_of()
    optimizer = made("Adam", model, {})
    train(model, optimizer, 2)
    other, second = copy.deepcopy((model, optimizer))
    other.append(weft.nn.Linear(2, 2))
    train(other, second, 1)
    assert len(second.param_groups[0]["params"]) == 6 and second.state[other[0].weight]["step"] == 3
    assert len(optimizer.param_groups[0]["params"]) == 4


def test_double_as_default_type():
    was = weft.get_default_dtype()
    weft.set_default_dtype(weft.float64)
    try:
        model = model_of(weft.float64)
        optimizer = made("Adam", model, {})
        train(model, optimizer, 2)
        assert optimizer.state[model[0].weight]["step"].dtype is weft.float64
    finally:
        weft.set_default_dtype(was)


def test_numbers_as_steps_in_old_files():
    model = model_of()
    optimizer = made("Adam", model, {})
    train(model, optimizer, 3)
    state = copy.deepcopy(optimizer.state_dict())
    for one in state["state"].values():
        one["step"] = 3
    optimizer.load_state_dict(state)
    assert isinstance(optimizer.state[model[0].weight]["step"], weft.Tensor)
    train(model, optimizer, 1)


@pytest.mark.parametrize("spoil", [
    lambda s: s["param_groups"].append(s["param_groups"][0]), lambda s: s["param_groups"][0]["params"].pop(),
    lambda s: s.pop("state"), lambda s: s["state"][1].pop("exp_avg"), lambda s: s["state"][2].pop("step"),
    lambda s: s["param_groups"][0].update(amsgrad=True), lambda s: s["state"][0].update(exp_avg=weft.ones(4, 9)),
    lambda s: s["state"][3].update(exp_avg_sq=weft.ones(()))])
def test_a_state_that_does_not_fit_changes_nothing(spoil):
    model = model_of()
    optimizer = made("Adam", model, {})
    train(model, optimizer, 3)
    before = copy.deepcopy(optimizer.state_dict())
    state = copy.deepcopy(before)
    state["param_groups"][0]["lr"] = 7.0
    spoil(state)
    with pytest.raises((ValueError, KeyError)):
        optimizer.load_state_dict(state)
    assert deep_equal(optimizer.state_dict(), before)


def test_all_misfits_are_named_at_once():
    optimizer = made("Adam", model_of(), {})
    other = weft.optim.Adam([weft.ones(5, 5, requires_grad=True), *list(model_of().parameters())[1:]])
    for p in other.param_groups[0]["params"]:
        p.grad = weft.ones_like(p)
    other.step()
    with pytest.raises(ValueError,
                       match=r"(?s)exp_avg of parameter 0: \[5, 5\] saved, \[4, 3\] needed.*exp_avg_sq of parameter "
                       r"0.*fix:"):
        optimizer.load_state_dict(other.state_dict())


def test_rows_and_columns_of_adafactor_fit():
    model = model_of()
    optimizer = made("Adafactor", model, {})
    train(model, optimizer, 1)
    optimizer.load_state_dict(optimizer.state_dict())
    state = copy.deepcopy(optimizer.state_dict())
    state["state"][0]["row_var"] = weft.ones(1, 3)
    with pytest.raises(ValueError, match="row_var"):
        optimizer.load_state_dict(state)


# groups and states

def test_parameters_without_gradients_and_empty_groups():
    a, b = weft.ones(2, requires_grad=True), weft.ones(2, requires_grad=True)
    a.grad = weft.ones(2)
    optimizer = weft.optim.Adam([{"params": [a, b]}, {"params": []}, {"params": weft.ones(1, requires_grad=True),
                                                                      "lr": 3.0}], lr=0.1)
    optimizer.step()
    assert list(optimizer.state) == [a] and weft.equal(b, weft.ones(2)) and a[0].item() == pytest.approx(0.9)
    assert sorted(optimizer.state_dict()["state"]) == [0] and [g["lr"]
                                                               for g in optimizer.param_groups] == [0.1, 0.1, 3.0]


def test_plain_sgd_keeps_no_state():
    model = model_of()
    optimizer = made("SGD", model, dict(lr=0.1))
    train(model, optimizer, 2)
    assert optimizer.state_dict()["state"] == {}
    optimizer.param_groups[0]["momentum"] = 0.9
    train(model, optimizer, 1)
    assert len(optimizer.state_dict()["state"]) == 4


def test_zero_grad():
    p = weft.ones(2, requires_grad=True)
    optimizer = weft.optim.SGD([p], lr=0.1)
    p.sum().backward()
    kept = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is kept and not kept.any()
    optimizer.zero_grad()
    assert p.grad is None


def test_names_are_kept_and_follow():
    model = model_of()
    optimizer = weft.optim.Adam(model.named_parameters())
    assert optimizer.param_groups[0]["param_names"] == [name for name, _ in model.named_parameters()]
    state = optimizer.state_dict()
    assert state["param_groups"][0]["param_names"][0] == "0.weight"
    plain = made("Adam", model_of(), {})
    plain.load_state_dict(state)
    assert plain.param_groups[0]["param_names"][0] == "0.weight"
    model.append(weft.nn.Linear(2, 2))
    assert optimizer.state_dict()["param_groups"][0]["param_names"][-1] == "3.bias"


def test_required_options():
    class Needs(weft.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, dict(lr=base.required))
    with pytest.raises(ValueError, match="required optimization parameter lr"):
        Needs([weft.ones(1, requires_grad=True)])
    assert Needs([{"params": [weft.ones(1, requires_grad=True)], "lr": 1}]).param_groups[0]["lr"] == 1


def test_closures_give_the_loss_back():
    model = model_of()
    optimizer = made("SGD", model, dict(lr=0.1))

    def closure():
        assert weft.is_grad_enabled()
        return model(weft.ones(1, 3)).sum()
    with weft.no_grad():
        assert optimizer.step(closure).requires_grad
        assert not weft.is_grad_enabled()
    assert optimizer.step() is None


@pytest.mark.parametrize("flag", ["foreach", "capturable", "fused"])
@every
def test_options_for_other_devices_change_nothing(name, flag):
    model, other = model_of(bias=name != "Muon"), model_of(bias=name != "Muon")
    plain = made(name, model, OPTIONS[name][-1])
    if flag not in plain.defaults:
        return
    flagged = made(name, other, {**OPTIONS[name][-1], flag: True})
    train(model, plain, 3)
    train(other, flagged, 3)
    assert bits(model) == bits(other)


# subclasses

class Momentum(weft.optim.Optimizer):
    """As in PyTorch's documentation: defaults, param_groups, self.state[p]."""

    def __init__(self, params, lr=0.1, keep=0.9):
        super().__init__(params, dict(lr=lr, keep=keep))

    @weft.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["sum"], state["count"] = weft.zeros_like(p), 0
                state["count"] += 1
                state["sum"].mul_(group["keep"]).add_(p.grad)
                p.add_(state["sum"], alpha=-group["lr"])


def test_one_s_own_optimizer():
    models = [model_of(), model_of()]
    own, known = Momentum(models[0].parameters()), weft.optim.SGD(models[1].parameters(), lr=0.1, momentum=0.9)
    for model, optimizer in zip(models, (own, known)):
        for step in range(5):
            optimizer.zero_grad()
            model(weft.full((2, 3), float(step))).square().sum().backward()
            optimizer.step()
    assert all(weft.allclose(a, b, atol=1e-6) for a, b in zip(models[0].parameters(), models[1].parameters()))
    seen = []
    own.register_step_post_hook(lambda optimizer, args, kwargs: seen.append(optimizer))
    own.step()
    assert seen == [own] and own.state_dict()["state"][0]["count"] == 6
    other = Momentum(model_of().parameters())
    other.load_state_dict(own.state_dict())
    assert other.state[other.param_groups[0]["params"][0]]["count"] == 6
    schedule = weft.optim.lr_scheduler.StepLR(own, 1)
    own.step()
    schedule.step()
    assert own.param_groups[0]["lr"] == pytest.approx(0.01)


def test_a_subclass_with_a_state_of_its_own():
    class Signs(weft.optim.SGD):
        def step(self, closure=None):
            for p in self.param_groups[0]["params"]:
                self.state[p]["flips"] = weft.zeros(1)
    optimizer, other = (Signs(model_of().parameters(), lr=0.1, momentum=0.9) for _ in range(2))
    optimizer.step()
    other.load_state_dict(optimizer.state_dict())
    assert list(other.state[other.param_groups[0]["params"][0]]) == ["flips"]


def test_one_s_own_optimizer_follows_edits():
    model = model_of()
    optimizer = Momentum(model.parameters())
    model(weft.ones(1, 3)).sum().backward()
    optimizer.step()
    kept = optimizer.state[model[0].weight]["sum"].clone()
    model.append(weft.nn.Linear(2, 2))
    model.zero_grad()
    model(weft.ones(1, 3)).sum().backward()
    model[0].weight.grad = None
    optimizer.step()
    assert weft.equal(optimizer.state[model[0].weight]["sum"], kept)
    assert optimizer.state[model[3].weight]["count"] == 1 and optimizer.state[model[2].weight]["count"] == 2


# hooks

def test_hooks_of_all_optimizers_are_removed():
    seen = []
    optimizer = made("SGD", model_of(), dict(lr=0.1))
    handles = [base.register_optimizer_step_pre_hook(lambda o, a, k: seen.append("pre")),
               base.register_optimizer_step_post_hook(lambda o, a, k: seen.append("post"))]
    optimizer.step()
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert seen == ["pre", "post"]


# derivatives through a step

@pytest.mark.parametrize("name, options", [("SGD", dict(lr=0.1, momentum=0.9)),
                                           ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
                                           ("Adam", dict(lr=0.1, amsgrad=True)), ("AdamW", dict(lr=0.1)),
                                           ("Adadelta", dict()), ("Adagrad", dict(lr=0.1)), ("Adamax", dict(lr=0.1)),
                                           ("ASGD", dict(lr=0.1)), ("NAdam", dict(lr=0.1)), ("RAdam", dict(lr=0.1)),
                                           ("RMSprop", dict(lr=0.1, centered=True)), ("Rprop", dict(lr=0.1))])
def test_steps_can_be_differentiated(name, options):
    """From a fresh state, with gradcheck; the step is part of the graph even under no_grad, as in PyTorch."""
    def run(start, data):
        p = start.clone()
        optimizer = getattr(weft.optim, name)([p], differentiable=True, **options)
        for _ in range(3):
            p.grad = (p.clone() - data) * data.sin() + 0.3
            optimizer.step()
        return p
    weft.manual_seed(2)
    inputs = [weft.randn(4, dtype=weft.float64, requires_grad=True),
              weft.randn(4, dtype=weft.float64, requires_grad=True)]
    assert weft.autograd.gradcheck(run, inputs)
    with weft.no_grad():
        p = inputs[0].detach().clone()
        p.grad = inputs[1]
        getattr(weft.optim, name)([p], differentiable=True, **options).step()
    assert p.requires_grad


@pytest.mark.parametrize("name, options", [("SGD", dict(lr=0.1, momentum=0.9, weight_decay=0.1)),
                                           ("Adam", dict(amsgrad=True, weight_decay=0.1)), ("AdamW", dict()),
                                           ("NAdam", dict()), ("NAdam", dict(weight_decay=0.1,
                                                                             decoupled_weight_decay=True)),
                                           ("RAdam", dict()), ("Adamax", dict()), ("Adadelta", dict()),
                                           ("Adagrad", dict(lr_decay=0.1)), ("RMSprop", dict(momentum=0.9)),
                                           ("ASGD", dict()), ("Rprop", dict())])
@pytest.mark.parametrize("step", [1, 10])
def test_steps_can_be_differentiated_by_their_state(name, options, step):
    """NAdam read its mu_product as a number; every tensor of the state, and the rate, has its part in the gradient."""
    def numbers(*shape):
        return weft.rand(shape, dtype=weft.float64) + 0.1
    make = getattr(weft.optim, name)
    p = numbers(5).requires_grad_()
    p.grad = numbers(5)
    optimizer = make([p], **options)
    optimizer.step()
    state = optimizer.state[p]
    open_ = [key for key, value in state.items()
             if isinstance(value, weft.Tensor) and value.is_floating_point() and key not in ("step", "eta", "mu")]
    given = [numbers(*state[key].shape).requires_grad_() for key in open_]

    def run(start, grad, rate, *values):
        q = start.clone()
        q.grad = grad
        one = make([q], differentiable=True, **{**options, "lr": rate} if name != "ASGD" and name != "Rprop"
                   else options)
        one.state[q].update({key: value.clone() if isinstance(value, weft.Tensor) else value
                             for key, value in state.items()})
        one.state[q]["step"] = weft.tensor(float(step))
        one.state[q].update({key: value.clone() for key, value in zip(open_, values, strict=True)})
        one.step()
        return q, *(one.state[q][key] for key in open_ if one.state[q][key].requires_grad)
    rate = weft.tensor(0.05, dtype=weft.float64, requires_grad=name not in ("ASGD", "Rprop"))
    assert weft.autograd.gradcheck(run, (numbers(5).requires_grad_(), numbers(5).requires_grad_(), rate, *given))


def test_learning_a_rate():
    """A rate found by gradient descent on the loss after a step."""
    rate = weft.tensor(0.05, requires_grad=True)
    outer = weft.optim.Adam([rate], lr=0.05)
    for _ in range(60):
        p = weft.tensor([3.0, -2.0])
        p.grad = 2 * p.clone()
        weft.optim.SGD([p], lr=rate, differentiable=True).step()
        outer.zero_grad()
        p.square().sum().backward()
        outer.step()
    assert rate.item() == pytest.approx(0.5, abs=0.02)
