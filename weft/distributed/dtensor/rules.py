"""The rules: which pattern an op has on spread tensors (plan.py says what that is)."""
import inspect

from weft.autograd import engine
from weft.autograd.api import _arranged
from weft.core.errors import fail
from weft.core.modes import GRAD_OFF, no_grad
from weft.core.runtime import mode_bits
from weft.core.size import broadcast_shapes
from weft.distributed.dtensor import tensor as spreads
from weft.distributed.dtensor.layout import dual
from weft.distributed.dtensor.plan import Pattern, drawn, everywhere, operands_of, put_back, run
from weft.distributed.dtensor.tensor import DTensor, redistributed, spread
from weft.distributed.placements import Partial, Shard
from weft.tensor.names import FUNCTIONS
from weft.tensor.subclass import call_plain
from weft.tensor.tensor import Tensor

RULES, LINEAR = {}, {}


def rule(*names):
    """Register a function (function, name, args, kwargs) as the rule of the ops of these names."""
    def register(function):
        RULES.update(dict.fromkeys(names, function))
        return function
    return register


def linear(how, *names):
    """Say of elementwise ops what they make of summands (Pattern.linear)."""
    LINEAR.update(dict.fromkeys(names, how))


linear("all", "add", "sub", "subtract")
linear("one", "mul", "multiply")
linear(0, "neg", "negative", "div", "divide", "true_divide")


