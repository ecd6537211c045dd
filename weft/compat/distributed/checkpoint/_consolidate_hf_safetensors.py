"""Joining the safetensors files of several ranks."""
from weft._absent import absent_functions as _functions

_functions("consolidate_safetensors_files consolidate_safetensors_files_on_every_rank", globals(),
           "torch.distributed.checkpoint.format_utils.dcp_to_torch_save(folder, file)")
