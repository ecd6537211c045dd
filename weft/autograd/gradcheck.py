"""Check gradients against finite differences.

A complex output is taken as two real ones, a complex input as two real directions: then the gradient g of a real number
L with respect to x is dL/dRe(x) + i dL/dIm(x), which is PyTorch's convention, and the comparison needs no further case.
"""
import warnings

import numpy as np

from weft.autograd.api import grad as _grad
from weft.autograd.forward_ad import dual_level, make_dual, unpack_dual
from weft.core.modes import enable_grad
from weft.tensor.nested import tensors_in
from weft.tensor.tensor import wrap

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError"]


class GradcheckError(RuntimeError):
    """A gradient that is not what finite differences say.

    >>> import weft
    >>> class Wrong(weft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         return g * 3
    >>> weft.autograd.gradcheck(Wrong.apply, weft.ones(1, dtype=weft.float64, requires_grad=True))
    Traceback (most recent call last):
        ...
    weft.autograd.gradcheck.GradcheckError: ...
    """


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
              check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
              check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False,
              masked=None):
    """Whether the backward of `func` at `inputs` (float64 or complex128) agrees with finite differences.

    >>> import weft
    >>> x = weft.tensor([1., 2.], dtype=weft.float64, requires_grad=True)
    >>> weft.autograd.gradcheck(lambda x: x * x, (x,))
    True
    """
    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    if not check_forward_ad and not check_backward_ad:
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    check = _Check(func, tuple(inputs), eps, atol, rtol, nondet_tol, check_grad_dtypes, fast_mode)
    check.forward, check.backward = check_forward_ad, check_backward_ad
    if raise_exception:
        check.run()
        return True
    try:
        check.run()
    except GradcheckError:
        return False
    return True


