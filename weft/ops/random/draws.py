# compiled, -Og
"""Random tensors: made by size, made after another tensor, drawn in place. The numbers are PyTorch's for the same seed.
"""
import math

import numpy as np

from weft.core import dtype as dtypes
from weft.core import layout as layouts
from weft.core import random as draw
from weft.core.modes import GRAD_OFF, INFERENCE, WATCH
from weft.core.runtime import mode_bits
from weft.core.spec import Spec, formatted, like
from weft.ops.core.inplace import bump
from weft.ops.core.promotion import cast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, introduce, op
from weft.ops.core.samples import data, given
from weft.ops.core.samples import size as lengths
from weft.ops.create.constants import (
    CPU,
    META,
    created,
    empty_with,
    explain_size,
    finish,
    into,
    is_meta,
    np_of,
    out_dtype,
    overridable,
    public,
    shape_of,
    whole_number,
)
from weft.ops.index.arrays import contiguous
from weft.ops.random.generators import default_generator, source
from weft.tensor.calls import make_in_place
from weft.tensor.names import found_as, method
from weft.tensor.tensor import Tensor, describe, is_plain, without_values

# by size

@op
class _drawn:
    """Numbers of a distribution, as an op that watchers see."""
    random = "generator"
    tags, method, node_name = NOGRAD | KEEP_HALF, False, "RandomBackward0"

    def forward(kind, size, dtype, generator, params, strides=None):
        return drawn(kind, size, dtype.np, generator, params, strides)

    def shape(kind, size, dtype, generator, params, strides=None):
        return Spec(size, dtype.np, strides)
    samples = [("uniform", lengths(2, 3), dtypes.float64, default_generator, given(())),
               ("randint", lengths(2, 3), dtypes.int64, default_generator, lengths(0, 5), lengths(8, 16))]


KINDS = {"uniform": draw.uniform, "normal": draw.normal, "randint": draw.randint}


def drawn(kind, shape, np_dtype, generator, params, strides):
    if strides is None:
        return KINDS[kind](generator, shape, np_dtype, *params)
    return KINDS[kind](generator, shape, np_dtype, *params, out=empty_with(shape, strides, np_dtype))


def made_random(kind, shape, np_dtype, generator, params, who, device, requires_grad, out, laid=None):
    """The road of rand, randn, randint and their *_like forms; `laid`: a Spec whose strides the result has."""
    generator = source(generator, who)
    for n in shape:
        if n < 0:
            explain_size(shape, np_dtype, who)
    if is_meta(device):
        return finish(without_values(Spec(shape, np_dtype) if laid is None else laid), META, requires_grad)
    if out is not None and out._form.shape == tuple(shape) and not out._on_meta:
        if not mode_bits() & WATCH:
            KINDS[kind](generator, shape, np_dtype, *params, out=out._array)
            bump(out)
            return out
        laid = like(describe(out))      # numbers are drawn in memory order
    strides = None if laid is None or laid.c_contiguous else laid.strides
    t = created(_drawn.op, (kind, tuple(shape), dtypes.of_array(np_dtype), generator, params, strides), who, shape,
                np_dtype)
    if out is not None:
        return into(out, t, who)
    return finish(t, CPU, requires_grad) if requires_grad or mode_bits() & INFERENCE else t


def rand(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
         pin_memory=False, names=None):
    """Uniform numbers in [0, 1).

    >>> import weft
    >>> weft.rand(2, 3).shape
    torch.Size([2, 3])
    """
    if not args and size is None:
        raise TypeError('rand() missing 1 required positional arguments: "size"')
    return made_random("uniform", shape_of(args if size is None else (size,), "rand"), out_dtype(dtype, out),
                       generator, (), "rand", device, requires_grad, out)


def randn(*args, size=None, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
          pin_memory=False, names=None):
    """Normal numbers of mean 0 and standard deviation 1.

    >>> import weft
    >>> weft.randn(2, 3).shape
    torch.Size([2, 3])
    """
    if not args and size is None:
        raise TypeError('randn() missing 1 required positional arguments: "size"')
    return made_random("normal", shape_of(args if size is None else (size,), "randn"), out_dtype(dtype, out),
                       generator, (), "randn", device, requires_grad, out)


