"""PyTorch's place for hooks that send gradients as they are or in half the bytes."""
from weft.distributed.comm_hooks import allreduce_hook as allreduce_hook
from weft.distributed.comm_hooks import bf16_compress_hook as bf16_compress_hook
from weft.distributed.comm_hooks import bf16_compress_wrapper as bf16_compress_wrapper
from weft.distributed.comm_hooks import fp16_compress_hook as fp16_compress_hook
from weft.distributed.comm_hooks import fp16_compress_wrapper as fp16_compress_wrapper
