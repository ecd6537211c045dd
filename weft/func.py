"""torch.func: functions of functions. Gradients, Jacobians and Hessians of functions on trees of tensors, `vmap`, and
modules as functions.

Everything here runs on the ordinary graph. Results can be differentiated again, by another of these functions or by
backward(), if what they depend on needs it. `vmap` runs a function once, on tensors that stand for all examples
(`ops/lanes`); only one that reads a value, to branch on it, runs once for each example.
"""
from collections.abc import Sequence
from functools import wraps

from weft.autograd.api import grad as _grad
from weft.core.modes import enable_grad, is_grad_enabled, local
from weft.core.pytree import filled, leaves, mapped, same_structure, spread
from weft.nn.modules.norm import _BatchNorm
from weft.nn.utils.stateless import _functional_call
from weft.ops.lanes import Lanes, NeedsLoop
from weft.random import get_rng_state, set_rng_state
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, detached

__all__ = ["grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "linearize", "vmap",
           "functional_call", "stack_module_state", "functionalize", "replace_all_batch_norm_modules_", "debug_unwrap"]

zeros, zeros_like = FUNCTIONS["zeros"], FUNCTIONS["zeros_like"]


# inputs and outputs

def _own(t):
    """A tensor to differentiate by: tied to the original where that needs a gradient itself."""
    if isinstance(local.taker, Lanes):
        t = local.taker.lifted(t)
    return t.view_as(t) if t.requires_grad and is_grad_enabled() else _cut(t).requires_grad_()


def _cut(t):
    """A tensor without the graph of this level; one that stands for many examples keeps what is recorded outside."""
    return detached(t) if t._owed is not None and not t._owed.readable else t.detach()


def _chosen(args, argnums, who):
    """The places of the arguments to differentiate by."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, tuple) and not argnums:
        raise RuntimeError("argnums must be non-empty")
    places = []
    for n in argnums if isinstance(argnums, tuple) else (argnums,):
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
        places.append(n % len(args))
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    for place in places:
        for leaf in leaves(args[place]):
            if not isinstance(leaf, Tensor):
                raise ValueError(f"{who}: Expected all tensor inputs, got {type(leaf)}" if who else f"got {type(leaf)}")
    return places


def _prepared(args, argnums, who):
    """(the arguments with copies of the chosen ones, those copies)."""
    places = _chosen(args, argnums, who)
    args = list(args)
    for place in places:
        args[place] = mapped(_own, args[place])
    return args, [args[place] for place in places]


def _depends_on_others(outputs, own):
    """Whether a graph leads to leaves that are not our own copies, so that the results must stay differentiable."""
    ours, seen = {id(t) for t in own}, set()
    waiting = [t.grad_fn for t in outputs if t.grad_fn is not None]
    if any(t.grad_fn is None and t.requires_grad and id(t) not in ours for t in outputs):
        return True
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for parent, _ in node.edges():
            if isinstance(parent, Tensor):
                if id(parent) not in ours:
                    return True
            elif parent is not None:
                waiting.append(parent)
    return False


def _gradients(outputs, inputs, vectors, create_graph, retain_graph=None):
    """Gradients of the outputs that have a graph, zeros where an input has no part in them."""
    pairs = [(o, v) for o, v in zip(outputs, vectors) if o.requires_grad]
    if not pairs or not inputs:
        return [zeros_like(t) for t in inputs]
    found = _grad([o for o, _ in pairs], inputs, [v for _, v in pairs], retain_graph=retain_graph,
                  create_graph=create_graph, allow_unused=True)
    return [zeros_like(t) if g is None else g for g, t in zip(found, inputs)]


def _released(tree, keep):
    """The results, without their graph unless it is wanted."""
    return tree if keep else mapped(lambda t: _cut(t) if isinstance(t, Tensor) else t, tree)


def _with_aux(result, has_aux, who):
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"{who}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def _tensors(output, who):
    found = leaves(output)
    for leaf in found:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{who}: Expected f to be a function that has only tensors as outputs, got {type(leaf)}")
    return found


# gradients of scalars

def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient of a scalar function by its first (or other) arguments, and its value.

    >>> import weft
    >>> weft.func.grad_and_value(lambda x: x ** 2)(weft.tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    @wraps(func)
    def wrapper(*args, **kwargs):
        wanted = is_grad_enabled()
        own_args, chosen = _prepared(args, argnums, "grad")
        with enable_grad():
            value, aux = _with_aux(func(*own_args, **kwargs), has_aux, "grad_and_value")
            if not isinstance(value, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a tensor, got {type(value)}")
            if value.dim() != 0:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor "
                                   "with "
                                   f"{value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            inputs = [leaf for tree in chosen for leaf in leaves(tree)]
            keep = wanted and _depends_on_others([value], inputs)
            found = iter(_gradients([value], inputs, [value.detach().new_ones(())], keep))
        grads = [_released(filled(tree, found), keep) for tree in chosen]
        result = tuple(grads) if isinstance(argnums, tuple) else grads[0]
        value = _released(value, keep)
        return (result, (value, _released(aux, keep))) if has_aux else (result, value)
    return wrapper


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of a scalar function by its first (or other) arguments.

    >>> import weft
    >>> slope = weft.func.grad(lambda x: x ** 3)
    >>> slope(weft.tensor(2.0)), weft.func.grad(slope)(weft.tensor(2.0))
    (tensor(12.), tensor(12.))
    """
    both = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def wrapper(*args, **kwargs):
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found
    return wrapper


