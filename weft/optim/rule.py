# compiled
"""`Rule`, from which the built-in optimizers are made: one file each, and in it everything about that optimizer.

Its formula stands once, in Tensor ops, for one parameter. Where there is a kernel that updates all parameters in one
call, an op beside the formula runs it (lists in, lists written, so whoever watches sees the step) and falls back to the
formula for what the kernel doesn't take; tests compare the two.
"""
from weft.autograd.rows import SEAM, keeps_rows
from weft.core.dtype import float32, float64, get_default_dtype
from weft.core.modes import GRAD_OFF, enable_grad, is_grad_enabled, no_grad
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import Aside
from weft.kernels.codes import BINARY
from weft.kernels.lists import unscale
from weft.kernels.native import binary_into, is_complex, is_half
from weft.ops.core.promotion import FLOAT32, cast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.create.data import tensor
from weft.optim.optimizer import Optimizer
from weft.optim.rows import is_sparse
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor, wrap

ADD = BINARY["add"]


def number(value):
    """An option given as a number or as a tensor of one; a tensor that the step is to be differentiated by stays one.
    """
    if isinstance(value, Tensor):
        return value.reshape(()) if value.requires_grad and is_grad_enabled() else value.item()
    return value


def counter(value=0.0):
    """A scalar of the state: a tensor, as in PyTorch."""
    return tensor(value, dtype=float64 if get_default_dtype() is float64 else float32)


def check_lr(lr):
    """Refuse a rate that is no number >= 0."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    in_range("learning rate", lr, 0.0)


def check_flags(fused, foreach, differentiable):
    """Refuse options that contradict each other; apart from `differentiable` they don't change what weft does."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def in_range(name, value, low, high=None, open_end=True):
    """Refuse an option outside of its range, in PyTorch's words."""
    value = value.item() if isinstance(value, Tensor) else value
    if not low <= value or high is not None and not (value < high if open_end else value <= high):
        raise ValueError(f"Invalid {name}: {value}")


