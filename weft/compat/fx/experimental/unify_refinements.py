"""Equations between dimensions solved, and their solution put into a graph's types."""
from weft.fx.experimental.graph_gradual_typechecker import Refine
from weft.fx.tensor_type import TensorType

__all__ = ["infer_symbolic_types", "infer_symbolic_types_single_pass", "substitute_all_types", "unify_eq"]


def infer_symbolic_types(traced):
    """Symbols in place of all unknown dimensions, the same one where they must be the same size; the sizes of a
    convolution's result are expressions of those that go into it."""
    while infer_symbolic_types_single_pass(traced):
        pass
    Refine(traced).symbolic_relations()
    Refine(traced).refine()         # the output has its value's type


def infer_symbolic_types_single_pass(traced):
    """One round; whether a type changed."""
    before = [node.type for node in traced.graph.nodes]
    refined = Refine(traced)
    refined.refine()
    substitute_all_types(traced.graph, unify_eq(refined.constraints))
    return [node.type for node in traced.graph.nodes] != before


def unify_eq(list_of_eq):
    """{symbol: what it equals}, the right sides free of these symbols."""
    import sympy  # only where symbols are asked for
    found = {}
    for equation in list_of_eq:
        a, b = (_last(side, found) for side in (equation.lhs, equation.rhs))
        if a == b:
            continue
        if isinstance(a, sympy.Symbol):
            found[a] = b
        elif isinstance(b, sympy.Symbol):
            found[b] = a
    return {symbol: _last(symbol, found) for symbol in found}


def _last(value, found):
    while value in found:
        value = found[value]
    return value


def substitute_all_types(graph, mapping):
    """Put what symbols equal in their place, in all nodes' types."""
    for node in graph.nodes:
        if isinstance(node.type, TensorType):
            node.type = TensorType(tuple(mapping.get(d, d) for d in node.type.dims))
