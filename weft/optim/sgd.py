# compiled
"""Stochastic gradient descent, with momentum."""
from weft.kernels import fast
from weft.ops.core.registry import KEEP_HALF, NOGRAD, op
from weft.optim.rows import is_sparse, rows_of, table_of
from weft.optim.rule import (
    Rule,
    check_flags,
    check_lr,
    descent,
    in_range,
    move,
    number,
    plain_number,
    skips,
    update_all,
)


def sgd(p, grad, velocity, lr, momentum, dampening, weight_decay, nesterov, maximize, first):
    """The formula. velocity: the running sum of gradients, None without momentum; `first`: it holds nothing yet."""
    grad = descent(p, grad, maximize, weight_decay)
    if velocity is not None:
        if first:
            velocity.copy_(grad)
        else:
            velocity.mul_(momentum).add_(grad, alpha=1 - dampening)
        grad = grad.add(velocity, alpha=momentum) if nesterov else velocity
    move(p, grad, lr)


@op
class _sgd_update:
    """One step of SGD for all parameters, in place; `momentum_buffers` is None without momentum. Where `found_inf`
    isn't zero, nothing is done, but buffers that hold nothing yet (`first`) become zeros.
    """
    method, tags, node_name = False, NOGRAD | KEEP_HALF, "SgdUpdate"
    writes = "params momentum_buffers"
    steady = True

    def forward(params, grads, momentum_buffers, lr, momentum, dampening, weight_decay, nesterov, maximize, first,
                found_inf):
        if skips(found_inf):
            for buffer in momentum_buffers if first and momentum_buffers is not None else ():
                buffer[...] = 0
            return
        update_all(fast.sgd, sgd, (params, grads, momentum_buffers), None,
                   (*map(plain_number, (lr, momentum, dampening, weight_decay)), nesterov, maximize, first))

    def shape(*given):
        return ()
    why_no_samples = "tests/test_derived_optimizers.py runs it through SGD"


STEP = _sgd_update.op


class SGD(Rule):
    """p -= lr * v, where v is the gradient, or with momentum a running sum of gradients.

    >>> import weft
    >>> w = weft.nn.Parameter(weft.ones(1))
    >>> w.grad = weft.ones(1)
    >>> weft.optim.SGD([w], lr=0.1).step()
    >>> w.data
    tensor([0.9000])
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        check_lr(lr)
        in_range("momentum value", momentum, 0.0)
        in_range("weight_decay value", weight_decay, 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_flags(fused, foreach, differentiable)
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize, foreach=foreach,
                                      differentiable=differentiable, fused=fused))
        if fused:
            self._step_supports_amp_scaling = True      # GradScaler asks

    def keeps_state(self, group):
        return group["momentum"] != 0

    def leaves_alone(self, group):
        return group["momentum"] == 0 and number(group["weight_decay"]) == 0

    def start(self, p, state, group):
        state["momentum_buffer"] = None             # the first gradient

    def many(self, params, grads, states, group):
        numbers = [group["lr"], group["momentum"], group["dampening"], group["weight_decay"], group["nesterov"],
                   group["maximize"]]
        if group["momentum"] == 0:
            STEP.compute([params, grads, None, *numbers, False, self._skip_of(group)])
            return
        fresh = [i for i, state in enumerate(states) if state.get("momentum_buffer") is None]
        for i in fresh:
            states[i]["momentum_buffer"] = new_buffer(params[i])
        for first in (False, True):
            chosen = [i for i in range(len(params)) if (i in fresh) is first] if fresh else \
                range(len(params)) if not first else ()
            if chosen:
                STEP.compute([[params[i] for i in chosen], [grads[i] for i in chosen],
                              [states[i]["momentum_buffer"] for i in chosen], *numbers, first,
                              self._skip_of(group)])

    def update(self, p, grad, state, group):
        velocity, first = state.get("momentum_buffer"), False
        if group["momentum"] != 0 and velocity is None:
            velocity, first = new_buffer(p), True
            state["momentum_buffer"] = velocity
        sgd(p, grad, velocity if group["momentum"] != 0 else None, number(group["lr"]), group["momentum"],
            group["dampening"], number(group["weight_decay"]), group["nesterov"], group["maximize"], first)

    def update_rows(self, p, grad, state, group):
        grad = descent(p, grad, group["maximize"], number(group["weight_decay"]))      # decay raises: p is dense
        momentum = group["momentum"]
        if momentum != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
                velocity.copy_(velocity.coalesce())
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        if is_sparse(p):
            p.add_(grad, alpha=-number(group["lr"]))
            return
        rows, part = rows_of(grad)
        table_of(p, grad).index_add_(0, rows, part * -number(group["lr"]))


def new_buffer(p):
    """Room for a parameter's running sum, in its memory order."""
    return p.new_empty(p.shape) if p.is_contiguous() else p.detach().clone()
