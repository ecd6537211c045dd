"""torch.distributed.checkpoint.filesystem: PyTorch's place for a checkpoint's folder."""
from weft.distributed.saving.files import FileSystemReader as FileSystemReader
from weft.distributed.saving.files import FileSystemWriter as FileSystemWriter
