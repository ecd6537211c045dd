"""How an op runs on spread tensors: along which of its dimensions every rank works on its own.

A `Pattern` names the dimensions of an op's operands and results by letters, like an einsum: `ij jk -> ik`. Where one
dimension of the mesh cuts the letter i, each operand that has an i is cut there, the others are whole, and so is the
result cut at i; a letter that no result has is summed over, so that the ranks' results are summands. The planner
chooses the letter that moves least, or none: then all ranks do the same work.
"""
from weft.core.errors import fail
from weft.distributed.dtensor.layout import Layout, same_mesh
from weft.distributed.dtensor.tensor import DTensor, enter, leave, redistributed, spread
from weft.distributed.placements import Partial, Replicate, Shard
from weft.tensor.tensor import Tensor

WHOLE, SUMMANDS = object(), object()        # choices that are no letter: everything whole; a summand stays one


class Pattern:
    """ins: for each operand a letter, or None, for each dimension; None stands for one that must be whole.
    outs: the same for each result. linear: "all" where summands of all operands give summands of the result (a sum),
    "one" where those of any one operand do (a product), a number where only those of that operand do.
    """

    __slots__ = ("ins", "outs", "linear")

    def __init__(self, ins, outs, linear=None):
        self.ins, self.outs, self.linear = ins, outs, linear


