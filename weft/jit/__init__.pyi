"""torch.jit's decorators, for programs that script their functions: in weft they run as the Python that they are."""
# made by tools/stubs.py
from typing import Any, Callable
from weft.nn.module import Module

from weft.jit.script import script as script
def script_if_tracing(fn: Callable[..., Any]) -> Any: ...
def script_method(fn: Callable[..., Any]) -> Any: ...
from weft.jit.script import ignore as ignore
from weft.jit.script import unused as unused
def export(fn: Callable[..., Any]) -> Any: ...
from weft.jit.script import is_scripting as is_scripting
from weft.jit.script import is_tracing as is_tracing
from weft.jit.script import annotate as annotate
from weft.jit.script import Attribute as Attribute
from weft.nn.module import Module as ScriptModule
