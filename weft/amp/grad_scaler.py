"""`GradScaler`: losses scaled up so that small gradients survive in half types, and steps with infinite gradients left
out.
"""
import enum
import inspect
import warnings

import weft
from weft.tensor.tensor import Tensor

__all__ = ["GradScaler"]


class OptState(enum.Enum):
    """How far an optimizer is in its step."""
    READY, UNSCALED, STEPPED = 0, 1, 2


READY, UNSCALED, STEPPED = OptState


def _grads_of(optimizer):
    """The gradients of an optimizer's parameters; of sparse ones their values, in the same memory."""
    grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    return [g._values() if g.is_sparse else g for g in grads]


def _times(grads, factor):
    """Multiply the gradients; a tensor that becomes 1 if one of them was not finite."""
    found, factor = weft.zeros(()), weft.tensor(factor)
    with weft.no_grad():
        for dtype in {g.dtype for g in grads}:
            weft._amp_foreach_non_finite_check_and_unscale_([g for g in grads if g.dtype is dtype], found, factor)
    return found


class GradScaler:
    """Scales losses by a factor that grows while all gradients are finite and falls when one isn't.

    >>> import weft
    >>> scaler = weft.amp.GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale(weft.tensor(2.0))
    tensor(8.)
    """
    def __init__(self, device="cuda", init_scale=2.0 ** 16, growth_factor=2.0, backoff_factor=0.5,
                 growth_interval=2000, enabled=True):
        self._device, self._enabled = device, bool(enabled)
        if device == "cuda" and enabled:
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._scale, self._growth_tracker = float(init_scale), 0
        self._growth_factor, self._backoff_factor, self._growth_interval = (
            growth_factor, backoff_factor, growth_interval)
        self._optimizers = {}               # id -> [stage, a tensor that isn't 0 if an infinite gradient was found]

    def scale(self, outputs):
        """The output, or a list or other iterable of them, times the scale.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.scale(weft.ones(1))
        tensor([4.])
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * weft.tensor(self._scale)
        if not hasattr(outputs, "__iter__"):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        made = map(self.scale, outputs)
        return type(outputs)(made) if isinstance(outputs, (list, tuple)) else made

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer's parameters by the scale, and look for infinities.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> w = weft.ones(1, requires_grad=True)
        >>> scaler.scale(w.sum()).backward()
        >>> scaler.unscale_(weft.optim.SGD([w], lr=0.5))
        >>> w.grad
        tensor([1.])
        """
        if not self._enabled:
            return
        state = self._optimizers.setdefault(id(optimizer), [READY, False])
        if state[0] is UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state[0] is STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        grads = _grads_of(optimizer)
        if any(g.dtype is weft.float16 for g in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        state[:] = UNSCALED, _times(grads, 1.0 / self._scale)

    def step(self, optimizer, *args, **kwargs):
        """`optimizer.step()`, unless a gradient is infinite or NaN.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> w = weft.ones(1, requires_grad=True)
        >>> optimizer = weft.optim.SGD([w], lr=0.5)
        >>> scaler.scale(w.sum()).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> w.detach()
        tensor([0.5000])
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        state = self._optimizers.setdefault(id(optimizer), [READY, False])
        if state[0] is STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_that_unscales(optimizer, state, args, kwargs)
        if state[0] is READY:
            self.unscale_(optimizer)
        result = None if state[1] else optimizer.step(*args, **kwargs)
        state[0] = STEPPED
        return result

    def _step_that_unscales(self, optimizer, state, args, kwargs):
        """The step of an optimizer that divides its gradients, or leaves itself out, by two tensors hung on it."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn("GradScaler passes itself to a step that has a parameter `grad_scaler`; PyTorch will stop to "
                          "do so: use optimizer.grad_scale and optimizer.found_inf", FutureWarning, stacklevel=3)
            result = optimizer.step(*args, **kwargs, grad_scaler=self)
            state[0] = STEPPED
            return result
        before = getattr(optimizer, "grad_scale", None)
        if state[0] is READY:
            state[1] = _times(_grads_of(optimizer), 1.0)
            optimizer.grad_scale = weft.tensor(self._scale) * (1 if before is None else before)
        else:
            optimizer.grad_scale = before
        optimizer.found_inf = state[1]
        result = optimizer.step(*args, **kwargs)
        state[0] = STEPPED
        del optimizer.grad_scale, optimizer.found_inf
        return result

    def update(self, new_scale=None):
        """The scale for the next iteration.

        >>> import weft
        >>> scaler = weft.amp.GradScaler("cpu", init_scale=4.0)
        >>> p = weft.ones(1, requires_grad=True)
        >>> scaler.scale(p.sum()).backward()
        >>> scaler.step(weft.optim.SGD([p], lr=0.5))
        >>> scaler.update()
        >>> scaler.get_scale(), p.detach()
        (4.0, tensor([0.5000]))
        """
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._optimizers:
            raise AssertionError("No inf checks were recorded prior to update: call step() or unscale_() first")
        elif any(found for _, found in self._optimizers.values()):
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale, self._growth_tracker = self._scale * self._growth_factor, 0
        self._optimizers = {}

    def get_scale(self):
        """The factor that losses are multiplied by.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.get_scale()
        4.0
        """
        return self._scale if self._enabled else 1.0

    def is_enabled(self):
        """Whether the scaler does anything.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.is_enabled()
        True
        """
        return self._enabled

    def get_growth_factor(self):
        """What the scale is multiplied by after steps without inf or nan.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.get_growth_factor()
        2.0
        """
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Set what the scale is multiplied by after steps without inf or nan.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.set_growth_factor(3.0)
        >>> scaler.get_growth_factor()
        3.0
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """What the scale is multiplied by after inf or nan.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.get_backoff_factor()
        0.5
        """
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Set what the scale is multiplied by after inf or nan.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.set_backoff_factor(0.25)
        >>> scaler.get_backoff_factor()
        0.25
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After how many steps without inf or nan the scale grows.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.get_growth_interval()
        2000
        """
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Set after how many steps without inf or nan the scale grows.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.set_growth_interval(10)
        >>> scaler.get_growth_interval()
        10
        """
        self._growth_interval = new_interval

    def state_dict(self):
        """The scale and its settings; empty when disabled.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.state_dict()['scale']
        4.0
        """
        return {"scale": self._scale, "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval,
                "_growth_tracker": self._growth_tracker} if self._enabled else {}

    def load_state_dict(self, state_dict):
        """Take over the state that state_dict gave.

        >>> import weft
        >>> scaler = weft.amp.GradScaler('cpu', init_scale=4.0)
        >>> scaler.load_state_dict(weft.amp.GradScaler('cpu', init_scale=8.0).state_dict())
        >>> scaler.get_scale()
        8.0
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance "
                               "of GradScaler.")
        # KeyError before anything is changed
        wanted = {"_" + name.lstrip("_"): state_dict[name] for name in self.state_dict()}
        self.__dict__.update(wanted)
