"""The ops, one body each, by family; importing a file of a family registers its ops."""
from weft.ops.core import inplace
from weft.ops.pointwise import (
    arithmetic, complex, exponents, minmax, operators, rounding, special, special_ortho, trig,
)
from weft.ops.reduce import cumulative, histogram, masked, minmax, norms, numeric, quantile, sort, stats, sums, unique
from weft.ops.shape import alias, copies, flip, grid, in_place, join, slices, split, strided, view
from weft.ops.linalg import basic, det, eig, einsum, factor, lowrank, lstsq, matmul, matmul_add, norm, qr, solve
from weft.ops.create import constants, convert, data, legacy, ranges, sparse
from weft.ops.index import gather, getitem, masks, put, rows, scatter, where
from weft.ops.random import draws, gamma
from weft.ops.nn import (
    activation, activation_gates, activation_smooth, attention, attention_heads, blocks, conv, ctc, dropout,
    embedding, grid_sample, interpolate, linear, loss, loss_margin, loss_pairs, norm_batch, norm_layer,
    pool_avg, pool_index, pool_max, recurrent_api, resample, similarity, softmax, softmax_forms,
)
from weft.ops.fft import stft, transforms, windows


def __getattr__(name):
    """torch.ops: the namespaces of programs' own ops (torch.library), loaded when first asked for."""
    import importlib  # of a module above this one, only for PyTorch's programs
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    library = importlib.import_module("weft.library")
    return getattr(library, name) if name in ("load_library", "loaded_libraries") else library.namespace(name)