class Rule(Optimizer):
    """An optimizer that is stated for one parameter.

    A subclass defines `start(p, state, group)`, which fills an empty state, and `update(p, grad, state, group)`, its
    formula in Tensor ops; and may define `many(params, grads, states, group)`, which does the same for a whole list by
    one op (see `update_all`).
    """

    many = None

    def keeps_state(self, group):
        """Whether the parameters of a group have a state at all."""
        return True

    def start(self, p, state, group):
        """Fill the state of a parameter that is updated for the first time."""

    def update(self, p, grad, state, group):
        """Update one parameter in place."""
        raise NotImplementedError

    def step(self, closure=None):
        """One update of all parameters that have a gradient; a closure recomputes the loss and gives it back.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> optimizer = weft.optim.SGD([p], lr=0.1)
        >>> p.sum().backward()
        >>> optimizer.step()
        >>> p.detach()
        tensor([0.9000, 0.9000])
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        bits = mode_bits()
        set_mode_bits(bits & ~GRAD_OFF if self.defaults.get("differentiable", False) else bits | GRAD_OFF)
        try:
            for group in self.param_groups:
                self._step_group(group)
        finally:
            set_mode_bits(mode_bits() & ~GRAD_OFF | bits & GRAD_OFF)
        return loss

    def update_rows(self, p, grad, state, group):
        """Update one parameter whose gradient is sparse; most optimizers can't."""
        name = "Adam" if type(self).__name__ == "AdamW" else type(self).__name__
        other = ", please consider SparseAdam instead" if name == "Adam" else ""
        raise RuntimeError(f"{name} does not support sparse gradients{other}\n  fix: make the layer with sparse=False, "
                           f"or use SGD, Adagrad or SparseAdam for it")

    def _step_group(self, group):
        params, grads, states, kept_elsewhere = [], [], [], []
        all_states, keeps = self.state, self.keeps_state(group)
        by_rows = not mode_bits() & SEAM and self.leaves_alone(group)       # where a gradient is kept as rows
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            state = all_states.get(p)
            if not state:
                state = self._begun(p, group) if keeps else {}
            if type(grad) is not Tensor:
                if is_sparse(grad):
                    self.update_rows(p, grad, state, group)
                    continue
                if hasattr(grad, "_for_step"):      # it stands for other tensors, which are to be updated
                    whole, held = grad, state
                    p, grad, state = whole._for_step(p, held)
                    kept_elsewhere.append((whole, held, state))
            if by_rows and grad._owed is not None and self._moved_rows(p, grad, state, group):
                continue
            params.append(p)
            grads.append(grad)
            states.append(state)
        if params:
            self._update_all(params, grads, states, group)
        for whole, held, state in kept_elsewhere:
            whole._after_step(held, state)

    def _update_all(self, params, grads, states, group):
        if getattr(self, "grad_scale", None) is not None or getattr(self, "found_inf", None) is not None:
            self._unscale(grads, group)
        if self.many is not None and not group.get("differentiable"):
            self.many(params, grads, states, group)
            return
        for p, grad, state in zip(params, grads, states):
            if group.get("differentiable"):
                # the update is part of the graph: what it reads must not be what it writes
                for key, value in state.items():
                    if isinstance(value, Tensor):
                        state[key] = value.clone()
            self.update(p, grad, state, group)

    def leaves_alone(self, group):
        """Whether a gradient of zero changes neither a parameter nor its state."""
        return False

    def _moved_rows(self, p, grad, state, group):
        """Whether a table was updated in the few rows only that have a gradient, since the others would stay as they
        are.
        """
        if (not keeps_rows([grad]) or group.get("differentiable")
                or getattr(self, "grad_scale", None) is not None or getattr(self, "found_inf", None) is not None
                or p._form.dtype != grad._form.dtype):
            return False
        numbers, part = grad._owed.join()
        tables = {key: value for key, value in state.items() if isinstance(value, Tensor) and value.shape == p.shape}
        parts = {key: wrap(table._array[numbers]) for key, table in tables.items()}
        moved = wrap(p._array[numbers])
        self.many([moved], [wrap(part)], [{**state, **parts}], group)
        for table, new in [(p, moved), *((tables[key], parts[key]) for key in tables)]:
            table._array[numbers] = new._array
            table._own_memory_record().mark()
        return True

    def _unscale(self, grads, group):
        """Divide the gradients by what GradScaler hung on a fused optimizer; others don't know it."""
        if "fused" in group and not group["fused"]:
            raise AssertionError("Expected grad_scale and found_inf to be None: only fused=True honours them")
        if group.get("fused") and getattr(self, "grad_scale", None) is not None:
            UNSCALE.compute([grads, self.grad_scale, self._skip_of(group)])

    def _skip_of(self, group):
        """A tensor of one element that, where it isn't zero, leaves out the step of a fused optimizer (GradScaler hangs
        it on the optimizer, and `grad_scale`, by which the gradients are divided first); or None.
        """
        return getattr(self, "found_inf", None) if group.get("fused") else None

    def _begun(self, p, group):
        state = {}
        with no_grad():
            self.start(p, state, group)     # may refuse the parameter
        self.state[p] = state
        return state

    def _misfits(self, number, param, group, state):
        fresh = {}
        # not of a subclass with a step and a state of its own
        if state and getattr(type(self).step, "__wrapped__", None) is Rule.step:
            self.start(param.detach().to("meta"), fresh, group)     # what the state would be, without its numbers
        for key, value in fresh.items():
            shape, saved = param.shape if value is None else getattr(value, "shape", None), state.get(key, value)
            if value is not None and key not in state:
                yield f"  {key} of parameter {number} is missing"
            elif isinstance(saved, Tensor) and key not in self.scalars and saved.shape != shape:
                yield f"  {key} of parameter {number}: {list(saved.shape)} saved, {list(shape)} needed"

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)
            for p in group["params"]:
                kept = self.state.get(p, {})
                for name in self.scalars:       # numbers, in files of older versions
                    if name in kept and not isinstance(kept[name], Tensor):
                        kept[name] = counter(float(kept[name]))


def descent(p, grad, maximize, weight_decay, decoupled_lr=None):
    """The gradient to go down: turned round to maximize, with the weight decay added; a decoupled decay (the rate is
    given then) shrinks the parameter at once.
    """
    grad = -grad if maximize else grad
    if not isinstance(weight_decay, Tensor) and weight_decay == 0:
        return grad
    if decoupled_lr is not None:
        p.mul_(1 - decoupled_lr * weight_decay)
        return grad
    if isinstance(weight_decay, Tensor):
        return grad + p.clone() * weight_decay
    return grad.add(p, alpha=weight_decay)


