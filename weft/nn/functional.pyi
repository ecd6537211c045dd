"""Functions of layers, from the op registry: `nn.functional.relu` and its like."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any, Callable
from weft._typing import DType, Floats, Ints, Number, TensorLike, Tensors
from weft.tensor.tensor import Tensor

def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + e**-input).

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.sigmoid(x)
    tensor([[0.5744, 0.6035],
            [0.6318, 0.6593],
            [0.6857, 0.7109]])
    """
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.tanh(x)
    tensor([[0.2913, 0.3969],
            [0.4930, 0.5784],
            [0.6527, 0.7163]])
    """
def relu(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else 0.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.relu(x)
    tensor([0., 0., 3.])
    """
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else negative_slope * input.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.leaky_relu(x)
    tensor([-0.0200,  0.0000,  3.0000])
    """
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is above the threshold, else `value`.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.threshold(x, 0.0, 9.0)
    tensor([9., 9., 3.])
    """
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input, but at least min_val and at most max_val.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.hardtanh(x)
    tensor([-1.,  0.,  1.])
    """
def relu6(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input, but at least 0 and at most 6.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 9.0])
    >>> weft.nn.functional.relu6(x)
    tensor([0., 0., 6.])
    """
def hardsigmoid(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """(input + 3) / 6, but at least 0 and at most 1.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.hardsigmoid(x)
    tensor([0.1667, 0.5000, 1.0000])
    """
def hardswish(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input * hardsigmoid(input).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.hardswish(x)
    tensor([-0.3333,  0.0000,  3.0000])
    """
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """input where it is beyond -lambd or lambd, else 0.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.hardshrink(x)
    tensor([[0.0000, 0.0000],
            [0.5400, 0.6600],
            [0.7800, 0.9000]])
    """
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """input brought nearer to 0 by lambd, not beyond it.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.softshrink(x)
    tensor([-1.5000,  0.0000,  2.5000])
    """
def relu_(input: Tensor) -> Tensor:
    """input where it is positive, else 0.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.relu_(x)
    tensor([0., 0., 3.])
    """
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """input where it is positive, else negative_slope * input.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.leaky_relu_(x)
    tensor([-0.0200,  0.0000,  3.0000])
    """
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """input where it is above the threshold, else `value`.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.threshold_(x, 0.0, 9.0)
    tensor([9., 9., 3.])
    """
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """input, but at least min_val and at most max_val.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.hardtanh_(x)
    tensor([-1.,  0.,  1.])
    """
def glu(input: Tensor, dim: int = -1, *, out: Tensor | None = None) -> Tensor:
    """The first half along `dim`, times the sigmoid of the second.

    Shape: (4,) -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 0.0, 0.0])
    >>> weft.nn.functional.glu(x)
    tensor([0.5000, 1.0000])
    """
def prelu(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else weight * input, one weight or one for each channel (dimension 1).

    Shape: (2,), () -> (2,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 3.0])
    >>> y = weft.tensor(0.25)
    >>> weft.prelu(x, y)
    tensor([-0.5000,  3.0000])
    """
