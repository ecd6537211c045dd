"""torch.jit: `script` runs a program as the Python that it is, `trace` keeps what it did as a graph."""
from weft.core.namespace import parts as _parts

_SCRIPT = ("script script_if_tracing script_method ignore unused export is_scripting is_tracing interface annotate "
           "isinstance Attribute Final ScriptModule ScriptFunction TracerWarning _script_if_tracing _overload "
           "_overload_method").split()
_TRACE = "trace trace_module freeze optimize_for_inference TracedModule TopLevelTracedModule TracingCheckError Error"
_FUSER = "fuser strict_fusion optimized_execution set_fusion_strategy enable_onednn_fusion onednn_fusion_enabled"
__getattr__, __dir__ = _parts(globals(), "_async _script _sizes _trace _archive _fuser annotations", {
    **dict.fromkeys("fork wait _fork _wait".split(), "weft.jit._async"),
    **dict.fromkeys(_FUSER.split(), "weft.jit._fuser"),
    **dict.fromkeys(_SCRIPT, "weft.jit._script"), **dict.fromkeys(_TRACE.split(), "weft.jit._trace"),
    **dict.fromkeys(("save", "load"), "weft.jit._archive"), "capture": "weft.jit.captured",
    **dict.fromkeys(("optimize", "StaticGraph"), "weft.jit.static"),
    "Future": "weft.futures"})
