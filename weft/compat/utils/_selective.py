"""Checkpoints that keep some results: torch.utils.checkpoint.create_selective_checkpoint_contexts."""
import collections
import enum

from weft._ops import OpOverload, OpOverloadPacket
from weft.core.errors import fail
from weft.tensor.tensor import Tensor
from weft.utils._python_dispatch import TorchDispatchMode

__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]


class CheckpointPolicy(enum.Enum):
    """What becomes of an op's result in a checkpoint: kept, or computed again. PREFER leaves it to a compiler, and is
    followed here.

    >>> import weft
    >>> weft.utils.checkpoint.CheckpointPolicy.MUST_SAVE.value
    0
    """
    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


_SAVING = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """What a policy is told besides the op: `is_recompute`, False, since it is asked in the forward only.

    >>> import weft
    >>> weft.utils.checkpoint.SelectiveCheckpointContext(is_recompute=False).is_recompute
    False
    """

    def __init__(self, *, is_recompute):
        self.is_recompute = is_recompute


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """Two contexts for `checkpoint(..., context_fn=...)`, by which the results of some ops are kept. A list names the
    ops (`torch.ops.aten.mm.default`); a function policy(context, op, *args, **kwargs) gives a CheckpointPolicy.

    A kept result that is written to afterwards is an error, unless `allow_cache_entry_mutation`.

    >>> import functools, weft
    >>> from weft.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
    >>> keep_products = functools.partial(create_selective_checkpoint_contexts, [weft.ops.aten.mm.default])
    >>> w, x = weft.full((2, 2), 0.5, requires_grad=True), weft.ones(2, 2)
    >>> checkpoint(lambda x: weft.mm(x, w).exp().sum(), x, use_reentrant=False, context_fn=keep_products).backward()
    >>> w.grad
    tensor([[5.4366, 5.4366],
            [5.4366, 5.4366]])
    """
    kept = collections.defaultdict(collections.deque)
    return _Keeping(_policy(policy_fn_or_list), kept), _Kept(kept, allow_cache_entry_mutation)


def _policy(given):
    if callable(given):
        return given
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"policy_fn_or_list must be either a function or a list of ops. (got {type(given).__name__})")
    for op in given:
        if isinstance(op, OpOverloadPacket) and not isinstance(op, OpOverload):
            fail(ValueError, f"{op} has several overloads",
                 "update the OpOverloadPacket to a specific OpOverload, like torch.ops.aten.sin.default")
        if not isinstance(op, OpOverload):
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op).__name__}.")
    chosen = frozenset(given)
    return lambda context, op, *args, **kwargs: op in chosen


class _Keeping(TorchDispatchMode):
    """The forward: each op's result is noted, or None where it is to be computed again."""

    def __init__(self, policy, kept):
        self.policy, self.kept = policy, kept

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        choice = self.policy(SelectiveCheckpointContext(is_recompute=False), func, *args, **kwargs)
        found = func(*args, **kwargs)
        self.kept[func.name()].append(_Entry(found) if choice in _SAVING else None)
        return found


class _Entry:
    """A kept result, with its tensors' versions."""

    def __init__(self, found):
        self.many = isinstance(found, (tuple, list))
        self.found = [t.detach() if isinstance(t, Tensor) else t for t in (found if self.many else [found])]
        self.versions = [t._version if isinstance(t, Tensor) else None for t in self.found]

    def result(self, may_be_written, name):
        now = [t._version if isinstance(t, Tensor) else None for t in self.found]
        if now != self.versions and not may_be_written:
            fail(RuntimeError, f"a result of {name} that a selective checkpoint keeps has been mutated",
                 "don't write to it in place, or give allow_cache_entry_mutation=True")
        return tuple(self.found) if self.many else self.found[0]


class _Kept(TorchDispatchMode):
    """The second run: what was kept is taken in the same order, once."""

    def __init__(self, kept, may_be_written):
        self.kept, self.may_be_written = kept, may_be_written

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        entries = self.kept.get(func.name())
        if entries is None:
            fail(RuntimeError, f"{func} encountered during the second run of a checkpoint, but not found in storage: "
                 f"the first run didn't call it", "let the function do the same each time")
        if not entries:
            fail(RuntimeError, f"{func} encountered with an invocation index that was not found in storage: this is "
                 f"trying to backward an extra time through a selective checkpoint, or its second run calls the op "
                 f"more often", "call backward once; let the function do the same each time")
        entry = entries.popleft()
        if entry is None:
            return func(*args, **(kwargs or {}))
        if func.op.random not in (-1, None):        # later ones draw what they drew the first time
            func(*args, **(kwargs or {}))
        return entry.result(self.may_be_written, func)