def rrelu(input: Tensor, lower: float = 0.125, upper: float = ..., training: bool = False, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else a random multiple of it while training, the mean of these otherwise.

    Shape: (3, 4) -> (3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.nn.functional.rrelu(x).shape
    torch.Size([3, 4])
    """
def elu(input: Tensor, alpha: Number = 1.0, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else alpha * (e**input - 1).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.elu(x)
    tensor([-0.8647,  0.0000,  3.0000])
    """
def selu(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The scaled elu that keeps mean 0 and variance 1.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.selu(x)
    tensor([-1.5202,  0.0000,  3.1521])
    """
def celu(input: Tensor, alpha: Number = 1.0, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input where it is positive, else alpha * (e**(input / alpha) - 1).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.celu(x)
    tensor([-0.8647,  0.0000,  3.0000])
    """
def gelu(input: Tensor, *, approximate: str = 'none', out: Tensor | None = None) -> Tensor:
    """input * P(a standard normal number is below input); approximate="tanh" is a quicker form.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.gelu(x)
    tensor([-0.0455,  0.0000,  2.9960])
    """
def silu(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input * sigmoid(input).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.silu(x)
    tensor([-0.2384,  0.0000,  2.8577])
    """
def mish(input: Tensor, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """input * tanh(log(1 + e**input)).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.mish(x)
    tensor([-0.2525,  0.0000,  2.9865])
    """
def softplus(input: Tensor, beta: Number = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """log(1 + e**(beta * input)) / beta, and input itself where beta * input is above the threshold.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.softplus(x)
    tensor([0.1269, 0.6931, 3.0486])
    """
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(sigmoid(input)), without overflow.

    Shape: any; the result has the input's.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.logsigmoid(x)
    tensor([-2.1269, -0.6931, -0.0486])
    """
def softsign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input / (1 + |input|).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.softsign(x)
    tensor([-0.6667,  0.0000,  0.7500])
    """
def tanhshrink(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input - tanh(input).

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.tanhshrink(x)
    tensor([-1.0360,  0.0000,  2.0049])
    """
def elu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """input where it is positive, else alpha * (e**input - 1).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.elu_(x)
    tensor([-0.8647,  0.0000,  3.0000])
    """
def selu_(input: Tensor) -> Tensor:
    """The scaled elu that keeps mean 0 and variance 1.

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.selu_(x)
    tensor([-1.5202,  0.0000,  3.1521])
    """
def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """input where it is positive, else alpha * (e**(input / alpha) - 1).

    In place: writes to the tensor itself and returns it.

    >>> import weft
    >>> x = weft.tensor([-2.0, 0.0, 3.0])
    >>> weft.nn.functional.celu_(x)
    tensor([-0.8647,  0.0000,  3.0000])
    """
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Elements set to 0 with probability p, the others scaled by 1 / (1 - p), while training.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.nn.functional.dropout(x, 0.5, False).shape
    torch.Size([3, 2])
    """
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Dropout that keeps mean 0 and variance 1 behind a SELU, while training.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.nn.functional.alpha_dropout(x).shape
    torch.Size([3, 2])
    """
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Alpha dropout of whole channels, while training.

    Shape: (3, 2) -> (3, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42], [0.54, 0.66], [0.78, 0.9]])
    >>> weft.nn.functional.feature_alpha_dropout(x).shape
    torch.Size([3, 2])
    """
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whole channels of (N, C, L) or (C, L) set to 0 with probability p, while training.

    Shape: (2, 3, 4) -> (2, 3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.nn.functional.dropout1d(x, 0.5, False).shape
    torch.Size([2, 3, 4])
    """
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whole channels of (N, C, H, W) set to 0 with probability p, while training.

    Shape: (2, 3, 4, 2) -> (2, 3, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 48).reshape(2, 3, 4, 2)
    >>> weft.nn.functional.dropout2d(x, 0.5, False).shape
    torch.Size([2, 3, 4, 2])
    """
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whole channels of (N, C, D, H, W) or (C, D, H, W) set to 0 with probability p, while training.

    Shape: (2, 3, 4, 2, 2) -> (2, 3, 4, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(2, 3, 4, 2, 2)
    >>> weft.nn.functional.dropout3d(x, 0.5, False).shape
    torch.Size([2, 3, 4, 2, 2])
    """
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False, out: Tensor | None = None) -> Tensor:
    """softmax(query @ key.mT * scale + mask) @ value; memory grows with the length, not its square.

    query (..., H, L, E), key (..., H, S, E), value (..., H, S, V); attn_mask broadcasts to (..., H, L, S).

    Shape: (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4) -> (1, 2, 3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 2, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 40).reshape(1, 2, 5, 4)
    >>> z = weft.linspace(0.3, 0.9, 40).reshape(1, 2, 5, 4)
    >>> weft.nn.functional.scaled_dot_product_attention(x, y, z).shape
    torch.Size([1, 2, 3, 4])
    """
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor, in_proj_bias: Tensor, bias_k: Tensor, bias_v: Tensor, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor, training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False, *, out: Tensors | None = None) -> tuple[Tensor, Tensor | None]:
    """Attention of `num_heads` heads with projections before and after: (output (L, N, E), weights or None).

    >>> import weft
    >>> x = weft.ones(5, 1, 4)
    >>> y = weft.ones(5, 1, 4)
    >>> z = weft.ones(5, 1, 4)
    >>> u = weft.ones(12, 4)
    >>> made = weft.nn.functional.multi_head_attention_forward(
    ...     x, y, z, 4, 2, u, None, None, None, False, 0.0, weft.eye(4), None)
    >>> [t.shape for t in made]
    [torch.Size([5, 1, 4]), torch.Size([1, 5, 5])]
    """
def unfold(input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints | str = 0, stride: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Sliding blocks of images (n, c, h, w) or (c, h, w) as columns: (n, c * kernel, blocks).

    Shape: (1, 2, 4, 5) -> (1, 8, 12) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 40).reshape(1, 2, 4, 5)
    >>> weft.nn.functional.unfold(x, 2).shape
    torch.Size([1, 8, 12])
    """
def fold(input: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints = 1, padding: Ints | str = 0, stride: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Columns (n, c * kernel, blocks) added up to images of `output_size`: what unfold took apart, summed where blocks
    overlap.

    Shape: (1, 8, 12) -> (1, 2, 4, 5) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 8, 12)
    >>> weft.nn.functional.fold(x, [4, 5], 2).shape
    torch.Size([1, 2, 4, 5])
    """
def pixel_shuffle(input: Tensor, upscale_factor: int, *, out: Tensor | None = None) -> Tensor:
    """(..., c * r * r, h, w) to (..., c, h * r, w * r).

    Shape: (1, 4, 2, 3) -> (1, 1, 4, 6) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 4, 2, 3)
    >>> weft.pixel_shuffle(x, 2).shape
    torch.Size([1, 1, 4, 6])
    """
