# compiled, -O3
"""The graph's side of an op: a node with its parents, the user's line, and what the rules will ask for.

One record serves both roads. The short one knows at most two operands, `x` and `y`, and all else by its default; it
gives `values` as None and so makes no list of them.
"""
from weft.autograd.function import check_unwritten
from weft.autograd.graph import Node, Packed, Plan, Rule, next_seq
from weft.core.modes import GRAD_OFF, SAVED_HOOKS, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.kernels.native import is_inexact, same_layout, same_type, shape, spec
from weft.ops.core.body import SHAPE_SLOT
from weft.ops.core.inference import refuse_saving
from weft.ops.core.plan import plan_for, small_plan_for
from weft.tensor.tensor import Tensor, alias, needs_grad

SHAPE = SHAPE_SLOT


def record_short(op, mask, x, y, out):
    """Record an op of one or two operands, otherwise default arguments and one output."""
    plan = op.small_plans[mask]
    if plan is None:
        plan = small_plan_for(op, mask)
    node = begin(op, plan)
    first = add_edge(op, node, 0, x, out) if mask & 1 else None
    if op.n_rules == 2:
        node.parents = (first, add_edge(op, node, 1, y, out) if mask & 2 else None)
        if node.outs is not None or node.specs is not None:
            complete(node, 2)
    else:
        node.parents = (first,)
    if plan.n_saved:
        save(op, node, x, y, None, out, None)
    out._made_by = node


def record_one(op, mask, values, out):
    """Record an op of one output; `mask` has a bit for each parameter whose gradient is wanted."""
    plan = plan_of(op, mask, values)
    second = values[1] if len(values) > 1 else None
    node = start(op, plan, mask, values, out)
    if plan.n_saved:
        save(op, node, values[0], second, values, out, None)
    if is_inexact(out._form):
        out._made_by = node


def record_many(op, mask, values, outs):
    """The same for an op that gives a list of outputs."""
    plan = plan_of(op, mask, values)
    first = outs[0]
    second = values[1] if len(values) > 1 else None
    node = start(op, plan, mask, values, first)
    node.n_outputs = len(outs)
    node.out_specs = specs_of(outs)
    if plan.n_saved:
        save(op, node, values[0], second, values, first, outs)
    for k in range(len(outs)):
        t = outs[k]
        if is_inexact(t._form) and not (op.nondiff and k in op.nondiff):
            t._made_by = node
            t._made_nr = k


def plan_of(op, mask, values):
    """The plan for a choice of inputs; where a parameter is a list, for its length too."""
    plan = op.quick_plans[mask] if mask < 8 else None
    if plan is None:
        plan = plan_for(op, mask)
    return with_counts(op, plan, values) if plan.lists else plan


def with_counts(op, plan, values):
    """A plan whose list rule knows how many tensors the list has; made once for each length."""
    if op.n_rules == 1:
        only = values[op.rule_slots[0]]
        made = plan.counted.get(len(only)) if isinstance(only, (list, tuple)) else None
        if made is not None:
            return made
    lengths = tuple([len(values[i]) if isinstance(values[i], (list, tuple)) else -1 for i in op.rule_slots])
    made = plan.counted.get(lengths)
    if made is None:
        starts = [0]
        for n in lengths:
            starts.append(starts[-1] + (n if n >= 0 else 1))
        rules = [Rule(starts[rule.position], lengths[rule.position], rule.function, rule.sources)
                 for rule in plan.rules]
        made = Plan(plan.keep, plan.n_params, tuple(rules), plan.joint, plan.joint_sources, plan.joint_needs, False)
        made.n_absent = plan.n_absent
        plan.counted[lengths] = made
        if len(lengths) == 1 and lengths[0] >= 0:
            plan.counted[lengths[0]] = made
    return made


def begin(op, plan):
    """A node with the user's line."""
    node = Node.__new__(Node)
    node.op = op
    node.plan = plan
    node.seq = next_seq()
    node.n_outputs = 1
    node.place()
    return node


