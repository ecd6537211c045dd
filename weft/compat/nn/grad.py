"""Gradients of convolutions as functions."""
import weft.nn.functional as F
from weft.autograd.api import grad
from weft.core.modes import enable_grad


def _by(which, conv, input, weight, grad_output, stride, padding, dilation, groups):
    """The gradient of a convolution by its input (0) or weight (1)."""
    with enable_grad():
        pair = [input.detach(), weight.detach()]
        pair[which] = pair[which].requires_grad_()
        out = conv(*pair, None, stride, padding, dilation, groups)
    return grad(out, pair[which], grad_output)[0]


def _made(n):
    conv = getattr(F, f"conv{n}d")

    def by_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _by(0, conv, grad_output.new_zeros(tuple(input_size)), weight, grad_output, stride, padding, dilation,
                   groups)

    def by_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _by(1, conv, input, grad_output.new_zeros(tuple(weight_size)), grad_output, stride, padding, dilation,
                   groups)
    for function, what in ((by_input, "input"), (by_weight, "weight")):
        function.__name__ = function.__qualname__ = f"conv{n}d_{what}"
        function.__doc__ = f"The gradient of conv{n}d by its {what}."
    return by_input, by_weight


conv1d_input, conv1d_weight = _made(1)
conv2d_input, conv2d_weight = _made(2)
conv3d_input, conv3d_weight = _made(3)
