"""Schedules that go up and down again, the momentum the other way: CyclicLR, OneCycleLR."""
import math

from weft.optim.lr_scheduler.base import LRScheduler, check_optimizer, for_groups, own_state, put, shallow
from weft.optim.lr_scheduler.functions import state_of


class _Cycle(LRScheduler):
    """A schedule that may also move the momentum: `momentum`, or the first of `betas`."""

    def _begin_momentum(self, cycle_momentum, base_momentum, max_momentum, last_epoch):
        """Check what is to be cycled and set it to its start; the lowest and the highest value of each group."""
        self.cycle_momentum = cycle_momentum
        if not cycle_momentum:
            return None, None
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        lows, highs = for_groups("base_momentum", optimizer,
                                 base_momentum), for_groups("max_momentum", optimizer, max_momentum)
        for group, low, high in zip(optimizer.param_groups, lows, highs) if last_epoch == -1 else ():
            self._put_momentum(group, high)
            group["max_momentum"], group["base_momentum"] = high, low
        return lows, highs

    def _put_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _take_up(self, groups):
        raise ValueError(f"{type(self).__name__}: {len(groups)} param_groups were added to the optimizer, and it has "
                         f"no rates for them\n"
                         "  fix: make a new schedule with last_epoch=-1, or add the parameters to a group that is "
                         "there")


class CyclicLR(_Cycle):
    """Between `base_lr` and `max_lr` in straight lines, the height of a cycle by `mode` or by `scale_fn`.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.1, max_lr=0.5, step_size_up=2,
    ...                                                cycle_momentum=False)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.5]
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular",
                 gamma=1.0, scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8,
                 max_momentum=0.9, last_epoch=-1):
        check_optimizer(optimizer)
        base_lrs = for_groups("base_lr", optimizer, base_lr)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.optimizer = optimizer
        self.max_lrs = for_groups("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = float(step_size_down) if step_size_down is not None else up
        self.total_size, self.step_ratio = up + down, up / (up + down)
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        lows, highs = self._begin_momentum(cycle_momentum, base_momentum, max_momentum, last_epoch)
        if cycle_momentum:
            self.base_momentums, self.max_momentums = lows, highs
        for group, lr in zip(optimizer.param_groups, base_lrs) if last_epoch == -1 else ():
            put(group, "lr", lr)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        """The height of cycle x, or at step x (`scale_mode`).

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> schedule = weft.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0, mode="triangular2")
        >>> schedule.scale_fn(1), schedule.scale_fn(2), schedule.scale_fn(3)
        (1.0, 0.5, 0.25)
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": lambda: 1.0, "triangular2": lambda: 1 / (2.0 ** (x - 1)),
                "exp_range": lambda: self.gamma ** x}[self.mode]()

    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle             # 0 at the start of a cycle, 1 at its end
        rise = place / self.step_ratio if place <= self.step_ratio else (place - 1) / (self.step_ratio - 1)
        x = cycle if self.scale_mode == "cycle" else self.last_epoch
        found = [low + (high - low) * rise * self.scale_fn(x) for low, high in zip(self.base_lrs, self.max_lrs)]
        for group, low, high in zip(self.optimizer.param_groups, self.base_momentums,
                                    self.max_momentums) if self.cycle_momentum else ():
            self._put_momentum(group, high - (high - low) * rise * self.scale_fn(x))
        return found

    def state_dict(self):
        """All attributes but the optimizer; of `scale_fn`, the attributes if it is an object.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> schedule = weft.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0)
        >>> schedule.state_dict()["max_lrs"]
        [1.0]
        """
        return {**own_state(self), "_scale_fn_custom": state_of(self._scale_fn_custom)}

    def load_state_dict(self, state_dict):
        """Go on where another schedule's `state_dict()` was taken; its `scale_fn` is not part of it.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
        >>> schedule = weft.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0)
        >>> saved = schedule.state_dict()
        >>> schedule.step()
        >>> schedule.load_state_dict(saved)
        >>> schedule.last_epoch
        0
        """
        state = state_dict["_scale_fn_custom"]
        if state is not None and self._scale_fn_custom is None:
            raise ValueError("the state is of a CyclicLR with a scale_fn, this one has none")
        self.__dict__.update({key: shallow(value) for key, value in state_dict.items() if key != "_scale_fn_custom"})
        if state is not None:
            self._scale_fn_custom.__dict__.update(state)

    _samples = [{"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3},
                {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "step_size_down": 3, "mode": "triangular2"},
                {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 2, "mode": "exp_range", "gamma": 0.9,
                 "cycle_momentum": False}]


def _whole(name, value):
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def _phase(end, lr, momentum):
    """Up to step `end`: the options that rate and momentum go from and to."""
    return {"end_step": end, "start_lr": lr[0], "end_lr": lr[1], "start_momentum": momentum[0],
            "end_momentum": momentum[1]}


class OneCycleLR(_Cycle):
    """Up to `max_lr`, then down to almost nothing, once, in `total_steps` steps.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10, cycle_momentum=False)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [1.0]
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        check_optimizer(optimizer)
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if total_steps is not None:
            total = _whole("total_steps", total_steps)
        else:
            total = _whole("epochs", epochs) * _whole("steps_per_epoch", steps_per_epoch)
        if not isinstance(pct_start, float) or pct_start < 0 or pct_start > 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.optimizer, self.total_steps, self._anneal_func_type = optimizer, total, anneal_strategy
        low, high = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
        up = _phase(float(pct_start * total) - 1, ("initial_lr", "max_lr"), low)
        if three_phase:
            self._schedule_phases = [up, _phase(float(2 * pct_start * total) - 2, ("max_lr", "initial_lr"), high),
                                     _phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]
        else:
            self._schedule_phases = [up, _phase(total - 1, ("max_lr", "min_lr"), high)]
        max_lrs = for_groups("max_lr", optimizer, max_lr)
        self._begin_momentum(cycle_momentum, base_momentum, max_momentum, last_epoch)
        for group, most in zip(optimizer.param_groups, max_lrs) if last_epoch == -1 else ():
            group["initial_lr"], group["max_lr"] = most / div_factor, most
            group["min_lr"] = group["initial_lr"] / final_div_factor
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start, end, part):
        """Between start (part 0) and end (part 1)."""
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self):
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        begin, phase = 0.0, self._schedule_phases[0]
        for after in self._schedule_phases[1:]:
            if step <= phase["end_step"]:
                break
            begin, phase = phase["end_step"], after
        part = (step - begin) / (phase["end_step"] - begin)
        found = []
        for group in self.optimizer.param_groups:
            found.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                self._put_momentum(group, self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]],
                                                       part))
        return found

    _samples = [{"max_lr": 0.1, "total_steps": 14},
                {"max_lr": 0.1, "epochs": 7, "steps_per_epoch": 2, "three_phase": True, "anneal_strategy": "linear"}]
