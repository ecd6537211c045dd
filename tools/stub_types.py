"""The types that a body or a default can't say: the one place where they are written by hand. `stubs.py` reads it.

A type is Python text. Names of typing, of collections.abc and of ALIASES may be used; the stub imports them.
"""

# weft/_typing.pyi, which all the other stubs import from; it has no module at run time
ALIASES = {
    "Number": "int | float | complex",
    "TensorLike": "Tensor | Number",
    "Ints": "int | Sequence[int]",
    "Floats": "float | Sequence[float]",
    "Dim": "int | Sequence[int] | None",
    "DType": "dtype",
    "Device": "device | str | int",
    "Layout": "layout",
    "MemoryFormat": "memory_format",
    "Tensors": "tuple[Tensor, ...] | list[Tensor]",
    "Nested": "Sequence[Any]",
    "Index": "int | slice | Tensor | np.ndarray[Any, Any] | Sequence[Any] | EllipsisType | bool | None "
             "| tuple[Any, ...]",
    "Array": "np.ndarray[Any, Any]",
    "Path": "str | os.PathLike[str]",
    "File": "str | os.PathLike[str] | IO[bytes]",
    "Params": "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]",
    "Closure": "Callable[[], Any]",
    "Hook": "Callable[..., Any]",
    "StateDict": "Mapping[str, Any]",
    "Reduction": "Literal['none', 'mean', 'sum']",
    "Grads": "Tensor | Sequence[Tensor | None]",
}

# where a name in a type comes from
HOMES = {
    **dict.fromkeys(("Any", "Callable", "ClassVar", "Generic", "IO", "Literal", "NamedTuple", "TypeVar", "overload"),
                    "typing"),
    **dict.fromkeys(("Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence", "Hashable", "Generator_",
                     "Sized"), "collections.abc"),
    **dict.fromkeys(("Self", "ParamSpec"), "typing_extensions"),
    **dict.fromkeys(("AbstractContextManager",), "contextlib"),
    **dict.fromkeys(("OrderedDict", "defaultdict"), "collections"),
    **dict.fromkeys(("TracebackType", "ModuleType", "EllipsisType"), "types"),
    **dict.fromkeys(ALIASES, "weft._typing"),
    "Tensor": "weft.tensor.tensor", "Size": "weft.core.size", "dtype": "weft.core.dtype",
    "device": "weft.core.device", "layout": "weft.core.layout", "memory_format": "weft.core.layout",
    "Module": "weft.nn.module", "Parameter": "weft.nn.parameter", "Generator": "weft.ops.random.draws",
    "Optimizer": "weft.optim.optimizer", "RemovableHandle": "weft.autograd.graph", "Node": "weft.autograd.graph",
    "Dataset": "weft.utils.data.dataset", "Sampler": "weft.utils.data.sampler",
    "PackedSequence": "weft.nn.utils.rnn", "Distribution": "weft.distributions.distribution",
    "Constraint": "weft.distributions.constraints", "Transform": "weft.distributions.transforms",
    "UntypedStorage": "weft.tensor.storage", "TypedStorage": "weft.tensor.storage",
    "FunctionCtx": "weft.autograd.function", "LRScheduler": "weft.optim.lr_scheduler.base",
    "Graph": "weft.viz.graph", "IncompatibleKeys": "weft.nn.module_loading",
    "EventList": "weft.profiler.events", "Summary": "weft.profiler.summary",
}

