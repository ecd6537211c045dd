"""torch.optim.swa_utils: averages of a model's weights over training, with the rate and the batch norms that go with
them.

    averaged = AveragedModel(model)                 # or multi_avg_fn=get_ema_multi_avg_fn(0.999)
    schedule = SWALR(optimizer, swa_lr=0.05)
    for x, y in loader:
        ...
        optimizer.step()
        averaged.update_parameters(model)
    update_bn(loader, averaged)                     # the averaged weights have activations of their own
"""
import math
from copy import deepcopy
from itertools import chain

from weft.core.dtype import int64
from weft.core.modes import no_grad
from weft.nn.module import Module
from weft.nn.modules.norm import _BatchNorm
from weft.ops.create.data import tensor
from weft.ops.lists.foreach import PUBLIC as FOREACH
from weft.optim.lr_scheduler.base import LRScheduler, for_groups
from weft.optim.rule import number

__all__ = ["AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
           "update_bn"]


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay=0.999):
    """For `multi_avg_fn`: an average in which a model's weight falls by `decay` at every update.

    >>> import weft
    >>> net = weft.nn.Linear(1, 1, bias=False)
    >>> average = weft.optim.swa_utils.get_ema_multi_avg_fn(0.5)
    >>> averaged = weft.optim.swa_utils.AveragedModel(net, multi_avg_fn=average)
    >>> for value in (1.0, 3.0):
    ...     _ = weft.nn.init.constant_(net.weight, value)
    ...     averaged.update_parameters(net)
    >>> averaged.module.weight.item()
    2.0
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        if ema_param_list[0].is_floating_point() or ema_param_list[0].is_complex():
            FOREACH["_foreach_lerp_"](ema_param_list, current_param_list, 1 - decay)
        else:
            for mean, now in zip(ema_param_list, current_param_list):
                mean.copy_(mean * decay + now * (1 - decay))
    return ema_update


def get_swa_multi_avg_fn():
    """For `multi_avg_fn`: the mean of all models.

    >>> import weft
    >>> net = weft.nn.Linear(1, 1, bias=False)
    >>> average = weft.optim.swa_utils.get_swa_multi_avg_fn()
    >>> averaged = weft.optim.swa_utils.AveragedModel(net, multi_avg_fn=average)
    >>> for value in (1.0, 3.0):
    ...     _ = weft.nn.init.constant_(net.weight, value)
    ...     averaged.update_parameters(net)
    >>> averaged.module.weight.item()
    2.0
    """
    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        if averaged_param_list[0].is_floating_point() or averaged_param_list[0].is_complex():
            FOREACH["_foreach_lerp_"](averaged_param_list, current_param_list, number(1 / (num_averaged + 1)))
        else:
            for mean, now in zip(averaged_param_list, current_param_list):
                mean.add_((now - mean).div(num_averaged + 1, rounding_mode="trunc"))
    return swa_update


def get_ema_avg_fn(decay=0.999):
    """For `avg_fn`: an average in which a model's weight falls by `decay` at every update.

    >>> import weft
    >>> weft.optim.swa_utils.get_ema_avg_fn()(weft.tensor(1.0), weft.tensor(3.0), weft.tensor(1))
    tensor(1.0020)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param
    return ema_update