# products with the Jacobian

def vjp(func, *primals, has_aux=False):
    """(output, a function from a vector of the output's structure to the tuple of its products with the Jacobian, by
    each input).

    >>> import weft
    >>> value, pull = weft.func.vjp(lambda x: x ** 2, weft.tensor(3.0))
    >>> pull(weft.tensor(1.0))
    (tensor(6.),)
    """
    wanted = is_grad_enabled()
    own, _ = _prepared(primals, tuple(range(len(primals))), "vjp")
    with enable_grad():
        output, aux = _with_aux(func(*own), has_aux, "vjp")
        outputs = _tensors(output, "vjp(f, *primals)")
    inputs = [leaf for tree in own for leaf in leaves(tree)]
    others = wanted and _depends_on_others(outputs, inputs)

    def vjp_fn(*cotangents, retain_graph=True, create_graph=None):
        vector = (cotangents[0] if len(cotangents) == 1 and not (isinstance(output, tuple) and len(output) == 1)
                  else cotangents)
        if not same_structure(vector, output) and not (len(cotangents) == 1 and same_structure(cotangents[0], output)):
            raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs "
                               "to the function.")
        vectors = leaves(vector)
        for given, out in zip(vectors, outputs):
            if given.shape != out.shape:
                raise RuntimeError(f"Expected cotangents of shape {tuple(out.shape)}, as the output has, got "
                                   f"{tuple(given.shape)}")
        keep = (is_grad_enabled() and (others or any(v.requires_grad for v in vectors)) if create_graph is None
                else create_graph)
        with enable_grad():
            found = iter(_gradients(outputs, inputs, vectors, keep, retain_graph))
        return tuple(_released(filled(tree, found), keep) for tree in own)
    result = _released(output, others)
    return (result, vjp_fn, _released(aux, others)) if has_aux else (result, vjp_fn)


def _linear(func, primals, has_aux, who):
    """The output, and what is needed for products of the Jacobian with vectors: the backward is linear in its weights.
    """
    own, _ = _prepared(primals, tuple(range(len(primals))), who)
    with enable_grad():
        output, aux = _with_aux(func(*own), has_aux, who)
        outputs = _tensors(output, f"{who}(f, primals, tangents)")
        inputs = [leaf for tree in own for leaf in leaves(tree)]
        weights = [zeros_like(o).requires_grad_() if o.requires_grad else zeros_like(o) for o in outputs]
        back = _gradients(outputs, inputs, weights, True)
    return output, aux, outputs, inputs, weights, back


