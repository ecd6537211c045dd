# compiled, -O3
"""The only road of an op: bind -> promote -> kernel -> wrap -> record. `a + b` takes the short form of it, `call2`."""
import warnings

import numpy as np
from numpy import ndarray

from weft.autograd.graph import Node, Packed, Plan, Rule, next_seq
from weft.core import dtype as dtypes
from weft.core.errors import fail, message
from weft.core.modes import GRAD_OFF, INFERENCE, NO_OVERRIDE, NUMERICS, SAVED_HOOKS, SLOW, WATCH, local
from weft.core.operation import Operation
from weft.core.runtime import mode_bits, pure_fields, set_mode_bits
from weft.core.size import broadcast_shapes
from weft.kernels.fast import finite
from weft.kernels.native import binary, is_complex, is_half, is_inexact, same_layout, same_type, shape, unary, view
from weft.ops.core.promotion import promote
from weft.ops.core.unusual import run_unusual
from weft.tensor.calls import call_arrays
from weft.tensor.tensor import OPS, Tensor, alias, wrap, wrap_view

SPECIAL = SLOW | NUMERICS       # who wants to see what was made
PARAMETER = Tensor      # nn.Parameter, once it is there: the other type that needs no __torch_function__


def register_plain(cls):
    """Let the instances of a tensor subclass be taken as plain tensors."""
    global PARAMETER
    PARAMETER = cls


def is_plain(x):
    return type(x) is Tensor or type(x) is PARAMETER


def needs_grad(t):
    """Whether a tensor takes part in the graph."""
    if t._view is not None:
        view = t._view
        if view.version != t._storage.version:
            OPS.refresh(t)
    return t._leaf or t._node is not None


