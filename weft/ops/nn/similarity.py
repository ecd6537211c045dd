# compiled, -Og
"""How near vectors are (cosine_similarity, pairwise_distance, pdist), and vectors brought to one length (normalize,
local_response_norm).
"""
import warnings

import numpy as np

from weft.core.errors import fail
from weft.core.size import broadcast_shapes
from weft.core.spec import Spec
from weft.ops.core.promotion import result_type
from weft.ops.core.registry import op
from weft.ops.nn.grid_sample import grid_sampler
from weft.ops.reduce.norms import distance
from weft.ops.reduce.stats import _vector_norm
from weft.ops.shape.flip import constant_pad_nd
from weft.tensor.tensor import without_values, wrap


@op
class cosine_similarity:
    """The cosine of the angle between x1 and x2 along `dim`; lengths below eps count as eps."""
    names, method = "cosine_similarity nn.functional.cosine_similarity", False

    def compose(x1, x2, dim=1, eps=1e-8):
        common = result_type(x1, x2)
        if not common.is_floating_point and not common.is_complex:
            fail(RuntimeError, f"expected common dtype to be floating point, yet common dtype is {common}",
                 "convert both with .float()")
        if eps < 0:
            fail(RuntimeError, f"cosine_similarity: eps must be non-negative, but got {eps}")
        x1, x2 = x1.to(common), x2.to(common)
        shape = broadcast_shapes(x1._form.shape, x2._form.shape)
        x1 = x1 if x1._form.shape == shape else x1.expand(shape)
        x2 = x2 if x2._form.shape == shape else x2.expand(shape)
        lengths = _vector_norm(x1, 2.0, dim).clamp(min=eps) * _vector_norm(x2, 2.0, dim).clamp(min=eps)
        return (x1 * x2).sum(dim) / lengths
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), 0)]


@op
class pairwise_distance:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    names, method = "pairwise_distance nn.functional.pairwise_distance", False

    def compose(x1, x2, p=2.0, eps=1e-6, keepdim=False):
        off = x1 - x2 + eps
        return _vector_norm(off, p, -1 if off._form.ndim else None, keepdim)
    samples = [((3, 4), (3, 4)), ((3, 4), (3, 4), 1.0, 1e-6, True)]


@op
class pdist:
    """The p-norm distances between the rows of a matrix, each pair once: (0, 1), (0, 2), ..., (1, 2), ..."""
    names, method = "pdist nn.functional.pdist", False

    def compose(input, p=2.0):
        shape = input._form.shape
        if len(shape) != 2:
            fail(RuntimeError, f"pdist only supports 2D tensors, got: {len(shape)}D",
                 "give a matrix whose rows are the points")
        if not input.dtype.is_floating_point:
            fail(RuntimeError, f"pdist only supports floating-point dtypes, got {input.dtype}",
                 "convert it with .float()")
        if p < 0:
            fail(RuntimeError, f"pdist only supports non-negative p values, got {p}")
        if shape[0] < 2:
            return input.flatten()[:0]
        if shape[1] == 0:
            return input.new_zeros((shape[0] * (shape[0] - 1) // 2,))
        if input._on_meta:
            first = second = without_values(Spec((shape[0] * (shape[0] - 1) // 2,), np.int64))
        else:
            first, second = map(wrap, np.triu_indices(shape[0], 1))
        return distance(input.index_select(0, first) - input.index_select(0, second), p)
    samples = [((4, 3),), ((4, 3), 3.0)]


@op
class normalize:
    """The input over its p-norm along `dim`; norms below eps count as eps."""
    names, method = "nn.functional.normalize", False
    out_types = "castable"

    def compose(input, p=2.0, dim=1, eps=1e-12):
        return input / _vector_norm(input, p, dim, True).clamp(min=eps)
    samples = [((3, 4),), ((3, 4), 1.0, 0)]


@op
class local_response_norm:
    """The input over (k + alpha * the mean of the squares of `size` channels around) ** beta."""
    names, method = "nn.functional.local_response_norm", False

    def compose(input, size, alpha=1e-4, beta=0.75, k=1.0):
        shape = input._form.shape
        if len(shape) < 3:
            fail(ValueError, f"Expected 3D or higher dimensionalityinput (got {len(shape)} dimensions)")
        if not input._form.size:
            return input
        squares = input * input
        wide = constant_pad_nd(squares, (0, 0) * (len(shape) - 2) + (size // 2, (size - 1) // 2))
        total = wide.narrow(1, 0, shape[1])
        for i in range(1, size):
            total = total + wide.narrow(1, i, shape[1])
        return input / (total * (alpha / size) + k) ** beta
    samples = [((1, 4, 3), 2)]


# sampling by a grid

MODES, PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


@op
class grid_sample:
    """The input sampled at the places of a grid, whose corners are -1 and 1: (N, C, h, w) for a grid (N, h, w, 2)."""
    names, method = "nn.functional.grid_sample", False

    def compose(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
        if mode not in MODES:
            fail(ValueError, f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
                 f"but got: '{mode}'")
        if padding_mode not in PADDINGS:
            fail(ValueError, "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                 "'reflection', but got: "
                 f"'{padding_mode}'")
        return grid_sampler(input, grid, MODES.index(mode), PADDINGS.index(padding_mode), bool(align_corners))
    samples = [((1, 2, 4, 3), (1, 2, 2, 2)), ((1, 2, 4, 3), (1, 2, 2, 2), "bicubic", "reflection", True)]


@op
class affine_grid_generator:
    """The places of a grid for grid_sample: theta (N, 2, 3) or (N, 3, 4) applied to the regular grid of an image of
    `size`.
    """
    method = False

    def compose(theta, size, align_corners):
        size = tuple(size)
        dims = len(size) - 2
        if dims not in (2, 3):
            fail(NotImplementedError, "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                 "respectively. Got size "
                 f"{list(size)}.")
        if theta._form.shape != (size[0], dims, dims + 1):
            fail(ValueError, f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size "
                 f"{list(size)}. Got {list(theta._form.shape)}.")
        if min(size) <= 0:
            fail(ValueError, f"Expected non-zero, positive output size. Got {list(size)}")
        if not theta.dtype.is_floating_point:
            fail(ValueError, f"Expected theta to have floating point type, but got {theta.dtype}")
        if align_corners and min(size[2:]) == 1:
            warnings.warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
                          "align_corners=True. This is not an intended use case of affine_grid. See the documentation "
                          "of affine_grid for details.", stacklevel=2)
        base = np.ones((*size[2:], dims + 1), theta._form.dtype)       # x, y, (z,) 1 of each place
        for i, n in enumerate(size[2:]):
            line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
            line = line if align_corners else line * (n - 1) / n
            base[..., dims - 1 - i] = line.reshape((-1,) + (1,) * (dims - 1 - i))
        places = wrap(base.reshape(1, -1, dims + 1)).expand((size[0], -1, -1)) @ theta.transpose(1, 2)
        return places.view((size[0], *size[2:], dims))
    samples = [((1, 2, 3), [1, 1, 3, 4], False)]


@op
class _affine_grid:
    """The places of a grid for grid_sample, from affine matrices."""
    names, method = "nn.functional.affine_grid", False

    def compose(theta, size, align_corners=None):
        return affine_grid_generator(theta, size, bool(align_corners))
    samples = [((1, 2, 3), [1, 1, 3, 4]), ((2, 3, 4), [2, 1, 2, 3, 2], True)]