def _forward_products(weights, back, tangents, keep):
    """One number of weights' size for each output: the Jacobian times the tangents."""
    pairs = [(b, t) for b, t in zip(back, tangents) if b.requires_grad]
    free = [w for w in weights if w.requires_grad]
    with enable_grad():
        found = iter(_gradients([b for b, _ in pairs], free, [t for _, t in pairs], keep, True))
    return [next(found) if w.requires_grad else zeros_like(w) for w in weights]


def _check_tangents(primals, tangents, who):
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple):
        raise RuntimeError(f"{who}(f, primals, tangents): Expected primals and tangents to be tuples. E.g. it should "
                           f"be valid to call f(*primals).")
    if not same_structure(primals, tangents):
        raise RuntimeError(f"{who}(f, primals, tangents): Expected primals and tangents to have the same python "
                           f"structure.")
    for p, t in zip(leaves(primals), leaves(tangents)):
        if p.shape != t.shape:
            raise RuntimeError(f"{who}(f, primals, tangents): Expected tangents of shape {tuple(p.shape)}, as the "
                               f"primal has, got {tuple(t.shape)}")


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(output, the product of the Jacobian with `tangents`), by differentiating a backward.

    >>> import weft
    >>> weft.func.jvp(lambda x: x ** 2, (weft.tensor(3.0),), (weft.tensor(1.0),))
    (tensor(9.), tensor(6.))
    """
    _check_tangents(primals, tangents, "jvp")
    wanted = is_grad_enabled()
    output, aux, outputs, inputs, weights, back = _linear(func, primals, has_aux, "jvp")
    others = wanted and _depends_on_others(outputs, inputs)
    keep = others or wanted and any(t.requires_grad for t in leaves(tangents))
    found = filled(output, _forward_products(weights, back, leaves(tangents), keep))
    result = (_released(output, others), _released(found, keep))
    return (*result, _released(aux, others)) if has_aux else result


def linearize(func, *primals):
    """(output, a function from tangents to their product with the Jacobian).

    >>> import weft
    >>> value, push = weft.func.linearize(lambda x: x * x, weft.tensor(3.0))
    >>> value, push(weft.tensor(1.0))
    (tensor(9.), tensor(6.))
    """
    wanted = is_grad_enabled()
    output, _, outputs, inputs, weights, back = _linear(func, primals, False, "linearize")
    others = wanted and _depends_on_others(outputs, inputs)

    def jvp_fn(*tangents):
        _check_tangents(tuple(primals), tangents, "linearize")
        keep = is_grad_enabled() and (others or any(t.requires_grad for t in leaves(tangents)))
        return _released(filled(output, _forward_products(weights, back, leaves(tangents), keep)), keep)
    return _released(output, others), jvp_fn


# whole matrices

def _basis(t):
    """The unit vectors of a tensor's shape, one after the other."""
    n = t.numel()
    return FUNCTIONS["eye"](n, dtype=t.dtype).reshape((n, *t.shape))