# parameters by name, where the body or the default doesn't say; the longest prefix of the place wins
PARAMETERS = {
    "": {
        "dim": "int", "dims": "Ints", "axis": "int", "keepdim": "bool", "dtype": "DType", "device": "Device",
        "layout": "Layout", "memory_format": "MemoryFormat", "generator": "Generator", "size": "Ints",
        "input": "Tensor", "other": "Tensor", "x": "Tensor", "y": "Tensor", "tensor": "Tensor", "mask": "Tensor",
        "target": "Tensor", "weight": "Tensor", "bias": "Tensor", "index": "Tensor", "indices": "Tensor",
        "src": "Tensor", "source": "Tensor", "values": "Tensor", "grid": "Tensor", "grad": "Tensor",
        "A": "Tensor", "B": "Tensor", "LU": "Tensor", "LU_data": "Tensor", "LU_pivots": "Tensor", "pivots": "Tensor",
        "LD": "Tensor", "M": "Tensor", "X": "Tensor", "iK": "Tensor", "tau": "Tensor", "input1": "Tensor",
        "input2": "Tensor", "input3": "Tensor", "x1": "Tensor", "x2": "Tensor", "vec1": "Tensor", "vec2": "Tensor",
        "vec": "Tensor", "mat": "Tensor", "mat1": "Tensor", "mat2": "Tensor", "batch1": "Tensor",
        "batch2": "Tensor", "tensor1": "Tensor", "tensor2": "Tensor", "anchor": "Tensor", "positive": "Tensor",
        "negative": "Tensor", "running_mean": "Tensor", "running_var": "Tensor", "query": "Tensor", "key": "Tensor",
        "attn_mask": "Tensor", "key_padding_mask": "Tensor", "log_probs": "Tensor", "targets": "Tensor",
        "offsets": "Tensor", "per_sample_weights": "Tensor", "pos_weight": "Tensor", "theta": "Tensor",
        "logits": "Tensor", "in_proj_weight": "Tensor", "in_proj_bias": "Tensor", "bias_k": "Tensor",
        "bias_v": "Tensor", "out_proj_weight": "Tensor", "out_proj_bias": "Tensor", "q_proj_weight": "Tensor",
        "k_proj_weight": "Tensor", "v_proj_weight": "Tensor", "static_k": "Tensor", "static_v": "Tensor",
        "sorted_sequence": "Tensor", "boundaries": "Tensor", "sorter": "Tensor", "weights": "Tensor",
        "fweights": "Tensor", "aweights": "Tensor", "prepend": "Tensor", "append": "Tensor", "window": "Tensor",
        "input_mask": "Tensor", "other_mask": "Tensor", "condition": "Tensor", "_random_samples": "Tensor",
        "w_ih": "Tensor", "w_hh": "Tensor", "b_ih": "Tensor", "b_hh": "Tensor", "hx": "Tensor", "var": "TensorLike",
        "elements": "TensorLike", "test_elements": "TensorLike", "input_lengths": "Tensor | Sequence[int]",
        "target_lengths": "Tensor | Sequence[int]", "linear_weight": "Tensor", "linear_bias": "Tensor",
        "a": "Tensor", "b": "Tensor", "abs": "Tensor", "angle": "Tensor", "real": "Tensor", "imag": "Tensor",
        "tensors": "Tensors", "mean": "float", "std": "float", "alpha": "Number", "beta": "Number",
        "value": "TensorLike", "exponent": "TensorLike", "min": "TensorLike", "max": "TensorLike",
        "fill_value": "Number", "n": "int", "N": "int", "C": "int", "HxW": "int", "group": "int", "k": "int",
        "q": "Tensor | float", "p": "float", "ord": "int | float | str", "norm": "str", "s": "Sequence[int]",
        "lambd": "float", "eps": "float", "rtol": "float", "atol": "float", "rcond": "Tensor | float",
        "tol": "Tensor | float", "hermitian": "bool", "correction": "int | float", "unbiased": "bool",
        "bins": "int | Tensor | Sequence[int]", "range": "Sequence[float]", "density": "bool",
        "stride": "Ints", "padding": "Ints | str", "dilation": "Ints", "kernel_size": "Ints", "output_padding": "Ints",
        "output_size": "Ints", "groups": "int", "ceil_mode": "bool", "return_indices": "bool", "offset": "int",
        "dim0": "int", "dim1": "int", "dim2": "int", "dimension": "int", "step": "int", "start": "int", "end": "int",
        "length": "int", "storage_offset": "int", "shape": "Ints", "sizes": "Sequence[int]", "normalized_shape": "Ints",
        "split_size": "Ints", "split_sizes": "Sequence[int]", "split_size_or_sections": "Ints",
        "indices_or_sections": "Ints", "tensor_indices_or_sections": "Ints | Tensor", "sections": "int",
        "chunks": "int", "repeats": "Tensor | Ints", "shifts": "Ints", "pad": "Sequence[int]", "mode": "str",
        "interpolation": "str", "side": "str", "reduce": "str", "reduction": "str", "size_average": "bool",
        "padding_mode": "str", "padding_idx": "int", "max_norm": "float", "norm_type": "float", "maxnorm": "float",
        "scale_factor": "Floats", "align_corners": "bool", "recompute_scale_factor": "bool", "margin": "float",
        "num_samples": "int", "num_classes": "int", "num_heads": "int", "embed_dim_to_check": "int",
        "add_zero_attn": "bool", "dropout_p": "float", "scale": "float", "upscale_factor": "int",
        "downscale_factor": "int", "num_groups": "int", "destination": "Ints", "threshold": "float",
        "negative_slope": "float", "rounding_mode": "str", "nan": "float", "posinf": "float", "neginf": "float",
        "momentum": "float", "training": "bool", "train": "bool", "n_fft": "int", "hop_length": "int",
        "win_length": "int", "onesided": "bool", "return_complex": "bool", "align_to_window": "bool",
        "transposed": "bool", "use_input_stats": "bool", "divisor_override": "int", "output_ratio": "Floats",
        "row": "int", "col": "int", "indexing": "str", "spacing": "Floats | Tensors", "driver": "str",
        "equation": "str", "operands": "Tensor", "distance_function": "Callable[[Tensor, Tensor], Tensor]",
        "ignore_index": "int", "label_smoothing": "float", "interpolation_mode": "int", "dx": "float",
        "low": "float", "high": "float", "fmin": "float", "upper": "bool", "left": "bool", "some": "bool",
        "largest": "bool", "sorted": "bool", "method": "str", "niter": "int", "tracker": "Callable[..., Any]",
        "ortho_iparams": "dict[str, Any]", "ortho_fparams": "dict[str, Any]", "ortho_bparams": "dict[str, Any]",
        "count": "Tensor", "prob": "Tensor", "total": "Tensor", "bits": "int", "from_": "int", "to": "int",
        "num": "int", "requires_grad": "bool", "pin_memory": "bool", "non_blocking": "bool", "copy": "bool",
        "out": "Tensor", "names": "Sequence[str]", "data": "Any", "obj": "Any", "name": "str", "path": "Path",
        "seed": "int", "new_state": "Tensor", "enabled": "bool", "masked_grad": "bool", "inplace": "bool",
        "func": "Callable[..., Any]", "fn": "Callable[..., Any]", "function": "Callable[..., Any]",
        "callable": "Callable[..., Any]", "hook": "Hook", "optimizer": "Optimizer", "model": "Module",
        "module": "Module", "f": "File", "closure": "Closure", "state_dict": "StateDict", "loss": "Tensor",
        "retain_graph": "bool", "create_graph": "bool", "gradient": "Tensor", "steps": "int", "base": "float",
        "profile": "str", "threshold_": "int", "edgeitems": "int", "linewidth": "int", "precision": "int",
        "sci_mode": "bool", "sym": "bool", "periodic": "bool", "window_length": "int", "std_": "float", "m": "int",
        "buffer": "Any", "filename": "Path", "shared": "bool", "like": "Tensor", "sample_shape": "Sequence[int]",
        "high_": "int", "file": "Path", "filename_": "Path", "message": "str", "msg": "str", "rank": "int", "d": "device | str",
        "t": "type | str", "world_size": "int", "backend": "str", "async_op": "bool", "tensor_": "Tensor",
        "prefix": "str", "recurse": "bool", "inputs": "Any", "outputs": "Any", "has_aux": "bool",
        "type": "type", "exc_type": "type[BaseException] | None", "exc_value": "BaseException | None",
        "traceback": "TracebackType | None", "epoch": "int", "dataset": "Dataset[Any]", "title": "str",
        "b_": "bool", "check": "bool", "sparse": "bool", "timeout": "float", "device_type": "str", "tag": "str",
        "walltime": "float", "global_step": "int", "limit": "int", "width": "int", "real_": "bool",
        "normalized": "bool", "r": "int", "ind": "int", "some_": "bool", "minlength": "int", "sigma": "float",
        "median": "float", "increasing": "bool", "compute_mode": "str", "callback": "Callable[..., Any]",
        "precision_": "str", "num_threads": "int", "blank": "int", "warn_only": "bool", "edge_order": "int",
        "approximate": "str", "strict": "bool", "text": "str", "shape_": "Sequence[int]", "batch_shape": "Sequence[int]",
        "event_shape": "Sequence[int]", "validate_args": "bool", "storage": "UntypedStorage | TypedStorage",
    },
    "weft.nn": {
        "in_features": "int", "out_features": "int", "in1_features": "int", "in2_features": "int", "bias": "bool",
        "in_channels": "int", "out_channels": "int", "num_features": "int", "num_channels": "int", "embed_dim": "int",
        "kdim": "int", "vdim": "int", "d_model": "int", "nhead": "int", "dim_feedforward": "int", "dropout": "float",
        "input_size": "int", "hidden_size": "int", "num_layers": "int", "num_embeddings": "int",
        "embedding_dim": "int", "hidden_size_": "int", "num_parameters": "int", "init": "float", "proj_size": "int",
        "momentum": "float | None", "output_size": "Ints | tuple[int | None, ...]", "padding": "Ints",
        "kernel_size": "Ints", "unflattened_size": "Sequence[int]", "num_chunks": "int", "modules": "Iterable[Module]",
        "parameters": "Iterable[Tensor] | Tensor", "values": "Iterable[Any]", "layers": "Any", "n_classes": "int",
        "cutoffs": "Sequence[int]", "div_value": "float", "head_bias": "bool", "lower": "float", "upper": "float",
        "size": "Ints", "weight": "Tensor", "pos_weight": "Tensor", "state": "Any", "tensor": "Tensor",
        "activation": "str | Callable[[Tensor], Tensor]", "nonlinearity": "str", "reduce": "bool", "h_0": "Tensor",
        "encoder_layer": "Module", "decoder_layer": "Module", "norm": "Module", "custom_encoder": "Module",
        "custom_decoder": "Module", "memory": "Tensor", "tgt": "Tensor", "src": "Tensor", "src_mask": "Tensor",
        "tgt_mask": "Tensor", "memory_mask": "Tensor", "src_key_padding_mask": "Tensor",
        "tgt_key_padding_mask": "Tensor", "memory_key_padding_mask": "Tensor", "mask": "Tensor", "src_is_causal": "bool",
        "tgt_is_causal": "bool", "memory_is_causal": "bool", "average_attn_weights": "bool", "value": "Tensor",
        "vocab_size": "int", "max_len": "int", "p": "float", "target": "Tensor", "log_probs": "Tensor",
        "distance_function": "Callable[[Tensor, Tensor], Tensor]", "input": "Tensor", "input1": "Tensor",
        "input2": "Tensor", "anchor": "Tensor", "positive": "Tensor", "negative": "Tensor", "var": "Tensor",
        "_weight": "Tensor", "embeddings": "Tensor", "freeze": "bool", "amount": "int | float", "n": "int | float | str",
        "importance_scores": "Tensor", "sequences": "Sequence[Tensor]", "sequence": "PackedSequence",
        "lengths": "Tensor | Sequence[int]", "batch_first": "bool", "padding_value": "float", "total_length": "int",
        "enforce_sorted": "bool", "tensor_name": "str", "parametrization": "Module", "unsafe": "bool",
        "leave_parametrized": "bool", "max_norm": "float", "clip_value": "float", "norm_type": "float",
        "error_if_nonfinite": "bool", "foreach": "bool", "grads": "Iterable[Tensor] | Tensor", "vec": "Tensor",
        "conv": "Module", "bn": "Module", "linear": "Module", "n_power_iterations": "int", "orthogonal_map": "str",
        "use_trivialization": "bool", "name": "str", "dim": "int", "scale_factor": "Floats", "total_norm": "Tensor",
        "persistent": "bool", "param": "Parameter", "remove_duplicate": "bool", "memo": "set[Module]", "default": "Any",
        "device_ids": "Sequence[Any]", "output_device": "Device", "data": "Tensor", "keys": "Iterable[str]",
        "input_shape": "Sequence[int]", "options": "dict[str, Any]", "args": "Any", "a": "float", "b": "float",
        "gain": "float", "fan": "float", "negative_slope": "float", "shape": "Sequence[int]", "tgt_len": "int",
        "stride": "Ints", "is_causal": "bool", "batch_sizes": "Tensor", "sorted_indices": "Tensor",
        "unsorted_indices": "Tensor", "pruning_method": "Any", "new_size": "int", "sample": "Any", "std": "float",
        "mean": "float", "output_ratio": "Floats", "normalized_shape": "Ints", "target_": "Tensor", "x1": "Tensor",
        "x2": "Tensor", "weight_fake_quant": "Any", "train": "bool", "mode": "bool", "key": "str",
        "destination": "dict[str, Any]", "keep_vars": "bool", "assign": "bool", "padding_idx": "int | None",
        "hx": "Tensor", "scale_grad_by_freq": "bool", "dst_type": "DType | str", "grad_output": "Tensor",
        "divisor_override": "int", "num_heads": "int", "add_bias_kv": "bool", "val": "float", "sparsity": "float",
    },
    "weft.nn.modules.embedding": {"mode": "str", "norm_type": "float"},
    "weft.nn.modules.shaping": {"mode": "str"},
    "weft.nn.modules.rnn": {"mode": "str"},
    "weft.nn.modules.padding": {"padding": "Ints"},
    "weft.nn.modules.conv": {"padding": "Ints | str"},
    "weft.nn.modules.lazy": {"padding": "Ints | str"},
    "weft.nn.modules.adaptive": {"target": "Tensor"},
    "weft.nn.grad": {"padding": "Ints", "bias": "Tensor", "input_size": "Sequence[int]", "weight_size": "Sequence[int]"},
    "weft.nn.init": {"mode": "str", "val": "float"},
    "weft.nn.functional": {},
    "weft.nn.attention": {"backends": "Any"},
    "weft.nn.parameter": {"shape": "Sequence[int] | None"},
    "weft.nn.utils.convert_parameters": {"parameters": "Iterable[Tensor]"},
    "weft.nn.utils.prune": {"parameters": "Iterable[tuple[Module, str]]", "mask": "Tensor", "t": "Tensor",
                            "default_mask": "Tensor", "method": "Any"},
    "weft.optim": {
        "params": "Params", "lr": "float | Tensor", "betas": "tuple[float | Tensor, float | Tensor]",
        "weight_decay": "float", "maximize": "bool", "foreach": "bool", "capturable": "bool", "fused": "bool",
        "differentiable": "bool", "amsgrad": "bool", "momentum": "float", "dampening": "float", "nesterov": "bool",
        "rho": "float", "eps": "float", "lr_decay": "float", "initial_accumulator_value": "float", "lambd": "float",
        "alpha": "float", "t0": "float", "etas": "tuple[float, float]", "step_sizes": "tuple[float, float]",
        "max_iter": "int", "max_eval": "int", "tolerance_grad": "float", "tolerance_change": "float",
        "history_size": "int", "line_search_fn": "str", "momentum_decay": "float", "decoupled_weight_decay": "bool",
        "beta2_decay": "float", "d": "float", "defaults": "dict[str, Any]", "param_group": "dict[str, Any]",
        "ns_coefficients": "tuple[float, float, float]", "ns_steps": "int", "adjust_lr_fn": "str", "centered": "bool",
        "model": "Module", "device": "Device", "avg_fn": "Callable[[Tensor, Tensor, Tensor | int], Tensor]",
        "multi_avg_fn": "Callable[..., None]", "use_buffers": "bool", "swa_lr": "Floats", "anneal_epochs": "int",
        "anneal_strategy": "str", "decay": "float", "loader": "Iterable[Any]", "set_to_none": "bool",
        "last_epoch": "int", "T_max": "int", "eta_min": "float", "T_0": "int", "T_mult": "int", "gamma": "float",
        "step_size": "int", "milestones": "Sequence[int]", "factor": "float", "total_iters": "int",
        "start_factor": "float", "end_factor": "float", "power": "float", "lr_lambda":
            "Callable[[int], float] | Sequence[Callable[[int], float]]", "base_lr": "Floats", "max_lr": "Floats",
        "step_size_up": "int", "step_size_down": "int", "scale_fn": "Callable[[float], float]", "scale_mode": "str",
        "base_momentum": "Floats", "max_momentum": "Floats", "total_steps": "int", "epochs": "int",
        "steps_per_epoch": "int", "pct_start": "float", "div_factor": "float", "final_div_factor": "float",
        "three_phase": "bool", "patience": "int", "threshold_mode": "str", "cooldown": "int", "min_lr": "Floats",
        "metrics": "Any", "schedulers": "Sequence[LRScheduler]", "mode": "str", "step": "int", "threshold": "float",
    },
    "weft.optim.swa_utils": {"args": "Any", "kwargs": "Any"},
    "weft.distributions": {
        "loc": "TensorLike", "scale": "TensorLike", "low": "TensorLike", "high": "TensorLike", "rate": "TensorLike",
        "df": "TensorLike", "concentration": "TensorLike", "concentration0": "TensorLike",
        "concentration1": "TensorLike", "probs": "TensorLike", "logits": "TensorLike",
        "total_count": "Tensor | int", "temperature": "TensorLike", "value": "Tensor", "df1": "TensorLike",
        "df2": "TensorLike", "covariance_matrix": "Tensor", "precision_matrix": "Tensor", "scale_tril": "Tensor",
        "batch_shape": "Sequence[int]", "event_shape": "Sequence[int]", "sample_shape": "Sequence[int]",
        "expand": "bool", "n": "int", "base_distribution": "Distribution", "base_dist": "Distribution",
        "reinterpreted_batch_ndims": "int", "transforms": "Transform | list[Transform]", "p": "Distribution",
        "q": "Distribution", "x": "Tensor", "y": "Tensor", "cache_size": "int", "parts": "list[Transform]",
        "base_transform": "Transform", "in_shape": "Sequence[int]", "out_shape": "Sequence[int]",
        "exponent": "TensorLike", "shape": "Sequence[int]", "type_p": "type[Distribution]",
        "type_q": "type[Distribution]", "event_dim": "int", "alpha": "TensorLike", "constraint": "Constraint",
        "base_constraint": "Constraint", "lower_bound": "TensorLike", "upper_bound": "TensorLike", "_instance": "Any",
        "mixture_distribution": "Distribution", "component_distribution": "Distribution", "is_discrete": "bool",
        "tensor": "Tensor", "is_binary": "bool", "dim": "int", "lengths": "Sequence[int]", "cseq": "Sequence[Constraint]",
        "tseq": "Sequence[Transform]", "upper": "bool", "diagonal": "bool",
    },
    "weft.utils.data": {
        "batch_size": "int", "num_workers": "int", "drop_last": "bool", "shuffle": "bool", "timeout": "float",
        "prefetch_factor": "int", "persistent_workers": "bool", "pin_memory_device": "str", "in_order": "bool",
        "workers": "Literal['processes', 'threads']", "collate_fn": "Callable[[list[Any]], Any]",
        "worker_init_fn": "Callable[[int], None]", "multiprocessing_context": "Any", "sampler": "Iterable[Any]",
        "batch_sampler": "Iterable[Sequence[Any]]", "data_source": "Sized", "replacement": "bool",
        "num_samples": "int", "indices": "Sequence[int]", "weights": "Sequence[float] | Tensor", "num_replicas": "int",
        "lengths": "Sequence[int | float]", "datasets": "Iterable[Dataset[Any]]", "batch": "list[Any]", "data": "Any",
        "collate_fn_map": "dict[Any, Callable[..., Any]]", "index": "int", "sequence": "Iterable[int]",
    },
    "weft.utils.tensorboard": {
        "log_dir": "Path", "comment": "str", "purge_step": "int", "max_queue": "int", "flush_secs": "float",
        "filename_suffix": "str", "scalar_value": "TensorLike", "main_tag": "str",
        "tag_scalar_dict": "Mapping[str, TensorLike]", "values": "Tensor | Array", "bins": "str | int | Sequence[float]",
        "max_bins": "int", "img_tensor": "Tensor | Array", "dataformats": "str", "vid_tensor": "Tensor | Array",
        "fps": "float", "snd_tensor": "Tensor | Array", "sample_rate": "int", "text_string": "str",
        "input_to_model": "Any", "verbose": "bool", "mat": "Tensor | Array", "metadata": "Sequence[Any]",
        "label_img": "Tensor", "metadata_header": "Sequence[str]", "labels": "Tensor | Array",
        "predictions": "Tensor | Array", "num_thresholds": "int", "weights": "Tensor | Array", "figure": "Any",
        "close": "bool", "hparam_dict": "Mapping[str, Any]", "metric_dict": "Mapping[str, Any]", "run_name": "str",
        "hparam_domain_discrete": "Mapping[str, Sequence[Any]]", "layout": "dict[str, Any]", "new_style": "bool",
        "double_precision": "bool", "box_tensor": "Tensor | Array", "vertices": "Tensor", "colors": "Tensor",
        "faces": "Tensor", "config_dict": "dict[str, Any]", "csv": "bool | Path", "jsonl": "bool | Path",
        "rescale": "float", "display_name": "str", "summary_description": "str", "tags": "Sequence[str]",
        "category": "str", "min": "float", "max": "float", "num": "int", "sum": "float", "sum_squares": "float",
        "bucket_limits": "Sequence[float]", "bucket_counts": "Sequence[int]", "prototxt": "Path",
        "true_positive_counts": "Sequence[int]", "false_positive_counts": "Sequence[int]",
        "true_negative_counts": "Sequence[int]", "false_negative_counts": "Sequence[int]",
        "precision": "Sequence[float]", "recall": "Sequence[float]", "use_strict_trace": "bool", "model": "Any",
    },
    "weft.utils.checkpoint": {
        "function": "Callable[..., Any]", "functions": "Module | Sequence[Callable[..., Any]]", "segments": "int",
        "input": "Any", "use_reentrant": "bool", "preserve_rng_state": "bool", "determinism_check": "str",
        "context_fn": "Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]", "debug": "bool",
        "early_stop": "bool", "enable": "bool",
    },
    "weft.autograd": {
        "tensors": "Tensor | Sequence[Tensor]", "grad_tensors": "Tensor | Sequence[Tensor | None]",
        "inputs": "Tensor | Sequence[Tensor]", "outputs": "Tensor | Sequence[Tensor]", "grad_outputs": "Grads",
        "allow_unused": "bool", "only_inputs": "bool", "is_grads_batched": "bool", "materialize_grads": "bool",
        "grad_variables": "Any", "v": "Tensor | Sequence[Tensor]", "vectorize": "bool", "strict": "bool",
        "strategy": "str", "outer_jacobian_strategy": "str", "args": "Tensor", "check_nan": "bool",
        "nondet_tol": "float", "raise_exception": "bool", "check_sparse_nnz": "bool", "fast_mode": "bool",
        "masked": "bool", "check_undefined_grad": "bool", "check_grad_dtypes": "bool", "check_batched_grad": "bool",
        "check_batched_forward_grad": "bool", "check_forward_ad": "bool", "check_backward_ad": "bool",
        "gen_non_contig_grad_outputs": "bool", "ctx": "FunctionCtx", "value": "Any", "mode": "bool",
        "pack_hook": "Callable[[Tensor], Any]", "unpack_hook": "Callable[[Any], Tensor]",
        "target_mode": "str", "wait": "bool", "info": "Any", "inputs_": "Any",
    },
    "weft.autograd.graph_api": {"mode": "str", "tensors": "Sequence[Tensor]"},
    "weft.func": {
        "argnums": "int | tuple[int, ...]", "in_dims": "Any", "out_dims": "Any", "randomness": "str",
        "chunk_size": "int", "primals": "Any", "tangents": "Any", "parameter_and_buffer_dicts": "Any",
        "args": "Any", "kwargs": "Mapping[str, Any]", "tie_weights": "bool", "root": "Module", "models": "Sequence[Module]",
        "inpt": "Any", "inpt_": "Any", "jac_fwd": "bool",
    },
    "weft.testing": {
        "actual": "Any", "expected": "Any", "allow_subclasses": "bool", "equal_nan": "bool", "check_device": "bool",
        "check_dtype": "bool", "check_layout": "bool", "check_stride": "bool",
        "msg": "str | Callable[[str], str]", "shape": "int | Sequence[int]", "low": "float", "high": "float",
        "noncontiguous": "bool", "exclude_zero": "bool",
    },
    "weft.amp": {"init_scale": "float", "growth_factor": "float", "backoff_factor": "float", "growth_interval": "int",
                 "new_scale": "float | Tensor", "outputs": "Any", "new_factor": "float", "new_interval": "int",
                 "cache_enabled": "bool", "cast_inputs": "DType", "fwd": "Callable[..., Any]",
                 "bwd": "Callable[..., Any]", "device": "str"},
    "weft.io": {"map_location": "Device | Callable[..., Any] | dict[str, str]", "pickle_module": "Any",
                "weights_only": "bool", "mmap": "bool", "pickle_protocol": "int",
                "_use_new_zipfile_serialization": "bool", "obj": "Any", "tensors": "Mapping[str, Tensor]",
                "metadata": "Mapping[str, str]", "data": "bytes", "filename": "Path"},
    "weft.profiler": {
        "activities": "Iterable[Any]", "schedule": "Callable[[int], Any]",
        "on_trace_ready": "Callable[[Any], Any]", "record_shapes": "bool", "profile_memory": "bool",
        "with_stack": "bool", "with_flops": "bool", "with_modules": "bool", "sort_by": "str", "row_limit": "int",
        "wait": "int", "warmup": "int", "active": "int", "repeat": "int", "skip_first": "int",
        "group_by_input_shape": "bool", "group_by_stack_n": "int", "metric": "str", "dir_name": "Path",
        "worker_name": "str", "use_gzip": "bool", "key": "str", "value": "Any", "acc_events": "bool", "use_cuda": "bool",
        "header": "str", "time_unit": "str", "args": "str", "input_size": "Any", "input_data": "Any",
        "max_src_column_width": "int", "max_name_column_width": "int", "max_shapes_column_width": "int",
        "top_level_events_only": "bool", "group_by_input_shapes": "bool", "device_index": "int",
    },
    "weft.viz": {"module": "str", "limit": "int", "other": "Graph", "what": "Any", "inputs": "Any", "values": "bool",
                 "depth": "int", "port": "int", "live": "bool", "every": "int", "keep": "int", "pattern": "str",
                 "kind": "str", "root": "Any", "named": "Any", "params": "Any", "open": "bool", "theme": "str"},
    "weft.inspect": {"model": "Module", "loss": "Any", "inputs": "Any"},
    "weft.distributed": {"tensor": "Tensor", "tensor_list": "list[Tensor]", "gather_list": "list[Tensor]",
                         "scatter_list": "list[Tensor]", "object_list": "list[Any]", "obj": "Any", "src": "int",
                         "dst": "int", "group": "Any", "op": "Any", "init_method": "str", "store": "Any",
                         "group_name": "str"},
    "weft.vision": {"root": "Path", "train": "bool", "transform": "Callable[[Any], Any]",
                    "target_transform": "Callable[[Any], Any]", "download": "bool", "index": "int"},
    "weft.signal": {"M": "int", "a": "Sequence[float]", "std": "float", "center": "float", "tau": "float",
                    "alpha": "float", "beta": "float"},
    "weft.overrides": {"relevant_args": "Iterable[Any]", "public_api": "Callable[..., Any]", "args": "Any",
                       "kwargs": "Any", "inp": "Any", "tensor_like": "Any"},
    "weft.core": {"to": "dtype", "from_": "dtype", "type": "dtype", "d": "dtype", "mode": "bool", "shapes": "Sequence[int]"},
    "weft.core.random": {"state": "Any", "device": "Device"},
    "weft.tensor.storage": {"tensor": "Tensor", "src": "Any"},
    "weft.masked": {"dim": "Dim"},
}

