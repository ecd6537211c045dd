"""Functions of layers, from the op registry: `nn.functional.relu` and its like."""
from weft.core.errors import fail as _fail
from weft.core.namespace import fill as _fill
from weft.core.namespace import later_names as _later_names
from weft.core.namespace import parts as _parts
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "nn.functional")


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu in place.

    >>> import weft
    >>> weft.nn.functional.rrelu_(weft.tensor([-2.4, 1.0]), 0.25, 0.25)
    tensor([-0.6000,  1.0000])
    """
    return FUNCTIONS["nn.functional.rrelu"](input, lower, upper, training, True)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
                         ignore_index=None, label_smoothing=0.0, options=None):
    """cross_entropy of linear: (N, in_features) with a weight of (C, ..., in_features). The options (how to work in
    pieces) are accepted.

    >>> import weft
    >>> x, weight = weft.zeros(2, 3), weft.ones(4, 3)
    >>> weft.nn.functional.linear_cross_entropy(x, weight, weft.tensor([0, 3]))
    tensor(1.3863)
    """
    if input.dim() not in (1, 2):
        _fail(RuntimeError, f"linear_cross_entropy: expected input with dimensionality 1 or 2, got {input.dim()}",
              "give (in_features) or (N, in_features)")
    if input.dim() == 1 and linear_weight.dim() > 2:
        _fail(RuntimeError, f"linear_cross_entropy: K-dimensional loss defined by linear_weight shape "
              f"{tuple(linear_weight.shape)} requires batched input, got unbatched input with shape "
              f"{tuple(input.shape)}", "unsqueeze(0) the input")
    rows, sizes = linear_weight.reshape(-1, linear_weight.shape[-1]), linear_weight.shape[:-1]
    logits = FUNCTIONS["nn.functional.linear"](input, rows, None if linear_bias is None else linear_bias.reshape(-1))
    return FUNCTIONS["nn.functional.cross_entropy"](
        logits.reshape(*input.shape[:-1], *sizes), target, weight=weight, reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index, label_smoothing=label_smoothing)


_part, __dir__ = _parts(globals(), functions={"_Reduction": "weft.nn._reduction"})
# what PyTorch's file has besides, and programs take from it: not listed by dir()
__getattr__ = _later_names(globals(), _part, dict.fromkeys(
    ("GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Tensor torch boolean_dispatch handle_torch_function "
     "has_torch_function has_torch_function_unary has_torch_function_variadic _canonical_mask _get_softmax_dim "
     "_in_projection _in_projection_packed _list_with_default _mha_shape_check _none_or_dtype _pair _single _triple "
     "_verify_batch_size").split(), "weft.nn._steps"))
