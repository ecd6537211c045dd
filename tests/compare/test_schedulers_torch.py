"""Schedules of the rate: the same curves as PyTorch's, to the bit."""
import copy
import functools
import warnings
from types import SimpleNamespace

import pytest

import weft

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

STEPS = 40


class Halving:
    """A callable with a state of its own."""

    def __init__(self):
        self.calls, self.factor = 0, 0.9

    def __call__(self, step):
        self.calls += 1
        return self.factor ** step


def label(value):
    return "/".join(map(label, value)) if isinstance(value, (list, tuple)) else getattr(value, "__name__", str(value))


def by_name(name, *args, **kwargs):
    def make(lib, optimizer):
        given = [a() if a is Halving else a for a in args]
        options = {k: v() if v is Halving else v for k, v in kwargs.items()}
        return getattr(lib.optim.lr_scheduler, name)(optimizer, *given, **options)
    make.name = f"{name}-{'-'.join(map(label, [*args, *kwargs.values()]))}"
    return make


def sequential(milestones, *parts):
    def make(lib, optimizer):
        return lib.optim.lr_scheduler.SequentialLR(optimizer, [part(lib, optimizer) for part in parts],
                                                   list(milestones))
    make.name = f"Sequential-{milestones}-{'+'.join(part.name for part in parts)}"
    return make


def chained(*parts):
    def make(lib, optimizer):
        return lib.optim.lr_scheduler.ChainedScheduler([part(lib, optimizer) for part in parts])
    make.name = f"Chained-{'+'.join(part.name for part in parts)}"
    return make


def swalr(*args, **kwargs):
    def make(lib, optimizer):
        return lib.optim.swa_utils.SWALR(optimizer, *args, **kwargs)
    make.name = f"SWALR-{args}-{kwargs}"
    return make


def decay(step):
    return 0.95 ** step


def one_in(step):
    return 1 / (1 + step)