def randint(*args, low=None, high=None, size=None, generator=None, out=None, dtype=None, layout=None, device=None,
            requires_grad=False, pin_memory=False):
    """Integers in [low, high).

    randint(high, size), randint(low, high, size)

    >>> import weft
    >>> weft.randint(0, 2, (2, 3)).shape
    torch.Size([2, 3])
    """
    args = list(args)
    if size is None and args:
        size = args.pop()
    if high is None and args:
        high = args.pop()
    if low is None and args:
        low = args.pop()
    if high is None or size is None or args:
        raise TypeError("randint(): needs a bound and a size\n  fix: call it as randint(high, size) or randint(low, "
                        "high, size)")
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"randint(): argument 'size' must be tuple of ints, not {type(size).__name__}")
    low = 0 if low is None else low if type(low) is int else whole_number(low, "randint", "low")
    high = high if type(high) is int else whole_number(high, "randint", "high")
    np_dtype = dtypes.int64.np if dtype is None and out is None else out_dtype(dtype, out)
    return made_random("randint", shape_of((size,), "randint"), np_dtype, generator, (low, high), "randint", device,
                       requires_grad, out)


def randperm(n, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False):
    """The numbers 0 .. n - 1 in random order.

    >>> import weft
    >>> sorted(weft.randperm(3).tolist())
    [0, 1, 2]
    """
    n = whole_number(n, "randperm", "n")
    np_dtype = dtypes.int64.np if dtype is None and out is None else out_dtype(dtype, out)
    if n < 0:
        explain_size((n,), np_dtype, "randperm")
    generator = source(generator, "randperm")
    if is_meta(device):
        return finish(without_values(Spec((n,), np_dtype)), META, requires_grad)
    t = created(_permutation.op, (n, dtypes.of_array(np_dtype), generator), "randperm", (n,), np_dtype)
    if out is not None:
        return into(out, t, "randperm")
    return finish(t, CPU, requires_grad)


@op
class _permutation:
    """randperm as an op that watchers see."""
    random = "generator"
    tags, method, node_name = NOGRAD, False, "RandpermBackward0"

    def forward(n, dtype, generator):
        return draw.randperm(generator, n, dtype.np)

    def shape(n, dtype, generator):
        return (n,), dtype.np
    samples = [(5, dtypes.int64, default_generator)]


for _function in (rand, randn, randint, randperm):
    public(_function)


# after another tensor

def _like(kind, x, params, who, generator, dtype, device, requires_grad, memory_format):
    if not isinstance(x, Tensor):
        raise TypeError(f"{who}(): argument 'input' (position 1) must be Tensor, not {type(x).__name__}")
    np_dtype = x._form.dtype if dtype is None else np_of(dtype)
    if device is None and memory_format is None and not x._on_meta and x._owed is None and x._form.flags.c_contiguous:
        return made_random(kind, x._form.shape, np_dtype, generator, params, who, CPU, requires_grad, None)
    laid = formatted(describe(x), np_dtype, memory_format)
    device = (META if x._on_meta else CPU) if device is None else device
    return made_random(kind, x._form.shape, np_dtype, generator, params, who, device, requires_grad, None, laid)


@overridable
def rand_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
              pin_memory=False):
    """Uniform numbers in [0, 1), with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.rand_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return _like("uniform", input, (), "rand_like", generator, dtype, device, requires_grad, memory_format)


@overridable
def randn_like(input, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None,
               pin_memory=False):
    """Normal numbers with a tensor's shape, type and memory order.

    >>> import weft
    >>> weft.randn_like(weft.zeros(2, 3)).shape
    torch.Size([2, 3])
    """
    return _like("normal", input, (), "randn_like", generator, dtype, device, requires_grad, memory_format)


@overridable
def randint_like(input, *args, low=None, high=None, generator=None, dtype=None, layout=None, device=None,
                 requires_grad=False, memory_format=None, pin_memory=False):
    """Integers in [low, high), with a tensor's shape, type and memory order.

    randint_like(input, high), randint_like(input, low, high)

    >>> import weft
    >>> weft.randint_like(weft.zeros(2, 3), 5).shape
    torch.Size([2, 3])
    """
    args = list(args)
    if high is None and args:
        high = args.pop()
    if low is None and args:
        low = args.pop()
    if high is None or args:
        raise TypeError("randint_like(): needs a bound\n  fix: call it as randint_like(input, high) or "
                        "randint_like(input, low, high)")
    low, high = (whole_number(n, "randint_like", name) for n, name in ((0 if low is None else low, "low"),
                                                                       (high, "high")))
    return _like("randint", input, (low, high), "randint_like", generator, dtype, device, requires_grad, memory_format)


for _function in (rand_like, randn_like, randint_like):
    public(_function)


# in place: `forward` gives a new array, `write` is what x.uniform_() runs

def zero_grad_of(g, x):
    """Drawn numbers don't depend on what stood there before."""
    return g.new_zeros(x._form.shape, dtype=x.dtype)


