"""torch._dynamo.config: switches of a compiler, to be set and read. Nothing is compiled, so they change nothing."""
from weft._switches import settings as _settings

suppress_errors = verbose = assume_static_by_default = fail_on_recompile_limit_hit = False
automatic_dynamic_shapes = specialize_float = capture_scalar_outputs = capture_dynamic_output_shape_ops = False
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
patch = _settings(globals())
