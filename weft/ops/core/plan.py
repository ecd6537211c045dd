# compiled
"""Which rules run for a choice of inputs, and so what a node must save; worked out once for each choice."""
from weft.autograd.graph import ALL_GRADS, USED_GRADS, Plan, Rule, with_second
from weft.ops.core.body import MISSING, SHAPE_SLOT


def parameters(function):
    """(names, defaults, number of positional ones) of a function; `inspect.signature` would cost a tenth of the
    import.
    """
    code = function.__code__
    n, total = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:total]
    given, keyword = function.__defaults__ or (), function.__kwdefaults__ or {}
    defaults = (MISSING,) * (n - len(given)) + tuple(given) + tuple(keyword.get(name, MISSING) for name in names[n:])
    return names, defaults, n


def takes(rule):
    """The names that a rule takes; one made by a function says them itself, in `takes`."""
    return getattr(rule, "takes", None) or parameters(rule)[0]


def index_rules(op):
    """Number an op's rules, and forget the plans made with other ones."""
    op.rule_slots = tuple([op.aliases[n] for n in op.rule_names])
    op.n_rules = len(op.rule_names)
    op.plans, op.small_plans, op.quick_plans = {}, [None] * 4, [None] * 8


def plan_for(op, mask):
    """The plan for the inputs whose bits are set in `mask`."""
    plan = op.plans.get(mask)
    if plan is None:
        plan = op.plans[mask] = make_plan(op, mask)
        if mask < 8:
            op.quick_plans[mask] = plan
    return plan


def small_plan_for(op, mask):
    """The same for a call with one or two operands and otherwise defaults, which then need not be saved."""
    plan = op.small_plans[mask] = make_plan(op, mask, True)
    return plan


def make_plan(op, mask, defaults=False):
    """For a choice of inputs: the rules to run and the slots to save; with `defaults`, other arguments are known."""
    wanted = [op.names[i] for i in range(op.n_params) if mask >> i & 1]
    for name in op.names[:2] if op.binary_code >= 0 else wanted:        # the short road's parents are both operands
        if name not in op.rule_names:
            _add_missing_rule(op, name)
    absent = [n for n in op.rule_names if is_absent(op, n)]
    if op.joint is not None:
        params = list(parameters(op.joint)[0])
        needs = params[-1:] == ["needs"]
        sources, keep = _sources(op, params[:-1] if needs else params, [])
        plan = Plan(tuple(keep), op.n_params, (), op.joint, sources, needs)
        plan.n_absent = len(absent)
        if op.spends >= 0 and op.spends in keep:
            plan.thrifty, plan.spends = True, keep.index(op.spends)
        return plan
    keep, found = [], []
    for name in wanted:
        params, rule = list(takes(op.rules[name])), op.rules[name]
        if defaults and len(params) == 2 and op.aliases.get(params[1], -1) >= 2 and params[0] == "g":
            rule, params = with_second(rule, op.defaults[op.aliases[params[1]]]), ["g"]
        sources, keep = _sources(op, params, keep)
        found.append((op.rule_names.index(name), rule, sources))
    lists = any(slot in op.lists for slot in op.rule_slots)
    plan = Plan(tuple(keep), op.n_params, tuple(Rule(at, -1, f, s) for at, f, s in found), lists=lists)
    # a view's arguments are numbers, and its rule never asks for the values
    plan.light = op.is_view and all(slot >= SHAPE_SLOT or 0 < slot < op.n_params for slot in keep)
    if op.slope >= 0 and len(found) == 1:
        _, _, (first, second, *rest) = found[0]
        if first == -1 and second >= 0:
            plan.thrifty, plan.slope, plan.slope_at = True, op.slope, second
            plan.slope_if = tuple([(at, op.defaults[keep[at]]) for at in rest])
    return plan


def _sources(op, params, keep):
    """Where a rule's arguments come from; adds to `keep` the slots that it needs."""
    slots = {name: i for i, name in enumerate(op.slot_names())}
    sources = []
    for name in params:
        if name == "g":
            sources.append(-1 if op.outputs is None else -2)
        elif name == "grads":
            sources.append(ALL_GRADS)
        elif name == "used":
            sources.append(USED_GRADS)
        elif name.startswith("g_") and name[2:] in (op.outputs or ()):
            sources.append(-2 - op.outputs.index(name[2:]))
        else:
            if name not in slots and name.endswith("_shape"):
                slot = SHAPE_SLOT + slots[name[:-len("_shape")]]
            else:
                slot = slots[name]
            if slot not in keep:
                keep = [*keep, slot]
            sources.append(keep.index(slot))
    return tuple(sources), keep


def is_absent(op, name):
    """Whether an input's rule only says that there is none."""
    return getattr(op.rules.get(name), "absent", False)


def _add_missing_rule(op, name):
    def missing(g):
        raise NotImplementedError(f"the derivative for '{name}' of {op.name} is not implemented")
    missing.absent = True
    op.rules[name] = missing
    op.rule_names = (*op.rule_names, name)
    index_rules(op)
