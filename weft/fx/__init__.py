"""Programs as graphs that other programs can change: `symbolic_trace` runs a module on proxies and writes down what it
does; the `Graph` can be edited, and a `GraphModule` is a module again, with code that can be read.

What it can't write down is a branch or a loop that depends on a value; it says so. For a graph of what really ran see
`weft.graph` and `weft.viz`.
"""
from weft.core.namespace import parts as _parts
from weft.fx._symbolic_trace import PH, PHBase, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from weft.fx.graph import CodeGen, Graph
from weft.fx.graph_module import GraphModule
from weft.fx.interpreter import Interpreter, Transformer
from weft.fx.node import Node, has_side_effect, map_arg
from weft.fx.proxy import Proxy
from weft.fx.subgraph_rewriter import replace_pattern

__all__ = ["symbolic_trace", "Tracer", "wrap", "Graph", "GraphModule", "Interpreter", "Transformer", "Node", "Proxy",
           "replace_pattern", "has_side_effect", "map_arg", "PH", "PHBase", "ProxyableClassMeta", "CodeGen"]
__getattr__, __dir__ = _parts(globals(), "annotate experimental immutable_collections operator_schemas passes "
                              "subgraph_rewriter traceback")
