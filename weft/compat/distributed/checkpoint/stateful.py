"""torch.distributed.checkpoint.stateful: what saves and loads itself."""
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """An object that `save` and `load` ask for its state."""

    def state_dict(self) -> dict[str, Any]:
        """What to save."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what was saved."""
        ...
