# compiled, hot
"""Views by shape: the same elements of the same memory, seen with other dimensions.

Their rules take the source's shape, never the source: it may be written to later, which must not forbid the backward.
"""
import operator

from weft.autograd.faces import Face, kept
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.size import broadcast_shapes, infer_size, wrap_dim, wrap_dims
from weft.core.spec import Spec, dense_strides, ghost
from weft.kernels import fast
from weft.kernels.native import address, strided
from weft.kernels.native import reshape as native_view
from weft.kernels.native import transpose as swap
from weft.ops.core.registry import MAYBE_VIEW, VIEW, op
from weft.tensor.storage import owner
from weft.tensor.tensor import Tensor


def at(dim, ndim):
    """A dimension counted from the front; the common cases first."""
    if type(dim) is int:
        if -ndim <= dim < ndim:
            d = dim
            return d if d >= 0 else d + ndim
    return wrap_dim(dim, ndim)


def array_of(x, name):
    """The array that has a tensor's shape and type; TypeError for anything else."""
    if isinstance(x, Tensor):
        return x._form
    raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")


def packed(sizes, named):
    """The sizes of `f(x, 2, 3)`, `f(x, (2, 3))` or `f(x, size=(2, 3))`."""
    if named is not None:
        sizes = named
    elif len(sizes) == 1 and not isinstance(sizes[0], int):
        sizes = sizes[0]
        if (not isinstance(sizes, (tuple, list)) and (not isinstance(sizes, Tensor) or not sizes._form.ndim)
            and hasattr(sizes, "__index__")):
            sizes = (sizes,)        # a zero-dim tensor, a NumPy int
    return tuple([n if type(n) is int else n.__index__() for n in sizes])


# exchanged dimensions

@op
class transpose:
    """The view with two dimensions exchanged."""
    tags = VIEW
    names, native = "transpose swapaxes swapdims", "transpose"
    aliases = {"axis0": "dim0", "axis1": "dim1"}

    def forward(x, dim0, dim1):
        return swap(x, at(dim0, x.ndim), at(dim1, x.ndim))

    def grad_x(g, dim0, dim1):
        return g.transpose(dim0, dim1)
    samples = [((2, 3, 4), 0, -1)]


@op
class permute:
    """The view with its dimensions in another order."""
    tags, native = VIEW, "permute"
    pack = "dims"

    def forward(x, dims):
        try:
            return x.transpose(dims)
        except (ValueError, TypeError):
            _explain_permute(x.shape, dims)

    def grad_x(g, dims):
        back = [0] * len(dims)
        for i, d in enumerate(dims):
            back[d] = i
        return g.permute(tuple(back))
    samples = [((2, 3, 4), [2, 0, 1]), ((2, 3), [-1, 0])]


def _explain_permute(shape, dims):
    if len(dims) != len(shape):
        fail(RuntimeError, f"permute: the number of dimensions in the tensor input does not match the length of the "
             f"desired ordering of dimensions, i.e. input.dim() = {len(shape)} is not equal to len(dims) = {len(dims)}",
             "name every dimension once")
    found = [wrap_dim(d, len(shape)) for d in dims]
    fail(RuntimeError, f"permute: duplicate dims are not allowed, got {found}", "name every dimension once")


@op
class t:
    """The transposed matrix; vectors and numbers stay as they are."""
    tags, native = VIEW, "t"

    def forward(x):
        if x.ndim > 2:
            fail(RuntimeError, f"t: t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D",
                 "use .mT for batches of matrices, or permute()")
        return x.transpose()

    def grad_x(g):
        return g.t()
    samples = [((2, 3),), ((3,),)]


@op
class adjoint:
    """The last two dimensions exchanged and, for complex numbers, conjugated."""
    def compose(input):
        return conjugate_transpose(input, "adjoint()")
    samples = [((2, 3),), ((2, 3, 4),)]


