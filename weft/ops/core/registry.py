"""`@op`: from one class body, everything that an op is.

    @op
    class softplus:
        '''log(1 + e**x), without overflow.'''
        tags = POINTWISE | TO_FLOAT
        def forward(x): return np.logaddexp(x, 0)           # arrays in, array out
        def grad_x(g, x, out): return g * exp(x - out)      # Tensors in, Tensor out; the names say what is saved
        samples = [((3,),), ((),)]

What a body may have:
    forward(x, ..., *, k=...)   the NumPy reference; gets arrays for tensors (lists of arrays for lists)
    compose(input, ...)         instead of forward: built from other ops, gradients come free; torch's own parameter
                                names
    grad_<param>(...)           the rule for one input. Names: g (the output's gradient), g_<output>, grads (all, a
                                list),
                                out or <output>, any parameter, <param>_shape (saves the shape only, so the input's
                                memory is not kept and later writes to it don't matter). For a list parameter it returns
                                a list.
    grads(...), inputs = "x w"  one joint rule; returns a gradient for each of `inputs`; may take `needs` (tuple of
    bools)
    check(x, ...)               raises for what the op refuses, on the values as they were given, before promotion
    write(x, ...)               fills array x in place, for the `_` form (else: compute, then copy)
    shape(...)                  (shape, np_dtype) of the result from the arrays' shapes, for meta tensors, when forward
                                is dear
    tags                        see below;   native = "exp"  the C++ loop;   outputs = "values indices"
    names = "linalg.inv inverse"  all public names (default: the class's, a trailing _ dropped); method = False for no
    method
    promotes = "x y"            which parameters take part in type promotion (default with POINTWISE: all without
    default)
    pack = "size"               x.view(2, 3) is x.view((2, 3))
    nondiff = "indices"         outputs without a gradient (integer ones never have one)
    samples                     arguments for the derived tests: a tuple of ints is a random tensor of that shape
"""
import collections

from weft.autograd.graph import ALL_GRADS, Plan, Rule, with_second
from weft.core.runtime import attach
from weft.kernels.codes import codes_of
from weft.ops.core.apply import MISSING, SHAPE_SLOT, Op, make_inplace
from weft.ops.core.promotion import DEFAULT, NO_BOOL, TO_BOOL, TO_FLOAT
from weft.tensor.calls import make_function
from weft.tensor.tensor import Tensor

POINTWISE = frozenset(("pointwise", "inplace", DEFAULT))    # broadcasts, promotes, has an in-place form
FLOATING = frozenset(("pointwise", "inplace", TO_FLOAT))    # the same, integers become the default float
COMPARE = frozenset(("pointwise", "inplace", DEFAULT, "nograd"))  # gives bool
VIEW = frozenset(("view",))                                 # shares its input's memory
MAYBE_VIEW = frozenset(("maybe_view",))                     # shares it where it can
MULTI_VIEW = frozenset(("view", "multi_view"))              # several views at once
NOGRAD = frozenset(("nograd",))                             # its outputs never require grad
INPLACE = frozenset(("inplace",))                           # give it an `_` form
KEEP_HALF = frozenset(("keep_half",))                       # forward takes half types as they are (moves data only)

OPS_BY_NAME = {}        # public name -> Op
FUNCTIONS = {}          # public name ("linalg.inv") -> function
_ALIASES = {"input": "x", "self": "x", "other": "y", "axis": "dim", "keepdims": "keepdim", "x1": "x", "x2": "y",
            "axes": "dims"}