def pixel_unshuffle(input: Tensor, downscale_factor: int, *, out: Tensor | None = None) -> Tensor:
    """(..., c, h * r, w * r) to (..., c * r * r, h, w).

    Shape: (1, 1, 4, 6) -> (1, 4, 2, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 1, 4, 6)
    >>> weft.pixel_unshuffle(x, 2).shape
    torch.Size([1, 4, 2, 3])
    """
def channel_shuffle(input: Tensor, groups: int, *, out: Tensor | None = None) -> Tensor:
    """The channels of `groups` groups taken in turn.

    Shape: (1, 4, 2) -> (1, 4, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 8).reshape(1, 4, 2)
    >>> weft.channel_shuffle(x, 2)
    tensor([[[0.3000, 0.3857],
             [0.6429, 0.7286],
             [0.4714, 0.5571],
             [0.8143, 0.9000]]])
    """
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, L) or (C, L) with weight (O, C / groups, k).

    Shape: (1, 1, 3), (1, 1, 2) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 2.0, 3.0]]])
    >>> y = weft.tensor([[[1.0, 10.0]]])
    >>> weft.conv1d(x, y)
    tensor([[[21., 32.]]])
    """
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, H, W) or (C, H, W) with weight (O, C / groups, kh, kw).

    Shape: (1, 1, 3, 3), (1, 1, 2, 2) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 3, 3)
    >>> y = weft.ones(1, 1, 2, 2)
    >>> weft.conv2d(x, y)
    tensor([[[[4., 4.],
              [4., 4.]]]])
    """
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1, *, out: Tensor | None = None) -> Tensor:
    """Convolution: (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, kd, kh, kw).

    Shape: (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), (2,) -> (1, 2, 4, 5, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 72).reshape(1, 2, 3, 4, 3)
    >>> y = weft.linspace(0.9, 0.3, 32).reshape(2, 2, 2, 2, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv3d(x, y, z, 1, 1).shape
    torch.Size([1, 2, 4, 5, 4])
    """
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, L) or (C, L) with weight (C, O / groups, k).

    Shape: (2, 3, 4), (3, 2, 3), (2,) -> (2, 2, 8) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 18).reshape(3, 2, 3)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose1d(x, y, z, 2, 1, 1).shape
    torch.Size([2, 2, 8])
    """
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, H, W) or (C, H, W) with weight (C, O / groups, kh, kw).

    Shape: (2, 3, 3, 4), (3, 2, 3, 2), (2,) -> (2, 2, 6, 7) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 72).reshape(2, 3, 3, 4)
    >>> y = weft.linspace(0.9, 0.3, 36).reshape(3, 2, 3, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose2d(x, y, z, 2, 1, 1).shape
    torch.Size([2, 2, 6, 7])
    """
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1, padding: Ints | str = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1, *, out: Tensor | None = None) -> Tensor:
    """Transposed convolution: (N, C, D, H, W) or (C, D, H, W) with weight (C, O / groups, kd, kh, kw).

    Shape: (1, 2, 2, 2, 3), (2, 2, 2, 2, 2), (2,) -> (1, 2, 4, 4, 6) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(1, 2, 2, 2, 3)
    >>> y = weft.linspace(0.9, 0.3, 32).reshape(2, 2, 2, 2, 2)
    >>> z = weft.tensor([0.3, 0.9])
    >>> weft.conv_transpose3d(x, y, z, 2).shape
    torch.Size([1, 2, 4, 4, 6])
    """
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """input where the target is 1, max(0, margin - input) where it is -1.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, -1.0])
    >>> weft.nn.functional.hinge_embedding_loss(weft.ones(2), x)
    tensor(0.5000)
    """