S = by_name
SCHEDULES = [
    S("LambdaLR", decay), S("LambdaLR", one_in), S("LambdaLR", [decay, one_in]), S("LambdaLR", Halving),
    S("LambdaLR", lambda step: 1), S("MultiplicativeLR", decay), S("MultiplicativeLR", [one_in, decay]),
    S("MultiplicativeLR", Halving), S("StepLR", 3), S("StepLR", step_size=7, gamma=0.3), S("StepLR", 1, 0.99),
    S("StepLR", 100), S("MultiStepLR", [2, 5, 9]), S("MultiStepLR", [9, 2, 5, 5], gamma=0.5), S("MultiStepLR", ()),
    S("MultiStepLR", [0, 3], 0.7), S("ConstantLR"), S("ConstantLR", 0.7, 9), S("ConstantLR", 1.0, 1),
    S("ConstantLR", factor=0.1, total_iters=100), S("ConstantLR", 0.5, 0), S("LinearLR"), S("LinearLR", 0.1, 0.9, 7),
    S("LinearLR", start_factor=1.0, end_factor=0.0, total_iters=10), S("LinearLR", 0.25, total_iters=1),
    S("ExponentialLR", 0.9), S("ExponentialLR", gamma=0.999), S("ExponentialLR", 1.1), S("PolynomialLR"),
    S("PolynomialLR", 12, 2.0), S("PolynomialLR", total_iters=30, power=0.5), S("CosineAnnealingLR", 10),
    S("CosineAnnealingLR", 7, 0.01), S("CosineAnnealingLR", T_max=50, eta_min=1e-5), S("CosineAnnealingLR", 1),
    S("CosineAnnealingWarmRestarts", 5), S("CosineAnnealingWarmRestarts", 3, 2),
    S("CosineAnnealingWarmRestarts", T_0=4, T_mult=3, eta_min=0.01), S("CyclicLR", 0.01, 0.1, 4),
    S("CyclicLR", 0.01, 0.1, 4, 9, mode="triangular2"), S("CyclicLR", 0.01, 0.1, 5, mode="exp_range", gamma=0.95),
    S("CyclicLR", [0.01, 0.02], [0.1, 0.3], step_size_up=3, base_momentum=[0.7, 0.8], max_momentum=[0.9, 0.99]),
    S("CyclicLR", 0.01, 0.1, 4, scale_fn=one_in, scale_mode="iterations"),
    S("CyclicLR", 0.01, 0.1, 4, scale_fn=Halving), S("CyclicLR", 0.001, 0.1, 4, cycle_momentum=False),
    S("OneCycleLR", 0.1, 45), S("OneCycleLR", 0.1, total_steps=50, anneal_strategy="linear"),
    S("OneCycleLR", 0.1, 60, three_phase=True), S("OneCycleLR", [0.1, 0.3], epochs=5, steps_per_epoch=10,
                                                  pct_start=0.2, base_momentum=[0.7, 0.75], max_momentum=[0.9, 0.92]),
    S("OneCycleLR", 0.1, 40, cycle_momentum=False, div_factor=10.0, final_div_factor=100.0), swalr(0.05),
    swalr([0.05, 0.01], 5, "linear"), swalr(0.5, anneal_epochs=0), swalr(0.2, 3, anneal_strategy="cos"),
    sequential([5], S("ConstantLR", 0.1, 5), S("ExponentialLR", 0.9)),
    sequential([3, 12], S("LinearLR"), S("CosineAnnealingLR", 20), S("StepLR", 4)),
    sequential([4], S("LinearLR", 0.1, total_iters=4), S("CosineAnnealingWarmRestarts", 6, 2)),
    sequential([], S("PolynomialLR", 9)), sequential([6], S("LambdaLR", decay), S("MultiplicativeLR", decay)),
    sequential([1], S("ExponentialLR", 0.5), S("MultiStepLR", [3, 6])),
    sequential([10], sequential([4], S("ConstantLR", 0.5, 2), S("ExponentialLR", 0.8)), S("CosineAnnealingLR", 9)),
    sequential([8], chained(S("ConstantLR", 0.5, 4), S("ExponentialLR", 0.8)), S("PolynomialLR", 15)),
    chained(S("ConstantLR", 0.1, 4), S("ExponentialLR", 0.9)), chained(S("StepLR", 3), S("MultiplicativeLR", decay),
                                                                       S("LinearLR")), chained(sequential([5],
                                                                                                          S("ConstantLR"), S("ExponentialLR", 0.9)), S("StepLR", 7, 0.5)), chained(S("CosineAnnealingLR", 8)),
]
CLOSED = [s for s in SCHEDULES if s.name.split("-")[0] in ("StepLR", "MultiStepLR", "ConstantLR", "LinearLR",
                                                           "ExponentialLR", "PolynomialLR", "CosineAnnealingLR",
                                                           "LambdaLR", "CosineAnnealingWarmRestarts", "CyclicLR")]
each = pytest.mark.parametrize("make", SCHEDULES, ids=lambda make: make.name)


def optimizer_of(lib, kind="SGD", tensor_lr=False):
    ps = [lib.ones(2, requires_grad=True) for _ in range(3)]
    lr = (lambda x: lib.tensor(x)) if tensor_lr else (lambda x: x)
    groups = [{"params": ps[:2]}, {"params": ps[2:], "lr": lr(0.37)}]
    return lib.optim.SGD(groups, lr=lr(0.1), momentum=0.9) if kind == "SGD" else lib.optim.AdamW(groups, lr=lr(0.1))


def look(optimizer, schedule):
    """Everything that a schedule moves, as plain numbers."""
    def plain(value):
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        return value.item() if hasattr(value, "item") else value
    return [{k: plain(v) for k, v in g.items() if k != "params" and isinstance(v, (int, float, tuple))
             or hasattr(v, "item")}
            for g in optimizer.param_groups] + [plain(schedule.get_last_lr())]


def plain_state(state):
    if isinstance(state, dict):
        return {k: plain_state(v) for k, v in state.items()}
    if isinstance(state, (list, tuple)):
        return [plain_state(v) for v in state]
    return state.item() if hasattr(state, "item") else state


def run(lib, make, kind="SGD", steps=STEPS, tensor_lr=False):
    optimizer = optimizer_of(lib, kind, tensor_lr)
    schedule = make(lib, optimizer)
    seen = [look(optimizer, schedule)]
    for _ in range(steps - 2):
        optimizer.step()
        schedule.step()
        seen.append(look(optimizer, schedule))
    return seen, plain_state(schedule.state_dict())


