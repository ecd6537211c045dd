"""Schedules of the rate: curves, resuming, warnings, edits of the model while they run."""
import copy
import math
import pickle
import warnings

import pytest

import weft
from weft.optim import lr_scheduler as L
from weft.optim import swa_utils

pytestmark = pytest.mark.filterwarnings("error")


class Falling:
    """A callable with a state of its own."""

    def __init__(self):
        self.calls = 0

    def __call__(self, step):
        self.calls += 1
        return 0.99 ** self.calls


def falling(step):
    return 0.97 ** step


# name -> how it is made; 100 steps long at least
SCHEDULES = {
    "LambdaLR": lambda o: L.LambdaLR(o, falling), "LambdaLR of objects": lambda o: L.LambdaLR(o, [Falling(), falling]),
    "MultiplicativeLR": lambda o: L.MultiplicativeLR(o, falling),
    "MultiplicativeLR of objects": lambda o: L.MultiplicativeLR(o, Falling()), "StepLR": lambda o: L.StepLR(o, 7),
    "MultiStepLR": lambda o: L.MultiStepLR(o, [20, 48, 49, 50, 51, 80], 0.5),
    "ConstantLR": lambda o: L.ConstantLR(o, 0.3, 60), "LinearLR": lambda o: L.LinearLR(o, total_iters=70),
    "ExponentialLR": lambda o: L.ExponentialLR(o, 0.97), "PolynomialLR": lambda o: L.PolynomialLR(o, 90, 2.0),
    "CosineAnnealingLR": lambda o: L.CosineAnnealingLR(o, 30, 0.001),
    "CosineAnnealingWarmRestarts": lambda o: L.CosineAnnealingWarmRestarts(o, 6, 2),
    "CyclicLR": lambda o: L.CyclicLR(o, 0.01, 0.1, 6, 9, "triangular2"),
    "CyclicLR of objects": lambda o: L.CyclicLR(o, [0.01, 0.02], 0.1, 6, scale_fn=Falling()),
    "CyclicLR exp": lambda o: L.CyclicLR(o, 0.1, 0.2, 5, mode="exp_range", gamma=0.98),
    "OneCycleLR": lambda o: L.OneCycleLR(o, 0.2, 120),
    "OneCycleLR in three": lambda o: L.OneCycleLR(o, [0.2, 0.1], epochs=12, steps_per_epoch=10, three_phase=True),
    "SWALR": lambda o: swa_utils.SWALR(o, 0.01, 60), "Sequential": lambda o: L.SequentialLR(
        o, [L.LinearLR(o, 0.1, total_iters=10), L.CosineAnnealingLR(o, 50), L.ExponentialLR(o, 0.9)], [10, 60]),
    "Chained": lambda o: L.ChainedScheduler([L.LinearLR(o, 0.1, total_iters=60), L.ExponentialLR(o, 0.98),
                                             L.MultiplicativeLR(o, Falling())]),
    "Sequential of chained": lambda o: L.SequentialLR(
        o, [L.ChainedScheduler([L.ConstantLR(o, 0.5, 4), L.ExponentialLR(o, 0.9)]),
            L.ChainedScheduler([L.StepLR(o, 9), L.ExponentialLR(o, 0.99)])], [40]),
    "Sequential of sequential": lambda o: L.SequentialLR(
        o, [L.ConstantLR(o, 0.5, 4), L.SequentialLR(o, [L.StepLR(o, 5), L.ExponentialLR(o, 0.9)], [30])], [45]),
}
each = pytest.mark.parametrize("name", SCHEDULES)


def setup(kind="SGD", tensor_lr=False):
    weft.manual_seed(3)
    model = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.Tanh(), weft.nn.Linear(4, 1))
    lr = (lambda v: weft.tensor(v)) if tensor_lr else (lambda v: v)
    groups = [{"params": model[0].parameters()}, {"params": model[2].parameters(), "lr": lr(0.05)}]
    optimizer = (weft.optim.SGD(groups, lr=lr(0.1), momentum=0.9) if kind == "SGD"
                 else weft.optim.AdamW(groups, lr=lr(0.1)))
    return model, optimizer


def train(model, optimizer, schedule, steps, first=0):
    seen = []
    for step in range(first, first + steps):
        x = weft.tensor([[math.sin(step + i + k) for k in range(3)] for i in range(4)])
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        schedule.step()
        seen.append([float(lr) for lr in schedule.get_last_lr()])
    return seen


def bits(model):
    return [p.detach().numpy().tobytes() for p in model.parameters()]


