"""Layers that torchvision's models are made of."""
import weft
from weft import nn
from weft.nn import functional as F

__all__ = ["Conv2dNormActivation", "Conv3dNormActivation", "SqueezeExcitation", "MLP", "Permute", "FrozenBatchNorm2d",
           "StochasticDepth", "stochastic_depth", "DropBlock2d", "DropBlock3d", "drop_block2d", "drop_block3d"]


class ConvNormActivation(nn.Sequential):
    """A convolution, a norm and an activation; padding keeps the size unless it is given."""

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=None, groups=1,
                 norm_layer=nn.BatchNorm2d, activation_layer=nn.ReLU, dilation=1, inplace=True, bias=None,
                 conv_layer=nn.Conv2d):
        if padding is None:
            if isinstance(kernel_size, int) and isinstance(dilation, int):
                padding = (kernel_size - 1) // 2 * dilation
            else:
                dims = len(kernel_size) if not isinstance(kernel_size, int) else len(dilation)
                sizes, spread = ((v,) * dims if isinstance(v, int) else v for v in (kernel_size, dilation))
                padding = tuple((k - 1) // 2 * d for k, d in zip(sizes, spread))
        layers = [conv_layer(in_channels, out_channels, kernel_size, stride, padding, dilation=dilation, groups=groups,
                             bias=norm_layer is None if bias is None else bias)]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer(**({} if inplace is None else {"inplace": inplace})))
        super().__init__(*layers)
        self.out_channels = out_channels


class Conv2dNormActivation(ConvNormActivation):
    """A convolution, a norm and an activation: (N, C, H, W) to (N, out_channels, h, w).

    >>> import weft
    >>> weft.vision.ops.Conv2dNormActivation(3, 8)(weft.rand(1, 3, 4, 4)).shape
    torch.Size([1, 8, 4, 4])
    """

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=None, groups=1,
                 norm_layer=nn.BatchNorm2d, activation_layer=nn.ReLU, dilation=1, inplace=True, bias=None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, groups, norm_layer, activation_layer,
                         dilation, inplace, bias, nn.Conv2d)


class Conv3dNormActivation(ConvNormActivation):
    """A convolution, a norm and an activation: (N, C, D, H, W) to (N, out_channels, d, h, w).

    >>> import weft
    >>> weft.vision.ops.Conv3dNormActivation(3, 8)(weft.rand(1, 3, 4, 4, 4)).shape
    torch.Size([1, 8, 4, 4, 4])
    """

    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, padding=None, groups=1,
                 norm_layer=nn.BatchNorm3d, activation_layer=nn.ReLU, dilation=1, inplace=True, bias=None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, groups, norm_layer, activation_layer,
                         dilation, inplace, bias, nn.Conv3d)


class SqueezeExcitation(nn.Module):
    """Channels weighted by what a small network says of their means: (N, C, H, W) to the same shape.

    >>> import weft
    >>> weft.vision.ops.SqueezeExcitation(8, 2)(weft.rand(1, 8, 4, 4)).shape
    torch.Size([1, 8, 4, 4])
    """

    def __init__(self, input_channels, squeeze_channels, activation=nn.ReLU, scale_activation=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation, self.scale_activation = activation(), scale_activation()

    def forward(self, input):
        return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(input))))) * input


class MLP(nn.Sequential):
    """Linear layers with norms, activations and dropout between them: (..., in_channels) to (..., hidden_channels[-1]).

    >>> import weft
    >>> weft.vision.ops.MLP(4, [8, 2])(weft.rand(3, 4)).shape
    torch.Size([3, 2])
    """

    def __init__(self, in_channels, hidden_channels, norm_layer=None, activation_layer=nn.ReLU, inplace=None, bias=True,
                 dropout=0.0):
        how = {} if inplace is None else {"inplace": inplace}
        layers = []
        for width in hidden_channels[:-1]:
            layers.append(nn.Linear(in_channels, width, bias=bias))
            if norm_layer is not None:
                layers.append(norm_layer(width))
            layers += [activation_layer(**how), nn.Dropout(dropout, **how)]
            in_channels = width
        layers += [nn.Linear(in_channels, hidden_channels[-1], bias=bias), nn.Dropout(dropout, **how)]
        super().__init__(*layers)


class Permute(nn.Module):
    """The dimensions in another order.

    >>> import weft
    >>> weft.vision.ops.Permute([0, 2, 1])(weft.rand(1, 2, 3)).shape
    torch.Size([1, 3, 2])
    """

    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return weft.permute(x, self.dims)


