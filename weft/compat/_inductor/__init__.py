"""torch._inductor: PyTorch's compiler, which weft doesn't have; its switches can be set."""
from weft._absent import absent_functions as _functions
from weft._inductor import config as config

_functions("aot_compile compile", globals(), "run the function as it is: it gives the same results")
