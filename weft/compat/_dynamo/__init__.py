"""torch._dynamo: what packages ask of PyTorch's compiler; `compile` is weft's capture."""
from weft._absent import absent_functions as _functions
from weft._dynamo import config as config
from weft._dynamo import eval_frame as eval_frame
from weft._dynamo import exc as exc
from weft._dynamo import external_utils as external_utils
from weft._dynamo import utils as utils
from weft._dynamo.decorators import disable_nested_graph_breaks as disable_nested_graph_breaks
from weft._dynamo.decorators import dont_skip_tracing as dont_skip_tracing
from weft._dynamo.decorators import error_on_graph_break as error_on_graph_break
from weft._dynamo.decorators import graph_break as graph_break
from weft._dynamo.decorators import mark_dynamic as mark_dynamic
from weft._dynamo.decorators import mark_static as mark_static
from weft._dynamo.decorators import mark_static_address as mark_static_address
from weft._dynamo.decorators import maybe_mark_dynamic as maybe_mark_dynamic
from weft._dynamo.decorators import nonstrict_trace as nonstrict_trace
from weft._dynamo.decorators import skip_frame as skip_frame
from weft._dynamo.eval_frame import OptimizedModule as OptimizedModule
from weft._dynamo.eval_frame import explain as explain
from weft._dynamo.eval_frame import is_dynamo_supported as is_dynamo_supported
from weft._dynamo.eval_frame import optimize as optimize
from weft._dynamo.eval_frame import optimize_assert as optimize_assert
from weft.compiler import allow_in_graph as allow_in_graph
from weft.compiler import assume_constant_result as assume_constant_result
from weft.compiler import disable as disable
from weft.compiler import is_compiling as is_compiling
from weft.compiler import list_backends as list_backends
from weft.compiler import lookup_backend as lookup_backend
from weft.compiler import register_backend as register_backend
from weft.compiler import reset as reset
from weft.compiler import set_stance as set_stance
from weft.compiler import substitute_in_graph as substitute_in_graph

_functions("export", globals(), "weft.graph(result) shows what ran; torch.fx.symbolic_trace records a program")
disallow_in_graph = forbid_in_graph = skip = run = allow_in_graph      # a compiler may look or not: there is none
reset_code_caches = reset_recompile_user_contexts = reset
is_inductor_supported, patch_dynamo_config = is_dynamo_supported, config.patch
