"""torch._dynamo.config: switches of a compiler, to be set and read. Nothing is compiled, so they change nothing."""
from weft._switches import settings as _settings

suppress_errors = verbose = assume_static_by_default = fail_on_recompile_limit_hit = False
automatic_dynamic_shapes = specialize_float = capture_scalar_outputs = capture_dynamic_output_shape_ops = False
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
compiled_autograd = error_on_recompile = allow_rnn = specialize_int = only_allow_pt2_compliant_ops = disable = False
enable_compiler_collectives = allow_unspec_int_on_nn_module = use_numpy_random_stream = verify_correctness = False
force_parameter_static_shapes = force_nn_module_property_static_shapes = guard_nn_modules = optimize_ddp = True
inline_inbuilt_nn_modules = skip_nnmodule_hook_guards = capture_func_transforms = report_guard_failures = True
error_on_nested_fx_trace = error_on_nested_jit_trace = trace_numpy = fake_tensor_cache_enabled = True
capture_autograd_function = rewrite_assert_with_torch_assert = enable_cpp_guard_manager = True
numpy_default_float, numpy_default_complex, numpy_default_int = "float64", "complex128", "int64"
minimum_call_count = 1
cprofile = caching_precompile = nested_graph_breaks = allow_empty_graphs = allow_ignore_mark_dynamic = False
raise_on_ctx_manager_usage = enable_trace_contextlib = enable_trace_unittest = do_not_emit_runtime_asserts = False
prefer_deferred_runtime_asserts_over_guards = skip_tensor_guards_with_matching_dict_tags = install_free_tensors = False
use_graph_deduplication = graph_break_on_nn_param_ctor = cudagraph_backend_support_input_mutation = False
dynamic_shapes = skip_code_recursive_on_recompile_limit_hit = fail_on_cache_limit_hit = dead_code_elimination = False
ignore_logger_methods, reorderable_logging_functions, traceable_tensor_subclasses = set(), set(), set()
log_level, repro_after, repro_level, debug_dir_root, compiled_autograd_kwargs_override = None, None, 2, ".", {}
patch = _settings(globals())