@each
@pytest.mark.parametrize("kind, tensor_lr", [("SGD", False), ("AdamW", False), ("SGD", True)])
def test_a_hundred_steps_are_fifty_and_fifty(name, kind, tensor_lr):
    """Promise 11: a resumed run is the same run, bit for bit, and nothing warns."""
    model, optimizer = setup(kind, tensor_lr)
    schedule = SCHEDULES[name](optimizer)
    curve = train(model, optimizer, schedule, 50)
    saved = copy.deepcopy((model.state_dict(), optimizer.state_dict(), schedule.state_dict()))
    curve += train(model, optimizer, schedule, 50, 50)
    again, second = setup(kind, tensor_lr)
    resumed = SCHEDULES[name](second)
    again.load_state_dict(saved[0])
    resumed.load_state_dict(saved[2])
    second.load_state_dict(saved[1])
    assert [float(lr) for lr in resumed.get_last_lr()] == curve[49]
    assert train(again, second, resumed, 50, 50) == curve[50:]
    assert bits(again) == bits(model)


def test_plateau_resumes():
    measures = [1 / (1 + i // 9) for i in range(100)]
    whole, half = [], []
    _, optimizer = setup()
    schedule = L.ReduceLROnPlateau(optimizer, patience=2, cooldown=1, factor=0.9)
    for i, measure in enumerate(measures):
        schedule.step(measure)
        whole.append(schedule.get_last_lr())
        if i == 49:
            saved = copy.deepcopy((optimizer.state_dict(), schedule.state_dict()))
    _, second = setup()
    resumed = L.ReduceLROnPlateau(second, mode="max", patience=7)
    second.load_state_dict(saved[0])
    resumed.load_state_dict(saved[1])
    for measure in measures[50:]:
        resumed.step(measure)
        half.append(resumed.get_last_lr())
    assert half == whole[50:] and whole[-1] != whole[49] != whole[0]


@each
def test_states_hold_no_functions_and_don_t_change_later(name):
    model, optimizer = setup()
    schedule = SCHEDULES[name](optimizer)
    train(model, optimizer, schedule, 3)
    state = schedule.state_dict()
    before = copy.deepcopy(state)
    train(model, optimizer, schedule, 45)
    assert repr(state) == repr(before)

    def look(value):
        assert not callable(value), value
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
            look(part)
    look(state)
    given = copy.deepcopy(state)
    schedule.load_state_dict(state)
    assert repr(state) == repr(given)


@each
def test_schedules_are_copied_and_pickled(name):
    model, optimizer = setup()
    schedule = SCHEDULES[name](optimizer)
    train(model, optimizer, schedule, 5)
    first, second = copy.deepcopy((model, schedule)), pickle.loads(pickle.dumps((model, schedule)))
    wanted = train(model, optimizer, schedule, 20)
    assert train(first[0], first[1].optimizer, first[1], 20) == wanted
    assert [p.data.numpy().tobytes() for g in first[1].optimizer.param_groups for p in g["params"]] == bits(model)
    assert train(second[0], second[1].optimizer, second[1], 20) == wanted


# curves that can be said in a line

CURVES = [
    (lambda o: L.StepLR(o, 3, 0.5), lambda t: 0.5 ** (t // 3)), (lambda o: L.MultiStepLR(o, [2, 2, 5], 0.1),
                                                                 lambda t: 0.1 ** (2 * (t >= 2) + (t >= 5))),
    (lambda o: L.ConstantLR(o, 0.25, 4), lambda t: 0.25 if t < 4 else 1),
    (lambda o: L.LinearLR(o, 0.5, 1.0, 10), lambda t: min(1, 0.5 + 0.05 * t)),
    (lambda o: L.ExponentialLR(o, 0.9), lambda t: 0.9 ** t),
    (lambda o: L.PolynomialLR(o, 10, 2), lambda t: max(0, 1 - t / 10) ** 2),
    (lambda o: L.CosineAnnealingLR(o, 10), lambda t: (1 + math.cos(math.pi * t / 10)) / 2),
    (lambda o: L.LambdaLR(o, lambda t: 1 / (t + 1)), lambda t: 1 / (t + 1)),
    (lambda o: L.CosineAnnealingWarmRestarts(o, 5), lambda t: (1 + math.cos(math.pi * (t % 5) / 5)) / 2),
    (lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 5), L.ExponentialLR(o, 0.9)], [5]), lambda t: 0.1 if t < 5
     else 0.9 ** (t - 5)), (lambda o: L.ChainedScheduler([L.StepLR(o, 2, 0.5), L.ExponentialLR(o, 0.9)]),
                            lambda t: 0.5 ** (t // 2) * 0.9 ** t),
    (lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 5),
                                  L.ChainedScheduler([L.ExponentialLR(o, 0.9), L.StepLR(o, 4, 0.5)])], [5]),
     lambda t: 0.1 if t < 5 else 0.9 ** (t - 5) * 0.5 ** ((t - 5) // 4)),
    (lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 3),
                                  L.SequentialLR(o, [L.ConstantLR(o, 0.2, 4), L.ExponentialLR(o, 0.9)], [4])], [3]),
     lambda t: 0.1 if t < 3 else 0.2 if t < 7 else 0.9 ** (t - 7)),
]


