"""Values moved by their places in a plane: max_unpool, and fractional pooling, whose windows start at random."""
import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.ops.core import samples as make
from weft.ops.core.registry import op
from weft.ops.nn.images import images, laid_out
from weft.ops.nn.pool_window import NONE, _check_batch, ints, need_kind, need_tensor
from weft.ops.random.draws import rand
from weft.tensor.tensor import Tensor


@op
class _plane_scatter:
    """Elements (..., pooled) put at their indices in planes of `sizes`, zero elsewhere; with `add` those of one place
    are summed.
    """
    method, node_name = False, "MaxUnpool2DBackward0"

    def forward(x, indices, dims, sizes, add):
        found = fast.plane_scatter(np.ascontiguousarray(x), np.ascontiguousarray(indices), dims, sizes, add)
        if found is not None:
            return laid_out(found, x)
        lead = x.shape[:x.ndim - dims]
        planes, size = int(np.prod(lead)), int(np.prod(sizes))
        made = np.zeros(planes * size, x.dtype)
        wrong = (indices < 0) | (indices >= size)
        if wrong.any():
            fail(RuntimeError, f"Found an invalid max index: {indices[wrong].reshape(-1)[0]} (output volumes are of "
                 f"size {'x'.join(map(str, sizes))})",
                 "give the indices that the max pooling returned, and its input's size as output_size")
        at = (indices.reshape(planes, -1) + np.arange(planes)[:, None]
              * size).reshape(-1) if planes else np.zeros(0, np.int64)
        if add:
            np.add.at(made, at, x.reshape(-1))
        else:
            made[at] = x.reshape(-1)
        return laid_out(made.reshape(*lead, *sizes), x)

    def shape(x, indices, dims, sizes, add):
        return images((*x.shape[:x.ndim - dims], *sizes), x.dtype, x)

    def grad_x(g, indices, dims):
        return _plane_gather(g, indices, dims)
    samples = [((1, 2, 2), make.data([[[0, 5], [3, 7]]]), 2, make.size(3, 3), False),
               ((2, 3, 2, 2), make.ints(2, 3, 2, 2, below=12), 2, make.size(3, 4), True)]


@op
class _plane_gather:
    """The elements at their indices in the last `dims` dimensions."""
    method, node_name = False, "GatherBackward0"

    def forward(x, indices, dims):
        found = fast.plane_gather(np.ascontiguousarray(x), np.ascontiguousarray(indices), dims)
        if found is not None:
            return laid_out(found, x)
        lead = x.shape[:x.ndim - dims]
        planes = int(np.prod(lead))
        taken = (np.take_along_axis(x.reshape(planes, -1), indices.reshape(planes, -1), 1) if indices.size
                 else np.zeros(0, x.dtype))
        return laid_out(taken.reshape(indices.shape), x)

    def shape(x, indices, dims):
        return images(indices.shape, x.dtype, x)

    def grad_x(g, x_shape, indices, dims):
        return _plane_scatter(g, indices, dims, tuple(x_shape)[len(x_shape) - dims:], True)
    samples = [((2, 3, 3, 4), make.ints(2, 3, 2, 2, below=12), 2), ((2, 5), make.ints(2, 3, below=5), 1)]


# max_unpool

