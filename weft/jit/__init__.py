"""torch.jit's decorators, for programs that script their functions: in weft they run as the Python that they are."""
from weft.core.namespace import parts as _parts

_SCRIPT = ("script script_if_tracing script_method ignore unused export is_scripting is_tracing interface annotate "
           "Attribute Final ScriptModule ScriptFunction TracerWarning _script_if_tracing _overload "
           "_overload_method").split()
__getattr__, __dir__ = _parts(globals(), "_script annotations", dict.fromkeys(_SCRIPT, "weft.jit._script"))
