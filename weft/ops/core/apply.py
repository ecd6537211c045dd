# compiled, -O3
"""The only road of an op: bind -> promote -> kernel -> wrap -> record. `a + b` takes the short form of it, `call2`.

What happens on the way stands in files of its own: `bind` (arguments), `infer` (what comes out, without values),
`record` (the graph), `out` (`out=`), `failure` (why NumPy refused), `tensor/override` (`__torch_function__`).
"""
import numpy as np
from numpy import ndarray

from weft.autograd.outputs import INFERENCE_VIEW
from weft.core import dtype as dtypes
from weft.core.matching import NOTHING, learn_call, match, match_call
from weft.core.modes import (
    AUTOCAST,
    FUNCTION,
    GRAD_OFF,
    INFERENCE,
    MATCH,
    NO_OVERRIDE,
    NUMERICS,
    SAVED_HOOKS,
    SLOW,
    TAKE,
    WATCH,
    local,
)
from weft.core.place import here
from weft.core.runtime import mode_bits
from weft.core.seam import tell_read
from weft.core.spec import stand_in
from weft.kernels.fast import finite
from weft.kernels.native import binary, copied, is_complex, is_half, is_inexact, is_real, unary, view
from weft.ops.core.autocast import call_cast, compute_cast, without_cast
from weft.ops.core.bind import as_given, as_now, bind, own_names
from weft.ops.core.body import Body
from weft.ops.core.failure import EXPLAINED, explain_composition, explain_failure, not_a_tensor, wrong_type
from weft.ops.core.infer import SAME, infer
from weft.ops.core.out import computed_as, write_out
from weft.ops.core.promotion import promote
from weft.ops.core.record import mask_of, record_many, record_one, record_short
from weft.ops.core.unusual import run_unusual
from weft.tensor.calls import call_arrays
from weft.tensor.function_modes import ask_mode
from weft.tensor.override import overridden, override
from weft.tensor.tensor import Tensor, is_plain, lay_out, needs_grad, settle, wrap, wrap_view

SPECIAL = SLOW | NUMERICS       # who wants to see what was made
SEAM = WATCH | TAKE
DETOUR = SEAM | AUTOCAST | INFERENCE
DTYPE = dtypes.dtype


