"""L-BFGS: a quasi-Newton method for full batches; calls the closure several times in one step."""
from weft.core.modes import enable_grad, no_grad
from weft.optim.optimizer import Optimizer
from weft.optim.rule import check_lr, number
from weft.tensor.names import FUNCTIONS
from weft.tensor.tensor import Tensor


def _cubic_minimum(x1, f1, g1, x2, f2, g2, bounds=None):
    """Where the cubic through two points with these values and slopes is least, within bounds."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 ** 2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt() if isinstance(square, Tensor) else square ** 0.5
    if x1 <= x2:
        found = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        found = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(found, low), high)


def _strong_wolfe(evaluate, x, t, d, f, g, slope, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """A step length that satisfies the strong Wolfe conditions: (value, gradient, length, evaluations)."""
    largest = d.abs().max()
    g = g.clone()
    f_new, g_new = evaluate(x, t, d)
    evaluations, slope_new = 1, g_new.dot(d)
    t_before, f_before, g_before, slope_before = 0, f, g, slope
    done, steps = False, 0
    bracket = None
    while steps < max_ls:
        if f_new > f + c1 * t * slope or steps > 1 and f_new >= f_before:
            bracket = [(t_before, f_before, g_before, slope_before), (t, f_new, g_new.clone(), slope_new)]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket, done = [(t, f_new, g_new, slope_new)], True
            break
        if slope_new >= 0:
            bracket = [(t_before, f_before, g_before, slope_before), (t, f_new, g_new.clone(), slope_new)]
            break
        bounds = (t + 0.01 * (t - t_before), t * 10)
        longer = _cubic_minimum(t_before, f_before, slope_before, t, f_new, slope_new, bounds)
        t_before, f_before, g_before, slope_before = t, f_new, g_new.clone(), slope_new
        t = longer
        f_new, g_new = evaluate(x, t, d)
        evaluations += 1
        slope_new = g_new.dot(d)
        steps += 1
    if bracket is None:         # the limit was reached
        bracket = [(0, f, g, slope), (t, f_new, g_new, slope_new)]
    return _zoom(evaluate, x, d, f, slope, bracket, done, steps, evaluations, largest, c1, c2, tolerance_change, max_ls)


def _zoom(evaluate, x, d, f, slope, bracket, done, steps, evaluations, largest, c1, c2, tolerance_change, max_ls):
    """Narrow a bracket until a length satisfies the conditions."""
    insufficient = False
    low, high = (0, 1) if len(bracket) == 1 or bracket[0][1] <= bracket[1][1] else (1, 0)
    while not done and steps < max_ls:
        ends = [b[0] for b in bracket]
        if abs(ends[1] - ends[0]) * largest < tolerance_change:
            break
        t = _cubic_minimum(bracket[0][0], bracket[0][1], bracket[0][3], bracket[1][0], bracket[1][1], bracket[1][3])
        margin = 0.1 * (max(ends) - min(ends))
        if min(max(ends) - t, t - min(ends)) < margin:
            if insufficient or t >= max(ends) or t <= min(ends):
                t = max(ends) - margin if abs(t - max(ends)) < abs(t - min(ends)) else min(ends) + margin
                insufficient = False
            else:
                insufficient = True
        else:
            insufficient = False
        f_new, g_new = evaluate(x, t, d)
        evaluations += 1
        slope_new = g_new.dot(d)
        steps += 1
        point = (t, f_new, g_new.clone(), slope_new)
        if f_new > f + c1 * t * slope or f_new >= bracket[low][1]:
            bracket[high] = point
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    t, f_new, g_new, _ = bracket[low] if len(bracket) > 1 else bracket[0]
    return f_new, g_new, t, evaluations


def _float(loss):
    return loss.item() if isinstance(loss, Tensor) else float(loss)


class LBFGS(Optimizer):
    """Newton's method with the inverse Hessian estimated from the last steps.

    >>> import weft
    >>> p = weft.ones(2, requires_grad=True)
    >>> optimizer = weft.optim.LBFGS([p], lr=0.5)
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (p * p).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(2., grad_fn=<SumBackward0>)
    >>> bool(p.abs().max() < 1e-3)
    True
    """

    flat = True

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None):
        check_lr(lr)
        super().__init__(params, dict(lr=lr, max_iter=max_iter, max_eval=max_iter * 5 // 4 if max_eval is None
                                      else max_eval, tolerance_grad=tolerance_grad, tolerance_change=tolerance_change,
                                      history_size=history_size, line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self):
        return self.param_groups[0]["params"]

    def _gather_flat_grad(self):
        parts = []
        for p in self._params:
            part = p.new_zeros(p.numel()) if p.grad is None else p.grad.to_dense().reshape(-1)
            parts.append(FUNCTIONS["view_as_real"](part).reshape(-1) if part.is_complex() else part)
        return FUNCTIONS["cat"](parts, 0)

    def _add(self, length, direction):
        """Move all parameters along a direction."""
        at = 0
        for p in self._params:
            target = FUNCTIONS["view_as_real"](p) if p.is_complex() else p
            n = target.numel()
            target.add_(direction[at:at + n].view_as(target), alpha=length)
            at += n

    def _values(self):
        return [p.detach().clone() for p in self._params]

    def _restore(self, values):
        for p, value in zip(self._params, values):
            p.copy_(value)

    def step(self, closure):
        """Move to a better point; the closure clears the gradients, computes the loss and its gradients, and returns
        it.

        >>> import weft
        >>> p = weft.ones(1, requires_grad=True)
        >>> optimizer = weft.optim.LBFGS([p], max_iter=1, lr=0.5)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (p * p).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
        tensor(1., grad_fn=<SumBackward0>)
        """
        with no_grad():
            return self._step(enable_grad()(closure))

    def _step(self, closure):
        group = self.param_groups[0]
        lr, tolerance_grad, tolerance_change = number(group["lr"]), group["tolerance_grad"], group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = _float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        grad = self._gather_flat_grad()
        if grad.abs().max() <= tolerance_grad:
            return first_loss
        d, t = state.get("d"), state.get("t")
        iterations = 0
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            d = self._direction(state, grad, d, t, group["history_size"])
            before, loss_before = state["prev_flat_grad"], loss
            if before is None:
                before = state["prev_flat_grad"] = grad.clone()
            else:
                before.copy_(grad)
            state["prev_loss"] = loss_before
            t = min(1.0, 1.0 / grad.abs().sum()) * lr if state["n_iter"] == 1 else lr
            slope = grad.dot(d)
            if slope > -tolerance_change:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = self._values()
                loss, grad, t, used = _strong_wolfe(lambda x, t, d: self._evaluate(closure, x, t, d), start, t, d,
                                                    loss, grad, slope, max_ls=group["max_eval"] - evaluations)
                self._add(t, d)
                small = grad.abs().max() <= tolerance_grad
            else:
                self._add(t, d)
                small = False
                if iterations != group["max_iter"]:
                    loss = _float(closure())
                    grad = self._gather_flat_grad()
                    small = grad.abs().max() <= tolerance_grad
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if iterations == group["max_iter"] or evaluations >= group["max_eval"] or small:
                break
            if d.mul(t).abs().max() <= tolerance_change or abs(loss - loss_before) < tolerance_change:
                break
        state["d"], state["t"] = d, t
        return first_loss

    def _evaluate(self, closure, start, t, d):
        self._add(t, d)
        loss = _float(closure())
        grad = self._gather_flat_grad()
        self._restore(start)
        return loss, grad

    def _direction(self, state, grad, d, t, history):
        """The quasi-Newton direction from the kept steps; also takes up the newest one."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1, prev_flat_grad=None)
            return grad.neg()
        y, s = grad.sub(state["prev_flat_grad"]), d.mul(t)
        ys = y.dot(s)
        if ys > 1e-10:
            if len(state["old_dirs"]) == history:
                for name in ("old_dirs", "old_stps", "ro"):
                    state[name].pop(0)
            state["old_dirs"].append(y)
            state["old_stps"].append(s)
            state["ro"].append(1.0 / ys)
            state["H_diag"] = ys / y.dot(y)
        ys_kept, s_kept, ro = state["old_dirs"], state["old_stps"], state["ro"]
        weights = state.setdefault("al", [None] * history)
        q = grad.neg()
        for i in range(len(ys_kept) - 1, -1, -1):
            weights[i] = s_kept[i].dot(q) * ro[i]
            q.add_(ys_kept[i], alpha=-weights[i])
        r = q.mul(state["H_diag"])
        for i in range(len(ys_kept)):
            r.add_(s_kept[i], alpha=weights[i] - ys_kept[i].dot(r) * ro[i])
        return r

    _samples = [{"max_iter": 3}, {"lr": 0.5, "max_iter": 4, "history_size": 2},
                {"max_iter": 3, "line_search_fn": "strong_wolfe"},
                {"max_eval": 2, "tolerance_grad": 1e-5, "tolerance_change": 1e-7}]
