# compiled
"""PyTorch's `_foreach_*`: ops over lists of tensors, all from the tables below.

Each call is one op, lists in, and lists out or lists written. One kernel takes all the tensors where it can; else each
of them goes through the op on tensors of that name, from which the shapes and the gradients come too (`each`). Imported
when first used.

    >>> import weft
    >>> weft._foreach_add([weft.ones(2), weft.zeros(1)], [1., 2.])
    (tensor([2., 2.]), tensor([2.]))
"""
import numpy as np

from weft.core.errors import fail
from weft.core.spec import Spec
from weft.kernels import fast
from weft.kernels.lists import sums_of_squares
from weft.kernels.lists import unscale as unscale_arrays
from weft.kernels.native import is_half, unary
from weft.ops.core.describe import Described
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.core.registry import FUNCTIONS, KEEP_HALF, NOGRAD, OPS_BY_NAME, op
from weft.ops.core.samples import given
from weft.ops.lists.each import carry, each, each_in_place, rule, specs, specs_in_place
from weft.ops.lists.tools import call, call_in_place, check_list, check_numbers, check_pair, holds_tensors
from weft.tensor.names import found_as
from weft.tensor.tensor import Tensor

UNARY = ("abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
         "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc").split()
# name -> the ops for a tensor and for a number on the right
BINARY = {"add": ("add", "add"), "sub": ("sub", "sub"), "mul": ("mul", "mul"), "div": ("div", "div"),
          "pow": ("pow", "pow"), "maximum": ("maximum", "clamp_min"), "minimum": ("minimum", "clamp_max"),
          "clamp_min": ("maximum", "clamp_min"), "clamp_max": ("minimum", "clamp_max")}
POINTWISE = ("addcmul", "addcdiv")
PUBLIC = {}     # name -> function


# one kernel for all

def by_kernel(kernel, out, xs, ys=None, zs=None, scalars=0.0):
    """The results of one kernel for all arrays, in `out` (a list of arrays to be written) or new ones; None where it
    doesn't take them.
    """
    if fast.lib is None:
        return None
    made = [_like(a) for a in xs] if out is None else out
    return made if fast.foreach(kernel, made, xs, ys, zs, scalars) else None


def _like(array):
    """A new array of the same shape and type."""
    if fast.base is not None and array.flags.c_contiguous:
        return fast.base.empty(array.shape, array.dtype.num)
    return np.empty_like(array)


# from a family to the two ops of a name

def publish(name, one, own, check, run, signature, rules, samples, kinds=(True, True), fills=False, **more):
    """Make `_foreach_<name>` and, where there is one, `_foreach_<name>_`.

    one, own: what a row does, and the same in place if there is such a function; run(out, ...): the results by a
    kernel, in the arrays `out` or (None) in new ones, or None; signature(function): a `forward` with the op's
    parameters, which calls `function` on them in order.
    """
    full = "_foreach_" + name

    def forward(*columns):
        found = run(None, *columns)
        return found if found is not None else each(one, *columns)

    def write(*columns):
        if run(columns[0], *columns) is None:
            each_in_place(own, one, full + "_", *columns)

    def shape(*columns):
        return specs(one, *columns)

    def written_shape(*columns):
        return specs_in_place(own, one, full + "_", *columns)
    title = "".join([word.capitalize() for word in name.split("_")])
    plain = op(type(full, (), {
        "__doc__": f"`{name}` of each tensor of a list.", "names": full, "method": False, "tags": KEEP_HALF,
        "forward": signature(forward), "shape": signature(shape), "check": check, "samples": samples,
        "node_name": f"Foreach{title}Backward0", "lists": " ".join([r.removeprefix("grad_") for r in rules]),
        **rules, **more})).op
    if kinds[0]:
        _public(full, plain, lambda *args, **kwargs: call(plain, args, kwargs))
    else:
        del FUNCTIONS[full]
    if kinds[1]:
        writing = op(type(full + "_", (), {
            "__doc__": f"`{name}` of each tensor of a list, in place.", "names": full + "_", "method": False,
            "tags": NOGRAD | KEEP_HALF, "forward": signature(write), "shape": signature(written_shape),
            "node_name": f"Foreach{title}_", "writes": "self", "fills": fills,
            "why_no_samples": "tests/test_lists.py: beside the form that gives new tensors", **more})).op
        _public(full + "_", writing, lambda *args, **kwargs: call_in_place(writing, plain, carry, args, kwargs))