class Op(Body):
    """An op as its body declares it (see `registry.op`), and its roads."""

    # the short road

    def call2(self, x, y):
        bits = mode_bits()
        if self.binary_code < 0 or bits & SLOW:
            if bits & SEAM and not bits & FUNCTION and is_plain(x) \
                    and (is_plain(y) or type(y) is float or type(y) is int):
                return self.call_seen(x, y, bits)
            if self.number_loops is not None and bits & SLOW == 0:
                made = self.to_number(x, y, bits)
                if made is not None:
                    return made
            return self.call_operator(x, y) if self.general is None else self.general.call_operator(x, y)
        x_plain = type(x) is Tensor or is_plain(x)
        y_plain = type(y) is Tensor or is_plain(y)
        array = None
        mask = 0
        if x_plain:
            a = x
            if a._on_meta or a._owed is not None:
                x_plain = y_plain = False
            elif bits & GRAD_OFF == 0 and wants_grad(a):
                mask = 1
        if y_plain:
            b = y
            if b._on_meta or b._owed is not None:
                x_plain = y_plain = False
            elif bits & GRAD_OFF == 0 and wants_grad(b):
                mask += 2
        if self.tensor_slots and (not x_plain or self.tensor_slots & 2 and not y_plain):
            pass                                # a number where it takes none: the general road says so
        elif x_plain:
            array = binary(self.binary_code, a._form, b._form if y_plain else y)
        elif y_plain:
            array = binary(self.binary_code, x, b._form)
        if array is None:
            return self.call_operator(x, y) if self.general is None else self.general.call_operator(x, y)
        out = wrap(array)
        if bits & NUMERICS and finite(array) is not True:
            local.numerics.forward(self, (x, y), [out])
        if mask and self.differentiable:
            record_short(self, mask, x, y, out)
        return out

    def to_number(self, x, y, bits):
        """`x op y` for a number y that there is a native loop for, else None."""
        if not is_plain(x) or type(y) is not int and type(y) is not float:
            return None
        a = x
        code = self.number_loops.get(y, -1)
        if code < 0 or a._on_meta or a._owed is not None or not is_real(a._form) and not is_half(a._form):
            return None
        array = unary(code, a._form)
        if array is None:
            return None
        out = wrap(array)
        if bits & NUMERICS and finite(array) is not True:
            local.numerics.forward(self.of_numbers, (x, y), [out])
        if bits & GRAD_OFF == 0 and wants_grad(a):
            record_short(self.of_numbers, 1, x, y, out)
        return out

    def call_seen(self, x, y, bits):
        """`x op y` of plain operands, where somebody looks on or answers instead."""
        matched = bits & MATCH and bits & AUTOCAST == 0
        if matched:
            made = match_call(self, x, y, NOTHING, bits)
            if made is not None:
                return made
        if self.has_loop_alone():
            made = self.compute([x, y] if self.n_params == 2 else [x, y, *self.defaults[2:]])
        elif self.general is None:
            return self.call_operator(x, y)
        elif bits & (NUMERICS | AUTOCAST):
            return self.general.call_operator(x, y)
        else:
            made = self.general.composed(x, y)
        if matched:
            learn_call(self, x, y, NOTHING, made)
        return made

    def composed(self, x, y):
        """The composition of plain operands, at once."""
        try:
            return self.compose(x, y)
        except EXPLAINED as error:
            explain_composition(self, (x, y), {}, error)
            raise

    def call_operator(self, x, y):
        """`x op y` on the general road; NotImplemented for an operand that may know better itself."""
        if not is_operand(x) or not is_operand(y):
            return NotImplemented
        if type(x) is ndarray:
            x = wrap_shared(x)
        elif type(y) is ndarray:
            y = wrap_shared(y)
        return self.call((x, y), {})

    def call1(self, x):
        bits = mode_bits()
        if self.unary_code < 0 or bits & SLOW or type(x) is not Tensor and not is_plain(x):
            if bits & SEAM and not bits & FUNCTION and self.has_loop_alone() and is_plain(x):
                return self.call1_seen(x, bits)
            return self.call((x,), {})
        a = x
        array = None if a._on_meta or a._owed is not None else unary(self.unary_code, a._form)
        if array is None:
            return self.call((x,), {})
        out = wrap(array)
        if bits & NUMERICS and finite(array) is not True:
            local.numerics.forward(self, (x,), [out])
        if bits & GRAD_OFF == 0 and self.differentiable and wants_grad(a):
            record_short(self, 1, x, self.defaults[1] if self.n_params > 1 else None, out)
        return out

    def call1_seen(self, x, bits):
        """The op of one plain tensor, where somebody looks on or answers instead."""
        matched = bits & MATCH and bits & AUTOCAST == 0
        if matched:
            made = match_call(self, x, NOTHING, NOTHING, bits)
            if made is not None:
                return made
        made = self.compute([x] if self.n_params == 1 else [x, *self.defaults[1:]])
        if matched:
            learn_call(self, x, NOTHING, NOTHING, made)
        return made

    # the general road

    def call(self, args, kwargs):
        if mode_bits() & FUNCTION:
            return ask_mode(self.public, args, kwargs)
        out = kwargs.pop("out", None) if kwargs else None
        if mode_bits() & NO_OVERRIDE == 0 and overridden(args, kwargs):
            return override(self.public, args, kwargs if out is None else {**kwargs, "out": out})
        if self.autocast is not None and mode_bits() & AUTOCAST:
            return self.call_cast(args, kwargs, out)
        if out is not None and self.out_types == "own":
            kwargs = computed_as(self, kwargs, out)
        if self.compose is not None:
            if kwargs:
                kwargs = own_names(self, kwargs)
            if self.numbers_first and len(args) > self.n_positional:
                args, kwargs = as_now(self, args, kwargs)
            try:
                result = (self.compose(*args, **kwargs) if mode_bits() & NUMERICS == 0
                          else local.numerics.composed(self, args, kwargs))
            except EXPLAINED as error:
                explain_composition(self, args, kwargs, error)
                raise
        else:
            result = self.compute(bind(self, args, kwargs))
        if out is not None:
            return write_out(self, out, result)
        return result

    def call_cast(self, args, kwargs, out):
        """`call` in a region of autocast; one that is given its output keeps the types."""
        if out is None:
            return call_cast(self, args, kwargs)
        with without_cast():
            return self.call(args, {**kwargs, "out": out})

    def explain(self, args, kwargs, error):
        """Say in the user's terms why the composition refused these arguments."""
        if isinstance(error, EXPLAINED):
            explain_composition(self, args, kwargs, error)

    def refuse(self, x, y):
        """Name the operand that is neither a tensor nor a number."""
        at = 1 if is_operand(x) else 0
        raise wrong_type(self, at, y if at else x, "Tensor or number" if self.pointwise else "Tensor")

    def call_values(self, values):
        if mode_bits() & NO_OVERRIDE == 0 and overridden(values, None):
            return override(self.public, *as_given(self, values))
        return self.compute(values)

    def compute(self, values):
        """Run on bound values: promote, unwrap, kernel, wrap, record."""
        bits = mode_bits()
        if bits & DETOUR:
            if bits & INFERENCE:
                bits |= GRAD_OFF        # enable_grad inside doesn't change that
            if bits & AUTOCAST and self.autocast is not None:
                return compute_cast(self, values)
            if bits & MATCH:
                if self.pack >= 0:
                    self.number_sizes(values)
                answer = match(self, values, bits)
                if answer is not None:
                    return None if answer is NOTHING else answer
                bits = mode_bits() | bits & GRAD_OFF        # the path may have been left
            if bits & SEAM and self.seen_before(values, bits):
                return self.without_values(values, bits, True)
        elif self.view_code and bits & SLOW == 0 and self.check is None:
            made = self.short_view(values, bits)
            if made is not None:
                return made
        unusual = False         # half precision or lists of tensors among the values
        meta = False
        mask = 0                # a bit for each parameter whose gradient is wanted
        given = 0               # and for each that is a tensor
        bit = 1
        for v in values:
            if isinstance(v, Tensor):
                given |= bit
                t = v
                if t._owed is not None:
                    settle(t)
                meta = meta or t._on_meta
                unusual = unusual or is_half(t._form)
                if bits & GRAD_OFF == 0 and needs_grad(t):
                    mask |= bit
            elif isinstance(v, (list, tuple)):
                for e in v:
                    if isinstance(e, Tensor):
                        t = e
                        if t._owed is not None:
                            settle(t)
                        meta = meta or t._on_meta
                        unusual = unusual or is_half(t._form)
                        if bits & GRAD_OFF == 0 and needs_grad(t):
                            mask |= bit
            bit <<= 1
        if self.needs_tensor and given == 0 or self.tensor_slots & ~given:
            raise not_a_tensor(self, values, given)
        if meta:
            return self.without_values(values, bits, False)
        try:
            if self.check is not None:
                self.check(*values)
            if self.writes and bits & TAKE:
                self.about_to_write(values)
            result = self.work(values, unusual)
        except EXPLAINED as error:
            explain_failure(self, values, error)
            raise
        if self.writes:
            self.count_writes(values)
        if isinstance(result, (tuple, list)):
            return self.finish_many(values, result, bits, mask)
        if type(result) is not ndarray:
            if result is None:
                return self.finish_written(values, bits)
            result = np.asarray(result)
        if self.is_view or self.maybe_view:
            t = values[0]
            if self.maybe_view and result is t._form:
                return self.gave_back(values, bits)
            if self.maybe_view and not shares_memory(result, t._form):
                out = wrap(result)
            else:
                out = wrap_view(result, t, self, values, 0, view_kind(self, bits) if bits & GRAD_OFF else 0)
                if self.cuts and isinstance(values[1], DTYPE):
                    out = cut_off(out, t)
                    mask = 0
        else:
            out = wrap(result)
        if mask and self.differentiable:
            record_one(self, mask, values, out)
        if bits & SPECIAL:
            self.finish_special(values, [out], bits)
        return out

    def short_view(self, values, bits):
        """The view that comes of bound values; None for what needs a closer look."""
        if not isinstance(values[0], Tensor):
            return None
        t = values[0]
        array = None if t._on_meta or t._owed is not None else view(self.view_code, t._form, values)
        if array is None:
            return None
        if bits & GRAD_OFF:
            return wrap_view(array, t, self, values, 0, 1)
        out = wrap_view(array, t, self, values, 0, 0)
        if needs_grad(t):
            record_one(self, 1, values, out)
        return out

    def work(self, values, unusual):
        """The arrays that come of bound values whose own are there: the kernel, or the NumPy reference."""
        result = None
        if self.view_code and isinstance(values[0], Tensor):
            t = values[0]
            result = view(self.view_code, t._form, values)
        elif self.binary_code >= 0 or self.unary_code >= 0:
            result = self.by_loop(values)
        if result is not None:
            return result
        ready = values if self.promotion is None else promote(self, values)
        if unusual:
            return run_unusual(self, ready)
        return call_arrays(self.forward, ready, self.n_positional, self.kw_names)

    def has_loop_alone(self):
        """Whether the native loop and `forward` are one op: others are compositions that have a loop for a part."""
        return (self.binary_code >= 0 or self.unary_code >= 0) and self.forward is not None and self.general is None

    def by_loop(self, values):
        """What the short road gives for these values, None where it doesn't take them: both run the same loop."""
        given = 2 if self.binary_code >= 0 else 1
        for i in range(given, self.n_params):
            if values[i] is not self.defaults[i]:
                return None
        x = values[0]
        if isinstance(x, Tensor):
            a = x
            x = a._form
        if given == 1:
            return unary(self.unary_code, x)
        y = values[1]
        if isinstance(y, Tensor):
            b = y
            y = b._form
        return binary(self.binary_code, x, y)

    def gave_back(self, values, bits):
        """There was nothing to do: the first input is the result."""
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.unchanged(self, values)
        return values[0]

    def finish_many(self, values, results, bits, mask):
        """Wrap and record an op of several outputs."""
        outs = []
        for array in results:
            if type(array) is not ndarray:
                array = np.asarray(array)
            if self.is_view:
                out = wrap_view(array, values[0], self, values, len(outs), view_kind(self, bits))
            else:
                out = wrap(array)
            outs.append(out)
        if mask and self.differentiable:
            record_many(self, mask, values, outs)
        if bits & SPECIAL:
            self.finish_special(values, outs, bits)
        return self.together(outs)

    def finish_written(self, values, bits):
        """An op that only writes gives nothing."""
        if bits & SPECIAL:
            self.finish_special(values, [], bits)

    def finish_special(self, values, outs, bits):
        """Mark what inference mode made, look for what is not finite, and tell the watchers."""
        if bits & INFERENCE:
            for out in outs:
                out._inference = out._view_of is None      # a view is what it is a view of
        if bits & NUMERICS and not self.is_view:
            for out in outs:
                if is_inexact(out._form) and out._owed is None and finite(out._form) is not True:
                    local.numerics.forward(self, values, outs)
                    break
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.after(self, values, outs)

    # the seam

    def seen_before(self, values, bits):
        """Tell the watchers what is about to run and whose values decide it; whether the taker answers it."""
        if self.pack >= 0:
            self.number_sizes(values)
        if bits & WATCH:
            for watcher in local.watchers:
                watcher.before(self, values)
        if bits & TAKE and not self.reads and not holds_meta(values) and local.taker.takes(self, values):
            return True
        if bits & WATCH:
            for i in self.reads:
                if isinstance(values[i], Tensor):
                    tell_read(values[i], self.name)
        return False

    def without_values(self, values, bits, taken):
        """The results from the shape rule alone: for meta tensors, and for a taker, who owes the values then."""
        if self.pack >= 0:
            self.number_sizes(values)
        try:
            if self.check is not None:
                self.check(*values)
            specs = infer(self, values if self.promotion is None else promote(self, values))
        except EXPLAINED as error:
            explain_failure(self, values, error)
            raise
        if specs is SAME:
            return self.gave_back(values, bits)
        many = isinstance(specs, tuple)
        outs = []
        for spec in specs if many else (specs,):
            array = stand_in(spec.shape, spec.dtype)
            if spec.of is not None:
                out = wrap_view(array, values[0], self, values, len(outs), view_kind(self, bits))
            else:
                out = wrap(array)
            lay_out(out, spec)
            if taken:
                out._owed = local.taker.promise()
                out._on_meta = False
            else:
                out._on_meta = True
            outs.append(out)
        mask = 0 if bits & GRAD_OFF or not self.differentiable else mask_of(values)
        if self.cuts and isinstance(values[1], DTYPE):
            mask = 0
            if not taken:
                outs[0]._view_of = None
        if taken and bits & SAVED_HOOKS:        # a hook may want the values of what is saved
            local.taker.take(self, values, outs, many)
            taken = False
        if mask and many:
            record_many(self, mask, values, outs)
        elif mask:
            record_one(self, mask, values, outs[0])
        if self.writes:
            self.count_writes(values)
        if taken:
            local.taker.take(self, values, outs, many)
        if bits & SPECIAL:
            self.finish_special(values, outs, bits)
        if not many:
            return outs[0]
        return self.together(outs)

    def number_sizes(self, values):
        """Sizes that are tensors are read, so that they are numbers for whoever looks on."""
        sizes = values[self.pack]
        if isinstance(sizes, (tuple, list)) and any([isinstance(n, Tensor) for n in sizes]):
            values[self.pack] = tuple([n.__index__() if isinstance(n, Tensor) else n for n in sizes])

    def about_to_write(self, values):
        """Let the taker run what still needs the old values."""
        for i in self.writes:
            v = values[i]
            for t in (v,) if isinstance(v, Tensor) else v or ():
                local.taker.writing(t)

    def count_writes(self, values):
        """What the body says that it writes to has a new version."""
        place = here()
        for i in self.writes:
            v = values[i]
            if isinstance(v, Tensor):
                v._own_memory_record().mark_at(place)
            elif isinstance(v, (list, tuple)):
                for e in v:
                    if isinstance(e, Tensor):
                        t = e
                        t._own_memory_record().mark_at(place)

    # gradients' shapes and types

    def fit(self, grad, spec):
        shape, np_dtype = spec
        form = grad._form
        if form.dtype != np_dtype:
            if form.dtype.kind == "c" and np_dtype.kind != "c":
                grad = grad.real
            if grad._form.dtype != np_dtype:
                grad = grad.to(dtypes.of_array(np_dtype))
        if grad._form.shape != shape:
            made = self.reshaped(grad, shape)
            grad = grad.sum_to_size(shape) if made is None else made
        return grad

    def reshaped(self, grad, shape):
        """A copy of a gradient that lacks only dimensions of length 1, where nobody looks on; else None."""
        bits = mode_bits()
        t = grad
        if bits & GRAD_OFF == 0 or bits & SLOW or type(grad) is not Tensor or t._owed is not None or t._on_meta:
            return None
        array = copied(t._form, shape)      # None where it is of another size: there are sums to be made
        return None if array is None else wrap(array)

    def zeros(self, spec):
        """Zeros of an output's shape and type."""
        return wrap(np.zeros(*spec))

    def differentiable_output(self, t):
        return is_inexact(t._form)


