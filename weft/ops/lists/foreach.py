"""PyTorch's `_foreach_*`: one op over lists of tensors, all from the tables below.

Lists of plain tensors that no graph cares about go to one kernel for the whole list; anything else (gradients wanted,
mixed types, broadcasting, subclasses) goes tensor by tensor through the op of that name, with all its checks. Imported
when first used.

    >>> import weft
    >>> weft._foreach_add([weft.ones(2), weft.zeros(1)], [1., 2.])
    (tensor([2., 2.]), tensor([2.]))
"""
import numpy as np

from weft.core.errors import fail
from weft.kernels import fast
from weft.kernels.lists import sums_of_squares
from weft.kernels.lists import unscale as unscale_arrays
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, op
from weft.ops.lists.tools import arrays_of, count_writes, is_quiet
from weft.tensor.tensor import Tensor, wrap

UNARY = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
         "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()
# name -> the ops for a tensor and for a number on the right
BINARY = {"add": ("add", "add"), "sub": ("sub", "sub"), "mul": ("mul", "mul"), "div": ("div", "div"),
          "pow": ("pow", "pow"), "maximum": ("maximum", "clamp_min"), "minimum": ("minimum", "clamp_max"),
          "clamp_min": ("maximum", "clamp_min"), "clamp_max": ("minimum", "clamp_max")}
POINTWISE = ("addcmul", "addcdiv")


# lists

def checked(name, given, what="self"):
    """A list of tensors, or an error in PyTorch's words."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"{name}(): argument '{what}' must be tuple of Tensors, not {type(given).__name__}")
    if not given:
        fail(RuntimeError, f"{name}(): Tensor list must have at least one tensor.")
    for t in given:
        if not isinstance(t, Tensor):
            raise TypeError(f"{name}(): argument '{what}' must be tuple of Tensors, but it holds a {type(t).__name__}")
    return given


def same_length(name, first, other):
    if len(first) != len(other):
        fail(RuntimeError, f"{name}(): Tensor lists must have the same number of tensors, got {len(first)} and "
             f"{len(other)}")


def _like(array):
    """A new array of the same shape and type."""
    if fast.base is not None and array.flags.c_contiguous:
        return fast.base.empty(array.shape, array.dtype.num)
    return np.empty_like(array)


def whole(kernel, in_place, xs, ys=None, zs=None, scalars=0.0):
    """One kernel for all the tensors: the results, or None where it doesn't take them."""
    if fast.lib is None or not is_quiet(xs, ys, zs):
        return None
    sources = arrays_of(xs)
    outs = sources if in_place else [_like(a) for a in sources]
    if not fast.foreach(kernel, outs, sources, arrays_of(ys), arrays_of(zs), scalars):
        return None
    if not in_place:
        return tuple([wrap(a) for a in outs])
    count_writes(xs)
    return xs


def one_by_one(name, in_place, xs, *columns, **keywords):
    """The op `name` on each tensor and what stands beside it."""
    own = FUNCTIONS.get(name + "_") if in_place else None
    function = own or FUNCTIONS[name]
    made = [function(x, *beside, **keywords) for x, *beside in zip(xs, *columns)]
    if not in_place:
        return tuple(made)
    if own is None:
        for x, value in zip(xs, made):
            x.copy_(value)
    return xs


# the families

def _unary(name, full, in_place):
    def run(self):
        checked(full, self)
        found = whole(name, in_place, self)
        return found if found is not None else one_by_one(name, in_place, self)
    return run


