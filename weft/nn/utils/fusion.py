"""A batch norm in evaluation mode taken into the layer before it."""
import copy

from weft.nn.parameter import Parameter
from weft.ops.create.constants import ones_like, zeros_like

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _fused(weight, bias, mean, var, eps, factor, shift, shape):
    """(weight, bias) of the layer and the norm after it: shift + factor * (w x + bias - mean) / sqrt(var + eps)."""
    kind = weight.dtype
    bias = zeros_like(mean) if bias is None else bias
    factor = ones_like(mean) if factor is None else factor
    shift = zeros_like(mean) if shift is None else shift
    scale = factor * (var + eps).rsqrt()
    made = (weight * scale.reshape(shape)).to(dtype=kind), ((bias - mean) * scale + shift).to(dtype=kind)
    return tuple(Parameter(new, old.requires_grad) for new, old in zip(made, (weight, bias)))


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """Weight and bias of a convolution that does what the convolution and the batch norm do.

    >>> import weft
    >>> conv, norm = weft.nn.Conv2d(3, 4, 2), weft.nn.BatchNorm2d(4)
    >>> weight, bias = weft.nn.utils.fuse_conv_bn_weights(
    ...     conv.weight, conv.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
    >>> weight.shape, bias.shape
    (torch.Size([4, 3, 2, 2]), torch.Size([4]))
    """
    shape = [1, -1] + [1] * (conv_w.dim() - 2) if transpose else [-1] + [1] * (conv_w.dim() - 1)
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """Weight and bias of a Linear that does what the Linear and the batch norm do.

    >>> import weft
    >>> linear, norm = weft.nn.Linear(3, 4), weft.nn.BatchNorm1d(4)
    >>> weight, bias = weft.nn.utils.fuse_linear_bn_weights(
    ...     linear.weight, linear.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
    >>> weight.shape, bias.shape
    (torch.Size([4, 3]), torch.Size([4]))
    """
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _check(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!\n  fix: call eval() on both")
    if bn.running_mean is None or bn.running_var is None:
        raise ValueError("Only support fusing layers with batch norms that have computed running_mean and running_var")


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of the convolution that does what it and the batch norm after it do in evaluation mode.

    >>> import weft
    >>> fused = weft.nn.utils.fuse_conv_bn_eval(weft.nn.Conv2d(1, 2, 3).eval(), weft.nn.BatchNorm2d(2).eval())
    >>> fused.weight.shape
    torch.Size([2, 1, 3, 3])
    """
    _check(conv, bn)
    made = copy.deepcopy(conv)
    made.weight, made.bias = fuse_conv_bn_weights(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps,
                                                  bn.weight, bn.bias, transpose)
    return made


def fuse_linear_bn_eval(linear, bn):
    """A copy of the Linear that does what it and the batch norm after it do in evaluation mode.

    >>> import weft
    >>> linear, norm = weft.nn.Linear(3, 4).eval(), weft.nn.BatchNorm1d(4).eval()
    >>> x = weft.rand(2, 3)
    >>> weft.allclose(weft.nn.utils.fuse_linear_bn_eval(linear, norm)(x), norm(linear(x)), atol=1e-6)
    True
    """
    _check(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    made = copy.deepcopy(linear)
    made.weight, made.bias = fuse_linear_bn_weights(made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps,
                                                    bn.weight, bn.bias)
    return made
