"""What each recorded node made: autograd keeps no shape of its own, but its children and what was saved tell nearly
always.
"""
from weft.autograd.graph import Node as Recorded
from weft.core.modes import no_grad
from weft.core.spec import stand_in
from weft.ops.core.body import SHAPE_SLOT
from weft.tensor.tensor import Tensor, wrap


def infer(recorded, roots):
    """node -> (shape, np_dtype) of its first output, as far as it can be told. recorded: oldest first."""
    known = {t.grad_fn: _spec(t) for t in roots if t.grad_fn is not None and t._made_nr == 0}
    for node in reversed(recorded):         # children first
        if node not in known:
            own = _from_itself(node)
            if own is not None:
                known[node] = own
        _tell_parents(node, known)
    return known


def _spec(t):
    return t._form.shape, t._form.dtype


def _from_itself(node):
    """From its list of outputs, or from an output that it saved."""
    if node.out_specs:
        return node.out_specs[0]
    if node.plan is None or node.saved is None:
        return None
    for slot, value in zip(node.plan.keep, node.saved):
        if slot < SHAPE_SLOT and slot >= node.plan.n_params and isinstance(value, Tensor):
            return _spec(value)
    return None


def _tell_parents(node, known):
    """What a node says about its inputs: those that it saved (or the shape of), and those that broadcasting didn't
    change.
    """
    own = known.get(node)
    inputs = _saved_inputs(node)
    for i, parent in enumerate(node.parents):
        if not isinstance(parent, Recorded) or parent in known or node.outs is not None and node.outs[i]:
            continue
        spec = node.specs[i] if node.specs is not None and i < len(node.specs) else None
        like = getattr(node, "inputs_like", None) if node.op is None else None
        if like is not None:
            known[parent] = like[i]
        elif spec is not None:
            known[parent] = spec
        elif isinstance(inputs.get(i), Tensor):
            known[parent] = _spec(inputs[i])
        elif inputs.get(i) is not None and own is not None:
            known[parent] = tuple(inputs[i]), own[1]
        # without an op: a write in place
        elif own is not None and (i == 0 if node.op is None else node.op.pointwise):
            known[parent] = own
        elif own is not None and node.plan is not None:
            _from_rules(node, own, known)


def _without_values(shape, np_dtype):
    made = wrap(stand_in(shape, np_dtype))
    made._on_meta = True
    return made


def _from_rules(node, own, known):
    """A gradient has the shape of its input: run the rules on a gradient without values."""
    if node.n_outputs > 1 or node.plan.n_saved and node.saved is None:
        return
    try:
        with no_grad():
            grads = node.run(_without_values(*own))
    except Exception:       # a rule that needs values: the shape stays unknown
        return
    for parent, grad, out in zip(node.parents, grads, node.outs or (0,) * len(grads)):
        if isinstance(parent, Recorded) and grad is not None and out == 0:
            known.setdefault(parent, _spec(grad))


def _saved_inputs(node):
    """position among the parents -> the saved tensor or shape, for inputs that are single tensors."""
    if node.plan is None or node.saved is None or node.plan.lists or any(rule.count >= 0 for rule in node.plan.rules):
        return {}
    at = {slot: i for i, slot in enumerate(node.op.rule_slots)}
    found = {}
    for slot, value in zip(node.plan.keep, node.saved):
        if slot >= SHAPE_SLOT and isinstance(value, tuple):
            found.setdefault(at.get(slot - SHAPE_SLOT), value)
        elif slot in at and isinstance(value, Tensor):
            found[at[slot]] = value
    return found