def _public(name, made, function):
    found_as(function, name).op = made
    function.__doc__, function.__wrapped__ = made.doc, Described(made, name, True)
    made.public = FUNCTIONS[name] = PUBLIC[name] = function


# the families

def _unary(name):
    single = OPS_BY_NAME[name]

    def run(out, self):
        found = by_kernel(name, out, self)
        if found is None and out is None and single.unary_code >= 0:
            found = [unary(single.unary_code, a) for a in self]
            return None if any([a is None for a in found]) else found
        return found

    def signature(function):
        def forward(self):
            return function(self)
        return forward
    publish(name, FUNCTIONS[name], FUNCTIONS[name + "_"], lambda self: check_list("_foreach_" + name, self, "self"),
            run, signature, {"grad_self": rule("self", single, {"x": "self"})}, [([(2, 3), (4,)],), ([()],)])


def _binary(name):
    full = "_foreach_" + name
    with_tensor, with_number = BINARY[name]
    scaled, ordered = name in ("add", "sub"), with_number.startswith("clamp_")
    second = "exponent" if name == "pow" else "other"
    # the op that has the rules; where x and a bound are equal, clamp and maximum differ
    single = OPS_BY_NAME["_power" if name == "pow" else "clamp" if name.startswith("clamp_") else with_tensor]
    theirs = name.removeprefix("clamp_") if name.startswith("clamp_") else single.names[1]

    def function_of(y, ending=""):
        return FUNCTIONS[(with_tensor if isinstance(y, Tensor) else with_number) + ending]

    def one(x, y, alpha=1):
        if ordered and x._form.dtype.kind == "c":
            fail(NotImplementedError, f"{full}: complex numbers have no order", "take the real parts, or abs")
        return function_of(y)(x, y) if alpha == 1 else function_of(y)(x, y, alpha=alpha)

    def own(x, y, alpha=1):
        return function_of(y, "_")(x, y) if alpha == 1 else function_of(y, "_")(x, y, alpha=alpha)

    def check(self, other, alpha=1):
        if name == "pow" and isinstance(self, (int, float, complex)):
            check_list(full, other, second)
            return
        check_list(full, self, "self")
        if holds_tensors(other):
            check_pair(full, self, other, second)
            return
        check_numbers(full, self, other, second)
        if isinstance(other, Tensor) and other._form.ndim:
            fail(RuntimeError if name in ("add", "mul", "div") else TypeError,
                 f"{full}(): scalar tensor expected to be 0 dim but it has {other._form.ndim} dimensions and "
                 f"{other._form.size} elements.")
        if alpha != 1 and not isinstance(other, Tensor):
            raise TypeError(f"{full}() got an unexpected keyword argument 'alpha': it goes with a list of tensors")

    def run(out, self, other, alpha=1):
        if isinstance(other, np.ndarray):
            if alpha != 1 or other.dtype.kind != "f":
                return None
            return by_kernel(name + "_scalar", out, self, None, None, float(other))
        if isinstance(other, list) and isinstance(other[0], np.ndarray):
            if scaled:
                return by_kernel("add", out, self, other, None, alpha if name == "add" else -alpha)
            return by_kernel(with_tensor, out, self, other) if name != "pow" else None
        if name in ("add", "mul", "div"):
            return by_kernel(name + "_scalar", out, self, None, None, other)
        if name == "sub":
            turned = [-v for v in other] if isinstance(other, (list, tuple)) else -other
            return by_kernel("add_scalar", out, self, None, None, turned)
        return None

    def signature(function):
        if scaled:
            def forward(self, other, *, alpha=1):
                return function(self, number(other) if alpha == 1 else other, alpha)
        elif name == "pow":
            def forward(self, exponent):
                return function(self, number(exponent))
        elif ordered:
            def forward(self, other):
                return function(self, number(other))
        else:       # of these PyTorch takes a tensor of one element as a tensor, elsewhere as a number
            def forward(self, other):
                return function(self, other)
        return forward
    names = {"x": "self", theirs: second, **({"alpha": "alpha"} if scaled else {})}
    samples = [([(2, 3), (4,)], [(3,), (4,)]), ([(2, 3), ()], 1.5), ([(2, 3), (4,)], given([0.5, 2.0]))]
    if scaled:
        samples.append(([(2, 3), (4,)], [(2, 3), (2, 4)], {"alpha": -0.5}))
    publish(name, one, own if with_tensor + "_" in FUNCTIONS else None, check, run, signature,
            {f"grad_{mine}": rule(mine, single, names) for mine in ("self", second)}, samples,
            aliases={} if name == "pow" else {"scalar": "other", "scalars": "other"})