class _Check:
    """One gradcheck."""

    def __init__(self, func, inputs, eps, atol, rtol, nondet_tol, check_dtypes, fast):
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.check_dtypes, self.fast = check_dtypes, fast
        self.wanted = [t for t in tensors_in(inputs) if t.requires_grad]
        self.random = np.random.default_rng(0)

    def run(self):
        self.check_inputs()
        with enable_grad():
            outputs = list(tensors_in(self.func(*self.inputs)))
        differentiable = [o.requires_grad for o in outputs]
        if not any(differentiable):
            self.check_constant(outputs)
            return
        if self.forward:
            self.compare_forward(outputs)
        if not self.backward:
            return
        check_one = self.compare_projected if self.fast else self.compare_whole
        for k, out in enumerate(outputs):
            if differentiable[k]:
                for part in (1, 1j) if out._form.dtype.kind == "c" else (1,):
                    check_one(out, k, part)

    def check_inputs(self):
        if not self.wanted:
            raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them "
                             "have requires_grad=True.")
        for i, t in enumerate(self.wanted):
            if t._form.dtype not in (np.float64, np.complex128):
                warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                              f"This check will likely fail if all the inputs are not of double precision floating "
                              f"point or complex.",
                              stacklevel=4)
            if t._form.size and any(stride == 0 and n > 1 for n, stride in zip(t._form.shape, t._form.strides)):
                raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                                   f"that are non-overlapping to be able to compute the numerical gradients correctly. "
                                   f"You should call .contiguous on the input before passing it to gradcheck.")

    def check_constant(self, outputs):
        """No output requires grad, so no input may change them."""
        for i, t in enumerate(self.wanted):
            for index in np.ndindex(t._form.shape):
                for change in self.differences(t, _unit(t, index, 1)):
                    if change.dtype.kind in "fc" and not np.allclose(change, 0, atol=self.atol, rtol=self.rtol):
                        raise GradcheckError(f"Numerical gradient for function expected to be zero: no output requires "
                                             f"grad, but input {i} changes one")

    # finite differences

    def values(self):
        with enable_grad():     # as the user will call it: it may register hooks, or ask for requires_grad
            return [o._array.copy() for o in tensors_in(self.func(*self.inputs))]

    def differences(self, t, direction):
        """How each output changes when `t` moves along a direction."""
        array, start = t._array, t._array.copy()
        try:
            array[...] = start + self.eps * direction
            above = self.values()
            array[...] = start - self.eps * direction
            below = self.values()
        finally:
            array[...] = start
        for a, b in zip(above, below):
            if a.shape != b.shape:
                raise AssertionError(f"Expected `func` to return outputs with the same shape when inputs are perturbed "
                                     f"on index, but got: {list(a.shape)} and {list(b.shape)}")
            if a.dtype != b.dtype:
                raise AssertionError(f"Expected `func` to return outputs with the same dtype when inputs are perturbed "
                                     f"on index, but got: {a.dtype} and {b.dtype}")
        return [(a - b) / (2 * self.eps) if a.dtype.kind in "fc" else np.zeros(a.shape) for a, b in zip(above, below)]

    def analytic(self, out, cotangent):
        """The gradients of one output by the backward, run twice to see whether it repeats."""
        first, second = (_grad(out, self.wanted, wrap(cotangent), retain_graph=True, allow_unused=True)
                         for _ in range(2))
        arrays = []
        for i, (g, again, t) in enumerate(zip(first, second, self.wanted)):
            if g is None:
                arrays.append(np.zeros_like(t._array))
                continue
            if g._form.shape != t._form.shape:
                raise GradcheckError(f"Analytical gradient has incorrect size: {list(g._form.shape)} for input {i} of "
                                     f"{list(t._form.shape)}")
            if self.check_dtypes and g._form.dtype != t._form.dtype:
                raise GradcheckError(f"Analytical gradient has incorrect type: {g.dtype} for input {i} of {t.dtype}")
            if np.abs(g._array - again._array).max(initial=0) > self.nondet_tol:
                raise GradcheckError(f"Backward is not reentrant, i.e., running backward with same input and "
                                     f"grad_output multiple times gives different values. The tolerance for "
                                     f"nondeterminism was {self.nondet_tol}")
            arrays.append(np.array(g._array))
        return arrays

    def compare_forward(self, outputs):
        """The derivative along every direction of every input, by forward mode."""
        for i, t in enumerate(self.wanted):
            directions = ([_random_like(self.random, t._form.shape, t._form.dtype)] if self.fast else
                          [_unit(t, index, way) for index in np.ndindex(t._form.shape)
                           for way in ((1, 1j) if t._form.dtype.kind == "c" else (1,))])
            for direction in directions:
                numeric = self.differences(t, direction)
                exact = self.pushed(t, direction)
                for k, out in enumerate(outputs):
                    made = exact[k] if exact[k] is not None else np.zeros(out._form.shape, out._form.dtype)
                    if out._form.dtype.kind in "fc" and not np.allclose(made, numeric[k], rtol=self.rtol,
                                                                        atol=self.atol, equal_nan=True):
                        raise GradcheckError(f"Jacobian computed with forward mode mismatch for output {k} with respect"
                                             f" to input {i},\nnumerical:{numeric[k]}\nanalytical:{made}")

    def pushed(self, moved, direction):
        """The outputs' tangents when one input moves along a direction."""
        with enable_grad(), dual_level():
            own = [_replaced(value, moved, direction) for value in self.inputs]
            found = [unpack_dual(o).tangent for o in tensors_in(self.func(*own))]
        return [None if t is None else t.detach()._array for t in found]

    # the two ways to compare

    def compare_whole(self, out, k, part):
        """Every element of the Jacobian. numeric, analytic: (elements of the input, elements of the output)"""
        size = out._form.size
        rows = []
        for j in range(size):
            cotangent = np.zeros(out._form.shape, out._form.dtype)
            cotangent.reshape(-1)[j] = part
            rows.append(self.analytic(out, cotangent))
        for i, t in enumerate(self.wanted):
            numeric = np.zeros((t._form.size, size), np.complex128 if t._form.dtype.kind == "c" else np.float64)
            for at, index in enumerate(np.ndindex(t._form.shape)):
                for way in (1, 1j) if t._form.dtype.kind == "c" else (1,):
                    change = self.differences(t, _unit(t, index, way))[k].reshape(-1)
                    numeric[at] += way * (change * np.conj(part)).real
            exact = np.stack([row[i].reshape(-1) for row in rows], 1) if rows else np.zeros((t._form.size, 0))
            if not np.allclose(exact, numeric, rtol=self.rtol, atol=self.atol, equal_nan=True):
                raise GradcheckError(_mismatch(k, i, numeric, exact, part, out))

    def compare_projected(self, out, k, part):
        """One random combination of the Jacobian's rows and columns."""
        v = _random_like(self.random, out._form.shape, np.float64)
        exact = self.analytic(out, np.asarray(v * part, out._form.dtype))
        for i, t in enumerate(self.wanted):
            u = _random_like(self.random, t._form.shape, t._form.dtype)
            change = self.differences(t, u)[k]
            numeric = ((change * np.conj(part)).real * v).sum()
            product = (exact[i] * np.conj(u)).real.sum()
            scale = np.abs(u).sum() * np.abs(v).sum()
            if not np.allclose(product, numeric, rtol=self.rtol, atol=self.atol * max(scale, 1.0), equal_nan=True):
                raise GradcheckError(_mismatch(k, i, numeric, product, part, out))


