"""torch.jit.annotations: names for annotations that TorchScript understands."""
from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: F401, UP035  (what PyTorch has here)


class _Lists:
    """BroadcastingList2[int]: a list, or one value for all of it."""

    def __getitem__(self, kind):
        return kind | list[kind]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList = _Lists()
