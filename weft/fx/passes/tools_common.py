"""Small helpers of passes."""
from weft.fx.graph import Graph

__all__ = ["legalize_graph", "get_acc_ops_name", "get_node_target"]


def legalize_graph(gm):
    """Bring the nodes of a graph into an order in which everything stands before its users."""
    waiting = {node: len(node.all_input_nodes) for node in gm.graph.nodes}
    ready, graph, made = [n for n in gm.graph.nodes if not waiting[n]], Graph(), {}
    ready.sort(key=lambda n: n.op != "placeholder")
    while ready:
        node = ready.pop(0)
        made[node] = graph.node_copy(node, made.__getitem__)
        for user in node.users:
            waiting[user] -= 1
            if not waiting[user]:
                if user.op != "output":
                    ready.append(user)
    if len(made) + 1 < len(gm.graph.nodes):
        raise RuntimeError(f"Input graph has cycles, unable to add {[n for n in waiting if waiting[n] > 0]}")
    out = gm.graph.output_node()
    graph.node_copy(out, made.__getitem__)
    graph._codegen = gm.graph._codegen
    gm.graph = graph
    return gm


def get_node_target(submodules, node):
    """What a node calls, as a name: a module's class, a function's path, or a method."""
    if node.op == "call_module":
        found = submodules[node.target]
        return f"{type(found).__module__}.{type(found).__name__}"
    return node._pretty_print_target(node.target)


def get_acc_ops_name(k):
    """A function's name as such tools print it."""
    return k if isinstance(k, str) else f"{k.__module__}.{k.__name__}"