# parameters of single functions and methods: "place.parameter"
PLACES = {
    "sum.dim": "Dim", "mean.dim": "Dim", "nansum.dim": "Dim", "nanmean.dim": "Dim", "prod.dim": "int", "std.dim": "Dim",
    "var.dim": "Dim", "std_mean.dim": "Dim", "var_mean.dim": "Dim", "amax.dim": "Dim", "amin.dim": "Dim",
    "aminmax.dim": "Dim", "logsumexp.dim": "Ints", "norm.dim": "Dim", "all.dim": "Dim", "any.dim": "Dim",
    "count_nonzero.dim": "Dim", "squeeze.dim": "Ints", "linalg.norm.dim": "Dim", "linalg.vector_norm.dim": "Dim",
    "linalg.matrix_norm.dim": "Ints", "fft.fftshift.dim": "Dim", "fft.ifftshift.dim": "Dim", "flip.dims": "Ints",
    "roll.dims": "Dim", "tensordot.dims": "int | Sequence[Sequence[int]]", "special.logsumexp.dim": "Ints",
    **{f"fft.{name}.dim": "Dim" for name in ("fftn ifftn rfftn irfftn hfftn ihfftn fft2 ifft2 rfft2 irfft2 hfft2 "
                                              "ihfft2").split()},
    "linalg.tensorinv.ind": "int", "linalg.tensorsolve.dims": "Dim", "linalg.vecdot.dim": "int",
    "select.index": "int", "select_copy.index": "int", "select_scatter.index": "int", "index_put.indices": "Sequence[Tensor | None]",
    "narrow.start": "int | Tensor", "unravel_index.shape": "Ints", "one_hot.num_classes": "int",
    "lerp.weight": "TensorLike", "norm.p": "float | str", "matrix_power.n": "int", "linalg.matrix_power.n": "int",
    "where.input": "TensorLike", "where.other": "TensorLike", "histc.min": "float", "histc.max": "float",
    "clamp.min": "TensorLike", "clamp.max": "TensorLike", "hardtanh.min_val": "float", "masked_fill.value": "TensorLike",
    "addcmul.value": "Number", "addcdiv.value": "Number", "renorm.p": "float", "dist.p": "float", "unique.dim": "int",
    "nn.functional.embedding.input": "Tensor", "nn.functional.pad.value": "float", "nn.functional.pad.mode": "str",
    "constant_pad_nd.value": "Number", "nn.functional.threshold.value": "float", "threshold.value": "Number",
    "diff.prepend": "Tensor", "gradient.dim": "Dim", "trapezoid.x": "Tensor", "cumulative_trapezoid.x": "Tensor",
    "meshgrid.tensors": "Tensor", "polygamma.n": "int", "special.polygamma.n": "int", "binomial.count": "Tensor",
    "fft.fftfreq.d": "float", "fft.rfftfreq.d": "float", "to.dtype": "DType", "to.device": "Device",
    "tensor_split.indices_or_sections": "Ints | Tensor", "quantile.q": "Tensor | float", "nanquantile.q": "Tensor | float",
    "stft.window": "Tensor", "istft.window": "Tensor", "nn.functional.multi_head_attention_forward.value": "Tensor",
    "nn.functional.scaled_dot_product_attention.value": "Tensor", "masked_scatter.source": "Tensor",
    "scatter.src": "Tensor", "scatter.value": "Number", "index_fill.value": "TensorLike", "heaviside.values": "Tensor",
    "movedim.source": "Ints", "moveaxis.source": "Ints", "cdist.p": "float", "nn.functional.normalize.dim": "int",
    "bucketize.input": "TensorLike", "searchsorted.input": "TensorLike", "isin.elements": "TensorLike",
    "full_like.fill_value": "Number", "full.fill_value": "Number", "linalg.cond.p": "int | float | str",
    "repeat_interleave.repeats": "Tensor | int", "repeat_interleave.output_size": "int", "cov.correction": "int",
    "nn.functional.fold.output_size": "Ints", "vander.N": "int", "linalg.lstsq.rcond": "float",
    "nn.functional.gumbel_softmax.tau": "float", "gumbel_softmax.tau": "float", "fill.value": "TensorLike",
    "random.from_": "int", "uniform.low": "float", "arange.start": "Number", "arange.end": "Number",
    "arange.step": "Number", "range.start": "Number", "range.end": "Number", "range.step": "Number",
    "linspace.start": "TensorLike", "linspace.end": "TensorLike", "logspace.start": "TensorLike",
    "logspace.end": "TensorLike", "randint.low": "int", "randint.high": "int", "randint_like.low": "int | Tensor",
    "randint_like.high": "int", "normal.mean": "Tensor | float", "normal.std": "Tensor | float",
    "block_diag.tensors": "Tensor", "cartesian_prod.tensors": "Tensor", "broadcast_tensors.tensors": "Tensor",
    "atleast_1d.tensors": "Tensor", "align_tensors.tensors": "Tensor", "einsum.operands": "Any", "einsum.equation": "str",
    "chain_matmul.matrices": "Tensor", "linalg.multi_dot.tensors": "Sequence[Tensor]", "bernoulli.p": "Tensor | float",
    "equal.other": "Tensor", "embedding.weight": "Tensor", "nn.functional.embedding.weight": "Tensor",
    "nn.functional.interpolate.size": "Ints", "nn.functional.lp_pool1d.kernel_size": "int", "mvlgamma.p": "int",
    "special.multigammaln.p": "int", "combinations.r": "int", "set_default_tensor_type.t": "type | str",
    "set_default_device.device": "Device | None", "set_flush_denormal.mode": "bool", "tensor.data": "Any",
    "use_deterministic_algorithms.mode": "bool", "set_deterministic_debug_mode.debug_mode": "int | str",
    "set_float32_matmul_precision.precision": "str", "set_num_threads.n": "int", "result_type.tensor1": "TensorLike",
    "result_type.tensor2": "TensorLike", "can_cast.from_": "DType", "can_cast.to": "DType", "is_tensor.obj": "Any",
    "frombuffer.count": "int", "tril_indices.row": "int", "from_file.size": "int", "map_.callable": "Callable[..., Any]",
    "empty_strided.size": "Sequence[int]", "empty_strided.stride": "Sequence[int]", "polar.abs": "Tensor",
    "set_printoptions.threshold": "int", "set_printoptions.profile": "str", "promote_types.type1": "DType",
    "promote_types.type2": "DType", "manual_seed.seed": "int", "set_default_dtype.d": "DType",
    "set_grad_enabled.mode": "bool", "inference_mode.mode": "bool", "broadcast_shapes.shapes": "Ints",
    "unflatten.sizes": "Sequence[int]", "Tensor.numpy.force": "bool", "index_add.alpha": "Number", "pow.input": "TensorLike",
    "float_power.input": "TensorLike", "bitwise_left_shift.input": "TensorLike", "triu_indices.row": "int",
    "sum_to_size.size": "Ints", "nn.functional.layer_norm.normalized_shape": "Sequence[int]", "xlogy.input": "TensorLike",
    "hsplit.indices_or_sections": "Ints", "diagonal.offset": "int", "kaiser_window.beta": "float",
    "hamming_window.alpha": "float", "hamming_window.beta": "float", "as_strided.size": "Sequence[int]",
    "as_strided.stride": "Sequence[int]", "from_numpy.ndarray": "Array", "from_dlpack.ext_tensor": "Any",
    "complex.real": "Tensor", "scalar_tensor.s": "Number", "set_num_interop_threads.n": "int",
    "sparse_coo_tensor.indices": "Any", "parametrize.x": "Tensor", "nn.functional.one_hot.input": "Tensor",
    "typename.obj": "Any", "get_default_device.d": "Any", "poisson.input": "Tensor", "set_warn_always.b": "bool",
    "compiled_with_cxx11_abi.x": "Any", "dropout.p": "float", "nn.functional.dropout.p": "float",
    "nn.functional.conv1d.padding": "Ints | str", "nn.functional.adaptive_avg_pool2d.output_size": "Ints | tuple[int | None, ...]",
}

