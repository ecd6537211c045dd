# compiled
"""`backward`, `grad`, and the tensor's side of autograd: leaves, detaching, hooks, retained gradients."""
import warnings
import weakref
from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from weft.autograd import engine
from weft.autograd.graph import AccumulateGrad, accumulator, add_hook
from weft.core import dtype as dtypes
from weft.core.cuts import cuts, note_detached
from weft.core.errors import fail, where
from weft.core.modes import FUNCTION, GRAD_OFF, INFERENCE, NO_OVERRIDE, TAKE, WATCH, local
from weft.core.runtime import mode_bits
from weft.core.seam import tell_assigned
from weft.tensor.names import method, public
from weft.tensor.override import override
from weft.tensor.pickling import retype
from weft.tensor.subclass import is_disabled
from weft.tensor.tensor import OPS, Memory, Tensor, detached, is_plain, is_ready, lay_again, wrap


class GradientEdge(namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=(None,))):
    """One edge of the graph: the node that a gradient flows into, and the output it belongs to.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> edge = weft.autograd.graph.get_gradient_edge(x * 2)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward0', 0)
    """

    spec = None     # (shape, np_dtype) of the tensor it was taken from


class _Edge:
    """A GradientEdge as the engine reads it: the two fields that it takes from a tensor."""

    def __init__(self, node, out):
        self.grad_fn, self._made_nr = node, out


def as_root(t):
    """What the engine starts from or stops at for a tensor or an edge."""
    if not isinstance(t, GradientEdge):
        return t
    if isinstance(t.node, AccumulateGrad):
        return t.node.variable
    return _Edge(t.node, t.output_nr)


def _as_tuple(values, what):
    if isinstance(values, (Tensor, GradientEdge)):
        return (values,)
    if isinstance(values, (list, tuple)) or hasattr(values, "__iter__"):
        return tuple(values)
    raise TypeError(f"{what} must be a tensor or a sequence of tensors, not {type(values).__name__}")


# the gradients to start with

def _check_output(t, i):
    if isinstance(t, GradientEdge):
        return
    if not isinstance(t, Tensor):
        raise TypeError(f"element {i} of tensors must be a tensor, not {type(t).__name__}")
    if not t.requires_grad:
        fail(RuntimeError, f"element {i} of tensors does not require grad and does not have a grad_fn{_who_cut(t)}",
             "compute it, with grad mode on, from tensors that have requires_grad=True and were not detached")


def _who_cut(t):
    """For the error of a loss without graph: what last cut a graph in this thread, the latest first."""
    if t._form.dtype.kind not in "fcV":
        return f"\n  it is of type {t.dtype}, through which nothing can be differentiated"
    here = mode_bits() & GRAD_OFF
    last = cuts()
    off = where(last.off)
    lines = {}
    if off and "grad" in off:       # not a no_grad() of weft's own, such as an optimizer's
        lines["off"] = f"grad mode was last switched off in {off}" + (", and it is off here" if here else "")
    elif here:
        lines["off"] = "grad mode is off here"
    if last.detached is not None:
        lines["detached"] = f"the last tensor that left its graph did so in {where(last.detached)}"
    if last.taken is not None:
        lines["taken"] = f"the last number that was taken out of a graph was taken in {where(last.taken)}"
    first = "off" if here else last.latest
    return "".join("\n  " + lines[kind] for kind in sorted(lines, key=lambda kind: kind != first))


def first_grad(t, i):
    """The gradient 1 of a scalar output."""
    if isinstance(t, GradientEdge):
        t = _like_edge(t)
    if t._form.size != 1:
        fail(RuntimeError, f"grad can be implicitly created only for scalar outputs, and output {i} has shape "
             f"{list(t._form.shape)}",
             "reduce it first, for example with .sum() or .mean(), or give the gradient of the output")
    if t._form.dtype.kind == "c":
        fail(RuntimeError, f"grad can be implicitly created only for real scalar outputs but got {t.dtype}",
             "take .real or .abs() of it, or give the gradient of the output")
    made = wrap(np.ones(t._form.shape, t._form.dtype))
    made._on_meta = t._on_meta
    return made