class Op(Operation):
    """An op as its body declares it; see `registry.op`."""

    # the short road

    def call2(self, x, y):
        bits = mode_bits()
        if self.binary_code < 0 or bits & SLOW:
            if bits & SLOW == WATCH and self.binary_code >= 0:
                return self.watched(x, y)
            return self.call_operator(x, y) if self.general is None else self.general.call_operator(x, y)
        x_plain = is_plain(x)
        y_plain = is_plain(y)
        array = None
        if x_plain and y_plain:
            a = x
            b = y
            if not a._meta and not b._meta:
                array = binary(self.binary_code, a.array, b.array)
        elif x_plain:
            a = x
            if not a._meta:
                array = binary(self.binary_code, a.array, y)
        elif y_plain:
            b = y
            if not b._meta:
                array = binary(self.binary_code, x, b.array)
        if array is None:
            return self.call_operator(x, y) if self.general is None else self.general.call_operator(x, y)
        out = wrap(array)
        if bits & NUMERICS and finite(array) is not True:
            local.numerics.forward(self, (x, y), [out])
        if bits & GRAD_OFF or not self.differentiable:
            return out
        mask = 0
        if x_plain and needs_grad(x):
            mask = 1
        if y_plain and needs_grad(y):
            mask += 2
        if mask:
            self.record_small(mask, x, y, out)
        return out

    def call_operator(self, x, y):
        """`x op y` on the general road; NotImplemented for an operand that may know better itself."""
        if not is_operand(x) or not is_operand(y):
            return NotImplemented
        if type(x) is ndarray:
            x = wrap(x)
        elif type(y) is ndarray:
            y = wrap(y)
        return self.call((x, y), {})

    def call1(self, x):
        bits = mode_bits()
        if self.unary_code < 0 or bits & SLOW or not is_plain(x):
            if bits & SLOW == WATCH and self.unary_code >= 0 and is_plain(x):
                return self.watched(x, None)
            return self.call((x,), {})
        a = x
        array = None if a._meta else unary(self.unary_code, a.array)
        if array is None:
            return self.call((x,), {})
        out = wrap(array)
        if bits & NUMERICS and finite(array) is not True:
            local.numerics.forward(self, (x,), [out])
        if bits & GRAD_OFF == 0 and self.differentiable and needs_grad(a):
            self.record_small(1, x, None, out)
        return out

    def watched(self, x, y):
        """The short road while others look on: the same kernel runs as when nobody does."""
        values = [x, y]
        if self.binary_code < 0:
            values = [x, *self.defaults[1:]]
        elif self.n_params > 2:
            values.extend(self.defaults[2:])
        watchers = local.watchers
        for watcher in watchers:
            watcher.before(self, values)
        bits = set_mode_bits(mode_bits() & ~WATCH)
        try:
            out = self.call1(x) if self.binary_code < 0 else self.call2(x, y)
        finally:
            set_mode_bits(bits)
        if isinstance(out, Tensor):
            for watcher in watchers:
                watcher.after(self, values, [out])
        return out

    def record_small(self, mask, x, y, out):
        """Record an op of one or two operands and otherwise default arguments."""
        plan = self.small_plans[mask]
        if plan is None:
            plan = self.small_plan_for(mask)
        node = Node.__new__(Node)
        node.op = self
        node.plan = plan
        node.seq = next_seq()
        node.n_outputs = 1
        node.stamp()
        first = None
        second = None
        if mask & 1:
            a = x
            first = a if a._node is None else a._node
            if a._out and a._node is not None:
                node.outs = (a._out, 0)
            if not (same_layout(a.array, out.array) if self.pointwise else same_type(a.array, out.array)):
                node.specs = (spec_of(a), None)
        if mask & 2:
            b = y
            second = b if b._node is None else b._node
            if b._out and b._node is not None:
                node.outs = (0 if node.outs is None else node.outs[0], b._out)
            if not (same_layout(b.array, out.array) if self.pointwise else same_type(b.array, out.array)):
                node.specs = (None if node.specs is None else node.specs[0], spec_of(b))
        node.parents = (first, second) if self.n_rules == 2 else (first,)
        if plan.n_saved:
            self.save_small(node, plan, x, y, out)
        out._node = node

    def save_small(self, node, plan, x, y, out):
        dirty = False
        saved = []
        for i in range(plan.n_saved):
            slot = plan.keep[i]
            if slot >= SHAPE:
                value = shape_of(x if slot == SHAPE else y)
            elif slot == 0:
                value = x
            elif slot == 1 and self.n_positional > 1:
                value = y
            elif slot >= self.n_params:
                value = alias(out)
            else:
                value = self.defaults[slot]
            if isinstance(value, Tensor):
                t = value
                if t._storage is not None and t._storage.version != 0:
                    dirty = True
            saved.append(value)
        node.saved = saved
        if dirty:
            node.versions = versions_of(saved)

    # the general road

    def call(self, args, kwargs):
        out = kwargs.pop("out", None) if kwargs else None
        if mode_bits() & NO_OVERRIDE == 0 and overridden(args, kwargs):
            return override(self.public, args, kwargs if out is None else {**kwargs, "out": out})
        if self.compose is not None:
            if kwargs:
                kwargs = self.own_names(kwargs)
            result = (self.compose(*args, **kwargs) if mode_bits() & NUMERICS == 0
                      else local.numerics.composed(self, args, kwargs))
        else:
            result = self.compute(self.bind(args, kwargs))
        if out is not None:
            return write_out(self, out, result)
        return result

    def own_names(self, kwargs):
        """Keyword arguments under the parameters' own names: `axis` for `dim` and the like."""
        renamed = {}
        for key, value in kwargs.items():
            at = self.aliases.get(key, -1)
            renamed[self.names[at] if at >= 0 else key] = value
        return renamed

    def as_given(self, values):
        """Bound values as arguments again: what has its default is left out."""
        n = self.n_positional
        while n > 1 and values[n - 1] is self.defaults[n - 1]:
            n -= 1
        keywords = {}
        for i in range(self.n_positional, self.n_params):
            if values[i] is not self.defaults[i]:
                keywords[self.names[i]] = values[i]
        return tuple(values[:n]), keywords

    def call_values(self, values):
        if mode_bits() & NO_OVERRIDE == 0 and overridden(values, None):
            return override(self.public, *self.as_given(values))
        return self.compute(values)

    def bind(self, args, kwargs):
        """The arguments in the order of the parameters, defaults filled in."""
        n = len(args)
        if self.pack >= 0 and n > self.pack and (n > self.pack + 1 or not isinstance(args[self.pack], (tuple, list))):
            # x.view(2, 3) is x.view((2, 3))
            if n > self.pack + 1 or isinstance(args[self.pack], (int, np.integer)) or type(args[self.pack]) is Tensor:
                args = (*args[:self.pack], tuple(args[self.pack:]))
                n = len(args)
        if n > self.n_positional and self.name in OLD_FORMS:
            args, kwargs = as_now(self.name, args, kwargs)
            n = len(args)
        if n > self.n_positional:
            raise TypeError(f"{self.name}() takes {self.n_positional} positional arguments but {n} were given\n"
                            f"  fix: call it as {self.name}{self.signature}")
        values = list(args)
        values.extend(self.defaults[n:])
        for key in kwargs:
            at = self.aliases.get(key, -1)
            if at < 0:
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{key}'\n"
                                f"  fix: call it as {self.name}{self.signature}")
            if at < n:
                raise TypeError(f"{self.name}() got multiple values for argument '{self.names[at]}'")
            values[at] = kwargs[key]
        for i in range(len(values)):
            if values[i] is MISSING:
                raise TypeError(f"{self.name}() missing a required argument: '{self.names[i]}'\n"
                                f"  fix: call it as {self.name}{self.signature}")
        return values

    def compute(self, values):
        """Run on bound values: promote, unwrap, kernel, wrap, record."""
        bits = mode_bits()
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.before(self, values)
        unusual = False         # half precision, meta tensors or lists of tensors among the values
        mask = 0                # a bit for each parameter whose gradient is wanted
        bit = 1
        for v in values:
            if isinstance(v, Tensor):
                t = v
                unusual = unusual or t._meta or is_half(t.array)
                if bits & GRAD_OFF == 0 and needs_grad(t):
                    mask |= bit
            elif isinstance(v, (list, tuple)):
                for e in v:
                    if isinstance(e, Tensor):
                        t = e
                        unusual = unusual or t._meta or is_half(t.array)
                        if bits & GRAD_OFF == 0 and needs_grad(t):
                            mask |= bit
            bit <<= 1
        meta = False
        if self.check is not None:
            self.check(*values)
        result = None
        if self.view_code and isinstance(values[0], Tensor):
            t = values[0]
            meta = t._meta
            result = view(self.view_code, t.array, values)
        viewed = result is not None
        if result is None:
            try:
                ready = values if self.promotion is None else promote(self, values)
                if unusual:
                    result, meta = run_unusual(self, ready)
                else:
                    result = call_arrays(self.forward, ready, self.n_positional, self.kw_names)
            except (ValueError, AttributeError, TypeError, MemoryError) as error:
                explain_failure(self, values, error)
                raise
        if isinstance(result, (tuple, list)):
            return self.finish_many(values, result, meta, bits, mask)
        if type(result) is not ndarray:
            result = np.asarray(result)
        if self.is_view or self.maybe_view:
            t = values[0]
            if self.maybe_view and result is t.array:
                if bits & WATCH:
                    for watcher in local.watchers:
                        watcher.unchanged(self, values)
                return t
            if bits & INFERENCE or self.maybe_view and not viewed and not shares_memory(result, t.array):
                out = wrap(result)
            else:
                out = wrap_view(result, t, self, values, 0, 1 if bits & GRAD_OFF else 0)
        else:
            out = wrap(result)
        if meta:
            out._meta = True
        if mask and self.differentiable:
            self.record_one(mask, values, out)
        if bits & SPECIAL:
            self.finish_special(values, [out], bits)
        return out

    def finish_many(self, values, results, meta, bits, mask):
        """Wrap and record an op of several outputs."""
        outs = []
        for array in results:
            if type(array) is not ndarray:
                array = np.asarray(array)
            if self.is_view and bits & INFERENCE == 0:
                kind = 1 if bits & GRAD_OFF else (2 if self.multi_view else 0)
                out = wrap_view(array, values[0], self, values, len(outs), kind)
            else:
                out = wrap(array)
            out._meta = meta
            outs.append(out)
        if mask and self.differentiable:
            self.record(mask, values, outs)
        if bits & SPECIAL:
            self.finish_special(values, outs, bits)
        return self.returns(*outs) if self.returns is not None else tuple(outs)

    def finish_special(self, values, outs, bits):
        """Mark what inference mode made, look for what is not finite, and tell the watchers."""
        if bits & INFERENCE:
            for out in outs:
                out._inference = True
        if bits & NUMERICS and not self.is_view:
            for out in outs:
                if is_inexact(out.array) and finite(out.array) is not True:
                    local.numerics.forward(self, values, outs)
                    break
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.after(self, values, outs)

    def mask_of(self, values):
        """A bit for each parameter that has (or, for a list, holds) a tensor that needs a gradient."""
        mask = 0
        bit = 1
        for v in values:
            if isinstance(v, Tensor):
                if needs_grad(v):
                    mask |= bit
            elif isinstance(v, (list, tuple)):
                for e in v:
                    if isinstance(e, Tensor) and needs_grad(e):
                        mask |= bit
            bit <<= 1
        return mask

    def plan_for(self, mask):
        """Which rules run for this choice of inputs, and so what must be saved; worked out once."""
        plan = self.plans.get(mask)
        if plan is None:
            from weft.ops.core.registry import make_plan
            plan = self.plans[mask] = make_plan(self, mask)
            if mask < 8:
                self.quick_plans[mask] = plan
        return plan

    def small_plan_for(self, mask):
        """The same for a call with one or two operands and otherwise defaults, which then need not be saved."""
        from weft.ops.core.registry import make_plan
        plan = self.small_plans[mask] = make_plan(self, mask, True)
        return plan

    def record_one(self, mask, values, out):
        """Record an op of one output; `record` is the same for several."""
        node = self.start_node(mask, values, out)
        if node.plan.n_saved:
            self.save(node, values, [out])
        if is_inexact(out.array):
            out._node = node

    def record(self, mask, values, outs):
        node = self.start_node(mask, values, outs[0])
        node.n_outputs = len(outs)
        node.out_specs = tuple([spec_of(made) for made in outs])
        if node.plan.n_saved:
            self.save(node, values, outs)
        for k in range(len(outs)):
            t = outs[k]
            if is_inexact(t.array) and k not in self.nondiff:
                t._node = node
                t._out = k

    def start_node(self, mask, values, first):
        """A node with the user's line and its parents."""
        plan = self.quick_plans[mask] if mask < 8 else None
        if plan is None:
            plan = self.plan_for(mask)
        node = Node.__new__(Node)
        node.op = self
        node.plan = plan if not plan.lists else with_counts(self, plan, values)  # a list's length is only known now
        node.seq = next_seq()
        node.n_outputs = 1
        node.stamp()
        if self.n_rules == 1 and isinstance(values[0], Tensor) and mask == 1 and self.rule_slots[0] == 0:
            t = values[0]
            node.parents = (t if t._node is None else t._node,)
            if t._node is not None and t._out:
                node.outs = (t._out,)
            if not (same_layout(t.array, first.array) if self.pointwise else same_type(t.array, first.array)):
                node.specs = (spec_of(t),)
            return node
        parents = []
        for i in self.rule_slots:
            v = values[i]
            if isinstance(v, Tensor):
                self.add_parent(node, parents, v, first)
            elif isinstance(v, (list, tuple)):
                for e in v:
                    self.add_parent(node, parents, e, first)
            else:
                parents.append(None)
        node.parents = tuple(parents)
        if node.outs is not None:
            node.outs = node.outs + (0,) * (len(parents) - len(node.outs))
        if node.specs is not None:
            node.specs = node.specs + (None,) * (len(parents) - len(node.specs))
        return node

    def save(self, node, values, outs):
        """Keep what the rules will ask for: values, outputs, or only shapes."""
        plan = node.plan
        saved = [None] * plan.n_saved
        for i in range(plan.n_saved):
            slot = plan.keep[i]
            if slot >= SHAPE:
                saved[i] = shape_of(values[slot - SHAPE])
            elif slot >= self.n_params:
                saved[i] = alias(outs[slot - self.n_params])
            else:
                saved[i] = values[slot]
        if plan.light:
            node.saved = saved
            return
        node.versions = versions_of(saved)
        if mode_bits() & SAVED_HOOKS:
            saved = pack_all(saved, node, self)
            node.packed = True
        node.saved = saved

    def add_parent(self, node, parents, value, out):
        """Add the edge to one input; note its output number and, where `fit` will be needed, its shape and type."""
        if not isinstance(value, Tensor) or not needs_grad(value):
            parents.append(None)
            return
        t = value
        at = len(parents)
        if t._node is None:
            parents.append(t)
        else:
            parents.append(t._node)
            if t._out:
                node.outs = (node.outs or ()) + (0,) * (at - len(node.outs or ())) + (t._out,)
        if not (same_layout(t.array, out.array) if self.pointwise else same_type(t.array, out.array)):
            node.specs = (node.specs or ()) + (None,) * (at - len(node.specs or ())) + (spec_of(t),)

    # gradients' shapes and types

    def fit(self, grad, spec):
        shape, np_dtype = spec
        array = grad.array
        if array.dtype != np_dtype:
            if array.dtype.kind == "c" and np_dtype.kind != "c":
                grad = grad.real
            if grad.array.dtype != np_dtype:
                grad = grad.to(dtypes.of_array(np_dtype))
        if grad.array.shape != shape:
            grad = grad.sum_to_size(shape)
        return grad

    def zeros(self, spec):
        """Zeros of an output's shape and type."""
        return wrap(np.zeros(*spec))

    def differentiable_output(self, t):
        return is_inexact(t.array)

    @property
    def signature(self):
        """`(x, dim=None)`, for messages."""
        import inspect
        return str(inspect.signature(self.forward or self.compose))

    def slot_names(self):
        return (*self.names, *(self.outputs or ("out",)))

    def __repr__(self):
        return f"<op {self.name}>"


