"""`LRScheduler`: what all schedules of rates have in common.

A schedule counts its steps in `last_epoch` and says in `get_lr()` which rate each parameter group has there. Most
schedules are *chainable*: they give the next rate from the present one, so several can work on one optimizer;
`_get_closed_form_lr()`, where there is one, gives the rate of a step from the initial rates alone, and is what
`step(epoch)` uses.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     print(schedule.get_last_lr())
    ...     optimizer.step()
    ...     schedule.step()
    [1.0]
    [1.0]
    [0.5]
    [0.5]
"""
import warnings

from weft.optim.optimizer import Optimizer
from weft.optim.rule import number
from weft.tensor.tensor import Tensor

WRONG_ORDER = ("Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first rate of the schedule is "
               "skipped\n  fix: call optimizer.step() first, then lr_scheduler.step(); see "
               "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate")


def copied(value):
    """A rate that no later write changes."""
    return value.clone() if isinstance(value, Tensor) else value


def rates(optimizer, key="lr"):
    """An option of all groups."""
    return [copied(group[key]) for group in optimizer.param_groups]


def put(group, key, value):
    """Set an option of a group; a tensor is written into, since others may hold it."""
    if isinstance(group[key], Tensor):
        group[key].fill_(number(value))
    else:
        group[key] = value


def for_groups(name, optimizer, value):
    """A list with one value for each group, from a list or from one value for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * groups
    elif len(value) != groups:
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                         f"param_groups has {groups}.")
    return [copied(v) for v in value]


def check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def own_state(schedule, without=()):
    """The attributes of a schedule but for the optimizer; lists and dicts copied, so that the schedule can go on."""
    return {key: shallow(value) for key, value in vars(schedule).items() if key != "optimizer" and key not in without}


def shallow(value):
    return value.copy() if isinstance(value, (list, dict)) else value


class _enable_get_lr_call:
    """While a step asks for the rates."""

    def __init__(self, o):
        self.o = o

    def __enter__(self):
        self.o._get_lr_called_within_step = True
        return self

    def __exit__(self, *error):
        self.o._get_lr_called_within_step = False


class LRScheduler:
    """The base of all schedules; one's own subclass defines `get_lr()`, which may use `self.last_epoch`,
    `self.base_lrs` and `self.optimizer`.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch != -1 and "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                               f"last_epoch >= 0\n"
                               "  fix: load the optimizer's state_dict before, or start with last_epoch=-1")
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", copied(group["lr"]))
        self.optimizer = optimizer
        self.base_lrs = rates(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._initial_step()

    def _initial_step(self):
        """Set the rates of the first step."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """All attributes but the optimizer.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> weft.optim.lr_scheduler.StepLR(optimizer, 3).state_dict()['step_size']
        3
        """
        return own_state(self)

    def load_state_dict(self, state_dict):
        """Go on where another schedule's `state_dict()` was taken; load the optimizer's too, which holds the rates.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> saved = schedule.state_dict()
        >>> schedule.step()
        >>> schedule.load_state_dict(saved)
        >>> schedule.last_epoch
        0
        """
        self.__dict__.update({key: shallow(value) for key, value in state_dict.items()})

    def get_last_lr(self):
        """The rates that the last step set.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).get_last_lr()
        [1.0]
        """
        return self._last_lr

    def get_lr(self):
        """The rate of each group at `last_epoch`; called by `step`, to look at the rates use `get_last_lr`.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.5]
        """
        raise NotImplementedError

    def step(self, epoch=None):
        """Set the rates of the next step, or of step `epoch`.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
        >>> optimizer.step()
        >>> schedule.step()
        >>> optimizer.param_groups[0]['lr']
        0.5
        """
        if self._step_count == 1 and _too_early(self.optimizer):
            warnings.warn(WRONG_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        if len(self.base_lrs) < len(self.optimizer.param_groups):
            self._take_up(self.optimizer.param_groups[len(self.base_lrs):])
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        with _enable_get_lr_call(self):
            found = (self._get_closed_form_lr() if epoch is not None and hasattr(self, "_get_closed_form_lr")
                     else self.get_lr())
        self._set(found)

    def _set(self, found):
        groups = self.optimizer.param_groups
        if len(found) != len(groups):
            raise ValueError(f"{type(self).__name__} gives {len(found)} rates, but the optimizer has {len(groups)} "
                             f"param_groups")
        for group, lr in zip(groups, found):
            put(group, "lr", lr)
        self._last_lr = rates(self.optimizer)

    def _take_up(self, groups):
        """Groups that were added to the optimizer after this schedule was made start from their own rate."""
        for group in groups:
            self.base_lrs.append(copied(group.setdefault("initial_lr", copied(group["lr"]))))


class _LRScheduler(LRScheduler):
    """The name of `LRScheduler` in older programs."""


def _too_early(optimizer):
    """Whether no step was made or tried: not where the step is somebody else's, nor where a loss scaler left it out."""
    known = getattr(type(optimizer).step, "hooked", False) and "step" not in vars(optimizer)
    return known and not getattr(optimizer, "_opt_called", False) and not _left_out(optimizer)


def _left_out(optimizer):
    """Whether a gradient is not finite, which is why loss scalers leave out a step."""
    grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    return any(not grad.detach().isfinite().all() for grad in grads)
