"""Schedules given by a function of the step: LambdaLR, MultiplicativeLR."""
import types

from weft.optim.lr_scheduler.base import LRScheduler, own_state, rates, shallow


def state_of(function):
    """What a checkpoint keeps of a callable: nothing of a plain function, the attributes of an object."""
    return (None if function is None or isinstance(function, types.FunctionType)
            else dict(getattr(function, "__dict__", {})))


class _ByFunction(LRScheduler):
    """A schedule with a function for each group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        self._check()
        super().__init__(optimizer, last_epoch)

    def _check(self):
        """Refuse what can't be called."""

    def state_dict(self):
        """All attributes but the optimizer; of the functions, the attributes of those that are objects.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
        >>> schedule.state_dict()["lr_lambdas"]
        [None]
        """
        return {**own_state(self, without=("lr_lambdas",)),
                "lr_lambdas": [state_of(function) for function in self.lr_lambdas]}

    def load_state_dict(self, state_dict):
        """Go on where another schedule's `state_dict()` was taken; its functions are not part of it.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5 ** epoch)
        >>> saved = schedule.state_dict()
        >>> schedule.step()
        >>> schedule.load_state_dict(saved)
        >>> schedule.last_epoch
        0
        """
        found = state_dict["lr_lambdas"]
        if len(found) > len(self.lr_lambdas):
            raise ValueError(f"the state is of {len(found)} lr_lambdas, this schedule has {len(self.lr_lambdas)}")
        self.__dict__.update({key: shallow(value) for key, value in state_dict.items() if key != "lr_lambdas"})
        for function, state in zip(self.lr_lambdas, found):
            if state is not None:
                function.__dict__.update(state)

    def _take_up(self, groups):
        if any(function is not self.lr_lambdas[0] for function in self.lr_lambdas):
            raise ValueError(f"{type(self).__name__}: {len(groups)} param_groups were added to the optimizer, and "
                             f"there is no lr_lambda for them\n"
                             "  fix: append one for each to schedule.lr_lambdas and its initial rate to "
                             "schedule.base_lrs")
        super()._take_up(groups)
        self.lr_lambdas += [self.lr_lambdas[0]] * len(groups)


class LambdaLR(_ByFunction):
    """The initial rate times lr_lambda(step).

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 0.5 ** epoch)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.25]
    """

    def get_lr(self):
        return [lr * function(self.last_epoch) for function, lr in zip(self.lr_lambdas, self.base_lrs)]

    _samples = [{"lr_lambda": lambda step: 0.9 ** step}, {"lr_lambda": [lambda step: 1 / (1 + step), lambda step: 0.5]}]


class MultiplicativeLR(_ByFunction):
    """The rate before times lr_lambda(step).

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.lr_scheduler.MultiplicativeLR(optimizer, lr_lambda=lambda epoch: 0.5)
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> [round(rate, 4) for rate in schedule.get_last_lr()]
    [0.25]
    """

    def _check(self):
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self):
        if self._is_initial:
            return rates(self.optimizer)
        return [group["lr"] * function(self.last_epoch) for function, group in zip(self.lr_lambdas,
                                                                                   self.optimizer.param_groups)]

    _samples = [{"lr_lambda": lambda step: 0.9}]
