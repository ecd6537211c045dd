"""The part of a graph that depends on no input, computed once instead of in every call."""
import operator

from weft.fx import Graph, GraphModule, symbolic_trace
from weft.fx.node import map_arg
from weft.nn import Parameter, ParameterList
from weft.nn.modules.dropout import _DropoutNd
from weft.nn.modules.norm import _NormBase
from weft.tensor.tensor import Tensor

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A GraphModule with its constant part apart: `const_subgraph_module` (None where there is none) runs before the
    first call, and the results are the attribute that `fx_const_folded_attrs_name` names."""

    def __init__(self, root, graph, const_subgraph=None, fx_const_folded_attrs_name=None,
                 device_for_folded_attrs="cuda"):
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args, **kwargs):
        self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self):
        """Compute the constant part, if that hasn't been done."""
        if self.const_subgraph_module is None or self.has_folding_been_run:
            return
        self.has_folding_been_run = True
        found = self.const_subgraph_module()
        setattr(self, self.fx_const_folded_attrs_name, _kept(found))


def _kept(found):
    """Results as an attribute: a Parameter, a ParameterList, or as they are where some is no tensor."""
    if isinstance(found, Tensor):
        return Parameter(found.detach().clone(), found.requires_grad)
    if type(found) is not tuple:
        return found
    parts = [_kept(one) for one in found]
    return ParameterList(parts) if all(isinstance(one, Parameter) for one in parts) else tuple(parts)


def get_unique_attr_name_in_module(mod_traced, name):
    """A name that no attribute of the module has: this one, or with the first number that is free."""
    stem, number, found = name, 0, name
    while hasattr(mod_traced, found):
        number += 1
        found = f"{stem}_{number}"
    return found


def split_const_subgraphs(module, skip_folding_node_fn=None, device_for_folded_attrs="cpu"):
    """A FoldedGraphModule of a module (traced, if it isn't yet). Folded are calls of which no argument comes from an
    input, which draw no random numbers, write nothing and for which skip_folding_node_fn(node) isn't True."""
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant = _constant_nodes(traced, skip_folding_node_fn)
    wanted = [node for node in constant if node.op != "get_attr" and any(user not in constant for user in node.users)]
    if not wanted:
        return FoldedGraphModule(traced, traced.graph, device_for_folded_attrs=device_for_folded_attrs)
    name = get_unique_attr_name_in_module(traced, "_FX_CONST_FOLDED_ATTRS")
    return FoldedGraphModule(traced, _with_results(traced.graph, constant, wanted, name),
                             _constant_graph(constant, wanted), name, device_for_folded_attrs)


def _constant_nodes(traced, skip):
    """The nodes that depend on no input, in their order, as the keys of a dict."""
    constant, written = {}, set()
    for node in traced.graph.nodes:
        if node.op in ("placeholder", "output") or any(used not in constant for used in node.all_input_nodes):
            continue
        if node.op != "get_attr" and (not _is_pure(node, traced) or skip is not None and skip(node)):
            continue
        constant[node] = True
    for node in reversed(list(constant)):       # what a call writes to, perhaps through a view, is made in every call
        if any(_writes(user) or user.op != "output" and user not in constant and user in written
               for user in node.users):
            written.add(node)
            if node.op != "get_attr":
                del constant[node]
    return {node: True for node in constant if all(used in constant for used in node.all_input_nodes)}


_WRITERS = frozenset(getattr(operator, name) for name in
                     "iadd iand iconcat ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor "
                     "setitem delitem".split())


def _writes(node):
    """Whether a call may write to its arguments."""
    return node.op in ("call_function", "call_method") and (node.target in _WRITERS or node.is_impure(False))


def _is_pure(node, owner):
    """Whether a node gives the same each time and does nothing else."""
    if node.op != "call_module":
        return not (node.is_impure() or _writes(node))
    called = owner.get_submodule(node.target)
    if isinstance(called, GraphModule):
        return all(inner.op in ("placeholder", "output") or _is_pure(inner, called) for inner in called.graph.nodes)
    changing = any(isinstance(part, (_DropoutNd, _NormBase)) and part.training for part in called.modules())
    return not (changing or node.is_impure())


def _constant_graph(constant, wanted):
    graph, made = Graph(), {}
    for node in constant:
        made[node] = graph.node_copy(node, made.__getitem__)
    graph.output(made[wanted[0]] if len(wanted) == 1 else tuple(made[node] for node in wanted))
    graph.eliminate_dead_code()
    return graph


def _with_results(old, constant, wanted, name):
    """The graph without its constant part, whose results are read from the attribute `name`."""
    graph, made, results = Graph(), {}, None
    for node in old.nodes:
        if node in wanted:
            results = graph.get_attr(name) if results is None else results
            made[node] = results
            if len(wanted) > 1:
                made[node] = graph.call_function(operator.getitem, (results, wanted.index(node)))
            made[node].meta = dict(node.meta)
        elif node.op == "output":
            graph.output(map_arg(node.args[0], made.__getitem__), node.type).meta = dict(node.meta)
        elif node not in constant or any(user not in constant for user in node.users):
            made[node] = graph.node_copy(node, made.__getitem__)
    graph.set_codegen(old._codegen)
    return graph