class FrozenBatchNorm2d(nn.Module):
    """Batch normalisation (N, C, H, W) whose figures are fixed.

    >>> import weft
    >>> weft.vision.ops.FrozenBatchNorm2d(3)(weft.ones(1, 3, 2, 2)).shape
    torch.Size([1, 3, 2, 2])
    """

    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", weft.ones(num_features))
        self.register_buffer("bias", weft.zeros(num_features))
        self.register_buffer("running_mean", weft.zeros(num_features))
        self.register_buffer("running_var", weft.ones(num_features))

    def _load_from_state_dict(self, state_dict, prefix, *args):
        state_dict.pop(prefix + "num_batches_tracked", None)        # of a BatchNorm2d
        super()._load_from_state_dict(state_dict, prefix, *args)

    def forward(self, x):
        scale = (self.weight * (self.running_var + self.eps).rsqrt()).reshape(1, -1, 1, 1)
        return x * scale + (self.bias.reshape(1, -1, 1, 1) - self.running_mean.reshape(1, -1, 1, 1) * scale)

    def __repr__(self):
        return f"FrozenBatchNorm2d({self.weight.shape[0]}, eps={self.eps})"


def stochastic_depth(input, p, mode, training=True):
    """Zeros with probability p, for the whole batch or ('row') for each example; what remains is scaled up.

    >>> import weft
    >>> weft.vision.ops.stochastic_depth(weft.ones(2), 0.5, "row", training=False)
    tensor([1., 1.])
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p is {p}, it must be from 0 to 1")
    if mode not in ("batch", "row"):
        raise ValueError(f"there is no mode {mode!r}\n  fix: take batch or row")
    if not training or p == 0.0:
        return input
    size = [input.shape[0] if mode == "row" else 1] + [1] * (input.ndim - 1)
    kept = weft.empty(size, dtype=input.dtype, device=input.device).bernoulli_(1.0 - p)
    return input * (kept.div_(1.0 - p) if p < 1.0 else kept)


class StochasticDepth(nn.Module):
    """stochastic_depth as a layer.

    >>> import weft
    >>> weft.vision.ops.StochasticDepth(0.5, "row").eval()(weft.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, p, mode):
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, input):
        return stochastic_depth(input, self.p, self.mode, self.training)

    def __repr__(self):
        return f"StochasticDepth(p={self.p}, mode={self.mode})"


def _drop_block(input, p, block_size, inplace, eps, training, dims):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p is {p}, it must be from 0 to 1")
    if input.ndim != dims + 2:
        raise ValueError(f"input has {input.ndim} dimensions, this takes {dims + 2}")
    if not training or p == 0.0:
        return input
    sizes = input.shape[2:]
    block = min(block_size, *sizes)
    places, whole = 1, 1
    for size in sizes:
        places, whole = places * (size - block + 1), whole * size
    noise = weft.empty([*input.shape[:2], *(size - block + 1 for size in sizes)], dtype=input.dtype)
    noise.bernoulli_(p * whole / (block ** dims * places))
    noise = F.pad(noise, [block // 2] * (2 * dims), value=0)
    noise = (F.max_pool2d if dims == 2 else F.max_pool3d)(noise, block, stride=1, padding=block // 2)
    noise = 1 - noise
    scale = noise.numel() / (eps + noise.sum())
    return input.mul_(noise).mul_(scale) if inplace else input * noise * scale


def drop_block2d(input, p, block_size, inplace=False, eps=1e-6, training=True):
    """Squares of (N, C, H, W) set to zero at random; what remains is scaled up.

    >>> import weft
    >>> weft.vision.ops.drop_block2d(weft.ones(1, 1, 6, 6), 0.2, 3).shape
    torch.Size([1, 1, 6, 6])
    """
    return _drop_block(input, p, block_size, inplace, eps, training, 2)


def drop_block3d(input, p, block_size, inplace=False, eps=1e-6, training=True):
    """Cubes of (N, C, D, H, W) set to zero at random; what remains is scaled up.

    >>> import weft
    >>> weft.vision.ops.drop_block3d(weft.ones(1, 1, 6, 6, 6), 0.2, 3).shape
    torch.Size([1, 1, 6, 6, 6])
    """
    return _drop_block(input, p, block_size, inplace, eps, training, 3)


class DropBlock2d(nn.Module):
    """drop_block2d as a layer.

    >>> import weft
    >>> weft.vision.ops.DropBlock2d(0.2, 3)(weft.ones(1, 1, 6, 6)).shape
    torch.Size([1, 1, 6, 6])
    """

    _dims = 2

    def __init__(self, p, block_size, inplace=False, eps=1e-6):
        super().__init__()
        self.p, self.block_size, self.inplace, self.eps = p, block_size, inplace, eps

    def forward(self, input):
        return _drop_block(input, self.p, self.block_size, self.inplace, self.eps, self.training, self._dims)

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p}, block_size={self.block_size}, inplace={self.inplace})"


class DropBlock3d(DropBlock2d):
    """drop_block3d as a layer.

    >>> import weft
    >>> weft.vision.ops.DropBlock3d(0.2, 3)(weft.ones(1, 1, 6, 6, 6)).shape
    torch.Size([1, 1, 6, 6, 6])
    """

    _dims = 3
