"""torch.distributed.tensor._utils: where parts of a DTensor lie; there is no DTensor."""
from weft._absent import absent_functions

absent_functions("compute_global_tensor_info compute_local_shape compute_local_shape_and_global_offset", globals(),
                 "layers have parts: torch.distributed.tensor.parallel.parallelize_module")