def operands_of(values):
    """The DTensors in arguments, lists among them, in their order."""
    found = []
    for value in values:
        if isinstance(value, DTensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(operands_of(value))
        elif isinstance(value, dict):
            found.extend(operands_of(value.values()))
        elif isinstance(value, Tensor) and value.numel() != 1:
            fail(RuntimeError, "got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
                 "calling distributed operators!", "distribute_tensor(x, mesh, [Replicate()])")
    return found


def put_back(values, parts):
    """The same arguments with the next of `parts` (an iterator) in the place of each DTensor."""
    if isinstance(values, DTensor):
        return next(parts)
    if isinstance(values, (list, tuple)):
        made = [put_back(v, parts) for v in values]
        return made if isinstance(values, list) else type(values)(*made) if hasattr(values, "_fields") else tuple(made)
    if isinstance(values, dict):
        return {key: put_back(value, parts) for key, value in values.items()}
    return values


def common_mesh(operands, name):
    mesh = operands[0].device_mesh
    for other in operands[1:]:
        if not same_mesh(mesh, other.device_mesh):
            fail(RuntimeError, f"{name}: the DTensors are on different meshes", "bring them to one: full_tensor() and "
                 "distribute_tensor")
    return mesh


def choose(pattern, operands, m):
    """What one dimension of the mesh cuts: a letter, WHOLE or SUMMANDS."""
    placed = [t.placements[m] for t in operands]
    letters = {letters[p.dim] for p, letters in zip(placed, pattern.ins) if p.is_shard()} - {None}
    options = [*([SUMMANDS] if stays_sum(pattern, placed) else []), *sorted(letters, key=str), WHOLE]
    return min(options, key=lambda option: moved_bytes(pattern, operands, m, option))


def stays_sum(pattern, placed):
    sums = [p.is_partial() and p.reduce_op == "sum" for p in placed]
    rest_whole = all([s or p.is_replicate() for s, p in zip(sums, placed)])
    if pattern.linear == "all":
        return all(sums)
    if pattern.linear == "one":
        return sum(sums) == 1 and rest_whole
    return isinstance(pattern.linear, int) and sums[pattern.linear] and sum(sums) == 1 and rest_whole


def moved_bytes(pattern, operands, m, option):
    """About how much is sent: joining a cut operand once its size, a sum twice; a result of summands is summed later.
    """
    total = 0
    for t, letters in zip(operands, pattern.ins):
        now, then = t.placements[m], placement_for(letters, option, t.placements[m])
        if now != then and not now.is_replicate():
            total += t.numel() * t.element_size() * (2 if now.is_partial() else 1)
    if option not in (WHOLE, SUMMANDS) and any([option not in letters for letters in pattern.outs]):
        total += 1
    return total


def placement_for(letters, option, now):
    """How an operand must be spread over the mesh's dimension."""
    if option is SUMMANDS:
        return now
    if option is WHOLE or option not in letters:
        return Replicate()
    return Shard(letters.index(option))


def grad_placement(placement, option):
    """How the gradient of an operand's part is spread: where others are cut, every rank has a summand of it."""
    if option is WHOLE or placement.is_shard():
        return placement
    if placement.is_partial():
        return Replicate()
    return Partial()


def run(call, pattern, args, kwargs, name):
    """`call(*args, **kwargs)` on this rank's parts, by a pattern; its tensors as DTensors."""
    operands = operands_of([args, kwargs])
    mesh = common_mesh(operands, name)
    chosen = [choose(pattern, operands, m) for m in range(mesh.ndim)]
    parts = []
    for t, letters in zip(operands, pattern.ins):
        wanted = [placement_for(letters, option, t.placements[m]) for m, option in enumerate(chosen)]
        grads = tuple([grad_placement(p, option) for p, option in zip(wanted, chosen)])
        parts.append(enter(redistributed(t, wanted), grads))
    parts = iter(parts)
    made = call(*put_back(tuple(args), parts), **put_back(kwargs, parts))
    return results(made, pattern, operands, mesh, chosen)


def results(made, pattern, operands, mesh, chosen):
    """The op's tensors as DTensors, in the tuple or list that it gave."""
    sizes = {letter: n for t, letters in zip(operands, pattern.ins) for letter, n in zip(letters, t.shape)}
    outs = iter(pattern.outs if len(pattern.outs) > 1 or isinstance(made, Tensor) else
                pattern.outs * len(made))
    if isinstance(made, Tensor):
        return result(made, next(outs), sizes, mesh, chosen)
    found = [result(t, next(outs), sizes, mesh, chosen) if isinstance(t, Tensor) else t for t in made]
    return found if isinstance(made, list) else type(made)(*found) if hasattr(made, "_fields") else \
        type(made)(found)


def result(local, letters, sizes, mesh, chosen):
    placements = []
    for option in chosen:
        if option is WHOLE:
            placements.append(Replicate())
        elif option is SUMMANDS or option not in letters:
            placements.append(Partial())
        else:
            placements.append(Shard(letters.index(option)))
    shape = [n if letter is None else sizes[letter] for letter, n in zip(letters, local.shape)]
    return leave(local, Layout(mesh, placements, shape))


def everywhere(call, args, kwargs, name):
    """`call` on whole operands, the same on all ranks: right for any op that only computes."""
    operands = operands_of([args, kwargs])
    mesh = common_mesh(operands, name)
    parts = iter([enter(redistributed(t, (Replicate(),) * mesh.ndim), (Replicate(),) * mesh.ndim) for t in operands])
    made = call(*put_back(tuple(args), parts), **put_back(kwargs, parts))
    if isinstance(made, Tensor):
        return leave(made, Layout(mesh, (Replicate(),) * mesh.ndim, made.shape))
    if isinstance(made, (tuple, list)) and made and all(isinstance(t, Tensor) for t in made):
        found = [leave(t, Layout(mesh, (Replicate(),) * mesh.ndim, t.shape)) for t in made]
        return found if isinstance(made, list) else type(made)(*found) if hasattr(made, "_fields") else tuple(found)
    return made


def drawn(make, layout):
    """This rank's part of a tensor that all ranks draw alike, from generators in one state: `make(whole shape)`."""
    shape, start = layout.own_part()
    whole = make(layout.shape)
    for d, (first, size) in enumerate(zip(start, shape)):
        whole = whole.narrow(d, first, size)
    return spread(whole.contiguous().clone(), layout)