pure_fields(Op, general=None)
SHAPE = 10000       # slots from here on stand for the shape of parameter slot - SHAPE
SHAPE_SLOT = SHAPE  # the same for Python, which can't see a C integer


class _Missing:
    def __repr__(self):
        return "<required>"


MISSING = _Missing()


def conj_of(value):
    """The conjugate of a tensor or number; real ones are their own."""
    if isinstance(value, Tensor):
        t = value
        return t.conj() if is_complex(t.array) else t
    return value.conjugate() if isinstance(value, complex) else value


def edge(t):
    """Where a tensor's gradient goes: its node, or the leaf itself."""
    return t if t._node is None else t._node


def spec_of(t):
    return (t.array.shape, t.array.dtype)


def versions_of(saved):
    """The versions at which tensors were saved; None when all are 0."""
    found = None
    for v in saved:
        if isinstance(v, Tensor):
            t = v
            if t._storage is not None and t._storage.version:
                found = [version_in(e) for e in saved]
                break
        elif isinstance(v, (list, tuple)) and written(v):
            found = [version_in(e) for e in saved]
            break
    return None if found is None else tuple(found)


def written(values):
    """Whether a tensor in a list was ever written to in place."""
    for v in values:
        if isinstance(v, Tensor):
            t = v
            if t._storage is not None and t._storage.version:
                return True
    return False


