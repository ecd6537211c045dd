"""torch._inductor.config: switches of a compiler, to be set and read. Nothing is compiled, so they change nothing."""
from types import SimpleNamespace as _Namespace

from weft._switches import settings as _settings

coordinate_descent_tuning = fx_graph_cache = max_autotune = max_autotune_gemm = epilogue_fusion = debug = False
force_fuse_int_mm_with_mul = use_mixed_mm = freezing = False
triton, cpp, cuda = _Namespace(), _Namespace(), _Namespace()
patch = _settings(globals())
