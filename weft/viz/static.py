"""The graph page's view of a static graph (weft/jit/static.py): its steps, as nodes."""
from weft.core.errors import where
from weft.core.seam import title_of
from weft.jit.graph import shown
from weft.jit.kinds import EXT, FUSED, LIST, VALUE, WRITE
from weft.viz.graph import Graph, Node, link
from weft.viz.history import dtype_of, family_of, leaf_kind, size_of


def from_static(static, title=""):
    """A Graph of a StaticGraph: inputs, steps (a fused one lists its parts) and what comes out."""
    nodes, made = [], {}

    def new(op, kind, **fields):
        nodes.append(Node(len(nodes), op, kind, **fields))
        return nodes[-1]
    for i, t in enumerate(static.inputs):
        made["in", i] = new(leaf_kind(t), leaf_kind(t), name=f"in{i}", shape=tuple(t.shape),
                            dtype=dtype_of(t._form.dtype), bytes=t._form.nbytes)
    for step in static.graph.steps:
        specs = [static.graph.specs[k] for k in step.outs]
        node = new("fused" if step.kind == FUSED else "write" if step.kind == WRITE else title_of(step.op), "op",
                   family=family_of(step.op) if step.op is not None else "pointwise",
                   bytes=sum([size_of(spec.shape, spec.dtype) for spec in specs]),
                   outputs=[(tuple(spec.shape), dtype_of(spec.dtype)) for spec in specs])
        if node.outputs:
            node.shape, node.dtype = node.outputs[0]
        node.attrs = {"of": ", ".join([part.op.name for part in step.parts])} if step.parts else {
            name: shown(a) for name, a in zip(step.op.names if step.op is not None else (), step.args)
            if a.kind not in (VALUE, EXT, LIST) and a.value is not None}
        node.source = where(step.place) if step.place is not None else None
        link(node, [made[key] for key in keys_of(step.args)])
        made.update({("value", k): node for k in step.outs})
    for i, (_, a) in enumerate(static.graph.results):
        source = made[next(keys_of([a]))]
        link(new("output", "output", name=f"output {i}" if i else "output", shape=source.shape, dtype=source.dtype),
             [source])
    return Graph(nodes, title=title)


def keys_of(args):
    """What stands for the tensors among arguments."""
    for a in args:
        if a.kind == LIST:
            yield from keys_of(a.items)
        elif a.kind in (VALUE, EXT):
            yield ("value" if a.kind == VALUE else "in"), a.index
