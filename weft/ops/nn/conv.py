# compiled
"""Convolutions and transposed convolutions of one to three spatial dimensions.

Three ops do all of it: `_conv` (forward), `_conv_input` (the gradient of the input, which is also the transposed
convolution) and `_conv_weight` (the gradient of the weight). Each is linear in its two tensors, and its gradients are
the other two. `geometry` is (stride, padding, dilation, groups); padding is what stands before the first element, since
the output's size says the rest.
"""
from math import prod

from weft.kernels import conv as kernels
from weft.ops.core.registry import op
from weft.ops.core.samples import size
from weft.ops.index.arrays import contiguous
from weft.ops.nn.conv_checks import check_arrays, numbers, refuse_padding, same_padding, sizes_forward, sizes_transposed
from weft.ops.nn.faces import convolution_face
from weft.ops.nn.images import images, laid_out
from weft.ops.pointwise.arithmetic import conj_of
from weft.tensor.tensor import Tensor


@op
class _conv:
    """sum of x at the taps times weight, plus bias: (N, C, ...), (O, C / groups, k...) give (N, O, *size)."""
    method, node_name = False, "ConvolutionBackward0"
    steady = True

    def forward(x, weight, bias, size, geometry):
        return laid_out(kernels.forward(x, weight, bias, size, geometry), x, weight)

    def shape(x, weight, bias, size, geometry):
        return images((x.shape[0], weight.shape[0], *size), x.dtype, x, weight)

    def flops(values, outs):
        return 2 * prod(outs[0]) * prod(values["weight"][1:])       # weight (out, in / groups, ...)

    def grad_x(g, x_shape, weight, geometry):
        return INPUT.compute([g, conj_of(weight), None, tuple(x_shape[2:]), geometry])

    def grad_weight(g, x, weight_shape, geometry):
        return WEIGHT.compute([g, conj_of(x), tuple(weight_shape[2:]), geometry])

    def grad_bias(g):
        return BIAS.compute([g])

    def looks(node):
        return convolution_face(node, transposed=False)
    samples = [((2, 4, 5, 6), (6, 2, 3, 2), (6,), size(3, 5), ((2, 1), (1, 0), (1, 1), 2)),
               ((1, 2, 7), (3, 2, 3), None, size(3), ((1,), (0,), (2,), 1))]


@op
class _conv_input:
    """The gradient of a convolution's input: (N, O, ...), (O, C / groups, k...) give (N, C, *size); bias (C,) for the
    transposed one.
    """
    method, node_name = False, "ConvolutionBackward0"
    steady = True

    def forward(x, weight, bias, size, geometry):
        return laid_out(kernels.backward_input(x, weight, bias, size, geometry), x, weight)

    def shape(x, weight, bias, size, geometry):
        return images((x.shape[0], weight.shape[1] * geometry[3], *size), x.dtype, x, weight)

    def flops(values, outs):
        # weight (in, out / groups, ...): each input meets all of it
        return 2 * prod(values["x"]) * prod(values["weight"][1:])

    def grad_x(g, x_shape, weight, geometry):
        return FORWARD.compute([g, conj_of(weight), None, tuple(x_shape[2:]), geometry])

    def grad_weight(g, x, weight_shape, geometry):
        return WEIGHT.compute([conj_of(x), g, tuple(weight_shape[2:]), geometry])

    def grad_bias(g):
        return BIAS.compute([g])
    samples = [((2, 6, 3, 5), (6, 2, 3, 2), (4,), size(5, 6), ((2, 1), (1, 0), (1, 1), 2)),
               ((1, 3, 3), (3, 2, 3), None, size(7), ((1,), (0,), (2,), 1))]


