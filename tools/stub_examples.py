"""Examples of ops from their samples: a call that can be typed in, and what it prints. `stubs.py` writes them."""
import ast
import functools
import inspect
import json
import warnings

import numpy as np

import weft
from weft.ops.core import describe
from weft.ops.core.registry import ALL, FUNCTIONS, OPS_BY_NAME
from weft.ops.core.samples import Make

LONGEST = 96        # characters of a line of an example
# families whose values differ by sign or draw random numbers: shapes are shown
SHAPES_ONLY = {"random", "fft"}
SIGNS = {"svd", "eig", "eigh", "eigvals", "qr", "geqrf", "lobpcg", "svd_lowrank", "pca_lowrank", "lu", "lu_factor",
         "lu_unpack", "ldl_factor", "ldl_factor_ex", "lu_factor_ex", "dropout", "rrelu", "gumbel_softmax", "lstsq",
         "native_dropout", "alpha_dropout", "feature_alpha_dropout", "feature_dropout", "householder_product", "ormqr",
         "dropout1d", "dropout2d", "dropout3d", "fractional_max_pool2d", "fractional_max_pool3d",
         "fractional_max_pool2d_with_indices", "fractional_max_pool3d_with_indices", "empty_like", "resize_"}
# calls for ops without samples, or whose samples don't read well; their results are worked out like the others'
CALLS = {
    "gather": "weft.tensor([[1, 2], [3, 4]]), 1, weft.tensor([[0, 0], [1, 0]])",
    "index_select": "weft.tensor([[1, 2], [3, 4]]), 0, weft.tensor([1])",
    "index_add": "weft.zeros(3), 0, weft.tensor([0, 2]), weft.tensor([1.0, 2.0])",
    "index_copy": "weft.zeros(3), 0, weft.tensor([0, 2]), weft.tensor([1.0, 2.0])",
    "index_fill": "weft.zeros(3), 0, weft.tensor([0, 2]), 5",
    "index_put": "weft.zeros(3), (weft.tensor([0, 2]),), weft.tensor([1.0, 2.0])",
    "index_reduce": "weft.ones(3), 0, weft.tensor([0, 2]), weft.tensor([3.0, 2.0]), 'prod'",
    "masked_fill": "weft.zeros(3), weft.tensor([True, False, True]), 5",
    "masked_scatter": "weft.zeros(3), weft.tensor([True, False, True]), weft.tensor([1.0, 2.0])",
    "masked_select": "weft.tensor([1, 2, 3]), weft.tensor([True, False, True])",
    "scatter": "weft.zeros(3), 0, weft.tensor([2]), weft.tensor([5.0])",
    "scatter_add": "weft.zeros(3), 0, weft.tensor([2, 2]), weft.tensor([5.0, 1.0])",
    "scatter_reduce": "weft.ones(3), 0, weft.tensor([2, 2]), weft.tensor([5.0, 3.0]), 'amax'",
    "put": "weft.zeros(3), weft.tensor([2]), weft.tensor([5.0])",
    "take": "weft.tensor([[1, 2], [3, 4]]), weft.tensor([0, 3])",
    "take_along_dim": "weft.tensor([[3, 1], [2, 4]]), weft.tensor([[1], [0]]), dim=1",
    "where": "weft.tensor([True, False]), weft.ones(2), weft.zeros(2)",
    "nonzero_static": "weft.tensor([0, 3, 4]), size=2",
    "bincount": "weft.tensor([0, 2, 2])", "bucketize": "weft.tensor([1, 5]), weft.tensor([2, 4])",
    "searchsorted": "weft.tensor([2, 4]), weft.tensor([1, 5])", "isin": "weft.tensor([1, 2, 3]), weft.tensor([2, 3])",
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"),
                    "weft.tensor([5, 6]), weft.tensor([3, 3])"),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), "weft.tensor([5, 6]), weft.tensor([1, 1])"),
    "bitwise_not": "weft.tensor([5, 6])", "floor_divide": "weft.tensor([7.0, -7.0]), 2",
    "heaviside": "weft.tensor([-1.0, 0.0, 2.0]), weft.tensor(0.5)",
    "bernoulli": "weft.tensor([0.0, 1.0])", "multinomial": "weft.tensor([0.5, 0.5]), 1", "poisson": "weft.ones(2, 3)",
    "binomial": "weft.tensor([4.0]), weft.tensor([0.5])", "cartesian_prod": "weft.tensor([1, 2]), weft.tensor([3, 4])",
    "broadcast_tensors": "weft.ones(2, 1), weft.ones(2)", "dstack": "[weft.ones(2), weft.zeros(2)]",
    "gradient": "weft.tensor([1.0, 2.0, 4.0])", "unique": "weft.tensor([3, 1, 3])",
    "unique_consecutive": "weft.tensor([3, 3, 1])", "combinations": "weft.tensor([1, 2, 3])",
    "polygamma": "1, weft.tensor([1.0])", "special.polygamma": "1, weft.tensor([1.0])",
    "cholesky": "weft.tensor([[4.0, 2.0], [2.0, 3.0]])", "linalg.cholesky": "weft.tensor([[4.0, 2.0], [2.0, 3.0]])",
    "linalg.cholesky_ex": "weft.tensor([[4.0, 2.0], [2.0, 3.0]])", "cholesky_inverse": "weft.eye(2) * 2",
    "cholesky_solve": "weft.ones(2, 1), weft.eye(2) * 2", "linalg.diagonal": "weft.eye(2)",
    "linalg.eig": "weft.eye(2)", "linalg.eigh": "weft.eye(2)", "linalg.eigvals": "weft.eye(2)",
    "linalg.eigvalsh": "weft.eye(2)", "linalg.svd": "weft.ones(3, 2)", "svd": "weft.ones(3, 2)",
    "geqrf": "weft.ones(3, 2)", "linalg.multi_dot": "[weft.ones(2, 3), weft.ones(3, 4)]",
    "linalg.tensorsolve": "weft.eye(4).reshape(2, 2, 4) * 2, weft.ones(2, 2)",
    "linalg.solve_triangular": "weft.eye(2) * 2, weft.ones(2, 1), upper=True",
    "linalg.ldl_factor": "weft.eye(2) * 2", "linalg.ldl_factor_ex": "weft.eye(2) * 2",
    "linalg.ldl_solve": "weft.eye(2), weft.tensor([1, 2], dtype=weft.int32), weft.ones(2, 1)",
    "stft": "weft.ones(16), 8, window=weft.ones(8), return_complex=True",
    "histogramdd": "weft.ones(4, 2), bins=2", "embedding": "weft.eye(3), weft.tensor([2, 0])",
    "normal": "weft.zeros(2, 3), 1.0", "dropout": "weft.ones(2, 3), 0.5, True",
    **dict.fromkeys(("abs", "absolute", "neg", "negative", "sign", "sgn", "relu", "positive", "signbit", "ceil",
                     "floor", "trunc", "fix", "round", "frac", "square"),
                    "weft.tensor([-1.5, 0.0, 2.5])"),
    "clamp_min": "weft.tensor([-1.5, 0.0, 2.5]), 0", "clamp_max": "weft.tensor([-1.5, 0.0, 2.5]), 1",
    **dict.fromkeys(("clamp", "clip"), "weft.tensor([-1.5, 0.0, 2.5]), min=-1, max=1"),
    **dict.fromkeys(("div", "divide", "true_divide", "fmod", "remainder"), "weft.tensor([-7.0, 7.0]), 2"),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), "weft.tensor([1.0, 5.0]), weft.tensor([3.0, 2.0])"),
    "prelu": "weft.tensor([-2.0, 3.0]), weft.tensor(0.25)", "celu": "weft.tensor([-2.0, 3.0])",
    "selu": "weft.tensor([-2.0, 3.0])", "threshold": "weft.tensor([-2.0, 3.0]), 0.0, 9.0",
    # what shows best by values
    **dict.fromkeys(("sum", "mean", "prod", "amax", "amin", "argmax", "argmin", "max", "min", "std", "var", "logsumexp",
                     "median", "cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"),
                    "weft.tensor([[1.0, 3.0], [4.0, 2.0]]), 1"),
    **dict.fromkeys(("nansum", "nanmean"), "weft.tensor([[1.0, float('nan')], [4.0, 2.0]]), 1"),
    **dict.fromkeys(("linalg.solve", "linalg.solve_ex"),
                    "weft.tensor([[2.0, 0.0], [0.0, 4.0]]), weft.tensor([[2.0], [8.0]])"),
    **dict.fromkeys(("all", "any"), "weft.tensor([[True, False], [True, True]]), 1"),
    **dict.fromkeys(("sort", "argsort", "msort", "aminmax"), "weft.tensor([3.0, 1.0, 2.0])"),
    **dict.fromkeys(("topk", "kthvalue"), "weft.tensor([3.0, 1.0, 2.0]), 2"), "mode": "weft.tensor([1, 3, 3])",
    **dict.fromkeys(("softmax", "log_softmax"), "weft.tensor([1.0, 2.0, 3.0]), 0"),
    **dict.fromkeys(("tril", "triu"), "weft.ones(3, 3)"), **dict.fromkeys(("tril_indices", "triu_indices"), "2, 2"),
    **dict.fromkeys(("diag", "diagflat"), "weft.tensor([1.0, 2.0, 3.0])"), "diag_embed": "weft.tensor([1.0, 2.0])",
    **dict.fromkeys(("inverse", "linalg.inv", "linalg.inv_ex", "linalg.slogdet", "logdet", "linalg.det", "det"),
                    "weft.tensor([[2.0, 0.0], [0.0, 4.0]])"), "linalg.matrix_exp": "weft.zeros(2, 2)",
    **dict.fromkeys(("linalg.matrix_power", "matrix_power"), "weft.tensor([[1.0, 1.0], [0.0, 1.0]]), 3"),
    **dict.fromkeys(("matmul", "mm"), "weft.tensor([[1.0, 2.0], [3.0, 4.0]]), weft.tensor([[1.0], [10.0]])"),
    "addmm": "weft.ones(2, 1), weft.tensor([[1.0, 2.0], [3.0, 4.0]]), weft.tensor([[1.0], [10.0]])",
    **dict.fromkeys(("vander", "linalg.vander"), "weft.tensor([1, 2, 3])"), "kron": "weft.eye(2), weft.ones(1, 2)",
    "block_diag": "weft.ones(1, 1), weft.ones(2, 2)", "flatten": "weft.tensor([[1, 2], [3, 4]])",
    **dict.fromkeys(("unsqueeze", "unsqueeze_copy"), "weft.tensor([1, 2]), 0"),
    **dict.fromkeys(("transpose", "transpose_copy"), "weft.tensor([[1, 2], [3, 4]]), 0, 1"),
    **dict.fromkeys(("repeat", "tile"), "weft.tensor([1, 2]), (2, 2)"), "repeat_interleave": "weft.tensor([1, 2]), 2",
    **dict.fromkeys(("expand", "expand_copy", "broadcast_to"), "weft.tensor([[1], [2]]), (2, 3)"),
    "vstack": "[weft.tensor([1, 2]), weft.tensor([3, 4])]", "meshgrid": "weft.tensor([1, 2]), weft.tensor([3, 4])",
    **dict.fromkeys(("nonzero", "argwhere"), "weft.tensor([0, 5, 7])"),
    **dict.fromkeys(("split", "chunk", "tensor_split", "split_copy", "unsafe_split", "unsafe_chunk"),
                    "weft.arange(5), 2"),
    "cdist": "weft.tensor([[0.0, 0.0]]), weft.tensor([[3.0, 4.0]])", "acosh": "weft.tensor([1.0, 2.0])",
    **dict.fromkeys(("cov", "corrcoef"), "weft.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])"),
    "frexp": "weft.tensor([4.0])", "unfold": "weft.arange(4), 0, 2, 1", "unfold_copy": "weft.arange(4), 0, 2, 1",
    "unravel_index": "weft.tensor([3]), (2, 2)", "unflatten": "weft.arange(4), 0, (2, 2)",
    **dict.fromkeys(("avg_pool1d", "max_pool1d", "max_pool1d_with_indices"),
                    "weft.tensor([[[1.0, 3.0, 2.0, 4.0]]]), 2"),
    "max_pool2d": "weft.arange(16.0).reshape(1, 1, 4, 4), 2", "conv2d": "weft.ones(1, 1, 3, 3), weft.ones(1, 1, 2, 2)",
    "conv1d": "weft.tensor([[[1.0, 2.0, 3.0]]]), weft.tensor([[[1.0, 10.0]]])",
    "layer_norm": "weft.tensor([[1.0, 2.0, 3.0]]), (3,)", "rms_norm": "weft.tensor([[1.0, 2.0, 3.0]]), (3,)",
    "instance_norm": "weft.ones(1, 2, 4), None, None, None, None, True, 0.1, 1e-5",
    **{"nn.functional." + name: call for name, call in {
        "adaptive_max_pool1d": "weft.linspace(0, 5, 6).reshape(1, 1, 6), 2",
        **dict.fromkeys(("relu", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "hardtanh", "tanhshrink",
                         "hardsigmoid", "hardswish", "hardshrink", "softshrink", "softsign", "softplus", "logsigmoid"),
                        "weft.tensor([-2.0, 0.0, 3.0])"),
        "relu6": "weft.tensor([-2.0, 0.0, 9.0])", "threshold": "weft.tensor([-2.0, 0.0, 3.0]), 0.0, 9.0",
        "prelu": "weft.tensor([-2.0, 3.0]), weft.tensor(0.25)", "glu": "weft.tensor([1.0, 2.0, 0.0, 0.0])",
        **dict.fromkeys(("softmax", "log_softmax", "softmin"), "weft.tensor([1.0, 2.0, 3.0]), 0"),
        "pad": "weft.tensor([1.0, 2.0]), (1, 2)", "normalize": "weft.tensor([[3.0, 4.0]])",
        "linear": "weft.ones(1, 2), weft.tensor([[1.0, 2.0]]), weft.tensor([0.5])",
        "interpolate": "weft.tensor([[[1.0, 2.0]]]), scale_factor=2",
        "avg_pool2d": "weft.arange(16.0).reshape(1, 1, 4, 4), 2",
        "max_pool2d_with_indices": "weft.arange(16.0).reshape(1, 1, 4, 4), 2",
        "lp_pool1d": "weft.tensor([[[3.0, 4.0]]]), 2, 2",
        "affine_grid": "weft.eye(2, 3).unsqueeze(0), (1, 1, 2, 2)",
        "grid_sample": "weft.ones(1, 1, 2, 2), weft.zeros(1, 1, 1, 2), align_corners=False",
        "binary_cross_entropy": "weft.tensor([0.5, 0.9]), weft.tensor([0.0, 1.0])",
        "binary_cross_entropy_with_logits": "weft.zeros(2), weft.ones(2)",
        "cosine_embedding_loss": "weft.ones(2, 3), weft.ones(2, 3), weft.ones(2)",
        "cross_entropy": "weft.zeros(2, 4), weft.tensor([0, 3])", "nll_loss": "weft.zeros(2, 4), weft.tensor([0, 3])",
        "embedding": "weft.tensor([2, 0]), weft.eye(3)",
        "embedding_bag": "weft.tensor([[2, 0]]), weft.eye(3), mode='sum'",
        "fractional_max_pool2d": "weft.ones(1, 1, 4, 4), 2, output_size=2",
        "fractional_max_pool3d": "weft.ones(1, 1, 4, 4, 4), 2, output_size=2",
        "fractional_max_pool2d_with_indices": "weft.ones(1, 1, 4, 4), 2, output_size=2",
        "fractional_max_pool3d_with_indices": "weft.ones(1, 1, 4, 4, 4), 2, output_size=2",
        "multi_head_attention_forward":
            "weft.ones(5, 1, 4), weft.ones(5, 1, 4), weft.ones(5, 1, 4), 4, 2, weft.ones(12, 4), None, None, None, "
            "False, 0.0, weft.eye(4), None",
        "gaussian_nll_loss": "weft.zeros(2), weft.ones(2), weft.ones(2)",
        "group_norm": "weft.ones(1, 4, 2), 2", "gumbel_softmax": "weft.zeros(2, 3)",
        "hinge_embedding_loss": "weft.ones(2), weft.tensor([1.0, -1.0])",
        **dict.fromkeys(("huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss", "poisson_nll_loss", "soft_margin_loss"),
                        "weft.zeros(2), weft.ones(2)"),
        "kl_div": "weft.zeros(2), weft.ones(2), reduction='sum'",
        "max_unpool1d": "weft.tensor([[[2.0]]]), weft.tensor([[[1]]]), 2",
        "max_unpool2d": "weft.tensor([[[[2.0]]]]), weft.tensor([[[[3]]]]), 2",
        "max_unpool3d": "weft.tensor([[[[[2.0]]]]]), weft.tensor([[[[[3]]]]]), 2",
        "multi_margin_loss": "weft.zeros(1, 3), weft.tensor([0])",
        "multilabel_margin_loss": "weft.zeros(1, 3), weft.tensor([[0, 2, -1]])",
        "one_hot": "weft.tensor([0, 2])", "upsample": "weft.ones(1, 1, 2), scale_factor=2",
        "upsample_bilinear": "weft.ones(1, 1, 2, 2), scale_factor=2",
        "upsample_nearest": "weft.ones(1, 1, 2, 2), scale_factor=2",
        "ctc_loss": "weft.zeros(4, 1, 3), weft.tensor([[1, 2]]), weft.tensor([4]), weft.tensor([2])",
        "margin_ranking_loss": "weft.ones(2), weft.zeros(2), weft.ones(2)",
        "triplet_margin_loss": "weft.ones(2, 3), weft.ones(2, 3), weft.zeros(2, 3)"}.items()},
    **dict.fromkeys(("imag", "view_as_real", "view_as_real_copy"), "weft.tensor([1 + 2j, 3 - 4j])"),
    "istft": "weft.ones(3, 5, dtype=weft.complex64), 4, window=weft.ones(4)",
    "embedding_renorm_": "weft.tensor([[3.0, 4.0], [6.0, 8.0]]), weft.tensor([0]), 1.0, 2.0",
    "lstm": "weft.ones(3, 1, 2), (weft.zeros(1, 1, 4), weft.zeros(1, 1, 4)), [weft.ones(16, 2), weft.ones(16, 4)], "
            "False, 1, 0.0, False, False, False",
    "gru": "weft.ones(3, 1, 2), weft.zeros(1, 1, 4), [weft.ones(12, 2), weft.ones(12, 4)], False, 1, 0.0, False, "
           "False, False",
    **dict.fromkeys(("rnn_tanh", "rnn_relu"), "weft.ones(3, 1, 2), weft.zeros(1, 1, 4), [weft.ones(4, 2), "
                                              "weft.ones(4, 4)], False, 1, 0.0, False, False, False"),
    **dict.fromkeys(("igamma", "igammac", "special.gammainc", "special.gammaincc"),
                    "weft.tensor([1.0, 2.0]), weft.tensor([0.5, 0.5])"),
    "margin_ranking_loss": "weft.ones(2), weft.zeros(2), weft.ones(2)",
    "cosine_embedding_loss": "weft.ones(2, 3), weft.ones(2, 3), weft.ones(2)",
    "hinge_embedding_loss": "weft.ones(2), weft.tensor([1.0, -1.0])",
    "ctc_loss": "weft.zeros(4, 1, 3), weft.tensor([[1, 2]]), weft.tensor([4]), weft.tensor([2])",
    **{"masked." + name: "weft.tensor([[1.0, 2.0, 3.0]]), dim=1, mask=weft.tensor([[True, True, False]])" for name in
       ("amax amin argmax argmin cumprod cumsum log_softmax logsumexp mean median prod softmax softmin sum var "
        "std").split()},
}

