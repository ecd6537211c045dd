"""torch.distributed.fsdp.sharded_grad_scaler: scaling the loss of models in float16."""
from weft._absent import absent_classes as _classes

_classes("ShardedGradScaler", globals(), "train in float32 or bfloat16, which need no scaling")