def without_unique(groups):
    """Options that both libraries have."""
    return [[{k: v for k, v in g.items() if k not in ("fused", "foreach")} if isinstance(g, dict) else g for g in row]
            for row in groups]


@each
@pytest.mark.parametrize("kind", ["SGD", "AdamW"])
def test_curves_are_equal(make, kind):
    (ours, our_state), (theirs, their_state) = run(weft, make, kind), run(torch, make, kind)
    assert without_unique(ours) == without_unique(theirs)
    assert our_state == their_state


@each
def test_curves_are_equal_with_tensors_as_rates(make):
    (ours, _), (theirs, _) = run(weft, make, tensor_lr=True), run(torch, make, tensor_lr=True)
    # tensors of float32: a product of a tensor and a number may be rounded once more or less
    for mine, other in zip(ours, theirs):
        assert mine[-1] == other[-1]


@pytest.mark.parametrize("make", CLOSED, ids=lambda make: make.name)
def test_steps_to_a_given_epoch_are_equal(make):
    found = []
    for lib in (weft, torch):
        optimizer = optimizer_of(lib)
        schedule = make(lib, optimizer)
        seen = []
        for epoch in (0, 3, 4, 5, 11, 2, 30, 1, None, None):
            schedule.step(epoch)
            seen.append((schedule.last_epoch, schedule.get_last_lr()))
        found.append(seen)
    assert found[0] == found[1]


def test_fractions_of_epochs():
    found = []
    for lib in (weft, torch):
        optimizer = optimizer_of(lib)
        schedule = lib.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 3, 2)
        found.append([])
        for i in range(60):
            schedule.step(i / 7)
            found[-1].append(schedule.get_last_lr())
    assert found[0] == found[1]


@each
def test_a_state_taken_from_torch_goes_on_here(make):
    """The other library's state_dict is a checkpoint of this one."""
    theirs_optimizer = optimizer_of(torch)
    theirs = make(torch, theirs_optimizer)
    for _ in range(9):
        theirs_optimizer.step()
        theirs.step()
    ours_optimizer = optimizer_of(weft)
    ours = make(weft, ours_optimizer)
    ours.load_state_dict(copy.deepcopy(theirs.state_dict()))
    state = theirs_optimizer.state_dict()
    ours_optimizer.load_state_dict({"state": {}, "param_groups": copy.deepcopy(state["param_groups"])})
    for _ in range(20):
        for optimizer, schedule in ((theirs_optimizer, theirs), (ours_optimizer, ours)):
            optimizer.step()
            schedule.step()
        assert ours.get_last_lr() == theirs.get_last_lr()


@pytest.mark.parametrize("options", [dict(patience=2), dict(mode="max", factor=0.5, patience=0),
                                     dict(patience=1, cooldown=3, threshold=0.05),
                                     dict(threshold_mode="abs", threshold=0.1, patience=3),
                                     dict(mode="max", threshold_mode="abs", patience=1),
                                     dict(patience=0, min_lr=[0.05, 0.001]), dict(patience=0, min_lr=0.02),
                                     dict(patience=0, eps=0.05)])
def test_plateau_curves_are_equal(options):
    measures = [1.0, 0.9, 0.95, 0.96, 0.97, 0.98, 0.5, 0.5, 0.5, 0.5, 0.49999, 0.7, 0.71, 0.3, 0.31, 0.32, 0.33, 0.34,
                0.35, float("nan"), 0.1, 0.2, 0.3]
    found = []
    for lib in (weft, torch):
        optimizer = optimizer_of(lib)
        schedule = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        seen = []
        for measure in measures:
            schedule.step(lib.tensor(measure, dtype=lib.float64))
            seen.append((schedule.get_last_lr(), plain_state(schedule.state_dict())))
        found.append(repr(seen))
    assert found[0] == found[1]


@pytest.mark.parametrize("make", [s for s in SCHEDULES if "Sequential" not in s.name and "Chained" not in s.name],
                         ids=lambda make: make.name)
def test_a_later_last_epoch_is_equal(make):
    """Resuming by last_epoch, with the optimizer's state loaded."""
    def run(lib):
        first = optimizer_of(lib)
        schedule = make(lib, first)
        for _ in range(6):
            first.step()
            schedule.step()
        second = optimizer_of(lib)
        second.load_state_dict(first.state_dict())
        again = make(resuming(lib), second)
        seen = [look(second, again)]
        for _ in range(12):
            second.step()
            again.step()
            seen.append(look(second, again))
        return without_unique(seen)
    assert run(weft) == run(torch)