# the same for what has an in-place form only
IN_PLACE_CALLS = {
    "uniform_": "weft.zeros(2, 3), 0, 1", "normal_": "weft.zeros(2, 3), 0, 1", "cauchy_": "weft.zeros(2, 3)",
    "exponential_": "weft.zeros(2, 3), 2", "geometric_": "weft.zeros(2, 3), 0.5", "log_normal_": "weft.zeros(2, 3)",
}


@functools.cache
def names_by_op():
    found = {}
    for name, op in OPS_BY_NAME.items():
        found.setdefault(id(op), name)
    return found


def full_name(op):
    """The first public name, `nn.functional.relu`."""
    return names_by_op().get(id(op), op.name)


def op_of(function):
    """The op that a function shows: its own, or the public one that a private one's in-place form stands for."""
    if not inspect.isfunction(function):
        return None
    described = getattr(function, "__wrapped__", None)
    return described.op if isinstance(described, describe.Described) else getattr(function, "op", None)


class Unclear(Exception):
    """A sample that can't be written down as a short call."""


# arguments as text

def floats(shape, low=0.3, high=0.9, backwards=False):
    n = int(np.prod(shape))
    if not shape:
        return f"weft.tensor({round((low + high) / 2, 2)})"
    if n == 0:
        return f"weft.zeros({', '.join(map(str, shape))})"
    if n > 6 or len(shape) > 2:
        flat = f"weft.linspace({low}, {high}, {n})" if not backwards else f"weft.linspace({high}, {low}, {n})"
        return flat if len(shape) == 1 else f"{flat}.reshape({', '.join(map(str, shape))})"
    span = high - low
    values = (np.linspace(high - span / 5, low + span / 10, n) if backwards else np.linspace(low, high, n)).round(2)
    return f"weft.tensor({values.reshape(shape).tolist()})"