def conjugate_transpose(x, who):
    ndim = array_of(x, who).ndim
    if ndim == 1:
        fail(RuntimeError, f"{who} is only supported on matrices or batches of matrices. Got 1-D tensor.",
             "use conj(), or unsqueeze() it to a matrix first")
    turned = TRANSPOSE.compute([x, -2, -1]) if ndim else x
    return turned.conj() if x._form.dtype.kind == "c" else turned


@op
class movedim:
    """The view with some dimensions moved to other places, the others in their order."""
    names = "movedim moveaxis"

    def compose(input, source, destination):
        ndim = array_of(input, "movedim").ndim
        source, destination = _places(source, "source", ndim), _places(destination, "destination", ndim)
        if len(source) != len(destination):
            fail(RuntimeError, f"movedim: Invalid source or destination dims: source ({list(source)} dims) should "
                 f"contain the same number of dims as destination ({list(destination)} dims)",
                 "give as many places as dimensions")
        if not ndim:
            return input.view(())
        order = [None] * ndim
        for s, d in zip(source, destination):
            order[d] = s
        rest = iter([d for d in range(ndim) if d not in source])
        return PERMUTE.compute([input, tuple([next(rest) if d is None else d for d in order])])
    samples = [((2, 3, 4), 0, 2), ((2, 3, 4), [0, 1], [2, 0])]


def _places(dims, which, ndim):
    dims = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    found = tuple([wrap_dim(d, ndim) for d in dims])
    if len(set(found)) < len(found):
        fail(RuntimeError, f"movedim: repeated dim in `{which}` ({list(dims)})", "name each dimension once")
    return found


# another shape

@op
class view:
    """The same memory with another shape (one -1 is worked out), or its bytes as another type."""
    tags, native, cuts = VIEW, "view", True
    pack = "size"
    aliases = {"dtype": "size"}

    def forward(x, size):
        if type(size) is not tuple:
            if isinstance(size, dtypes.dtype):
                return bytes_as(x, size)
            size = tuple(size)
        try:
            made = x.reshape(size)
        except ValueError:
            infer_size(size, x.size)        # says what is wrong
            raise
        if made.base is not x and made.base is not x.base:
            _refuse_view(x, size)
        if size and min(size) < -1:
            infer_size(size, x.size)
        return made

    def shape(x, size):
        if isinstance(size, dtypes.dtype):
            made = bytes_as(ghost(x), size)
            return Spec(made.shape, made.dtype, made.strides, x)
        shape = infer_size(tuple(size), x.size)
        strides = view_strides(x, shape)
        if strides is None:
            _refuse_view(x, size)
        return Spec(shape, x.dtype, strides, x)

    def grad_x(g, x_shape):
        return g.reshape(x_shape)
    samples = [((2, 3), 3, 2), ((2, 3), -1)]


def _refuse_view(x, size):
    fail(RuntimeError, f"view: view size is not compatible with input tensor's size and stride (at least one "
         f"dimension spans across two contiguous subspaces): {list(size)} of {list(x.shape)}, strides "
         f"{[s // x.itemsize for s in x.strides]}",
         "Use .reshape(...) instead, which copies where it must")


def view_strides(x, shape):
    """The strides in bytes with which x's memory shows another shape; None where only a copy can."""
    if x.c_contiguous and (not x.size or not x.strides or x.strides[-1] == x.itemsize):
        return dense_strides(shape, x.itemsize)
    rows = []       # (length, step) of neighbouring dimensions that are one evenly spaced row, the outermost first
    for n, step in zip(x.shape, x.strides):
        if n == 1:
            continue
        if rows and rows[-1][1] == n * step:
            rows[-1] = (rows[-1][0] * n, step)
        else:
            rows.append((n, step))
    strides, left, step = [], 1, x.strides[-1]     # dimensions of length 1 at the end step as PyTorch's do
    for n in reversed(shape):
        if n > 1 and left == 1:
            left, step = rows.pop()
        if left % n:
            return None
        strides.append(step)
        left, step = left // n, step * n
    return strides[::-1]


