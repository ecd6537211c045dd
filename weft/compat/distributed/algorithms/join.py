"""Training with uneven inputs on several processes: DistributedDataParallel has it."""
from weft._absent import absent_classes

absent_classes("Join Joinable JoinHook", globals(), "with model.join(): ..., of DistributedDataParallel")