def version_in(value):
    """The version of a tensor, or of each in a list (None when all are 0)."""
    if isinstance(value, Tensor):
        return value.version()
    if isinstance(value, (list, tuple)):
        found = [e.version() if isinstance(e, Tensor) else 0 for e in value]
        return found if any(found) else None
    return 0


def with_counts(op, plan, values):
    """A plan whose list rule knows how many tensors the list has; made once for each length."""
    lengths = tuple([len(values[i]) if isinstance(values[i], (list, tuple)) else -1 for i in op.rule_slots])
    made = plan.counted.get(lengths)
    if made is None:
        starts = [0]
        for n in lengths:
            starts.append(starts[-1] + (n if n >= 0 else 1))
        rules = [Rule(starts[rule.position], lengths[rule.position], rule.function, rule.sources)
                 for rule in plan.rules]
        made = Plan(plan.keep, plan.n_params, tuple(rules), plan.joint, plan.joint_sources, plan.joint_needs, False)
        plan.counted[lengths] = made
    return made


def pack_all(saved, node, op):
    return [pack(v, node, op, slot) for v, slot in zip(saved, node.plan.keep)]


def shape_of(value):
    """The shape of a tensor (of each in a list): what a rule named `x_shape` saves instead of x."""
    if isinstance(value, Tensor):
        t = value
        return shape(t.array)
    return [shape_of(v) for v in value] if isinstance(value, (list, tuple)) else ()


