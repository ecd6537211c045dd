"""Sampling images and volumes at the places that a grid names: grid_sampler, grid_sampler_2d, grid_sampler_3d.

Along each axis a few neighbours take part, each with a weight that is a polynomial of the place between them. The same
loop with the polynomials' derivatives gives the slope along an axis, so two ops, which gather and scatter with weights
derived `orders` times, are each other's rules to any order.
"""
import itertools

import numpy as np

from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core import samples as make
from weft.ops.core.registry import op
from weft.ops.index.arrays import contiguous
from weft.ops.shape.join import stack

BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
A = -0.75   # of the cubic convolution

# for each mode: the neighbours' offsets, and their weights as polynomials of the place in [0, 1), highest power first
NEIGHBOURS = {
    BILINEAR: ((0, (-1.0, 1.0)), (1, (1.0, 0.0))),
    NEAREST: ((0, (1.0,)),),
    BICUBIC: ((-1, (A, -2 * A, A, 0.0)), (0, (A + 2, -(A + 3), 0.0, 1.0)), (1, (-(A + 2), 2 * A + 3, -A, 0.0)),
              (2, (-A, A, 0.0, 0.0))),
}


# one axis

def unnormalized(c, size, align, flat):
    """A coordinate of [-1, 1] in elements, and how many elements one unit is; `flat` rounds as the 2d kernel does."""
    if align:
        return (c + 1) * ((size - 1) / 2) if flat else (c + 1) / 2 * (size - 1), (size - 1) / 2
    return (c + 1) * (size / 2) - 0.5 if flat else ((c + 1) * size - 1) / 2, size / 2


def padded(c, size, padding, align, flat):
    """A coordinate brought back onto the image, and the sign with which it moves there."""
    if padding == ZEROS:
        return c if flat else np.where(np.isfinite(c), c, c.dtype.type(-100)), 1
    sign = 1
    if padding == REFLECTION:
        c, sign = reflected(c, 0 if align else -0.5, size - 1 if align else size)
    sign = sign * ((c > 0) & (c < size - 1))
    # NaN goes to the first element in the 2d kernel, to the last in the 3d one
    return (np.fmin(np.fmax(c, 0), size - 1) if flat else np.fmax(np.fmin(c, size - 1), 0)), sign


def reflected(c, low, span):
    """A coordinate folded into [low, low + span], and the direction it then runs in."""
    if span == 0:
        return np.zeros_like(c), 0
    away = c - low
    sign = np.where(away < 0, -1, 1)
    away = np.abs(away)
    rest, odd = np.fmod(away, span), np.floor(away / span) % 2 == 1
    return np.where(odd, span - rest, rest) + low, np.where(odd, -sign, sign)


def derived(polynomial, order):
    for _ in range(order):
        top = len(polynomial) - 1
        polynomial = tuple(factor * (top - i) for i, factor in enumerate(polynomial[:-1]))
    return polynomial


def along(c, size, order, mode, padding, align, flat):
    """The neighbours along one axis: (index, whether it is on the image, weight), the weight derived `order` times by
    `c`.
    """
    place, scale = unnormalized(c, size, align, flat)
    sign = 1
    if mode != BICUBIC:
        place, sign = padded(place, size, padding, align, flat)
    first = np.rint(place) if mode == NEAREST else np.floor(place)
    t = place - first
    chain = (scale * sign) ** order if order else 1
    for offset, polynomial in NEIGHBOURS[mode]:
        index = first + offset
        if mode == BICUBIC:
            index = padded(index, size, padding, align, True)[0]
        factors = derived(polynomial, order)
        weight = np.zeros_like(t) + factors[0]
        for factor in factors[1:]:
            weight = weight * t + t.dtype.type(factor)
        inside = (index >= 0) & (index < size)
        yield np.where(inside, index, 0).astype(np.int64), inside, (weight * chain).astype(c.dtype)


def terms(grid, sizes, orders, mode, padding, align):
    """For each choice of neighbours: flat places in a batch of images (one past the end where off it) and the weights.
    """
    dims = len(sizes)
    if any(order >= len(NEIGHBOURS[mode][0][1]) for order in orders):
        return      # derived to nothing
    axes = [list(along(grid[..., dims - 1 - a], sizes[a], orders[a], mode, padding, align, dims == 2))
            for a in range(dims)]
    area = int(np.prod(sizes))
    image = np.arange(len(grid)).reshape((-1,) + (1,) * dims) * area
    for chosen in itertools.product(*axes):
        place, inside, weight = 0, True, 1
        for (index, on_it, factor), size in zip(chosen, sizes):
            place, inside, weight = place * size + index, inside & on_it, weight * factor
        yield np.where(inside, place + image, len(grid) * area).reshape(-1), weight.reshape(-1, 1)


