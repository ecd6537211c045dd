"""Which results of a step may be written where an input lies that nobody reads afterwards.

Only elementwise steps: an element is read before it is written. Whether the memory is the input's own is seen when the
step runs: nobody else holds the array then, and it looks at no other's memory (`segment`, cpp/fused.cpp).
"""
from weft.jit.kinds import FUSED, OP, VALUE
from weft.kernels.codes import PRODUCTS

HEAD = 5            # of a fused program: inputs, steps, tiles, results, nd; then the shape, then EACH numbers a step
EACH = 6            # the code, four operands or -1, the place of the result


def taken_over(step, dying, specs):
    """{a result's value: the value whose memory it may take}; dying: values that nobody reads after the step."""
    if step.kind == FUSED:
        return taken_by_results(step, dying, specs)
    if step.kind != OP or len(step.outs) != 1 or step.many or step.unusual:
        return {}
    code = max(step.op.binary_code, step.op.unary_code)
    x = step.args[0]
    if code < 0 or code in PRODUCTS or x.kind != VALUE or x.index not in dying:
        return {}
    if any([a.kind == VALUE and a.index == x.index for a in step.args[1:]]):        # `x * x`
        return {}
    return {step.outs[0]: x.index} if lie_alike(specs[x.index], specs[step.outs[0]]) else {}


def taken_by_results(step, dying, specs):
    """Of a fused one: no part that comes after a result's may read the input that was there."""
    inputs, count, tiles, _, nd = (int(n) for n in step.program[:HEAD])
    made, read = {}, {}         # an operand's number -> the part that makes it; the last part that reads it
    for i, numbers in enumerate(step.program[HEAD + nd:HEAD + nd + EACH * count].reshape(-1, EACH).tolist()):
        made[numbers[-1]] = i
        read.update(dict.fromkeys(numbers[1:-1], i))
    found, free = {}, [i for i, a in enumerate(step.args) if a.kind == VALUE and a.index in dying]
    for r, out in enumerate(step.outs if step.fold is None else step.outs[:-1]):
        for i in free:
            if lie_alike(specs[step.args[i].index], specs[out]) and read[i] <= made[inputs + tiles + r]:
                found[out] = step.args[i].index
                free.remove(i)
                break
    return found


def lie_alike(a, b):
    """Whether two values have one shape and type, each in one piece."""
    return tuple(a.shape) == tuple(b.shape) and a.dtype == b.dtype and a.c_contiguous and b.c_contiguous


def with_places(step, taken):
    """The program of a fused step, and for each result the number of the input whose memory it may take, or -1."""
    where = {a.index: i for i, a in enumerate(step.args) if a.kind == VALUE}
    return [*step.program.tolist(), *[where[taken[k]] if k in taken else -1 for k in step.outs]]
