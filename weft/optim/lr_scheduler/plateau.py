"""ReduceLROnPlateau: a smaller rate when a measure stops getting better."""
from math import inf

from weft.optim.lr_scheduler.base import LRScheduler, check_optimizer, put, rates


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when the measure given to `step` was not better than the best one for more than `patience` steps.


    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    >>> for loss in (1.0, 2.0):
    ...     schedule.step(loss)
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel",
                 cooldown=0, min_lr=0, eps=1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        groups = len(optimizer.param_groups)
        one = not isinstance(min_lr, (list, tuple))
        if not one and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.factor, self.optimizer = factor, optimizer
        self.default_min_lr = min_lr if one else None
        self.min_lrs = [min_lr] * groups if one else list(min_lr)
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = rates(optimizer)
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode, threshold, threshold_mode):
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = inf if mode == "min" else -inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def _reset(self):
        """Forget what was seen."""
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics, epoch=None):
        """Take note of the measure of an epoch.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        >>> for loss in (0.5, 0.6, 0.6):
        ...     schedule.step(loss)
        >>> schedule.get_last_lr()
        [0.1]
        """
        measure = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(measure, self.best):
            self.best, self.num_bad_epochs = measure, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = rates(self.optimizer)

    def _reduce_lr(self, epoch):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(f"The number of param groups in the optimizer ({len(groups)}) differs from when "
                                   f"ReduceLROnPlateau was initialized ({len(self.min_lrs)})\n  fix: make "
                                   f"schedule.min_lrs as long as optimizer.param_groups")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                put(group, "lr", new)

    @property
    def in_cooldown(self):
        """Whether the rate was made smaller only just.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, cooldown=2)
        >>> for loss in (1.0, 1.0):
        ...     schedule.step(loss)
        >>> schedule.in_cooldown, schedule.get_last_lr()
        (True, [0.1])
        """
        return self.cooldown_counter > 0

    def _is_better(self, a, best):
        sign = -1.0 if self.mode == "min" else 1.0
        bar = best * (1.0 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return a < bar if self.mode == "min" else a > bar

    def load_state_dict(self, state_dict):
        """Go on where another schedule's `state_dict()` was taken.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> schedule.step(0.5)
        >>> other = weft.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> other.load_state_dict(schedule.state_dict())
        >>> other.best
        0.5
        """
        super().load_state_dict(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)

    _samples = [{"patience": 1},
                {"mode": "max", "factor": 0.5, "patience": 0, "threshold": 0.01, "threshold_mode": "abs", "cooldown": 1,
                 "min_lr": 0.001}]
