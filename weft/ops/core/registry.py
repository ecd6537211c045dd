# compiled
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
    compose(input, ...)         instead of forward: built from other ops, gradients come free; PyTorch's own
                                parameter names
    compose.shown = "x hx"      the parameters that help() shows, where compose takes *args in more than one order
    shape(x, ...)               the result's Spec (core/spec.py) from those of the inputs; derived for views,
                                elementwise ops and reductions (those with `dim` and `keepdim`)
    tensors = "x y"             parameters that PyTorch takes no number for; "" for an elementwise op that needs no
                                tensor at all (default: one at least)
    check(x, ...)               raises for what the op refuses, on the values as they were given, before promotion
    grad_<param>(...)           the rule for one input. Names: g (the output's gradient), g_<output>, grads (all, a
                                list), used (the same, None for those that nothing used), out or <output>, any
                                parameter, <param>_shape (saves the shape only, so the input's memory is not kept and
                                later writes to it don't matter). For a list parameter it returns a list. A rule that
                                takes *args says these names in its attribute `takes`.
    grads(...), inputs = "x w"  one joint rule: a gradient for each of `inputs`; may take `needs` (a tuple of bools)
    write(x, ...)               fills array x in place, for the `_` form (else: compute, then copy)
    looks(node)                 the Face (autograd/faces.py) of its node, where PyTorch shows other nodes or names
    flops(values, outs)         floating-point operations of a call, for the profiler: shapes by parameter, and of the
                                outputs

What it does besides giving its result:

    writes = "running_mean"     parameters whose tensors (or lists of them) forward writes to; their versions go up
    random = "generator"        the parameter that says which generator it draws from (None there: the global one)
    reads = "x"                 parameters whose values decide the result's shape or whether it is refused
    steady = True               forward calls the same kernels with the same numbers whatever the tensors' values are
                                (they may refuse them), and does nothing else: a captured plan calls the kernels
    chain = "clamp x =min =max" the function of chains (kernels/cpp/pointwise_ops.h) that gives its very bits, and the
                                parameters that it reads; after = only numbers; the others have their defaults unless
                                there is a *. For ops without a `native` loop
    fold(shape, ...)            as the end of a chain of shape `shape`, with all but its first argument: (what, dim,
                                keepdim) of the reduction that gives its very bits, or None

What it is:

    tags                        see below;   native = "exp"  the C++ loop;   outputs = "values indices"
    numbers = op, {2: "square"} the C++ loops for some numbers as the second operand of a composition, beside an array
                                of float32 or float64; `op` is what is recorded
    names = "linalg.inv inv"    all public names (default: the class's, a trailing _ dropped); method = False for none
    promotes = "x y"            which parameters take part in type promotion (default: all without default)
    pack = "size"               x.view(2, 3) is x.view((2, 3))
    lists = "tensors"           parameters with a gradient that are lists of tensors
    nondiff = "indices"         outputs without a gradient (integer ones never have one)
    slope = "relu_backward"     the C++ loop that its only rule is, of the gradient and a saved value (others having
                                their defaults): the engine may run it in the gradient's own memory
    spends = "x"                a saved input; if `local.run.spent` is its array, `grads` may write to it
    overridden(...)             (args, kwargs) as a subclass's __torch_function__ gets them (default: as they are given)
    numbers_first = "alpha"     the numbers that stood before the tensors in old signatures: x.add(alpha, y)
    autocast = "lower"          what it does in a region of mixed precision (ops/core/autocast.py); default: nothing
    out_types = "castable"      the types that `out=` may have: "castable" (those that the result's can be cast to;
                                so it is for elementwise ops), "exact" (the result's own; so it is for the others),
                                "own" (it is computed in that of `out`), "joined" (castable, refused with a TypeError),
                                "any", or the types' names
    cuts = True                 a view by its second argument's dtype shares the memory, not the history
    fills = True                it writes one value, so that elements which share a place agree on it
    kind = "conv"               what the graph page colours it as (default: its family, the folder it stands in; in
                                ops/nn how its file's name starts)
    samples                     arguments for the derived tests: a tuple of ints is a random tensor of that shape
    why_no_samples              instead of samples: where it is tested, or what it can't be tried without
"""
import re

from weft.autograd.graph import FACES
from weft.core.runtime import COMPILED
from weft.kernels.codes import BINARY, CHAINED, UNARY, codes_of
from weft.ops.core.apply import Op
from weft.ops.core.body import MISSING
from weft.ops.core.describe import Described, docstring
from weft.ops.core.plan import index_rules, parameters
from weft.ops.core.promotion import DEFAULT, NO_BOOL, TO_BOOL, TO_FLOAT
from weft.tensor.calls import make_function, make_in_place
from weft.tensor.names import FUNCTIONS as FUNCTIONS
from weft.tensor.names import found_as, method
from weft.tensor.override import FORMS

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
STEADY = set()          # the ops whose body says so
CHAINS = {}             # op -> (its code in a chain, the parameters that it reads, which of them must be numbers,
                        # whether the others may be anything)
FOLDS = {}              # op -> what its body says of it as the end of a chain
ALL = []                # every Op, those of one public name in several rooms (batch_norm) too
PROMOTIONS = frozenset((DEFAULT, TO_FLOAT, TO_BOOL, NO_BOOL))
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
    made.needs_tensor = made.pointwise and body.get("tensors") != ""
    made.tensor_slots = sum([1 << slot for slot in _slots(made, body.get("tensors", ""))])
    made.shape_rule, made.flops = body.get("shape"), body.get("flops")
    made.samples, made.why_no_samples = tuple(body.get("samples", ())), body.get("why_no_samples", "")
    made.kind = body.get("kind") or _kind_of(cls.__module__)
    made.autocast = body.get("autocast")
    made.out_types = body.get("out_types") or ("castable" if made.pointwise else "exact")
    _fill_effects(made, body)
    made.binary_code, made.unary_code, made.view_code = codes_of(body.get("native"), made.name)
    made.of_numbers, loops = body.get("numbers", (None, None))
    made.number_loops = None if loops is None else {number: UNARY[name] for number, name in loops.items()}
    made.node_name = body.get("node_name") or _node_name(names[0])
    if "looks" in body:
        FACES[made] = body["looks"]
    made.method = body.get("method", "." not in names[0])
    function = _publish(made, cls, names, tags)
    made.public = function
    if "overridden" in body:
        FORMS[function] = body["overridden"]
    ALL.append(made)
    return function


def _kind_of(module):
    """The family of a file of weft/ops: its folder; ops/nn holds many, and its files are named by them."""
    if not module.startswith("weft.ops."):
        return "optim" if module.startswith("weft.") else "pointwise"       # of an optimizer's step; of a user's own
    folder, file = module.split(".")[-2:]
    return file.partition("_")[0] if folder == "nn" else folder


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
    kinds = tags & PROMOTIONS
    made.promotion = next(iter(kinds)) if kinds and made.forward is not None else None
    promoted = body["promotes"].split() if "promotes" in body else \
        [name for name, default in zip(made.names[:made.n_positional], made.defaults) if default is MISSING]
    made.promoted = tuple([made.aliases[n] for n in promoted]) if made.promotion else ()


def _fill_rules(made, body, tags):
    outputs = body.get("outputs")
    made.outputs = tuple(outputs.split()) if outputs else None
    made.returns_as = body.get("names", made.name).split()[0].strip("_").replace(".", "_") if outputs else None
    made.nondiff = frozenset([made.outputs.index(n) for n in body.get("nondiff", "").split()])
    made.joint = body.get("grads")
    made.slope = BINARY[body["slope"]] if "slope" in body else -1
    made.spends = made.aliases[body["spends"]] if "spends" in body else -1
    made.rules = {n: body["grad_" + n] for n in made.names if "grad_" + n in body}
    made.rule_names = tuple(body["inputs"].split()) if made.joint else tuple(made.rules)
    made.differentiable = "nograd" not in tags
    index_rules(made)
    if made.forward is not None and "out" in made.names:
        raise TypeError(f"op {made.name}: a parameter can't be called `out`, which is the output's name in the rules")
    unknown = [k for k in body if k.startswith("grad_") and k[5:] not in made.names]
    if unknown:
        raise TypeError(f"op {made.name}: {unknown[0]} names no parameter of forward{made.signature}")


def _slots(made, named):
    return tuple([made.aliases[name] for name in named.split()]) if named else ()


def _fill_effects(made, body):
    """What the op does besides giving its result, by the parameters' numbers."""
    made.writes, made.reads = _slots(made, body.get("writes", "")), _slots(made, body.get("reads", ""))
    made.lists = _slots(made, body.get("lists", ""))
    made.random = made.aliases[body["random"]] if "random" in body else -1
    made.reduces = made.forward is not None and "dim" in made.names and "keepdim" in made.names
    made.numbers_first = tuple(body.get("numbers_first", "").split())
    made.fills, made.cuts = body.get("fills", False), body.get("cuts", False)
    if body.get("steady"):
        STEADY.add(made)
    if "chain" in body:
        name, *named = body["chain"].split()
        read = [one for one in named if one != "*"]
        CHAINS[made] = (CHAINED.get(name) or BINARY[name], tuple([made.aliases[one.lstrip("=")] for one in read]),
                        tuple([one.startswith("=") for one in read]), "*" in named)
    if "fold" in body:
        FOLDS[made] = body["fold"]


def _node_name(name):
    """As PyTorch writes it: a letter after a number is a capital one (Log1PBackward0)."""
    words = name.removeprefix("nn.functional.").replace(".", "_").split("_")
    title = "".join(word.capitalize() for word in words)
    if not title.isalpha():
        title = re.sub(r"\d[a-z]", lambda found: found[0].upper(), title)
    return title + "Backward0"


def _publish(made, cls, names, tags):
    function = make_function(made, MISSING)
    introduce(function, made, names[0])
    for name in names:
        if name in OPS_BY_NAME:
            raise TypeError(f"op {name} is defined twice")
        OPS_BY_NAME[name] = made
        FUNCTIONS[name] = function
        if made.method and "." not in name:
            method(function, name)
    if "inplace" in tags or made.write is not None:
        in_place = make_in_place(made, None)
        introduce(in_place, made, names[0] + "_", True)
        for name in names:
            if "." not in name:
                FUNCTIONS[name + "_"] = in_place
                method(in_place, name + "_")
    return function


def introduce(function, made, name, in_place=False):
    """Give a function its name, its place and what `help()` says of it."""
    found_as(function, name).op = made
    if not COMPILED:                        # calls.OpFunction makes both when asked
        function.__doc__, function.__wrapped__ = docstring(made, name, in_place), Described(made, name, in_place)