def given(function, args, kwargs):
    """{parameter: argument}, with defaults; None where the call has another form."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    return bound.arguments


def answer(function, args, kwargs):
    """`function(*args, **kwargs)`, where a DTensor is among the arguments."""
    name = function.__name__
    if kwargs.get("out") is not None:
        fail(NotImplementedError, f"{name}: out= of a DTensor", "use the result")
    op = getattr(function, "op", None)
    if name in RULES:
        return RULES[name](function, name, args, kwargs)
    if name.endswith("_") and not name.startswith("_"):
        return in_place(function, name, args, kwargs)
    if op is not None and op.pointwise:
        return each(function, name, args, kwargs)
    if op is not None and not op.writes:       # what it draws, all ranks draw alike, as in plan.drawn
        return everywhere(function, args, kwargs, name)
    fail(NotImplementedError, f"{name}: there is no rule for DTensors",
         "give it x.full_tensor(), or work on x.to_local() and put that back with DTensor.from_local")


# element by element

def elementwise(name, args, kwargs):
    """Dimensions that fall together when shapes are aligned have one letter; a size of 1 that is stretched has none."""
    operands = operands_of([args, kwargs])
    shape = broadcast_shapes(*[tuple(t.shape) for t in operands])
    ins = []
    for t in operands:
        first = len(shape) - t.dim()
        ins.append([first + d if n == shape[first + d] else None for d, n in enumerate(t.shape)])
    linear = LINEAR.get(name)
    if linear == "all" and len(operands) < 2 or linear == 0 and len(operands) > 1 and args[0] is not operands[0]:
        linear = None
    return Pattern(ins, [list(range(len(shape)))], linear)


@rule("where", "masked_fill")
def each(function, name, args, kwargs):
    """An elementwise op."""
    return run(function, elementwise(name, args, kwargs), args, kwargs, name)


@rule("clone", "contiguous", "alias", "cpu", "to", "type", "type_as", "float", "double", "half", "bfloat16", "cfloat",
      "cdouble", "int", "long", "short", "bool")
def _same(function, name, args, kwargs):
    t = args[0]
    args = [t, *[a.to_local() if isinstance(a, DTensor) else a for a in args[1:]]]
    made = function(*put_back(tuple(args), iter([t._owed.local])), **kwargs)
    if made is t._owed.local or isinstance(made, str):
        return t if isinstance(made, Tensor) else made
    rounds = made.dtype is not t.dtype and not (made.is_floating_point() or made.is_complex())
    letters = list(range(t.dim()))
    return run(function, Pattern([letters], [letters], None if rounds else 0), args, kwargs, name)


@rule("zeros_like", "ones_like", "full_like", "empty_like")
def _like(function, name, args, kwargs):
    t = args[0]
    wants = kwargs.pop("requires_grad", False)
    with no_grad():
        local = function(t._owed.local, *args[1:], **kwargs)
    return spread(local, t._owed.layout.placed(dual(t.placements))).requires_grad_(wants)


@rule("rand_like", "randn_like", "randint_like", "bernoulli")
def _drawn(function, name, args, kwargs):
    t = redistributed(args[0].detach(), dual(args[0].placements))
    if name == "bernoulli":
        whole = function(t.full_tensor(), *args[1:], **kwargs)
        return drawn(lambda shape: whole, t._owed.layout)
    wants = kwargs.pop("requires_grad", False)
    kwargs.setdefault("dtype", t.dtype)
    return drawn(lambda shape: function(FUNCTIONS["empty"](shape), *args[1:], **kwargs),
                 t._owed.layout).requires_grad_(wants)


@rule("dropout", "feature_dropout", "alpha_dropout")
def _dropout(function, name, args, kwargs):
    if name != "dropout":
        return everywhere(function, args, kwargs, name)

    def dropped(x, p=0.5, training=True, inplace=False):
        if not training or p == 0:
            return x
        like = redistributed(x.detach(), dual(x.placements))
        mask = drawn(lambda shape: function(FUNCTIONS["ones"](shape, dtype=x.dtype), p, True), like._owed.layout)
        made = x * mask
        return in_place_result(x, made, "dropout") if inplace else made
    kwargs.pop("train", None)
    return dropped(*args, **kwargs)


# in place

@rule("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "geometric_", "cauchy_", "log_normal_")
def _drawn_in_place(function, name, args, kwargs):
    t, layout = args[0], args[0]._owed.layout
    with no_grad():
        made = drawn(lambda shape: function(FUNCTIONS["empty"](shape, dtype=t.dtype), *args[1:], **kwargs), layout)
    return in_place_result(t, made, name)


@rule("copy_")
def _copy(function, name, args, kwargs):
    t, source = args[0], args[1]
    if not isinstance(source, DTensor):        # a whole tensor, as in a state_dict that one process saved
        shape = t.shape
        source = drawn(lambda _: source.detach().expand(shape), t._owed.layout)
    if source.shape != t.shape:
        source = source.expand(t.shape)
    return in_place_result(t, redistributed(source, t.placements).to(t.dtype), name)


@rule("zero_", "fill_")
def _filled(function, name, args, kwargs):
    return in_place_result(args[0], RULES["full_like"](FUNCTIONS["full_like"], "full_like",
                                                       [args[0], *(args[1:] or (0,))], {}), name)


@rule("requires_grad_", "detach_", "retain_grad", "register_hook", "register_post_accumulate_grad_hook")
def _of_tensors(function, name, args, kwargs):
    return call_plain(function, args, kwargs)


@rule("backward")
def _backward(function, name, args, kwargs):
    """The engine's own: whoever it meets on the way is asked for its rule."""
    roots = args[0] if isinstance(args[0], tuple) else (args[0],)
    options = dict(zip(("gradient", "retain_graph", "create_graph", "inputs"), args[1:]), **kwargs)
    grads = options.get("gradient", options.get("grad_tensors"))
    engine.backward(*_arranged(roots, grads, options.get("retain_graph"), options.get("create_graph", False),
                               options.get("inputs")), True)


def in_place(function, name, args, kwargs):
    """x.op_(...) from x.op(...): the result is spread as x is."""
    plain = FUNCTIONS.get(name[:-1]) or FUNCTIONS.get("nn.functional." + name[:-1])
    if plain is None or not isinstance(args[0], DTensor):
        fail(NotImplementedError, f"{name}: there is no rule for DTensors", f"use {name[:-1]}, and keep its result")
    return in_place_result(args[0], answer(plain, args, kwargs), name)