def cut_off(out, source):
    """The view `out` without a history: one of its own memory where it had to be copied."""
    if not shares_memory(out._form, source._form):
        return wrap(out._form)
    out._view_of = None
    return out


def view_kind(op, bits):
    """What a view may be written through for, see `inplace._check_kinds`."""
    if bits & INFERENCE:
        return INFERENCE_VIEW
    return 1 if bits & GRAD_OFF else 2 if op.multi_view else 0


def wants_grad(t):
    """`needs_grad`; what is no view is answered without leaving this file."""
    return needs_grad(t) if t._view_of is not None else t._wants_grad or t._made_by is not None


def holds_meta(values):
    """Whether a tensor among the values is on the meta device."""
    for v in values:
        if isinstance(v, Tensor):
            if v._on_meta:
                return True
        elif isinstance(v, (list, tuple)):
            for e in v:
                if isinstance(e, Tensor) and e._on_meta:
                    return True
    return False


def conj_of(value):
    """The conjugate of a tensor or number; real ones are their own."""
    if isinstance(value, Tensor):
        t = value
        return t.conj() if is_complex(t._form) else t
    return value.conjugate() if isinstance(value, complex) else value


def is_operand(x):
    """What stands beside a tensor in an expression: a tensor, a number, an array, or something with
    __torch_function__.
    """
    return (isinstance(x, (Tensor, int, float)) or isinstance(x, (complex, np.number, np.bool_, ndarray))
            or hasattr(x, "__torch_function__"))


def wrap_shared(array):
    """A tensor in the memory of an array of the program's."""
    made = wrap(array)
    made._own_memory_record().outside = True
    return made


def shares_memory(made, source):
    return made is source or made.base is not None and (made.base is source or made.base is source.base)
