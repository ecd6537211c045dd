"""Where NaN and infinity began in a graph: the op and the line that made what broke the loss or a gradient.

A mask of -inf, or a NaN that was cut away again, breaks nothing and is no trouble. *Made* means: it is in the result
and was not in what went in, nor given as an argument (masked_fill(mask, -inf)).
"""
import math
from collections import namedtuple

from weft.viz.graph import Graph, Node

# broken: its values (those of the gradient) are not all finite; given: the user asked for what is not finite
Fact = namedtuple("Fact", "id kind nan inf grad_known grad_nan grad_inf given broke parents")


def trouble_of(graph):
    """{"node", "way", "what", "label", "where", "source"} of where it began, or None; graph: a Graph, or its document.

    way: "forward", "backward" (the rule of that op made it), or "given" (a tensor that went in held it already).
    """
    facts = facts_of(graph)
    end = broken_end(facts, count_children(facts))
    found = backward_origin(facts) if end is None else forward_origin(facts, end)
    return None if found is None else {**found, **words_for(graph, found["node"])}


def words_for(graph, id):
    """How a page names the node before it has the graph."""
    if isinstance(graph, dict):
        graph = Graph([Node.from_dict(next(node for node in graph["nodes"] if node["id"] == id))])
    node = graph[id]
    return {"label": node.label, "where": node.where, "source": node.source}


def facts_of(graph):
    """What there is to know of each node, by number and in the order in which they ran."""
    if not isinstance(graph, dict):
        return {node.id: fact_of(node.id, node.kind, node.values, node.grad, node.attrs, node.broke,
                                 [parent.id for parent in node.parents]) for node in graph.nodes}
    parents = {}
    for start, end in graph.get("edges") or ():
        parents.setdefault(end, []).append(start)
    nodes = sorted(graph.get("nodes") or (), key=lambda node: node["id"])
    known = {node["id"] for node in nodes}
    return {node["id"]: fact_of(node["id"], node.get("kind", "op"), node.get("values"), node.get("grad"),
                                node.get("attrs"), node.get("broke", False),
                                [p for p in parents.get(node["id"], ()) if p in known and p < node["id"]])
            for node in nodes}


def fact_of(id, kind, values, grad, attrs, broke, parents):
    counts = [0 if found is None else found.get(name, 0) if isinstance(found, dict) else getattr(found, name)
              for found in (values, grad) for name in ("nan", "inf")]
    return Fact(id, kind, counts[0], counts[1], grad is not None, counts[2], counts[3],
                kind in ("input", "buffer") or any(map(not_finite, (attrs or {}).values())), broke, parents)


def not_finite(value):
    """Whether an argument asks for NaN or infinity; in a document it is a text."""
    try:
        return not math.isfinite(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def count_children(facts):
    children = dict.fromkeys(facts, 0)
    for fact in facts.values():
        for parent in fact.parents:
            children[parent] += 1
    return children


def broken_end(facts, children):
    """The first result that is not finite; where a backward ran, what it ran from."""
    ends = [fact for fact in facts.values() if fact.kind == "output" or fact.kind == "op" and not children[fact.id]]
    trained = [fact for fact in ends if fact.grad_known]
    return next((fact for fact in trained or ends if fact.nan or fact.inf and not fact.given), None)


def forward_origin(facts, end):
    """From what is broken up to where it began: along NaN, and along infinity as far as nobody asked for it."""
    made = climb(facts, end, "nan") if end.nan else end
    source = climb(facts, made, "inf")
    if source.given and source is not made:
        source = made           # -inf of a mask is no fault; that NaN was made of it is
    kind = "NaN" if source.nan else "Inf"
    return {"node": source.id, "way": "forward" if source.kind in ("op", "output") else "given", "what": kind}


def climb(facts, start, kind):
    """The first of those before `start`, itself too, that hold `kind` and come from none that does."""
    seen, stack, sources = {start.id}, [start], []
    while stack:
        fact = stack.pop()
        before = [facts[p] for p in fact.parents if getattr(facts[p], kind)]
        if not before and (getattr(fact, kind) or fact is start):
            sources.append(fact)
        for parent in before:
            if parent.id not in seen:
                seen.add(parent.id)
                stack.append(parent)
    asked = [fact for fact in sources if not fact.given]
    return min(asked or sources, key=lambda fact: fact.id)


def backward_origin(facts):
    """The op whose rule turned finite gradients into others; or what was not finite forward, and so made it do that."""
    maker = rule_that_broke(facts)
    if maker is None:
        return None
    for fact in (maker, *(facts[p] for p in maker.parents)):
        if fact.nan or fact.inf and not fact.given:
            return forward_origin(facts, fact)
    return {"node": maker.id, "way": "backward", "what": "NaN" if gives(facts, maker, "grad_nan") else "Inf"}


def rule_that_broke(facts):
    """The first in the order of the backward: what the recorder saw break, else where statistics tell."""
    newest_first = list(reversed(facts.values()))
    seen = next((fact for fact in newest_first if fact.broke), None)
    if seen is not None:
        return seen
    for fact in newest_first:
        ill = fact.grad_nan or fact.grad_inf
        if fact.kind == "op" and not ill and (gives(facts, fact, "grad_nan") or gives(facts, fact, "grad_inf")):
            return fact
    return next((fact for fact in newest_first if fact.grad_nan or fact.grad_inf), None)


def gives(facts, fact, kind):
    return any(getattr(facts[p], kind) for p in fact.parents)
