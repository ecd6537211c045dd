"""torch._functorch.config: switches of a compiler, to be set and read. They change nothing."""
from weft._switches import settings as _settings

donated_buffer = enable_autograd_cache = treat_parameters_as_free_to_save = True
functionalize_rng_ops = False
activation_memory_budget = 1.0
patch = _settings(globals())
