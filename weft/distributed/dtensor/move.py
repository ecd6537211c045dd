"""From one way to be spread to another: what each rank sends and keeps. Plain tensors, outside the graph."""
from weft.core.errors import fail
from weft.distributed import collectives
from weft.distributed.dtensor.layout import Layout, piece
from weft.distributed.placements import Replicate
from weft.distributed.reduce_op import ReduceOp
from weft.tensor.names import FUNCTIONS

REDUCTIONS = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "max": ReduceOp.MAX, "min": ReduceOp.MIN,
              "product": ReduceOp.PRODUCT}


def moved(local, layout, placements):
    """This rank's part under other placements; all ranks of the mesh call it."""
    if layout.placements == tuple(placements) or layout.mesh.get_coordinate() is None:
        return local
    now, changing = list(layout.placements), changes(layout.placements, placements)
    for m in sorted(changing, reverse=True):        # what was cut last is joined first
        local = made_whole(local, Layout(layout.mesh, now, layout.shape), m)
        now[m] = Replicate()
    for m in sorted(changing):
        local = cut(local, layout, now, m, placements[m])
        now[m] = placements[m]
    return local


def changes(before, after):
    """The mesh's dimensions in which something changes, with those that cut the same dimension of the tensor later."""
    found = {m for m, (a, b) in enumerate(zip(before, after)) if a != b}
    for m in sorted(found):
        for k in range(m + 1, len(before)):
            if any([before[k].is_shard(p.dim) or after[k].is_shard(p.dim)
                    for p in (before[m], after[m]) if p.is_shard()]):
                found.add(k)
    return found


def made_whole(local, layout, m):
    """The parts or summands of a mesh dimension put together, on each of its ranks."""
    placement, mesh = layout.placements[m], layout.mesh
    group = mesh.get_group(m)
    if placement.is_partial():
        made = local.contiguous().clone()
        collectives.all_reduce(made, reduction(placement), group)
        return made
    if not placement.is_shard():
        return local
    here = mesh.get_coordinate()
    shapes = [layout.part_at([*here[:m], i, *here[m + 1:]])[0] for i in range(mesh.size(m))]
    parts = [FUNCTIONS["empty"](shape, dtype=local.dtype) for shape in shapes]
    collectives.all_gather(parts, local.contiguous(), group)
    return FUNCTIONS["cat"](parts, placement.dim)


def reduction(placement):
    if placement.reduce_op not in REDUCTIONS:
        fail(ValueError, f"Partial({placement.reduce_op!r})", f"one of {', '.join(REDUCTIONS)}")
    return REDUCTIONS[placement.reduce_op]


def cut(local, layout, now, m, placement):
    """What this rank keeps of what all ranks of a mesh dimension have."""
    at = layout.mesh.get_coordinate()[m]
    if placement.is_shard():
        first, size = piece(local.shape[placement.dim], layout.mesh.size(m), at)
        return local.narrow(placement.dim, first, size).contiguous().clone()
    if placement.is_partial() and placement.reduce_op == "sum" and at:
        return FUNCTIONS["zeros_like"](local)       # the first rank has the only summand that isn't zero
    if placement.is_partial() and placement.reduce_op == "product" and at:
        return FUNCTIONS["ones_like"](local)
    return local