def _replaced(value, moved, direction):
    """An input with the dual of one tensor in it."""
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(v, moved, direction) for v in value)
    return make_dual(value, wrap(np.array(direction))) if value is moved else value


def _unit(t, index, way):
    direction = np.zeros(t._form.shape, t._form.dtype)
    direction[index] = way
    return direction


def _random_like(random, shape, np_dtype):
    u = random.standard_normal(shape)
    if np.dtype(np_dtype).kind == "c":
        u = u + 1j * random.standard_normal(shape)
    norm = np.sqrt((np.abs(u) ** 2).sum())
    return u / (norm if norm else 1)


def _mismatch(k, i, numeric, exact, part, out):
    which = "" if out._form.dtype.kind != "c" else f" ({'real' if part == 1 else 'imaginary'} part of the output)"
    return (f"Jacobian mismatch for output {k} with respect to input "
            f"{i},{which}\nnumerical:{numeric}\nanalytical:{exact}\n  fix: look at the backward rule of that input; "
            f"near kinks and with float32 finite differences are no measure")


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False,
                  masked=False):
    """Whether the backward of the backward of `func` agrees with finite differences of the backward.

    >>> import weft
    >>> x = weft.ones(2, dtype=weft.float64, requires_grad=True)
    >>> weft.autograd.gradgradcheck(weft.exp, x)
    True
    """
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        grad_outputs = _random_grads(func, inputs, gen_non_contig_grad_outputs)
    else:
        grad_outputs = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    n = len(grad_outputs)

    def first(*args):
        own, grads = args[:-n], args[-n:]
        with enable_grad():
            outputs = [o for o in tensors_in(func(*own)) if o.requires_grad]
            wanted = [t for t in tensors_in(own) if t.requires_grad]
            found = _grad(outputs, wanted, list(grads), create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(first, inputs + tuple(grad_outputs), eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception, nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_grad_dtypes=check_grad_dtypes, fast_mode=fast_mode)


def _random_grads(func, inputs, spaced):
    random = np.random.default_rng(0)
    made = []
    with enable_grad():
        outputs = [o for o in tensors_in(func(*inputs)) if o.requires_grad]
    for o in outputs:
        value = random.standard_normal(o._form.shape)
        if o._form.dtype.kind == "c":
            value = value + 1j * random.standard_normal(o._form.shape)
        value = np.asarray(value).astype(o._form.dtype)
        if spaced and value.ndim:
            value = np.repeat(value, 2, axis=-1)[..., ::2]
        made.append(wrap(value).requires_grad_())
    return tuple(made)
