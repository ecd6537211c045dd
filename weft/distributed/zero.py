"""ZeroRedundancyOptimizer: every rank keeps the optimizer's state of its share of the parameters only."""
from weft.core.modes import enable_grad, no_grad
from weft.distributed import objects
from weft.distributed.data_parallel import spread
from weft.distributed.groups import GroupMember, ProcessGroup, group_or_world
from weft.optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer that updates this rank's share of the parameters and gets the others' from their ranks; gradients
    must be the same on all ranks, as DistributedDataParallel makes them. Its whole state, after
    `consolidate_state_dict`, loads into any number of ranks, and into the plain optimizer.

    >>> import weft
    >>> net = weft.nn.Linear(2, 1)
    >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer(net.parameters(), weft.optim.Adam, lr=0.1)
    >>> net(weft.ones(1, 2)).sum().backward()
    >>> optimizer.step()
    """

    def __init__(self, params, optimizer_class, process_group=None, parameters_as_bucket_view=False,
                 overlap_with_ddp=False, **defaults):
        if overlap_with_ddp:
            raise NotImplementedError("weft has no ZeroRedundancyOptimizer(overlap_with_ddp=True)\n  fix: leave it out")
        whole = optimizer_class(params, **defaults)         # makes groups with all their settings; no state yet
        groups = [dict(group) for group in whole.param_groups]
        super().__init__(groups, whole.defaults)
        self._class, self._given, self._whole = optimizer_class, defaults, None
        alone = process_group is None and GroupMember.WORLD is None
        self.process_group = ProcessGroup() if alone else group_or_world(process_group)
        self._share_out()

    def _share_out(self):
        """Who keeps which: the largest go first, to the rank that has least so far."""
        loads = [0] * self.process_group.size()
        self._owners = {}
        every = [p for group in self.param_groups for p in group["params"]]
        for p in sorted(every, key=lambda p: -p.numel()):
            rank = loads.index(min(loads))
            self._owners[p] = rank
            loads[rank] += p.numel()
        own = self.process_group.rank()
        shares = [{**group, "params": [p for p in group["params"] if self._owners[p] == own]}
                  for group in self.param_groups]
        self._numbers = [i for i, share in enumerate(shares) if share["params"]]
        shares = [shares[i] for i in self._numbers]
        self.optim = self._class(shares, **self._given) if shares else None

    def add_param_group(self, param_group):
        """Add a group of parameters.

        >>> import weft
        >>> p, q = weft.nn.Parameter(weft.ones(1)), weft.nn.Parameter(weft.ones(2))
        >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer([p], weft.optim.SGD, lr=0.1)
        >>> optimizer.add_param_group({"params": [q], "lr": 0.2})
        >>> len(optimizer.param_groups)
        2
        """
        super().add_param_group(param_group)
        if not hasattr(self, "_owners"):
            return          # they are shared out at the end of __init__
        state = self.optim.state if self.optim is not None else {}
        before = dict(state)
        owners = dict(self._owners)
        self._share_out()
        if any(self._owners[p] != owner for p, owner in owners.items()) and before:
            raise RuntimeError("ZeroRedundancyOptimizer: a group was added after the first step, which moves "
                               "parameters to other ranks\n  fix: add all groups before the first step")
        if self.optim is not None:
            self.optim.state.update(before)

    def step(self, closure=None, **kwargs):
        """Update this rank's parameters, and get the others'.

        >>> import weft
        >>> p = weft.nn.Parameter(weft.ones(1))
        >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer([p], weft.optim.SGD, lr=0.1)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([0.9000])
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._whole = None
        if self.optim is not None:
            for number, group in zip(self._numbers, self.optim.param_groups):
                group.update({k: v for k, v in self.param_groups[number].items() if k != "params"})
            self.optim.step(**kwargs)
        if self.process_group.size() > 1:
            for rank in range(self.process_group.size()):
                owned = [p for p, owner in self._owners.items() if owner == rank]
                if owned:
                    spread(owned, self.process_group, rank)
        return loss

    def _order(self):
        return [p for group in self.param_groups for p in group["params"]]

    def consolidate_state_dict(self, to=0):
        """Bring the whole state to rank `to`, where `state_dict` then has it. All ranks call it.

        >>> import weft
        >>> p = weft.nn.Parameter(weft.ones(1))
        >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer([p], weft.optim.SGD, lr=0.1)
        >>> optimizer.consolidate_state_dict()
        """
        own = {} if self.optim is None else {i: self.optim.state[p] for i, p in enumerate(self._order())
                                             if p in self.optim.state}
        every = [None] * self.process_group.size()
        objects.all_gather_object(every, own, self.process_group) if len(every) > 1 else every.__setitem__(0, own)
        if self.process_group.ranks[self.process_group.rank()] == to:
            self._whole = {i: state for part in every for i, state in part.items()}

    def state_dict(self):
        """The whole state, as the plain optimizer has it; on the rank to which it was brought.

        >>> import weft
        >>> p = weft.nn.Parameter(weft.ones(1))
        >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer([p], weft.optim.SGD, lr=0.1)
        >>> optimizer.consolidate_state_dict()
        >>> optimizer.state_dict()["param_groups"][0]["params"]
        [0]
        """
        if self._whole is None:
            raise RuntimeError("Optimizer state has not been consolidated on this rank.\n  fix: call "
                               "consolidate_state_dict(to=rank) on all ranks first")
        made = super().state_dict()
        made["state"] = dict(sorted(self._whole.items()))
        return made

    def load_state_dict(self, state_dict):
        """Take a whole state, of any number of ranks or of the plain optimizer; each rank keeps its share.

        >>> import weft
        >>> p = weft.nn.Parameter(weft.ones(1))
        >>> optimizer = weft.distributed.optim.ZeroRedundancyOptimizer([p], weft.optim.SGD, lr=0.1)
        >>> optimizer.load_state_dict(weft.optim.SGD([p], lr=0.2).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.2
        """
        super().load_state_dict({**state_dict, "state": {}})
        self._whole = None
        if self.optim is None:
            return
        numbers = {p: i for i, p in enumerate(self._order())}
        local, state = self.optim.state_dict(), {}
        own = [p for group in self.optim.param_groups for p in group["params"]]
        for i, p in enumerate(own):
            if numbers[p] in state_dict["state"]:
                state[i] = state_dict["state"][numbers[p]]
        with no_grad():
            self.optim.load_state_dict({**local, "state": state})