@op
class _conv_weight:
    """The gradient of a convolution's weight: x (N, O, ...) is that of its output, y (N, C, ...) its input; (O, C /
    groups, *size).
    """
    method, node_name = False, "ConvolutionBackward0"
    steady = True

    def forward(x, y, size, geometry):
        return contiguous(kernels.backward_weight(x, y, size, geometry))

    def shape(x, y, size, geometry):
        return (x.shape[1], y.shape[1] // geometry[3], *size), x.dtype

    def flops(values, outs):
        return 2 * prod(values["x"]) * prod(outs[0][1:])

    def grad_x(g, x_shape, y, geometry):
        return FORWARD.compute([conj_of(y), g, None, tuple(x_shape[2:]), geometry])

    def grad_y(g, x, y_shape, geometry):
        return INPUT.compute([conj_of(x), g, None, tuple(y_shape[2:]), geometry])
    samples = [((2, 3, 3, 4), (2, 4, 5, 6), size(3, 2), ((1, 1), (0, 0), (1, 1), 1)),
               ((2, 4, 3), (2, 4, 5), size(2), ((2,), (1,), (1,), 2))]


@op
class _conv_bias:
    """The sum of x over images and positions."""
    method, node_name = False, "SumBackward1"
    steady = True

    def forward(x):
        return kernels.backward_bias(x)

    def shape(x):
        return (x.shape[1],), x.dtype

    def grad_x(g, x_shape):
        return g.reshape(-1, *[1] * (len(x_shape) - 2)).expand(x_shape)
    samples = [((2, 3, 4),), ((2, 3, 2, 2),)]


FORWARD, INPUT, WEIGHT, BIAS = _conv.op, _conv_input.op, _conv_weight.op, _conv_bias.op


def convolve(name, dims, input, weight, bias, stride, padding, dilation, groups):
    """A convolution as the functions of `dims` dimensions take it."""
    stride, dilation = numbers(stride, dims, "stride", name), numbers(dilation, dims, "dilation", name)
    batched = check_arrays(name, dims, input, weight, bias, groups, False)
    x, kernel = input._form.shape[-dims:], weight._form.shape[2:]
    if isinstance(padding, str):
        padding, after = same_padding(padding, kernel, stride, dilation)
    else:
        padding = after = numbers(padding, dims, "padding", name)
    size = sizes_forward(x, kernel, stride, padding, after, dilation)
    geometry = (stride, padding, dilation, groups)
    if batched:
        return FORWARD.compute([input, weight, bias, size, geometry])
    return FORWARD.compute([input.unsqueeze(0), weight, bias, size, geometry]).squeeze(0)


def convolve_transposed(name, dims, input, weight, bias, stride, padding, output_padding, groups, dilation):
    """A transposed convolution as the functions of `dims` dimensions take it."""
    stride, dilation = numbers(stride, dims, "stride", name), numbers(dilation, dims, "dilation", name)
    if isinstance(padding, str):
        refuse_padding(name, padding)
    padding, more = numbers(padding, dims, "padding", name), numbers(output_padding, dims, "output_padding", name)
    batched = check_arrays(name, dims, input, weight, bias, groups, True)
    size = sizes_transposed(input._form.shape[-dims:], weight._form.shape[2:], stride, padding, dilation, more)
    geometry = (stride, padding, dilation, groups)
    if batched:
        return INPUT.compute([input, weight, bias, size, geometry])
    return INPUT.compute([input.unsqueeze(0), weight, bias, size, geometry]).squeeze(0)


@op
class conv1d:
    """Convolution: (N, C, L) or (C, L) with weight (O, C / groups, k)."""
    autocast = "lower"
    names, method = "conv1d nn.functional.conv1d", False

    def compose(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)
    samples = [((2, 2, 7), (3, 2, 3), (3,), 2, 1)]


@op
class conv2d:
    """Convolution: (N, C, H, W) or (C, H, W) with weight (O, C / groups, kh, kw)."""
    autocast = "lower"
    names, method = "conv2d nn.functional.conv2d", False

    def compose(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)
    samples = [((2, 2, 5, 6), (3, 2, 3, 2), (3,)), ((2, 4, 5, 5), (2, 2, 3, 3), None, 2, 1, 1, 2),
               ((2, 5, 6), (3, 2, 2, 2), (3,), 1, "same")]


@op
class conv3d:
    """Convolution: (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, kd, kh, kw)."""
    autocast = "lower"
    names, method = "conv3d nn.functional.conv3d", False

    def compose(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        return convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)
    samples = [((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), (2,), 1, 1)]


@op
class conv_transpose1d:
    """Transposed convolution: (N, C, L) or (C, L) with weight (C, O / groups, k)."""
    autocast = "lower"
    names, method = "conv_transpose1d nn.functional.conv_transpose1d", False

    def compose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return convolve_transposed("conv_transpose1d", 1, input, weight, bias, stride, padding, output_padding, groups,
                                   dilation)
    samples = [((2, 3, 4), (3, 2, 3), (2,), 2, 1, 1)]


@op
class conv_transpose2d:
    """Transposed convolution: (N, C, H, W) or (C, H, W) with weight (C, O / groups, kh, kw)."""
    autocast = "lower"
    names, method = "conv_transpose2d nn.functional.conv_transpose2d", False

    def compose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return convolve_transposed("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups,
                                   dilation)
    samples = [((2, 3, 3, 4), (3, 2, 3, 2), (2,), 2, 1, 1), ((2, 4, 3, 3), (4, 1, 2, 2), None, 1, 0, 0, 2)]


@op
class conv_transpose3d:
    """Transposed convolution: (N, C, D, H, W) or (C, D, H, W) with weight (C, O / groups, kd, kh, kw)."""
    autocast = "lower"
    names, method = "conv_transpose3d nn.functional.conv_transpose3d", False

    def compose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        return convolve_transposed("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups,
                                   dilation)
    samples = [((1, 2, 2, 2, 3), (2, 2, 2, 2, 2), (2,), 2)]


@op
class convolution:
    """Any of the convolutions, by the weight's number of dimensions."""
    names, method = "convolution", False

    def compose(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
        dims = weight._form.ndim - 2 if isinstance(weight, Tensor) else 2
        if transposed:
            return convolve_transposed("convolution", dims, input, weight, bias, stride, padding, output_padding,
                                       groups, dilation)
        return convolve("convolution", dims, input, weight, bias, stride, padding, dilation, groups)
    samples = [((1, 2, 4, 4), (3, 2, 3, 3), (3,), [1, 1], [1, 1], [1, 1], False, [0, 0], 1),
               ((1, 2, 4), (2, 3, 3), None, [2], [1], [1], True, [1], 1)]