def in_place_result(t, made, name):
    """Write a result into a tensor's own memory, or, in the graph, let the tensor become the result."""
    if made.shape != t.shape:
        fail(RuntimeError, f"{name}: output with shape {list(t.shape)} doesn't match the broadcast shape "
             f"{list(made.shape)}", "use the form without _")
    graph = not mode_bits() & GRAD_OFF
    if graph and t._wants_grad:
        fail(RuntimeError, f"{name}: a leaf Variable that requires grad is being used in an in-place operation.",
             "write under no_grad(), or use the form without _ and keep its result")
    made = redistributed(made, t.placements)
    with no_grad():
        t._owed.local.copy_(made._owed.local)
    if graph and made._made_by is not None:
        t._made_by, t._made_nr = made._made_by, made._made_nr
    return t


# products

@rule("matmul", "__matmul__", "mm", "bmm", "mv", "dot")
def _matmul(function, name, args, kwargs):
    operands = operands_of([args, kwargs])
    if len(operands) < 2:
        return everywhere(function, args, kwargs, name)
    return run(function, product(*operands), args, kwargs, name)


@rule("__rmatmul__")
def _rmatmul(function, name, args, kwargs):
    return FUNCTIONS["matmul"](args[1], args[0])


def product(a, b):
    """`...ij ...jk -> ...ik`; a vector has no i or no k."""
    left, right = [*batch(a, b), "i", "j"][-max(a.dim(), 1):], [*batch(b, a), "j", "k"][-b.dim():]
    if a.dim() == 1:
        left = ["j"]
    if b.dim() == 1:
        right = ["j"]
    lead = batch(a, b) if a.dim() >= b.dim() else batch(b, a)
    other = batch(b, a) if a.dim() >= b.dim() else batch(a, b)
    lead = [x if x is not None else y for x, y in zip(lead, [None] * (len(lead) - len(other)) + other)]
    out = [*lead, *(["i"] if a.dim() > 1 else []), *(["k"] if b.dim() > 1 else [])]
    return Pattern([left, right], [out], "one")


def batch(t, other):
    """Letters for the dimensions before the matrix, counted from its side; None where the other is stretched to it."""
    own, size = tuple(t.shape[:-2]), max(t.dim() - 2, 0)
    beside = tuple(other.shape[:-2])
    wide = broadcast_shapes(own, beside)
    return [size - d if n == wide[len(wide) - size + d] else None for d, n in enumerate(own)]


@rule("linear")
def _linear(function, name, args, kwargs):
    options = given(function, args, kwargs)
    x, weight, bias = options["input"], options["weight"], options["bias"]
    if not isinstance(x, DTensor) or not isinstance(weight, DTensor):
        operands_of([x, weight])
        return everywhere(function, args, kwargs, name)
    lead = list(range(x.dim() - 1))
    made = run(function, Pattern([[*lead, "in"], ["out", "in"]], [[*lead, "out"]], "one"), (x, weight), {}, name)
    return made if bias is None else made + bias


@rule("addmm")
def _addmm(function, name, args, kwargs):
    bias, a, b = args[:3]
    beta, alpha = kwargs.get("beta", 1), kwargs.get("alpha", 1)
    made = FUNCTIONS["mm"](a, b)
    return (made if alpha == 1 else made * alpha) + (bias if beta == 1 else bias * beta)


# reductions

def dims_of(t, dim):
    if dim is None or dim == () or dim == []:
        return list(range(t.dim()))
    return [d % max(t.dim(), 1) for d in (dim if isinstance(dim, (list, tuple)) else (dim,))]


def reduced(t, dims, keepdim, summed):
    """Letters of a reduction's operand and result; summed: whether the ranks' results are summands."""
    letters = [d if d not in dims or summed else None for d in range(t.dim())]
    out = [None if d in dims else d for d in range(t.dim()) if keepdim or d not in dims]
    return Pattern([letters], [out], 0 if summed else None)


