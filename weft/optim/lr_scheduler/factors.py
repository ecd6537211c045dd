"""Schedules that multiply the rate by a factor: StepLR, MultiStepLR, ConstantLR, LinearLR, ExponentialLR, PolynomialLR.
"""
from bisect import bisect_right
from collections import Counter

from weft.optim.lr_scheduler.base import LRScheduler, rates


class _Factor(LRScheduler):
    """A schedule whose next rate is the present one times `_factor()`, and whose rate from the start is the initial one
    times `_closed_factor()`.
    """

    def get_lr(self):
        factor = self._factor()
        return (rates(self.optimizer) if factor is None
                else [group["lr"] * factor for group in self.optimizer.param_groups])

    def _get_closed_form_lr(self):
        factor = self._closed_factor()
        return [lr * factor for lr in self.base_lrs]


class StepLR(_Factor):
    """Every `step_size` steps times `gamma`.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.1]
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma if self.last_epoch != 0 and self.last_epoch % self.step_size == 0 else None

    def _closed_factor(self):
        return self.gamma ** (self.last_epoch // self.step_size)

    _samples = [{"step_size": 3}, {"step_size": 2, "gamma": 0.7}]


class MultiStepLR(_Factor):
    """Times `gamma` at each of the milestones.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 2], gamma=0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.25]
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else None

    def _closed_factor(self):
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)

    _samples = [{"milestones": [2, 5]}, {"milestones": [3, 3, 6], "gamma": 0.5}]


class ConstantLR(_Factor):
    """Times `factor` for the first `total_iters` steps.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=4)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _closed_factor(self):
        return self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)

    _samples = [{}, {"factor": 0.5, "total_iters": 3}]


class LinearLR(_Factor):
    """Times a factor that goes in a straight line from `start_factor` to `end_factor` in `total_iters` steps.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=4)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.75]
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def _closed_factor(self):
        return self.start_factor + (self.end_factor - self.start_factor) * min(self.total_iters,
                                                                               self.last_epoch) / self.total_iters

    _samples = [{}, {"start_factor": 0.5, "end_factor": 0.1, "total_iters": 4}]


class ExponentialLR(_Factor):
    """Every step times `gamma`.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.25]
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self._is_initial else self.gamma

    def _closed_factor(self):
        return self.gamma ** self.last_epoch

    _samples = [{"gamma": 0.9}, {"gamma": 1.1}]


class PolynomialLR(_Factor):
    """Times (1 - step / total_iters) ** power.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=1.0)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        return ((1.0 - self.last_epoch / self.total_iters)
                / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power

    def _closed_factor(self):
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power

    _samples = [{"total_iters": 9}, {"total_iters": 4, "power": 2.0}]
