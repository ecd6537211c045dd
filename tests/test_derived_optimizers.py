"""Tests that every optimizer gets from the `_samples` of its class, a list of options: progress, states, copies, groups,
types, differentiable steps, kernels, edits of the model; and the same for schedules.
"""
import copy
import inspect
import pickle

import numpy as np
import pytest

import weft
from weft import nn, optim
from weft.kernels import fast
from weft.ops.core.samples import Make
from weft.optim import lr_scheduler

SAMPLES_FOR = {
    "Adam": [{}, {"lr": 0.05, "betas": (0.8, 0.9), "eps": 1e-4}, {"weight_decay": 0.1}, {"amsgrad": True},
             {"weight_decay": 0.1, "decoupled_weight_decay": True}, {"maximize": True}],
    "SGD": [{}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
            {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, {"maximize": True}],
    "RMSprop": [{}, {"lr": 0.05, "alpha": 0.8, "eps": 1e-4}, {"weight_decay": 0.1}, {"momentum": 0.5},
                {"momentum": 0.5, "centered": True}, {"centered": True, "maximize": True}],
    "Adagrad": [{}, {"lr": 0.1, "lr_decay": 0.1, "eps": 1e-6}, {"weight_decay": 0.1},
                {"initial_accumulator_value": 0.5}, {"maximize": True}],
}
OPTIMIZERS = {name: cls for name, cls in sorted(vars(optim).items())
              if isinstance(cls, type) and issubclass(cls, optim.Optimizer) and cls is not optim.Optimizer}


def samples(name):
    return vars(OPTIMIZERS[name]).get("_samples") or SAMPLES_FOR.get(name, [])


CASES = [(name, i) for name in OPTIMIZERS for i in range(len(samples(name)))]
each = pytest.mark.parametrize("name,i", CASES)
each_optimizer = pytest.mark.parametrize("name", OPTIMIZERS)
HOW = ("foreach", "fused", "capturable")        # options that say how, not what


def options(name):
    return inspect.signature(OPTIMIZERS[name].__init__).parameters


def takes_complex(name):
    return getattr(OPTIMIZERS[name], "_takes_complex", True)


ELEMENTWISE = [(name, i) for name, i in CASES if takes_complex(name) and not OPTIMIZERS[name].flat]
DIFFERENTIABLE = [(name, i) for name, i in CASES if "differentiable" in options(name)]


class Problem:
    """Two matrices that are to map x to y; the second one may be left out of the loss."""

    def __init__(self, dtype=weft.float64, both=True):
        rng = np.random.default_rng(0)
        self.params = [weft.tensor(rng.uniform(-1, 1, shape)).to(dtype).requires_grad_() for shape in ((3, 4), (4, 2))]
        self.x, self.y = (weft.tensor(rng.uniform(-1, 1, shape)).to(dtype) for shape in ((8, 3), (8, 2)))
        self.both = both

    def loss(self):
        first, second = self.params
        return (self.x @ first @ (second if self.both else second.detach()) - self.y).square().mean()

    def closure(self, optimizer):
        sign = -1 if optimizer.defaults.get("maximize") else 1

        def run():
            optimizer.zero_grad()
            loss = sign * self.loss()
            loss.backward()
            return loss
        return run


def advance(problem, optimizer, steps):
    for _ in range(steps):
        optimizer.step(problem.closure(optimizer))


def begun(name, i, problem=None, **more):
    problem = problem or Problem()
    return problem, OPTIMIZERS[name](problem.params, **{**samples(name)[i], **more})


def values(params):
    return [p.detach().numpy().copy() for p in params]


def assert_same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def assert_near(ours, theirs, limit):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=limit, atol=limit)


@each_optimizer
def test_every_optimizer_has_samples_that_cover_its_options(name):
    covered = {key for sample in samples(name) for key in sample}
    tested_otherwise = {"self", "params", "differentiable", "lr", *HOW}
    assert samples(name) and set(options(name)) - tested_otherwise <= covered