def pack(value, node, op, slot):
    if not isinstance(value, Tensor) or not local.saved_hooks:
        return value
    pack_hook, unpack_hook = local.saved_hooks[-1]
    origin = None
    if slot < op.n_params and needs_grad(value):
        origin = (edge(value), value._out)
    bits = set_mode_bits(mode_bits() & ~SAVED_HOOKS | GRAD_OFF)
    try:
        packed = pack_hook(value if origin is None else alias(value))
    finally:
        set_mode_bits(bits)
    return Packed(packed, unpack_hook, origin)


def is_operand(x):
    """What stands beside a tensor in an expression: a tensor, a number, an array, or something with __torch_function__.
    """
    return (isinstance(x, (Tensor, int, float)) or isinstance(x, (complex, np.number, np.bool_, ndarray))
            or hasattr(x, "__torch_function__"))


def explain_failure(op, values, error):
    """Say in the user's terms why NumPy refused: no memory, operands that aren't tensors, shapes that don't broadcast.
    """
    if isinstance(error, MemoryError):
        raise RuntimeError(message(f"{op.name}: not enough memory: {error}",
                                   "use smaller tensors, or fewer at a time")) from error
    for i in range(min(op.n_positional, len(values))):
        v = values[i]
        if op.names[i] in ("x", "y") and not isinstance(v, (Tensor, bool, int, float, complex, np.number, np.bool_)):
            raise TypeError(message(f"{op.name}(): argument '{'input' if op.names[i] == 'x' else 'other'}' (position "
                                    f"{i + 1}) must be Tensor, not {type(v).__name__}",
                                    "make it one with torch.tensor(...)")) from error
    if op.pointwise and type(error) is ValueError:
        shapes = [v.array.shape for v in values if isinstance(v, Tensor)]
        try:
            broadcast_shapes(*shapes)
        except RuntimeError as mismatch:
            raise RuntimeError(f"{op.name}: {mismatch}") from None