def get_swa_avg_fn():
    """For `avg_fn`: the mean of all models.

    >>> import weft
    >>> weft.optim.swa_utils.get_swa_avg_fn()(weft.tensor(1.0), weft.tensor(3.0), weft.tensor(1))
    tensor(2.)
    """
    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)
    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are the average of those that `update_parameters` was given.

    `avg_fn(mean, now, n)` returns the next mean of one parameter, `multi_avg_fn(means, nows, n)` writes those of a
    list; without them it is the plain mean. With `use_buffers` buffers are averaged too, else copied.

    >>> import weft
    >>> model = weft.nn.Linear(2, 1)
    >>> average = weft.optim.swa_utils.AveragedModel(model)
    >>> average.update_parameters(model)
    >>> average(weft.ones(3, 2)).shape
    torch.Size([3, 1])
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """What the averaged model gives.

        >>> import weft
        >>> net = weft.nn.Linear(2, 1)
        >>> averaged = weft.optim.swa_utils.AveragedModel(net)
        >>> averaged(weft.ones(3, 2)).shape
        torch.Size([3, 1])
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Take a model's present parameters into the average.

        >>> import weft
        >>> net = weft.nn.Linear(1, 1, bias=False)
        >>> averaged = weft.optim.swa_utils.AveragedModel(net)
        >>> for value in (1.0, 3.0):
        ...     _ = weft.nn.init.constant_(net.weight, value)
        ...     averaged.update_parameters(net)
        >>> averaged.module.weight.item()
        2.0
        """
        means, nows = self._pairs(model)
        copies = [] if self.use_buffers else list(zip(self.module.buffers(), model.buffers()))
        n = self.n_averaged
        with no_grad():
            if n == 0:
                copies += zip(means, nows)
            elif self.multi_avg_fn is not None:
                for dtype in dict.fromkeys(mean.dtype for mean in means):
                    chosen = [i for i, mean in enumerate(means) if mean.dtype == dtype]
                    self.multi_avg_fn([means[i] for i in chosen], [nows[i] for i in chosen], n)
            else:
                update = self.avg_fn or get_swa_avg_fn()
                for mean, now in zip(means, nows):
                    mean.copy_(update(mean, now, n))
            for mean, now in copies:
                mean.detach().copy_(now.detach())
        self.n_averaged += 1

    def _pairs(self, model):
        """The averages and what goes into them, without history; refused if they don't belong together."""
        def all_of(module):
            return chain(module.parameters(), module.buffers()) if self.use_buffers else module.parameters()
        means, nows = [m.detach() for m in all_of(self.module)], [p.detach() for p in all_of(model)]
        if [m.shape for m in means] != [p.shape for p in nows]:
            raise ValueError(f"the model's parameters ({len(nows)}) are not those of the model that is averaged "
                             f"({len(means)}), or not of their "
                             "shapes\n  fix: make a new AveragedModel after editing the model")
        return means, nows


@no_grad()
def update_bn(loader, model, device=None):
    """Compute the statistics of all batch norms anew, from one pass over the loader (of inputs, or of lists that begin
    with the input).

    >>> import weft
    >>> model = weft.nn.BatchNorm1d(2)
    >>> weft.optim.swa_utils.update_bn([weft.ones(4, 2)], model)
    >>> model.running_mean
    tensor([1., 1.])
    """
    norms = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not norms:
        return
    momenta, training = [norm.momentum for norm in norms], model.training
    model.train()
    try:
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None        # a plain mean over all batches
        for batch in loader:
            if isinstance(batch, (list, tuple)):
                batch = batch[0]
            model(batch if device is None else batch.to(device))
    finally:
        for norm, momentum in zip(norms, momenta):
            norm.momentum = momentum
        model.train(training)


class SWALR(LRScheduler):
    """From the present rate to `swa_lr` in `anneal_epochs` steps, and constant then.

    >>> import weft
    >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = weft.optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_epochs=1)
    >>> optimizer.step()
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        swa_lrs = for_groups("swa_lr", optimizer, swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, lr in zip(optimizer.param_groups, swa_lrs):
            group["swa_lr"] = lr
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How much of the way is done at part t of the time.

        >>> import weft
        >>> optimizer = weft.optim.SGD([weft.ones(1, requires_grad=True)], lr=1.0)
        >>> schedule = weft.optim.swa_utils.SWALR(optimizer, swa_lr=0.1, anneal_strategy="linear")
        >>> schedule.anneal_func(0.5)
        0.5
        """
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def _part(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._part(step - 1), self._part(step)
        found = []
        for group in self.optimizer.param_groups:
            lr, goal = group["lr"], group["swa_lr"]
            # where the rate would be without this schedule
            start = goal if before == 1 else (lr - before * goal) / (1 - before)
            found.append(goal * now + start * (1 - now))
        return found

    def _take_up(self, groups):
        for group in groups:
            group.setdefault("swa_lr", self.optimizer.param_groups[0]["swa_lr"])
        super()._take_up(groups)
