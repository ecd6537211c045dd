"""Schedules that go down along half a cosine: CosineAnnealingLR, CosineAnnealingWarmRestarts."""
import math

from weft.optim.lr_scheduler.base import LRScheduler, _enable_get_lr_call, rates


class CosineAnnealingLR(LRScheduler):
    """From the initial rate to `eta_min` in `T_max` steps, and up again in the next.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step, low, groups = self.last_epoch, self.eta_min, self.optimizer.param_groups
        if self._is_initial:
            return rates(self.optimizer)
        if self._step_count == 1 and step > 0:
            wave = math.cos(step * math.pi / self.T_max)
            return [low + (lr - low) * (1 + wave) / 2 for lr in self.base_lrs]
        if (step - 1 - self.T_max) % (2 * self.T_max) == 0:     # up from the bottom, where there is nothing to multiply
            wave = math.cos(math.pi / self.T_max)
            return [group["lr"] + (lr - low) * (1 - wave) / 2 for lr, group in zip(self.base_lrs, groups)]
        factor = (1 + math.cos(math.pi * step / self.T_max)) / (1 + math.cos(math.pi * (step - 1) / self.T_max))
        return [factor * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self):
        wave = math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (lr - self.eta_min) * (1 + wave) / 2 for lr in self.base_lrs]

    _samples = [{"T_max": 4}, {"T_max": 5, "eta_min": 0.01}]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the initial rate to `eta_min` in `T_0` steps, then again from the start, each time `T_mult` times as long.


    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=4)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        wave = math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * (1 + wave) / 2 for lr in self.base_lrs]

    def step(self, epoch=None):
        """Set the rates of the next step, or of step `epoch`, which may be a fraction.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=4)
        >>> schedule.step(2)
        >>> schedule.get_last_lr()
        [0.5]
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            self._place(epoch)
        self.last_epoch = math.floor(epoch)
        if len(self.base_lrs) < len(self.optimizer.param_groups):
            self._take_up(self.optimizer.param_groups[len(self.base_lrs):])
        with _enable_get_lr_call(self):
            found = self.get_lr()
        self._set(found)

    def _place(self, epoch):
        """Find the round that a step lies in (T_i long), and where in it (T_cur)."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** rounds - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** rounds

    _samples = [{"T_0": 3}, {"T_0": 2, "T_mult": 2, "eta_min": 0.01}]
