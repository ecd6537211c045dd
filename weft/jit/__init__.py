"""torch.jit: `script` runs a program as the Python that it is and saves it as data, `trace` keeps what it did."""
from weft.core.namespace import parts as _parts

_NAMES = {
    "_script": """script script_if_tracing script_method ignore unused export is_scripting is_tracing interface
        ScriptModule RecursiveScriptModule ScriptFunction ScriptMethod TracerWarning _script_if_tracing _overload
        _overload_method""",
    "_types": "annotate isinstance Attribute Final _isinstance _unwrap_optional",
    "_trace": "trace trace_module TracedModule TopLevelTracedModule TracingCheckError Error",
    "_freeze": "freeze optimize_for_inference run_frozen_optimizations", "_archive": "save load",
    "_unit": "CompilationUnit export_opnames", "_async": "fork wait _fork _wait", "captured": "capture",
    "_fuser": "fuser strict_fusion optimized_execution set_fusion_strategy enable_onednn_fusion onednn_fusion_enabled",
    "static": "optimize StaticGraph"}
__getattr__, __dir__ = _parts(
    globals(), "_async _script _state _types _sizes _trace _freeze _archive _unit _fuser annotations",
    {"Future": "weft.futures",
     **{name: f"weft.jit.{part}" for part, names in _NAMES.items() for name in names.split()}})