# views

def shares_memory(made, source):
    return made is source or made.base is not None and (made.base is source or made.base is source.base)


# signatures of old, in which numbers come before the tensors that they scale: x.add_(alpha, y), addmm(beta, x, alpha,
# a, b)

OLD_FORMS = {"add": "alpha", "sub": "alpha", "addcmul": "value", "addcdiv": "value", "addmm": "beta alpha",
             "addmv": "beta alpha", "addr": "beta alpha", "addbmm": "beta alpha", "baddbmm": "beta alpha"}


def as_now(name, args, kwargs):
    """The arguments of an old signature in today's form; others as they are."""
    numbers = [a for a in args if isinstance(a, (int, float, complex))]
    tensors = [a for a in args if isinstance(a, Tensor)]
    names = OLD_FORMS[name].split()
    found = dict(zip(names, numbers))
    if (len(numbers) + len(tensors) != len(args) or not 0 < len(numbers) <= len(names)
            or not isinstance(args[len(args) - 1], Tensor) or found.keys() & kwargs.keys()):
        return args, kwargs
    warnings.warn(f"This overload of {name} is deprecated: give {' and '.join(found)} by name, after the tensors",
                  stacklevel=2)
    return tuple(tensors), {**kwargs, **found}


# results that go into a tensor that is there already

