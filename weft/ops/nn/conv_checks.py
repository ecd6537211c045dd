# compiled
"""What convolutions refuse, and the sizes that follow from their arguments."""
from weft.core.errors import fail
from weft.ops.linalg.checks import need_tensors, type_name
from weft.tensor.tensor import Tensor


def numbers(value, dims, what, name):
    """One number per spatial dimension, from one number or as many."""
    if type(value) is int:
        return (value,) * dims
    if isinstance(value, (tuple, list)):
        found = tuple([int(v) for v in value])
        if len(found) == dims:
            return found
        if len(found) == 1:
            return found * dims
        fail(RuntimeError, f"{name}: expected {what} to be a single integer value or a list of {dims} values to match "
             f"the convolution dimensions, but got {what}={list(value)}", f"give one number, or {dims}")
    if hasattr(value, "__index__") and not isinstance(value, Tensor):
        return (int(value),) * dims
    fail(TypeError, f"{name}(): argument '{what}' must be tuple of ints, not {type(value).__name__}",
         f"give one number, or {dims}")


def check_arrays(name, dims, input, weight, bias, groups, transposed):
    """Refuse what doesn't fit together; whether the input has a batch dimension."""
    if (not isinstance(input, Tensor) or not isinstance(weight, Tensor)
        or (bias is not None and not isinstance(bias, Tensor))):
        need_tensors(name, input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    x, w = input._form, weight._form
    batched = x.ndim == dims + 2
    if not batched and x.ndim != dims + 1:
        fail(RuntimeError, f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input "
             f"of size: {list(x.shape)}",
             "give it a dimension of channels: input.unsqueeze(0)" if x.ndim == dims else
             "reshape the input, or use the convolution of its number of dimensions")
    if w.ndim != dims + 2:
        fail(RuntimeError, f"{name}: expected weight to have {dims + 2} dimensions, but got weight of size "
             f"{list(w.shape)}",
             "a weight is (out channels, in channels / groups, kernel...)")
    if type(groups) is not int or groups < 1:
        fail(RuntimeError, f"{name}: non-positive groups is not supported, got groups={groups}",
             "groups is 1 or a divisor of the channels")
    if w.shape[0] < groups or w.shape[0] % groups:
        fail(RuntimeError, f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
             f"got weight of size {list(w.shape)} instead",
             "make the first dimension of the weight a multiple of groups")
    channels, wanted = x.shape[x.ndim - dims - 1], w.shape[0] if transposed else w.shape[1] * groups
    if channels != wanted:
        fail(RuntimeError, f"Given {'transposed=1' if transposed else f'groups={groups}'}, weight of size "
             f"{list(w.shape)}, expected input{list(x.shape)} to have {wanted} channels, but got {channels} channels "
             f"instead",
             channels_advice(x.shape, dims, wanted, channels))
    out = w.shape[1] * groups if transposed else w.shape[0]
    if bias is not None and bias._form.shape != (out,):
        fail(RuntimeError, f"Given {'transposed=1, ' if transposed else ''}weight of size {list(w.shape)}, expected "
             f"bias to be 1-dimensional with {out} elements, but got bias of size {list(bias._form.shape)} instead",
             f"the bias has one number for each of {out} channels")
    if x.dtype != w.dtype or (bias is not None and bias._form.dtype != x.dtype):
        other, what = (w, "weight") if x.dtype != w.dtype else (bias._form, "bias")
        fail(RuntimeError, f"Input type ({type_name(x)}) and {what} type ({type_name(other)}) should be the same",
             "convert one of them with .to(other.dtype)")
    return batched


def channels_advice(shape, dims, wanted, channels):
    """What to do about a wrong number of channels: most often they stand elsewhere."""
    batch = len(shape) - dims - 1
    if shape[len(shape) - 1] == wanted:
        order = [*range(batch), len(shape) - 1, *range(batch, len(shape) - 1)]
        return f"the channels come last here: input.permute({', '.join(map(str, order))}) puts them where they belong"
    if wanted == 1 and not batch:
        return f"for {channels} inputs of one channel each: input.unsqueeze(1)"
    return f"give the input {wanted} channels, or make the weight for {channels}"


def same_padding(padding, kernel, stride, dilation):
    """(before, after) for the paddings that have a name."""
    if padding == "valid":
        return (0,) * len(kernel), (0,) * len(kernel)
    if padding != "same":
        fail(RuntimeError, f"Invalid padding string: '{padding}'", "use 'same', 'valid', or numbers")
    for s in stride:
        if s != 1:
            fail(RuntimeError, "padding='same' is not supported for strided convolutions",
                 "give the padding as numbers")
    total = [d * (k - 1) for d, k in zip(dilation, kernel)]
    before = tuple([t // 2 for t in total])
    return before, tuple([t - b for t, b in zip(total, before)])


def refuse_padding(name, padding):
    fail(TypeError, f"{name}(): argument 'padding' must be tuple of ints, not {type(padding).__name__}",
         "a transposed convolution takes numbers only")


def check_geometry(stride, padding, dilation):
    for what, values, least in (("stride", stride, 1), ("padding", padding, 0), ("dilation", dilation, 1)):
        for v in values:
            if v < least:
                fail(RuntimeError, f"{'negative' if what == 'padding' else 'non-positive'} {what} is not supported",
                     f"give a {what} of at least {least}")


def sizes_forward(x, kernel, stride, before, after, dilation):
    """The output's spatial sizes."""
    check_geometry(stride, before, dilation)
    made = []
    for n, k, s, b, a, d in zip(x, kernel, stride, before, after, dilation):
        room = n + b + a - d * (k - 1) - 1
        if room < 0 or k < 1:
            _refuse_sizes(x, kernel, before, after, dilation)
        made.append(room // s + 1)
    return tuple(made)


def _refuse_sizes(x, kernel, before, after, dilation):
    padded = " x ".join([str(n + b + a) for n, b, a in zip(x, before, after)])
    reach = " x ".join([str(d * (k - 1) + 1) for k, d in zip(kernel, dilation)])
    if min(kernel) < 1:
        fail(RuntimeError, f"weight should have at least one element in each kernel dimension, got kernel size "
             f"({reach})", "use a larger kernel")
    fail(RuntimeError, f"Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). Kernel size "
         f"can't be greater than actual input size", "use a smaller kernel, or more padding")


def sizes_transposed(x, kernel, stride, padding, dilation, more):
    """The sizes of a transposed convolution's output."""
    check_geometry(stride, padding, dilation)
    made = []
    for n, k, s, p, d, m in zip(x, kernel, stride, padding, dilation, more):
        if m < 0 or m >= s and m >= d:
            fail(RuntimeError, f"output padding must be smaller than either stride or dilation, but got "
                 f"output_padding={m}, stride={s}, dilation={d}",
                 "use a smaller output_padding")
        made.append((n - 1) * s - 2 * p + d * (k - 1) + m + 1)
    for size in made:
        if size < 1:
            fail(RuntimeError, f"Given input size per channel: {tuple(x)}"
                 f". Calculated output size per channel: {tuple(made)}. Output size is too small",
                 "use a larger input or kernel, or less padding")
    return tuple(made)