def need_real(x, kernel, kinds="c"):
    """Refuse the types that PyTorch has no kernel for."""
    if x.dtype.kind in kinds:
        raise NotImplementedError(f'"{kernel}" not implemented for \'{x.dtype.name}\'')


@op
class uniform:
    """Fill with uniform numbers in [from, to)."""
    random = "generator"
    tags, method, aliases = KEEP_HALF, False, {"from": "low", "to": "high"}

    def forward(x, low=0.0, high=1.0, *, generator=None):
        return draw.uniform(source(generator, "uniform_"), low=low, high=high, out=layouts.empty_as(x))

    def shape(x, low=0.0, high=1.0, *, generator=None):
        return like(x)

    def write(x, low=0.0, high=1.0, *, generator=None):
        draw.uniform(source(generator, "uniform_"), low=low, high=high, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),)]


@op
class _normal:
    """Fill with normal numbers."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, mean=0.0, std=1.0, *, generator=None):
        return draw.normal(source(generator, "normal_"), mean=mean, std=std, out=layouts.empty_as(x))

    def shape(x, mean=0.0, std=1.0, *, generator=None):
        return like(x)

    def write(x, mean=0.0, std=1.0, *, generator=None):
        draw.normal(source(generator, "normal_"), mean=mean, std=std, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),), ((20,), 1.0, 2.0)]


@op
class _random:
    """Fill with integers in [from, to), or in the type's whole range."""
    random = "generator"
    tags, method, aliases = KEEP_HALF, False, {"from": "low", "to": "high"}

    def forward(x, low=None, high=None, *, generator=None):
        return draw.randint(source(generator, "random_"), low=low, high=high, out=layouts.empty_as(x))

    def shape(x, low=None, high=None, *, generator=None):
        return like(x)

    def write(x, low=None, high=None, *, generator=None):
        draw.randint(source(generator, "random_"), low=low, high=high, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),), ((3, 2), 2, 5)]


@op
class cauchy:
    """Fill with Cauchy numbers."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, median=0.0, sigma=1.0, *, generator=None):
        return draw.cauchy(source(generator, "cauchy_"), median=median, sigma=sigma, out=layouts.empty_as(x))

    def shape(x, median=0.0, sigma=1.0, *, generator=None):
        return like(x)

    def write(x, median=0.0, sigma=1.0, *, generator=None):
        draw.cauchy(source(generator, "cauchy_"), median=median, sigma=sigma, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),)]


@op
class exponential:
    """Fill with exponential numbers of the rate `lambd`."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, lambd=1.0, *, generator=None):
        return draw.exponential(source(generator, "exponential_"), rate=lambd, out=layouts.empty_as(x))

    def shape(x, lambd=1.0, *, generator=None):
        return like(x)

    def write(x, lambd=1.0, *, generator=None):
        draw.exponential(source(generator, "exponential_"), rate=lambd, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),)]


@op
class geometric:
    """Fill with the number of tries until the first success of probability `p`."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, p, *, generator=None):
        return draw.geometric(source(generator, "geometric_"), p=p, out=layouts.empty_as(x))

    def shape(x, p, *, generator=None):
        return like(x)

    def write(x, p, *, generator=None):
        need_real(x, "geometric_cpu", "bc")
        draw.geometric(source(generator, "geometric_"), p=p, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2), 0.5)]


@op
class log_normal:
    """Fill with numbers whose logarithm is normal."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, mean=1.0, std=2.0, *, generator=None):
        return draw.log_normal(source(generator, "log_normal_"), mean=mean, std=std, out=layouts.empty_as(x))

    def shape(x, mean=1.0, std=2.0, *, generator=None):
        return like(x)

    def write(x, mean=1.0, std=2.0, *, generator=None):
        draw.log_normal(source(generator, "log_normal_"), mean=mean, std=std, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),)]