def may_write(array):
    """Whether no dimension repeats its elements."""
    for n, stride in zip(array.shape, array.strides):
        if n > 1 and stride == 0:
            return False
    return True


def write_out(op, out, result):
    """Fill `out=`: resized where its shape differs, never silently narrowed."""
    targets, results = (out, result) if isinstance(out, (tuple, list)) else ((out,), (result,))
    for target, made in zip(targets, results):
        if not isinstance(target, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be a tensor, not {type(target).__name__}")
        if mode_bits() & GRAD_OFF == 0 and (needs_grad(made) or needs_grad(target)):
            fail(RuntimeError, f"{op.name}(): functions with out=... arguments don't support automatic "
                 f"differentiation, but one of the arguments requires grad",
                 "call it without out=, or inside no_grad()")
        if not dtypes.can_cast(made.dtype, target.dtype):
            fail(RuntimeError, f"{op.name}(): result type {made.dtype} can't be cast to the desired output type "
                 f"{target.dtype}",
                 f"make out= a tensor of {made.dtype}")
    for target, made in zip(targets, results):
        if target.array.shape != made.array.shape:
            if target.array.size:
                warnings.warn(f"An output with one or more elements was resized since it had shape "
                              f"{list(target.array.shape)}, which does not "
                              f"match the required output shape {list(made.array.shape)}. This behavior is deprecated, "
                              f"and in a future PyTorch release outputs will not be resized unless they have zero "
                              f"elements. Reuse an out tensor t by resizing it, inplace, to zero elements with "
                              f"t.resize_(0).", stacklevel=2)
            target.resize_(made.array.shape)
        elif 0 in target.array.strides and target.array.size and not may_write(target.array):
            fail(RuntimeError, f"{op.name}(): out=: unsupported operation: more than one element of the written-to "
                 f"tensor refers to a single memory location (it was expanded)", "clone() it first")
        OPS.write_values(target, made.array)
    return out if not isinstance(out, (tuple, list)) or op.returns is None else op.returns(*out)


# the in-place functions

def make_inplace(op):
    """The `_` form of an op: check first, compute, write, then carry the history over."""
    def function(self, *args, **kwargs):
        return OPS.run_inplace(op, self, args, kwargs)
    return function


# subclasses

_NUMBERS = frozenset((bool, complex, slice, dtypes.dtype))


def overridden(args, kwargs):
    """Whether an argument is of a tensor subclass, whose __torch_function__ is to be asked."""
    for a in args:
        if isinstance(a, Tensor):
            if not is_plain(a):
                return True
        elif a is None or isinstance(a, (int, float, str)):
            continue
        elif isinstance(a, (list, tuple)):
            for e in a:
                if isinstance(e, Tensor):
                    if not is_plain(e):
                        return True
                elif not isinstance(e, (int, float, str, list, tuple)) and hasattr(e, "__torch_function__"):
                    return True
        elif type(a) not in _NUMBERS and hasattr(a, "__torch_function__"):
            return True
    if kwargs:
        for a in kwargs.values():
            if isinstance(a, Tensor) and not is_plain(a):
                return True
    return False


def override(public, args, kwargs):
    """Ask the subclasses' __torch_function__, the most derived first."""
    types = []
    for a in (*args, *kwargs.values()):
        for e in (a if isinstance(a, (list, tuple)) else (a,)):
            if (hasattr(e, "__torch_function__") and (not isinstance(e, Tensor) or not is_plain(e))
                and type(e) not in types):
                at = next((i for i, t in enumerate(types) if issubclass(type(e), t)), len(types))
                types.insert(at, type(e))
    for cls in types:
        result = cls.__torch_function__(public, tuple(types), args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(message(f"no __torch_function__ of {', '.join(t.__name__ for t in types)} takes {public.__name__}"))