@pytest.mark.parametrize("make, factor", CURVES)
def test_curves(make, factor):
    optimizer = weft.optim.SGD([weft.zeros(1, requires_grad=True)], lr=2.0)
    schedule = make(optimizer)
    for t in range(25):
        assert schedule.get_last_lr() == [pytest.approx(2.0 * factor(t),
                                                        abs=1e-12)] == [pytest.approx(optimizer.param_groups[0]["lr"])]
        optimizer.step()
        schedule.step()


def test_momentum_goes_the_other_way():
    _, optimizer = setup()
    schedule = L.OneCycleLR(optimizer, 0.5, 11, pct_start=0.5, base_momentum=0.7, max_momentum=0.9)
    rates, momenta = [], []
    for _ in range(10):
        rates.append(optimizer.param_groups[0]["lr"])
        momenta.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        schedule.step()
    assert sorted(range(10), key=rates.__getitem__)[-1] == sorted(range(10), key=momenta.__getitem__)[0]
    _, adam = setup("AdamW")
    L.CyclicLR(adam, 0.1, 0.2, base_momentum=0.6, max_momentum=0.8)
    assert adam.param_groups[0]["betas"] == (0.8, 0.999)


def test_one_s_own_schedule():
    class Saw(L._LRScheduler):
        def get_lr(self):
            assert self._get_lr_called_within_step
            return [lr * (1 - self.last_epoch % 4 / 4) for lr in self.base_lrs]
    model, optimizer = setup()
    schedule = Saw(optimizer)
    assert [row[0] for row in train(model, optimizer, schedule, 5)] == pytest.approx([0.075, 0.05, 0.025, 0.1, 0.075])
    with pytest.raises(NotImplementedError):
        L.LRScheduler(optimizer)


# warnings: of the wrong order, and of nothing else

def caught(run):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    return [str(w.message).split("\n")[0] for w in found]


def test_the_wrong_order_is_told_once():
    _, optimizer = setup()
    schedule = L.StepLR(optimizer, 2)
    found = caught(lambda: [(schedule.step(), optimizer.step()) for _ in range(4)])
    assert len(found) == 1 and found[0].startswith("Detected call of `lr_scheduler.step()` before `optimizer.step()`")


def test_no_other_warnings():
    """Nothing is said of steps to an epoch, of get_lr, of a step that was replaced, of a step that loss scaling left
    out, of copies.
    """
    model, optimizer = setup()
    schedule = L.StepLR(optimizer, 2)
    step = optimizer.step
    optimizer.step = lambda: step()
    assert caught(schedule.step) == []
    del optimizer.step
    assert caught(lambda: (schedule.step(7), schedule.get_lr())) == []
    model, optimizer = setup()
    schedule = L.StepLR(optimizer, 2)
    model(weft.full((1, 3), float("inf"))).sum().backward()
    assert caught(schedule.step) == []
    model, optimizer = setup()
    optimizer.step()
    later = L.StepLR(optimizer, 2)
    assert caught(later.step) == []
    _, optimizer = setup()
    schedule = L.StepLR(optimizer, 2)
    schedule = copy.deepcopy(schedule)
    assert caught(lambda: (schedule.optimizer.step(), schedule.step())) == []
    _, optimizer = setup()
    schedule = L.StepLR(optimizer, 2)
    optimizer.step()
    assert caught(copy.deepcopy(schedule).step) == [] == caught(pickle.loads(pickle.dumps(schedule)).step)


def test_an_optimizer_that_is_no_plain_subclass_is_not_warned_of():
    class Wrapper(weft.optim.Optimizer):
        """As some libraries do it: an Optimizer that never was initialised as one."""

        def __init__(self, inner):
            self.inner, self.param_groups, self.defaults, self.state = (
                inner, inner.param_groups, inner.defaults, inner.state)

        def step(self, closure=None):
            return self.inner.step(closure)
    _, optimizer = setup()
    wrapper = Wrapper(optimizer)
    schedule = L.StepLR(wrapper, 1)
    assert caught(lambda: (wrapper.step(), schedule.step())) == []
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.01)


# edits

