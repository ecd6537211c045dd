"""torch.nn.parallel.replicate: copies of a module for threads that run side by side."""
# made by tools/stubs.py
from collections.abc import Iterable
from typing import Any

def replicate(network: Any, devices: Iterable[Any], detach: bool = False) -> list[Any]: ...
def replica_of(network: Any, own_buffers: Any, detach: Any) -> Any: ...
