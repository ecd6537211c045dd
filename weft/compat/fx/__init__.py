"""torch.fx: weft has no symbolic tracing; what packages import of it to compare with, or say to it."""
from weft._absent import absent_classes as _classes
from weft._absent import absent_functions as _functions
from weft.fx import experimental as experimental
from weft.fx import graph_module as graph_module
from weft.fx import node as node
from weft.fx import proxy as proxy
from weft.fx.graph_module import GraphModule as GraphModule
from weft.fx.node import Node as Node
from weft.fx.proxy import Proxy as Proxy
from weft.fx.wrapped import wrap as wrap

_classes("Graph Interpreter Tracer Transformer", globals())
_functions("symbolic_trace replace_pattern", globals())