@each
def test_steps_reduce_the_loss(name, i):
    problem, optimizer = begun(name, i)
    before = problem.loss().item()
    advance(problem, optimizer, 5)
    assert problem.loss().item() < before


@each
def test_six_steps_are_three_and_three_more_from_a_state(name, i):
    problem, optimizer = begun(name, i)
    advance(problem, optimizer, 3)
    state = pickle.loads(pickle.dumps(optimizer.state_dict()))
    other, resumed = begun(name, i)
    for mine, theirs in zip(other.params, problem.params):
        mine.data.copy_(theirs.data)
    resumed.load_state_dict(state)
    assert str(resumed.state_dict()) == str(optimizer.state_dict())
    advance(problem, optimizer, 3)
    advance(other, resumed, 3)
    assert_same(values(other.params), values(problem.params))
    assert str(resumed.state_dict()) == str(optimizer.state_dict())


@each
def test_a_loaded_state_is_a_copy(name, i):
    problem, optimizer = begun(name, i)
    advance(problem, optimizer, 2)
    other, resumed = begun(name, i)
    resumed.load_state_dict(optimizer.state_dict())
    before = str(optimizer.state_dict())
    advance(other, resumed, 2)
    assert str(optimizer.state_dict()) == before


@each
@pytest.mark.parametrize("way", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))],
                         ids=["deepcopy", "pickle"])
def test_copies_go_on_alone(name, i, way):
    problem, optimizer = begun(name, i)
    advance(problem, optimizer, 3)
    other, copied = way((problem, optimizer))
    before = values(problem.params)
    advance(other, copied, 3)
    assert_same(values(problem.params), before)
    advance(problem, optimizer, 3)
    assert_same(values(other.params), values(problem.params))


@each
def test_groups_have_their_own_options(name, i):
    cls, given = OPTIMIZERS[name], samples(name)[i]
    problem = Problem()
    groups = [{"params": [problem.params[0]]}, {"params": [problem.params[1]], "lr": 0.3}]
    if cls.flat:
        with pytest.raises(ValueError, match="parameter groups"):
            cls(groups, **given)
        return
    together, other = cls(groups, **given), Problem()
    apart = [cls([other.params[0]], **given), cls([other.params[1]], **{**given, "lr": 0.3})]
    for _ in range(3):
        problem.closure(together)()
        together.step()
        for optimizer in apart:
            optimizer.zero_grad()
        problem_loss = other.loss() * (-1 if given.get("maximize") else 1)
        problem_loss.backward()
        for optimizer in apart:
            optimizer.step()
    assert_same(values(problem.params), values(other.params))


@each
def test_parameters_without_a_gradient_are_left_alone(name, i):
    """And have no state, so that a saved one has fewer entries than parameters, and loads."""
    problem, optimizer = begun(name, i, Problem(both=False))
    start = values(problem.params)
    advance(problem, optimizer, 3)
    assert not np.array_equal(values(problem.params)[0], start[0])
    assert_same(values(problem.params)[1:], start[1:])
    state = optimizer.state_dict()
    assert set(state["state"]) <= {0} or name == "Adagrad"      # whose sums are there from the start
    other, resumed = begun(name, i, Problem(both=False))
    other.params[0].data.copy_(problem.params[0].data)
    resumed.load_state_dict(state)
    advance(problem, optimizer, 2)
    advance(other, resumed, 2)
    assert_same(values(other.params), values(problem.params))


@each
def test_closures_run_with_gradients_and_give_the_loss(name, i):
    problem, optimizer = begun(name, i)
    seen = []

    def closure():
        seen.append(weft.is_grad_enabled())
        return problem.closure(optimizer)()
    with weft.no_grad():
        loss = optimizer.step(closure)
    assert abs(loss.item()) == Problem().loss().item() and seen and all(seen)
    if not OPTIMIZERS[name].flat:
        other, plain = begun(name, i)
        other.closure(plain)()
        assert plain.step() is None
        assert_same(values(problem.params), values(other.params))