def soft_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """log(1 + exp(-y input)) for targets y of 1 and -1.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.soft_margin_loss(x, weft.ones(2))
    tensor(0.6931)
    """
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """max(0, margin - y (x1 - x2)) for targets y of 1 and -1.

    Shape: (2,), (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.margin_ranking_loss(weft.ones(2), x, weft.ones(2))
    tensor(0.)
    """
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """1 - cos(x1, x2) where the target is 1, max(0, cos - margin) where it is -1.

    Shape: (2, 3), (2, 3), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> y = weft.ones(2, 3)
    >>> weft.nn.functional.cosine_embedding_loss(x, y, weft.ones(2))
    tensor(0.)
    """
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-06, swap: bool = False, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """max(0, margin + distance to the positive - distance to the negative).

    Shape: (2, 3), (2, 3), (2, 3) -> () in the example.

    >>> import weft
    >>> x = weft.ones(2, 3)
    >>> y = weft.ones(2, 3)
    >>> z = weft.zeros(2, 3)
    >>> weft.nn.functional.triplet_margin_loss(x, y, z)
    tensor(0.)
    """
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean', out: Tensor | None = None) -> Tensor:
    """triplet_margin_loss with any distance.

    Shape: (3, 4), (3, 4), (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> z = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> weft.nn.functional.triplet_margin_with_distance_loss(x, y, z)
    tensor(1.6854)
    """
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The mean over the classes of log(1 + exp(-input)) where the target is 1, log(1 + exp(input)) where it is 0.

    Shape: (3, 4), (3, 4) -> () in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.nn.functional.multilabel_soft_margin_loss(x, y)
    tensor(0.7170)
    """
def multi_margin_loss(input: Tensor, target: Tensor, p: float = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The mean over the wrong classes i of max(0, margin - input[y] + input[i])**p.

    Shape: (1, 3), (1,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(1, 3)
    >>> y = weft.tensor([0])
    >>> weft.nn.functional.multi_margin_loss(x, y)
    tensor(0.6667)
    """
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The mean over the wrong classes i and right classes j of max(0, 1 - input[j] + input[i]); the targets of a row end at the
    first -1.

    Shape: (1, 3), (1, 3) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(1, 3)
    >>> y = weft.tensor([[0, 2, -1]])
    >>> weft.nn.functional.multilabel_margin_loss(x, y)
    tensor(0.6667)
    """
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int], target_lengths: Tensor | Sequence[int], blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The negative logarithm of the targets' probability under log_probs (T, N, C) or (T, C); with 'mean' divided by
    the targets' lengths.

    Shape: (4, 1, 3), (1, 2), (1,), (1,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(4, 1, 3)
    >>> y = weft.tensor([[1, 2]])
    >>> z = weft.tensor([4])
    >>> u = weft.tensor([2])
    >>> weft.nn.functional.ctc_loss(x, y, z, u)
    tensor(-1.3540)
    """
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The rows of `weight` that `input` numbers; row `padding_idx` gets no gradient, rows longer than `max_norm` are
    shortened in place.

    Shape: (2,), (3, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([2, 0])
    >>> weft.nn.functional.embedding(x, weft.eye(3))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The sum, mean or maximum of each bag of rows: a row of a 2-D `input`, or a stretch of a 1-D one that starts at an
    offset.

    Shape: (1, 2), (3, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[2, 0]])
    >>> weft.nn.functional.embedding_bag(x, weft.eye(3), mode='sum')
    tensor([[1., 0., 1.]])
    """
def one_hot(tensor: Tensor, num_classes: int = -1, *, out: Tensor | None = None) -> Tensor:
    """1 at each class's place among zeros: (*tensor.shape, num_classes); without a number, as many as there are.

    Shape: (2,) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([0, 2])
    >>> weft.nn.functional.one_hot(x)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
def pad(input: Tensor, pad: Sequence[int], mode: str = 'constant', value: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """A margin around the last dimensions: constant, or a continuation by reflection, repetition of the border, or from
    the other end.

    Shape: (2,) -> (5,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0])
    >>> weft.nn.functional.pad(x, (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
def interpolate(input: Tensor, size: Ints | None = None, scale_factor: Floats | None = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The input (samples, channels, ...) brought to another size.

    Shape: (1, 1, 2) -> (1, 1, 4) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 2.0]]])
    >>> weft.nn.functional.interpolate(x, scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
def upsample(input: Tensor, size: Ints | None = None, scale_factor: Floats | None = None, mode: str = 'nearest', align_corners: bool | None = None, *, out: Tensor | None = None) -> Tensor:
    """interpolate under its older name.

    Shape: (1, 1, 2) -> (1, 1, 4) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 2)
    >>> weft.nn.functional.upsample(x, scale_factor=2)
    tensor([[[1., 1., 1., 1.]]])
    """
def upsample_nearest(input: Tensor, size: Ints | None = None, scale_factor: Floats | None = None, *, out: Tensor | None = None) -> Tensor:
    """interpolate by the nearest element.

    Shape: (1, 1, 2, 2) -> (1, 1, 4, 4) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 2, 2)
    >>> weft.nn.functional.upsample_nearest(x, scale_factor=2).shape
    torch.Size([1, 1, 4, 4])
    """
def upsample_bilinear(input: Tensor, size: Ints | None = None, scale_factor: Floats | None = None, *, out: Tensor | None = None) -> Tensor:
    """interpolate bilinearly, corners on corners.

    Shape: (1, 1, 2, 2) -> (1, 1, 4, 4) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 2, 2)
    >>> weft.nn.functional.upsample_bilinear(x, scale_factor=2).shape
    torch.Size([1, 1, 4, 4])
    """
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: input (..., in), weight (out, in), bias (out).

    Shape: (1, 2), (1, 2), (1,) -> (1, 1) in the example.

    >>> import weft
    >>> x = weft.ones(1, 2)
    >>> y = weft.tensor([[1.0, 2.0]])
    >>> z = weft.tensor([0.5])
    >>> weft.nn.functional.linear(x, y, z)
    tensor([[3.5000]])
    """
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """x1 @ weight[o] @ x2 for each o, plus bias: x1 (..., in1), x2 (..., in2), weight (out, in1, in2), bias (out).

    Shape: (2, 3), (2, 4), (5, 3, 4), (5,) -> (2, 5) in the example.

    >>> import weft
    >>> x = weft.tensor([[0.3, 0.42, 0.54], [0.66, 0.78, 0.9]])
    >>> y = weft.linspace(0.9, 0.3, 8).reshape(2, 4)
    >>> z = weft.linspace(0.3, 0.9, 60).reshape(5, 3, 4)
    >>> u = weft.tensor([0.78, 0.68, 0.57, 0.46, 0.36])
    >>> weft.bilinear(x, y, z, u).shape
    torch.Size([2, 5])
    """
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The negative log-likelihood of class indices under log-probabilities (N, C, ...).

    Shape: (2, 4), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2, 4)
    >>> y = weft.tensor([0, 3])
    >>> weft.nn.functional.nll_loss(x, y)
    tensor(0.)
    """
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: str | None = None, reduction: str = 'mean', label_smoothing: float = 0.0, *, out: Tensor | None = None) -> Tensor:
    """The cross-entropy of logits (N, C, ...) against class indices (N, ...) or probabilities (N, C, ...).

    Shape: (2, 4), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2, 4)
    >>> y = weft.tensor([0, 3])
    >>> weft.nn.functional.cross_entropy(x, y)
    tensor(1.3863)
    """
def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', weight: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The mean (or sum) of the squared differences.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.mse_loss(x, weft.ones(2))
    tensor(1.)
    """
