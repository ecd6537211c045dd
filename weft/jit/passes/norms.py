"""Batch norm with known statistics (in evaluation) is elementwise: its factors become a step of their own, so that the
rest of it may run in a chain with what comes after (activation, residual), to the same bits.
"""
import math

import numpy as np

from weft.core.spec import Spec
from weft.jit.graph import Graph, Step
from weft.jit.kinds import CONST, OP, VALUE, WHOLE
from weft.jit.passes.fuse import FLOATS, loop_of, type_of
from weft.jit.path import arg, numbers_in
from weft.tensor.names import FUNCTIONS

NORM, FACTORS = FUNCTIONS["_batch_norm"].op, FUNCTIONS["_norm_factors"].op
WEIGHT, BIAS, WRITTEN, KNOWN, TRAINING, EPS = 1, 2, slice(3, 5), slice(5, 7), 7, 9      # its arguments
LEAST_PLANE = 64        # elements: smaller ones are no rows of a chain


def opened(graph):
    """The graph with the factors of such norms as steps, where an elementwise step reads what they make."""
    readers = {}
    for step in graph.steps:
        for k in numbers_in(step.args, VALUE):
            readers.setdefault(k, []).append(step)
    kept, specs, steps = graph.kept(), list(graph.specs), []
    for step in graph.steps:
        if is_open(step, specs) and not any([k in kept or k in readers for k in step.outs[1:]]) \
                and any([loop_of(reader, graph.specs) is not None for reader in readers.get(step.outs[0], ())]):
            args = [step.args[i] for i in (WEIGHT, BIAS)] + step.args[KNOWN] + [step.args[EPS]]
            dtype, channels = specs[step.outs[0]].dtype, specs[step.outs[0]].shape[1]
            made = range(len(specs), len(specs) + 3)
            specs += [Spec((channels, 1, 1), dtype)] * 3
            steps.append(Step(OP, FACTORS, args, list(made), False, step.waiting, step.place, True))
            step = step.having(step.args, kind=OP)
            step.factors = [arg(VALUE, k) for k in made]
        steps.append(step)
    return Graph(steps, specs, graph.results)


def is_open(step, specs):
    """Whether a step is a batch norm that writes nothing and whose planes are rows of a chain."""
    if step.op is not NORM or step.kind not in (OP, WHOLE) or step.unusual or step.args[0].kind != VALUE:
        return False
    x, out = specs[step.args[0].index], specs[step.outs[0]]
    training = step.args[TRAINING]
    if training.kind != CONST or training.value or not all(map(is_none, step.args[WRITTEN])):
        return False
    given = [a for a in (step.args[WEIGHT], step.args[BIAS], *step.args[KNOWN]) if not is_none(a)]
    return x.c_contiguous and out.c_contiguous and x.dtype == out.dtype and x.dtype.str[1:] in FLOATS \
        and math.prod(x.shape[2:]) >= LEAST_PLANE and len(x.shape) == 4 \
        and all([type_of(a, specs) == np.dtype(x.dtype) for a in given])


def is_none(a):
    return a.kind == CONST and a.value is None