# what functions and methods return, where their code doesn't say; the longest prefix of the place wins
RETURNS = {
    "": {
        "forward": "Tensor", "extra_repr": "str", "numel": "int", "nelement": "int", "dim": "int", "ndimension": "int",
        "state_dict": "dict[str, Any]", "load_state_dict": "None", "__len__": "int", "__contains__": "bool",
        "__str__": "str", "__repr__": "str", "__dir__": "list[str]", "__bool__": "bool", "__hash__": "int",
        "__enter__": "Self", "__exit__": "None", "__setitem__": "None", "__delitem__": "None", "__init__": "None",
        "element_size": "int", "data_ptr": "int", "storage_offset": "int", "is_available": "bool", "close": "None",
        "device_count": "int", "reset_parameters": "None", "__int__": "int", "__float__": "float", "__index__": "int",
        "__eq__": "bool", "__ne__": "bool", "tolist": "Any", "flush": "None", "get_rank": "int", "get_world_size": "int",
        "__setattr__": "None", "__delattr__": "None",
    },
    "weft.nn.init": {"calculate_gain": "float"},
    "weft.optim": {"get_lr": "list[float]", "get_last_lr": "list[float]", "step": "Any", "__init__": "None"},
    "weft.optim.lr_scheduler": {"step": "None", "get_lr": "list[float]", "get_last_lr": "list[float]",
                                "print_lr": "None"},
    "weft.optim.swa_utils": {"update_bn": "None", "get_ema_multi_avg_fn": "Callable[..., None]",
                             "get_swa_multi_avg_fn": "Callable[..., None]", "get_ema_avg_fn": "Callable[..., Tensor]",
                             "get_swa_avg_fn": "Callable[..., Tensor]"},
    "weft.distributions": {
        "mean": "Tensor", "mode": "Tensor", "variance": "Tensor", "stddev": "Tensor", "sample": "Tensor",
        "rsample": "Tensor", "log_prob": "Tensor", "cdf": "Tensor", "icdf": "Tensor", "entropy": "Tensor",
        "perplexity": "Tensor", "enumerate_support": "Tensor", "sample_n": "Tensor", "expand": "Self",
        "batch_shape": "Size", "event_shape": "Size", "param_shape": "Size", "support": "Constraint",
        "arg_constraints": "dict[str, Constraint]", "has_rsample": "bool", "has_enumerate_support": "bool",
        "probs": "Tensor", "logits": "Tensor", "loc": "Tensor", "scale": "Tensor", "df": "Tensor",
        "concentration0": "Tensor", "concentration1": "Tensor", "scale_tril": "Tensor",
        "covariance_matrix": "Tensor", "precision_matrix": "Tensor", "check": "Tensor", "event_dim": "int",
        "is_discrete": "bool", "with_cache": "Transform", "forward_shape": "Size", "inverse_shape": "Size",
        "log_abs_det_jacobian": "Tensor", "domain": "Constraint", "codomain": "Constraint", "bijective": "bool",
        "sign": "Any", "inv": "Transform", "kl_divergence": "Tensor", "mixture_distribution": "Distribution",
        "component_distribution": "Distribution", "__call__": "Tensor", "set_default_validate_args": "None",
        "mean_": "Tensor", "temperature": "Tensor", "register_kl": "Callable[..., Any]",
        "probs_to_logits": "Tensor", "logits_to_probs": "Tensor", "clamp_probs": "Tensor", "forward": "Tensor",
        "broadcast_all": "tuple[Tensor, ...]",
    },
    "weft.signal": {},
    "weft.autograd": {"backward": "None"},
    "weft.utils.tensorboard": {"get_logdir": "str", "add_scalar": "None", "log_dir": "str"},
    "weft.profiler": {"__enter__": "Self", "step": "None", "start": "None", "stop": "None", "table": "str",
                      "export_chrome_trace": "None", "export_stacks": "None", "key_averages": "EventList"},
    "weft.core.modes": {"clone": "Self"},
    "weft.viz": {"to_dict": "dict[str, Any]", "svg": "str"},
}