def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', weight: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The mean (or sum) of the absolute differences.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.l1_loss(x, weft.ones(2))
    tensor(1.)
    """
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', beta: Number = 1.0, *, out: Tensor | None = None) -> Tensor:
    """Squared below `beta` (and divided by it), straight above.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.smooth_l1_loss(x, weft.ones(2))
    tensor(0.5000)
    """
def huber_loss(input: Tensor, target: Tensor, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Squared up to `delta`, straight above.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.huber_loss(x, weft.ones(2))
    tensor(0.5000)
    """
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The binary cross-entropy of logits, without overflow.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.binary_cross_entropy_with_logits(x, weft.ones(2))
    tensor(0.6931)
    """
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The binary cross-entropy of probabilities.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.tensor([0.5, 0.9])
    >>> y = weft.tensor([0.0, 1.0])
    >>> weft.nn.functional.binary_cross_entropy(x, y)
    tensor(0.3993)
    """
def kl_div(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: str | None = None, reduction: str = 'mean', log_target: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The Kullback-Leibler divergence of log-probabilities `input` from probabilities (or log-probabilities) `target`.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.kl_div(x, weft.ones(2), reduction='sum')
    tensor(0.)
    """
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-08, reduce: str | None = None, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The negative log-likelihood of Poisson counts.

    Shape: (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.poisson_nll_loss(x, weft.ones(2))
    tensor(1.)
    """
def gaussian_nll_loss(input: Tensor, target: Tensor, var: TensorLike, full: bool = False, eps: float = 1e-06, reduction: str = 'mean', *, out: Tensor | None = None) -> Tensor:
    """The negative log-likelihood of a normal distribution with these means and variances.

    Shape: (2,), (2,), (2,) -> () in the example.

    >>> import weft
    >>> x = weft.zeros(2)
    >>> weft.nn.functional.gaussian_nll_loss(x, weft.ones(2), weft.ones(2))
    tensor(0.5000)
    """
def batch_norm(input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05, *, out: Tensor | None = None) -> Tensor:
    """input normalised channel by channel: by the batch's statistics in training, else by the running ones.

    Shape: (4, 3, 2), (3,), (3,) -> (4, 3, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(4, 3, 2)
    >>> y = weft.tensor([0.78, 0.57, 0.36])
    >>> z = weft.tensor([0.3, 0.6, 0.9])
    >>> weft.nn.functional.batch_norm(x, None, None, y, z, True).shape
    torch.Size([4, 3, 2])
    """
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05, *, out: Tensor | None = None) -> Tensor:
    """input normalised over each of `num_groups` groups of channels in each sample, times weight plus bias.

    Shape: (1, 4, 2) -> (1, 4, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 4, 2)
    >>> weft.nn.functional.group_norm(x, 2)
    tensor([[[0., 0.],
             [0., 0.],
             [0., 0.],
             [0., 0.]]])
    """
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05, *, out: Tensor | None = None) -> Tensor:
    """Each channel of each sample normalised by its own statistics (or by the running ones), times weight plus bias.

    Shape: (2, 3, 4) -> (2, 3, 4) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 24).reshape(2, 3, 4)
    >>> weft.nn.functional.instance_norm(x).shape
    torch.Size([2, 3, 4])
    """