def start(op, plan, mask, values, first):
    """A node with the user's line and its parents."""
    node = begin(op, plan)
    slots, n = op.rule_slots, op.n_rules
    u = v = w = None
    if n > 0:
        i = slots[0]
        u = values[i]
    if n == 1 and not isinstance(u, (list, tuple)):
        node.parents = (edge_of(op, node, 0, u, first),)
        return node
    if n > 1:
        i = slots[1]
        v = values[i]
    if n > 2:
        i = slots[2]
        w = values[i]
    if n <= 3 and not isinstance(u, (list, tuple)) and not isinstance(v, (list, tuple)) \
            and not isinstance(w, (list, tuple)):
        if n == 2:
            node.parents = (edge_of(op, node, 0, u, first), edge_of(op, node, 1, v, first))
        elif n == 3:
            node.parents = (edge_of(op, node, 0, u, first), edge_of(op, node, 1, v, first),
                            edge_of(op, node, 2, w, first))
        complete(node, n)
        return node
    parents = []
    for i in op.rule_slots:
        v = values[i]
        if isinstance(v, (list, tuple)):
            for e in v:
                parents.append(edge_of(op, node, len(parents), e, first))
        else:
            parents.append(edge_of(op, node, len(parents), v, first))
    node.parents = tuple(parents)
    complete(node, len(parents))
    return node


def complete(node, n):
    """Fill up what was noted of some of the n parents."""
    if node.outs is not None and len(node.outs) < n:
        node.outs = node.outs + (0,) * (n - len(node.outs))
    if node.specs is not None and len(node.specs) < n:
        node.specs = node.specs + (None,) * (n - len(node.specs))


def edge_of(op, node, at, value, first):
    """The edge to one value; None where no gradient is wanted."""
    if not isinstance(value, Tensor) or not needs_grad(value):
        return None
    return add_edge(op, node, at, value, first)


def add_edge(op, node, at, t, first):
    """The edge to one input; notes its output number and, where `fit` will be needed, its shape and type."""
    if not (same_layout(t._form, first._form) if op.pointwise else same_type(t._form, first._form)):
        before = node.specs or ()
        node.specs = before + (None,) * (at - len(before)) + (spec_of(t),)
    if t._made_by is None:
        return t
    if t._made_nr:
        numbers = node.outs or ()
        node.outs = numbers + (0,) * (at - len(numbers)) + (t._made_nr,)
    return t._made_by


def save(op, node, x, y, values, first, outs):
    """Keep what the rules will ask for: values, outputs, or only shapes."""
    plan = node.plan
    if plan.light:
        node.saved = numbers_and_shapes(plan, x, y, values)
        return
    if plan.n_saved == 1:
        saved = (value_of(op, plan.keep[0], x, y, values, first, outs),)
    elif plan.n_saved == 2:
        saved = (value_of(op, plan.keep[0], x, y, values, first, outs),
                 value_of(op, plan.keep[1], x, y, values, first, outs))
    elif plan.n_saved == 3:
        saved = (value_of(op, plan.keep[0], x, y, values, first, outs),
                 value_of(op, plan.keep[1], x, y, values, first, outs),
                 value_of(op, plan.keep[2], x, y, values, first, outs))
    else:
        saved = tuple([value_of(op, at, x, y, values, first, outs) for at in plan.keep])
    dirty = False
    for i in range(plan.n_saved):
        slot = plan.keep[i]
        if slot < SHAPE:
            dirty = was_written(op, saved[i]) or dirty
    if dirty:
        node.versions = versions_of(saved)
    if mode_bits() & SAVED_HOOKS:
        saved = tuple([pack(v, node, op, at) for v, at in zip(saved, plan.keep)])
        node.packed = True
    node.saved = saved


def value_of(op, slot, x, y, values, first, outs):
    """What a slot stands for: a value, an output, or a shape."""
    if slot >= SHAPE:
        slot -= SHAPE
        return shape_of(x if slot == 0 else y if slot == 1 else values[slot])
    if slot >= op.n_params:
        return alias(first if outs is None else outs[slot - op.n_params])
    if slot == 0:
        return x
    if slot == 1:
        return y
    return op.defaults[slot] if values is None else values[slot]


