"""Checkpoints that keep some results: torch.utils.checkpoint.create_selective_checkpoint_contexts."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any

class CheckpointPolicy(Enum):
    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3

class SelectiveCheckpointContext:
    is_recompute: Any
    def __init__(self, *, is_recompute: Any) -> None: ...

def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> Any: ...