def _like_edge(edge):
    """Zeros in the shape and type of what an edge stands for."""
    node = edge.node
    if isinstance(node, AccumulateGrad):
        return node.variable
    spec = edge.spec
    if spec is None:
        fail(RuntimeError, f"grad can be implicitly created only for scalar outputs, and this edge of {node.name()} "
             f"doesn't say of which shape its output is",
             "give the gradient in grad_outputs, or make the edge with get_gradient_edge(tensor)")
    return wrap(np.zeros(*spec))


def _given_grad(t, grad, i):
    if not isinstance(grad, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if isinstance(t, GradientEdge):
        if t.spec is None:
            return grad
        t = _like_edge(t)
    if grad._form.shape != t._form.shape:
        fail(RuntimeError, f"Mismatch in shape: grad_output[{i}] has a shape of {grad.shape} and output[{i}] has a "
             f"shape of {t.shape}.",
             "a gradient has the shape of what it belongs to")
    if (grad._form.dtype.kind == "c") != (t._form.dtype.kind == "c"):
        fail(RuntimeError, f"For complex Tensors, both grad_output and output are required to have the same dtype. "
             f"Mismatch in dtype: grad_output[{i}] has a dtype of {grad.dtype} and output[{i}] has a dtype of "
             f"{t.dtype}.")
    return grad if grad._form.dtype == t._form.dtype else grad.to(t.dtype)


def make_grads(outputs, grads):
    """A gradient for each output, checked; 1 where none is given."""
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    for i, t in enumerate(outputs):
        _check_output(t, i)
    return [first_grad(t, i) if g is None else _given_grad(t, g, i)
            for i, (t, g) in enumerate(zip(outputs, grads, strict=True))]


# the two calls

def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add to each leaf's `.grad` the gradient of the sum of `tensors`, each weighted by its `grad_tensors`.

    >>> import weft
    >>> x = weft.tensor([1., 2.], requires_grad=True)
    >>> weft.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                               "`backward()`. Please only use `grad_tensors`.")
        grad_tensors = grad_variables
    roots = _as_tuple(tensors, "tensors")
    for t in roots:
        if type(t) is not Tensor and isinstance(t, Tensor) and _has_own_rules(t):
            return type(t).__torch_function__(backward, (type(t),), (roots,), {
                "grad_tensors": grad_tensors, "retain_graph": retain_graph, "create_graph": create_graph,
                "inputs": inputs})
    engine.backward(*_arranged(roots, grad_tensors, retain_graph, create_graph, inputs), True)


def _arranged(roots, grad_tensors, retain_graph, create_graph, inputs):
    """The arguments of a backward as the engine takes them: roots, gradients, keep, create, inputs; all checked."""
    if inputs is not None:
        inputs = _wanted(inputs, "backward")
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        _check_inputs(inputs)
    if grad_tensors is None:
        grad_tensors = (None,) * len(roots)
    elif isinstance(grad_tensors, Tensor):
        grad_tensors = (grad_tensors,)
    grads = make_grads(roots, tuple(grad_tensors))
    if create_graph:
        _warn_cycle()
    keep = create_graph if retain_graph is None else retain_graph
    return ([as_root(t) for t in roots], grads, bool(keep), bool(create_graph),
            None if inputs is None else [as_root(t) for t in inputs])


def _wanted(inputs, who):
    """The inputs as a tuple; those of a dict are its values."""
    if type(inputs) is dict:
        return tuple(inputs.values())
    if isinstance(inputs, Mapping):
        raise TypeError(f"`inputs` argument to `{who}()` must be a dict, not {type(inputs).__name__}\n  fix: give "
                        f"dict(inputs)")
    return _as_tuple(inputs, "inputs")


