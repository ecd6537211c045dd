"""torch.distributed.checkpoint.hf_storage: checkpoints as safetensors files."""
from weft._absent import absent_classes as _classes

_classes("HuggingFaceStorageReader HuggingFaceStorageWriter QuantizedHuggingFaceStorageReader", globals(),
         "FileSystemWriter and FileSystemReader; save_pretrained of the whole model writes safetensors")