_IN_NN = "weft.nn.modules."
_FORWARD2 = "(self, input: Tensor, target: Tensor) -> Tensor"

# whole signatures of functions and methods: "module.Class.method"; a list is a list of overloads
SIGNATURES = {
    # Module
    "weft.nn.module.Module.__init__": "(self, *args: Any, **kwargs: Any) -> None",
    "weft.nn.module.Module.get_submodule": "(self, target: str) -> Module",
    "weft.nn.module.Module.set_submodule": "(self, target: str, module: Module, strict: bool = False) -> None",
    "weft.nn.module.Module.delete_submodule": "(self, target: str) -> bool",
    "weft.nn.module.Module.get_parameter": "(self, target: str) -> Parameter",
    "weft.nn.module.Module.get_buffer": "(self, target: str) -> Tensor",
    "weft.nn.module.Module.named_modules": "(self, memo: set[Module] | None = None, prefix: str = '', "
                                           "remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]",
    "weft.nn.module.Module.modules": "(self, remove_duplicate: bool = True) -> Iterator[Module]",
    "weft.nn.module.Module.named_children": "(self) -> Iterator[tuple[str, Module]]",
    "weft.nn.module.Module.children": "(self) -> Iterator[Module]",
    "weft.nn.module.Module.named_parameters": "(self, prefix: str = '', recurse: bool = True, "
                                              "remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]",
    "weft.nn.module.Module.parameters": "(self, recurse: bool = True) -> Iterator[Parameter]",
    "weft.nn.module.Module.named_buffers": "(self, prefix: str = '', recurse: bool = True, "
                                           "remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]",
    "weft.nn.module.Module.buffers": "(self, recurse: bool = True) -> Iterator[Tensor]",
    "weft.nn.module.Module.register_parameter": "(self, name: str, param: Parameter | None) -> None",
    "weft.nn.module.Module.register_buffer": "(self, name: str, tensor: Tensor | None, persistent: bool = True) "
                                             "-> None",
    "weft.nn.module.Module.add_module": "(self, name: str, module: Module | None) -> None",
    "weft.nn.module.Module.register_module": "(self, name: str, module: Module | None) -> None",
    "weft.nn.module.Module.train": "(self, mode: bool = True) -> Self",
    "weft.nn.module.Module.eval": "(self) -> Self",
    "weft.nn.module.Module.requires_grad_": "(self, requires_grad: bool = True) -> Self",
    "weft.nn.module.Module.zero_grad": "(self, set_to_none: bool = True) -> None",
    "weft.nn.module.Module.share_memory": "(self) -> Self",
    "weft.nn.module.Module.apply": "(self, fn: Callable[[Module], Any]) -> Self",
    "weft.nn.module.Module.to": "(self, *args: Any, **kwargs: Any) -> Self",
    "weft.nn.module.Module.to_empty": "(self, *, device: Device | None, recurse: bool = True) -> Self",
    "weft.nn.module.Module.type": "(self, dst_type: DType | str) -> Self",
    "weft.nn.module.Module.cuda": "(self, device: Device | None = None) -> Self",
    **{f"weft.nn.module.Module.{name}": "(self) -> Self" for name in
       ("float", "double", "half", "bfloat16", "cpu")},
    "weft.nn.module.Module.state_dict": "(self, *args: Any, destination: dict[str, Any] | None = None, "
                                        "prefix: str = '', keep_vars: bool = False) -> dict[str, Any]",
    "weft.nn.module.Module.load_state_dict": "(self, state_dict: StateDict, strict: bool = True, "
                                             "assign: bool = False) -> Any",
    "weft.nn.module.Module.__getattr__": "(self, name: str) -> Any",
    **{f"weft.nn.module.Module.register_{name}": "(self, hook: Hook, prepend: bool = False) -> RemovableHandle"
       for name in ("full_backward_pre_hook", "full_backward_hook")},
    "weft.nn.module.Module.register_backward_hook": "(self, hook: Hook) -> RemovableHandle",
    # containers
    _IN_NN + "container.Sequential.__init__": ["(self, *args: Module) -> None",
                                               "(self, arg: OrderedDict[str, Module]) -> None"],
    _IN_NN + "container.Sequential.forward": "(self, input: Any) -> Any",
    _IN_NN + "container.Sequential.append": "(self, module: Module) -> Self",
    _IN_NN + "container.Sequential.extend": "(self, sequential: Iterable[Module]) -> Self",
    _IN_NN + "container.Sequential.insert": "(self, index: int, module: Module) -> Self",
    _IN_NN + "container.Sequential.pop": "(self, key: int | slice) -> Module",
    **{_IN_NN + f"container.{name}.__iter__": "(self) -> Iterator[Module]" for name in ("Sequential", "ModuleList")},
    **{_IN_NN + f"container.{name}.__getitem__": ["(self, idx: int) -> Module", "(self, idx: slice) -> Self"]
       for name in ("Sequential", "ModuleList")},
    **{_IN_NN + f"container.{name}.__setitem__": "(self, idx: int, module: Module) -> None"
       for name in ("Sequential", "ModuleList")},
    **{_IN_NN + f"container.{name}.__delitem__": "(self, idx: int | slice) -> None"
       for name in ("Sequential", "ModuleList")},
    _IN_NN + "container.Sequential.__add__": "(self, other: Iterable[Module]) -> Sequential",
    _IN_NN + "container.Sequential.__iadd__": "(self, other: Iterable[Module]) -> Self",
    _IN_NN + "container.Sequential.__mul__": "(self, other: int) -> Sequential",
    _IN_NN + "container.Sequential.__rmul__": "(self, other: int) -> Sequential",
    _IN_NN + "container.Sequential.__imul__": "(self, other: int) -> Self",
    _IN_NN + "container.ModuleList.__init__": "(self, modules: Iterable[Module] | None = None) -> None",
    _IN_NN + "container.ModuleList.append": "(self, module: Module) -> Self",
    _IN_NN + "container.ModuleList.extend": "(self, modules: Iterable[Module]) -> Self",
    _IN_NN + "container.ModuleList.insert": "(self, index: int, module: Module) -> None",
    _IN_NN + "container.ModuleList.pop": "(self, key: int | slice) -> Module",
    _IN_NN + "container.ModuleList.__add__": "(self, other: Iterable[Module]) -> ModuleList",
    _IN_NN + "container.ModuleList.__iadd__": "(self, modules: Iterable[Module]) -> Self",
    _IN_NN + "container.ModuleDict.__init__":
        "(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None",
    _IN_NN + "container.ModuleDict.update":
        "(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None",
    _IN_NN + "container.ModuleDict.__getitem__": "(self, key: str) -> Module",
    _IN_NN + "container.ModuleDict.__setitem__": "(self, key: str, module: Module) -> None",
    _IN_NN + "container.ModuleDict.__delitem__": "(self, key: str) -> None",
    _IN_NN + "container.ModuleDict.__iter__": "(self) -> Iterator[str]",
    _IN_NN + "container.ModuleDict.__contains__": "(self, key: object) -> bool",
    _IN_NN + "container.ModuleDict.pop": "(self, key: str) -> Module",
    _IN_NN + "container.ModuleDict.clear": "(self) -> None",
    _IN_NN + "container.ModuleDict.keys": "(self) -> Iterable[str]",
    _IN_NN + "container.ModuleDict.values": "(self) -> Iterable[Module]",
    _IN_NN + "container.ModuleDict.items": "(self) -> Iterable[tuple[str, Module]]",
    _IN_NN + "container.ParameterList.__init__": "(self, values: Iterable[Any] | None = None) -> None",
    _IN_NN + "container.ParameterList.__getitem__": ["(self, idx: int) -> Any", "(self, idx: slice) -> Self"],
    _IN_NN + "container.ParameterList.__setitem__": "(self, idx: int, param: Any) -> None",
    _IN_NN + "container.ParameterList.__iter__": "(self) -> Iterator[Any]",
    _IN_NN + "container.ParameterList.__iadd__": "(self, parameters: Iterable[Any]) -> Self",
    _IN_NN + "container.ParameterList.append": "(self, value: Any) -> Self",
    _IN_NN + "container.ParameterList.extend": "(self, values: Iterable[Any]) -> Self",
    _IN_NN + "container.ParameterDict.__init__": "(self, parameters: Any = None) -> None",
    _IN_NN + "container.ParameterDict.update": "(self, parameters: Any) -> None",
    _IN_NN + "container.ParameterDict.__getitem__": "(self, key: str) -> Any",
    _IN_NN + "container.ParameterDict.__setitem__": "(self, key: str, value: Any) -> None",
    _IN_NN + "container.ParameterDict.__delitem__": "(self, key: str) -> None",
    _IN_NN + "container.ParameterDict.__iter__": "(self) -> Iterator[str]",
    _IN_NN + "container.ParameterDict.__contains__": "(self, key: object) -> bool",
    _IN_NN + "container.ParameterDict.keys": "(self) -> Iterable[str]",
    _IN_NN + "container.ParameterDict.values": "(self) -> Iterable[Any]",
    _IN_NN + "container.ParameterDict.items": "(self) -> Iterable[tuple[str, Any]]",
    _IN_NN + "container.ParameterDict.get": "(self, key: str, default: Any = None) -> Any",
    _IN_NN + "container.ParameterDict.pop": "(self, key: str) -> Any",
    _IN_NN + "container.ParameterDict.copy": "(self) -> Self",
    # layers that return more than a tensor, or take more than one kind
    _IN_NN + "layer.FunctionLayer.forward": "(self, *inputs: Any) -> Tensor",
    _IN_NN + "linear.Identity.__init__": "(self, *args: Any, **kwargs: Any) -> None",
    _IN_NN + "rnn.RNNBase.forward": "(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]",
    _IN_NN + "rnn.RNN.forward": ["(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]",
                                 "(self, input: PackedSequence, hx: Tensor | None = None) "
                                 "-> tuple[PackedSequence, Tensor]"],
    _IN_NN + "rnn.GRU.forward": ["(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]",
                                 "(self, input: PackedSequence, hx: Tensor | None = None) "
                                 "-> tuple[PackedSequence, Tensor]"],
    _IN_NN + "rnn.LSTM.forward": ["(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) "
                                  "-> tuple[Tensor, tuple[Tensor, Tensor]]",
                                  "(self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None = None) "
                                  "-> tuple[PackedSequence, tuple[Tensor, Tensor]]"],
    _IN_NN + "rnn.LSTMCell.forward": "(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) "
                                     "-> tuple[Tensor, Tensor]",
    _IN_NN + "rnn.RNN.__init__": "(self, input_size: int, hidden_size: int, num_layers: int = 1, "
                                 "nonlinearity: str = 'tanh', bias: bool = True, batch_first: bool = False, "
                                 "dropout: float = 0.0, bidirectional: bool = False, device: Device | None = None, "
                                 "dtype: DType | None = None) -> None",
    **{_IN_NN + f"rnn.{name}.__init__": "(self, input_size: int, hidden_size: int, num_layers: int = 1, "
       "bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, "
       + proj + "device: Device | None = None, dtype: DType | None = None) -> None"
       for name, proj in (("LSTM", "proj_size: int = 0, "), ("GRU", ""))},
    _IN_NN + "adaptive.AdaptiveLogSoftmaxWithLoss.forward": "(self, input_: Tensor, target_: Tensor) -> Any",
    # Parameter
    "weft.nn.parameter.Parameter.__new__": "(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self",
    "weft.nn.parameter.Buffer.__new__": "(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor  "
                                       "# type: ignore[misc]",
    # optimizers
    "weft.optim.optimizer.Optimizer.step": ["(self, closure: None = None) -> None",
                                            "(self, closure: Callable[[], float]) -> float",
                                            "(self, closure: Callable[[], Tensor]) -> Tensor"],
    "weft.optim.optimizer.Optimizer.load_state_dict": "(self, state_dict: StateDict) -> None",
    "weft.optim.optimizer.Optimizer.zero_grad": "(self, set_to_none: bool = True) -> None",
    "weft.optim.lbfgs.LBFGS.step": "(self, closure: Callable[[], Any]) -> Any",
    "weft.optim.lr_scheduler.base.LRScheduler.step": "(self, epoch: int | None = None) -> None",
    "weft.optim.lr_scheduler.plateau.ReduceLROnPlateau.step": "(self, metrics: Any, epoch: int | None = None) -> None",
    "weft.optim.lr_scheduler.together.ChainedScheduler.step": "(self) -> None",
    "weft.optim.lr_scheduler.together.SequentialLR.step": "(self) -> None",
    "weft.optim.lr_scheduler.cosine.CosineAnnealingWarmRestarts.step": "(self, epoch: float | None = None) -> None",
    # data
    "weft.utils.data.dataset.Dataset.__getitem__": "(self, index: Any) -> T_co",
    "weft.utils.data.dataset.Dataset.__add__": "(self, other: Dataset[T_co]) -> ConcatDataset[T_co]",
    "weft.utils.data.dataset.IterableDataset.__iter__": "(self) -> Iterator[T_co]",
    "weft.utils.data.dataset.IterableDataset.__add__": "(self, other: Dataset[T_co]) -> Any",
    "weft.utils.data.dataset.TensorDataset.__init__": "(self, *tensors: Tensor) -> None",
    "weft.utils.data.dataset.TensorDataset.__getitem__": "(self, index: Any) -> tuple[Tensor, ...]",
    "weft.utils.data.dataset.StackDataset.__init__": "(self, *args: Any, **kwargs: Any) -> None",
    "weft.utils.data.dataset.StackDataset.__getitem__": "(self, index: Any) -> Any",
    "weft.utils.data.dataset.ConcatDataset.__init__": "(self, datasets: Iterable[Dataset[T_co]]) -> None",
    "weft.utils.data.dataset.ConcatDataset.__getitem__": "(self, idx: int) -> T_co",
    "weft.utils.data.dataset.ConcatDataset.cumsum": "(sequence: Iterable[Any]) -> list[int]",
    "weft.utils.data.dataset.ConcatDataset.cummulative_sizes": "(self) -> list[int]",
    "weft.utils.data.dataset.ChainDataset.__iter__": "(self) -> Iterator[Any]",
    "weft.utils.data.dataset.Subset.__init__": "(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None",
    "weft.utils.data.dataset.Subset.__getitem__": "(self, idx: Any) -> T_co",
    "weft.utils.data.dataset.random_split": "(dataset: Dataset[T], lengths: Sequence[int | float], "
                                            "generator: Generator | None = ...) -> list[Subset[T]]",
    "weft.utils.data.sampler.Sampler.__iter__": "(self) -> Iterator[T_co]",
    "weft.utils.data.sampler.SequentialSampler.__iter__": "(self) -> Iterator[int]",
    "weft.utils.data.sampler.RandomSampler.__iter__": "(self) -> Iterator[int]",
    "weft.utils.data.sampler.SubsetRandomSampler.__iter__": "(self) -> Iterator[int]",
    "weft.utils.data.sampler.WeightedRandomSampler.__iter__": "(self) -> Iterator[int]",
    "weft.utils.data.sampler.BatchSampler.__iter__": "(self) -> Iterator[list[int]]",
    "weft.utils.data.distributed.DistributedSampler.__iter__": "(self) -> Iterator[Any]",
    "weft.utils.data.loader.DataLoader.__iter__": "(self) -> Iterator[Any]",
    # autograd
    "weft.autograd.api.grad": "(outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor], "
                              "grad_outputs: Grads | None = None, retain_graph: bool | None = None, "
                              "create_graph: bool = False, only_inputs: bool = True, "
                              "allow_unused: bool | None = None, is_grads_batched: bool = False, "
                              "materialize_grads: bool = False) -> tuple[Tensor, ...]",
    "weft.autograd.function.Function.apply": "(cls, *args: Any, **kwargs: Any) -> Any",
    "weft.autograd.function.Function.forward": "(*args: Any, **kwargs: Any) -> Any",
    "weft.autograd.function.Function.backward": "(ctx: Any, *grad_outputs: Any) -> Any",
    "weft.autograd.function.Function.setup_context": "(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any",
    "weft.autograd.function.Function.jvp": "(ctx: Any, *grad_inputs: Any) -> Any",
    "weft.autograd.function.Function.vmap": "(info: Any, in_dims: Any, *args: Any) -> Any",
    "weft.autograd.function.FunctionCtx.save_for_backward": "(self, *tensors: Tensor | None) -> None",
    "weft.autograd.function.FunctionCtx.save_for_forward": "(self, *tensors: Tensor | None) -> None",
    "weft.autograd.function.FunctionCtx.mark_dirty": "(self, *args: Tensor) -> None",
    "weft.autograd.function.FunctionCtx.mark_non_differentiable": "(self, *args: Tensor) -> None",
    "weft.autograd.function.FunctionCtx.saved_tensors": "(self) -> tuple[Tensor, ...]",
    "weft.autograd.function.FunctionCtx.__getattr__": "(self, name: str) -> Any",
    # modes
    "weft.core.modes.Mode.__call__": "(self, function: F) -> F",
    "weft.core.modes.no_grad.__new__": ["(cls) -> Self", "(cls, orig_func: F) -> F  # type: ignore[misc]"],
    # checkpoints
    "weft.io.api.save": "(obj: Any, f: File, pickle_module: Any = None, pickle_protocol: int = 2, "
                        "_use_new_zipfile_serialization: bool = True) -> None",
    # functions that are no ops
    "weft.arange": ["(start: Number, end: Number, step: Number = 1, *, out: Tensor | None = None, dtype: DType | None "
                    "= None, layout: Layout | None = None, device: Device | None = None, requires_grad: bool = False, "
                    "pin_memory: bool = False) -> Tensor",
                    "(end: Number, *, out: Tensor | None = None, dtype: DType | None = None, layout: Layout | None = "
                    "None, device: Device | None = None, requires_grad: bool = False, pin_memory: bool = False) "
                    "-> Tensor"],
    "weft.einsum": ["(equation: str, *operands: Tensor) -> Tensor", "(equation: str, operands: Sequence[Tensor]) -> Tensor",
                    "(*operands: Any) -> Tensor"],
    "weft.is_grad_enabled": "() -> bool",
    "weft.where": ["(condition: Tensor) -> tuple[Tensor, ...]",
                   "(condition: Tensor, input: TensorLike, other: TensorLike, *, out: Tensor | None = None) -> Tensor"],
    "weft.Tensor.where": "(self, condition: Tensor, other: TensorLike) -> Tensor",
    "weft.randint": ["(low: int, high: int, size: Sequence[int], *, generator: Generator | None = None, out: Tensor | "
                     "None = None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = "
                     "None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor",
                     "(high: int, size: Sequence[int], *, generator: Generator | None = None, out: Tensor | None = "
                     "None, dtype: DType | None = None, layout: Layout | None = None, device: Device | None = None, "
                     "requires_grad: bool = False, pin_memory: bool = False) -> Tensor"],
    # ops whose result depends on an option
    **{f"weft.{at}nonzero": [f"({first}, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor",
                             f"({first}, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]"]
       for at, first in (("", "input: Tensor"),)},
    "weft.Tensor.nonzero": ["(self, *, as_tuple: Literal[False] = False) -> Tensor",
                            "(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]"],
    # Tensor
    "weft.Tensor.backward": "(self, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: "
                            "bool = False, inputs: Sequence[Tensor] | Tensor | None = None) -> None",
    "weft.Tensor.size": ["(self, dim: None = None) -> Size", "(self, dim: int) -> int"],
    "weft.Tensor.stride": ["(self, dim: None = None) -> tuple[int, ...]", "(self, dim: int) -> int"],
    "weft.Tensor.to": ["(self, dtype: DType, non_blocking: bool = False, copy: bool = False, *, memory_format: "
                       "MemoryFormat | None = None) -> Tensor",
                       "(self, device: Device | None = None, dtype: DType | None = None, non_blocking: bool = False, "
                       "copy: bool = False, *, memory_format: MemoryFormat | None = None) -> Tensor",
                       "(self, other: Tensor, non_blocking: bool = False, copy: bool = False, *, memory_format: "
                       "MemoryFormat | None = None) -> Tensor"],
    "weft.Tensor.type": ["(self, dtype: None = None, non_blocking: bool = False) -> str",
                         "(self, dtype: DType | str | type, non_blocking: bool = False) -> Tensor"],
    "weft.Tensor.item": "(self) -> Any",
    "weft.Tensor.tolist": "(self) -> Any",
    "weft.Tensor.numpy": "(self, *, force: bool = False) -> Array",
    "weft.Tensor.requires_grad_": "(self, requires_grad: bool = True) -> Self",
    "weft.Tensor.detach": "(self) -> Tensor",
    "weft.Tensor.detach_": "(self) -> Tensor",
    "weft.Tensor.register_hook": "(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle",
    "weft.Tensor.register_post_accumulate_grad_hook": "(self, hook: Callable[[Tensor], None]) -> RemovableHandle",
    "weft.Tensor.retain_grad": "(self) -> None",
    "weft.Tensor.new_tensor": "(self, data: Any, *, dtype: DType | None = None, device: Device | None = None, "
                              "requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False) "
                              "-> Tensor",
    "weft.Tensor.view": ["(self, dtype: DType) -> Tensor", "(self, size: Sequence[int]) -> Tensor",
                         "(self, *size: int) -> Tensor"],
    "weft.Tensor.max": ["(self) -> Tensor", "(self, dim: int, keepdim: bool = False) -> MaxResult", "(self, other: Tensor) "
                        "-> Tensor"],
    "weft.Tensor.min": ["(self) -> Tensor", "(self, dim: int, keepdim: bool = False) -> MinResult", "(self, other: Tensor) "
                        "-> Tensor"],
    "weft.max": ["(input: Tensor, *, out: Tensor | None = None) -> Tensor",
                 "(input: Tensor, dim: int, keepdim: bool = False, *, out: Tensors | None = None) -> MaxResult",
                 "(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor"],
    "weft.min": ["(input: Tensor, *, out: Tensor | None = None) -> Tensor",
                 "(input: Tensor, dim: int, keepdim: bool = False, *, out: Tensors | None = None) -> MinResult",
                 "(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor"],
    **{f"weft.{name}": [f"(input: Tensor, *, out: Tensor | None = None) -> Tensor",
                        f"(input: Tensor, dim: int, keepdim: bool = False, *, out: Tensors | None = None) -> {name.capitalize()}Result"]
       for name in ("median", "nanmedian")},
    **{f"weft.Tensor.{name}": ["(self) -> Tensor", f"(self, dim: int, keepdim: bool = False) -> {name.capitalize()}Result"]
       for name in ("median", "nanmedian")},
    "weft.Tensor.apply_": "(self, callable: Callable[[Any], Any]) -> Tensor",
    "weft.Tensor.is_same_size": "(self, other: Tensor) -> bool",
    "weft.Tensor.is_contiguous": "(self, memory_format: MemoryFormat | None = None) -> bool",
    "weft.Tensor.untyped_storage": "(self) -> UntypedStorage",
    "weft.Tensor.storage": "(self) -> TypedStorage",
    "weft.Tensor.typed_storage": "(self) -> TypedStorage",
    "weft.Tensor.share_memory_": "(self) -> Tensor",
    "weft.Tensor.backward_steps": "(self, gradient: Tensor | None = None, retain_graph: bool | None = None, "
                                  "create_graph: bool = False, inputs: Sequence[Tensor] | Tensor | None = None) "
                                  "-> Iterator[Any]",
}