def _binary(name, full, in_place):
    with_tensor, with_number = BINARY[name]

    def run(self, other=None, *, alpha=1, **named):
        if named:
            other = _named(full, other, named, ("scalar", "scalars", "exponent"))
        if name == "pow" and not in_place and isinstance(self, (int, float, complex)):
            return tuple([FUNCTIONS["pow"](self, e) for e in checked(full, other, "exponent")])
        checked(full, self)
        keywords = {} if alpha == 1 else {"alpha": alpha}
        if isinstance(other, Tensor):
            return beside_tensor(self, other, keywords)
        if (keywords and not (isinstance(other, (list, tuple)) and all([isinstance(v, Tensor) for v in other])
                              and name in ("add", "sub"))):
            raise TypeError(f"{full}() got an unexpected keyword argument 'alpha': it goes with a list of tensors, for "
                            f"add and sub")
        if not isinstance(other, (list, tuple)):
            return beside_numbers(self, other, [other] * len(self))
        if len(other) != len(self) and not (other and isinstance(other[0], Tensor)):
            fail(RuntimeError, f"{full}(): Tensor list must have same number of elements as scalar list.")
        same_length(full, self, other)
        if not all([isinstance(v, Tensor) for v in other]):
            return beside_numbers(self, list(other), other)
        found = None
        if name in ("add", "sub"):
            found = whole("add", in_place, self, other, None, alpha if name == "add" else -alpha)
        elif name != "pow":
            found = whole(with_tensor, in_place, self, other)
        return found if found is not None else one_by_one(with_tensor, in_place, self, other, **keywords)

    def beside_numbers(self, numbers, column):
        found = None
        if name in ("add", "mul", "div"):
            found = whole(name + "_scalar", in_place, self, None, None, numbers)
        elif name == "sub" and not any([isinstance(v, complex) for v in column]):
            found = whole("add_scalar", in_place, self, None, None, [-v for v in column])
        return found if found is not None else one_by_one(with_number, in_place, self, column)

    def beside_tensor(self, other, keywords):
        if other.form.ndim:
            fail(RuntimeError, f"{full}(): scalar tensor expected to be 0 dim but it has {other.form.ndim} dimensions "
                 f"and {other.form.size} elements.")
        found = None
        if name in ("add", "mul", "div") and is_quiet((other,)) and other.form.dtype.kind == "f" and not keywords:
            found = whole(name + "_scalar", in_place, self, None, None, float(other.array))
        return found if found is not None else one_by_one(with_tensor, in_place, self, [other] * len(self), **keywords)
    return run


def _pointwise(name, full, in_place):
    def run(self, tensor1, tensor2, value=1, **named):
        value = _named(full, value, named, ("scalars",)) if named else value
        for given, what in ((self, "self"), (tensor1, "tensor1"), (tensor2, "tensor2")):
            same_length(full, self, checked(full, given, what))
        values = value.tolist() if isinstance(value, Tensor) else value
        if not isinstance(values, (list, tuple)):
            values = [values] * len(self)
        if len(values) != len(self):
            fail(RuntimeError, f"{full}(): Tensor list must have same number of elements as scalar list, got "
                 f"{len(self)} and {len(values)}")
        found = whole(name, in_place, self, tensor1, tensor2, values)
        if found is not None:
            return found
        function = FUNCTIONS[name + "_" if in_place else name]
        made = [function(x, a, b, value=v) for x, a, b, v in zip(self, tensor1, tensor2, values)]
        return self if in_place else tuple(made)
    return run


def _lerp(name, full, in_place):
    def run(self, tensors1, weight=None, **named):
        weight = _named(full, weight, named, ("weights",)) if named else weight
        same_length(full, checked(full, self), checked(full, tensors1, "tensors1"))
        if not isinstance(weight, (list, tuple)):
            weight = [weight] * len(self)
        same_length(full, self, weight)
        found = None
        if not any([isinstance(w, Tensor) for w in weight]):
            found = whole("lerp", in_place, self, tensors1, None, list(weight))
        return found if found is not None else one_by_one("lerp", in_place, self, tensors1, weight)
    return run


def _named(full, value, named, allowed):
    """An argument given by one of its keyword names."""
    for key in named:
        if key not in allowed or len(named) > 1:
            raise TypeError(f"{full}() got an unexpected keyword argument '{key}'")
    return next(iter(named.values()))