def made(value, backwards):
    """The text of a `Make`."""
    shape, options = value.shape, value.options
    if value.kind == "size":
        return repr(tuple(shape))
    if value.kind in ("fixed", "floats"):
        return floats(shape, options.get("low", 0.3), options.get("high", 0.9), backwards)
    if value.kind == "data":
        kind = f", dtype=weft.{options['dtype']}" if options["dtype"] else ""
        return f"weft.tensor({options['values']!r}{kind})"
    if value.kind == "ints":
        return integers(shape, options)
    if value.kind == "bools":
        cells = np.arange(int(np.prod(shape))).reshape(shape) % 2 == 0
        return f"weft.tensor({cells.tolist()})"
    if value.kind == "complexes":
        return f"weft.complex({floats(shape)}, {floats(shape, backwards=True)})"
    return matrix(shape, options["kind"])


def integers(shape, options):
    cells = (options["start"] + np.arange(int(np.prod(shape))) % (options["below"] - options["start"])).reshape(shape)
    kind = "" if options["dtype"] == "int64" else f", dtype=weft.{options['dtype']}"
    return f"weft.tensor({cells.tolist()}{kind})"


def matrix(shape, kind):
    if len(shape) > 2:
        raise Unclear
    base = f"weft.eye({shape[0]}) + 0.5"
    return {"lower": f"({base}).tril()", "upper": f"({base}).triu()"}.get(kind, base)