# the results of ops whose samples don't show them all
OP_RETURNS = {
    "equal": "bool", "allclose": "bool", "is_nonzero": "bool", "max": "Any", "min": "Any",
    "unique": "Any", "unique_consecutive": "Any", "nn.functional.multi_head_attention_forward":
        "tuple[Tensor, Tensor | None]",
}

# attributes of classes whose code doesn't say their types
ATTRIBUTES = {
    "weft.nn.module.Module": {"training": "bool", "forward": "Callable[..., Any]", "__call__": "Callable[..., Any]",
                              "dump_patches": "bool", "call_super_init": "bool"},
    "weft.optim.optimizer.Optimizer": {"param_groups": "list[dict[str, Any]]", "state": "defaultdict[Tensor, Any]",
                                       "defaults": "dict[str, Any]"},
    "weft.optim.lr_scheduler.base.LRScheduler": {"optimizer": "Optimizer", "base_lrs": "list[float]",
                                                 "last_epoch": "int"},
    "weft.utils.data.loader.DataLoader": {"dataset": "Dataset[T_co]", "batch_size": "int | None",
                                          "sampler": "Iterable[Any]", "batch_sampler": "Iterable[Any] | None",
                                          "generator": "Generator | None", "drop_last": "bool",
                                          "collate_fn": "Callable[[list[Any]], Any]"},
    "weft.utils.data.dataset.TensorDataset": {"tensors": "tuple[Tensor, ...]"},
    "weft.utils.data.dataset.Subset": {"dataset": "Dataset[T_co]", "indices": "Sequence[int]"},
    "weft.utils.data.dataset.ConcatDataset": {"datasets": "list[Dataset[T_co]]", "cumulative_sizes": "list[int]"},
    "weft.nn.modules.layer.FunctionLayer": {"__constants__": "list[str]"},
    "weft.nn.modules.conv._ConvNd": {
        "in_channels": "int", "out_channels": "int", "groups": "int", "padding_mode": "str",
        "kernel_size": "tuple[int, ...]", "stride": "tuple[int, ...]", "dilation": "tuple[int, ...]",
        "padding": "str | tuple[int, ...]", "output_padding": "tuple[int, ...]", "transposed": "bool"},
    "weft.optim.lr_scheduler.together.ChainedScheduler": {"optimizer": "Optimizer"},
    "weft.optim.lr_scheduler.together.SequentialLR": {"optimizer": "Optimizer"},
    "weft.core.device.device": {"type": "str", "index": "int | None"},
    "weft.core.random.Generator": {"device": "device"},
    "weft.nn.utils.rnn.PackedSequence": {"data": "Tensor", "batch_sizes": "Tensor", "sorted_indices": "Tensor | None",
                                         "unsorted_indices": "Tensor | None"},
}

