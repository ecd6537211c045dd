"""`autograd.Function`: an op whose forward and backward the user writes.

A call makes a context (what the user sees as `ctx`) and, when a gradient may be asked for, a node that holds the
context. The context knows its node only weakly and keeps saved outputs without their history, so no cycle of references
arises.
"""
import functools
import inspect
import sys
import warnings
import weakref

import numpy as np

from weft.autograd.graph import LeafAlias, Node, next_seq
from weft.autograd.outputs import is_apart, tie
from weft.core import dtype as dtypes
from weft.core.errors import message, where
from weft.core.modes import GRAD_OFF, NUMERICS, SAVED_HOOKS, WATCH, local, no_grad
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.size import broadcast_shapes
from weft.tensor.tensor import Tensor, alias, wrap

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]


class FunctionCtx:
    """What a Function's forward leaves for its backward: saved tensors, flags, and any attribute of the user's.

    >>> import weft
    >>> class Square(weft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         ctx.factor = 2
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         x, = ctx.saved_tensors
    ...         return g * ctx.factor * x
    >>> x = weft.full((1,), 3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor([6.])
    """

    _saved = ()             # after the forward: a _Saved for each tensor, None where None was given
    _to_save = ()
    _dirty = ()
    _non_differentiable = ()
    _materialize = True
    _ref = None             # a weak reference to the node
    needs_input_grad = ()

    def save_for_backward(self, *tensors):
        """Keep tensors for the backward; `ctx.saved_tensors` gives them back, checked against later writes.

        >>> import weft
        >>> class Square(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return 2 * g * x
        >>> x = weft.full((1,), 3.0, requires_grad=True)
        >>> Square.apply(x).backward()
        >>> x.grad
        tensor([6.])
        """
        self._to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`, where ctx.saved_tensors has them.

        >>> import weft
        >>> class Double(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_forward(x)
        ...         return x * 2
        >>> Double.apply(weft.ones(2))
        tensor([2., 2.])
        """
        self._for_forward = tensors

    _for_forward = ()

    def mark_dirty(self, *args):
        """Say which inputs the forward changed in place; they must be returned too.

        >>> import weft
        >>> class Twice(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return g * 2
        >>> x = weft.ones(2)
        >>> Twice.apply(x) is x, x
        (True, tensor([2., 2.]))
        """
        self._dirty = args

    def mark_non_differentiable(self, *args):
        """Say which outputs have no gradient.

        >>> import weft
        >>> class Largest(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         where = x.argmax()
        ...         ctx.mark_non_differentiable(where)
        ...         return x.max(), where
        ...     @staticmethod
        ...     def backward(ctx, g, _):
        ...         return g
        >>> value, where = Largest.apply(weft.ones(2, requires_grad=True))
        >>> value.requires_grad, where.requires_grad
        (True, False)
        """
        self._non_differentiable = args

    def mark_shared_storage(self, *pairs):
        """Not needed: sharing is seen by itself.

        >>> import weft
        >>> class Same(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         y = x.view(-1)
        ...         ctx.mark_shared_storage((x, y))
        ...         return y
        >>> Same.apply(weft.ones(2, 2)).shape
        torch.Size([4])
        """

    def set_materialize_grads(self, value):
        """With False, the backward gets None instead of zeros for outputs that nothing used.

        >>> import weft
        >>> class Pair(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.set_materialize_grads(False)
        ...         return x * 2, x * 3
        ...     @staticmethod
        ...     def backward(ctx, g, h):
        ...         print(h)
        ...         return g * 2
        >>> x = weft.ones(1, requires_grad=True)
        >>> Pair.apply(x)[0].backward()
        None
        """
        self._materialize = bool(value)

    @property
    def saved_tensors(self):
        """The tensors that `save_for_backward` kept.

        >>> import weft
        >>> class Square(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return 2 * g * x
        >>> x = weft.full((1,), 3.0, requires_grad=True)
        >>> Square.apply(x).backward()
        >>> x.grad
        tensor([6.])
        """
        node = None if self._ref is None else self._ref()
        if self._saved is None:
            raise RuntimeError(node.explain_freed() if node is not None else
                               "Trying to backward through the graph a second time: what was saved is freed")
        return tuple(None if entry is None else entry.open(node) for entry in self._saved)

    saved_variables = saved_tensors

    def __getattr__(self, name):
        node = None if self._ref is None else self._ref()
        if node is not None and name in _NODE_NAMES:
            return getattr(node, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


_NODE_NAMES = frozenset(("name", "next_functions", "metadata", "register_hook", "register_prehook", "line",
                         "_sequence_nr"))


def check_unwritten(tensor, version):
    """Refuse a pack hook that wrote to the tensor that it was given."""
    if tensor._writes() != version:
        raise RuntimeError("A saved tensor pack hook is modifying its input in place, which changes what others "
                           "compute with\n  fix: let the hook clone() what it changes")


class _Saved:
    """One saved tensor: an output is kept without its node, so that the node doesn't hold itself."""

    __slots__ = ("tensor", "out", "version", "packed", "unpack", "edge")

    def __init__(self, tensor, out):
        self.out, self.packed, self.unpack, self.edge = out, None, None, None
        self.version = tensor._writes()
        self.tensor = tensor if out is None else tensor.detach() if is_apart(tensor) else alias(tensor)
        if mode_bits() & SAVED_HOOKS and local.saved_hooks:
            self._pack(tensor)

    def _pack(self, tensor):
        pack, self.unpack = local.saved_hooks[-1]
        if tensor.requires_grad and self.out is None:
            self.edge = (tensor.grad_fn, tensor._made_nr) if tensor.grad_fn is not None else (tensor, None)
        bits = set_mode_bits(mode_bits() & ~SAVED_HOOKS | GRAD_OFF)
        try:
            self.packed = pack(alias(tensor))
        finally:
            set_mode_bits(bits)
        check_unwritten(tensor, self.version)
        self.tensor = None

    def open(self, node):
        t = self.tensor
        if t is None:
            return self._open_packed(node)
        if t._writes() != self.version:
            raise RuntimeError(_explain_overwritten(t, self.version, node))
        if self.out is None or node is None:
            return t
        made = t.detach() if is_apart(t) else alias(t)
        made._made_by, made._made_nr = node, self.out
        return made

    def _open_packed(self, node):
        value = self.unpack(self.packed)
        if not isinstance(value, Tensor):
            raise TypeError(f"an unpack hook must return a tensor, got {type(value).__name__}")
        made = alias(value)
        if self.out is not None:
            made._made_by, made._made_nr = node, self.out
        elif self.edge is not None:
            if self.edge[1] is None:
                return self.edge[0] if self.edge[0]._array is value._array else _of_leaf(made, self.edge[0])
            made._made_by, made._made_nr = self.edge
        return made


def _of_leaf(made, leaf):
    made._made_by = LeafAlias(leaf)
    return made


def _explain_overwritten(t, expected, node):
    saver = where(node) if node is not None else None
    writer = where(t._memory_record.written) or "an unknown line"
    return message(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"{node.name() if node is not None else 'a Function'} saved a tensor of shape {list(t._form.shape)} at version "
        f"{expected}, and it is at version {t._writes()} now",
        fix=f"the value was saved by   {saver or 'an unknown line'}\n"
            f"       and overwritten by       {writer}\n"
            f"       use the out-of-place form there, or clone() the tensor before it is overwritten")


class FunctionNode(Node):
    """The node of one call of a Function; attributes that a node hasn't are those of its context."""

    function = None     # the Function class, set on the node class of each

    def __init__(self, ctx, inputs):
        self.ctx = ctx
        self.positions = [i for i, a in enumerate(inputs) if isinstance(a, Tensor)]
        self.n_inputs = len(inputs)
        tensors = [inputs[i] for i in self.positions]
        edges = [_edge(t) for t in tensors]
        self.parents = tuple([e[0] for e in edges])
        self.outs = tuple([e[1] for e in edges])
        self.inputs_like = [(t._form.shape, t._form.dtype) for t in tensors]
        self.seq = next_seq()
        self.place()

    def name(self):
        """The class's name and Backward."""
        return self.function.__name__ + "Backward"

    def __getattr__(self, name):
        ctx = self.__dict__.get("ctx")
        if ctx is None or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")
        return getattr(ctx, name)

    def free(self):
        if self.ctx._saved:
            self.ctx._saved = None

    def run(self, grad):
        incoming = [grad] if self.n_outputs == 1 else list(grad)
        if self.ctx._materialize:
            for k, g in enumerate(incoming):
                if g is None and self.out_specs[k] is not None:
                    incoming[k] = wrap(np.zeros(*self.out_specs[k]))
        found = self.function._run_backward(self.ctx, incoming)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        while len(found) > self.n_inputs and found[-1] is None:
            found.pop()
        if len(found) != self.n_inputs:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected "
                               f"{self.n_inputs}, got {len(found)})\n  fix: return one gradient, or None, for each "
                               f"argument of forward")
        return self._sort(found, incoming)

    def _sort(self, found, incoming):
        """The gradients of the tensors among the inputs, in their shapes and types."""
        tensors = set(self.positions)
        for i, g in enumerate(found):
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(f"{self.name()}: expected Variable or None (got {type(g).__name__})")
            if g is not None and i not in tensors:
                raise RuntimeError(f"function {self.name()} returned a gradient different than None at position "
                                   f"{i + 1}, but the corresponding forward input was not a Variable")
        g = None        # so that it is not counted as a holder below
        grads = [None] * len(self.parents)
        for k, i in enumerate(self.positions):
            if found[i] is None or self.parents[k] is None:
                continue
            held = not is_apart(found[i]) and (sys.getrefcount(found[i]) > 2
                                               or sys.getrefcount(found[i]._array) > 2)
            grads[k] = fit(found[i], self.inputs_like[k], i, self)
            if held and grads[k] is found[i] and not any(found[i] is given for given in incoming):
                grads[k] = hidden(found[i])
        return grads


def hidden(g):
    """The same gradient in an array that doesn't own its memory: whoever else holds it must not see it become a .grad.
    """
    if g._wants_grad and mode_bits() & GRAD_OFF == 0:
        return g
    made = wrap(g._array.view())
    made._on_meta, made._made_by, made._made_nr = g._on_meta, g.grad_fn, g._made_nr
    return made


def fit(g, like, i, node):
    """A returned gradient in its input's shape and type."""
    shape, np_dtype = like
    if g._form.shape != shape:
        if not _reduces_to(g._form.shape, shape):
            raise RuntimeError(f"Function {node.name()} returned an invalid gradient at index {i} - got "
                               f"{list(g._form.shape)} but expected shape compatible with {list(shape)}\n  fix: return "
                               f"a gradient of the shape of argument {i}")
        g = g.sum_to_size(shape)
    if g._form.dtype != np_dtype:
        if g._form.dtype.kind == "c" and np_dtype.kind != "c":
            g = g.real
        if g._form.dtype != np_dtype:
            g = g.to(dtypes.of_array(np_dtype))
    return g


def _reduces_to(shape, target):
    try:
        return len(target) <= len(shape) and tuple(broadcast_shapes(shape, target)) == tuple(shape)
    except RuntimeError:
        return False


def _edge(t):
    if not t.requires_grad:
        return None, 0
    return (t, 0) if t.grad_fn is None else (t.grad_fn, t._made_nr)


class Function:
    """The base of custom ops: write `forward` and `backward` as static methods, and call `apply`.

    >>> import weft
    >>> class Double(weft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad_out):
    ...         return grad_out * 2
    >>> x = weft.tensor([1., 2.], requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    generate_vmap_rule = False
    # with True, backward(ctx, grads) gets one list, out of which it may take what it has used
    boxed_grads_call = False

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{type(self)} should not be instantiated: its methods are static\n  fix: call "
                      f"{type(self).__name__}.apply(...)",
                      DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{type(self).__name__}: Legacy autograd function with non-static forward method is "
                           f"deprecated.\n  fix: make forward and backward static methods with a ctx, and call "
                           f"{type(self).__name__}.apply(...)")

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs; the first argument is `ctx`, unless `setup_context` is defined.

        >>> import weft
        >>> class Cube(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return 3 * g * x ** 2
        >>> x = weft.full((1,), 2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor([12.])
        """
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Where forward takes no `ctx`: fill the context afterwards.

        >>> import weft
        >>> class Scale(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(x, factor):
        ...         return x * factor
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         ctx.factor = inputs[1]
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         return g * ctx.factor, None
        >>> x = weft.ones(1, requires_grad=True)
        >>> Scale.apply(x, 5).backward()
        >>> x.grad
        tensor([5.])
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of the inputs, None for those without.

        >>> import weft
        >>> class Cube(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return 3 * g * x ** 2
        >>> x = weft.full((1,), 2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor([12.])
        """
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The forward-mode rule: tangents of the outputs from those of the inputs.

        >>> import weft
        >>> class Double(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * 2
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         pass
        ...     @staticmethod
        ...     def jvp(ctx, tangent):
        ...         return tangent * 2
        >>> Double.jvp(None, weft.ones(2))
        tensor([2., 2.])
        """
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with "
                                  "forward mode AD.")

    @staticmethod
    def vmap(info, in_dims, *args):
        """The rule for a batch of calls.

        >>> import weft
        >>> class Double(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * 2
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         pass
        ...     @staticmethod
        ...     def vmap(info, in_dims, x):
        ...         return Double.apply(x), in_dims[0]
        >>> weft.func.vmap(Double.apply)(weft.ones(3, 2)).shape
        torch.Size([3, 2])
        """
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod "
                                  "or set generate_vmap_rule=True.")

    @classmethod
    def _run_backward(cls, ctx, grads):
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                               "should only implement one of them.")
        rule = cls.vjp if cls.backward is Function.backward else cls.backward
        return rule(ctx, grads) if cls.boxed_grads_call else rule(ctx, *grads)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run the forward, and record it.

        >>> import weft
        >>> class Cube(weft.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         x, = ctx.saved_tensors
        ...         return 3 * g * x ** 2
        >>> x = weft.full((1,), 2.0, requires_grad=True)
        >>> Cube.apply(x).backward()
        >>> x.grad
        tensor([12.])
        """
        two_steps = cls.setup_context is not Function.setup_context
        if two_steps:
            bound = _signature(cls).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, {}
        elif kwargs:        # each takes its place among the arguments, and so among the gradients
            bound = _signature(cls).bind(None, *args, **kwargs)
            args, kwargs = bound.args[1:], bound.kwargs
        ctx = FunctionCtx()
        ctx.needs_input_grad = needs = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        node = None
        bits = mode_bits()
        if bits & GRAD_OFF == 0 and any(needs):
            node = _node_class(cls)(ctx, args)
            ctx._ref = weakref.ref(node)
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.enter(_as_op(cls), args)
        set_mode_bits(bits | GRAD_OFF)
        try:
            if two_steps:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        finally:
            set_mode_bits(bits)
            if bits & WATCH:
                for watcher in local.watchers:
                    watcher.leave(_as_op(cls))
        outputs = result if isinstance(result, tuple) else (result,)
        made = tie(ctx, node, [a for a in args if isinstance(a, Tensor)], outputs)
        keep = _checked(ctx._to_save)
        if bits & WATCH:
            _apply_forward(cls, ctx, args, made, keep)
        # before the hooks, which may raise: an output holds its node
        ctx._to_save = ctx._dirty = ctx._non_differentiable = ()
        if node is not None:
            _refuse_inference(cls, keep)
            ctx._saved = tuple([None if t is None else _Saved(t, _output_number(t, made, node)) for t in keep])
        if bits & (WATCH | NUMERICS):
            _tell(cls, args, made, bits)
        if not isinstance(result, tuple):
            return made[0]
        return tuple(made) if type(result) is tuple else type(result)(*made)


def _apply_forward(cls, ctx, args, outputs, keep):
    """Let those who look on ask for the forward derivative."""
    before, saved = ctx._saved, ctx._for_forward or keep
    ctx._saved, ctx._for_forward = tuple([None if t is None else _Saved(t, None) for t in saved]), ()
    try:
        for watcher in local.watchers:
            watcher.applied(cls, ctx, args, outputs)
    finally:
        ctx._saved = before


class _AsOp:
    """A Function as those see it who look on: an op of that name."""

    is_view = pointwise = False

    def __init__(self, cls):
        self.name, self.node_name, self.names = cls.__name__, cls.__name__ + "Backward", ()


def _as_op(cls):
    made = cls.__dict__.get("_op")
    if made is None:
        made = cls._op = _AsOp(cls)
    return made


def _tell(cls, args, outputs, bits):
    """Let those who look on see what a Function made."""
    made = [t for t in outputs if isinstance(t, Tensor)]
    if bits & NUMERICS:
        local.numerics.forward(_as_op(cls), args, made)
    if bits & WATCH:
        for watcher in local.watchers:
            watcher.after(_as_op(cls), args, made)


def _checked(tensors):
    for i, t in enumerate(tensors):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type "
                            f"{type(t).__name__}\n  fix: keep other values as attributes, ctx.name = value")
    return tensors


def _refuse_inference(cls, tensors):
    if any(t is not None and t._inference for t in tensors):
        raise RuntimeError(message(f"{cls.__name__}: Inference tensors cannot be saved for backward.",
                                   fix="clone() it outside inference_mode, or make it under no_grad() instead"))


def _output_number(t, made, node):
    """Which output of the node a tensor is; None for inputs and others."""
    for k, out in enumerate(made):
        if out is t and node.tied[k]:
            return k
    return None


@functools.lru_cache(maxsize=1024)
def _signature(cls):
    return inspect.signature(cls.forward)


def _node_class(cls):
    made = cls.__dict__.get("_node_class")
    if made is None:
        made = cls._node_class = type(cls.__name__ + "Backward", (FunctionNode,), {"function": cls})
    return made


def once_differentiable(backward):
    """For a backward that is not itself differentiable: a second derivative through it is an error.

    >>> import weft
    >>> class Halve(weft.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x / 2
    ...     @staticmethod
    ...     @weft.autograd.function.once_differentiable
    ...     def backward(ctx, g):
    ...         return weft.from_numpy(g.numpy() / 2)
    >>> x = weft.ones(1, requires_grad=True)
    >>> Halve.apply(x).backward()
    >>> x.grad
    tensor([0.5000])
    """
    @functools.wraps(backward)
    def once(ctx, *grads):
        with no_grad():
            found = backward(ctx, *grads)
        if mode_bits() & GRAD_OFF or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return found
        wanted = list(found) if isinstance(found, tuple) else [found]
        tensors = [g for g in grads if isinstance(g, Tensor)]
        held = [None if g is None else _Once.apply(g, *tensors) for g in wanted]
        return tuple(held) if isinstance(found, tuple) else held[0]
    return once


class _Once(Function):
    """Passes its input on, and refuses to be differentiated."""

    @staticmethod
    def forward(ctx, x, *tensors):
        return x.detach()

    @staticmethod
    def backward(ctx, grad_out):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


class InplaceFunction(Function):
    """A Function with an `inplace` flag.

    >>> import weft
    >>> class Zero(weft.autograd.function.InplaceFunction):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.mark_dirty(x)
    ...         return x.zero_()
    >>> Zero.apply(weft.ones(2))
    tensor([0., 0.])
    """

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