def op(cls):
    """Make an op of a class body; the name then stands for its function."""
    body = {k: (v.__func__ if isinstance(v, staticmethod) else v) for k, v in vars(cls).items()}
    names = body.get("names", cls.__name__.rstrip("_")).split()
    tags = frozenset(body.get("tags", frozenset()))
    made = Op.__new__(Op)
    made.name = names[0].split(".")[-1] if "." in names[0] else names[0]
    made.doc = body.get("__doc__") or ""
    _fill_signature(made, body, tags)
    _fill_rules(made, body, tags)
    made.pointwise = "pointwise" in tags
    made.is_view, made.maybe_view, made.multi_view = "view" in tags, "maybe_view" in tags, "multi_view" in tags
    made.keep_half = "keep_half" in tags or made.is_view or made.maybe_view
    made.write, made.check = body.get("write"), body.get("check")
    made.shape_rule = body.get("shape")
    made.samples = tuple(body.get("samples", ()))
    made.binary_code, made.unary_code, made.view_code = codes_of(body.get("native"), made.name)
    made.node_name = (body.get("node_name") or "".join(w.capitalize() for w in names[0].replace(".", "_").split("_"))
                      + "Backward0")
    made.method = body.get("method", "." not in names[0])
    function = _publish(made, cls, names, tags)
    made.public = function
    return function


def parameters(function):
    """(names, defaults, number of positional ones) of a function; `inspect.signature` would cost a tenth of the import.
    """
    code = function.__code__
    n, total = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:total]
    given, keyword = function.__defaults__ or (), function.__kwdefaults__ or {}
    defaults = (MISSING,) * (n - len(given)) + tuple(given) + tuple(keyword.get(name, MISSING) for name in names[n:])
    return names, defaults, n


def _fill_signature(made, body, tags):
    made.forward, made.compose = body.get("forward"), body.get("compose")
    made.names, made.defaults, made.n_positional = parameters(made.forward or made.compose)
    made.n_params = len(made.names)
    made.kw_names = made.names[made.n_positional:]
    made.aliases = {name: i for i, name in enumerate(made.names)}
    for theirs, ours in (_ALIASES | body["aliases"] if "aliases" in body else _ALIASES).items():
        if theirs not in made.aliases and ours in made.aliases:
            made.aliases[theirs] = made.aliases[ours]
    made.pack = made.aliases[body["pack"]] if "pack" in body else -1
    kinds = tags & {DEFAULT, TO_FLOAT, TO_BOOL, NO_BOOL}
    made.promotion = next(iter(kinds)) if kinds and made.forward is not None else None
    promoted = body["promotes"].split() if "promotes" in body else \
        [name for name, default in zip(made.names[:made.n_positional], made.defaults) if default is MISSING]
    made.promoted = tuple(made.aliases[n] for n in promoted) if made.promotion else ()


def _fill_rules(made, body, tags):
    outputs = body.get("outputs")
    made.outputs = tuple(outputs.split()) if outputs else None
    made.returns = (return_type(body.get("names", made.name).split()[0].strip("_").replace(".", "_"), made.outputs)
                    if outputs else None)
    made.nondiff = frozenset(made.outputs.index(n) for n in body.get("nondiff", "").split())
    made.joint = body.get("grads")
    made.rules = {n: body["grad_" + n] for n in made.names if "grad_" + n in body}
    made.rule_names = tuple(body["inputs"].split()) if made.joint else tuple(made.rules)
    made.differentiable = "nograd" not in tags
    _index_rules(made)
    if made.forward is not None and "out" in made.names:
        raise TypeError(f"op {made.name}: a parameter can't be called `out`, which is the output's name in the rules")
    unknown = [k for k in body if k.startswith("grad_") and k[5:] not in made.names]
    if unknown:
        raise TypeError(f"op {made.name}: {unknown[0]} names no parameter of forward{made.signature}")


RETURNS = {}        # PyTorch's name of a return type ("linalg_svd") -> the named tuple


def return_type(name, outputs):
    """The named tuple of several outputs, printed as PyTorch prints it."""
    made = collections.namedtuple(name, outputs)

    def __repr__(self):
        return f"torch.return_types.{name}(\n" + ",\n".join([f"{n}={v!r}" for n, v in zip(self._fields, self)]) + ")"

    def __reduce__(self):
        return _returned, (name, tuple(self))
    made.__repr__, made.__reduce__ = __repr__, __reduce__
    return RETURNS.setdefault(name, made)