def _unpooled(input, indices, dims, kernel_size, stride, padding, output_size):
    who = f"max_unpool{dims}d"
    need_tensor(input, who)
    need_tensor(indices, who)
    kernel = ints(kernel_size, dims, who, "kernel_size")
    steps = kernel if stride is None else ints(stride, dims, who, "stride")
    sizes = _unpooled_size(input._form.shape, kernel, steps, ints(padding, dims, who, "padding"), output_size)
    need_kind(input, who, NONE)
    if indices._form.dtype != np.int64:
        fail(RuntimeError, f"{who}(): elements in indices should be type int64 but got: {indices.dtype}",
             "give indices.long()")
    if input._form.ndim not in (dims + 1, dims + 2):
        fail(RuntimeError, f"{who}(): Input should be a {dims + 1}d or {dims + 2}d Tensor, but got a tensor with "
             f"{input._form.ndim} dimensions", "give (N, C, ...) or (C, ...)")
    if input._form.shape != indices._form.shape:
        fail(RuntimeError, f"{who}(): Expected shape of indices to be same as that of the input tensor "
             f"({list(input._form.shape)}) but got indices tensor with shape: {list(indices._form.shape)}",
             "give the indices that the max pooling returned")
    _check_batch(input._form.shape, dims, who, 1)
    if dims == 3 and min(steps) < 1:
        fail(RuntimeError, f"{who}(): strides should be greater than zero, but got stride: {list(steps)}")
    return _plane_scatter(input, indices, dims, sizes, False)


def _unpooled_size(shape, kernel, stride, padding, output_size):
    """The size that was pooled: as given, if it fits, else the least one."""
    dims = len(kernel)
    least = tuple([(n - 1) * s + k - 2 * p for n, k, s, p in zip(shape[len(shape) - dims:], kernel, stride, padding)])
    if output_size is None:
        sizes = least
    else:
        sizes = tuple(output_size)
        if len(sizes) == dims + 2:
            sizes = sizes[2:]
        if len(sizes) != dims:
            fail(ValueError, f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a "
                 f"length of '{len(sizes)}'",
                 "give the size of what was pooled")
        for d in range(dims):
            if not least[d] - stride[d] < sizes[d] < least[d] + stride[d]:
                fail(ValueError, f'invalid output_size "{sizes}" (dim {d} must be between {least[d] - stride[d]} and '
                     f'{least[d] + stride[d]})',
                     "give the size of what was pooled")
    if min(sizes) < 0:
        fail(ValueError, f"max_unpooling: output_size must contain non-negative spatial dimensions, but got "
             f"{list(sizes)}")
    return sizes


