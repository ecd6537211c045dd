"""How layers that are one op here look in PyTorch's graph: linear, convolutions, the cross-entropy."""
from weft.autograd.faces import Face, kept, part, product_saved
from weft.tensor.tensor import Tensor


def linear_face(node):
    """A product with the transposed weight, and the bias; of an input that is no matrix, between two views."""
    x, weight, bias = (*node.edges(), (None, 0))[:3]
    saved = kept(node)
    values, matrix = saved.get("x"), saved.get("weight")
    has_bias = bias[0] is not None or bool(saved.get("bias_shape"))
    dims = values.dim() if isinstance(values, Tensor) else 2
    if isinstance(matrix, Tensor) and matrix.dim() == 1:
        return None
    turned = (None, 0) if weight[0] is None else (part(node, "turned", "TBackward0", (weight,)), 0)
    name, parents = ("AddmmBackward0", (bias, x, turned)) if has_bias else ("MmBackward0", (x, turned))
    product = _product(values, matrix, has_bias, (x[0] is not None, weight[0] is not None))
    if dims == 2:
        return Face(name, parents, product)
    if dims == 1 and not has_bias:
        before, after = ("UnsqueezeBackward0", {"dim": 0}), "SqueezeBackward4"
    else:
        before = "ViewBackward0", {"self_sym_sizes": tuple(values.shape)}
        after = "ViewBackward0" if has_bias else "UnsafeViewBackward0"
    flat = (None, 0) if x[0] is None else (part(node, "flat", before[0], (x,), before[1]), 0)
    parents = tuple(flat if edge is x else edge for edge in parents)
    inner = part(node, "product", name, parents, product)
    rows = values.numel() // values.shape[-1] if values.shape[-1] else 0
    shown = {"self_sym_sizes": (rows, matrix.shape[0])} if isinstance(matrix, Tensor) else {}
    return Face(after, ((inner, 0),), {"dim": 0, **shown} if after == "SqueezeBackward4" else shown)


def _product(x, weight, has_bias, needs):
    """What AddmmBackward0 or MmBackward0 saves: the input as a matrix, and the transposed weight."""
    first = x.detach().reshape(-1, x.shape[-1]) if isinstance(x, Tensor) and x.dim() != 2 else x
    second = weight.detach().t() if isinstance(weight, Tensor) else None
    names = ("mat1", "mat2") if has_bias else ("self", "mat2")
    more = {"alpha": 1, "beta": 1} if has_bias else {}
    return {**more, **product_saved(*names, first, second, needs)}


def convolution_face(node, transposed):
    """A convolution's own node with PyTorch's names for what it saves."""
    saved = kept(node)
    if "geometry" not in saved:
        return Face("ConvolutionBackward0")
    stride, padding, dilation, groups = saved["geometry"]
    shape = saved.get("weight_shape") or tuple(saved["weight"].shape)
    bias = None if node.edges()[2][0] is None else (shape[1] * groups if transposed else shape[0],)
    return Face("ConvolutionBackward0", saved={
        "bias_sym_sizes_opt": bias, "dilation": tuple(dilation),
        "groups": groups, "input": saved.get("x"), "output_padding": (0,) * len(stride), "padding": tuple(padding),
        "stride": tuple(stride), "transposed": transposed, "weight": saved.get("weight")})


def cross_entropy_face(node):
    """The loss of the logarithms that log_softmax gives."""
    saved = kept(node)
    x = saved.get("x")
    if saved.get("smoothing") or isinstance(x, Tensor) and x.dim() not in (1, 2, 4):
        return None
    name = "NllLoss2DBackward0" if isinstance(x, Tensor) and x.dim() == 4 else "NllLossBackward0"
    axis = 0 if isinstance(x, Tensor) and x.dim() == 1 else 1
    inner = part(node, "log_softmax", "LogSoftmaxBackward0", node.edges()[:1],
                 {"dim": axis, "result": lambda: x.detach().log_softmax(axis)})
    if not saved:
        return Face(name, ((inner, 0),))
    return Face(name, ((inner, 0),), {
        "ignore_index": saved["ignore_index"] % 2**64,      # PyTorch shows the number without its sign
        "reduction": saved["code"], "self": lambda: x.detach().log_softmax(axis), "target": saved["target"],
        "total_weight": saved["total"], "weight": saved["weight"]})