def resuming(lib):
    """The library with schedules that are given last_epoch."""
    def with_last_epoch(module):
        return SimpleNamespace(**{name: functools.partial(kind, last_epoch=5) for name, kind in vars(module).items()
                                  if isinstance(kind, type)})
    return SimpleNamespace(optim=SimpleNamespace(lr_scheduler=with_last_epoch(lib.optim.lr_scheduler),
                                                 swa_utils=with_last_epoch(lib.optim.swa_utils)))


REFUSED = [
    ("StepLR", (3, 0.1, 5), {}), ("LambdaLR", ([decay],), {}), ("MultiplicativeLR", ([decay],), {}),
    ("MultiplicativeLR", (3,), {}), ("ConstantLR", (1.5,), {}), ("ConstantLR", (-1,), {}), ("LinearLR", (0.0,), {}),
    ("LinearLR", (0.5, 1.5), {}), ("SequentialLR", ([], []), {}), ("CosineAnnealingWarmRestarts", (0,), {}),
    ("CosineAnnealingWarmRestarts", (2.5,), {}), ("CosineAnnealingWarmRestarts", (2, 0), {}),
    ("CosineAnnealingWarmRestarts", (2, 1, "a"), {}), ("CyclicLR", ([0.1], 0.2), {}), ("CyclicLR", (0.1, [0.2]), {}),
    ("CyclicLR", (0.1, 0.2), dict(mode="square")), ("OneCycleLR", (0.1,), {}), ("OneCycleLR", (0.1, 0), {}),
    ("OneCycleLR", (0.1, 2.5), {}), ("OneCycleLR", (0.1,), dict(epochs=0, steps_per_epoch=3)),
    ("OneCycleLR", (0.1,), dict(epochs=2, steps_per_epoch=1.5)), ("OneCycleLR", (0.1, 10), dict(pct_start=2)),
    ("OneCycleLR", (0.1, 10), dict(anneal_strategy="steep")), ("OneCycleLR", ([0.1], 10), {}),
    ("ReduceLROnPlateau", ("up",), {}), ("ReduceLROnPlateau", (), dict(factor=1.0)),
    ("ReduceLROnPlateau", (), dict(min_lr=[0.1])), ("ReduceLROnPlateau", (), dict(threshold_mode="near")),
]


@pytest.mark.parametrize("name, args, kwargs", REFUSED)
def test_the_same_settings_are_refused(name, args, kwargs):
    kinds = []
    for lib in (weft, torch):
        optimizer = optimizer_of(lib)
        before = copy.deepcopy([{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups])
        with pytest.raises(Exception) as error:
            getattr(lib.optim.lr_scheduler, name)(optimizer, *args, **kwargs)
        kinds.append(error.type)
        if lib is weft:
            assert [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups] == before
    assert kinds[0] is kinds[1]


@pytest.mark.parametrize("name", ["StepLR", "ReduceLROnPlateau", "CyclicLR", "OneCycleLR"])
def test_only_optimizers_are_scheduled(name):
    for lib in (weft, torch):
        with pytest.raises(TypeError, match="is not an Optimizer"):
            getattr(lib.optim.lr_scheduler, name)(3, *{"StepLR": (1,), "CyclicLR": (1, 2),
                                                       "OneCycleLR": (1, 2)}.get(name, ()))


def test_names_are_the_same():
    theirs = set(torch.optim.lr_scheduler.__all__) | {"_LRScheduler"}
    assert not [name for name in theirs if not hasattr(weft.optim.lr_scheduler, name)]
    assert not [name for name in torch.optim.swa_utils.__all__ if not hasattr(weft.optim.swa_utils, name)]


def test_warnings_of_a_wrong_order_only():
    """What PyTorch says in the right order too is not said here; the wrong order is told in both."""
    for lib in (weft, torch):
        optimizer = optimizer_of(lib)
        schedule = lib.optim.lr_scheduler.StepLR(optimizer, 1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            schedule.step()
        assert len(caught) == 1 and caught[0].category is UserWarning and caught[0].filename == __file__