# arrays in, arrays out

def gathered(x, grid, orders, mode, padding, align):
    """(N, C, *sizes) at (N, *places, dims): (N, C, *places)."""
    made = fast.grid_gather(contiguous(x), contiguous(grid), orders, mode, padding, align)
    if made is not None:
        return made
    channels = x.shape[1]
    # the last is what lies off the image
    rows = np.zeros((x.size // channels + 1 if channels else 1, channels), x.dtype)
    rows[:-1] = np.moveaxis(x, 1, -1).reshape(-1, channels) if channels else 0
    made = np.zeros((grid.size // grid.shape[-1], channels), x.dtype)
    with np.errstate(all="ignore"):
        for place, weight in terms(grid, x.shape[2:], orders, mode, padding, align) if channels else ():
            made += rows[place] * weight
    return np.ascontiguousarray(np.moveaxis(made.reshape(*grid.shape[:-1], channels), -1, 1))


def scattered(g, grid, orders, size, mode, padding, align):
    """The transpose of `gathered`: (N, C, *places) spread over (N, C, *sizes)."""
    made = fast.grid_scatter(contiguous(g), contiguous(grid), orders, size[2:], mode, padding, align)
    if made is not None:
        return made
    n, channels, *sizes = size
    total = np.zeros((n * int(np.prod(sizes)) + 1) * channels)
    values = np.moveaxis(g, 1, -1).reshape(-1, channels) if g.size else np.zeros((0, channels), g.dtype)
    with np.errstate(all="ignore"):
        for place, weight in terms(grid, sizes, orders, mode, padding, align) if g.size else ():
            into = (place[:, None] * channels + np.arange(channels)).reshape(-1)
            total += np.bincount(into, (values * weight).reshape(-1), len(total))
    made = total[:len(total) - channels].reshape(n, *sizes, channels)
    return np.ascontiguousarray(np.moveaxis(made, -1, 1).astype(g.dtype))


# the rules

def _sampled(x, grid):
    """The Spec of (N, C, *places)."""
    return (*x.shape[:2], *grid.shape[1:-1]), x.dtype


def slopes(g, x, grid, orders, mode, padding, align):
    """How g . gathered(x, grid) moves with each coordinate of the grid: Tensors in, a Tensor out."""
    dims = len(orders)
    if mode == NEAREST:
        return g.new_zeros(grid.shape)
    found = []
    for a in reversed(range(dims)):         # the grid counts its axes from the last one
        further = tuple(order + (a == i) for i, order in enumerate(orders))
        found.append((g * _grid_gather(x, grid, further, mode, padding, align)).sum(1))
    return stack(found, -1)


@op
class _grid_gather:
    """Sampling with weights derived by the coordinates."""
    method, node_name = False, "GridSamplerBackwardBackward0"

    def forward(x, grid, orders, mode, padding, align):
        return gathered(x, grid, orders, mode, padding, align)

    def shape(x, grid, orders, mode, padding, align):
        return _sampled(x, grid)

    def grad_x(g, x_shape, grid, orders, mode, padding, align):
        return _grid_scatter(g, grid, orders, tuple(x_shape), mode, padding, align)

    def grad_grid(g, x, grid, orders, mode, padding, align):
        return slopes(g, x, grid, orders, mode, padding, align)
    samples = [((1, 2, 4, 3), (1, 2, 2, 2), make.size(0, 0), BICUBIC, BORDER, False),
               ((1, 2, 4, 3), (1, 2, 2, 2), make.size(1, 0), BICUBIC, ZEROS, True)]


@op
class _grid_scatter:
    """Spreading values over the places that a grid names."""
    method, node_name = False, "GridSamplerBackwardBackward0"

    def forward(x, grid, orders, size, mode, padding, align):
        return scattered(x, grid, orders, size, mode, padding, align)

    def shape(x, grid, orders, size, mode, padding, align):
        return size, x.dtype

    def grad_x(g, grid, orders, mode, padding, align):
        return _grid_gather(g, grid, orders, mode, padding, align)

    def grad_grid(g, x, grid, orders, mode, padding, align):
        return slopes(x, g, grid, orders, mode, padding, align)
    samples = [((1, 2, 2, 2), (1, 2, 2, 2), make.size(0, 0), make.size(1, 2, 4, 3), BICUBIC, BORDER, False)]


# the public ops

def check_grid(x, grid, mode, padding, dims):
    """Refuse what doesn't fit together; `dims` is 2, 3 or None for either."""
    a, b = list(x._form.shape), list(grid._form.shape)
    sizes = f"got input with sizes {a} and grid with sizes {b}"
    if a[:1] != b[:1]:
        fail(RuntimeError, f"grid_sampler(): expected grid and input to have same batch size, but {sizes}",
             "expand() the grid to the batch")
    if b[-1:] != [len(a) - 2]:
        fail(RuntimeError, f"grid_sampler(): expected grid to have size {len(a) - 2} in last dimension, but {sizes}",
             "give one coordinate for each spatial dimension")
    for i, n in enumerate(a[2:], 2):
        if n == 0:
            fail(RuntimeError, f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                 f"sizes {a} with dimension {i} being empty", "there is nothing to sample from")
    wanted = "4D or 5D" if dims is None else f"{dims + 2}D"
    if len(a) not in ((4, 5) if dims is None else (dims + 2,)) or len(a) != len(b):
        fail(RuntimeError, f"grid_sampler(): expected {wanted} input and grid with same number of dimensions, but "
             f"{sizes}",
             "a grid is (N, H, W, 2) for images, (N, D, H, W, 3) for volumes")
    if mode == BICUBIC and len(a) == 5:
        fail(RuntimeError, "grid_sampler(): bicubic interpolation only supports 4D input",
             "use bilinear (0) or nearest (1)")
    if mode not in NEIGHBOURS or padding not in (ZEROS, BORDER, REFLECTION):
        fail(RuntimeError, f"grid_sampler(): no interpolation_mode {mode} with padding_mode {padding}",
             "both count from 0 to 2")
    if x._form.dtype != grid._form.dtype:
        fail(RuntimeError, f"grid_sampler(): expected scalar type {x.dtype} but found {grid.dtype}: input and grid "
             f"must have one type",
             f"convert the grid: grid.to({x.dtype})")
    if not dtypes.of_array(x._form.dtype).is_floating_point:
        fail(NotImplementedError, f"grid_sampler(): not implemented for '{x.dtype}'",
             "convert both to a floating-point type")


@op
class grid_sampler_2d:
    """An image (N, C, H, W) sampled at the places (N, h, w, 2) of a grid, whose corners are -1 and 1: (N, C, h, w)."""
    autocast = "float32"
    method, node_name = False, "GridSampler2DBackward0"

    def check(x, grid, interpolation_mode, padding_mode, align_corners):
        check_grid(x, grid, interpolation_mode, padding_mode, 2)

    def forward(x, grid, interpolation_mode, padding_mode, align_corners):
        return gathered(x, grid, (0, 0), interpolation_mode, padding_mode, align_corners)

    def shape(x, grid, interpolation_mode, padding_mode, align_corners):
        return _sampled(x, grid)

    def grad_x(g, x_shape, grid, interpolation_mode, padding_mode, align_corners):
        return _grid_scatter(g, grid, (0, 0), tuple(x_shape), interpolation_mode, padding_mode, align_corners)

    def grad_grid(g, x, grid, interpolation_mode, padding_mode, align_corners):
        return slopes(g, x, grid, (0, 0), interpolation_mode, padding_mode, align_corners)
    samples = [((1, 2, 4, 3), (1, 2, 2, 2), 0, 0, False)]


@op
class grid_sampler_3d:
    """A volume (N, C, D, H, W) sampled at the places (N, d, h, w, 3) of a grid: (N, C, d, h, w)."""
    autocast = "float32"
    method, node_name = False, "GridSampler3DBackward0"

    def check(x, grid, interpolation_mode, padding_mode, align_corners):
        check_grid(x, grid, interpolation_mode, padding_mode, 3)

    def forward(x, grid, interpolation_mode, padding_mode, align_corners):
        return gathered(x, grid, (0, 0, 0), interpolation_mode, padding_mode, align_corners)

    def shape(x, grid, interpolation_mode, padding_mode, align_corners):
        return _sampled(x, grid)

    def grad_x(g, x_shape, grid, interpolation_mode, padding_mode, align_corners):
        return _grid_scatter(g, grid, (0, 0, 0), tuple(x_shape), interpolation_mode, padding_mode, align_corners)

    def grad_grid(g, x, grid, interpolation_mode, padding_mode, align_corners):
        return slopes(g, x, grid, (0, 0, 0), interpolation_mode, padding_mode, align_corners)
    samples = [((1, 2, 2, 4, 3), (1, 1, 2, 2, 3), 0, 0, False)]


@op
class grid_sampler:
    """grid_sampler_2d or grid_sampler_3d, by the number of the input's dimensions."""
    autocast = "float32"
    method = False

    def compose(input, grid, interpolation_mode, padding_mode, align_corners):
        check_grid(input, grid, interpolation_mode, padding_mode, None)
        sample = grid_sampler_2d if input._form.ndim == 4 else grid_sampler_3d
        return sample(input, grid, interpolation_mode, padding_mode, align_corners)
    samples = [((1, 2, 4, 3), (1, 2, 2, 2), 0, 0, False)]