def _returned(name, values):
    return RETURNS[name](*values)


def _index_rules(made):
    made.rule_slots = tuple(made.aliases[n] for n in made.rule_names)
    made.n_rules = len(made.rule_names)
    made.plans, made.small_plans, made.quick_plans = {}, [None] * 4, [None] * 8


def _publish(made, cls, names, tags):
    function = make_function(made, MISSING)
    _describe(function, made, names[0])
    for name in names:
        if name in OPS_BY_NAME:
            raise TypeError(f"op {name} is defined twice")
        OPS_BY_NAME[name] = made
        FUNCTIONS[name] = function
        if made.method and "." not in name:
            attach(Tensor, name, function)
    if "inplace" in tags or made.write is not None:
        in_place = make_inplace(made)
        _describe(in_place, made, names[0] + "_")
        for name in names:
            if "." not in name:
                FUNCTIONS[name + "_"] = in_place
                attach(Tensor, name + "_", in_place)
    return function


def _describe(function, made, name):
    function.__name__ = function.__qualname__ = name.split(".")[-1]
    function.__doc__ = made.doc
    space = name.rpartition(".")[0]         # where pickle finds it: weft, weft.nn.functional, weft.linalg
    function.__module__ = "weft." + space if space else "weft"
    function.op = made


def make_plan(made, mask, defaults=False):
    """For a choice of inputs: the rules to run and the slots to save; with `defaults`, other arguments are known."""
    wanted = [made.names[i] for i in range(made.n_params) if mask >> i & 1]
    for name in wanted:
        if name not in made.rule_names:
            _add_missing_rule(made, name)
    if made.joint is not None and all(n in made.rule_names for n in wanted):
        params = list(parameters(made.joint)[0])
        needs = params[-1:] == ["needs"]
        sources, keep = _sources(made, params[:-1] if needs else params, [])
        return Plan(tuple(keep), made.n_params, (), made.joint, sources, needs)
    keep, found = [], []
    for name in wanted:
        params, rule = list(parameters(made.rules[name])[0]), made.rules[name]
        if defaults and len(params) == 2 and made.aliases.get(params[1], -1) >= 2 and params[0] == "g":
            rule, params = with_second(rule, made.defaults[made.aliases[params[1]]]), ["g"]
        sources, keep = _sources(made, params, keep)
        found.append((made.rule_names.index(name), rule, sources))
    lists = any(_is_list(made, n) for n in made.rule_names)
    plan = Plan(tuple(keep), made.n_params, tuple(Rule(at, -1, f, s) for at, f, s in found), lists=lists)
    # a view's arguments are numbers, and its rule never asks for the values
    plan.light = made.is_view and all(slot >= SHAPE_SLOT or 0 < slot < made.n_params for slot in keep)
    return plan


def _is_list(made, name):
    return name in ("tensors", "operands", "matrices", "indices_list", "inputs")


def _sources(made, params, keep):
    """Where a rule's arguments come from; adds to `keep` the slots that it needs."""
    slots = {name: i for i, name in enumerate(made.slot_names())}
    sources = []
    for name in params:
        if name == "g":
            sources.append(-1 if made.outputs is None else -2)
        elif name == "grads":
            sources.append(ALL_GRADS)
        elif name.startswith("g_") and name[2:] in (made.outputs or ()):
            sources.append(-2 - made.outputs.index(name[2:]))
        else:
            if name not in slots and name.endswith("_shape"):
                slot = SHAPE_SLOT + slots[name[:-len("_shape")]]
            else:
                slot = slots[name]
            if slot not in keep:
                keep = [*keep, slot]
            sources.append(keep.index(slot))
    return tuple(sources), keep


def _add_missing_rule(made, name):
    def missing(g):
        raise RuntimeError(f"the derivative for '{name}' of {made.name} is not implemented")
    made.rules[name] = missing
    made.rule_names = (*made.rule_names, name)
    _index_rules(made)