def was_written(op, value):
    """Whether a value that is to be saved was ever written to in place; refused if inference mode made it."""
    if isinstance(value, Tensor):
        t = value
        if t._inference:
            refuse_saving(op)
        return t._memory_record is not None and t._memory_record.version != 0
    if isinstance(value, (list, tuple)):
        if any([isinstance(e, Tensor) and e._inference for e in value]):
            refuse_saving(op)
        return written(value)
    return False


def numbers_and_shapes(plan, x, y, values):
    """What a light plan saves: nothing of it can be written to."""
    if plan.n_saved == 1:
        return (number_or_shape(plan.keep[0], x, y, values),)
    if plan.n_saved == 2:
        return number_or_shape(plan.keep[0], x, y, values), number_or_shape(plan.keep[1], x, y, values)
    return tuple([number_or_shape(slot, x, y, values) for slot in plan.keep])


def number_or_shape(slot, x, y, values):
    """One of them; slot 0 is x, slot 1 is y, and `values` has all that come after."""
    if slot == SHAPE:
        return shape_of(x)
    if slot == 1:
        return y
    return values[slot] if slot < SHAPE else shape_of(values[slot - SHAPE])


def mask_of(values):
    """A bit for each parameter that has (or, for a list, holds) a tensor that needs a gradient."""
    mask = 0
    bit = 1
    for v in values:
        if isinstance(v, Tensor):
            if needs_grad(v):
                mask |= bit
        elif isinstance(v, (list, tuple)):
            for e in v:
                if isinstance(e, Tensor) and needs_grad(e):
                    mask |= bit
        bit <<= 1
    return mask


def edge(t):
    """Where a tensor's gradient goes: its node, or the leaf itself."""
    return t if t._made_by is None else t._made_by


def spec_of(t):
    """(shape, type) of a tensor's array."""
    return spec(t._form)


def specs_of(outs):
    """The same of each output; those that are alike share one."""
    found = []
    last = outs[0]
    known = spec_of(last)
    for made in outs:
        t = made
        if not same_layout(t._form, last._form):
            last = t
            known = spec_of(t)
        found.append(known)
    return tuple(found)


def shape_of(value):
    """The shape of a tensor (of each in a list): what a rule named `x_shape` saves instead of x."""
    if isinstance(value, Tensor):
        t = value
        return shape(t._form)
    return [shape_of(v) for v in value] if isinstance(value, (list, tuple)) else ()


def written(values):
    """Whether a tensor in a list was ever written to in place."""
    for v in values:
        if isinstance(v, Tensor):
            t = v
            if t._memory_record is not None and t._memory_record.version:
                return True
    return False


def versions_of(saved):
    """The version of each value that a node saves."""
    if len(saved) == 1:
        return (version_in(saved[0]),)
    if len(saved) == 2:
        return version_in(saved[0]), version_in(saved[1])
    if len(saved) == 3:
        return version_in(saved[0]), version_in(saved[1]), version_in(saved[2])
    return tuple([version_in(e) for e in saved])


def version_in(value):
    """The version of a tensor, or of each in a list (None when all are 0)."""
    if isinstance(value, Tensor):
        t = value
        return 0 if t._memory_record is None else t._memory_record.version
    if isinstance(value, (list, tuple)) and written(value):
        return [e._writes() if isinstance(e, Tensor) else 0 for e in value]
    return None if isinstance(value, (list, tuple)) else 0


def pack(value, node, op, slot):
    """A saved tensor, or each in a saved list, through the innermost pack hook."""
    if not local.saved_hooks:
        return value
    if isinstance(value, (list, tuple)):
        return [pack(v, node, op, slot) for v in value] if any([isinstance(v, Tensor) for v in value]) else value
    if not isinstance(value, Tensor):
        return value
    pack_hook, unpack_hook = local.saved_hooks[-1]
    origin = None
    if slot < op.n_params and needs_grad(value):
        origin = (edge(value), value._made_nr)
    version = value._writes()
    bits = set_mode_bits(mode_bits() & ~SAVED_HOOKS | GRAD_OFF)
    try:
        packed = pack_hook(value if origin is None else alias(value))
    finally:
        set_mode_bits(bits)
    check_unwritten(value, version)
    return Packed(packed, unpack_hook, origin)
