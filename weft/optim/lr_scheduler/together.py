"""Several schedules on one optimizer: one after another (SequentialLR) or all at once (ChainedScheduler)."""
from bisect import bisect_right

from weft.ops.core.samples import built
from weft.optim.lr_scheduler.base import LRScheduler, own_state, put, rates, shallow
from weft.optim.lr_scheduler.factors import ConstantLR, ExponentialLR
from weft.optim.lr_scheduler.plateau import ReduceLROnPlateau


class _Together(LRScheduler):
    """A schedule made of schedules."""

    def _check(self, schedulers, optimizer):
        name = type(self).__name__
        for i, schedule in enumerate(schedulers):
            if not hasattr(schedule, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(schedule, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                                 f"kwargs to be specified when calling `step`, but got one at index {i} in the given "
                                 f"schedulers sequence.")
            if optimizer is not schedule.optimizer:
                raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(schedule).__name__} at index {i} has {schedule.optimizer}, which is different "
                                 f"from {type(optimizer).__name__}.")

    def _initial_step(self):
        """Set the rates of the first step; no step of the optimizer can have come before it."""
        stepped = getattr(self.optimizer, "_opt_called", False)
        self.optimizer._opt_called = True
        try:
            super()._initial_step()
        finally:
            self.optimizer._opt_called = stepped

    def state_dict(self):
        """All attributes but the optimizer; the parts by their own `state_dict()`.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> parts = [weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5) for _ in range(2)]
        >>> schedule = weft.optim.lr_scheduler.ChainedScheduler(parts)
        >>> [part["gamma"] for part in schedule.state_dict()["_schedulers"]]
        [0.5, 0.5]
        """
        return {**own_state(self, without=("_schedulers",)),
                "_schedulers": [schedule.state_dict() for schedule in self._schedulers]}

    def load_state_dict(self, state_dict):
        """Go on where another schedule of the same parts was.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> part = weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = weft.optim.lr_scheduler.ChainedScheduler([part])
        >>> saved = schedule.state_dict()
        >>> schedule.step()
        >>> schedule.load_state_dict(saved)
        >>> part.last_epoch
        0
        """
        found = state_dict["_schedulers"]
        if len(found) != len(self._schedulers):
            raise ValueError(f"the state is of {len(found)} schedulers, this {type(self).__name__} has "
                             f"{len(self._schedulers)}")
        self.__dict__.update({key: shallow(value) for key, value in state_dict.items() if key != "_schedulers"})
        for schedule, state in zip(self._schedulers, found):
            schedule.load_state_dict(state)


class SequentialLR(_Together):
    """One schedule until the first milestone, then the next from its start, and so on.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> from weft.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> parts = [ConstantLR(optimizer, factor=0.1, total_iters=1), ExponentialLR(optimizer, gamma=0.5)]
    >>> schedule = SequentialLR(optimizer, parts, milestones=[1])
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the "
                             "number of milestone points, "
                             f"but got number of schedulers {len(schedulers)} and the number of milestones to be equal "
                             f"to {len(milestones)}")
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # making the parts has moved the rates: back to the start, then the first step of the one that begins
        for group in optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None):
        """Take back the first step of all parts, and of theirs.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> lr = weft.optim.lr_scheduler
        >>> part = lr.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = lr.SequentialLR(optimizer, [part, lr.ConstantLR(optimizer)], milestones=[1])
        >>> schedule.recursive_undo()
        >>> part.last_epoch
        -1
        """
        waiting = [self if sched is None else sched]
        while waiting:
            schedule = waiting.pop()
            if hasattr(schedule, "_schedulers"):
                waiting += schedule._schedulers
            elif hasattr(schedule, "last_epoch"):
                schedule.last_epoch -= 1

    def step(self):
        """Step the schedule whose turn it is.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> lr = weft.optim.lr_scheduler
        >>> parts = [lr.ConstantLR(optimizer, factor=0.1), lr.ExponentialLR(optimizer, gamma=0.5)]
        >>> schedule = lr.SequentialLR(optimizer, parts, milestones=[1])
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [1.0]
        """
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        schedule = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            schedule._update_lr(0)
        else:
            schedule.step()
        self._last_lr = schedule.get_last_lr()

    def _update_lr(self, epoch):
        """Begin again, as a part of another sequence whose turn has come."""
        self.last_epoch = epoch
        schedule = self._schedulers[bisect_right(self._milestones, epoch)]
        schedule._update_lr(epoch)
        self._last_lr = schedule.get_last_lr()

    _samples = [{"schedulers": built(lambda optimizer: [ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.9)]),
                 "milestones": [4]}]


class ChainedScheduler(_Together):
    """All schedules in turn at every step; they have to be chainable.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> from weft.optim.lr_scheduler import ChainedScheduler, ConstantLR, ExponentialLR
    >>> schedule = ChainedScheduler([ConstantLR(optimizer, factor=0.1), ExponentialLR(optimizer, gamma=0.5)])
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                             f"scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = rates(optimizer)

    def step(self):
        """Step all schedules.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> parts = [weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5) for _ in range(2)]
        >>> schedule = weft.optim.lr_scheduler.ChainedScheduler(parts)
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
        """
        for schedule in self._schedulers:
            schedule.step()
        self._last_lr = rates(self.optimizer)

    def _update_lr(self, epoch):
        """Begin again, as a part of a sequence whose turn has come: from the initial rates, since each part changes the
        one before's.
        """
        for group in self.optimizer.param_groups:
            put(group, "lr", group["initial_lr"])
        for schedule in self._schedulers:
            schedule.last_epoch = epoch - 1
            schedule._initial_step()
        self._last_lr = rates(self.optimizer)

    _samples = [{"schedulers": built(lambda optimizer: [ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.9)])}]
