"""A graph cut into modules that call each other."""
import operator

from weft.fx.graph import Graph
from weft.fx.graph_module import GraphModule
from weft.fx.node import Node, map_arg
from weft.fx.paths import found_at

__all__ = ["split_module"]


class _Part:
    def __init__(self, name):
        self.name, self.graph, self.targets = name, Graph(), {}
        self.nodes, self.inputs, self.outputs, self.needs = [], {}, {}, {}
        self.made = {}          # node of the whole graph -> its copy here


def split_module(m, root_m, split_callback, qualname_map=None, keep_original_order=False,
                 keep_original_node_name=False, *, keep_original_input_name=True, partition_affix=None):
    """A GraphModule of modules `submod_<name>`, each of the nodes for which split_callback(node) gives that name."""
    parts, home = {}, {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        key = str(split_callback(node))
        home[node] = parts.setdefault(key, _Part(key))
        home[node].nodes.append(node)
    _connect(m, home)
    order = _in_order(parts, home)
    return _assembled(m, order, home, qualname_map, partition_affix)


def _connect(m, home):
    for node in m.graph.nodes:
        part = home.get(node)
        for used in node.all_input_nodes:
            source = home.get(used)
            if used.op == "get_attr":
                continue
            if source is not None and source is not part:
                source.outputs.setdefault(used)
            if part is not None and source is not part:
                part.inputs.setdefault(used)
                if source is not None:
                    part.needs.setdefault(source)


def _in_order(parts, home):
    done, order = set(), []
    while len(order) < len(parts):
        ready = [p for p in parts.values() if p not in done and all(need in done for need in p.needs)]
        if not ready:
            raise RuntimeError("cycle exists between partitions!")
        for part in ready:
            done.add(part)
            order.append(part)
    return order


def _copy_attribute(m, part, node):
    if node not in part.made:
        part.made[node] = part.graph.get_attr(node.target)
        part.made[node].meta = dict(node.meta)
        part.targets[node.target] = found_at(m, node.target)
    return part.made[node]


def _assembled(m, order, home, qualname_map, affix):
    whole, values, modules = Graph(), {}, {}
    for node in m.graph.nodes:
        if node.op == "placeholder":
            values[node] = whole.node_copy(node)
    for part in order:
        for node in part.inputs:
            part.made[node] = part.graph.placeholder(node.name, node.type)
            part.made[node].meta = dict(node.meta)
        for node in part.nodes:
            for used in node.all_input_nodes:
                if used.op == "get_attr":
                    _copy_attribute(m, part, used)
            part.made[node] = part.graph.node_copy(node, part.made.__getitem__)
            if node.op == "call_module":
                part.targets[node.target] = m.get_submodule(node.target)
        outputs = list(part.outputs)
        results = tuple(part.made[n] for n in outputs)
        part.graph.output(results[0] if len(results) == 1 else results or None)
        name = f"submod_{affix}_{part.name}" if affix else f"submod_{part.name}"
        modules[name] = GraphModule(part.targets, part.graph)
        if qualname_map is not None:
            qualname_map.update({f"{name}.{target}": target for target in part.targets})
        called = whole.call_module(name, tuple(values[n] for n in part.inputs))
        if len(outputs) == 1:
            values[outputs[0]] = called
        else:
            values.update({n: whole.call_function(operator.getitem, (called, i)) for i, n in enumerate(outputs)})
    return _finished(m, whole, values, modules)


def _finished(m, whole, values, modules):
    targets = dict(modules)
    out = m.graph.output_node()
    for used in out.all_input_nodes:
        if isinstance(used, Node) and used.op == "get_attr":
            values[used] = whole.get_attr(used.target)
            targets[used.target] = found_at(m, used.target)
    whole.output(map_arg(out.args[0], values.__getitem__))
    return GraphModule(targets, whole)