@each_optimizer
def test_zero_grad_both_ways(name):
    problem, optimizer = begun(name, 0)
    problem.loss().backward()
    held = [p.grad for p in problem.params]
    optimizer.zero_grad(set_to_none=False)
    assert all(p.grad is g and not g.any() for p, g in zip(problem.params, held))
    optimizer.zero_grad()
    assert all(p.grad is None for p in problem.params)


@each
def test_how_a_step_is_done_changes_nothing(name, i):
    problem, optimizer = begun(name, i)
    advance(problem, optimizer, 3)
    for flag in HOW:
        if flag in options(name):
            other, flagged = begun(name, i, **{flag: True})
            advance(other, flagged, 3)
            assert_same(values(other.params), values(problem.params))


@each
def test_a_rate_may_be_a_tensor(name, i):
    problem, optimizer = begun(name, i)
    lr = optimizer.param_groups[0]["lr"]
    rate = weft.tensor(lr, dtype=weft.float64)
    other, given = begun(name, i, lr=rate)
    advance(problem, optimizer, 3)
    advance(other, given, 3)
    assert given.param_groups[0]["lr"] is rate
    assert_near(values(other.params), values(problem.params), 1e-12)


@pytest.mark.parametrize("name,i", ELEMENTWISE)
def test_complex_parameters_are_pairs(name, i):
    """A complex parameter moves as its real and imaginary part do."""
    target = weft.tensor(np.random.default_rng(1).uniform(-1, 1, (3, 2, 2)))
    pairs = weft.tensor(np.random.default_rng(2).uniform(-1, 1, (3, 2, 2))).requires_grad_()
    whole = weft.view_as_complex(pairs.detach().clone()).requires_grad_()
    sign = -1 if samples(name)[i].get("maximize") else 1
    runs = []
    for p in (pairs, whole):
        optimizer = OPTIMIZERS[name]([p], **samples(name)[i])
        for _ in range(4):
            optimizer.zero_grad()
            shown = weft.view_as_real(p) if p.is_complex() else p
            (sign * (shown - target).square().sum()).backward()
            optimizer.step()
        runs.append((weft.view_as_real(p) if p.is_complex() else p).detach().numpy())
    assert whole.is_complex() and not np.array_equal(runs[0], np.random.default_rng(2).uniform(-1, 1, (3, 2, 2)))
    np.testing.assert_allclose(runs[1], runs[0], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if not takes_complex(name)])
def test_complex_parameters_are_refused(name):
    p = weft.ones(2, 2, dtype=weft.complex128).requires_grad_()
    p.grad = weft.ones_like(p)
    with pytest.raises((ValueError, RuntimeError), match="omplex"):
        OPTIMIZERS[name]([p]).step()


TAKES_NONE = inspect.Parameter("eps", inspect.Parameter.KEYWORD_ONLY)


@each
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_half_parameters_follow_float32_ones(name, i, kind):
    dtype = getattr(weft, kind)
    # the usual eps is 0 in float16, and so are the squares of gradients below 0.008
    more = {"eps": 1e-2} if isinstance(options(name).get("eps", TAKES_NONE).default, float) else {}
    problem, optimizer = begun(name, i, Problem(dtype), **more)
    single = Problem(weft.float32)
    for mine, theirs in zip((*single.params, single.x, single.y), (*problem.params, problem.x, problem.y)):
        mine.data.copy_(theirs.detach().float())
    exact = OPTIMIZERS[name](single.params, **{**samples(name)[i], **more})
    start = values(single.params)
    advance(problem, optimizer, 2)
    advance(single, exact, 2)
    assert all(p.dtype is dtype and p.grad.dtype is dtype for p in problem.params)
    moved = max(np.abs(a - b).max() for a, b in zip(values(single.params), start))
    # Muon's iteration is in bfloat16, whatever the parameters are
    limit = {"float16": 4e-3, "bfloat16": 3e-2}["bfloat16" if name == "Muon" else kind]
    for a, b in zip(problem.params, single.params):
        np.testing.assert_allclose(a.detach().float().numpy(), b.detach().numpy(), atol=limit + 0.2 * moved)


