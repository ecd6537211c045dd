"""torch._dynamo, where nothing is compiled: what packages ask of it."""
from types import SimpleNamespace as _Namespace

from weft._dynamo.eval_frame import OptimizedModule as OptimizedModule, is_dynamo_supported as is_dynamo_supported
from weft._dynamo import eval_frame as eval_frame, exc as exc, external_utils as external_utils, utils as utils
from weft._dynamo.decorators import (graph_break as graph_break, mark_dynamic as mark_dynamic,
                                     mark_static as mark_static, mark_static_address as mark_static_address,
                                     maybe_mark_dynamic as maybe_mark_dynamic)
from weft.compiler import (allow_in_graph as allow_in_graph, assume_constant_result as assume_constant_result,
                           disable as disable, is_compiling as is_compiling, list_backends as list_backends,
                           reset as reset)

config = _Namespace()       # switches of a compiler: they can be set
