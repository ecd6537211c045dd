"""Adagrad: steps scaled by the sum of all squared gradients."""
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.ops.create.constants import full_like
from weft.optim.rows import rows_of, table_of
from weft.optim.rule import (
    Rule,
    check_flags,
    check_lr,
    count_up,
    counter,
    descent,
    in_range,
    kept,
    move_ratio,
    number,
    plain_number,
    real_view,
    skips,
    update_all,
)


def adagrad(p, grad, total, step, lr, lr_decay, weight_decay, eps, maximize):
    """The formula. total: the sum of all squared gradients; step: the number of this update, 1 for the first."""
    grad = descent(p, grad, maximize, weight_decay)
    p, grad, total = real_view(p, grad, total)
    total.addcmul_(grad, grad, value=1)
    move_ratio(p, grad, total.sqrt().add(eps), lr / (1 + (step - 1) * lr_decay))


@op
class _adagrad_update:
    """One step of Adagrad for all parameters, in place; with `counting` the step counts go up first. Where `found_inf`
    isn't zero, nothing is done.
    """
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "AdagradUpdate"
    writes = "params sums steps"

    def forward(params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize, counting, found_inf):
        if skips(found_inf):
            return
        if counting:
            count_up(steps)
        update_all(fast.adagrad, adagrad, (params, grads, sums), steps,
                   (*map(plain_number, (lr, lr_decay, weight_decay, eps)), maximize))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_derived_optimizers.py runs it through Adagrad"


class Adagrad(Rule):
    """p -= lr * g / (sqrt(sum(g**2)) + eps), lr decaying with the number of steps.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.ones(1))
    >>> w.grad = weft.ones(1)
    >>> weft.optim.Adagrad([w], lr=0.1).step()
    >>> w.data
    tensor([0.9000])
    """

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_lr(lr)
        in_range("lr_decay value", lr_decay, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        in_range("initial_accumulator_value value", initial_accumulator_value, 0.0)
        in_range("epsilon value", eps, 0.0)
        check_flags(fused, foreach, differentiable)
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable, fused=fused))
        if fused:
            self._step_supports_amp_scaling = True      # GradScaler asks
        for group in self.param_groups:
            for p in group["params"]:       # as in PyTorch the sums exist from the start
                self.start(p, self.state[p], group)

    def start(self, p, state, group):
        value = group["initial_accumulator_value"]
        state["step"] = counter()
        state["sum"] = full_like(p, complex(value, value) if p.is_complex() else value)

    def share_memory(self):
        """Move the sums to shared memory, for several processes.

        >>> import weft
        >>> p = weft.ones(2, requires_grad=True)
        >>> optimizer = weft.optim.Adagrad([p])
        >>> optimizer.share_memory()
        >>> optimizer.state[p]["sum"].is_shared()
        True
        """
        for state in self.state.values():
            state["sum"].share_memory_()

    def leaves_alone(self, group):
        return number(group["weight_decay"]) == 0 and group["eps"] > 0

    def many(self, params, grads, states, group):
        _adagrad_update.op.compute([params, grads, kept(states, "sum"), kept(states, "step"), group["lr"],
                                    group["lr_decay"], group["weight_decay"], group["eps"], group["maximize"], True,
                                    self._skip_of(group)])

    def update(self, p, grad, state, group):
        state["step"] += 1
        adagrad(p, grad, state["sum"], state["step"].item(), number(group["lr"]), group["lr_decay"],
                number(group["weight_decay"]), group["eps"], group["maximize"])

    def update_rows(self, p, grad, state, group):
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients\n  fix: leave it 0, or "
                               "make the layer with sparse=False")
        state["step"] += 1
        rate = number(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        rows, part = rows_of(-grad if group["maximize"] else grad)
        total = table_of(state["sum"], grad)
        total.index_add_(0, rows, part * part)
        table_of(p, grad).index_add_(0, rows, part / (total.index_select(0, rows).sqrt() + group["eps"]) * -rate)