def is_shape(value):
    return isinstance(value, tuple) and all(type(n) is int for n in value)


def as_text(value, sizes, backwards):
    if isinstance(value, Make):
        return made(value, backwards)
    if is_shape(value):
        return repr(value) if sizes else floats(value, backwards=backwards)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, Make) or is_shape(v) for v in value):
        inner = ", ".join(as_text(v, False, k % 2 == 1) for k, v in enumerate(value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
    if isinstance(value, weft.dtype):
        return "weft." + str(value).removeprefix("torch.")
    if isinstance(value, (bool, int, float, str, type(None))) or isinstance(value, (list, tuple)) and plain(value):
        return repr(value)
    raise Unclear


def plain(values):
    return all(isinstance(v, (bool, int, float, str, type(None))) or isinstance(v, (list, tuple)) and plain(v)
               for v in values)


# calls

def arguments(sample, sizes):
    keywords = {}
    if sample and isinstance(sample[-1], dict):
        *sample, keywords = sample
    texts = [as_text(v, sizes and k > 0, k % 2 == 1) for k, v in enumerate(sample)]
    return texts, {k: as_text(v, True, False) for k, v in keywords.items()}


def run(text):
    """The value of a call's text."""
    weft.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, {"weft": weft})


def parts(text):
    """The arguments of a call's text, and its keywords."""
    call = ast.parse(f"f({text})", mode="eval").body
    return [ast.unparse(a) for a in call.args], {k.arg: ast.unparse(k.value) for k in call.keywords}


def calls(op):
    """(arguments, keywords, result) of the samples that can be written down and work."""
    name = "weft." + full_name(op)
    if full_name(op) in CALLS:
        text = CALLS[full_name(op)]
        yield *parts(text), run(f"{name}({text})")
    for sample in op.samples:
        for sizes in (False, True):
            try:
                texts, keywords = arguments(sample, sizes)
                given = ", ".join([*texts, *[f"{k}={v}" for k, v in keywords.items()]])
                yield texts, keywords, run(f"{name}({given})")
            except Exception:       # not this way of reading the sample
                continue
            break


@functools.cache
def results(op):
    """The results of the samples, for their types."""
    if full_name(op).rpartition(".")[2].startswith("_"):
        return ()
    return tuple(result for _, _, result in calls(op))


@functools.cache
def named_results():
    """Name -> fields of the named tuples that ops return."""
    found = {op.returns.__name__: op.returns._fields for op in ALL if op.returns is not None}
    for op in ALL:
        for value in () if op.returns is not None or op.forward is not None else results(op):
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                found[type(value).__name__] = value._fields
    return {**found, **dict.fromkeys(("max", "min", "median", "nanmedian"), ("values", "indices"))}


# docstrings

def tensors_in(value):
    if isinstance(value, weft.Tensor):
        return [value]
    return [t for v in value for t in tensors_in(v)] if isinstance(value, (list, tuple)) else []


def shape_sentence(op, texts, result):
    """Which shapes go in and out."""
    if op.pointwise:
        n = len(op.promoted) or len(op.rules) or 1
        return ("Shape: any; the result has the input's." if n == 1 else
                "Shape: the inputs broadcast; the result has their common shape.")
    before = [t for text in texts for t in tensors_in(run(text))]
    after = tensors_in(result)
    if not before or not after or len(before) > 4 or len(after) > 4:
        return ""
    return (f"Shape: {', '.join(str(tuple(t.shape)) for t in before)} -> "
            f"{', '.join(str(tuple(t.shape)) for t in after)} in the example.")


def shown(op, text, result):
    """(the expression, what it prints)."""
    values = (op.kind not in SHAPES_ONLY and op.name not in SIGNS and op.random < 0
              and "\n\n" not in repr(result))         # doctest takes an empty line for the end
    if isinstance(result, weft.Tensor):
        if values and 0 < result.numel() <= 9 and "nan" not in repr(result):
            return text, repr(result)
        return text + ".shape", repr(result.shape)
    if isinstance(result, (tuple, list)) and result and all(isinstance(t, weft.Tensor) for t in result):
        if values and sum(t.numel() for t in result) <= 8:
            return text, repr(result)
        return f"[t.shape for t in {text}]", repr([t.shape for t in result])
    return text, repr(result)


def lines_of(setup, text, printed):
    return "\n".join([*[f">>> {line}" for line in setup], f">>> {text}", printed])


def short_arguments(texts, in_place=False):
    """Long tensors become variables of their own lines, and what an in-place form writes to."""
    setup, given, names = [], [], iter("xyzuvw")
    for k, text in enumerate(texts):
        if text.startswith(("weft.", "(weft.", "[weft.")) and (len(text) > 12 or in_place and k == 0):
            name = next(names)
            setup.append(f"{name} = {text}")
            given.append(name)
        else:
            given.append(text)
    if any(len(line) > LONGEST for line in setup):
        raise Unclear
    return setup, given


def example(op, name):
    """The shapes' sentence and the example of a function, or None."""
    for texts, keywords, result in calls(op):
        try:
            setup, given = short_arguments(texts)
        except (Unclear, StopIteration):
            continue
        text = f"weft.{name}({', '.join([*given, *[f'{k}={v}' for k, v in keywords.items()]])})"
        if len(text) > LONGEST and full_name(op) in CALLS:
            setup.append(f"made = weft.{name}(\n...     {text.partition('(')[2]}")
            text = "made"
        text, printed = shown(op, text, result)
        if len(text) > LONGEST or len(printed) > 700:
            continue
        sentence = shape_sentence(op, texts, result)
        return "\n\n".join([*([sentence] if sentence else []), lines_of(["import weft", *setup], text, printed)])
    return None


def in_place_example(op, name):
    """The example of an in-place form: the first argument is the tensor that changes."""
    only = [(*parts(IN_PLACE_CALLS[name]), None)] if name in IN_PLACE_CALLS else calls(op)
    for texts, keywords, _ in only:
        try:
            setup, given = short_arguments(texts, in_place=True)
            rest = ", ".join([*given[1:], *[f"{k}={v}" for k, v in keywords.items()]])
            environment = {"weft": weft}
            weft.manual_seed(0)
            for line in setup:
                exec(line, environment)
            if given[0] != "x":
                continue
            call = f"x.{name}({rest})" if "." not in name else f"weft.{name}({f'x, {rest}' if rest else 'x'})"
            result = eval(call, environment)
        except Exception:       # a sample whose result doesn't fit into its input
            continue
        text, printed = shown(op, call, result)
        if len(text) <= LONGEST and len(printed) <= 700:
            return lines_of(["import weft", *setup], text, printed)
    return None


@functools.cache
def all_examples():
    """Public name -> what follows the sentences in its docstring."""
    found = {}
    for name, function in sorted(FUNCTIONS.items()):
        op = op_of(function)
        if op is None or name.rpartition(".")[2].startswith("_"):
            continue
        first = full_name(op)
        in_place = function is not op.public
        if name != (first.lstrip("_") + "_" if in_place else first):
            continue
        text = in_place_example(op, name) if in_place else example(op, name)
        if text:
            found[name] = text
    return found


def document(op, function, full, method=False):
    """The docstring for a stub: without the signature, which the stub has."""
    in_place = function is not op.public
    name = describe.name_of(function) if in_place else full_name(op)
    more = all_examples().get(name)
    describe.examples = lambda: {name: more} if more else {}
    return describe.docstring(op, name, in_place)


def data_text():
    """weft/ops/core/examples.json: shapes and examples of ops, by public name."""
    return json.dumps(all_examples(), indent=0, sort_keys=True, ensure_ascii=False) + "\n"