def number(value):
    """An array of one element as a number; where there are no values, a number of its kind."""
    if isinstance(value, Spec):
        return {"f": 1.0, "V": 1.0, "c": 1j, "b": True}.get(value.dtype.kind, 1)
    if isinstance(value, np.ndarray):
        return float(cast(value, FLOAT32)) if is_half(value) else value.item()
    return value


def _pointwise(name):
    full = "_foreach_" + name
    single = OPS_BY_NAME[name]

    def one(x, a, b, v):
        return FUNCTIONS[name](x, a, b, value=v)

    def own(x, a, b, v):
        return FUNCTIONS[name + "_"](x, a, b, value=v)

    def check(self, tensor1, tensor2, value):
        check_list(full, self, "self")
        check_pair(full, self, tensor1, "tensor1")
        check_pair(full, self, tensor2, "tensor2")
        check_numbers(full, self, value, "value")
        if isinstance(value, Tensor) and value._form.size not in (1, len(self)):
            fail(RuntimeError, f"{full}(): Expected length of scalars to match input of length {len(self)} but got "
                 f"{value._form.size} instead.")

    def run(out, self, tensor1, tensor2, value):
        return by_kernel(name, out, self, tensor1, tensor2, value)

    def signature(function):
        def forward(self, tensor1, tensor2, value=1):
            return function(self, tensor1, tensor2, _numbers(value))
        return forward
    names = {"x": "self", "tensor1": "tensor1", "tensor2": "tensor2", "value": "value"}
    publish(name, one, own, check, run, signature,
            {f"grad_{mine}": rule(mine, single, names) for mine in ("self", "tensor1", "tensor2")},
            [([(2, 3), (4,)], [(2, 3), (4,)], [(3,), (4,)]), ([(2, 3), ()], [(2, 3), ()], [(2, 3), ()], -0.3),
             ([(2,), (3,)], [(2,), (3,)], [(2,), (3,)], given([0.5, 2.0]))], aliases={"scalars": "value"})


def _numbers(value):
    """Factors: a tensor of them as a list."""
    if isinstance(value, Spec):
        return [number(value)] * value.size
    return value.reshape(-1).tolist() if isinstance(value, np.ndarray) else value


def _lerp(name):
    full = "_foreach_" + name

    def check(self, tensors1, weight):
        check_list(full, self, "self")
        check_pair(full, self, tensors1, "tensors1")
        if holds_tensors(weight):
            check_pair(full, self, weight, "weights")
        else:
            check_numbers(full, self, weight, "weight")

    def run(out, self, tensors1, weight):
        if isinstance(weight, np.ndarray) or holds_arrays(weight):
            return None
        return by_kernel(name, out, self, tensors1, None, weight)

    def signature(function):
        def forward(self, tensors1, weight):
            return function(self, tensors1, weight)
        return forward
    names = {"x": "self", "end": "tensors1", "weight": "weight"}
    publish(name, FUNCTIONS[name], FUNCTIONS[name + "_"], check, run, signature,
            {f"grad_{mine}": rule(mine, OPS_BY_NAME[name], names) for mine in names.values()},
            [([(2, 3), (4,)], [(2, 3), (4,)], 0.3), ([(2, 3), (4,)], [(2, 3), (4,)], given([0.3, 0.7])),
             ([(2, 3), (4,)], [(2, 3), (4,)], [(2, 3), (4,)])], aliases={"weights": "weight", "scalars": "weight"})


def holds_arrays(given):
    return isinstance(given, (list, tuple)) and any([isinstance(v, np.ndarray) for v in given])


for _name in UNARY:
    _unary(_name)
for _name in BINARY:
    _binary(_name)
for _name in POINTWISE:
    _pointwise(_name)
_lerp("lerp")


# those that stand alone

def check_two(name, self, other, what):
    check_list(name, self, "self")
    check_pair(name, self, other, what)


def _of_self(function):
    def forward(self):
        return function(self)
    return forward


def _with_src(function):
    def forward(self, src, non_blocking=False):
        return function(self, src, non_blocking)
    return forward