def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05, cudnn_enable: bool = True, *, out: Tensor | None = None) -> Tensor:
    """input normalised over its last dimensions `normalized_shape`, times weight plus bias.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.layer_norm(x, (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
def rms_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """input over the root of the mean of its squares along the last dimensions `normalized_shape`, times weight.

    Shape: (1, 3) -> (1, 3) in the example.

    >>> import weft
    >>> x = weft.tensor([[1.0, 2.0, 3.0]])
    >>> weft.rms_norm(x, (3,))
    tensor([[0.4629, 0.9258, 1.3887]])
    """
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, output_size: Ints | None = None, *, out: Tensor | None = None) -> Tensor:
    """Puts what max_pool1d gave back in its places; the rest is zero.

    Shape: (1, 1, 1), (1, 1, 1) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[2.0]]])
    >>> y = weft.tensor([[[1]]])
    >>> weft.nn.functional.max_unpool1d(x, y, 2)
    tensor([[[0., 2.]]])
    """
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, output_size: Ints | None = None, *, out: Tensor | None = None) -> Tensor:
    """Puts what max_pool2d gave back in its places; the rest is zero.

    Shape: (1, 1, 1, 1), (1, 1, 1, 1) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[[2.0]]]])
    >>> y = weft.tensor([[[[3]]]])
    >>> weft.nn.functional.max_unpool2d(x, y, 2)
    tensor([[[[0., 0.],
              [0., 2.]]]])
    """
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, output_size: Ints | None = None, *, out: Tensor | None = None) -> Tensor:
    """Puts what max_pool3d gave back in its places; the rest is zero.

    Shape: (1, 1, 1, 1, 1), (1, 1, 1, 1, 1) -> (1, 1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[[[2.0]]]]])
    >>> y = weft.tensor([[[[[3]]]]])
    >>> weft.nn.functional.max_unpool3d(x, y, 2).shape
    torch.Size([1, 1, 2, 2, 2])
    """
def fractional_max_pool2d(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Floats | None = None, return_indices: bool = False, _random_samples: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The greatest elements of windows at random distances, so that the size shrinks by a fraction: (N, C, H, W) or (C,
    H, W).

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 4, 4)
    >>> weft.nn.functional.fractional_max_pool2d(x, 2, output_size=2).shape
    torch.Size([1, 1, 2, 2])
    """