@rule("sum", "mean")
def _sum(function, name, args, kwargs):
    options = given(function, args, kwargs)
    if options is None:
        return everywhere(function, args, kwargs, name)
    t, dtype, dims = args[0], options["dtype"], dims_of(args[0], options["dim"])
    if dtype is not None:
        t = t.to(dtype)
    elif name == "mean" and not t.is_floating_point() and not t.is_complex():
        fail(RuntimeError, "mean(): could not infer output dtype. Input dtype must be either a floating point or "
             "complex dtype.", "x.float().mean()")
    keep = bool(options["keepdim"])
    made = run(lambda x: FUNCTIONS["sum"](x, dims, keep) if dims else x.sum(), reduced(t, dims, keep, True), (t,), {},
               name)
    if name == "sum":
        return made
    count = 1
    for d in dims:
        count *= t.shape[d]
    return made / count if count else made * float("nan")


@rule("prod", "amax", "amin", "max", "min", "argmax", "argmin", "any", "all", "count_nonzero", "var", "std",
      "logsumexp", "nansum", "nanmean", "median", "norm", "vector_norm")
def _reduce(function, name, args, kwargs):
    t, options = args[0], given(function, args, kwargs)
    if len(args) > 1 and isinstance(args[1], Tensor):       # max and min of two tensors
        return each(function, name, args, kwargs)
    if options is None or isinstance(options.get("dim"), bool):
        return everywhere(function, args, kwargs, name)
    power = options.get("ord", options.get("p"))
    if options["dim"] is None and options.get("dtype") is None and not options.get("keepdim") and _has_root(power):
        power = 2 if power == "fro" else power
        return t.abs().pow(power).sum().pow(1 / power)
    if options["dim"] is None:
        return everywhere(function, args, kwargs, name)
    pattern = reduced(t, dims_of(t, options["dim"]), bool(options.get("keepdim")), False)
    return run(function, pattern, args, kwargs, name)


def _has_root(power):
    """Whether a norm is a root of a sum of powers."""
    return power == "fro" or isinstance(power, (int, float)) and 0 < power < float("inf")


@rule("softmax", "log_softmax", "softmin", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "sort", "argsort",
      "topk", "kthvalue", "glu", "normalize")
def _along(function, name, args, kwargs):
    """Ops that work along one dimension, for each of the others alone."""
    t, options = args[0], given(function, args, kwargs)
    if options is None or not isinstance(options.get("dim"), int) or isinstance(options["dim"], bool):
        return everywhere(function, args, kwargs, name)
    letters = [None if d in dims_of(t, options["dim"]) else d for d in range(t.dim())]
    return run(function, Pattern([letters], [letters]), args, kwargs, name)


# layers

@rule("layer_norm", "rms_norm")
def _layer_norm(function, name, args, kwargs):
    t, shape = args[0], given(function, args, kwargs)["normalized_shape"]
    lead = t.dim() - (1 if isinstance(shape, int) else len(shape))
    letters = [d if d < lead else None for d in range(t.dim())]
    others = [[None] * o.dim() for o in operands_of([args, kwargs])[1:]]
    return run(function, Pattern([letters, *others], [letters]), args, kwargs, name)


@rule("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "max_pool1d",
      "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d",
      "adaptive_avg_pool2d", "adaptive_avg_pool3d", "interpolate", "group_norm", "pixel_shuffle")
def _batched(function, name, args, kwargs):
    """Examples of a batch, the first dimension, don't meet; other operands are whole."""
    operands = operands_of([args, kwargs])
    if operands[0] is not args[0] or operands[0].dim() < 3:
        return everywhere(function, args, kwargs, name)
    ins = [["batch", *[None] * (operands[0].dim() - 1)], *[[None] * t.dim() for t in operands[1:]]]
    return run(function, Pattern(ins, [ins[0]]), args, kwargs, name)