@op
class bernoulli:
    """1 with the probability that stands in `x`, or `p` everywhere; else 0."""
    random = "generator"
    tags = KEEP_HALF
    out_types = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64"

    def forward(x, p=None, *, generator=None):
        if p is not None:
            need_real(x, "bernoulli_scalar_cpu_")
        return draw.bernoulli(source(generator, "bernoulli"), x if p is None else p, out=np.empty(x.shape, x.dtype))

    def shape(x, p=None, *, generator=None):
        return x.shape, x.dtype

    def write(x, p=None, *, generator=None):
        need_real(x, "bernoulli_scalar_cpu_")
        draw.bernoulli(source(generator, "bernoulli_"), 0.5 if p is None else p, out=x)

    def grad_x(g, x):
        return zero_grad_of(g, x)

    def grad_p(g, p):
        return zero_grad_of(g, p)
    samples = [((3, 2),), ((3, 2), 0.5)]


for _name in ("uniform", "cauchy", "exponential", "geometric", "log_normal"):
    del FUNCTIONS[_name]        # PyTorch has the methods with _ only
for _made, _name in ((_normal, "normal"), (_random, "random")):
    _made.op.name = _name
    FUNCTIONS[_name + "_"] = found_as(FUNCTIONS.pop("_" + _name + "_"), _name + "_")
    method(FUNCTIONS[_name + "_"], _name + "_")
_random_in_place = FUNCTIONS["random_"]


def random_(self, *args, **kwargs):
    """Fill with integers: random_(), random_(to), random_(from, to).

    >>> import weft
    >>> weft.zeros(2, 3).random_(5).shape
    torch.Size([2, 3])
    """
    if len(args) == 1 and "to" not in kwargs:
        args, kwargs = (), {**kwargs, "from": 0, "to": args[0]}
    elif not args and "to" in kwargs:
        kwargs.setdefault("from", 0)
    for i, value in enumerate(args[:2]):
        whole_number(value, "random_", ("from", "to")[i])
    for name in kwargs.keys() & {"from", "to"}:
        if kwargs[name] is not None:
            whole_number(kwargs[name], "random_", name)
    return _random_in_place(self, *args, **kwargs)


FUNCTIONS["random_"] = random_
method(random_, "random_")


# the short road of x.uniform_(), x.normal_() and the like, where no history is kept and nobody watches

def fillable(x):
    """Whether memory may just be filled: a plain tensor that is no part of a graph, or gradients are off."""
    if not is_plain(x) or x._on_meta or x._inference:
        return False
    bits = mode_bits()
    return bits == GRAD_OFF or bits == 0 and x._view_of is None and x._made_by is None and not x._wants_grad


def quick_fill(name, fill, first, second=0.0, most=2):
    """Give an in-place op its short road for up to `most` numbers; `fill(engine, array, a, b)` gives None for what it
    doesn't take.
    """
    general = FUNCTIONS[name]

    def function(self, *args, **kwargs):
        if kwargs or len(args) > most or not fillable(self):
            return general(self, *args, **kwargs)
        a = args[0] if args else first
        b = args[1] if len(args) == 2 else second
        if type(a) not in NUMBER or type(b) not in NUMBER or fill(draw.current().engine, self._array, a, b) is None:
            return general(self, *args)
        bump(self)
        return self

    made = make_in_place(general.op, function)
    introduce(made, general.op, name, True)
    FUNCTIONS[name] = made
    method(made, name)


def fill_uniform(engine, array, low, high):
    return engine.uniform(None, None, low, high, array)


def fill_normal(engine, array, mean, std):
    return engine.normal_fill(None, None, mean, std, array)


def fill_chances(engine, array, p, _):
    return engine.chances(None, None, math.ceil(p * 2.0**53), array) if 0 <= p <= 1 else None


def fill_exponential(engine, array, rate, _):
    return (engine.transformed("exponential", None, None, rate, 0.0, array) if rate > 0 and array.dtype.kind == "f"
            else None)