@pytest.mark.parametrize("name,i", DIFFERENTIABLE)
def test_a_differentiable_step_can_be_differentiated(name, i):
    rng = np.random.default_rng(3)
    start, grad = (weft.tensor(rng.uniform(0.3, 0.9, (2, 2)) * [[1, -1], [-1, 1]]).requires_grad_() for _ in range(2))

    def two_steps(start, grad):
        p = start.clone()
        optimizer = OPTIMIZERS[name]([p], **{**samples(name)[i], "differentiable": True})
        for scale in (1.0, 0.7):
            p.grad = grad * scale
            optimizer.step()
        state = [v for v in optimizer.state[p].values() if isinstance(v, weft.Tensor) and v.requires_grad]
        return (p, *state)
    assert len(two_steps(start, grad)) >= 1 and two_steps(start, grad)[0].requires_grad
    assert weft.autograd.gradcheck(two_steps, (start, grad))


KERNELS = ("adam", "sgd", "rmsprop", "adagrad", "adadelta")
LIMITS = {"float64": 1e-12, "float32": 2e-5}


@each
@pytest.mark.parametrize("kind", LIMITS)
def test_kernels_and_formulas_agree(monkeypatch, name, i, kind):
    """The step as it is, the step without C++ kernels, and the formula in Tensor ops that a differentiable step is."""
    dtype = getattr(weft, kind)
    problem, optimizer = begun(name, i, Problem(dtype))
    advance(problem, optimizer, 3)
    with monkeypatch.context() as patch:
        for kernel in KERNELS:
            patch.setattr(fast, kernel, lambda *_: None)
        other, plain = begun(name, i, Problem(dtype))
        advance(other, plain, 3)
    assert_near(values(other.params), values(problem.params), LIMITS[kind])
    if "differentiable" in options(name):
        other = Problem(dtype)
        leaves, other.params = other.params, [p.clone() for p in other.params]
        written = OPTIMIZERS[name](other.params, **{**samples(name)[i], "differentiable": True})
        sign = -1 if samples(name)[i].get("maximize") else 1
        for _ in range(3):
            grads = weft.autograd.grad(sign * other.loss(), other.params)
            for p, g in zip(other.params, grads):
                p.grad = g
            written.step()
        assert all(p.requires_grad for p in leaves)
        assert_near(values(other.params), values(problem.params), LIMITS[kind])


@each
def test_edits_of_the_model_are_followed(name, i):
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4, bias=False), nn.Tanh(), nn.Linear(4, 2, bias=False)).double()
    optimizer, x = OPTIMIZERS[name](net.parameters(), **samples(name)[i]), weft.ones(5, 3).double()
    sign = -1 if samples(name)[i].get("maximize") else 1

    def closure():
        optimizer.zero_grad()
        loss = sign * net(x).square().sum()
        loss.backward()
        return loss
    for _ in range(2):
        optimizer.step(closure)
    old, net[2] = net[2].weight, nn.Linear(4, 3, bias=False).double()
    kept, fresh = old.detach().numpy().copy(), net[2].weight.detach().numpy().copy()
    first = net[0].weight.detach().numpy().copy()
    optimizer.step(closure)
    assert [p is q for p, q in zip(optimizer.param_groups[0]["params"], net.parameters(), strict=True)] == [True, True]
    np.testing.assert_array_equal(old.detach().numpy(), kept)
    for now, before in ((net[2].weight, fresh), (net[0].weight, first)):
        assert np.isfinite(now.detach().numpy()).all() and not np.array_equal(now.detach().numpy(), before)


# schedules

SCHEDULES = {name: cls for name, cls in sorted(vars(lr_scheduler).items())
             if isinstance(cls, type) and issubclass(cls, lr_scheduler.LRScheduler)
             and cls not in (lr_scheduler.LRScheduler, lr_scheduler._LRScheduler)}