def _products(function, units, shapes, chunk_size=None, randomness="same"):
    """`function` of every unit vector, all at once (or `chunk_size` of them): a tensor for each of `shapes`."""
    if not len(units):
        return [zeros((0, *shape), dtype=units.dtype) for shape in shapes]
    return vmap(function, randomness=randomness, chunk_size=chunk_size)(units)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """A function that gives the Jacobian: for every output a tree like the input, of shape (output's + input's); one
    backward per output.

    >>> import weft
    >>> weft.func.jacrev(lambda x: x ** 2)(weft.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @wraps(func)
    def wrapper(*args, **kwargs):
        wanted = is_grad_enabled()
        own_args, chosen = _prepared(args, argnums, "jacrev")
        with enable_grad():
            output, aux = _with_aux(func(*own_args, **kwargs), has_aux, "jacrev")
            outputs = _tensors(output, "jacrev(f)(*args)")
            inputs = [leaf for tree in chosen for leaf in leaves(tree)]
            keep = wanted and _depends_on_others(outputs, inputs)
            blocks = []
            for out in outputs:
                rows = _products(lambda unit, out=out: _gradients([out], inputs, [unit], keep, True), _basis(out),
                                 [t.shape for t in inputs], chunk_size)
                blocks.append([row.reshape((*out.shape, *t.shape)) for row, t in zip(rows, inputs)])
        result = _jacobian_tree(output, blocks, chosen, argnums, keep)
        return (result, _released(aux, keep)) if has_aux else result
    return wrapper


def _jacobian_tree(output, blocks, chosen, argnums, keep):
    """Blocks, by output and input, in the structure of the outputs with that of the inputs inside."""
    made = []
    for block in blocks:
        rest = iter(block)
        trees = [_released(filled(tree, rest), keep) for tree in chosen]
        made.append(tuple(trees) if isinstance(argnums, tuple) else trees[0])
    return filled(output, made)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """As jacrev, with one product per input: for functions with more outputs than inputs.

    >>> import weft
    >>> weft.func.jacfwd(lambda x: x ** 2)(weft.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    @wraps(func)
    def wrapper(*args, **kwargs):
        wanted = is_grad_enabled()
        places = _chosen(args, argnums, "jacfwd")

        def of_chosen(*own):
            full = list(args)
            for place, value in zip(places, own):
                full[place] = value
            return func(*full, **kwargs)
        primals = tuple(args[place] for place in places)
        output, aux, outputs, inputs, weights, back = _linear(of_chosen, primals, has_aux, "jacfwd")
        keep = wanted and _depends_on_others(outputs, inputs)
        columns = []            # by input: for each output the products with all unit vectors, which come last
        none = [zeros_like(other) for other in inputs]
        for k, t in enumerate(inputs):
            def product(unit, k=k):
                return _forward_products(weights, back, none[:k] + [unit] + none[k + 1:], keep)
            found = _products(product, _basis(t), [out.shape for out in outputs], None, randomness)
            columns.append([FUNCTIONS["movedim"](c, 0, -1).reshape((*out.shape, *t.shape))
                            for c, out in zip(found, outputs)])
        blocks = [[columns[k][j] for k in range(len(inputs))] for j in range(len(outputs))]
        result = _jacobian_tree(output, blocks, list(primals), argnums, keep)
        return (result, _released(aux, keep)) if has_aux else result
    return wrapper


def hessian(func, argnums=0):
    """A function that gives the second derivatives of a function.

    >>> import weft
    >>> weft.func.hessian(lambda x: (x ** 3).sum())(weft.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)


# batches

def _in_dims(args, in_dims):
    """For each leaf of the arguments the dimension to loop over, or None; and the size of the batch."""
    if not isinstance(in_dims, int) and not isinstance(in_dims, (tuple, list)) or isinstance(in_dims, bool):
        raise ValueError("vmap: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                         "inputs, got: "
                         f"{type(in_dims)}.")
    if not args:
        raise ValueError("vmap: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
                         "function with no inputs. The latter is unsupported.")
    given = tuple(in_dims) if isinstance(in_dims, list) else in_dims
    dims = spread(given, tuple(args))
    if dims is None:
        raise ValueError(f"vmap: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{in_dims}, but there are {len(args)} inputs.")
    sizes = set()
    for leaf, dim in zip(leaves(tuple(args)), dims):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(f"vmap: Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
                             f"None.")
        if not isinstance(leaf, Tensor):
            raise ValueError(f"vmap: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot "
                             f"vmap over non-Tensor arguments, "
                             "please use None as the respective in_dim")
        if not -leaf.dim() <= dim < leaf.dim():
            raise ValueError(f"vmap: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
                             f"{leaf.dim()} so expected in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}.")
        sizes.add(leaf.shape[dim])
    if not sizes:
        raise ValueError("vmap: at least one of the inputs must be batched over (in_dims is None for all of them)")
    if len(sizes) > 1:
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sorted(sizes)} for the mapped "
                         "dimension")
    return dims, sizes.pop()


def _out_dims(result, out_dims):
    """For each leaf of a function's result the dimension that the examples get."""
    for leaf in leaves(result):
        if not isinstance(leaf, Tensor):
            raise ValueError(f"vmap: the function must only return Tensors, got type {type(leaf)} as a return.")
    dims = spread(tuple(out_dims) if isinstance(out_dims, list) else out_dims, result)
    if dims is None and isinstance(out_dims, (tuple, list)) and len(out_dims) == 1 and len(leaves(result)) == 1:
        dims = list(out_dims)
    if dims is None:
        raise ValueError(f"vmap: out_dims is not compatible with the structure of `outputs`: {out_dims}")
    return dims


def _at_once(lanes, func, args, kwargs, dims, out_dims):
    """The function run once, on tensors that stand for all examples."""
    size = lanes.size
    inputs = [leaf if dim is None else lanes.lane(leaf, dim) for leaf, dim in zip(leaves(args), dims)]
    with lanes:
        result = func(*filled(args, inputs), **kwargs)
        wholes = [lanes.whole(leaf) if isinstance(leaf, Tensor) else (leaf, False) for leaf in leaves(result)]
    made = []
    for (whole, batched), leaf, dim in zip(wholes, leaves(result), _out_dims(result, out_dims)):
        if dim is None:
            if batched:
                raise ValueError("vmap: the function can not return a BatchedTensor when out_dim is None: its values "
                                 "differ between the examples")
            made.append(whole)
            continue
        rank = leaf.dim()
        if not -rank - 1 <= dim <= rank:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-rank - 1}, {rank}], but got "
                             f"{dim})")
        whole = whole if batched else whole.unsqueeze(0).expand((size, *whole.shape))
        made.append(whole if dim % (rank + 1) == 0 else FUNCTIONS["movedim"](whole, 0, dim))
    return filled(result, made)