def descent_in(group, p, grad):
    """The same by the options of a group."""
    lr = number(group["lr"]) if group.get("decoupled_weight_decay") else None
    return descent(p, grad, group["maximize"], number(group.get("weight_decay", 0)), lr)


def move(p, change, rate):
    """p -= rate * change"""
    if isinstance(rate, Tensor):
        p.sub_(change * rate)
    else:
        p.add_(change, alpha=-rate)


def move_ratio(p, change, root, rate):
    """p -= rate * change / root"""
    if isinstance(rate, Tensor):
        p.sub_(change / root * rate)
    else:
        p.addcdiv_(change, root, value=-rate)


def blend_square(mean, new, keep):
    """mean = keep * mean + (1 - keep) * new**2"""
    if isinstance(keep, Tensor):
        mean.lerp_(new * new, 1 - keep)
    else:
        mean.mul_(keep).addcmul_(new, new, value=1 - keep)


def real_view(*tensors):
    """Complex tensors as pairs of real numbers, others as they are: for rules that work element by element."""
    made = [FUNCTIONS["view_as_real"](t) if t is not None and t.is_complex() else t for t in tensors]
    return made if len(made) > 1 else made[0]


# all parameters at once

def update_all(kernel, formula, lists, steps, numbers, flags=()):
    """Update lists of arrays in place (parameters, gradients, then states; None for a state that isn't kept).

    By the kernel, which takes the lists, the steps' counts (not where `steps` is None), the numbers and flags of its
    own; else by the formula, parameter by parameter, as tensors: `formula(*row, step, *numbers)`.
    """
    counts = () if steps is None else (steps,)
    parts = [real_parts(arrays) for arrays in lists]
    if steps is not None and len(parts[0]) != len(lists[0]):        # a complex parameter has two parts and one count
        counts = ([c for p, c in zip(lists[0], steps) for _ in range(2 if is_complex(p) else 1)],)
    if kernel(*parts, *counts, *numbers, *flags):
        return
    with Aside(), no_grad():
        for i in range(len(lists[0])):
            row = [None if arrays is None else wrap(widened(arrays[i])) for arrays in lists]
            step = () if steps is None else (steps[i] if isinstance(steps[i], (int, float)) else steps[i].item(),)
            formula(*row, *step, *numbers)
            for k, t in enumerate(row):
                if k != 1 and t is not None and is_half(lists[k][i]):
                    lists[k][i][...] = cast(t._array, lists[k][i].dtype)


def skips(found_inf):
    """Whether a step is left out: something is there, and it isn't zero."""
    return found_inf is not None and plain_number(found_inf) != 0


@op
class _unscale_grads:
    """Gradients divided by the factor that the loss was multiplied by, in place; not where the step is left out."""
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "UnscaleGrads"
    writes = "grads"

    def forward(grads, grad_scale, found_inf):
        if not skips(found_inf):
            unscale(grads, 1 / plain_number(grad_scale))

    def shape(*given):
        return ()
    why_no_samples = "tests/compare/test_optimizer_kernels_torch.py: grad_scale"


UNSCALE = _unscale_grads.op


def real(arrays):
    """Whether none of the arrays is complex."""
    for a in arrays:
        if is_complex(a):
            return False
    return True


def real_parts(arrays):
    """Arrays, of complex ones the real and the imaginary parts one after the other; None for None."""
    if arrays is None:
        return None
    found = []
    for a in arrays:
        if is_complex(a):
            found.append(a.real)
            found.append(a.imag)
        else:
            found.append(a)
    return found


def widened(array):
    """Half types are computed in float32 and rounded when stored, as the kernels do."""
    return cast(array, FLOAT32) if is_half(array) else array


def count_up(steps):
    """Count step counts (arrays of one element) up by one."""
    for step in steps:
        if not binary_into(ADD, step, 1.0):
            step += 1


def plain_number(value):
    """An option as a float: it is a number, or an array of one."""
    return value if type(value) is float else float(value) if isinstance(value, (int, float)) else float(value.item())


def kept(states, name, wanted=True):
    """The entries of a name in all states, None where such a state isn't kept."""
    return [state[name] for state in states] if wanted else None