# those that stand alone

def _foreach_zero_(self):
    checked("_foreach_zero_", self)
    if fast.lib is not None and is_quiet(self) and fast.foreach("zero", arrays_of(self), None, None, None, 0.0):
        count_writes(self)
        return self
    return one_by_one("zero", True, self)


def _foreach_copy_(self, src, non_blocking=False):
    same_length("_foreach_copy_", checked("_foreach_copy_", self), checked("_foreach_copy_", src, "src"))
    if (fast.lib is not None and is_quiet(self, src) and fast.foreach("copy", arrays_of(self), arrays_of(src), None,
                                                                      None, 0.0)):
        count_writes(self)
        return self
    for x, y in zip(self, src):
        x.copy_(y)
    return self


def _foreach_clone(self, *, memory_format=None):
    return tuple([t.clone() if memory_format is None else t.clone(memory_format=memory_format)
                  for t in checked("_foreach_clone", self)])


def _foreach_mm(self, mat2):
    same_length("_foreach_mm", checked("_foreach_mm", self), checked("_foreach_mm", mat2, "mat2"))
    return one_by_one("mm", False, self, mat2)


def _foreach_max(self):
    return tuple([t.max() for t in checked("_foreach_max", self)])


def _foreach_norm(self, ord=2, dtype=None):
    checked("_foreach_norm", self)
    if (ord == 2 and dtype is None and is_quiet(self)
        and all([t.form.dtype.kind == "f" and t.form.dtype.itemsize >= 4 for t in self])):
        roots = np.sqrt(sums_of_squares(arrays_of(self)))
        return tuple([wrap(np.array(root, t.form.dtype)) for root, t in zip(roots, self)])
    return tuple([FUNCTIONS["linalg.vector_norm"](t, ord, dtype=dtype) for t in self])


def _foreach_powsum(self, ord=2, dtype=None):
    """The sum of |x|**ord of each tensor."""
    return tuple([(t if dtype is None else t.to(dtype)).abs().pow(ord).sum() for t in checked("_foreach_powsum", self)])


@op
class _unscale:
    """Tensors times a factor, in place; `found_inf` becomes 1 if one of them was not finite."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "Unscale"
    writes = "tensors found_inf"

    def forward(tensors, found_inf, factor):
        if unscale_arrays(tensors, float(factor.reshape(()))):
            found_inf[...] = 1

    def shape(*given):
        return ()
    why_no_samples = "tests/test_optimizer_kernels.py: _amp_foreach_non_finite_check_and_unscale_"


def _amp_foreach_non_finite_check_and_unscale_(self, found_inf, inv_scale):
    """Multiply the gradients by `inv_scale`; `found_inf` becomes 1 if one of them is not finite."""
    name = "_amp_foreach_non_finite_check_and_unscale_"
    for t, what in ((found_inf, "found_inf"), (inv_scale, "inv_scale")):
        if t.form.size != 1:
            fail(RuntimeError, f"{name}(): {what} must be a 1-element tensor.")
    _unscale.op.compute([list(checked(name, self)), found_inf, inv_scale])


def _make(name, family, in_place):
    full = f"_foreach_{name}" + ("_" if in_place else "")
    run = family(name, full, in_place)
    run.__name__ = run.__qualname__ = full
    run.__doc__ = f"`{name}` of each tensor of a list" + (", in place." if in_place else ".")
    return full, run


PUBLIC = {f.__name__: f for f in (_foreach_zero_, _foreach_copy_, _foreach_clone, _foreach_mm, _foreach_max,
                                  _foreach_norm, _foreach_powsum, _amp_foreach_non_finite_check_and_unscale_)}
PUBLIC.update(_make(name, family, in_place) for names, family in ((UNARY, _unary), (BINARY, _binary),
                                                                  (POINTWISE, _pointwise), (("lerp",), _lerp))
              for name in names for in_place in (False, True))