PLANS = [(name, i) for name, cls in SCHEDULES.items() for i in range(len(vars(cls).get("_samples", ())))]
each_plan = pytest.mark.parametrize("name,i", PLANS)
MEASURES = [1.0, 0.9, 0.9, 0.95, 0.5, 0.6, 0.6, 0.6, 0.7, 0.4, 0.4, 0.4, 0.4]


def scheduled(name, i, rates=(0.1, 0.02)):
    params = [weft.ones(2, requires_grad=True) for _ in rates]
    groups = [{"params": [p], "lr": lr} for p, lr in zip(params, rates)]
    optimizer = optim.SGD(groups, lr=0.1, momentum=0.9)
    given = {key: value.options["function"](optimizer) if isinstance(value, Make) else value
             for key, value in SCHEDULES[name]._samples[i].items()}
    schedule = SCHEDULES[name](**{"optimizer": optimizer, **given})
    return optimizer, schedule


def follow(optimizer, schedule, start, end):
    """The rates and momenta of some steps."""
    found = []
    for step in range(start, end):
        optimizer.step()
        if isinstance(schedule, lr_scheduler.ReduceLROnPlateau):
            schedule.step(MEASURES[step])
        else:
            schedule.step()
        found.append([(float(group["lr"]), group["momentum"]) for group in optimizer.param_groups])
        assert [float(lr) for lr in schedule.get_last_lr()] == [lr for lr, _ in found[-1]]
    return found


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_has_samples(name):
    assert vars(SCHEDULES[name]).get("_samples"), f"{name} has no _samples of its own"


@each_plan
def test_a_schedule_moves_the_rates(name, i):
    found = follow(*scheduled(name, i), 0, 12)
    assert len({row[0][0] for row in found}) > 1 and all(lr >= 0 for row in found for lr, _ in row)


@each_plan
def test_a_schedule_goes_on_from_its_state(name, i):
    whole = follow(*scheduled(name, i), 0, 12)
    for middle in (1, 5, 8):
        optimizer, schedule = scheduled(name, i)
        follow(optimizer, schedule, 0, middle)
        states = pickle.loads(pickle.dumps((optimizer.state_dict(), schedule.state_dict())))
        other, resumed = scheduled(name, i)
        other.load_state_dict(states[0])
        resumed.load_state_dict(states[1])
        assert follow(other, resumed, middle, 12) == whole[middle:]


@each_plan
def test_a_copied_schedule_goes_on_alone(name, i):
    optimizer, schedule = scheduled(name, i)
    follow(optimizer, schedule, 0, 4)
    other, copied = copy.deepcopy((optimizer, schedule))
    assert copied.optimizer is other
    rest = follow(other, copied, 4, 12)
    assert follow(optimizer, schedule, 4, 12) == rest


@pytest.mark.parametrize("name,i", [(n, i) for n, i in PLANS if hasattr(SCHEDULES[n], "_get_closed_form_lr")])
def test_the_closed_form_is_the_recursive_one(name, i):
    optimizer, schedule = scheduled(name, i)
    for step in range(12):
        np.testing.assert_allclose(schedule._get_closed_form_lr(), schedule.get_last_lr(), rtol=1e-10, atol=1e-14)
        other, placed = scheduled(name, i)
        other.step()
        placed.step(step)
        np.testing.assert_allclose(placed.get_last_lr(), schedule.get_last_lr(), rtol=1e-10, atol=1e-14)
        follow(optimizer, schedule, step, step + 1)


@each_plan
def test_rates_that_are_tensors_are_written_in_place(name, i):
    plain = follow(*scheduled(name, i), 0, 12)
    rates = [weft.tensor(lr, dtype=weft.float64) for lr in (0.1, 0.02)]
    optimizer, schedule = scheduled(name, i, rates)
    found = follow(optimizer, schedule, 0, 12)
    np.testing.assert_allclose(np.array(found), np.array(plain), rtol=1e-12)
    assert [group["lr"] for group in optimizer.param_groups] == rates
    assert all(group["lr"] is lr for group, lr in zip(optimizer.param_groups, rates))
