"""torch._inductor.config: switches of a compiler, to be set and read. Nothing is compiled, so they change nothing."""
from types import SimpleNamespace as _Namespace

from weft._switches import settings as _settings

coordinate_descent_tuning = fx_graph_cache = max_autotune = max_autotune_gemm = epilogue_fusion = debug = False
force_fuse_int_mm_with_mul = use_mixed_mm = freezing = cpp_wrapper = shape_padding = conv_1x1_as_mm = False
fallback_random = reorder_for_compute_comm_overlap = aggressive_fusion = benchmark_kernel = split_reductions = False
coordinate_descent_check_all_directions = force_disable_caches = graph_partition = emulate_precision_casts = False
layout_optimization = inplace_buffers = pattern_matcher = fx_graph_remote_cache = False
compile_threads, max_autotune_gemm_backends, max_autotune_pointwise = 1, "ATEN", False
triton = _Namespace(cudagraphs=False, cudagraph_trees=False, unique_kernel_names=False, autotune_at_compile_time=None)
cpp, cuda = _Namespace(threads=-1, simdlen=None, enable_floating_point_contract_flag="off"), _Namespace()
trace, aot_inductor = _Namespace(enabled=False, graph_diagram=False), _Namespace()
patch = _settings(globals())