NUMBER = frozenset((float, int))
quick_fill("uniform_", fill_uniform, 0.0, 1.0)
quick_fill("normal_", fill_normal, 0.0, 1.0)
quick_fill("bernoulli_", fill_chances, 0.5, most=1)
quick_fill("exponential_", fill_exponential, 1.0, most=1)


# with parameters that are tensors

@op
class normal:
    """Normal numbers with the given means and standard deviations; of a size where both are numbers."""
    method = False
    out_types = "castable"

    def compose(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None,
                pin_memory=False, requires_grad=False):
        if isinstance(mean, Tensor) or isinstance(std, Tensor):
            if size is not None:
                raise TypeError("normal(): size goes with numbers for mean and std only")
            t = _normal_of.op.call((mean, std, generator), {})
        elif size is None:
            raise TypeError("normal(): needs tensors, or numbers and a size\n  fix: call it as normal(mean, std, size)")
        else:
            t = made_random("normal", shape_of((size,), "normal"), out_dtype(dtype, out), generator, (mean, std),
                            "normal", device, requires_grad, out)
            return t
        return t if out is None else into(out, t, "normal")
    samples = [((3,), (3,))]


@op
class _normal_of:
    """Normal numbers around each mean."""
    random = "generator"
    tags, method, node_name = KEEP_HALF, False, "NormalBackward1"

    def forward(mean, std, generator):
        for side, other in ((mean, std), (std, mean)):
            if isinstance(side, np.ndarray) and isinstance(other, np.ndarray):
                _check_shapes(mean.shape, std.shape)
        if isinstance(mean, np.ndarray) and not isinstance(std, np.ndarray):
            return contiguous(draw.normal_like(source(generator, "normal"), mean, float(std)))
        with np.errstate(all="ignore"):
            return contiguous(draw.normal_like(source(generator, "normal"), mean, std))

    def shape(mean, std, generator):
        specs = [s for s in (mean, std) if isinstance(s, Spec)]
        _check_shapes(specs[0].shape, specs[-1].shape)
        return np.broadcast_shapes(*[s.shape for s in specs]), specs[0].dtype

    def grad_mean(g, mean):
        return zero_grad_of(g, mean)

    def grad_std(g, std):
        return zero_grad_of(g, std)
    samples = [((3, 2), (2,), None), ((3, 2), 1.5, None), (0.5, (3, 2), None)]


def _check_shapes(a, b):
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        raise RuntimeError(f"normal: the shapes of mean {list(a)} and std {list(b)} don't broadcast: The size of "
                           f"tensor a must match the size of tensor b at each non-singleton dimension") from None


@op
class multinomial:
    """Indices drawn by the weights in each row."""
    random = "generator"
    tags = KEEP_HALF | NOGRAD

    def forward(x, num_samples, replacement=False, *, generator=None):
        return contiguous(draw.multinomial(source(generator, "multinomial"), x, num_samples, replacement))

    def shape(x, num_samples, replacement=False, generator=None):
        return (*x.shape[:-1], num_samples), np.dtype(np.int64)
    samples = [((3, 4), 2), ((4,), 6, True)]


@op
class poisson:
    """Poisson numbers of the given rates."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(x, generator=None):
        return contiguous(cast(draw.poisson(source(generator, "poisson"), x), x.dtype))

    def shape(x, generator=None):
        return x.shape, x.dtype

    def grad_x(g, x):
        return zero_grad_of(g, x)
    samples = [((3, 2),)]


@op
class binomial:
    """How many of `count` tries of probability `prob` succeed."""
    random = "generator"
    tags, method = KEEP_HALF, False

    def forward(count, prob, generator=None):
        if count.dtype != prob.dtype and count.dtype.kind == prob.dtype.kind == "f":
            raise RuntimeError(f"binomial: Found dtype {prob.dtype.name} but expected {count.dtype.name}: "
                               f"count and prob must have one type")
        return contiguous(draw.binomial(source(generator, "binomial"), count, prob))

    def shape(count, prob, generator=None):
        return np.broadcast_shapes(count.shape, prob.shape), count.dtype

    def grad_count(g, count):
        return zero_grad_of(g, count)

    def grad_prob(g, prob):
        return zero_grad_of(g, prob)
    samples = [(data([[400.0, 500.0, 600.0]], "float64"), (1, 3))]