def reshaped_spec(x, shape):
    """What `reshape` gives: a view, or a contiguous copy."""
    strides = view_strides(x, shape)
    return Spec(shape, x.dtype) if strides is None else Spec(shape, x.dtype, strides, x)


def bytes_as(x, dtype):
    """The same bytes read as another element type. Bytes that are neither 0 nor 1 are no bools: they are copied as 1.
    """
    if x.itemsize == dtype.itemsize:
        made = x.view(dtype.np)
        if dtype.np.kind == "b" and x.dtype.kind != "b" and x.size and made.view("u1").max() > 1:
            return made.view("u1") != 0
        return made
    ratio = dtype.itemsize // x.itemsize
    # NumPy's strides of an empty array are all 0, and say nothing
    if x.ndim and not x.size and not any(x.strides):
        if ratio > 1 and x.shape[-1] % ratio == 0 or not ratio:
            return x.reshape(-1).view(dtype.np).reshape(x.shape[:-1] + (x.shape[-1] * x.itemsize // dtype.itemsize,))
    if not x.ndim:
        fail(RuntimeError, f"view: self.dim() cannot be 0 to view {x.dtype} as {dtype} (different element sizes)",
             "unsqueeze it first")
    if x.shape[-1] and x.strides[-1] != x.itemsize and (x.shape[-1] > 1 or x.strides[-1]):
        fail(RuntimeError, f"view: self.stride(-1) must be 1 to view {x.dtype} as {dtype} (different element sizes), "
             f"but got {x.strides[-1] // x.itemsize}", "make it contiguous() first")
    if ratio > 1 and x.shape[-1] % ratio:
        fail(RuntimeError, f"view: self.size(-1) must be divisible by {ratio} to view {x.dtype} as {dtype} (different "
             f"element sizes), but got {x.shape[-1]}", f"pad the last dimension to a multiple of {ratio}")
    if ratio > 1 and x.size and (address(x) - address(owner(x))) % dtype.itemsize:
        fail(RuntimeError, f"view: self.storage_offset() must be divisible by {ratio} to view {x.dtype} as {dtype} "
             f"(different element sizes), but got {(address(x) - address(owner(x))) // x.itemsize}",
             "clone() it first")
    for i, stride in enumerate(x.strides[:-1]) if ratio > 1 else ():
        if stride % dtype.itemsize:
            fail(RuntimeError, f"view: self.stride({i}) must be divisible by {ratio} to view {x.dtype} as {dtype} "
                 f"(different element sizes), but got {stride // x.itemsize}", "make it contiguous() first")
    return x.view(dtype.np)


@op
class view_as:
    """The view with the shape of another tensor."""
    def compose(input, other):
        return VIEW_OP.compute([input, other._form.shape])
    samples = [((2, 3), (3, 2))]


def reshaped(x, shape):
    """A view, or a copy by a kernel where there can be none."""
    if x.flags.c_contiguous or not x.size:
        return x.reshape(shape)
    made = native_view(x, tuple(shape))
    if made is None:                    # it needs a copy, or the shape is wrong
        made = fast.copied(x)
        made = (x if made is None else made).reshape(shape)
    return made


@op
class reshape:
    """Another shape (one -1 is worked out): a view where the memory allows it, else a copy."""
    tags, node_name, native = MAYBE_VIEW, "ViewBackward0", "view"
    pack = "shape"
    steady = True

    def forward(x, shape):
        try:
            made = reshaped(x, shape)
        except ValueError:
            infer_size(shape, x.size)
            raise
        if shape and min(shape) < -1:
            infer_size(shape, x.size)
        return made

    def shape(x, shape):
        return reshaped_spec(x, infer_size(tuple(shape), x.size))

    def grad_x(g, x_shape):
        return g.reshape(x_shape)
    samples = [((2, 3), 3, 2), ((2, 3), [-1])]


@op
class reshape_as:
    """Reshaped to the shape of another tensor."""
    def compose(input, other):
        return RESHAPE.compute([input, other._form.shape])
    samples = [((2, 3), (3, 2))]


@op
class ravel:
    """All elements in one dimension."""
    def compose(input):
        n = array_of(input, "ravel").size
        return VIEW_OP.compute([input.contiguous(), (n,)])
    samples = [((2, 3),), ((),)]


@op
class flatten:
    """The dimensions from `start_dim` to `end_dim` made one."""
    tags, node_name, native = MAYBE_VIEW, "ViewBackward0", "flatten"
    steady = True

    def forward(x, start_dim=0, end_dim=-1):
        shape = flat_shape(x.shape, start_dim, end_dim)
        return x if shape == x.shape else reshaped(x, shape)

    def shape(x, start_dim=0, end_dim=-1):
        shape = flat_shape(x.shape, start_dim, end_dim)
        return x if shape == x.shape else reshaped_spec(x, shape)

    def grad_x(g, x_shape):
        return g.reshape(x_shape)
    samples = [((2, 3, 4),), ((2, 3, 4), 1), ((),)]


def flat_shape(own, start_dim, end_dim):
    """A shape with the dimensions from one to another made one."""
    first, last = at(start_dim, len(own)), at(end_dim, len(own))
    if first > last:
        fail(RuntimeError, f"flatten: flatten() has invalid args: start_dim cannot come after end_dim, got "
             f"{start_dim} and {end_dim}",
             "exchange them")
    if not own:
        return (1,)
    merged = 1
    for n in own[first:last + 1]:
        merged *= n
    return own[:first] + (merged,) + own[last + 1:]


@op
class unflatten:
    """One dimension split into several."""
    def compose(input, dim, sizes):
        own = array_of(input, "unflatten").shape
        if not isinstance(sizes, (tuple, list)):
            raise TypeError(f"unflatten(): argument 'sizes' must be tuple of ints, not {type(sizes).__name__}")
        dim, sizes = at(dim, len(own)), tuple(sizes)
        if not sizes:
            fail(RuntimeError, "unflatten: sizes must be non-empty", "give the lengths that the dimension splits into")
        if not own:
            fail(RuntimeError, f"unflatten: Dimension specified as {dim} but tensor has no dimensions",
                 "unsqueeze() it first")
        n = own[dim]
        try:
            sizes = infer_size(sizes, n)
        except RuntimeError as error:
            if -1 in sizes:
                raise
            fail(RuntimeError, f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                 f"({n}) in the input tensor", str(error))
        return VIEW_OP.compute([input, own[:dim] + sizes + own[dim + 1:]])
    samples = [((2, 6), 1, [2, 3]), ((2, 6), -1, [-1, 2])]


# dimensions of length 1

@op
class unsqueeze:
    """The view with a dimension of length 1 put in at `dim`."""
    tags, native = VIEW, "unsqueeze"

    def forward(x, dim):
        shape, strides = x.shape, x.strides
        n = len(shape)
        dim = at(dim, n + 1)
        step = shape[dim] * strides[dim] if dim < n else x.itemsize
        return strided(x, shape[:dim] + (1,) + shape[dim:], strides[:dim] + (step,) + strides[dim:], 0)

    def grad_x(g, dim):
        return g.squeeze(dim)
    samples = [((2, 3), 1), ((), 0)]


@op
class squeeze:
    """The view without dimensions of length 1: all of them, or those of `dim` that have it."""
    tags, node_name, native = VIEW, "SqueezeBackward1", "squeeze"

    def forward(x, dim=None):
        shape, strides = x.shape, x.strides
        if type(dim) is int:
            d = at(dim, len(shape))
            if not shape or shape[d] != 1:
                return strided(x, shape, strides, 0)
            return strided(x, shape[:d] + shape[d + 1:], strides[:d] + strides[d + 1:], 0)
        dropped = ones_among(shape, dim)
        kept = [d for d in range(len(shape)) if d not in dropped]
        return strided(x, tuple([shape[d] for d in kept]), tuple([strides[d] for d in kept]), 0)

    def grad_x(g, x_shape, dim):
        for d in ones_among(x_shape, dim):
            g = g.unsqueeze(d)
        return g

    def looks(node):
        saved = kept(node)
        dim, sizes = saved.get("dim"), {"self_sym_sizes": tuple(saved.get("x_shape", ()))}
        if dim is None:
            return Face("SqueezeBackward0", saved=sizes)
        return Face(f"SqueezeBackward{1 if isinstance(dim, int) else 2}", saved={"dim": dim, **sizes})
    samples = [((2, 1, 3),), ((2, 1, 3), 1), ((2, 1, 3), 0), ((1, 2, 1), [0, 2])]


def ones_among(shape, dim):
    """Those of the dimensions that have length 1, ascending."""
    if dim is not None and not isinstance(dim, (tuple, list)):
        dim = (operator.index(dim),)
    return [d for d in sorted(wrap_dims(dim, len(shape))) if shape and shape[d] == 1]


# repeated without copying

@op
class expand:
    """The view with dimensions of length 1 repeated to `size`, without copying; -1 keeps a length."""
    tags, native = VIEW, "expand"
    pack = "size"

    def forward(x, size):
        own = x.shape
        lead = len(size) - len(own)
        full, steps = [], []
        for n, length, step in zip(size[lead:] if lead > 0 else size, own, x.strides):
            if n == length or n == -1:
                full.append(length)
                steps.append(step)
            elif length == 1 and n >= 0:
                full.append(n)
                steps.append(0)
            else:
                explain_expand(own, size)
        if lead:
            if lead < 0 or min(size[:lead]) < 0:
                explain_expand(own, size)
            for n in reversed(size[:lead]):
                steps.insert(0, 0 if n != 1 else full[0] * steps[0] if full else x.itemsize)
                full.insert(0, n)
        return strided(x, tuple([n if type(n) is int else operator.index(n) for n in full]), tuple(steps), 0)

    def grad_x(g, x_shape):
        return g.sum_to_size(x_shape)
    samples = [((3, 1), [3, 4]), ((3,), [2, 3])]


def explain_expand(own, size):
    lead = len(size) - len(own)
    if lead < 0:
        fail(RuntimeError, f"expand: the number of sizes provided ({len(size)}) must be greater or equal to the number "
             f"of dimensions in the tensor ({len(own)})", f"give {len(own)} sizes or more; -1 keeps a length")
    for i, n in enumerate(size):
        if i < lead and n < 0:
            fail(RuntimeError, f"expand: The expanded size of the tensor ({n}) isn't allowed in a leading, "
                 f"non-existing dimension {i}", "give its length")
        if i >= lead and n != -1 and n != own[i - lead] and (own[i - lead] != 1 or n < 0):
            fail(RuntimeError, f"expand: The expanded size of the tensor ({n}) must match the existing size "
                 f"({own[i - lead]}) at non-singleton dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: "
                 f"{list(own)}",
                 "only dimensions of length 1 can be expanded; use repeat() to copy")


@op
class expand_as:
    """Expanded to the shape of another tensor."""
    def compose(input, other):
        return EXPAND.compute([input, other._form.shape])
    samples = [((3, 1), (3, 4))]


@op
class broadcast_to:
    """Expanded to a shape."""
    def compose(input, size):
        return EXPAND.compute([input, (size,) if isinstance(size, int) else size])
    samples = [((3, 1), [3, 4])]


@op
class broadcast_tensors:
    """The tensors expanded to the one shape that they broadcast to."""
    method = False

    def compose(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            tensors = tensors[0]
        shape = tuple(broadcast_shapes(*[array_of(x, "broadcast_tensors").shape for x in tensors]))
        return tuple([EXPAND.compute([x, shape]) for x in tensors])
    samples = [((3, 1), (2,)), ((), (2, 1))]


TRANSPOSE, PERMUTE, VIEW_OP, RESHAPE = transpose.op, permute.op, view.op, reshape.op
SQUEEZE, EXPAND, UNSQUEEZE = squeeze.op, expand.op, unsqueeze.op