def fractional_max_pool3d(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Floats | None = None, return_indices: bool = False, _random_samples: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """The greatest elements of windows at random distances, so that the size shrinks by a fraction: (N, C, D, H, W) or
    (C, D, H, W).

    Shape: (1, 1, 4, 4, 4) -> (1, 1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 4, 4, 4)
    >>> weft.nn.functional.fractional_max_pool3d(x, 2, output_size=2).shape
    torch.Size([1, 1, 2, 2, 2])
    """
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Floats | None = None, return_indices: bool = True, _random_samples: Tensor | None = None, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """fractional_max_pool2d and the index of each result in its image.

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2), (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 4, 4)
    >>> [t.shape for t in weft.nn.functional.fractional_max_pool2d_with_indices(x, 2, output_size=2)]
    [torch.Size([1, 1, 2, 2]), torch.Size([1, 1, 2, 2])]
    """
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Ints, output_size: Ints | None = None, output_ratio: Floats | None = None, return_indices: bool = True, _random_samples: Tensor | None = None, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """fractional_max_pool3d and the index of each result in its volume.

    Shape: (1, 1, 4, 4, 4) -> (1, 1, 2, 2, 2), (1, 1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 4, 4, 4)
    >>> [t.shape for t in weft.nn.functional.fractional_max_pool3d_with_indices(x, 2, output_size=2)]
    [torch.Size([1, 1, 2, 2, 2]), torch.Size([1, 1, 2, 2, 2])]
    """
def max_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of a signal (N, C, L) or (C, L).

    Shape: (1, 1, 4) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.max_pool1d(x, 2)
    tensor([[[3., 4.]]])
    """
def max_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of images (N, C, H, W) or (C, H, W).

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.arange(16.0).reshape(1, 1, 4, 4)
    >>> weft.max_pool2d(x, 2)
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """
def max_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest element of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    Shape: (1, 2, 4, 4, 3) -> (1, 2, 2, 2, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 2, 4, 4, 3)
    >>> weft.max_pool3d(x, 2).shape
    torch.Size([1, 2, 2, 2, 1])
    """
def max_pool1d_with_indices(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """max_pool1d and the index of each result in its row.

    Shape: (1, 1, 4) -> (1, 1, 2), (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.max_pool1d_with_indices(x, 2)
    (tensor([[[3., 4.]]]), tensor([[[1, 3]]]))
    """
def max_pool2d_with_indices(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """max_pool2d and the index of each result in its image.

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2), (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.arange(16.0).reshape(1, 1, 4, 4)
    >>> weft.nn.functional.max_pool2d_with_indices(x, 2)
    (tensor([[[[ 5.,  7.],
              [13., 15.]]]]), tensor([[[[ 5,  7],
              [13, 15]]]]))
    """
def max_pool3d_with_indices(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """max_pool3d and the index of each result in its volume.

    Shape: (1, 2, 4, 4, 3) -> (1, 2, 2, 2, 1), (1, 2, 2, 2, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 2, 4, 4, 3)
    >>> [t.shape for t in weft.nn.functional.max_pool3d_with_indices(x, 2)]
    [torch.Size([1, 2, 2, 2, 1]), torch.Size([1, 2, 2, 2, 1])]
    """
def adaptive_max_pool1d(input: Tensor, output_size: Ints, return_indices: bool = False, *, out: Tensors | None = None) -> Any:
    """The greatest elements of `output_size` windows over (N, C, L) or (C, L).

    Shape: (1, 1, 6) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0, 5, 6).reshape(1, 1, 6)
    >>> weft.nn.functional.adaptive_max_pool1d(x, 2)
    tensor([[[2., 5.]]])
    """
def adaptive_max_pool2d(input: Tensor, output_size: Ints, return_indices: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest elements of `output_size` windows over (N, C, H, W) or (C, H, W).

    Shape: (1, 2, 7, 5) -> (1, 2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 70).reshape(1, 2, 7, 5)
    >>> weft.nn.functional.adaptive_max_pool2d(x, 3).shape
    torch.Size([1, 2, 3, 3])
    """
def adaptive_max_pool3d(input: Tensor, output_size: Ints, return_indices: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest elements of `output_size` windows over (N, C, D, H, W) or (C, D, H, W).

    Shape: (1, 2, 3, 5, 4) -> (1, 2, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 120).reshape(1, 2, 3, 5, 4)
    >>> weft.nn.functional.adaptive_max_pool3d(x, 2).shape
    torch.Size([1, 2, 2, 2, 2])
    """
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Ints, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """adaptive_max_pool1d and the index of each result in its row.

    Shape: (2, 3, 7) -> (2, 3, 3), (2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 42).reshape(2, 3, 7)
    >>> [t.shape for t in weft.nn.functional.adaptive_max_pool1d_with_indices(x, 3)]
    [torch.Size([2, 3, 3]), torch.Size([2, 3, 3])]
    """
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Ints, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """adaptive_max_pool2d and the index of each result in its image.

    Shape: (1, 2, 7, 5) -> (1, 2, 3, 3), (1, 2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 70).reshape(1, 2, 7, 5)
    >>> [t.shape for t in weft.nn.functional.adaptive_max_pool2d_with_indices(x, 3)]
    [torch.Size([1, 2, 3, 3]), torch.Size([1, 2, 3, 3])]
    """
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Ints, return_indices: bool = True, *, out: Tensors | None = None) -> tuple[Tensor, ...]:
    """adaptive_max_pool3d and the index of each result in its volume.

    Shape: (1, 2, 3, 5, 4) -> (1, 2, 2, 2, 2), (1, 2, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 120).reshape(1, 2, 3, 5, 4)
    >>> [t.shape for t in weft.nn.functional.adaptive_max_pool3d_with_indices(x, 2)]
    [torch.Size([1, 2, 2, 2, 2]), torch.Size([1, 2, 2, 2, 2])]
    """
def avg_pool1d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, ceil_mode: bool = False, count_include_pad: bool = True, *, out: Tensor | None = None) -> Tensor:
    """The mean of each window of a signal (N, C, L) or (C, L).

    Shape: (1, 1, 4) -> (1, 1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[[1.0, 3.0, 2.0, 4.0]]])
    >>> weft.avg_pool1d(x, 2)
    tensor([[[2., 3.]]])
    """
def avg_pool2d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The mean of each window of images (N, C, H, W) or (C, H, W).

    Shape: (1, 1, 4, 4) -> (1, 1, 2, 2) in the example.

    >>> import weft
    >>> x = weft.arange(16.0).reshape(1, 1, 4, 4)
    >>> weft.nn.functional.avg_pool2d(x, 2)
    tensor([[[[ 2.5000,  4.5000],
              [10.5000, 12.5000]]]])
    """
def avg_pool3d(input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The mean of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    Shape: (1, 2, 4, 4, 3) -> (1, 2, 2, 2, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 2, 4, 4, 3)
    >>> weft.nn.functional.avg_pool3d(x, 2).shape
    torch.Size([1, 2, 2, 2, 1])
    """
def adaptive_avg_pool1d(input: Tensor, output_size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The means of `output_size` windows over (N, C, L) or (C, L).

    Shape: (2, 3, 7) -> (2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 42).reshape(2, 3, 7)
    >>> weft.adaptive_avg_pool1d(x, 3).shape
    torch.Size([2, 3, 3])
    """
def adaptive_avg_pool2d(input: Tensor, output_size: Ints | tuple[int | None, ...], *, out: Tensor | None = None) -> Tensor:
    """The means of `output_size` windows over (N, C, H, W) or (C, H, W).

    Shape: (1, 2, 7, 5) -> (1, 2, 3, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 70).reshape(1, 2, 7, 5)
    >>> weft.nn.functional.adaptive_avg_pool2d(x, 3).shape
    torch.Size([1, 2, 3, 3])
    """
def adaptive_avg_pool3d(input: Tensor, output_size: Ints, *, out: Tensor | None = None) -> Tensor:
    """The means of `output_size` windows over (N, C, D, H, W) or (C, D, H, W).

    Shape: (1, 2, 3, 5, 4) -> (1, 2, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 120).reshape(1, 2, 3, 5, 4)
    >>> weft.nn.functional.adaptive_avg_pool3d(x, 2).shape
    torch.Size([1, 2, 2, 2, 2])
    """
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Ints | None = None, ceil_mode: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The norm of each window of a signal: (sum of input**p)**(1/p).

    Shape: (1, 1, 2) -> (1, 1, 1) in the example.

    >>> import weft
    >>> x = weft.tensor([[[3.0, 4.0]]])
    >>> weft.nn.functional.lp_pool1d(x, 2, 2)
    tensor([[[5.]]])
    """
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The norm of each window of images: (sum of input**p)**(1/p).

    Shape: (1, 2, 6, 5) -> (1, 2, 3, 2) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 60).reshape(1, 2, 6, 5)
    >>> weft.nn.functional.lp_pool2d(x, 2, 2).shape
    torch.Size([1, 2, 3, 2])
    """
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Ints, stride: Ints | None = None, ceil_mode: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The norm of each window of volumes: (sum of input**p)**(1/p).

    Shape: (1, 2, 4, 4, 3) -> (1, 2, 2, 2, 1) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 96).reshape(1, 2, 4, 4, 3)
    >>> weft.nn.functional.lp_pool3d(x, 3, 2).shape
    torch.Size([1, 2, 2, 2, 1])
    """
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08, *, out: Tensor | None = None) -> Tensor:
    """The cosine of the angle between x1 and x2 along `dim`; lengths below eps count as eps.

    Shape: (3, 4), (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.cosine_similarity(x, y)
    tensor([0.9730, 0.9796, 0.9730])
    """
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension.

    Shape: (3, 4), (3, 4) -> (3,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(3, 4)
    >>> y = weft.linspace(0.9, 0.3, 12).reshape(3, 4)
    >>> weft.pairwise_distance(x, y)
    tensor([0.9062, 0.2439, 0.9062])
    """
def pdist(input: Tensor, p: float = 2.0, *, out: Tensor | None = None) -> Tensor:
    """The p-norm distances between the rows of a matrix, each pair once: (0, 1), (0, 2), ..., (1, 2), ...

    Shape: (4, 3) -> (6,) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(4, 3)
    >>> weft.pdist(x)
    tensor([0.2834, 0.5669, 0.8503, 0.2834, 0.5669, 0.2834])
    """
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, out: Tensor | None = None) -> Tensor:
    """The input over its p-norm along `dim`; norms below eps count as eps.

    Shape: (1, 2) -> (1, 2) in the example.

    >>> import weft
    >>> x = weft.tensor([[3.0, 4.0]])
    >>> weft.nn.functional.normalize(x)
    tensor([[0.6000, 0.8000]])
    """
def local_response_norm(input: Tensor, size: Ints, alpha: Number = 0.0001, beta: Number = 0.75, k: float = 1.0, *, out: Tensor | None = None) -> Tensor:
    """The input over (k + alpha * the mean of the squares of `size` channels around) ** beta.

    Shape: (1, 4, 3) -> (1, 4, 3) in the example.

    >>> import weft
    >>> x = weft.linspace(0.3, 0.9, 12).reshape(1, 4, 3)
    >>> weft.nn.functional.local_response_norm(x, 2).shape
    torch.Size([1, 4, 3])
    """
def grid_sample(input: Tensor, grid: Tensor, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: bool | None = None, *, out: Tensor | None = None) -> Tensor:
    """The input sampled at the places of a grid, whose corners are -1 and 1: (N, C, h, w) for a grid (N, h, w, 2).

    Shape: (1, 1, 2, 2), (1, 1, 1, 2) -> (1, 1, 1, 1) in the example.

    >>> import weft
    >>> x = weft.ones(1, 1, 2, 2)
    >>> y = weft.zeros(1, 1, 1, 2)
    >>> weft.nn.functional.grid_sample(x, y, align_corners=False)
    tensor([[[[1.]]]])
    """
def affine_grid(theta: Tensor, size: Ints, align_corners: bool | None = None, *, out: Tensor | None = None) -> Tensor:
    """The places of a grid for grid_sample, from affine matrices.

    Shape: (1, 2, 3) -> (1, 2, 2, 2) in the example.

    >>> import weft
    >>> x = weft.eye(2, 3).unsqueeze(0)
    >>> weft.nn.functional.affine_grid(x, (1, 1, 2, 2)).shape
    torch.Size([1, 2, 2, 2])
    """
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """e**input over its sum along `dim`.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.nn.functional.softmax(x, 0)
    tensor([0.0900, 0.2447, 0.6652])
    """
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of softmax.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.nn.functional.log_softmax(x, 0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None, *, out: Tensor | None = None) -> Tensor:
    """softmax of -input.

    Shape: (3,) -> (3,) in the example.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0, 3.0])
    >>> weft.nn.functional.softmin(x, 0)
    tensor([0.6652, 0.2447, 0.0900])
    """
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1, *, out: Tensor | None = None) -> Tensor:
    """A sample of the Gumbel-softmax distribution; `hard` gives a one-hot vector with the gradient of the soft one.

    Shape: (2, 3) -> (2, 3) in the example.

    >>> import weft
    >>> x = weft.zeros(2, 3)
    >>> weft.nn.functional.gumbel_softmax(x).shape
    torch.Size([2, 3])
    """
def rrelu_(input: Tensor, lower: float = 0.125, upper: float = ..., training: bool = False) -> Tensor: ...
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: str = 'mean', ignore_index: int | None = None, label_smoothing: float = 0.0, options: dict[str, Any] | None = None) -> Tensor: ...
