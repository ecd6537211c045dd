"""Batch rules of convolutions, pooling, normalization, attention and losses."""
from weft.ops.lanes.rules import Unruled, batch, lifted
from weft.ops.nn.loss import MEAN, NONE
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor


def folded(whole):
    """(B, N, ...) as (B N, ...)."""
    shape = whole._form.shape
    return whole.reshape((shape[0] * shape[1], *shape[2:]))


def unfolded(made, size):
    shape = made._form.shape
    return made.reshape((size, shape[0] // size if size else 0, *shape[1:]))


@batch("_max_pool", "_max_pool_picked", "_max_pool_indexed", "_max_pool_spread", "_max_pool_collect", "_avg_pool",
       "_avg_pool_spread", "_image_blocks", "_blocks_image", "grid_sampler_2d", "grid_sampler_3d", "_attention",
       "_attention_grad")
def as_one_batch(call):
    """All examples' images, or heads, as those of one."""
    values = []
    for i, v in enumerate(call.values):
        if call.names[i] == "mask" and v is not None:
            raise Unruled
        values.append(folded(call.spread_value(i)) if isinstance(v, Tensor) else v)
    return [unfolded(t, call.size) for t in call.run(values)]


@batch("_recurrent_cell")
def cell(call):
    """One step of an LSTM, GRU or RNN whose weights all examples share: their rows below each other."""
    if any([call.has_batch(name) for name in ("w_ih", "w_hh", "b_ih", "b_hh")]):
        raise Unruled
    rows = [folded(call.spread(name)) if name in ("x", "h", "c") and call.values[i] is not None else call.values[i]
            for i, name in enumerate(call.names)]
    made = call.run(rows)
    return [unfolded(t, call.size) if out._form.size else t.reshape((0,)).new_zeros((call.size, *out._form.shape))
            for t, out in zip(made, call.outputs, strict=True)]


# convolutions: the examples stand beside each other as groups of channels, where each has its own weight

def beside(whole):
    """(B, N, C, ...) as (N, B C, ...)."""
    shape = whole._form.shape
    return whole.transpose(0, 1).reshape((shape[1], shape[0] * shape[2], *shape[3:]))


def apart(made, size):
    """(N, B C, ...) as (B, N, C, ...)."""
    shape = made._form.shape
    return made.reshape((shape[0], size, shape[1] // size, *shape[2:])).transpose(0, 1)


@batch("_conv", "_conv_input")
def convolved(call):
    size, (stride, padding, dilation, groups) = call.one("size"), call.geometry
    weight, bias = call.weight, call.bias
    if not call.has_batch("weight"):
        if call.has_batch("bias"):
            made = unfolded(call.run([folded(call.spread("x")), weight, None, size, call.geometry])[0], call.size)
            channels = call.one("bias")._form.shape[0]
            return [made + bias.reshape((call.size, 1, channels, *(1,) * len(size)))]
        return [unfolded(call.run([folded(call.x), weight, bias, size, call.geometry])[0], call.size)]
    wide = None if bias is None else folded(call.spread("bias")) if call.one("bias")._form.ndim > 1 \
        else call.spread("bias").reshape((-1,))
    made = call.run([beside(call.spread("x")), folded(weight), wide, size,
                     (stride, padding, dilation, groups * call.size)])[0]
    return [apart(made, call.size)]


@batch("_conv_weight")
def weight_back(call):
    stride, padding, dilation, groups = call.geometry
    made = call.run([beside(call.spread("x")), beside(call.spread("y")), call.one("size"),
                     (stride, padding, dilation, groups * call.size)])[0]
    return [unfolded(made, call.size)]


@batch("_conv_bias")
def bias_back(call):
    x = call.x
    return [x.sum((1, *range(3, x._form.ndim)))]


# normalization

def affine(made, call, width):
    """Times the weight and plus the bias of each example, over the last `width` dimensions."""
    rank = made._form.ndim - 1
    for name, join in (("weight", "mul"), ("bias", "add")):
        value = getattr(call, name, None)
        if value is None:
            continue
        made = FUNCTIONS[join](made, lifted(value, rank) if call.has_batch(name) else value)
    return made


@batch("native_layer_norm", "_rms_norm")
def rows_normed(call):
    own = call.has_batch("weight") or "bias" in call.names and call.has_batch("bias")
    x = call.spread("x")
    if not own:
        return call.run([x, *call.values[1:]])
    plain = {"weight": None, "bias": None}
    made = call.run([x if n == "x" else plain.get(n, v) for n, v in zip(call.names, call.values)])
    return [affine(made[0], call, len(call.one("normalized_shape"))), *made[1:]]


@batch("_rows_norm_grad")
def rows_norm_back(call):
    """The input's gradient for all at once; those of weight and bias are sums within each example."""
    if call.has_batch("weight"):
        raise Unruled
    g, x, needs, lead = call.spread("x"), call.spread("input"), call.needs, call.lead
    mean, rstd, made = call.spread("mean"), call.spread("rstd"), []
    over = tuple(range(1, lead + 1))
    if needs[0]:
        made += call.run([g, x, mean, rstd, call.weight, lead + 1, [True, False, False]])
    if needs[1]:
        made.append((g * ((x if mean is None else x - mean) * rstd)).sum(over) if over
                    else g * ((x if mean is None else x - mean) * rstd))
    if needs[2]:
        made.append(g.sum(over) if over else g)
    return made


@batch("_group_norm")
def groups_normed(call):
    x = call.spread("x")
    own = call.has_batch("weight") or call.has_batch("bias")
    made = call.run([folded(x), call.groups, None if own else call.weight, None if own else call.bias, call.eps])
    made = [unfolded(t, call.size) for t in made]
    if own:
        shape = (1, x.shape[2], *(1,) * (x._form.ndim - 3))
        for name, join in (("weight", "mul"), ("bias", "add")):
            value = getattr(call, name)
            if value is not None:
                lead = (call.size,) if call.has_batch(name) else (1,)
                made[0] = FUNCTIONS[join](made[0], value.reshape((*lead, *shape)))
    return made


@batch("_batch_norm")
def batch_normed(call):
    """The examples' channels beside each other; (N, B C, ...)."""
    if call.fixed_mean is not None or call.fixed_var is not None or not call.training:
        raise Unruled

    def each(name):
        value = getattr(call, name)
        return None if value is None else call.spread(name).reshape((-1,))
    values = {"x": beside(call.spread("x")), "weight": each("weight"), "bias": each("bias")}
    made = call.run([values.get(n, v) for n, v in zip(call.names, call.values)])
    return [apart(made[0], call.size), *[t.reshape((call.size, -1)) for t in made[1:]]]


# losses

def per_example(losses, call, code):
    """Each example's losses reduced as one example's are."""
    if code == NONE:
        return losses
    flat = losses.reshape((call.size, -1))
    return flat.mean(1) if code == MEAN else flat.sum(1)


@batch("_mse_loss", "_l1_loss", "_smooth_l1_loss", "_huber_loss", "_binary_cross_entropy_with_logits")
def pair_loss(call):
    rank = max(call.rank(0), call.rank(1))
    x, y = FUNCTIONS["broadcast_tensors"](call.aligned(0, rank), call.aligned(1, rank))
    losses = call.run([x, y, call.beta, NONE])[0]
    return [per_example(losses, call, call.code)]


@batch("_pair_slope")
def pair_slope(call):
    rank = max(call.rank(1), call.rank(2))
    g, x, y = call.aligned(0, rank), call.aligned(1, rank), call.aligned(2, rank)
    shape = (call.size, *call.outputs[0]._form.shape)
    if call.code == MEAN:
        count = 1
        for n in call.outputs[0]._form.shape:
            count *= n
        g = g / count
    x, y, g = x.expand(shape), y.expand(shape), g.expand(shape)
    return call.run([g, x, y, call.kind, call.beta, NONE])


def examples(call, *names):
    """(N, C, ...) of each example as (B N, C, ...), and one without N as (B, C)."""
    return [folded(call.spread(n)) if call.one("target")._form.ndim else call.spread(n) for n in names]


@batch("_cross_entropy")
def cross_entropy(call):
    """Each element's loss from one call, and the sums within each example: loss, stats (2, N), the weights' total."""
    if call.has_batch("weight") or call.rank() == 1 and call.one("target")._form.ndim:
        raise Unruled
    x, target = examples(call, "x", "target")
    losses, stats, _ = call.run([x, target, call.weight, call.ignore_index, call.smoothing, NONE])
    n = call.size
    losses = losses.reshape((n, *call.one("target")._form.shape))
    total = weights_of(call, n)
    flat = losses.reshape((n, -1)) if losses._form.ndim > 1 else losses.reshape((n, 1))
    loss = losses if call.code == NONE else flat.sum(1) / total if call.code == MEAN else flat.sum(1)
    return [loss, stats.reshape((2, n, -1)).transpose(0, 1), total]


def weights_of(call, n):
    """The sum of the weights of the targets that count, of each example."""
    target = call.spread("target").reshape((n, -1))
    kept = target != call.ignore_index
    if call.weight is None:
        return kept.sum(1).to(call.outputs[0].dtype)
    chosen = call.weight[FUNCTIONS["where"](kept, target, 0)]
    return FUNCTIONS["where"](kept, chosen, 0).sum(1)


def unreduced(call, name):
    """The gradient of a loss for each of its elements, before they were summed: (examples, *target's shape)."""
    g, shape = call.spread(name), (call.size, *call.one("target")._form.shape)
    if call.code == MEAN:
        g = g / call.spread("total")
    return g if call.code == NONE else g.reshape((call.size, *(1,) * (len(shape) - 1))).expand(shape)


@batch("_cross_entropy_grad")
def cross_entropy_back(call):
    if call.has_batch("weight") or call.rank(1) == 1 and call.one("target")._form.ndim:
        raise Unruled
    x, target = examples(call, "x", "target")
    stats = call.spread("stats").transpose(0, 1).reshape((2, -1))
    g = unreduced(call, "grad_loss").reshape(target._form.shape)
    made = call.op.compute([g, x, target, call.weight, call.ignore_index, call.smoothing, NONE, stats, call.total])
    return [made]


@batch("_nll_loss")
def nll_loss(call):
    if call.has_batch("weight") or call.rank() == 1 and call.one("target")._form.ndim:
        raise Unruled
    x, target = examples(call, "x", "target")
    losses = call.run([x, target, call.weight, call.ignore_index, NONE])[0]
    n = call.size
    flat, total = losses.reshape((n, -1)), weights_of(call, n)
    loss = flat if call.code == NONE else flat.sum(1) / total if call.code == MEAN else flat.sum(1)
    return [loss, total]


@batch("_nll_grad")
def nll_back(call):
    shape = tuple(call.one("shape"))
    if call.has_batch("weight") or len(shape) == 1 and call.one("target")._form.ndim:
        raise Unruled
    n, g = call.size, unreduced(call, "x")
    target, = examples(call, "target")
    whole = (n * shape[0], *shape[1:]) if call.one("target")._form.ndim else (n, *shape)
    return [call.op.compute([g.reshape(target._form.shape), target, call.weight, call.total, whole, call.ignore_index,
                             NONE])]


@batch("_label_shares")
def label_shares(call):
    if call.has_batch("weight") or call.rank() == 1 and call.one("target")._form.ndim:
        raise Unruled
    x, target = examples(call, "x", "target")
    return call.run([x, target, call.weight, call.ignore_index, call.smoothing])


@batch("_fft_c2c", "_fft_r2c", "_fft_c2r", "_fft_resize")
def transformed(call):
    rank = call.rank()
    dim = call.dim
    return call.changed(dim=[d % rank + 1 for d in dim] if isinstance(dim, (tuple, list)) else dim % rank + 1)


@batch("_cross")
def crossed(call):
    rank = max(call.rank(0), call.rank(1))
    x, y = lifted(call.spread("x"), rank), lifted(call.spread("y"), rank)
    return call.run([x, y, call.dim % rank + 1])


@batch("_mix_axis", "_mix_bytes")
def mixed(call):
    return call.changed(axis=call.axis % call.rank() + 1)