def test_a_schedule_goes_on_when_the_model_is_edited():
    """Promise 6: new parameters are in the group that is scheduled; the curve is that of an unedited run."""
    curves = []
    for edit in (False, True):
        weft.manual_seed(1)
        model = weft.nn.Sequential(weft.nn.Linear(3, 4), weft.nn.Tanh(), weft.nn.Linear(4, 1))
        optimizer = weft.optim.Adam(model.parameters(), lr=0.1)
        schedule = L.SequentialLR(optimizer, [L.LinearLR(optimizer, 0.1, total_iters=5),
                                              L.CosineAnnealingLR(optimizer, 20)], [5])
        curve = train(model, optimizer, schedule, 8)
        if edit:
            model.insert(2, weft.nn.Linear(4, 4))
            model[0] = weft.nn.Linear(3, 4)
        new = model[2].weight.detach().clone() if edit else None
        curve += train(model, optimizer, schedule, 8, 8)
        curves.append(curve)
        if edit:
            assert len(optimizer.param_groups) == 1 and any(p is model[2].weight
                                                            for p in optimizer.param_groups[0]["params"])
            assert not weft.equal(new, model[2].weight)
            assert optimizer.state[model[2].weight]["step"] == 8 and optimizer.state[model[3].weight]["step"] == 16
    assert curves[0] == curves[1]


@pytest.mark.parametrize("make", [lambda o: L.ExponentialLR(o, 0.5), lambda o: L.LambdaLR(o, lambda t: 0.5 ** t),
                                  lambda o: L.CosineAnnealingWarmRestarts(o, 4),
                                  lambda o: L.MultiplicativeLR(o, lambda t: 0.5), lambda o: swa_utils.SWALR(o, 0.01)])
def test_groups_added_later_are_scheduled_too(make):
    _, optimizer = setup()
    schedule = make(optimizer)
    optimizer.step()
    schedule.step()
    optimizer.add_param_group({"params": [weft.ones(2, requires_grad=True)], "lr": 1.0})
    optimizer.step()
    schedule.step()
    assert len(schedule.get_last_lr()) == 3 and 0 < schedule.get_last_lr()[2] < 1.0
    schedule.load_state_dict(schedule.state_dict())


def test_groups_added_later_that_nothing_is_known_of():
    for make in (lambda o: L.CyclicLR(o, 0.1, 0.2), lambda o: L.OneCycleLR(o, 0.1, 10),
                 lambda o: L.LambdaLR(o, [falling, Falling()])):
        _, optimizer = setup()
        schedule = make(optimizer)
        optimizer.add_param_group({"params": [weft.ones(2, requires_grad=True)], "lr": 1.0})
        optimizer.step()
        with pytest.raises(ValueError, match="were added to the optimizer"):
            schedule.step()


def test_states_that_don_t_fit_change_nothing():
    _, optimizer = setup()
    schedule = L.ChainedScheduler([L.StepLR(optimizer, 2), L.ExponentialLR(optimizer, 0.5)])
    other = L.ChainedScheduler([L.StepLR(optimizer, 3)])
    before = repr(schedule.state_dict())
    with pytest.raises(ValueError, match="1 schedulers, this ChainedScheduler has 2"):
        schedule.load_state_dict(other.state_dict())
    assert repr(schedule.state_dict()) == before


# averaged models

def test_an_average_is_the_average():
    model = weft.nn.Linear(2, 2)
    averaged, seen = swa_utils.AveragedModel(model), []
    for i in range(4):
        with weft.no_grad():
            model.weight.add_(i)
        seen.append(model.weight.detach().clone())
        averaged.update_parameters(model)
    assert weft.allclose(averaged.module.weight, sum(seen) / 4) and averaged.n_averaged == 4
    assert averaged(weft.ones(1, 2)).shape == (1, 2) and averaged.module.weight is not model.weight
    again = swa_utils.AveragedModel(model)
    again.load_state_dict(averaged.state_dict())
    assert again.n_averaged == 4 and weft.equal(again.module.weight, averaged.module.weight)


def test_an_edited_model_is_not_averaged_into_the_old_one():
    model = weft.nn.Sequential(weft.nn.Linear(2, 2))
    averaged = swa_utils.AveragedModel(model)
    averaged.update_parameters(model)
    model.append(weft.nn.Linear(2, 2))
    before = bits(averaged)
    with pytest.raises(ValueError, match="make a new AveragedModel"):
        averaged.update_parameters(model)
    assert bits(averaged) == before and averaged.n_averaged == 1


def test_update_bn_gives_modes_and_momenta_back_after_an_error():
    model = weft.nn.Sequential(weft.nn.BatchNorm1d(3, momentum=0.2), weft.nn.Linear(3, 1)).eval()
    with pytest.raises(RuntimeError):
        swa_utils.update_bn([weft.ones(4, 3), weft.ones(4, 5)], model)
    assert model[0].momentum == 0.2 and not model.training
    swa_utils.update_bn([weft.zeros(4, 3), weft.ones(4, 3)], model)
    assert weft.allclose(model[0].running_mean, weft.full((3,), 0.5)) and model[0].num_batches_tracked == 2
