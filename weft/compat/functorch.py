"""functorch: the package beside torch from which torch.func came, with the names that programs import from it."""
import copy

import weft
from weft.func import (
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

__all__ = ["combine_state_for_ensemble", "functional_call", "functionalize", "grad", "grad_and_value", "hessian",
           "jacfwd", "jacrev", "jvp", "linearize", "make_functional", "make_functional_with_buffers", "vjp", "vmap"]


class FunctionalModule:
    """A module as a function of its parameters, f(params, *args)."""

    def __init__(self, model, buffers=False):
        self.stateless_model = copy.deepcopy(model).to("meta")
        self.param_names = [name for name, _ in model.named_parameters()]
        self.buffer_names = [name for name, _ in model.named_buffers()] if buffers else None

    def __call__(self, params, *args, **kwargs):
        state = dict(zip(self.param_names, params, strict=True))
        if self.buffer_names is not None:
            buffers, *args = args
            state.update(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, state, tuple(args), kwargs)


def _params(model, detached):
    params = tuple(p.detach().clone() if detached else weft.nn.Parameter(p.detach().clone(), p.requires_grad)
                   for p in model.parameters())
    return params


def make_functional(model, disable_autograd_tracking=False):
    """(function, params): function(params, *args) is what the model gives with these parameters.

    >>> import weft
    >>> function, params = weft.functorch.make_functional(weft.nn.Linear(2, 1, bias=False))
    >>> function((weft.ones(1, 2),), weft.tensor([3.0, 4.0]))
    tensor([7.])
    """
    if list(model.buffers()):
        raise RuntimeError("make_functional(model): `model` has buffers. Please use "
                           "make_functional_with_buffers(model) instead.")
    return FunctionalModule(model), _params(model, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """(function, params, buffers): function(params, buffers, *args)."""
    buffers = tuple(b.detach().clone() for b in model.buffers())
    return FunctionalModule(model, buffers=True), _params(model, disable_autograd_tracking), buffers


def combine_state_for_ensemble(models):
    """(function, params, buffers) of several models of one class, whose parameters and buffers are stacked."""
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    made = [make_functional_with_buffers(m) for m in models]
    params = tuple(weft.stack(each).detach() for each in zip(*(p for _, p, _ in made)))
    return made[0][0], params, tuple(weft.stack(each) for each in zip(*(b for _, _, b in made)))
