"""PyTorch's place for the hook that exchanges nothing."""
from weft.distributed.comm_hooks import noop_hook as noop_hook