def _check_inputs(inputs):
    for t in inputs:
        if isinstance(t, GradientEdge):
            continue
        if not isinstance(t, Tensor):
            raise TypeError(f"inputs must be tensors, not {type(t).__name__}")
        if not t.requires_grad:
            fail(RuntimeError, "One of the differentiated Tensors does not require grad",
                 "call requires_grad_() on it before it is used")


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the sum of `outputs` with respect to `inputs`, as a tuple (a dict for a dict); no `.grad` is
    touched.

    >>> import weft
    >>> x = weft.tensor(3., requires_grad=True)
    >>> first, = weft.autograd.grad(x * x * x, x, create_graph=True)
    >>> weft.autograd.grad(first, x)
    (tensor(18.),)
    """
    if mode_bits() & FUNCTION:
        return OPS.ask_mode(grad, (_as_tuple(outputs, "outputs"), _wanted(inputs, "grad")), {
            "grad_outputs": grad_outputs, "retain_graph": retain_graph, "create_graph": create_graph,
            "only_inputs": only_inputs, "allow_unused": allow_unused, "is_grads_batched": is_grads_batched,
            "materialize_grads": materialize_grads})
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    outputs, keys = _as_tuple(outputs, "outputs"), tuple(inputs) if type(inputs) is dict else None
    inputs = _wanted(inputs, "grad")
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if keys is not None:
        found = grad(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused,
                     is_grads_batched, materialize_grads)
        return dict(zip(keys, found, strict=True))
    _check_inputs(inputs)
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                      "gradient for other parts of the graph, please use torch.autograd.backward.", FutureWarning,
                      stacklevel=2)
    if grad_outputs is None:
        grad_outputs = (None,) * len(outputs)
    else:
        grad_outputs = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    keep = bool(create_graph if retain_graph is None else retain_graph)
    unused = bool(materialize_grads if allow_unused is None else allow_unused)
    if is_grads_batched:
        return _grad_batched(outputs, inputs, grad_outputs, keep, create_graph, unused, materialize_grads)
    if len(outputs) != len(grad_outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grad_outputs)} gradients")
    grads = make_grads(outputs, grad_outputs)
    found = engine.backward([as_root(t) for t in outputs], grads, keep, bool(create_graph),
                            [as_root(t) for t in inputs], False)
    return tuple(_missing(t, i, unused, materialize_grads, bool(create_graph)) if g is None else g
                 for i, (t, g) in enumerate(zip(inputs, found, strict=True)))


def _missing(t, i, unused, materialize, create):
    if not unused:
        fail(RuntimeError, f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
             f"allow_unused=True if this is the desired behavior.",
             "check that the outputs are computed from that very tensor, not from a copy, a detached one or a later "
             "version of it")
    if not materialize:
        return None
    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge: its shape is not "
                           "known")
    zeros = wrap(np.zeros_like(t._array))
    zeros._on_meta = t._on_meta
    zeros._wants_grad = create        # then it may be differentiated again, which gives zeros again
    return zeros


def _grad_batched(outputs, inputs, grad_outputs, keep, create, unused, materialize):
    """One backward for each row of the given gradients, stacked."""
    for i, (t, g) in enumerate(zip(outputs, grad_outputs)):
        if g is not None and isinstance(t, Tensor) and g._form.shape[1:] != t._form.shape:
            fail(RuntimeError, f"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
                 f"the batch dimension, and the others must be those of the output: grad_output[{i}] has a shape of "
                 f"{g.shape} and output[{i}] has a shape of {t.shape}.",
                 "stack the gradients along a new first dimension")
    n = next(g._form.shape[0] for g in grad_outputs if g is not None)
    rows = []
    for i in range(n):
        row = tuple(None if g is None else g.select(0, i) for g in grad_outputs)
        rows.append(grad(outputs, inputs, row, keep or i < n - 1, create, True, unused, False, materialize))
    from weft.autograd.functional import stack  # which itself is made of `grad`
    return tuple(None if column[0] is None else stack(column) for column in zip(*rows, strict=True))


# Tensor: the graph's ends

_warned = []


def _warn_cycle():
    """Say once that a .grad with a graph holds its leaf."""
    if not _warned:
        _warned.append(True)
        warnings.warn("Using backward() with create_graph=True will create a reference cycle between the parameter and "
                      "its gradient which can cause a memory leak: until it is collected, both stay.\n  fix: use "
                      "autograd.grad(), or set the .grad fields to None afterwards", UserWarning, stacklevel=3)


def _has_own_rules(t):
    """Whether a tensor subclass brings its own __torch_function__, and it is to be asked."""
    if mode_bits() & NO_OVERRIDE:
        return False
    own, plain = getattr(type(t), "__torch_function__", None), getattr(Tensor, "__torch_function__", None)
    return own is not None and getattr(own, "__func__", own) is not getattr(plain, "__func__", plain)


def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Add the gradients of this tensor to the `.grad` of the leaves that it was computed from.

    >>> import weft
    >>> x = weft.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """
    if type(self) is not Tensor and _has_own_rules(self):
        return type(self).__torch_function__(Tensor.backward, (type(self),), (self,), {
            "gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs})
    if create_graph:
        _warn_cycle()
    if (retain_graph is None and inputs is None and gradient is None and self._form.size == 1
        and self._form.dtype.kind == "f"):
        if self._owed is not None and self._made_by is not None and not create_graph \
                and self._owed.owner.takes_backward(self):
            return
        node = engine.edge_of(self)[0]
        if node is not self:        # the common case, `loss.backward()`
            made = wrap(np.array(1, self._form.dtype) if self._form.ndim == 0
                        else np.ones(self._form.shape, self._form.dtype))
            made._on_meta = self._on_meta
            engine.backward([self], [made], bool(create_graph), bool(create_graph), None, True)
            return
    backward((self,), (gradient,), retain_graph, create_graph, inputs=inputs)


@method
def backward_steps(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """The same as backward(), one node at a time: each is given before it runs, with the gradients that came in
    (`grad_out`).

    The leaves get their gradients when the loop ends; leaving it early gives them none.

    >>> import weft
    >>> x = weft.tensor([1., 2.], requires_grad=True)
    >>> for step in (x * x).sum().backward_steps():
    ...     print(step.name(), step.grad_out[0].tolist())
    SumBackward0 1.0
    MulBackward0 [1.0, 1.0]
    >>> x.grad
    tensor([2., 4.])
    """
    from weft.autograd.steps import steps  # which is made of this module
    return steps(*_arranged((self,), (gradient,), retain_graph, create_graph, inputs))


@public
@method
def detach(self):
    """The same memory and versions, outside the graph.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> (x * 2).detach().requires_grad
    False
    """
    if is_ready(self):
        return detached(self)
    if self._owed is not None and not self._owed.readable:
        return self._owed.owner.detach(self)
    if is_plain(self) or is_disabled(type(self)):
        return detached(self)
    if not mode_bits() & NO_OVERRIDE:
        return override(detach, (self,), {})
    return retype(detached(OPS.alias.compute([self])), type(self))


@method
def detach_(self):
    """Take this tensor itself out of the graph that made it.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> y.detach_().grad_fn is None
    True
    """
    if mode_bits() & TAKE:
        local.taker.writing(self)       # a view that is owed is known as one after that
    if self._view_of is not None:
        fail(RuntimeError, "Can't detach views in-place.", "use detach(), and keep its result")
    if self._made_by is not None or self._wants_grad:
        note_detached()
    self._made_by, self._made_nr, self._wants_grad = None, 0, False
    return self


@method
def requires_grad_(self, requires_grad=True):
    """Say whether gradients are wanted for this leaf.

    >>> import weft
    >>> weft.ones(1).requires_grad_().requires_grad
    True
    """
    if not isinstance(requires_grad, (bool, np.bool_)):
        raise TypeError(f"requires_grad_(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}")
    if not (requires_grad and self.grad_fn is not None):
        set_requires_grad(self, requires_grad)
    return self


def set_requires_grad(t, value):
    if not isinstance(value, (bool, np.bool_)):
        raise RuntimeError("requires_grad must be a bool")
    if t.grad_fn is not None:
        fail(RuntimeError, "you can only change requires_grad flags of leaf variables.",
             "use detach() to take a computed tensor out of the graph")
    if value and t._form.dtype.kind not in "fc" and t.dtype is not dtypes.bfloat16:
        fail(RuntimeError, f"only Tensors of floating point dtype can require gradients (or of complex dtype), and "
             f"this one is {t.dtype}",
             "convert it first, for example with .float()")
    if value and t._inference and not mode_bits() & INFERENCE:
        fail(RuntimeError, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
             "clone() it first")
    if mode_bits() & TAKE:
        local.taker.writing(t)
    t._wants_grad = bool(value)


def set_data(t, value):
    """`t.data = value`: take over the memory; history, versions and gradient stay."""
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if t.requires_grad and value._form.dtype.kind not in "fc" and value.dtype is not dtypes.bfloat16:
        fail(RuntimeError, "data set to a tensor that requires gradients must be floating point or complex dtype")
    if mode_bits() & TAKE:
        local.taker.writing(t)
    node, out = t.grad_fn, t._made_nr
    t._array, t._on_meta = value._array, value._on_meta
    lay_again(t, value)
    t._view_of = None
    t._made_by, t._made_nr = node, out
    if t._memory_record is not None:      # its views stay with the old memory
        old, t._memory_record = t._memory_record, Memory()
        t._memory_record.version, t._memory_record.written = old.version, old.written
        if value._memory_record is not None:
            t._memory_record.root = value._memory_record.root
    if mode_bits() & WATCH:
        tell_assigned(t, "data", value)


def check_grad(t, value):
    """What may be assigned to `t.grad`."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if value._form.dtype != t._form.dtype:
        fail(RuntimeError, f"attempting to assign a gradient with dtype '{value.dtype}' to a tensor with dtype "
             f"'{t.dtype}'",
             f"convert the gradient with .to({t.dtype})")
    if value._form.shape != t._form.shape:
        fail(RuntimeError, f"attempting to assign a gradient of size '{list(value._form.shape)}' to a tensor of size "
             f"'{list(t._form.shape)}'. Please ensure that the gradient and the tensor are the same size")


# Tensor: hooks

def _hooks_of(t, kind, node_kind):
    """The dict of hooks of a tensor: with the leaf itself, or with its node under the output's number."""
    node = t.grad_fn
    if node is None:
        if t._seldom is None:
            t._seldom = {}
        return t._seldom.setdefault(kind, {})
    return node.note(node_kind, dict).setdefault(t._made_nr, {})


@method
def register_hook(self, hook):
    """Call `hook(grad)` when the gradient of this tensor is known; what it returns replaces the gradient.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> handle = x.register_hook(lambda grad: grad * 2)
    >>> x.sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """
    if not self.requires_grad:
        fail(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient",
             "call requires_grad_() on it first")
    return add_hook(_hooks_of(self, "hooks", "tensor_hooks"), hook)


@method
def register_post_accumulate_grad_hook(self, hook):
    """Call `hook(leaf)` after the leaf's `.grad` has been added to.

    >>> import weft
    >>> x = weft.ones(1, requires_grad=True)
    >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> x.sum().backward()
    tensor([1.])
    """
    if not self.requires_grad:
        fail(RuntimeError, "cannot register a hook on a tensor that doesn't require gradient",
             "call requires_grad_() on it first")
    if self.grad_fn is not None:
        fail(RuntimeError, "post accumulate grad hooks cannot be registered on non-leaf tensors", "use register_hook()")
    if self._seldom is None:
        self._seldom = {}
    engine.EARLY["wanted"] = True
    return add_hook(self._seldom.setdefault("post_accumulate", {}), hook)


@method
def retain_grad(self):
    """Keep the gradient of a computed tensor in its `.grad`, as if it were a leaf.

    >>> import weft
    >>> x = weft.ones(1, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.backward()
    >>> y.grad
    tensor([1.])
    """
    if not self.requires_grad:
        fail(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False",
             "compute it from tensors that require grad")
    node = self.grad_fn
    if node is None:
        return
    node.note("retain", dict)[self._made_nr] = weakref.ref(self)


@property
def retains_grad(self):
    """Whether a computed tensor keeps its gradient.

    >>> import weft
    >>> y = weft.ones(1, requires_grad=True) * 2
    >>> y.retain_grad()
    >>> y.retains_grad
    True
    """
    node = self.grad_fn
    if node is None or node.extra is None:
        return False
    holder = node.extra.get("retain", {}).get(self._made_nr)
    return holder is not None and holder() is self


def get_gradient_edge(tensor):
    """The edge that this tensor's gradient flows into.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> h = x * 2
    >>> edge = weft.autograd.graph.get_gradient_edge(h)
    >>> weft.autograd.grad((h * 3).sum(), edge)
    (tensor([3., 3.]),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor.grad_fn
    edge = GradientEdge(accumulator(tensor), 0) if node is None else GradientEdge(node, tensor._made_nr)
    edge.spec = tensor._form.shape, tensor._form.dtype
    return edge


_tensor_backward.__name__ = _tensor_backward.__qualname__ = "backward"
method(_tensor_backward, "backward")
method(retains_grad, "retains_grad")
public(detach_, "detach_")
OPS.set_requires_grad, OPS.set_data, OPS.check_grad = set_requires_grad, set_data, check_grad
