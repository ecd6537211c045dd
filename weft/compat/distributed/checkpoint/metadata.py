"""torch.distributed.checkpoint.metadata: PyTorch's classes of what is where; weft's is a dict of plain data."""
from typing import Any

from weft.distributed.checkpoint import BytesStorageMetadata as BytesStorageMetadata
from weft.distributed.checkpoint import ChunkStorageMetadata as ChunkStorageMetadata
from weft.distributed.checkpoint import Metadata as Metadata
from weft.distributed.checkpoint import TensorStorageMetadata as TensorStorageMetadata

STATE_DICT_TYPE = dict[str, Any]
