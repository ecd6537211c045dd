"""Replacing every place of a graph that looks like a pattern."""
import copy
import dataclasses
from typing import NamedTuple

from weft.fx._symbolic_trace import symbolic_trace
from weft.fx.graph import Graph
from weft.fx.graph_module import GraphModule
from weft.fx.node import Node
from weft.fx.passes.utils.matcher_utils import SubgraphMatcher
from weft.fx.paths import found_at, is_at, put_at
from weft.nn import Module

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


class Match(NamedTuple):
    """A place that was replaced.

    >>> import weft
    >>> weft.fx.subgraph_rewriter.Match("anchor", {}).anchor
    'anchor'
    """
    anchor: object
    nodes_map: dict


@dataclasses.dataclass
class ReplacedPatterns:
    """A place that was replaced, and the nodes that stand there now.

    >>> import weft
    >>> weft.fx.subgraph_rewriter.ReplacedPatterns("anchor", {}, []).replacements
    []
    """
    anchor: object
    nodes_map: dict
    replacements: list


def replace_pattern(gm, pattern, replacement):
    """Replace in a GraphModule every place that does what `pattern` does by what `replacement` does, functions or
    modules with the same inputs; gives the places.

    >>> import weft
    >>> traced = weft.fx.symbolic_trace(lambda x: weft.relu(x) + 1)
    >>> found = weft.fx.replace_pattern(traced, lambda x: weft.relu(x), lambda x: weft.neg(x))
    >>> len(found), traced(weft.tensor(2.))
    (1, tensor(-1.))
    """
    return [Match(found.anchor, found.nodes_map) for found in _replace(gm, pattern, replacement)]


def replace_pattern_with_filters(gm, pattern, replacement=None, match_filters=None, ignore_literals=False,
                                 replacement_callback=None, node_name_match=""):
    """replace_pattern where every filter(match, gm's graph, the pattern's graph) says yes.

    >>> import weft
    >>> traced = weft.fx.symbolic_trace(lambda x: weft.relu(x))
    >>> weft.fx.subgraph_rewriter.replace_pattern_with_filters(traced, lambda x: weft.relu(x), lambda x: weft.neg(x),
    ...                                                        [lambda match, graph, pattern: False])
    []
    """
    return _replace(gm, pattern, replacement, match_filters or [], ignore_literals, replacement_callback)


def _graph_of(thing):
    if isinstance(thing, GraphModule):
        return thing.graph
    return thing if isinstance(thing, Graph) else symbolic_trace(thing).graph


def _replace(gm, pattern, replacement, filters=(), ignore_literals=False, callback=None):
    graph, wanted = gm.graph, _graph_of(pattern)
    matches = SubgraphMatcher(wanted, match_output=False, match_placeholder=False, remove_overlapping_matches=True,
                              ignore_literals=ignore_literals).match(graph)
    matches = [m for m in matches if all(keep(m, graph, wanted) for keep in filters)]
    fixed = _graph_of(replacement) if replacement is not None else None
    changed, made = {}, []
    for match in matches:
        new = fixed if callback is None else _graph_of(callback(match, graph, wanted))
        made.append(_put(graph, wanted, new, match, changed))
    if isinstance(replacement, Module):
        _bring_modules(gm, replacement)
    gm.recompile()
    return made


def _put(graph, wanted, new, match, changed):
    """Exchange one place."""
    inputs = [n for n in new.nodes if n.op == "placeholder"]
    given = [changed.get(n, n) for n in match.placeholder_nodes]
    if len(inputs) != len(given):
        raise AssertionError(f"the replacement takes {len(inputs)} inputs, the pattern {len(given)}")
    copies = dict(zip(inputs, given))
    users = {user for node in match.returning_nodes for user in node.users}
    order = {node: i for i, node in enumerate(graph.nodes)}
    before = min(users, key=order.get) if users else match.returning_nodes[-1].next
    # nothing of what replaces may stand before its own inputs
    latest = max((order[n] for n in given if isinstance(n, Node)), default=-1)
    if order.get(before, len(order)) <= latest:
        before = list(graph.nodes)[latest].next
    old = set(graph.nodes)
    with graph.inserting_before(before):
        results = graph.graph_copy(new, copies)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    if len(results) != len(match.returning_nodes):
        raise AssertionError("the replacement gives another number of results than the pattern")
    for node, result in zip(match.returning_nodes, results):
        if isinstance(result, Node):
            node.replace_all_uses_with(result)
            changed[node] = result
    inner = [match.nodes_map[n] for n in reversed(wanted.nodes) if n.op not in ("placeholder", "output")]
    for node in inner:
        if not node._erased and not node.users:
            graph.erase_node(node)
    added = [node for node in graph.nodes if node not in old]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, added)


def _bring_modules(gm, replacement):
    """What the replacement calls must be there, and what only the pattern called goes."""
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        if not is_at(gm, node.target) and is_at(replacement, node.target):
            put_at(gm, node.target, copy.deepcopy(found_at(replacement, node.target)))
    gm.delete_all_unused_submodules()
