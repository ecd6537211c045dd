"""Options of saving and loading, in the place where PyTorch has them."""
from weft.core.errors import fail

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class DefaultSavePlanner:
    """How to save. The state is always flattened, and what all ranks have alike is written once.

    >>> from weft.distributed.checkpoint import DefaultSavePlanner
    >>> DefaultSavePlanner().flatten_state_dict
    True
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, dedup_replicated_tensors=None,
                 dedup_save_to_lowest_rank=False, enable_plan_caching=False):
        if not flatten_state_dict:
            fail(NotImplementedError, "DefaultSavePlanner(flatten_state_dict=False)", "leave it out")
        self.flatten_state_dict = True


class DefaultLoadPlanner:
    """How to load. allow_partial_load: what the checkpoint lacks stays as it is; else it is an error.

    >>> from weft.distributed.checkpoint import DefaultLoadPlanner
    >>> DefaultLoadPlanner(allow_partial_load=True).allow_partial_load
    True
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        if not flatten_state_dict:
            fail(NotImplementedError, "DefaultLoadPlanner(flatten_state_dict=False)", "leave it out")
        self.flatten_state_dict, self.allow_partial_load = True, allow_partial_load


def default_planner(planner, kind):
    """The planner to use; one of a program's own would want PyTorch's plans, which weft doesn't have."""
    if planner is None:
        return kind()
    if type(planner) is not kind:
        fail(NotImplementedError, f"checkpoint: a planner of the class {type(planner).__name__}", f"{kind.__name__}()")
    return planner
