"""Finding the places of a graph that look like a pattern."""
import dataclasses

from weft.fx.node import Node
from weft.fx.paths import found_at, is_at
from weft.nn import Module
from weft.tensor.tensor import Tensor

__all__ = ["SubgraphMatcher", "InternalMatch"]


@dataclasses.dataclass
class InternalMatch:
    """A place found: pattern nodes and the graph's nodes that they stand for."""
    anchors: list
    nodes_map: dict = dataclasses.field(default_factory=dict)
    placeholder_nodes: list = dataclasses.field(default_factory=list)
    returning_nodes: list = dataclasses.field(default_factory=list)
    name_node_map: dict = dataclasses.field(default_factory=dict)


def _attribute(node):
    """What a get_attr node stands for, if its graph belongs to a module that has it."""
    owner = node.graph.owning_module
    return found_at(owner, node.target) if owner is not None and is_at(owner, node.target) else None


def _same_attribute(a, b):
    """Whether an attribute of the pattern stands for one of the graph: any tensor for any tensor, a module for one of
    its class.
    """
    if isinstance(a, Tensor) or isinstance(a, Module):
        return isinstance(b, Tensor) if isinstance(a, Tensor) else type(a) is type(b)
    return a is not None and type(a) is type(b) and a == b


class SubgraphMatcher:
    """Finds where a graph does what a pattern does. The pattern's placeholders stand for anything."""

    def __init__(self, pattern, match_output=False, match_placeholder=False, remove_overlapping_matches=True,
                 ignore_literals=False):
        self.pattern, self.match_placeholder = pattern, match_placeholder
        self.without_overlap, self.ignore_literals = remove_overlapping_matches, ignore_literals
        if not len(pattern.nodes):
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        output = next(n for n in pattern.nodes if n.op == "output")
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = [output] if match_output else \
            [n for n in self.pattern_returning_nodes if set(n.users) <= {output}] or self.pattern_returning_nodes

    def match(self, graph, node_name_match=None):
        """The places, from the first to the last."""
        found = []
        for start in reversed(graph.nodes):
            match = InternalMatch([])
            if self._fits(self.pattern_anchors[0], start, match) and self._others(graph, match) \
                    and self._is_closed(match):
                match.anchors = [match.nodes_map[a] for a in self.pattern_anchors]
                match.placeholder_nodes = [match.nodes_map.get(p) for p in self.pattern_placeholder_nodes]
                match.returning_nodes = [match.nodes_map[n] for n in self.pattern_returning_nodes]
                found.append(match)
        found.reverse()
        return self._apart(found) if self.without_overlap else found

    def _others(self, graph, match):
        """Further outputs of the pattern: any node that fits."""
        for anchor in self.pattern_anchors[1:]:
            for node in reversed(graph.nodes):
                trial = InternalMatch([], dict(match.nodes_map))
                if node not in match.nodes_map.values() and self._fits(anchor, node, trial):
                    match.nodes_map = trial.nodes_map
                    break
            else:
                return False
        return True

    def _fits(self, wanted, node, match):
        if not isinstance(node, Node):
            if isinstance(wanted, Node) and wanted.op == "placeholder":
                known = match.nodes_map.setdefault(wanted, node)
                return known is node or known == node
            return False
        if wanted in match.nodes_map:
            return match.nodes_map[wanted] is node
        if wanted.op != "placeholder" and node in match.nodes_map.values():
            return False
        if not self._same_call(wanted, node):
            return False
        before = dict(match.nodes_map)
        match.nodes_map[wanted] = node
        if wanted.op == "placeholder" or self._same_arguments(wanted, node, match):
            return True
        match.nodes_map = before
        return False

    def _same_call(self, wanted, node):
        if wanted.op == "placeholder":
            return not self.match_placeholder or node.op == "placeholder"
        if wanted.op != node.op:
            return False
        return wanted.op == "output" or wanted.target == node.target or wanted.op == "get_attr" and \
            _same_attribute(_attribute(wanted), _attribute(node))

    def _same_arguments(self, wanted, node, match):
        if len(wanted.args) == len(node.args) and set(wanted.kwargs) == set(node.kwargs):
            return self._same(list(wanted.args), list(node.args), match) and all(
                self._same(wanted.kwargs[key], node.kwargs[key], match) for key in wanted.kwargs)
        ours, theirs = (n.normalized_arguments(n.graph.owning_module, normalize_to_only_use_kwargs=True)
                        for n in (wanted, node))
        return ours is not None and theirs is not None and set(ours.kwargs) == set(theirs.kwargs) and all(
            self._same(ours.kwargs[key], theirs.kwargs[key], match) for key in ours.kwargs)

    def _same(self, a, b, match):
        if isinstance(a, Node):
            return self._fits(a, b, match)
        if isinstance(b, Node):
            return False
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            return len(a) == len(b) and all(self._same(x, y, match) for x, y in zip(a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return set(a) == set(b) and all(self._same(a[key], b[key], match) for key in a)
        return self.ignore_literals or type(a) is type(b) and a == b

    def _is_closed(self, match):
        """Whether nobody outside uses what the place computes inside, but its results."""
        inner = {node for wanted, node in match.nodes_map.items()
                 if wanted.op not in ("placeholder", "output") and isinstance(node, Node)}
        results = {match.nodes_map[n] for n in self.pattern_returning_nodes}
        return all(user in inner for node in inner if node not in results for user in node.users)

    def _apart(self, matches):
        taken, kept = set(), []
        for match in matches:
            own = {node for wanted, node in match.nodes_map.items() if wanted.op not in ("placeholder", "output")}
            if not own & taken:
                taken |= own
                kept.append(match)
        return kept
