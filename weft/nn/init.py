"""Ways to fill a parameter before training; each writes in place, without a graph, and returns the tensor."""
import math
import warnings

from weft.core.modes import no_grad
from weft.tensor.names import FUNCTIONS

_GAINS = {"linear": 1.0, "conv1d": 1.0, "conv2d": 1.0, "conv3d": 1.0, "conv_transpose1d": 1.0, "conv_transpose2d": 1.0,
          "conv_transpose3d": 1.0, "sigmoid": 1.0, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """The factor by which a layer's weights make up for its activation.

    >>> import weft
    >>> weft.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}\n  fix: one of {', '.join([*_GAINS, 'leaky_relu'])}")
    return _GAINS[nonlinearity]


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Numbers between a and b.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.uniform_(w, 0.0, 1.0).shape
    torch.Size([3, 2])
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal numbers.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.normal_(w, 0.0, 0.02).shape
    torch.Size([3, 2])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal numbers, those outside of [a, b] drawn again.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.trunc_normal_(w, std=0.02).shape
    torch.Size([3, 2])
    """
    def below(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
                      "incorrect.", stacklevel=2)
    if tensor.is_meta:
        return tensor
    with no_grad():
        inside = below((b - mean) / std) - below((a - mean) / std)
        drawn = (_by_normals if inside > 0.3 else _by_uniforms)(tensor, mean, std, a, b, generator)
        return tensor if drawn is tensor else tensor.copy_(drawn)


def _by_normals(tensor, mean, std, a, b, generator):
    """Normals, drawn again (all of them, to keep PyTorch's stream) until none is outside."""
    # the bounds as the tensor's type holds them, so that a rounded value at a bound counts as inside
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    drawn = tensor.normal_(mean, std, generator=generator)
    while (outside := (drawn < low) | (drawn > high)).any():
        drawn = FUNCTIONS["where"](outside, drawn.empty_like().normal_(mean, std, generator=generator), drawn)
    return drawn


def _by_uniforms(tensor, mean, std, a, b, generator):
    """For a narrow or far window: uniform numbers, each taken with its density relative to the greatest one in the
    window.
    """
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def refused(numbers):
        log_density = ((numbers - mean) / std).pow_(2).mul_(-0.5).sub_(log_peak)
        return numbers.empty_like().uniform_(generator=generator).log_().gt(log_density)
    drawn = tensor.uniform_(a, b, generator=generator)
    pending = refused(drawn)
    while pending.any():
        again = drawn.empty_like().uniform_(a, b, generator=generator)
        drawn = FUNCTIONS["where"](pending, again, drawn)
        pending = pending & refused(again)
    return drawn


def constant_(tensor, val):
    """One value everywhere.

    >>> import weft
    >>> weft.nn.init.constant_(weft.empty(2, 2), 0.5)
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """Ones.

    >>> import weft
    >>> weft.nn.init.ones_(weft.empty(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Zeros.

    >>> import weft
    >>> weft.nn.init.zeros_(weft.empty(2, 2))
    tensor([[0., 0.],
            [0., 0.]])
    """
    return constant_(tensor, 0.0)


def eye_(tensor):
    """The identity matrix.

    >>> import weft
    >>> weft.nn.init.eye_(weft.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor, groups=1):
    """Convolutions that hand their input channels through.

    >>> import weft
    >>> weft.nn.init.dirac_(weft.empty(2, 2, 3)).sum()
    tensor(2.)
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.size(0) // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for g in range(groups):
            for d in range(min(per_group, tensor.size(1))):
                tensor[(g * per_group + d, d, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode.lower() == "fan_out"]


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform numbers of variance 2 / (fan_in + fan_out).

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.xavier_uniform_(w).shape
    torch.Size([3, 2])
    """
    bound = gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))) * math.sqrt(3.0)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal numbers of variance 2 / (fan_in + fan_out).

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.xavier_normal_(w).shape
    torch.Size([3, 2])
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform numbers that keep the variance through layers of rectifiers.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.kaiming_uniform_(w, nonlinearity='relu').shape
    torch.Size([3, 2])
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal numbers that keep the variance through layers of rectifiers.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.kaiming_normal_(w, nonlinearity='relu').shape
    torch.Size([3, 2])
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A matrix with orthogonal rows or columns; further dimensions are flattened.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.orthogonal_(w).shape
    torch.Size([3, 2])
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.size(0), tensor.numel() // tensor.size(0)
    with no_grad():
        flat = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        if rows < columns:
            flat.t_()
        q, r = FUNCTIONS["linalg.qr"](flat)
        q *= r.diagonal(0).sign()
        if rows < columns:
            q.t_()
        tensor.view_as(q).copy_(q)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal numbers, a share of each column set to zero.

    >>> import weft
    >>> w = weft.empty(3, 2)
    >>> weft.nn.init.sparse_(w, sparsity=0.5).shape
    torch.Size([3, 2])
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[FUNCTIONS["randperm"](rows)[:zeros], column] = 0
    return tensor


def _deprecated(function):
    old = function.__name__[:-1]

    def renamed(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{old}_`.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)
    renamed.__name__ = renamed.__qualname__ = old
    renamed.__doc__ = f"The old name of {old}_." + function.__doc__[function.__doc__.index("\n\n"):].replace(
        f"{old}_(", f"{old}(")
    return renamed


uniform, normal, constant, eye, dirac = map(_deprecated, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(_deprecated, (
    xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_))
orthogonal, sparse = map(_deprecated, (orthogonal_, sparse_))


# PyTorch's inner names, which programs use

_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_, _no_grad_fill_, _no_grad_zero_ = (
    uniform_, normal_, trunc_normal_, constant_, zeros_)