def _one_by_one(func, args, kwargs, dims, size, out_dims, randomness):
    """The function run for each example, its results stacked."""
    if size == 0:
        raise ValueError("vmap: the mapped dimension has size 0, and the function branches on values, so that the "
                         "shapes of the results are not known")
    flat, start = leaves(args), get_rng_state() if randomness != "different" else None
    results = []
    for i in range(size):
        if randomness == "same":
            set_rng_state(start)
        own = filled(args, [leaf if dim is None else leaf.select(dim, i) for leaf, dim in zip(flat, dims)])
        results.append(func(*own, **kwargs))
    if randomness == "error" and not FUNCTIONS["equal"](start, get_rng_state()):
        raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the "
                           "'same' or 'different' randomness flags on vmap or perform the randomness operation out "
                           "of vmap")
    flat = [leaves(result) for result in results]
    made = [flat[0][k] if dim is None else FUNCTIONS["stack"]([each[k] for each in flat], dim)
            for k, dim in enumerate(_out_dims(results[0], out_dims))]
    return filled(results[0], made)


def _mapped(func, args, kwargs, dims, size, out_dims, randomness):
    state = get_rng_state() if randomness != "error" else None
    lanes = Lanes(size, randomness)
    try:
        return _at_once(lanes, func, args, kwargs, dims, out_dims)
    except NeedsLoop as reason:
        if reason.owner is not lanes:
            raise
    if state is not None:
        set_rng_state(state)
    return _one_by_one(func, args, kwargs, dims, size, out_dims, randomness)