@op
class max_unpool1d:
    """Puts what max_pool1d gave back in its places; the rest is zero."""
    names, autocast = "nn.functional.max_unpool1d", "float32"

    def compose(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        return _unpooled(input, indices, 1, kernel_size, stride, padding, output_size)
    samples = [((1, 2, 3), make.data([[[0, 3, 4], [1, 2, 5]]]), 2)]


@op
class max_unpool2d:
    """Puts what max_pool2d gave back in its places; the rest is zero."""
    autocast = "float32"
    names = "nn.functional.max_unpool2d"

    def compose(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        return _unpooled(input, indices, 2, kernel_size, stride, padding, output_size)
    samples = [((1, 1, 2, 2), make.data([[[[0, 6], [9, 14]]]]), 2),
               ((1, 1, 2), make.data([[[6, 3]]]), [2, 2], None, 0, [2, 5])]


@op
class max_unpool3d:
    """Puts what max_pool3d gave back in its places; the rest is zero."""
    autocast = "float32"
    names = "nn.functional.max_unpool3d"

    def compose(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        return _unpooled(input, indices, 3, kernel_size, stride, padding, output_size)
    samples = [((1, 1, 1, 1, 2), make.data([[[[[2, 5]]]]]), 2)]


# fractional

def _starts(sample, size, out, kernel):
    """Where the windows of each plane start along one axis: (planes, out), from one random number a plane."""
    start = np.zeros((len(sample), out), np.int64)
    if out > 1:
        pace = sample.dtype.type(size - kernel) / sample.dtype.type(out - 1)
        steps = ((np.arange(out, dtype=sample.dtype) + sample[:, None]) * pace).astype(np.int64)
        start[:] = steps - (sample * pace).astype(np.int64)[:, None]
    if out:
        start[:, -1] = size - kernel
    return start


@op
class _fractional_max_pool:
    """The greatest of windows that start at random distances, and where each stands in its plane."""
    method, outputs, node_name = False, "values indices", "FractionalMaxPool2DBackward0"

    def forward(x, kernel, sizes, samples):
        dims = len(kernel)
        lead, size = x.shape[:x.ndim - dims], x.shape[x.ndim - dims:]
        planes = int(np.prod(lead))
        flat = np.ascontiguousarray(x).reshape(planes, *(1,) * (3 - dims), *size)
        rows = samples.reshape(-1, dims)[:planes]       # the last dimension's number comes first
        starts = [_starts(np.ascontiguousarray(rows[:, dims - 1 - a]), size[a], sizes[a], kernel[a])
                  for a in range(dims)]
        whole = [np.zeros((planes, 1), np.int64)] * (3 - dims) + starts
        kernel = (1,) * (3 - dims) + kernel
        found = fast.max_pool_from(flat, *whole, kernel)
        if found is None:
            found = _fractional_reference(flat, whole, kernel)
        return tuple([made.reshape(*lead, *sizes) for made in found])

    def shape(x, kernel, sizes, samples):
        made = (*x.shape[:x.ndim - len(kernel)], *sizes)
        return (made, x.dtype), (made, np.int64)

    def grad_x(g, x_shape, indices, kernel):
        return _plane_scatter(g, indices, len(kernel), tuple(x_shape)[-len(kernel):], True)
    samples = [((1, 2, 6, 5), make.size(2, 2), make.size(3, 2), make.fixed(1, 2, 2)),
               ((2, 4, 4, 5), make.size(2, 1, 2), make.size(2, 3, 2), make.fixed(1, 2, 3))]


def _fractional_reference(x, starts, kernel):
    planes, sizes = x.shape[0], x.shape[1:]
    at = [(start[:, :, None] + np.arange(k)).reshape(planes, *[-1 if i == a else 1 for i in range(3)],
                                                     *[k if i == a else 1 for i in range(3)])
          for a, (start, k) in enumerate(zip(starts, kernel))]              # (planes, out x 3, kernel x 3)
    flat = (at[0] * sizes[1] + at[1]) * sizes[2] + at[2]
    flat = flat.reshape(*flat.shape[:4], -1)
    outs = flat.shape[:4]
    if flat.size == 0:
        at = (starts[0][:, :, None, None] * sizes[1] + starts[1][:, None, :,
                                                                 None]) * sizes[2] + starts[2][:, None, None, :]
        return np.full(outs, -np.inf, x.dtype), at
    seen = np.take_along_axis(x.reshape(planes, -1), flat.reshape(planes, -1), 1).reshape(flat.shape)
    nan = np.isnan(seen)
    pick = np.where(nan.any(-1), seen.shape[-1] - 1 - nan[..., ::-1].argmax(-1),
                    np.where(nan, -np.inf, seen).argmax(-1))[..., None]
    return np.take_along_axis(seen, pick, -1)[..., 0], np.take_along_axis(flat, pick, -1)[..., 0]


def _fractional(input, dims, kernel_size, output_size, output_ratio, samples, indices):
    who = f"fractional_max_pool{dims}d"
    need_tensor(input, who)
    shape = input._form.shape
    if output_size is None and output_ratio is None:
        fail(ValueError, f"{who} requires specifying either an output_size or an output_ratio", "give one of them")
    if len(shape) < dims + 1:
        fail(IndexError, f"{who}(): Dimension out of range (expected to be in range of [{-len(shape)}, "
             f"{len(shape) - 1}], but got {-dims - 1})",
             "give (N, C, ...) or (C, ...)")
    size = shape[len(shape) - dims:]
    if output_size is None:
        if not isinstance(output_ratio, (tuple, list)):
            if dims == 2:
                raise TypeError(f"{who}(): output_ratio must be a tuple of two floats, not "
                                f"{type(output_ratio).__name__}")
            output_ratio = (output_ratio,) * dims
        if len(output_ratio) != dims and not (len(output_ratio) == 1 and dims == 2):
            fail(ValueError, f"{who} requires output_ratio to either be a single Int or tuple of Ints.",
                 f"give {dims} numbers")
        output_size = [int(n * r) for n, r in zip(size, tuple(output_ratio) * (dims // len(output_ratio)))]
    out, kernel = ints(output_size, dims, who, "output_size"), ints(kernel_size, dims, who, "kernel_size")
    planes = (1, shape[0]) if len(shape) == dims + 1 else shape[:2]
    if samples is None:
        samples = rand(*planes, dims, dtype=input.dtype, device=input.device)
    _check_fractional(input, dims, who, size, out, kernel, planes, samples)
    found = _fractional_max_pool(input, kernel, out, samples.detach())
    return tuple(found) if indices else found[0]


def _check_fractional(input, dims, who, size, out, kernel, planes, samples):
    _check_batch(input._form.shape, dims, who, 1)
    need_kind(input, who, NONE)
    if not isinstance(samples, Tensor) or samples._form.dtype != input._form.dtype:
        fail(RuntimeError, f"{who}(): Expect _random_samples to have the same dtype as input",
             f"draw them as {input.dtype}")
    if (samples._form.ndim != 3 or samples._form.shape[2] != dims or samples._form.shape[0] < planes[0]
        or samples._form.shape[1] != planes[1]):
        fail(RuntimeError, f"{who}(): Expect _random_samples to have the shape {[*planes, dims]}, got "
             f"{list(samples._form.shape)}",
             "draw one number for each plane and dimension")
    spare = dims - 2        # PyTorch's windows in a volume must leave an element over, those in an image need not
    for n, o, k in zip(size, out, kernel):
        if k < 0 or o < 0 or o + k - 1 + spare > n or o + k <= 0 or k > n:
            fail(RuntimeError, f"{who}(): pool size {k} too large relative to input size {n}",
                 "pool less, or to fewer elements")


@op
class fractional_max_pool2d:
    """The greatest elements of windows at random distances, so that the size shrinks by a fraction: (N, C, H, W) or (C,
    H, W).
    """
    autocast = "float32"
    names = "nn.functional.fractional_max_pool2d"

    def compose(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        return _fractional(input, 2, kernel_size, output_size, output_ratio, _random_samples, return_indices)
    samples = [((1, 2, 6, 5), 2, make.size(3, 2), None, False, make.fixed(1, 2, 2)),
               ((1, 2, 6, 5), 2, None, (0.5, 0.5))]


@op
class fractional_max_pool3d:
    """The greatest elements of windows at random distances, so that the size shrinks by a fraction: (N, C, D, H, W) or
    (C, D, H, W).
    """
    autocast = "float32"
    names = "nn.functional.fractional_max_pool3d"

    def compose(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        return _fractional(input, 3, kernel_size, output_size, output_ratio, _random_samples, return_indices)
    samples = [((1, 2, 4, 5, 5), 2, make.size(2, 3, 2), None, False, make.fixed(1, 2, 3))]


@op
class fractional_max_pool2d_with_indices:
    """fractional_max_pool2d and the index of each result in its image."""
    names, autocast = "nn.functional.fractional_max_pool2d_with_indices", "float32"

    def compose(input, kernel_size, output_size=None, output_ratio=None, return_indices=True, _random_samples=None):
        return _fractional(input, 2, kernel_size, output_size, output_ratio, _random_samples, True)
    samples = [((1, 2, 6, 5), 2, make.size(3, 2), None, True, make.fixed(1, 2, 2))]


@op
class fractional_max_pool3d_with_indices:
    """fractional_max_pool3d and the index of each result in its volume."""
    names, autocast = "nn.functional.fractional_max_pool3d_with_indices", "float32"

    def compose(input, kernel_size, output_size=None, output_ratio=None, return_indices=True, _random_samples=None):
        return _fractional(input, 3, kernel_size, output_size, output_ratio, _random_samples, True)
    samples = [((1, 2, 4, 5, 5), 2, make.size(2, 3, 2), None, True, make.fixed(1, 2, 3))]