# classes whose bases are generic: text after the class's name
BASES = {
    "weft.utils.data.dataset.Dataset": "(Generic[T_co])",
    "weft.utils.data.dataset.IterableDataset": "(Dataset[T_co], Iterable[T_co])",
    "weft.utils.data.dataset.TensorDataset": "(Dataset[tuple[Tensor, ...]])",
    "weft.utils.data.dataset.StackDataset": "(Dataset[Any])",
    "weft.utils.data.dataset.ConcatDataset": "(Dataset[T_co])",
    "weft.utils.data.dataset.ChainDataset": "(IterableDataset[Any])",
    "weft.utils.data.dataset.Subset": "(Dataset[T_co])",
    "weft.utils.data.sampler.Sampler": "(Generic[T_co])",
    "weft.utils.data.sampler.SequentialSampler": "(Sampler[int])",
    "weft.utils.data.sampler.RandomSampler": "(Sampler[int])",
    "weft.utils.data.sampler.SubsetRandomSampler": "(Sampler[int])",
    "weft.utils.data.sampler.WeightedRandomSampler": "(Sampler[int])",
    "weft.utils.data.sampler.BatchSampler": "(Sampler[list[int]])",
    "weft.utils.data.distributed.DistributedSampler": "(Sampler[Any])",
    "weft.utils.data.loader.DataLoader": "(Generic[T_co])",
    "weft.core.size.Size": "(tuple[int, ...])",
    "weft.vision.datasets.mnist.MNIST": "(Dataset[tuple[Any, Any]])",
}