publish("zero", OPS_BY_NAME["zero"].public, Tensor.zero_, lambda self: check_list("_foreach_zero_", self, "self"),
        lambda out, self: by_kernel("zero", out, None) if out is not None else None, _of_self,
        {"grad_self": rule("self", OPS_BY_NAME["zero"], {"x": "self"})}, [([(2, 3), (4,)],)], (False, True), True)
publish("copy", OPS_BY_NAME["copy"].public, Tensor.copy_,
        lambda self, src, non_blocking: check_two("_foreach_copy_", self, src, "src"),
        lambda out, self, src, non_blocking: by_kernel("copy", out, src) if out is not None else None, _with_src,
        {f"grad_{mine}": rule(mine, OPS_BY_NAME["copy"], {"x": "self", "src": "src"}) for mine in ("self", "src")},
        [([(2, 3), (4,)], [(3,), (4,)])], (False, True))


def _clone(x, memory_format):
    return x.clone() if memory_format is None else x.clone(memory_format=memory_format)


def _norm(x, ord, dtype):
    return FUNCTIONS["linalg.vector_norm"](x, ord, dtype=dtype)


def _quick_norm(out, self, ord, dtype):
    if ord != 2 or dtype is not None or not all([a.dtype.kind == "f" and a.dtype.itemsize >= 4 for a in self]):
        return None
    return [np.array(root, a.dtype) for root, a in zip(np.sqrt(sums_of_squares(self)), self)]


def _powsum(x, ord, dtype):
    return (x if dtype is None else x.to(dtype)).abs().pow(ord).sum()


def _powsum_grad(used, self, ord, dtype):
    return [None if g is None else _one_powsum_grad(g, x if dtype is None else x.to(dtype), ord)
            for g, x in zip(used, self)]


def _one_powsum_grad(g, x, ord):
    return g * ord * x.abs().pow(ord - 1) * x.sgn()


def _with_format(function):
    def forward(self, *, memory_format=None):
        return function(self, memory_format)
    return forward


def _with_order(function):
    def forward(self, ord=2, dtype=None):
        return function(self, ord, dtype)
    return forward


def _with_mat2(function):
    def forward(self, mat2):
        return function(self, mat2)
    return forward


def _no_kernel(out, *columns):
    return None


publish("clone", _clone, None, lambda self, memory_format: check_list("_foreach_clone", self, "self"), _no_kernel,
        _with_format, {"grad_self": rule("self", OPS_BY_NAME["clone"], {"x": "self"})}, [([(2, 3), (4,)],)],
        (True, False))
publish("mm", FUNCTIONS["mm"], None, lambda self, mat2: check_two("_foreach_mm", self, mat2, "mat2"), _no_kernel,
        _with_mat2, {f"grad_{mine}": rule(mine, OPS_BY_NAME["mm"], {"x": "self", "mat2": "mat2"})
                     for mine in ("self", "mat2")}, [([(2, 3), (1, 2)], [(3, 4), (2, 2)])], (True, False))
publish("max", FUNCTIONS["max"], None, lambda self: check_list("_foreach_max", self, "self"), _no_kernel, _of_self,
        {"grad_self": rule("self", OPS_BY_NAME["_max_all"], {"x": "self"})}, [([(2, 3), (4,)],)], (True, False))
publish("norm", _norm, None, lambda self, ord, dtype: check_list("_foreach_norm", self, "self"), _quick_norm,
        _with_order, {"grad_self": rule("self", OPS_BY_NAME["_vector_norm"],
                                                {"x": "self", "ord": "ord", "dtype": "dtype"})},
        [([(2, 3), (4,)],), ([(2, 3), (4,)], 3)], (True, False))
publish("powsum", _powsum, None, lambda self, ord, dtype: check_list("_foreach_powsum", self, "self"), _no_kernel,
        _with_order, {"grad_self": _powsum_grad}, [([(2, 3), (4,)],), ([(2, 3), (4,)], 3)], (True, False))


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
        if t._form.size != 1:
            fail(RuntimeError, f"{name}(): {what} must be a 1-element tensor.")
    check_list(name, self, "self")
    _unscale.op.compute([list(self), found_inf, inv_scale])


PUBLIC["_amp_foreach_non_finite_check_and_unscale_"] = _amp_foreach_non_finite_check_and_unscale_