def _in_chunks(func, args, kwargs, dims, size, out_dims, randomness, chunk_size):
    """The same for `chunk_size` examples after the other."""
    parts, flat = [], leaves(args)
    for start in range(0, size, chunk_size):
        n = min(chunk_size, size - start)
        own = filled(args, [leaf if dim is None else leaf.narrow(dim, start, n) for leaf, dim in zip(flat, dims)])
        parts.append(_mapped(func, own, kwargs, dims, n, out_dims, randomness))
    flat = [leaves(part) for part in parts]
    made = [flat[0][k] if dim is None else FUNCTIONS["cat"]([each[k] for each in flat], dim)
            for k, dim in enumerate(_out_dims(parts[0], out_dims))]
    return filled(parts[0], made)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """The function applied to each slice of its inputs along `in_dims`, its results stacked along `out_dims`: all
    slices at once, or `chunk_size` of them. A function that branches on values runs for each slice.

    randomness: "error" refuses a function that draws random numbers, "different" draws anew for each slice, "same" the
    same for all.

    >>> import weft
    >>> weft.func.vmap(weft.dot)(weft.tensor([[1., 2.], [3., 4.]]), weft.tensor([[1., 1.], [2., 2.]]))
    tensor([ 3., 14.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func)
    def wrapper(*args, **kwargs):
        dims, size = _in_dims(args, in_dims)
        if chunk_size is not None and chunk_size < size:
            return _in_chunks(func, args, kwargs, dims, size, out_dims, randomness, chunk_size)
        return _mapped(func, args, kwargs, dims, size, out_dims, randomness)
    return wrapper


# modules as functions

def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call a module with other parameters and buffers, by name; its own are back afterwards, also after an error.

    >>> import weft
    >>> layer = weft.nn.Linear(1, 1)
    >>> weft.func.functional_call(layer, {"weight": weft.tensor([[2.]]), "bias": weft.tensor([1.])}, weft.tensor([3.]))
    tensor([7.])
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        given = {}
        if not all(isinstance(d, dict) for d in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for d in parameter_and_buffer_dicts for name in d]
        repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) != len(names) else []
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        for d in parameter_and_buffer_dicts:
            given.update(d)
    else:
        raise ValueError(f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                         f"{type(parameter_and_buffer_dicts)}")
    return _functional_call(module, given, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models):
    """(parameters, buffers) by name, those of several models of one class stacked: for `vmap` over models.

    >>> import weft
    >>> parameters, buffers = weft.func.stack_module_state([weft.nn.Linear(2, 1), weft.nn.Linear(2, 1)])
    >>> parameters['weight'].shape
    torch.Size([2, 1, 2])
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(named):
        return {name: _stacked_leaf(name, [each[name] for each in named]) for name in named[0]}
    return stacked([dict(m.named_parameters()) for m in models]), stacked([dict(m.named_buffers()) for m in models])


def _stacked_leaf(name, tensors):
    if len({t.requires_grad for t in tensors}) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    made = FUNCTIONS["stack"](tensors)
    return made.detach().requires_grad_() if tensors[0].requires_grad else made


def replace_all_batch_norm_modules_(root):
    """Let all batch norms of a model use the batch's own statistics only, as functions must.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.BatchNorm1d(3))
    >>> _ = weft.func.replace_all_batch_norm_modules_(net)
    >>> net[1].running_mean is None
    True
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root


def functionalize(func, *, remove="mutations"):
    """The function itself: in-place writes need no removal here.

    >>> import weft
    >>> def f(x):
    ...     return x.clone().add_(1)
    >>> weft.func.functionalize(f)(weft.ones(2))
    tensor([2., 2.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError("functionalize(f, remove=...): Valid values for remove are 'mutations' and "
                           "'mutations_and_views'.")
    return func


def debug_unwrap(tensor, *, recurse=True):
    """The tensor itself: nothing is wrapped here.

    >>> import weft
    >>> x = weft.ones(2)
    >>> weft.func.debug_unwrap(x) is x
    True
    """
    return tensor