# methods that a class has from a base without a stub
EXTRA = {"weft.utils.data.dataset.IterableDataset": ["def __iter__(self) -> Iterator[T_co]: ..."]}

# methods that the base class describes better
HIDDEN = {f"weft.core.size.Size.__{name}__" for name in "add radd mul rmul getitem".split()}

TYPE_VARS = {"T_co": "TypeVar('T_co', covariant=True)", "T": "TypeVar('T')",
             "F": "TypeVar('F', bound=Callable[..., Any])"}

# what the code of Tensor's class doesn't say
TENSOR = '''    grad: Tensor | None
    data: Tensor
    requires_grad: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __reversed__(self) -> Tensor: ...
    def __contains__(self, value: object) -> bool: ...
    def __getitem__(self, index: Index) -> Tensor: ...
    def __setitem__(self, index: Index, value: TensorLike | Array | Sequence[Any]) -> None: ...
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...
    def __complex__(self) -> complex: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array: ...
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Self: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
'''
OPERATORS = ("add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv ifloordiv mod "
             "rmod imod pow rpow ipow and rand iand or ror ior xor rxor ixor lshift rlshift ilshift "
             "rshift rrshift irshift lt le gt ge").split()
TENSOR_PROPERTIES = {
    "shape": "Size", "dtype": "DType", "device": "device_", "ndim": "int", "is_leaf": "bool", "grad_fn": "Node | None",
    "output_nr": "int", "retains_grad": "bool", "T": "Tensor", "mT": "Tensor", "H": "Tensor", "mH": "Tensor",
    "real": "Tensor", "imag": "Tensor", "itemsize": "int", "nbytes": "int", "layout": "Layout", "names": "Any",
    "array": "Array", "form": "Array", "name": "None", "volatile": "bool",
}