@rule("embedding")
def _embedding(function, name, args, kwargs):
    options = given(function, args, kwargs)
    words, weight = options.pop("input", None), options.pop("weight", None)
    if options.get("max_norm") is not None or options.get("scale_grad_by_freq"):
        return everywhere(function, args, kwargs, name)
    options = {key: value for key, value in options.items() if key != "out"}
    if not isinstance(words, DTensor):
        words = spread(words, spreads.Layout(weight.device_mesh, spreads.replicated(weight.device_mesh), words.shape))
    letters = [f"word {d}" for d in range(words.dim())]
    if not isinstance(weight, DTensor):
        operands_of([weight])
    if weight.placements == (Shard(0),):
        return _cut_table(function, words, weight, options)
    return run(function, Pattern([letters, [None, "feature"]], [[*letters, "feature"]]), (words, weight), options, name)


def _cut_table(function, words, weight, options):
    """A table whose words are spread: every rank looks up its own, the others give zeros."""
    layout, mesh = weight._owed.layout, weight.device_mesh
    (count, _), (first, _) = layout.own_part()
    words = redistributed(words, spreads.replicated(mesh))._owed.local
    if words.numel() and not 0 <= int(words.min()) <= int(words.max()) < weight.shape[0]:
        fail(IndexError, f"index out of range in self: the table has {weight.shape[0]} rows", "words from 0 on")
    own = (words >= first) & (words < first + count)
    padding = options.pop("padding_idx", None)
    padding = None if padding is None else padding % weight.shape[0] - first
    options["padding_idx"] = padding if padding is not None and 0 <= padding < count else None
    table = spreads.enter(weight, (Shard(0),))
    if count:
        found = function((words - first) * own, table, **options) * own.unsqueeze(-1).to(weight.dtype)
    else:       # more ranks than words
        found = table.sum() + FUNCTIONS["zeros"]((*words.shape, weight.shape[1]), dtype=weight.dtype)
    return spreads.leave(found, spreads.Layout(mesh, (Partial(),), (*words.shape, weight.shape[1])))


@rule("scaled_dot_product_attention")
def _attention(function, name, args, kwargs):
    operands = operands_of([args, kwargs])
    query = operands[0]
    lead = query.dim() - 2
    if any([t.shape[:-2] != query.shape[:-2] for t in operands[1:3]]) or len(operands) != 3 \
            or kwargs.get("dropout_p", args[4] if len(args) > 4 else 0):
        return everywhere(function, args, kwargs, name)
    letters = [*range(lead), None, None]
    return run(function, Pattern([letters] * 3, [letters]), args, kwargs, name)


@rule("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
      "binary_cross_entropy_with_logits")
def _loss(function, name, args, kwargs):
    options = given(function, args, kwargs)
    if options is None or options.get("size_average") is not None or options.get("reduce") is not None:
        return everywhere(function, args, kwargs, name)
    reduction = options.pop("reduction")
    options = {key: value for key, value in options.items() if key != "out"}
    made = run(function, elementwise(name, (), options), (), {**options, "reduction": "none"}, name)
    return made if reduction == "none" else getattr(made, reduction)()


@rule("cross_entropy", "nll_loss")
def _cross_entropy(function, name, args, kwargs):
    options = given(function, args, kwargs)
    x, target, reduction = (options.pop(key) for key in ("input", "target", "reduction"))
    if isinstance(x, DTensor) and not isinstance(target, DTensor):      # the same on all ranks
        target = spread(target, spreads.Layout(x.device_mesh, spreads.replicated(x.device_mesh), target.shape))
    plain = all([options.get(key) is None for key in ("weight", "size_average", "reduce")])
    if not plain or not isinstance(x, DTensor) or not isinstance(target, DTensor) or x.dim() < 2 \
            or target.is_floating_point():
        return everywhere(function, args, kwargs, name)
    spots = [0, *range(2, x.dim())]
    made = run(function, Pattern([[0, None, *range(2, x.dim())], spots], [spots]), (x, target),
               {**{k: v for k, v in options.items() if k != "out"}, "reduction": "none"}, name)
    if reduction == "none":
        return made
    total = made.sum()
    return total if reduction == "sum" else total / (target != options["ignore_index"]).sum()


spreads.RULES.append(answer)
